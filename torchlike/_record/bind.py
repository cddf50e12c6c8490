"""`bind`: the one place where an operation is recorded.

The steps: operands become slots of the running trace; one look-up finds the instruction in the
prefix tree (`miss` makes it); a new Tensor holds the result's slot; a Node joins the graph if a
gradient can flow. The short forms for one and two operands do the same with less.
"""

from typing import Any

import jax

from torchlike._base.errors import different_devices
from torchlike._compile import avals
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.custom_jvp import as_custom_jvp
from torchlike._compile.program import Call
from torchlike._ops.kinds import check_kinds, refusal
from torchlike._record import autocast, dual, intercept, tree, vmap_levels
from torchlike._record.cell import Storage
from torchlike._record.history import attach, attach_one, attach_two, check_usable
from torchlike._record.layout import BROADCAST, call, check_broadcast, device_of, kernel_of
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.torch_function import activate, handle, public_of, takers
from torchlike._record.trace import DeviceChange, DirectMode, DualMode, force, run, state

_new = object.__new__
_EXACT = 1 << 53  # larger ints do not survive in float64
_NUMBERS = (float, int, bool, complex)


# -- the short forms

def unary(row):
    """The face of a row with one tensor; its numbers have their defaults."""
    numbers = (None,) * len(row.numbers)

    def face(self):
        t = state.trace
        try:
            c = self._cell
            s = c.slot if c.trace is t else t.enter(c)
            child = t.node.get((row, s))
        except (AttributeError, DirectMode, DeviceChange):
            return bind(row, (self,), numbers, ())
        if child is None:
            child = miss(t, (row, s), row, (self,), numbers, ())
        t.node = child
        values = t.values
        oc = Storage(t, len(values), child.out)
        values.append(oc)
        out = _new(Tensor)
        out._cell = oc
        if self._edge is not None and t.thread.grad:
            attach_one(t, child, out, self, ())
        elif t.thread.inference:
            oc.inference = True
        if child.over:
            run(t)
        return out

    return face


def binary(row):
    """The face of a row with two tensors, or a tensor and a number."""
    numbers = (None,) * len(row.numbers)

    def face(self, other):
        kind = other.__class__
        if kind is float or kind is int:
            return scalar(self, other, kind)
        t = state.trace
        try:
            c = self._cell
            d = other._cell
            s = c.slot if c.trace is t else t.enter(c)
            r = d.slot if d.trace is t else t.enter(d)
            child = t.node.get((row, s, r))
        except (AttributeError, DirectMode, DeviceChange):
            return bind(row, (self, other), numbers, ())
        if child is None:
            child = miss(t, (row, s, r), row, (self, other), numbers, ())
        t.node = child
        values = t.values
        oc = Storage(t, len(values), child.out)
        values.append(oc)
        out = _new(Tensor)
        out._cell = oc
        if (self._edge is not None or other._edge is not None) and t.thread.grad:
            attach_two(t, child, out, self, other)
        elif t.thread.inference:
            oc.inference = True
        if child.over:
            run(t)
        return out

    def scalar(self, other, kind):
        t = state.trace
        try:
            c = self._cell
            s = c.slot if c.trace is t else t.enter(c)
            child = t.node.get((row, s, kind))
        except (AttributeError, DirectMode, DeviceChange):
            return bind(row, (self, other), numbers, ())
        if child is None:
            if kind is int and not -_EXACT < other < _EXACT:
                return bind(row, (self, other), numbers, ())
            child = miss(t, (row, s, kind), row, (self, other), numbers, ())
        if child.item.constants[0] != other:
            tree.number_changed(child, 0)
        t.numbers.append(other)
        t.node = child
        values = t.values
        oc = Storage(t, len(values), child.out)
        values.append(oc)
        out = _new(Tensor)
        out._cell = oc
        if self._edge is not None and t.thread.grad:
            attach_one(t, child, out, self, (other,))
        elif t.thread.inference:
            oc.inference = True
        if child.over:
            run(t)
        return out

    return face


# -- the general form

