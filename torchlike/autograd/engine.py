"""`torch.autograd.backward` and `grad`: their arguments, checked as PyTorch does, and running the pass.

A plain pass that was recorded before is replayed (`replay.py`); any other is walked (`graph_task.py`), each Node
recording the instruction of its own gradient (`node.py`).
"""

import operator
import warnings
import weakref
from collections.abc import Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from torchlike._base import errors
from torchlike._base.size import Size
from torchlike._modes import autocast, torch_dispatch
from torchlike._modes.transform import side_by_side
from torchlike._ops.table import ROWS
from torchlike._record import explain_log, tracebacks
from torchlike._record.bind import bind
from torchlike._record.history import edge_of
from torchlike._record.inplace import cast
from torchlike._record.tensor import LEAF, STALE, Tensor
from torchlike._record.trace import end_of_backward, state
from torchlike._record.warning import warn_once
from torchlike.autograd import replay
from torchlike.autograd.graph_task import GraphTask, running
from torchlike.autograd.hooks import retain_grad
from torchlike.autograd.node import Node

_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak.")
_INSIDE = ("backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
           "functorch.vjp instead or call backward() outside of functorch transforms.")


# -- edges as users hold them

class GradientEdge(NamedTuple):
    """Where the gradient of one output of a Node arrives; stands for a tensor in `backward` and `grad`.
    https://pytorch.org/docs/stable/generated/torch.autograd.graph.GradientEdge.html

    Args:
        node: the Node, as users see it.
        output_nr: which of its outputs.
        ownership_token: without effect here: the edge itself keeps the Node.
    """

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def get_gradient_edge(tensor) -> GradientEdge:
    """Where the gradient of a tensor arrives.
    https://pytorch.org/docs/stable/generated/torch.autograd.graph.get_gradient_edge.html

    Args:
        tensor: a Tensor that requires grad.

    Returns:
        Its GradientEdge, which stands for it in `backward` and `grad`.

    Raises:
        RuntimeError: it does not require grad.
    """
    edge = edge_for(tensor)
    if edge is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require "
                           "gradients")
    node, number = edge
    return GradientEdge(node.public, number)


def edge_for(x):
    """The engine's edge of a tensor.

    Args:
        x: a Tensor or `GradientEdge`.

    Returns:
        (Node, output number); None if no gradient flows to it.
    """
    if isinstance(x, GradientEdge):
        return (x.node._node(), x.output_nr)
    edge = x._edge
    return edge_of(x) if edge is LEAF or edge is STALE else edge


def aval_for(x):
    """The form of a gradient.

    Args:
        x: a Tensor or `GradientEdge`.

    Returns:
        The Aval that its gradient has.
    """
    return x.node._node().output_aval(x.output_nr) if isinstance(x, GradientEdge) else x._cell.aval


def listed(x) -> tuple:
    """One or several, as a tuple.

    Args:
        x: a Tensor or `GradientEdge`, or several.

    Returns:
        A tuple of them.
    """
    return (x,) if isinstance(x, Tensor | GradientEdge) else tuple(x)


def listed_inputs(inputs, name) -> tuple:
    """What to differentiate by, one or several, as a tuple.

    Args:
        inputs: as for `listed`, or a dict of them.
        name: that of the function that is called.

    Returns:
        A tuple of them.

    Raises:
        TypeError: a mapping that is no dict.
    """
    if isinstance(inputs, Mapping):
        if type(inputs) is not dict:
            raise TypeError(f"`inputs` argument to `{name}()` must be a dict, not {type(inputs).__name__}. Other Mapping "
                            "types are not supported.")
        return tuple(inputs.values())
    return listed(inputs)


def _by_older_name(grad_tensors, grad_variables):
    warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=3)
    if grad_tensors is not None:
        raise RuntimeError("`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please "
                           "only use `grad_tensors`.")
    return grad_variables


def node_for(x):
    """The engine's Node where a gradient arrives.

    Args:
        x: a Tensor or `GradientEdge`.

    Returns:
        The Node.

    Raises:
        AssertionError: no gradient flows to it.
    """
    edge = edge_for(x)
    if edge is None:
        raise AssertionError("Expected gradient function to be set")
    return edge[0]


# -- arguments

