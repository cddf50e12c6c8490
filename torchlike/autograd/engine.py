"""The backward pass: Nodes in PyTorch's order, each recording its own gradient instruction.

https://pytorch.org/docs/stable/notes/autograd.html. A Node runs when all its uses have delivered;
among those ready the latest recorded one goes first, leaves at once. The walk is iterative.
"""

import heapq
import itertools
import threading
import weakref

from torchlike._base import errors
from torchlike._compile import gradients
from torchlike._modes import autocast
from torchlike._modes.transform import side_by_side
from torchlike._ops.table import ROWS
from torchlike._record import explain_log
from torchlike._record.bind import bind
from torchlike._record.site import extend, here, located
from torchlike._record.tensor import LEAF, Tensor
from torchlike._record.trace import end_of_backward, state
from torchlike.autograd import anomaly_mode, replay
from torchlike.autograd.edges import aval_for, edge_for, listed
from torchlike.autograd.hooks import (
    retain_grad,
    run_post_hooks,
    run_pre_hooks,
    run_tensor_hooks,
)
from torchlike.autograd.node import AccumulateGrad, Node
from torchlike.autograd.roots import as_tuple, captures_of, check_batch, roots_of
from torchlike.autograd.special_nodes import ReshapedInPlace

_ADD = "add"
_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak.")
_TASKS = itertools.count()
_ORDER = itertools.count()  # among leaves, which are equally early, the one that was ready first


class _Running(threading.local):
    """The backward call that is running on this thread, the innermost one; None outside."""

    task = None


running = _Running()


# -- the graph of one call

class GraphTask:
    """One backward call: what is waited for, what has arrived, what is to be captured.

    ``number`` identifies it, ``site`` is its line; ``grads`` are the gradients that reached the Node running now.
    """

    __slots__ = ("buffers", "captured", "captures", "grads", "keep", "leaves", "needed", "number", "partial",
                 "site", "waiting")

    def __init__(self, keep, captures=None):
        self.keep, self.number = keep, next(_TASKS)
        self.captures = captures  # None, or {node: {output number: position}}
        self.captured: dict = {}
        self.partial = captures is not None  # not the whole graph runs
        self.needed = self.grads = None
        self.leaves = None  # a list where leaves are to be collected instead of accumulated
        self.buffers: dict = {}
        self.waiting: dict = {}
        self.site = None if keep else here()

    def will_run(self, node) -> bool:
        """Whether this call runs `node`."""
        return node in self.waiting if self.needed is None else node in self.needed


def _count(task, roots) -> None:
    """How many uses deliver to each Node reachable from the roots."""
    waiting = task.waiting
    stack = []
    for root in roots:
        if root not in waiting:
            waiting[root] = 0
            stack.append(root)
    while stack:
        for edge in stack.pop().edges:
            if edge is not None:
                node = edge[0]
                if node in waiting:
                    waiting[node] += 1
                else:
                    waiting[node] = 1
                    stack.append(node)


def _find_needed(task, roots, targets) -> None:
    """Nodes from which one of the targets can be reached (``inputs=``)."""
    needed, order, seen, stack = set(), [], set(), list(roots)
    while stack:
        node = stack.pop()
        if node.__class__ is tuple:
            order.append(node[0])
            continue
        if node in seen:
            continue
        seen.add(node)
        stack.append((node,))
        stack.extend(edge[0] for edge in node.edges if edge is not None)
    for node in order:
        if node in targets or any(edge is not None and edge[0] in needed for edge in node.edges):
            needed.add(node)
    task.needed = needed


def run_backward(roots, grads, keep, create_graph, captures=None, targets=None) -> dict:
    """Walk from `roots`, a list of edges, with their gradients. Returns the captured gradients.

    `targets`: the Nodes to reach where not all are wanted and none is captured (``backward(inputs=)``).
    """
    engine = state.thread.engine
    if engine is not None:  # another stands in for this one (torchlike diff)
        return engine.run_backward(roots, grads, captures, create_graph)
    t = state.trace
    explain_log.note(t, explain_log.BACKWARD, [(edge[0].child, weakref.ref(edge[0]), edge[0].site) for edge in roots])
    try:
        with autocast.off():
            found = _run_backward(roots, grads, keep, create_graph, captures, targets)
    except BaseException:
        explain_log.note_end(t, "failed")
        raise
    explain_log.note_end(t)
    end_of_backward()
    return found