def bind(row, operands, numbers=(), params=()) -> Any:
    """Record `row`. Operands: Tensors, numbers, None, tuples of Tensors or None; `numbers` in the
    order of ``row.numbers``; `params` hashable, in the order of ``row.params``.

    Returns a Tensor, or a tuple of Tensors where the row has several results.
    """
    t = state.trace
    try:
        tokens, tensors, given = _tokens(t, operands, numbers)
        key = (row, params, *tokens)
        child = t.node.get(key)
        if child is None:
            child = miss(t, key, row, operands, numbers, params)
    except DirectMode as mode:
        return _aside(mode, row, operands, numbers, params)
    except DeviceChange:
        operands = _same_device(operands)
        run(t)
        return bind(row, operands, numbers, params)
    except NotANumberError as error:
        found = takers(operands)
        if found:
            activate()  # the first of a class that is no subclass of Tensor: from now on the public functions look for such
        public = public_of(row.face) if found else None
        if public is None:
            raise error.of(row, operands) from None
        return _taken_over(public, found, row, operands, numbers, params)
    return finish(t, child, tensors, given)


def _taken_over(public, found, row, operands, numbers, params):
    """What the class of one of the operands makes of the call."""
    values = {**dict(zip(row.operands, operands, strict=True)), **dict(zip(row.numbers, numbers, strict=True)),
              **dict(zip(row.params, params, strict=True))}
    args = tuple(values.pop(name) for name in row.operands)
    return handle(public, found, args, {name: value for name, value in values.items() if value is not None})


def _aside(mode, row, operands, numbers, params):
    """What is not recorded as it stands: autocast comes first, then watchers, then the transforms."""
    if autocast.casts(row):
        return autocast.apply(bind, row, operands, numbers, params)
    if isinstance(mode, intercept.Watching):
        return _watched(row, operands, numbers, params)
    if isinstance(mode, DualMode):
        return dual.apply_row(bind, bind_kernel, _kernel_for, row, operands, numbers, params)
    return direct(row, operands, numbers, params)


def finish(t, child, tensors, given):
    """Results and history of the instruction `child` of these tensors and numbers."""
    if given:
        check_numbers(child, given)
        t.numbers.extend(given)
    t.node = child
    values, outs = t.values, []
    for aval in child.outs:
        oc = Storage(t, len(values), aval)
        values.append(oc)
        out = _new(Tensor)
        out._cell = oc
        outs.append(out)
    if t.thread.grad:
        for x in tensors:
            if x._edge is not None:
                attach(t, child, outs, tensors, given)
                break
    elif t.thread.inference:
        for out in outs:
            out._cell.inference = True
    if child.over:
        run(t)
    return outs[0] if len(outs) == 1 else tuple(outs)


def check_numbers(child, given) -> None:
    """A number that differs from the first one seen here becomes a runtime input."""
    constants = child.item.constants
    if constants != given:
        for i, (old, new) in enumerate(zip(constants, given, strict=True)):
            if old != new:
                tree.number_changed(child, i)


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
    return (kind, x)


class NotANumberError(TypeError):
    """Something is neither a tensor nor a number."""

    def of(self, row, operands) -> TypeError:
        """The same as PyTorch says it, if it was among the operands."""
        classes = [None if x is None or isinstance(x, Tensor | tuple) else x.__class__ for x in operands]
        return refusal(row, classes) if any(classes) else self


def as_number(x):
    """A numpy scalar or the like as a Python number; NotANumberError for anything else."""
    for kind in (bool, int, float, complex):
        if isinstance(x, kind):
            return kind(x)
    item = getattr(x, "item", None)
    if item is None:
        raise NotANumberError(f"expected Tensor or number, not {type(x).__name__}")
    return item()


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
    spec, tensors, kinds, constants = describe(operands, numbers)
    check_kinds(row, spec[:len(operands)])
    ins = tuple(x._cell.aval for x in tensors)
    if t.thread.grad and row.grads:
        check_usable(tensors)
    if row.layout in BROADCAST:
        check_broadcast(ins)
    device = device_of(ins, params)
    if not ins:
        t.check_device(device)
    kernel, outs = kernel_of(row, spec, ins, kinds, params, device)
    slots = tuple(t.slot_of(x._cell) for x in tensors)
    return tree.add(t.node, key, call(kernel, slots, constants), outs)


def _kernel_for(row, operands, numbers, params):
    """(kernel, the results' avals, the tensors, the numbers) of a row for these operands."""
    spec, tensors, kinds, given = describe(operands, numbers)
    check_kinds(row, spec[:len(operands)])
    ins = tuple(x._cell.aval for x in tensors)
    if row.layout in BROADCAST:
        check_broadcast(ins)
    return *kernel_of(row, spec, ins, kinds, params, device_of(ins, params)), tensors, given