def _grad_for_output(aval, g, i):
    """The gradient to start from at an output of this form, checked as PyTorch does."""
    if g is None:
        if aval.numel != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if aval.dtype.category < 2:
            raise RuntimeError("grad can be computed only for real scalar outputs but got "
                               f"{aval.dtype!r}")
        if aval.dtype.is_complex:
            raise RuntimeError("grad can be implicitly created only for real scalar outputs but got "
                               f"{aval.dtype!r}")
        return _ones(aval)
    theirs = g._cell.aval
    if theirs.shape != aval.shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {theirs.shape} and "
                           f"output[{i}] has a shape of {aval.shape}.")
    if theirs.dtype.is_complex != aval.dtype.is_complex:
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same "
                           f"dtype. Mismatch in dtype: grad_output[{i}] has a dtype of {theirs.dtype!r} and "
                           f"output[{i}] has a dtype of {aval.dtype!r}.")
    if theirs.dtype is not aval.dtype:
        return cast(g, aval.dtype)
    return g


def _ones(aval):
    thread = state.thread
    before, thread.grad = thread.grad, False
    try:
        return bind(ROWS["_ones"], (), (), (tuple(aval.shape), aval.dtype, aval.device))
    finally:
        thread.grad = before


def _requires_grad(out) -> bool:
    return isinstance(out, GradientEdge) or (out._edge is not None and (out._edge is not STALE or out.requires_grad))


def _as_tuple(grads, count) -> tuple:
    """The gradients to start from, one for each output."""
    if grads is None:
        return (None,) * count
    if isinstance(grads, Tensor):
        return (grads,)
    return tuple(grads)


def _roots_of(outs, given, flags=()) -> tuple:
    """(edges, gradients) to start from; RuntimeError or TypeError where they do not fit. PyTorch looks at `flags` before the
    edges."""
    if len(given) < len(outs):
        raise RuntimeError(f"got {len(outs)} tensors and {len(given)} gradients")
    roots, grads = [], []
    for i, (out, g) in enumerate(zip(outs, given, strict=False)):
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
        if g is None and not isinstance(out, GradientEdge) and (state.open is None or out._cell.handler is not None):
            g = torch_dispatch.seed(out)
        grads.append(_grad_for_output(aval_for(out), g, i) if g is not None or _requires_grad(out) else None)
    for flag in flags:
        _flag(flag)
    for i, (out, _) in enumerate(zip(outs, given, strict=False)):
        roots.append(edge_for(out))
        if roots[-1] is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
    return roots, grads


def _check_batch(outs, given) -> int:
    """How many gradients each batch in `given` has (``is_grads_batched``); RuntimeError if one does not fit."""
    for i, (out, g) in enumerate(zip(outs, given, strict=False)):
        if g is None:
            continue
        shape, theirs = aval_for(out).shape, g._cell.aval.shape
        if not theirs:
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                             "C++ to convert a 0-dim tensor to a number")
        if theirs[1:] != shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{i}] has a shape of {Size(theirs[1:])} and output[{i}] "
                f"has a shape of {shape}. If you only want some tensors in `grad_output` to be considered batched, "
                "consider using vmap.")
    return next(g for g in given if g is not None)._cell.aval.shape[0]


def _captures_of(wanted) -> dict:
    """{Node: {output number: position}} of the tensors whose gradients are wanted."""
    captures: dict = {}
    for position, x in enumerate(wanted):
        edge = edge_for(x)
        if edge is None and x.requires_grad:  # a view made under no_grad: nothing leads to it
            continue
        if edge is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        node, number = edge
        captures.setdefault(node, {}).setdefault(number, position)
    return captures


# -- running the pass

def run_backward(roots, grads, keep, create_graph, captures=None, targets=None) -> dict:
    """One backward pass.

    Args:
        roots: the edges to start from.
        grads: the gradient Tensor that starts at each.
        keep: whether the graph can be used again.
        create_graph: whether the gradients have a history.
        captures: {Node: {output number: position}} of the gradients to return, or None: leaves accumulate theirs.
        targets: the Nodes to reach where not all are wanted and none is captured (``backward(inputs=)``).

    Returns:
        {position: gradient} of those captured.
    """
    engine = state.thread.engine
    if engine is not None:  # another stands in for this one (torchlike diff)
        return engine.run_backward(roots, grads, keep, captures, create_graph, targets)
    return run_here(roots, grads, keep, create_graph, captures, targets)


