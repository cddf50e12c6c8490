"""`__torch_dispatch__`: operators that classes and modes of users take over, below autograd.

https://pytorch.org/docs/stable/notes/extending.html#extending-torch-native-api

A tensor of a class with ``__torch_dispatch__`` has a WrapperCell, which belongs to no trace and brings a handler; a
TorchDispatchMode is a handler of its thread. Both get operations as ``func(*args, **kwargs)`` of PyTorch's overload, with
gradients switched off; the history of the result is made here, around that. What backward and optimizers compute comes as
kernels, which `dispatch_kernels.py` does as operators.
"""

import threading
import weakref
from collections.abc import Callable
from typing import Any

from torchlike._base import dtypes as dt
from torchlike._base import settings
from torchlike._base.errors import UnsupportedError
from torchlike._modes import dispatch_kernels
from torchlike._modes.dual import flat
from torchlike._ops import dispatcher_names
from torchlike._ops.table import ROWS
from torchlike._record.bind import RunKernel
from torchlike._record.cell import Cell, counter_of, storage_of
from torchlike._record.creation_meta import DEFAULT, MULTI_OUTPUT, NO_GRAD, of_view
from torchlike._record.dispatch import Call, Handler, Operation, observer, removed
from torchlike._record.history import check_usable
from torchlike._record.inplace import Write, check_written, rebase, repair_saved
from torchlike._record.node_factory import nodes
from torchlike._record.site import count_write
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import computed, state
from torchlike._record.tracers import attach_alone
from torchlike._record.views import ViewInfo, detach, mark_stale
from torchlike._record.wrong_calls import check_given

NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"
_MULTIPLE = ("Multiple dispatch failed for '{}'; all __torch_dispatch__ handlers returned NotImplemented:\n{}\n\n"
             "For more information, try re-running with TORCH_LOGS=not_implemented")


class _Supplied:
    """``overload(name)``: PyTorch's overload of a name, which `torchlike.ops` has."""

    overload: Callable[[str], Any]

    def supply(self, overload: Callable[[str], Any]) -> None:
        """From now on overloads come from this function."""
        self.overload = overload


supplied = _Supplied()


class _Local(threading.local):
    off = 0  # how often classes with ``__torch_dispatch__`` are switched off in this thread
    in_formula = False  # whether what is called is a part of PyTorch's gradient
    asked_in_formula = False  # whether that was so when a class or a mode was asked


local = _Local()


class without_dispatch:  # noqa: N801 - used as a function
    """``with``: tensors of classes with ``__torch_dispatch__`` count as what they hold."""

    def __enter__(self):
        local.off += 1

    def __exit__(self, *exception):
        local.off -= 1


# -- cells

class WrapperHandler(Handler):
    """Asks the classes of the operands."""

    sees_all = True

    def handle(self, operation: Operation):
        """What the first class that has an answer makes of the operation."""
        if local.off:
            return operation.with_operands(tuple(_held(x) for x in operation.operands)).run()
        return below_autograd(operation, None)

    def in_place(self, operation: Operation):
        """The first operand, whose class does the write."""
        if local.off:
            operation.with_operands(tuple(_held(x) for x in operation.operands)).run()
            return operation.operands[0]
        return below_autograd(operation, None)

    def write(self, row, self_, out, before) -> None:
        """Write the result of a row, a wrapper, to `self_`, a tensor that is none."""
        below_autograd(Write(ROWS["copy"], (self_, out)), None)


class WrapperCell(Cell):
    """Of a tensor whose class has ``__torch_dispatch__``.

    ``inner``: the Tensor that has the memory, None of a wrapper; ``owner``: a weak reference to the tensor; the rest is what
    a Storage has.
    """

    __slots__ = ("inference", "inner", "owner", "version", "views", "written")
    handler = WrapperHandler()

    def __init__(self, aval, owner, inner=None):
        self.trace, self.slot, self.aval = None, -1, aval
        self.owner: Any = weakref.ref(owner)
        self.inner = inner
        self.version, self.inference, self.views = 0, False, None

    @property
    def array(self):
        """The values of its memory, None where it has none."""
        return None if self.inner is None else computed(self.inner._cell)

    def rewrapped(self) -> Tensor:
        """The tensor of this cell."""
        return self.owner()


class SavedResult(Cell):
    """What a Node keeps of its own result, whose cell is `of`: the detached `tensor`, which is detached again when it is
    read, as in PyTorch."""

    __slots__ = ("of", "tensor")
    handler = WrapperCell.handler

    def __init__(self, of, tensor):
        self.of, self.tensor = of, tensor
        self.trace, self.slot, self.aval = None, -1, of.aval

    version = property(lambda self: self.of.version)

    def rewrapped(self) -> Tensor:
        """A tensor without history."""
        return detach(self.tensor) if self.tensor._cell.aval.dtype.category >= dt.FLOAT else self.tensor


