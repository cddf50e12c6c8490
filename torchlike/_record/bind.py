"""`bind`: the one place where an operation is recorded.

The steps: operands become slots of the running trace; one look-up finds the instruction in the
prefix tree (`miss` makes it); a new Tensor holds the result's slot; a Node joins the graph if a
gradient can flow. The short forms for one and two operands do the same with less.
"""

from typing import Any

import numpy as np

from torchlike._base.errors import NotANumberError, different_devices
from torchlike._compile import avals
from torchlike._compile.backends.registry import backend_of
from torchlike._ops.argument_kinds import check_kinds, has_other_kinds
from torchlike._record import tree
from torchlike._record.cell import Storage
from torchlike._record.deferred_checks import expect_no_zero
from torchlike._record.dispatch import Operation, dispatch, observer, trace_for
from torchlike._record.history import attach, attach_one, attach_two, check_usable
from torchlike._record.layout import (
    BROADCAST,
    call,
    check_broadcast,
    device_of,
    divisor_of,
    kernel_of,
    of_gradients,
    ranges_of,
)
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.torch_function import activate, handle, local, look_for_classes, public_of, takers
from torchlike._record.trace import NotHere, computed, relieve, state
from torchlike._record.wrong_calls import check_call, instead_of

_new = object.__new__
_EXACT = 1 << 53  # larger ints do not survive in float64
_NUMBERS = (float, int, bool, complex)


# -- the short forms

def unary(row):
    """The face of a row with one tensor; its numbers have their defaults."""
    numbers = (None,) * len(row.numbers)

    def face(self):
        t = state.open
        if t is None:
            t = trace_for(row)
            if t is None:
                return bind(row, (self,), numbers, ())
        try:
            c = self._cell
            s = c.slot if c.trace is t else t.enter(c)
            child = t.node.get((row, s))
        except (AttributeError, NotHere):
            return bind(row, (self,), numbers, ())
        if child is None:
            child = miss(t, (row, s), row, (self,), numbers, ())
        values, slot = t.values, child.first
        if len(values) != slot:
            t.mend()
        oc = Storage(t, slot, child.out)
        out = _new(Tensor)
        out._cell = oc
        values.append(oc)
        t.node = child
        if self._edge is not None and t.thread.grad:
            attach_one(t, child, out, self, ())
        elif t.thread.inference:
            oc.inference = True
        if child.over:
            look_after(t, child)
        return out

    return face


def binary(row):
    """The face of a row with two tensors, or a tensor and a number."""
    numbers = (None,) * len(row.numbers)

    def face(self, other):
        kind = other.__class__
        if kind is float or kind is int:
            return scalar(self, other, kind)
        t = state.open
        if t is None:
            t = trace_for(row)
            if t is None:
                return bind(row, (self, other), numbers, ())
        try:
            c = self._cell
            d = other._cell
            s = c.slot if c.trace is t else t.enter(c)
            r = d.slot if d.trace is t else t.enter(d)
            child = t.node.get((row, s, r))
        except (AttributeError, NotHere):
            return bind(row, (self, other), numbers, ())
        if child is None:
            child = miss(t, (row, s, r), row, (self, other), numbers, ())
        values, slot = t.values, child.first
        if len(values) != slot:
            t.mend()
        oc = Storage(t, slot, child.out)
        out = _new(Tensor)
        out._cell = oc
        values.append(oc)
        t.node = child
        if (self._edge is not None or other._edge is not None) and t.thread.grad:
            attach_two(t, child, out, self, other)
        elif t.thread.inference:
            oc.inference = True
        if child.over:
            look_after(t, child)
        return out

    def scalar(self, other, kind):
        t = state.open
        if t is None:
            t = trace_for(row)
            if t is None:
                return bind(row, (self, other), numbers, ())
        try:
            c = self._cell
            s = c.slot if c.trace is t else t.enter(c)
            child = t.node.get((row, s, kind))
        except (AttributeError, NotHere):
            return bind(row, (self, other), numbers, ())
        if child is None:
            if kind is int and not -_EXACT < other < _EXACT:
                return bind(row, (self, other), numbers, ())
            child = miss(t, (row, s, kind), row, (self, other), numbers, ())
        if child.item.constants[0] != other:
            if kind is int and not -_EXACT < other < _EXACT:
                return bind(row, (self, other), numbers, ())
            tree.number_changed(child, 0, other)
        values, slot = t.values, child.first
        if len(values) != slot:
            t.mend()
        oc = Storage(t, slot, child.out)
        out = _new(Tensor)
        out._cell = oc
        values.append(oc)
        t.numbers.append(other)
        t.node = child
        if self._edge is not None and t.thread.grad:
            attach_one(t, child, out, self, (other,))
        elif t.thread.inference:
            oc.inference = True
        if child.over:
            look_after(t, child)
        return out

    return face