def _run_backward(roots, grads, keep, create_graph, captures, targets) -> dict:
    whole = captures is None and targets is None
    if whole and not create_graph and replay.run(roots, grads, keep, _walk_deferred):
        return {}
    task = GraphTask(keep, captures)
    starts = [edge[0] for edge in roots]
    _count(task, starts)
    if captures is not None or targets is not None:
        task.partial = True
        _find_needed(task, starts, targets if captures is None else captures)
    t = state.trace
    before, t.thread.grad = t.thread.grad, create_graph
    outer, running.task = running.task, task
    task.partial |= outer is not None and outer.partial
    try:
        ready: list = []
        for edge, g in zip(roots, grads, strict=True):
            _deliver(task, edge, g)
        for node in dict.fromkeys(starts):
            if task.waiting[node] == 0:
                heapq.heappush(ready, (-node.seq, next(_ORDER), node))
        _walk(task, ready)
    finally:
        t.thread.grad, running.task = before, outer
    return task.captured


def _walk_deferred(roots, grads, keep) -> list:
    """The walk without its leaves: [(AccumulateGrad, gradient)] in the order they became ready."""
    task = GraphTask(keep)
    task.leaves = []
    _count(task, [edge[0] for edge in roots])
    ready: list = []
    for edge, g in zip(roots, grads, strict=True):
        _deliver(task, edge, g)
    for node in dict.fromkeys(edge[0] for edge in roots):
        if task.waiting[node] == 0:
            heapq.heappush(ready, (-node.seq, next(_ORDER), node))
    _walk(task, ready)
    return task.leaves


def _deliver(task, edge, g) -> None:
    if g is None:
        return
    node, number = edge
    buffer = task.buffers.get(node)
    if buffer is None:
        task.buffers[node] = {number: g}
    elif number in buffer:
        buffer[number] = bind(ROWS[_ADD], (buffer[number], g), (None,), ())
    else:
        buffer[number] = g


def _walk(task, ready) -> None:
    waiting, buffers, needed = task.waiting, task.buffers, task.needed
    push, pop = heapq.heappush, heapq.heappop
    evaluate = anomaly_mode.watch(_evaluate) if anomaly_mode.mode.enabled else _evaluate
    while ready:
        node = pop(ready)[2]
        buffer = buffers.pop(node, None)
        try:
            results = () if needed is not None and node not in needed else evaluate(task, node, buffer)
        except Exception as error:
            if node.__class__ is ReshapedInPlace:
                _name_sender(error, task, node)
            extend(error, _lines_about(error, node))
            raise
        buffer = None
        for position, edge in enumerate(node.edges):
            if edge is not None:
                following = edge[0]
                g = results[position] if results else None
                if g is not None:
                    there = buffers.get(following)
                    if there is None:
                        buffers[following] = {edge[1]: g}
                    else:
                        _deliver(task, edge, g)
                left = waiting[following] - 1
                waiting[following] = left
                if left == 0:
                    push(ready, (-following.seq, next(_ORDER), following))
        results = g = None


def _name_sender(error, task, node) -> None:
    """PyTorch checks a gradient where it leaves a Node, and then names that Node and its operand."""
    for sender in task.waiting:
        for i, edge in enumerate(sender.edges):
            if edge is not None and edge[0] is node and error.args[0].startswith("invalid gradient at index"):
                text = error.args[0].replace("index 0", f"index {i}", 1)
                error.args = (f"Function {sender.name()} returned an {text}", *error.args[1:])
                return


def _lines_about(error, node) -> str:
    """What an error in the backward of a Node is told besides: the lines that made it and freed it."""
    lines = located(f"Forward call of {node.name()}", node.site)
    if errors.FREED in str(error):
        lines += located("Freed by this backward call", getattr(node, "freed", None))
    return lines


def _evaluate(task, node, buffer):
    """Hooks, capture and the Node itself. Returns the gradients of its operands."""
    if buffer is None:
        buffer = {}
    if task.leaves is not None and node.__class__ is AccumulateGrad:
        task.leaves.append((node, buffer.get(0)))
        return ()
    if node.hooks is None and task.captures is None:
        if len(buffer) == 1 and 0 in buffer and node.n_outputs == 1:
            grads = [buffer.pop(0)]
        else:
            grads = in_order(node, buffer)
    else:
        grads = _before(task, node, in_order(node, buffer))
        if grads is None:
            return ()
    if node.__class__ is not AccumulateGrad and not any(g is not None for g in grads) \
            and not node.wants_undefined:
        results = [None] * len(node.edges)
    else:
        task.grads = grads
        results = node.backward(grads)
    if node.hooks is not None and node.hooks.post:
        if task.needed is not None and node.plan is not None:
            results = _wanted(task, node, results)
        results = run_post_hooks(node, _of_list(node, results, grads), grads)
    if not task.keep:
        node.release()
        node.freed = task.site
    return results


