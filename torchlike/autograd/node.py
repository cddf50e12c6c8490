"""Nodes of the autograd graph: one for each recorded operation whose results require grad.

The recorder makes them, see `torchlike/_record/node_factory.py`; the walk over them is in `graph_task.py`. Nodes whose
backward is more than the instruction of their kernel are in `special_nodes.py`, those of leaves in `accumulate.py`,
those of custom Functions in `_function/node.py`.
"""

import re
import weakref
from sys import _getframe

from torchlike._base import errors
from torchlike._compile import gradients
from torchlike._ops.table import ROWS, node_name
from torchlike._record import site as sites
from torchlike._record.bind import bind, bind_kernel
from torchlike._record.layout import check_broadcast
from torchlike._record.saved import (
    DETACHED,
    Packed,
    by_name,
    changed,
    first_changed,
    happened,
    results_by_name,
    rewrapped,
    was_detached,
)
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.thread import SEQUENCE
from torchlike._record.trace import state
from torchlike.autograd.handles import RemovableHandle, add_hook
from torchlike.autograd.hooks import NodeHooks
from torchlike.autograd.saved_attributes import saved_attribute

_CLASSES: dict = {}
_OF_ENGINE = ("AccumulateGrad", "CopyBackwards", "CopySlices", "NotImplemented")  # not made from formulas in PyTorch