# -- the general form

def bind(row, operands, numbers=(), params=()) -> Any:
    """Record `row`. Operands: Tensors, numbers, None, tuples of Tensors or None; `numbers` in the
    order of ``row.numbers``; `params` hashable, in the order of ``row.params``.

    Returns a Tensor, or a tuple of Tensors where the row has several results.
    """
    t = state.open
    if t is None:
        t = trace_for(row)
        if t is None:
            return dispatch(Apply(row, operands, numbers, params))
    try:
        tokens, tensors, given = _tokens(t, operands, numbers)
        key = (row, params, *tokens)
        child = t.node.get(key)
        if child is None:
            child = miss(t, key, row, operands, numbers, params)
    except NotHere as elsewhere:
        return elsewhere.take(Apply(row, operands, numbers, params))
    except (AttributeError, TypeError) as error:  # of what is no tensor; of a parameter without a hash
        if not isinstance(error, NotANumberError):
            raise instead_of(error) from None
        if any(isinstance(x, Tensor) for x in (*numbers, *params)):
            return bind(row, operands, tuple(number_of(x) for x in numbers), tuple(number_of(x) for x in params))
        found = () if local.classes_off or local.all_off else takers(operands)
        if found:
            activate()  # the first of a class that is no subclass of Tensor: from now on the public functions look for such
        public = public_of(row.face) if found else None
        if public is None:
            raise instead_of(error) from None
        return _taken_over(public, found, row, operands, numbers, params)
    return finish(t, child, tensors, given)


def _taken_over(public, found, row, operands, numbers, params):
    """What the class of one of the operands makes of the call."""
    values = {**dict(zip(row.operands, operands, strict=True)), **dict(zip(row.numbers, numbers, strict=True)),
              **dict(zip(row.params, params, strict=True))}
    args = tuple(values.pop(name) for name in row.operands)
    return handle(public, found, args, {name: value for name, value in values.items() if value is not None})


class Apply(Operation):
    """A row on its operands: what `bind` records."""

    __slots__ = ()

    def run(self):
        """A Tensor, or a tuple of Tensors where the row has several results."""
        return bind(self.row, self.operands, self.numbers, self.params)

    def kernel(self) -> tuple:
        """See `Operation.kernel`."""
        row, params = self.row, self.params
        spec, tensors, kinds, given = describe(self.operands, self.numbers)
        check_kinds(row, spec[:len(self.operands)])
        ins = tuple(x._cell.aval for x in tensors)
        if row.layout in BROADCAST:
            check_broadcast(ins)
        kernel, outs = kernel_of(row, spec, ins, kinds, params, device_of(ins, params))
        if row.fits:
            ranges_of(row, spec, outs, given)
        return kernel, outs, tensors, given

    def on_one_device(self) -> Operation:
        """A CPU scalar may meet GPU tensors; anything else on two devices is an error."""
        return self.with_operands(_same_device(self.operands))


def finish(t, child, tensors, given):
    """Results and history of the instruction `child` of these tensors and numbers."""
    if given:
        check_numbers(child, given)
    values, slot, outs = t.values, child.first, []
    if len(values) != slot:
        t.mend()
    for aval in child.outs:
        out = _new(Tensor)
        out._cell = Storage(t, slot, aval)
        outs.append(out)
        slot += 1
    if len(outs) == 1:
        values.append(outs[0]._cell)
    else:
        values += [out._cell for out in outs]
    if given:
        t.numbers += given
    t.node = child
    if t.thread.grad:
        for x in tensors:
            if x._edge is not None:
                attach(t, child, outs, tensors, given)
                break
    elif t.thread.inference:
        for out in outs:
            out._cell.inference = True
    if child.over:
        look_after(t, child)
    return outs[0] if len(outs) == 1 else tuple(outs)