def _of_list(node, results, grads) -> list:
    """PyTorch computes the gradients of a list of tensors (cat, stack) together: hooks see those that nobody needs, too."""
    plan = node.plan
    if plan is None or plan.kernel.row is None or node.saved or None not in node.edges or not any(
            arg.type == "Tensor[]" for arg in plan.kernel.row.schema.args):
        return results
    kernel = plan.kernel
    whole = gradients.plan(kernel, tuple(i for i, flag in enumerate(gradients.differentiable_operands(kernel)) if flag))
    return Node.backward(node.__class__(whole, node.edges, (), node.numbers, node.seq), grads)


def _wanted(task, node, results) -> list:
    """The gradients that lead to what is asked for: PyTorch's own Nodes compute no others, and hooks see none."""
    return [g if edge is not None and edge[0] in task.needed else None for g, edge in zip(results, node.edges, strict=True)]


def in_order(node, buffer) -> list:
    grads = [None] * max(node.n_outputs, max(buffer, default=0) + 1)
    for number, g in buffer.items():
        grads[number] = g
    return grads


def _before(task, node, grads):
    """Tensor hooks, retain_grad, capture, pre-hooks, in PyTorch's order. None if the Node need not run."""
    hooks = node.hooks
    is_leaf = node.__class__ is AccumulateGrad
    wanted = task.captures.get(node) if task.captures is not None else None
    goes_on = wanted is None or (not is_leaf and any(e is not None and e[0] in task.needed for e in node.edges))
    if wanted is not None and goes_on:  # what is captured on the way is the gradient before the hooks
        _capture(task, wanted, grads)
    if is_leaf:
        grads[0] = run_tensor_hooks(node.variable._hooks, grads[0])
    if hooks is not None:
        for number, registered in list(hooks.tensor.items()):
            grads[number] = run_tensor_hooks(registered, grads[number])
        for number, reference in list(hooks.retain.items()):
            x = reference()
            if x is not None and grads[number] is not None:
                _retain(x, grads[number])
    if not goes_on:
        _capture(task, wanted, grads)
        return None
    return run_pre_hooks(node, grads) if hooks is not None and hooks.pre else grads


def _capture(task, wanted, grads) -> None:
    for number, position in wanted.items():
        task.captured[position] = grads[number] if number < len(grads) else None


def _retain(x, g) -> None:
    x._grad = g if x._grad is None else bind(ROWS[_ADD], (x._grad, g), (None,), ())


# -- the public calls

_INSIDE = ("backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
           "functorch.vjp instead or call backward() outside of functorch transforms.")


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None) -> None:
    """`torch.autograd.backward`: https://pytorch.org/docs/stable/generated/torch.autograd.backward.html"""
    if state.thread.frames:
        raise RuntimeError(_INSIDE)
    outs = listed(tensors)
    wanted = None if inputs is None else listed(inputs)
    if wanted is not None and not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots, grads = roots_of(outs, as_tuple(grad_tensors, len(outs)))
    if create_graph:
        errors.warn_once(_CYCLE, 4)
    keep = create_graph if retain_graph is None else retain_graph
    if wanted is None:
        run_backward(roots, grads, keep, create_graph)
        return
    for x in wanted:
        if isinstance(x, Tensor):
            retain_grad(x)
    run_backward(roots, grads, keep, create_graph, targets=set(captures_of(wanted)))


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False) -> tuple:
    """`torch.autograd.grad`: https://pytorch.org/docs/stable/generated/torch.autograd.grad.html

    ``is_grads_batched``: one backward pass for a batch of gradients, under a vmap; with `create_graph` one for each.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but "
                         "got: allow_unused=False.")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    outs, wanted = listed(outputs), listed(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    keep = create_graph if retain_graph is None else retain_graph
    given = as_tuple(grad_outputs, len(outs))
    if is_grads_batched:
        return _batched(outs, wanted, given, keep, create_graph, allow_unused, materialize_grads)
    roots, grads = roots_of(outs, given)
    found = run_backward(roots, grads, keep, create_graph, captures_of(wanted))
    return tuple(_result(i, x, found.get(_position(wanted, i)), allow_unused, materialize_grads, create_graph)
                 for i, x in enumerate(wanted))


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
    count = check_batch(outs, given)
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