class Node:
    """The operation that made a tensor, as the backward pass sees it (a tensor's ``grad_fn``).
    https://pytorch.org/docs/stable/autograd.html#torch.autograd.graph.Node

    ``hooks`` is None or a `NodeHooks`. ``site``: the line of the user's program that made it, see `_record/site.py`;
    ``freed``: that of the backward call that freed it. ``within``, set only where a result is saved: the `CopySlices` of
    which this Node is the ``fn``, weakly.

    Args:
        plan: which gradients the operation has and what they need, see `_compile/gradients.py`.
        edges: for each array operand None or (Node, output number).
        saved: see `_record/saved.py`; None once freed.
        numbers: the Python numbers of the operation.
        seq: the larger, the earlier in backward.
        child, token: the instruction in the prefix tree and the trace it was recorded in, if it was recorded.
    """

    __slots__ = ("__weakref__", "_metadata", "child", "edges", "freed", "hooks", "numbers", "plan", "saved", "seq",
                 "site", "token", "within")
    replayable = True  # its backward is its kernel's instruction and nothing else
    wants_undefined = False  # whether it runs even where no gradient has arrived
    is_leaf = False

    def __init__(self, plan, edges, saved, numbers, seq, child=None, token=None):
        self.plan = plan
        self.edges = edges
        self.saved = saved
        self.numbers = numbers
        self.seq = seq
        self.child = child
        self.token = token
        self.hooks = None
        if child is None:
            self.site = sites.here()
            return
        try:
            frame = _getframe(child.frames)  # where the user's frame was the last time: a look, not a walk
        except ValueError:
            self.site = child.site = sites.at_instruction(child)
            return
        code = frame.f_code
        self.site = child.site = (code, frame.f_lasti) if code is child.code else sites.at_instruction(child)

    # -- what users see

    def __repr__(self):
        return f"<{self.__class__.__name__} object at {id(self):#x}>"

    def __getattr__(self, name):
        return saved_attribute(self, name)

    def __call__(self, *grads):
        """The Node's own function of the gradients of its results, without hooks.

        Args:
            *grads: a Tensor or None for each result.

        Returns:
            The gradient of the input, or a tuple of them; None for an input that needs none.

        Raises:
            TypeError: another number of arguments than the operation has results, or one that is no Tensor.
        """
        if len(grads) != self.n_outputs:
            raise TypeError(f"expected {self.n_outputs} arguments, got {len(grads)} instead")
        for i, g in enumerate(grads):
            if g is not None and not isinstance(g, Tensor):
                raise TypeError(f"argument {i} is not a Variable")
        results = self.backward(list(grads))
        found = tuple(None if i is None else results[i] for i in self.result_places(results))
        return found[0] if len(found) == 1 else found

    def name(self) -> str:
        """The class name, as PyTorch gives it.
        https://pytorch.org/docs/stable/generated/torch.autograd.graph.Node.name.html"""
        name = self.__class__.__name__
        return f"torch::autograd::{name}" if name in _OF_ENGINE else name

    @property
    def next_functions(self) -> tuple:
        """For each differentiable input (Node, output number), or (None, 0).
        https://pytorch.org/docs/stable/generated/torch.autograd.graph.Node.next_functions.html"""
        edges = [None if i is None else self.edges[i] for i in gradients.places(self.plan.kernel)]
        return tuple((None, 0) if edge is None else (edge[0].public, edge[1]) for edge in edges)

    @property
    def metadata(self) -> dict:
        """A dictionary for the user's own notes.
        https://pytorch.org/docs/stable/generated/torch.autograd.graph.Node.metadata.html"""
        try:
            return self._metadata
        except AttributeError:
            self._metadata = {}
            return self._metadata

    def register_hook(self, fn) -> RemovableHandle:
        """Call a function each time this Node has run.
        https://pytorch.org/docs/stable/generated/torch.autograd.graph.Node.register_hook.html

        Args:
            fn: ``fn(grad_inputs, grad_outputs) -> tuple or None``; a tuple takes the place of `grad_inputs`, the
                gradients that the Node has computed.

        Returns:
            The handle that removes the hook.
        """
        return add_hook(self.own_hooks().post, fn)

    def register_prehook(self, fn) -> RemovableHandle:
        """Call a function each time before this Node runs.
        https://pytorch.org/docs/stable/generated/torch.autograd.graph.Node.register_prehook.html

        Args:
            fn: ``fn(grad_outputs) -> tuple or None``; a tuple takes the place of the gradients that have arrived.

        Returns:
            The handle that removes the hook.
        """
        return add_hook(self.own_hooks().pre, fn)

    @property
    def public(self):
        """What users see of this Node: itself; for a custom Function its ctx."""
        return self

    def _node(self):
        """The engine's Node of what users see: the inverse of `public`."""
        return self

    def _sequence_nr(self) -> int:
        return self.seq

    @property
    def _input_metadata(self) -> tuple:
        """Shape, dtype and device of each gradient that arrives here."""
        return tuple(self.output_aval(i) for i in range(self.n_outputs))

    # -- its form

    @property
    def n_outputs(self) -> int:
        """How many results the operation has."""
        return len(self.plan.kernel.outs)

    def output_aval(self, i):
        """The form of a result, which its gradient must have.

        Args:
            i: the number of the result.

        Returns:
            Its Aval: shape, dtype and device.
        """
        return self.plan.kernel.outs[i]

    def in_order(self, buffer: dict) -> list:
        """The gradients of its results as a list.

        Args:
            buffer: {output number: gradient}.

        Returns:
            A list with a gradient or None for each result.
        """
        grads = [None] * max(self.n_outputs, max(buffer, default=0) + 1)
        for number, g in buffer.items():
            grads[number] = g
        return grads

    def result_places(self, results):
        """Which of the gradients of its operands PyTorch counts, in order.

        Args:
            results: a list with the gradient of each operand, or None.

        Returns:
            Positions in this list; None for one that we do not have.
        """
        return gradients.places(self.plan.kernel)

    def arriving(self, grads):
        """Which of the results can have a gradient: hooks see no others.

        Args:
            grads: a list with the gradient of each result, or None.

        Returns:
            Positions in this list.
        """
        return self.plan.differentiable if self.plan is not None and len(grads) > 1 else range(len(grads))

    def short_name(self) -> str:
        """How error texts name it: ``MulBackward0`` is ``Mul``."""
        return re.sub(r"Backward0?(?=\d*$)", "", self.name())

    def rename(self, name: str) -> None:
        """Makes it of another class: PyTorch has a formula of its own for what was done.

        Args:
            name: that of the class.
        """
        self.__class__ = node_class(name)  # pyrefly: ignore[bad-argument-type] - a subclass

    def made_from(self, view) -> bool:
        """Whether this is a write (a `CopySlices`) that a view has its values from.

        Args:
            view: the tensor.

        Returns:
            A bool.
        """
        return False

    # -- hooks

    def own_hooks(self) -> NodeHooks:
        """Its hooks, made on first use."""
        if self.hooks is None:
            self.hooks = NodeHooks()
        return self.hooks

    def retain_grad_of(self, x, number=0) -> None:
        """Lets backward fill ``.grad`` of a result.

        Args:
            x: the Tensor.
            number: which result it is.
        """
        self.own_hooks().retain[number] = weakref.ref(x)

    def take_retained(self, old, number) -> None:
        """Lets a tensor that was the result of another Node and is now that of this one go on retaining grad.

        Args:
            old: the other Node.
            number: which of its results the tensor was.
        """
        if old.hooks is not None and number in old.hooks.retain:
            self.own_hooks().retain[0] = old.hooks.retain.pop(number)

    # -- the backward pass

    def backward(self, grads) -> list:
        """The gradients of the operands: those that pass through, and those that a kernel computes.

        Args:
            grads: a list with the gradient of each result, or None. It may be shorter: the rest are None.

        Returns:
            For each edge its gradient, or None.

        Raises:
            RuntimeError: what it saved has been freed, or was written to.
        """
        plan, kept = self.plan, self.saved  # read once: another thread may free it meanwhile
        if kept is None:
            raise RuntimeError(errors.FREED)
        defined = tuple([i for i, g in enumerate(grads) if g is not None])
        out = [None] * len(self.edges)
        if not defined:
            return out
        route = plan.route(defined)
        for i in route.same:
            out[i] = grads[0]
        kernel = route.kernel
        if kernel is not None:
            operands = [grads[i] for i in defined]
            if kept:
                operands += self.unpack() if kept[0].__class__ is not Packed else _unpack_packed(self)
            for each, targets in route.apart if state.thread.grad else ((kernel, route.targets),):
                for i, g in zip(targets, bind_kernel(each, operands, self.numbers), strict=True):
                    out[i] = g
        return out

    def unpack(self) -> list:
        """The saved tensors: operands, then results.

        Raises:
            RuntimeError: they have been freed, or one was written to or detached in place since.
        """
        kept, plan = self.saved, self.plan
        if kept is None:
            raise RuntimeError(errors.FREED)
        n, found = 2 * len(plan.save_ins), []
        hooked = self._get_packed() if n > 2 and kept[0].__class__ is Packed else {}
        for i in range(0, n, 2):
            x, version = kept[i], kept[i + 1]
            if x.__class__ is Packed:
                found.append(hooked[i] if i in hooked else x.get())
                continue
            if x._cell.version != version:
                raise first_changed(self)
            if happened.detached and was_detached(self, i, x):
                raise RuntimeError(DETACHED)
            found.append(x)
        outs = plan.save_outs
        if len(outs) > 1:
            return found + self._unpack_results(kept, n)
        return [*found, self._unpack_result(kept[n], kept[n + 1], outs[0])] if outs else found

    def _get_packed(self) -> dict:
        """{place in what is saved: operand}, by the user's hooks, which are called in PyTorch's order."""
        places = {i: 2 * k for k, i in enumerate(self.plan.save_ins)}
        return {places[i]: self.saved[places[i]].get() for i in by_name(self.plan)
                if self.saved[places[i]].__class__ is Packed}

    def _unpack_results(self, kept, start) -> list:
        """Several results, see `_get_packed`: most Nodes save one at most, and look up nothing."""
        places = {i: start + 2 * k for k, i in enumerate(self.plan.save_outs)}
        found = {i: self._unpack_result(kept[places[i]], kept[places[i] + 1], i) for i in results_by_name(self.plan)}
        return [found[i] for i in self.plan.save_outs]

    def _unpack_result(self, cell, version, i) -> Tensor:
        edge = self._edge_of_result(i) if i in self.plan.differentiable else None
        if cell.__class__ is Packed:
            made = wrap(cell.get()._cell)
        elif cell.version != version:
            raise changed(cell, version, edge)
        else:
            made = rewrapped(cell)
        made._edge = edge
        return made

    def _edge_of_result(self, i) -> tuple:
        """The Node itself; of a write to a view that of the view, as long as somebody holds it."""
        within = getattr(self, "within", None)
        written = None if within is None else within()
        return (None if written is None else written.result_edge()) or (self, i)

    def release(self) -> None:
        """Free what it saved (it keeps its place in the graph, as in PyTorch)."""
        plan = self.plan
        if plan is not None and (self.saved or plan.save_numbers):
            self.saved = None