def look_after(t, child) -> None:
    """What there is to do now that this instruction is recorded."""
    if child.over & tree.DIVIDES:
        expect_no_zero(t, child.item.divisor)
    if child.over & tree.LONG:
        relieve(t)


def check_numbers(child, given) -> None:
    """A number that differs from the first one seen here becomes a runtime input."""
    constants = child.item.constants
    if constants != given:
        for i, (old, new) in enumerate(zip(constants, given, strict=True)):
            if old != new:
                tree.number_changed(child, i, new)


def _tokens(t, operands, numbers):
    """What identifies the operands in the tree; the tensors among them, flat; the numbers, flat."""
    tokens, tensors, given = [], [], []
    for x in operands:
        if isinstance(x, Tensor):
            c = x._cell
            tokens.append(c.slot if c.trace is t else t.enter(c))
            tensors.append(x)
        elif x is None:
            tokens.append(None)
        elif isinstance(x, tuple):
            tokens.append(tuple(None if y is None else t.enter(y._cell) for y in x))
            tensors.extend(y for y in x if y is not None)
        else:
            tokens.append(_number_token(x, given))
    for x in numbers:
        tokens.append(None if x is None else _number_token(x, given))
    return tokens, tensors, tuple(given)


def _number_token(x, given):
    """The type of a number, or (type, value) where the value cannot travel as a float64."""
    kind = x.__class__
    if kind not in _NUMBERS:
        return _number_token(as_number(x), given)
    given.append(x)
    if kind is float or (kind is int and -_EXACT < x < _EXACT):
        return kind
    if kind is int and not -2**63 <= x < 2**63:
        raise OverflowError("int too big to convert")
    return (kind, x)


def number_of(x):
    """What is given for a number: a tensor without dimensions that requires no grad is its value, as for PyTorch's parser;
    TypeError for another tensor, anything else as it is."""
    if not isinstance(x, Tensor):
        return x
    if x.dim() or x.requires_grad:
        raise instead_of(NotANumberError(f"expected Tensor or number, not {type(x).__name__}"))
    return x.item()


def as_number(x):
    """A numpy scalar, too, as a Python number, a bool as a float, as in PyTorch; NotANumberError for anything else."""
    for kind in (bool, int, float, complex):
        if isinstance(x, kind):
            return kind(x)  # pyrefly: ignore[bad-argument-type] - it is of this kind
    if not isinstance(x, np.generic):
        raise NotANumberError(f"expected Tensor or number, not {type(x).__name__}")
    return float(x) if isinstance(x, np.bool_) else x.item()


def describe(operands, numbers):
    """(spec, tensors, types of the numbers, numbers): see `kernels.of_row`."""
    spec, tensors, kinds, constants = [], [], [], []
    for x in (*operands, *(as_number(x) if isinstance(x, Tensor) else x for x in numbers)):
        if isinstance(x, Tensor):
            spec.append("a")
            tensors.append(x)
        elif x is None:
            spec.append(None)
        elif isinstance(x, tuple):
            spec.append(tuple(y is not None for y in x))
            tensors.extend(y for y in x if y is not None)
        else:
            x = x if x.__class__ in _NUMBERS else as_number(x)
            spec.append(x.__class__)
            kinds.append(x.__class__)
            constants.append(x)
    return tuple(spec), tensors, tuple(kinds), tuple(constants)


def miss(t, key, row, operands, numbers, params):
    """The instruction is new here: find its kernel, which checks shapes and dtypes, and keep it."""
    try:
        return _instruction(t, key, row, operands, numbers, params)
    except NotHere:
        raise
    except Exception as error:  # noqa: BLE001 - any may come of wrong arguments
        raise instead_of(error) from None