def is_wrapper(x) -> bool:
    """Whether a Tensor is of a class with ``__torch_dispatch__``."""
    return x._cell.__class__ is WrapperCell


def _held(x):
    """What an operand holds."""
    if isinstance(x, tuple):
        return tuple(_held(y) for y in x)
    if isinstance(x, Tensor) and is_wrapper(x):
        if x._cell.inner is None:
            raise RuntimeError(NO_STORAGE)
        return x._cell.inner
    return x


# -- who is asked

class ModeHandler(Handler):
    """A TorchDispatchMode of its thread, below all that is no such mode."""

    precedence = -1
    sees_all = True

    def __init__(self, mode):
        self.mode = mode

    def handle(self, operation: Operation):
        """What the mode makes of the operation."""
        return below_autograd(operation, self)


def _innermost() -> ModeHandler | None:
    found = observer()
    return found if isinstance(found, ModeHandler) else None


def takers(values) -> list:
    """The tensors among arguments whose classes are asked: one of each class, a subclass before its bases."""
    found: list = []
    for x in values:
        if isinstance(x, list | tuple):
            more = takers(x)
        elif isinstance(x, dict):
            more = takers(x.values())
        else:
            more = [x] if isinstance(x, Tensor) and is_wrapper(x) else []
        for each in more:
            kind = type(each)
            if not any(type(other) is kind for other in found):
                place = next((i for i, other in enumerate(found) if issubclass(kind, type(other))), len(found))
                found.insert(place, each)
    return found


def are_asked(values) -> bool:
    """Whether a mode, or a class of the values, is asked what it makes of operators."""
    return not local.off and (_innermost() is not None or bool(takers(values)))


def ask_all(func, args: tuple, kwargs: dict):
    """What the modes, or the classes of the arguments, make of a call of an overload."""
    return ask(func, args, kwargs, _innermost())


def _answer(func, taker, kind: type, kinds: tuple, args: tuple, kwargs: dict):
    """What a mode or a class makes of a call of an overload: by its own rule, or by what `torch.library` was told."""
    rule = func.dispatch_rules.get(kind)
    return taker.__torch_dispatch__(func, kinds, args, kwargs) if rule is None else rule(taker, func, kinds, args, kwargs)


def ask(func, args: tuple, kwargs: dict, asked: ModeHandler | None):
    """What the mode `asked`, those around it, or the classes of the arguments make of a call of an overload."""
    check_given(args)
    found = takers((args, kwargs))
    kinds = tuple(type(x) for x in found)
    thread = state.thread
    before, thread.grad = thread.grad, False
    outside = local.in_formula, local.asked_in_formula
    local.in_formula, local.asked_in_formula = False, local.in_formula
    try:
        result = NotImplemented
        if asked is not None:
            with removed(asked):
                result = _answer(func, asked.mode, type(asked.mode), kinds, args, kwargs)
                if result is NotImplemented:
                    outer = _innermost()
                    return func(*args, **kwargs) if outer is None and not found else ask(func, args, kwargs, outer)
        for x in found:
            if result is not NotImplemented:
                break
            result = _answer(func, type(x), type(x), kinds, args, kwargs)
    finally:
        thread.grad = before
        local.in_formula, local.asked_in_formula = outside
    if result is NotImplemented:
        raise TypeError(_MULTIPLE.format(f"torch._ops.{func}", "".join(f"\n  - tensor subclass {kind}" for kind in kinds)))
    return result


def seed(x) -> Tensor | None:
    """Ones like `x`, to start a backward pass from, where a class or a mode sees them being made; else None."""
    if not x.requires_grad or x._cell.aval.numel != 1:
        return None
    return made_like("ones_like.default", x, pin_memory=False, memory_format=settings.preserve_format)


def lifted(x: Tensor) -> Tensor:
    """A tensor that was made of Python's numbers, as a mode has it."""
    asked = _innermost()
    return x if asked is None else ask(supplied.overload("lift_fresh.default"), (x,), {}, asked)


def made_like(name: str, x: Tensor, *args, **options) -> Tensor | None:
    """What a class or a mode makes of a function that makes a tensor like `x`; None where none is asked.

    Args:
        name: that of the overload.
        x: its first argument.
        args: the others.
        options: its keyword arguments; those that are None are left out.
    """
    asked = _innermost()
    if (asked is None and not is_wrapper(x)) or local.off:
        return None
    given = {word: value for word, value in options.items() if value is not None}
    return ask(supplied.overload(name), (x, *args), given, asked)


# -- operations