def run_here(roots, grads, keep, create_graph, captures=None, targets=None, watch=None) -> dict:
    """One backward pass by this engine, whichever the thread has.

    Args:
        roots, grads, keep, create_graph, captures, targets: as for `run_backward`.
        watch: see `GraphTask`; a pass that is watched is walked.

    Returns:
        {position: gradient} of those captured.
    """
    t = state.trace
    explain_log.note(t, explain_log.BACKWARD, [(edge[0].child, weakref.ref(edge[0]), edge[0].site) for edge in roots])
    try:
        with autocast.off() if autocast.settings.enabled else nullcontext():
            found = _replay_or_walk(roots, grads, keep, create_graph, captures, targets, watch)
    except BaseException as error:
        explain_log.note_end(t, "failed")
        tracebacks.mark(error)
        raise
    explain_log.note_end(t)
    end_of_backward()
    return found


def _replay_or_walk(roots, grads, keep, create_graph, captures, targets, watch) -> dict:
    is_plain = captures is None and targets is None and watch is None and not create_graph
    if is_plain and replay.run(roots, grads, keep):
        return {}
    task, thread = GraphTask(keep, captures, targets, watch=watch), state.thread
    before, thread.grad = thread.grad, create_graph
    outer, running.task = running.task, task
    task.partial |= outer is not None and outer.partial
    try:
        with _stopped(thread.frames[-1], not create_graph) if thread.frames else nullcontext():
            task.run(roots, grads)
    finally:
        thread.grad, running.task = before, outer
    return task.captured


@contextmanager
def _stopped(frame, wanted):
    """Inside a transform derivatives of what backward does are wanted only with ``create_graph``."""
    before, frame.stopped = frame.stopped, wanted
    try:
        yield
    finally:
        frame.stopped = before


# -- the public calls

def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None) -> None:
    """Sum the gradients of tensors into ``.grad`` of the leaves.
    https://pytorch.org/docs/stable/generated/torch.autograd.backward.html

    Args:
        tensors: a Tensor or GradientEdge, or several.
        grad_tensors: for each the gradient to start from, of its shape; None is 1 for a real tensor of one element.
        retain_graph: whether the graph can be used again; as `create_graph` where it is None.
        create_graph: whether the gradients have a history themselves.
        grad_variables: the older name of `grad_tensors`, which warns.
        inputs: the tensors to fill ``.grad`` of, also as values of a dict; all leaves where it is None.

    Raises:
        RuntimeError: a tensor that does not require grad; a gradient that does not fit; a graph that has been freed, or
            that saved what was written to since; a call inside a transform of `torch.func`.
        TypeError: a gradient that is no Tensor; a mapping for `inputs` that is no dict.
    """
    if state.thread.frames:
        raise RuntimeError(_INSIDE)
    if grad_variables is not None:
        grad_tensors = _by_older_name(grad_tensors, grad_variables)
    outs = listed(tensors)
    wanted = None if inputs is None else listed_inputs(inputs, "backward")
    if wanted is not None and not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    try:
        keep = create_graph if retain_graph is None else retain_graph
        roots, grads = _roots_of(outs, _as_tuple(grad_tensors, len(outs)), (keep, create_graph))
    except AttributeError as error:
        raise _of_no_tensor(outs, (), error) from None
    if create_graph:
        warn_once(_CYCLE)
    keep = _flag(keep)
    create_graph = _flag(create_graph)
    if wanted is None:
        run_backward(roots, grads, keep, create_graph)
        return
    for x in wanted:
        if isinstance(x, Tensor):
            retain_grad(x)
    try:
        targets = set(_captures_of(wanted))
    except AttributeError as error:
        raise _of_no_tensor((), wanted, error) from None
    run_backward(roots, grads, keep, create_graph, targets=targets)


def _of_no_tensor(outs, wanted, error):
    """What PyTorch raises where something is neither a tensor nor an edge; else `error`."""
    kinds = Tensor | GradientEdge
    if not all(isinstance(x, kinds) for x in outs):
        return AssertionError("Expected output to be a torch.Tensor")
    others = [x for x in wanted if not isinstance(x, kinds)]
    return error if not others else RuntimeError(
        f"all inputs have to be Tensors or GradientEdges, but got {errors.type_name(type(others[0]))}")