def _instruction(t, key, row, operands, numbers, params):
    look_for_classes()
    spec, tensors, kinds, constants = describe(operands, numbers)
    check_kinds(row, spec[:len(operands)])
    if has_other_kinds(row, params):
        check_call()
    if any(isinstance(x, Tensor) for x in params):
        raise NotANumberError("expected a number")  # `bind` takes the value of the tensor
    ins = tuple(x._cell.aval for x in tensors)
    if t.thread.grad and row.grads and not any(map(_is_without_gradient, params)):
        check_usable(tensors)
    if row.layout in BROADCAST:
        check_broadcast(ins)
    device = device_of(ins, params)
    if not ins:
        t.check_device(device)
    kernel, outs = kernel_of(row, spec, ins, kinds, params, device)
    ranges = ranges_of(row, spec, outs, constants) if row.fits else ()
    slots = _slots_in(key, spec[:len(operands)])
    return tree.add(t.node, key, call(kernel, slots, constants, ranges, divisor_of(row, spec, slots, outs)), outs)


def _is_without_gradient(param) -> bool:
    """Whether it is the dtype of results that have none."""
    return isinstance(param, avals.dt.dtype) and param.category < avals.dt.FLOAT


def _slots_in(key, spec) -> tuple:
    """Where the tensors are, by the tokens of the operands: they may be elsewhere by now if another thread has them, too."""
    slots: list = []
    tokens = key[2:] if key[1].__class__ is tuple else key[1:]  # behind the parameters, or in a short form
    for kind, token in zip(spec, tokens, strict=False):
        if kind == "a":
            slots.append(token)
        elif kind.__class__ is tuple:
            slots += [slot for slot in token if slot is not None]
    return tuple(slots)


def _same_device(operands):
    """A CPU scalar may meet GPU tensors; anything else on two devices is an error."""
    tensors = [x for x in operands if isinstance(x, Tensor)]
    tensors += [y for x in operands if isinstance(x, tuple) for y in x if y is not None]
    devices = [(x._cell.aval.device, x._cell.aval.ndim) for x in tensors]
    found = {str(device): device for device, ndim in devices if ndim or not backend_of(device).has_values}
    if len(found) > 1:
        raise different_devices(found) from None
    scalars = [device for device, _ in devices if device is not avals.dev.CPU]
    if not found and not scalars:
        return operands
    target = next(iter(found.values())) if found else scalars[0]
    return tuple(_moved(x, target) if isinstance(x, Tensor) and not x._cell.aval.ndim else x
                 for x in operands)


def _moved(x, target):
    """A scalar copied to another device, as a constant of the graph."""
    if x._cell.aval.device is target:
        return x
    return wrap(Storage(None, -1, avals.aval((), x._cell.aval.dtype, target), backend_of(target).place(computed(x._cell))))


# -- backward kernels

def bind_kernel(kernel, tensors, numbers) -> tuple:
    """Record a kernel that is no row (a backward, an optimizer step), which few handlers of the thread see.

    Args:
        kernel: the Kernel.
        tensors: its operands.
        numbers: its Python numbers.

    Returns:
        A tuple of Tensors.
    """
    t = state.open
    if t is None:
        handler = observer()
        if handler is not None:
            return handler.handle(RunKernel(kernel, tensors, numbers))
        t = state.trace
    try:
        slots = tuple([c.slot if (c := x._cell).trace is t else t.enter(c) for x in tensors])
        key = (kernel, slots)
        child = t.node.get(key)
    except NotHere as elsewhere:
        return elsewhere.take(RunKernel(kernel, tensors, numbers))
    if child is None:
        constants = [n if n.__class__ in _NUMBERS else as_number(n) for n in numbers]
        outs = of_gradients(kernel, [x._cell.aval for x in tensors])
        child = tree.add(t.node, key, call(kernel, slots, constants), outs)
    out = finish(t, child, tensors, numbers)
    return out if out.__class__ is tuple else (out,)


class RunKernel(Operation):
    """A kernel on its operands: what `bind_kernel` records."""

    __slots__ = ("function",)

    def __init__(self, function, operands, numbers=(), params=()):
        Operation.__init__(self, None, operands, numbers, params)
        self.function = function

    def run(self) -> tuple:
        """A tuple of Tensors."""
        return bind_kernel(self.function, self.operands, self.numbers)

    def with_operands(self, operands: tuple) -> Operation:
        """See `Operation.with_operands`."""
        return RunKernel(self.function, operands, self.numbers)

    def kernel(self) -> tuple:
        """See `Operation.kernel`."""
        return self.function, self.function.outs, self.operands, self.numbers

    def adopt(self, outs: list) -> tuple:
        """See `Operation.adopt`."""
        return tuple(outs)