def _same_device(operands):
    """A CPU scalar may meet GPU tensors; anything else on two devices is an error."""
    tensors = [x for x in operands if isinstance(x, Tensor)]
    tensors += [y for x in operands if isinstance(x, tuple) for y in x if y is not None]
    found = {str(x._cell.aval.device): x._cell.aval.device for x in tensors if x._cell.aval.ndim}
    if len(found) > 1:
        raise different_devices(found) from None
    if not found:
        return operands
    target = next(iter(found.values()))
    return tuple(_moved(x, target) if isinstance(x, Tensor) and not x._cell.aval.ndim else x
                 for x in operands)


def _moved(x, target):
    """A scalar copied to another device, as a constant of the graph."""
    if x._cell.aval.device is target:
        return x
    return wrap(Storage(None, -1, avals.aval((), x._cell.aval.dtype, target), backend_of(target).place(force(x._cell))))


# -- under a watcher

def _watched(row, operands, numbers, params):
    return intercept.intercept(intercept.of_row(
        row, operands, numbers, params, lambda: bind(row, operands, numbers, params),
        lambda values: recalled(row, operands, numbers, params, values)))


def recalled(row, operands, numbers, params, values):
    """What `bind` returns, with history, for results that are there already: `values`, Tensors."""
    kernel, out_avals, tensors, given = _kernel_for(row, operands, numbers, params)
    outs = [wrap(x._cell) for x in values]
    if state.thread.grad and any(x._edge is not None for x in tensors):
        _attach_alone(kernel, out_avals, tensors, given, outs)
    return outs[0] if len(outs) == 1 else tuple(outs)


def _attach_alone(kernel, out_avals, tensors, given, outs) -> None:
    """History of results that no instruction of the trace makes."""
    attach(state.trace, tree.TreeNode(None, Call(kernel, ()), out_avals), outs, tensors, given)


# -- inside a jax transform

def direct(row, operands, numbers, params):
    """Apply the row at once: an operand holds a jax tracer, and nothing may be recorded."""
    kernel, outs, tensors, given = _kernel_for(row, operands, numbers, params)
    return direct_kernel(kernel, tensors, given, outs)


def direct_kernel(kernel, tensors, given, out_avals):
    """The kernel's function on the arrays as they are, with history."""
    arrays = [force(_lifted(x)._cell) for x in tensors]
    with jax.enable_x64(True):
        numbers = [avals.NUMBER_DTYPES[kind].type(n) for kind, n in
                   zip(kernel.numbers, given, strict=True)]
        results = as_custom_jvp(kernel)(*arrays, *numbers)
        if state.thread.frames and state.thread.frames[-1].stopped:
            results = jax.lax.stop_gradient(results)
    outs = []
    for aval, result in zip(out_avals, results, strict=True):
        outs.append(vmap_levels.noted(wrap(Storage(None, -1, aval, result))))
    if state.thread.grad and any(x._edge is not None for x in tensors):
        _attach_alone(kernel, out_avals, tensors, given, outs)
    return outs[0] if len(outs) == 1 else tuple(outs)


def _lifted(x):
    """What the transforms of `torchlike.func` that are running put in the place of a captured tensor."""
    for frame in state.thread.frames:
        x = frame.lift(x)
    return x


# -- backward kernels

def bind_kernel(kernel, tensors, numbers):
    """Record a kernel that is no row (a backward, an optimizer step). Returns a list of Tensors."""
    t = state.trace
    try:
        slots = tuple([c.slot if (c := x._cell).trace is t else t.enter(c) for x in tensors])
        key = (kernel, slots)
        child = t.node.get(key)
    except intercept.Watching:
        with intercept.unwatched():
            return bind_kernel(kernel, tensors, numbers)
    except DualMode:
        return dual.apply_kernel(bind_kernel, kernel, tensors, numbers)
    except DirectMode:
        out = direct_kernel(kernel, tensors, numbers, kernel.outs)
        return out if out.__class__ is tuple else (out,)
    except DeviceChange:
        run(t)
        return bind_kernel(kernel, tensors, numbers)
    if child is None:
        constants = [n if n.__class__ in _NUMBERS else as_number(n) for n in numbers]
        child = tree.add(t.node, key, call(kernel, slots, constants), kernel.outs)
    out = finish(t, child, tensors, numbers)
    return out if out.__class__ is tuple else (out,)