def _flag(value) -> bool:
    """A bool as PyTorch's engine takes it: an unsigned byte."""
    if value is True or value is False:
        return value
    number = operator.index(value)
    if not -(1 << 63) <= number < 1 << 63:
        raise OverflowError("Python int too large to convert to C long")
    if not 0 <= number < 256:
        raise OverflowError(f"unsigned byte integer is {'less than minimum' if number < 0 else 'greater than maximum'}")
    return bool(number)


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False) -> Any:
    """The gradients of `outputs` by `inputs`; no ``.grad`` changes.
    https://pytorch.org/docs/stable/generated/torch.autograd.grad.html

    Args:
        outputs: a Tensor or GradientEdge, or several.
        inputs: likewise: what to differentiate by; also as values of a dict.
        grad_outputs: for each output the gradient to start from, of its shape; None is 1 for a real tensor of one element.
        retain_graph: whether the graph can be used again; as `create_graph` where it is None.
        create_graph: whether the gradients have a history themselves.
        only_inputs: without effect, as in PyTorch.
        allow_unused: whether an input that no output depends on is None instead of an error; as `materialize_grads` where
            it is None.
        is_grads_batched: `grad_outputs` have a first dimension more, and so have the results: one backward pass under a
            vmap, with `create_graph` one for each.
        materialize_grads: whether such an input has zeros.

    Returns:
        A tuple with the gradient of each input, of its shape and dtype; for a dict a dict.

    Raises:
        RuntimeError: as `backward`; an input that was not used.
        ValueError: `materialize_grads` with ``allow_unused=False``.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but "
                         "got: allow_unused=False.")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    outs, wanted = listed(outputs), listed_inputs(inputs, "grad")
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    keep = _flag(create_graph if retain_graph is None else retain_graph)
    create_graph = _flag(create_graph)
    given = _as_tuple(grad_outputs, len(outs))
    if is_grads_batched:
        results = _batched(outs, wanted, given, keep, create_graph, allow_unused, materialize_grads)
    else:
        try:
            roots, grads = _roots_of(outs, given)
            captures = _captures_of(wanted)
        except AttributeError as error:
            raise _of_no_tensor(outs, wanted, error) from None
        found = run_backward(roots, grads, keep, create_graph, captures)
        results = tuple(_result(i, x, found.get(_position(wanted, i)), allow_unused, materialize_grads, create_graph)
                        for i, x in enumerate(wanted))
    return dict(zip(inputs, results, strict=True)) if type(inputs) is dict else results


def _position(wanted, i):
    """Captures are by edge: a tensor asked for twice is captured under its first place."""
    return next(k for k, x in enumerate(wanted) if edge_for(x) == edge_for(wanted[i]))


def _result(i, x, g, allow_unused, materialize, create_graph):
    if g is None and materialize:
        aval = aval_for(x)
        zeros = bind(ROWS["_zeros"], (), (), (tuple(aval.shape), aval.dtype, aval.device))
        zeros._edge = LEAF if create_graph else None
        return zeros
    if g is None and not allow_unused:
        raise RuntimeError(f"The differentiated Tensor at index {i} appears to not have been used in the "
                           "graph. Set allow_unused=True if this is the desired behavior.")
    return g


def _batched(outs, wanted, given, keep, create_graph, allow_unused, materialize):
    count = _check_batch(outs, given)
    if count and not create_graph:
        def one(*slices):
            left = iter(slices)
            each = tuple(None if g is None else next(left) for g in given)
            return grad(outs, wanted, each, keep, allow_unused=allow_unused, materialize_grads=materialize)

        return tuple(side_by_side(one, [g for g in given if g is not None], count, False))
    rows = []
    for i in range(count):
        each = tuple(None if g is None else g[i] for g in given)
        rows.append(grad(outs, wanted, each, True if i < count - 1 else keep, create_graph,
                         allow_unused=allow_unused, materialize_grads=materialize))
    return tuple(None if column[0] is None else bind(ROWS["stack"], (tuple(column),), (), (0,))
                 for column in zip(*rows, strict=True))


def _backward_of_tensor(self, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
    """Sum the gradients of this tensor into ``.grad`` of the leaves.
    https://pytorch.org/docs/stable/generated/torch.Tensor.backward.html

    Args:
        gradient: the gradient to start from, of its shape; None is 1 for a real tensor of one element.
        retain_graph, create_graph, inputs: as for `torch.autograd.backward`.

    Raises:
        RuntimeError: as `torch.autograd.backward`.
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


_backward_of_tensor.__name__ = _backward_of_tensor.__qualname__ = "backward"
METHODS: dict = {"backward": _backward_of_tensor}