class FreeNode(Node):
    """A Node that stands for no kernel.

    Args:
        edges: as for `Node`.
        avals: those of its results, None for one that is no tensor.
    """

    __slots__ = ("avals",)
    replayable = False

    def __init__(self, edges, avals):
        Node.__init__(self, None, edges, (), (), next(SEQUENCE))
        self.avals = avals

    @property
    def n_outputs(self) -> int:
        return len(self.avals)

    @property
    def next_functions(self) -> tuple:
        return tuple((None, 0) if edge is None else (edge[0].public, edge[1]) for edge in self.edges)

    def output_aval(self, i):
        return self.avals[i]

    def result_places(self, results):
        return range(len(results))


def _unpack_packed(node: Node) -> list:
    """The saved tensors as their unpack hooks give them, which need not be what was packed."""
    plan, found = node.plan, node.unpack()
    kernel = plan.kernel
    avals = [*(kernel.ins[i] for i in plan.save_ins), *(kernel.outs[i] for i in plan.save_outs)]
    for i, (x, aval) in enumerate(zip(found, avals, strict=True)):
        mine = x._cell.aval
        if mine.dtype is not aval.dtype:
            found[i] = x = bind(ROWS["_to_copy"], (x,), (), (aval.dtype,))
        if mine.shape != aval.shape:
            check_broadcast((aval, mine))
            raise RuntimeError(f"a saved tensor of shape {list(aval.shape)} was unpacked with shape "
                               f"{list(mine.shape)}")
    return found


def node_class(name: str) -> type[Node]:
    """The Node class of a name; one class a name, so that types compare.

    Args:
        name: the name.

    Returns:
        The class.
    """
    found = _CLASSES.get(name)
    if found is None:
        found = _CLASSES[name] = type(name, (Node,), {"__slots__": (), "__module__": "torch.autograd.graph"})
    return found


def class_of(kernel) -> type[Node]:
    """The Node class for a kernel: PyTorch's name for a row, and X -> XBackward0 for its backward.

    Args:
        kernel: the kernel.

    Returns:
        The class.
    """
    row = kernel.row
    if row is None:
        return node_class(node_name(kernel.name))
    name = row.node(dict(zip(row.params, kernel.spec[1], strict=True))) if callable(row.node) else row.node
    return node_class(name)