def below_autograd(operation: Operation, asked: ModeHandler | None):
    """The result of an operation that a mode, or the classes of its operands, do; its history is PyTorch's."""
    if isinstance(operation, RunKernel):
        before, local.in_formula = local.in_formula, True
        try:
            return dispatch_kernels.run(operation, lambda func, args: ask(func, args, {}, asked), _call)
        finally:
            local.in_formula = before
    if operation.in_place:
        return _write(operation, asked)
    if operation.row is not None and operation.row.ours and asked is not None:
        with removed(asked):  # PyTorch has no such operator
            return operation.run()
    func = _overload_of(operation)
    result = ask(func, operation.args, operation.kwargs, asked)
    if isinstance(operation, Call):
        return result
    outs = list(result) if isinstance(result, tuple | list) else [result]
    if operation.row is None:
        return result
    if operation.is_view:
        for out in outs:
            _make_view(out, operation.operands[0], MULTI_OUTPUT if len(outs) > 1 else DEFAULT)
    if state.thread.grad and operation.row.grads and any(x._edge is not None for x in flat(operation.operands)):
        check_usable(operation.operands)
        _attach(operation, outs)
    return tuple(result) if isinstance(result, list) else result


def _overload_of(operation):
    name = operation.name
    return supplied.overload(dispatcher_names.in_cpp(name, operation.operands) if local.in_formula else name)


def _call(name, *args, **kwargs):
    return supplied.overload(name)(*args, **kwargs)


def _make_view(out, of, meta) -> None:
    """What a class or a mode gave as a view of a tensor is one."""
    if out is of:
        return
    info = of._view
    meta = meta if state.thread.grad else NO_GRAD
    out._view = ViewInfo(of if info is None else info.base, meta if info is None else of_view(info.meta, meta),
                         out._cell.version)
    if state.thread.grad:
        out._edge = None
    if not is_wrapper(out):
        out._cell.owner = weakref.ref(out)


def _attach(operation, outs) -> None:
    kernel, avals, tensors, given = operation.kernel()
    if len(kernel.outs) != len(outs) or not all(isinstance(out, Tensor) for out in outs):
        raise UnsupportedError(f"the gradient of {operation.name} whose results __torch_dispatch__ changes in number")
    attach_alone(kernel, avals, tensors, given, outs)
    node = next((out._edge[0] for out in outs if out._edge is not None), None)
    if node is not None and node.saved:
        node.saved = _with_detached(node, outs)


def _with_detached(node, outs) -> list:
    """The saved list with results detached, by a call that classes and modes see."""
    kept, start = list(node.saved), 2 * len(node.plan.save_ins)
    for k, i in enumerate(node.plan.save_outs):
        if isinstance(kept[start + 2 * k], Cell):
            tensor = outs[i] if outs[i]._edge is None else _detached(outs[i])
            kept[start + 2 * k:start + 2 * k + 2] = SavedResult(outs[i]._cell, tensor), outs[i]._cell.version
    return kept


def _detached(x) -> Tensor:
    """`x` without history, for a Node that made it."""
    thread = state.thread
    before, thread.grad = thread.grad, False
    try:
        return detach(x)
    finally:
        thread.grad = before


def _write(operation, asked) -> Tensor:
    """A row in place: the write is that of the class or mode, its history is made here."""
    row, operands, self = operation.row, operation.operands, operation.operands[0]
    check_written(row, operands)
    node, old = None, None
    if state.thread.grad and row.grads and any(x._edge is not None for x in flat(operands)):
        node, old = _node_of_write(operation)
    ask(_overload_of(operation), operation.args, operation.kwargs, asked)
    if is_wrapper(self):
        count_write(self._cell, node)
    if node is not None:
        repair_saved(node, self, old)
        if node.plan.save_outs:
            node.saved = _with_detached(node, [self])
        rebase(self, node)
        mark_stale(storage_of(self._cell), counter_of(self._cell))
    return self


def _node_of_write(operation) -> tuple:
    """(the Node of a write that is about to be made, a copy of what it overwrites if it needs that)."""
    self = operation.operands[0]
    if is_wrapper(self) and self._view is not None:
        raise UnsupportedError("writing with history to a view of a tensor with __torch_dispatch__")
    stand_in = wrap(self._cell)
    kernel, avals, tensors, given = operation.kernel()
    attach_alone(kernel, avals, tensors, given, [stand_in])
    if stand_in._edge is None:
        return None, None
    node = stand_in._edge[0]
    narrowed = kernel.outs[0].dtype is not self._cell.aval.dtype
    nodes.in_place(node, operation.row, narrowed)
    kept = node.saved and 0 in node.plan.save_ins and node.saved[0] is self
    return node, (_copied(self) if kept else None)


def _copied(x) -> Tensor:
    """A copy of the present value, with the history that `x` has now."""
    thread = state.thread
    before, thread.grad = thread.grad, False
    try:
        copy = x.clone()
    finally:
        thread.grad = before
    copy._edge = x._edge
    return copy
