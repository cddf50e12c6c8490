"""What backward and optimizers compute, for `__torch_dispatch__`: kernels done as calls of operators.

A gradient is done as PyTorch does it, by the operators of `_ops/aten_gradients.py`, where that has the row. Any other kernel
is one operator of its own, ``aten.cumprod_backward.default``, which is a function of tensors of the same shapes.
"""

from collections.abc import Mapping
from types import MappingProxyType

from torchlike._base.errors import UnsupportedError
from torchlike._compile import gradients, row_function
from torchlike._modes import dispatch_primitives
from torchlike._ops import aten_gradients
from torchlike._record.bind import bind_kernel
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.tracers import attach_alone


class KernelOverload:
    """A kernel as an operator of tensors.

    Args:
        kernel: the kernel.
    """

    namespace = "aten"
    __module__ = "torch._ops"
    dispatch_rules: Mapping = MappingProxyType({})

    def __init__(self, kernel):
        self._kernel = kernel
        self._overloadname = "default"
        made = gradients.made_of(kernel)
        row = None if made is None else made[0].kernel.row
        self._packetname = kernel.name if row is None else aten_gradients.operator_of(row) or kernel.name
        self.__name__ = f"{self._packetname}.default"

    def __call__(self, *args):
        tensors = [x for x in args if isinstance(x, Tensor)]
        found = tuple(x._cell.aval for x in tensors)
        if any(a.shape != b.shape or a.dtype is not b.dtype for a, b in zip(found, self._kernel.ins, strict=True)):
            raise UnsupportedError(f"{self} of tensors of other shapes or dtypes than those of the wrappers")
        outs = bind_kernel(self._kernel, tensors, tuple(x for x in args if not isinstance(x, Tensor)))
        return outs[0] if len(outs) == 1 else outs

    def __str__(self):
        return f"aten.{self.__name__}"

    def __repr__(self):
        return f"<OpOverload(op='aten.{self._packetname}', overload='default')>"

    @property
    def kernel(self):
        """The kernel."""
        return self._kernel

    def name(self) -> str:
        """The full name."""
        return f"aten::{self._packetname}"


class WrappedFloat(float):
    """A number that Python gave in the place of a tensor: PyTorch's gradient has it as one."""


class WrappedInt(int):
    """The same of an int."""


WRAPPED: dict = {float: WrappedFloat, int: WrappedInt}


def run(operation, ask, call) -> tuple:
    """The results of a RunKernel operation. `ask(func, args)` has an operator done, `call(name, *args)` calls one."""
    kernel = operation.function
    if gradients.made_of(kernel) is None and dispatch_primitives.can_do(kernel):
        return dispatch_primitives.run(kernel, operation.operands, operation.numbers)
    calls = _calls_of(kernel)
    found = None if calls is None else _by_calls(kernel, calls, operation, call)
    if found is not None:
        return found
    made = ask(KernelOverload(kernel), (*operation.operands, *operation.numbers))
    outs = tuple(made) if isinstance(made, tuple | list) else (made,)
    if state.thread.grad:
        attach_alone(kernel, kernel.outs, operation.operands, operation.numbers, outs)
    return outs


def _calls_of(kernel):
    """{operand of the row: function} for a gradient whose operators are known, or None."""
    made = gradients.made_of(kernel)
    if made is None or made[0].kernel.row is None:
        return None
    plan, _ = made
    known = aten_gradients.calls_of(plan.kernel.row)
    targets = {plan.owner[i] for i in kernel.function.targets}
    return known if known is not None and targets <= set(known) else None


def _by_calls(kernel, calls, operation, call) -> tuple | None:
    """The gradients of the targets, each by its function, then summed to the shape of its operand."""
    known = {"call": call, **_words(kernel, operation.operands, operation.numbers)}
    plan, targets = kernel.function.plan, kernel.function.targets
    found: dict = {}
    for name, function in calls.items():
        members = [i for i, owner in enumerate(plan.owner) if owner == name]
        if any(i in targets for i in members):
            words = function.__code__.co_varnames[:function.__code__.co_argcount]
            made = function(*(known[word] for word in words))
            if made is NotImplemented:
                return None
            found.update(zip(members, made if isinstance(made, list) else [made], strict=True))
    return tuple(_fitted(found[i], plan.kernel.ins[i]) for i in targets)


def _fitted(g, aval):
    """A gradient in the shape and dtype of its operand."""
    shape = tuple(aval.shape)
    mine = tuple(g.shape)
    if mine != shape:
        lead = len(mine) - len(shape)
        dims = [*range(lead), *(lead + i for i, size in enumerate(shape) if size == 1 != mine[lead + i])]
        g = g.sum(dims, keepdim=True)
        g = g.view(shape) if lead else g
    return g if g.dtype is aval.dtype else g.to(aval.dtype)


def _words(kernel, operands, numbers) -> dict:
    """What a function of `CALLS` may name, for the gradient `kernel` of these Tensors and numbers: ``g``; operands that were
    saved, and ``self_shape`` of each; ``result``; numbers and parameters."""
    function = kernel.function
    plan, forward, row = function.plan, function.kernel, function.row
    left = iter(operands)
    known: dict = {f"g{i}": next(left) for i in function.defined}
    saved = {i: next(left) for i in plan.save_ins}
    known.update((f"result{i}", next(left)) for i in plan.save_outs)
    known["g"], known["result"] = known.get("g0"), known.get("result0")
    known["gs"] = [known.get(f"g{i}") for i in range(len(forward.outs))]
    known["result_shapes"] = [tuple(a.shape) for a in forward.outs]
    kinds, params = forward.spec
    given, place = iter(numbers), 0
    for name, kind in zip((*row.operands, *row.numbers), kinds, strict=True):
        if kind == "a":
            aval = forward.ins[place]
            x = known[name] = saved.get(place)
            known[f"{name}_shape"], known[f"{name}_stride"] = tuple(aval.shape), aval.strides if x is None else x.stride()
            place += 1
        elif isinstance(kind, tuple):
            places = iter(range(place, place + sum(kind)))
            known[name] = [saved.get(next(places)) if is_there else None for is_there in kind]
            known[f"{name}_shapes"] = [tuple(a.shape) for a in forward.ins[place:place + sum(kind)]]
            place += sum(kind)
        else:
            known[name] = None if kind is None else next(given)
            if kind in WRAPPED and name in row.operands and "Scalar" not in row.overload:
                known[name] = WRAPPED[kind](known[name])
    known.update(zip(row.params, row_function.unwrap(row, params), strict=True))
    return known
