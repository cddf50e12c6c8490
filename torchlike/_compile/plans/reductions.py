"""Primitives that reduce or accumulate along dimensions."""

import numpy as np

from torchlike._compile.plans.pointwise import in_float32
from torchlike._compile.plans.table import Fresh, is_half, rule

_REDUCTIONS = {"reduce_sum": np.add, "reduce_prod": np.multiply, "reduce_max": np.maximum, "reduce_min": np.minimum,
               "reduce_and": np.bitwise_and, "reduce_or": np.bitwise_or, "reduce_xor": np.bitwise_xor}
_ACCUMULATIONS = {"cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum,
                  "cumlogsumexp": np.logaddexp}


@rule(*_REDUCTIONS)
def _reduce(equation):
    reduce = _REDUCTIONS[equation.name].reduce
    (operand,), (out,) = equation.ins, equation.outs
    axes = tuple(equation.params["axes"])
    if not axes:
        return Fresh(np.copy)
    if operand.size == 0 and out.size and equation.name in ("reduce_max", "reduce_min"):
        value = extreme(operand.dtype, lowest=equation.name == "reduce_max")
        return Fresh(lambda x: np.full(out.shape, value, out.dtype))
    if equation.name in ("reduce_max", "reduce_min"):
        equation.refuse_complex()
    axis = None if len(axes) == operand.ndim else axes if len(axes) > 1 else axes[0]
    dtype = np.dtype(np.float32) if is_half(operand.dtype) else operand.dtype
    if equation.name in ("reduce_max", "reduce_min"):
        return Fresh(in_float32(lambda x: reduce(x, axis), equation))
    if equation.name == "reduce_sum":  # from 0 on: the sum of negative zeros is 0
        return Fresh(in_float32(lambda x: reduce(x, axis, dtype, initial=0), equation))
    return Fresh(in_float32(lambda x: reduce(x, axis, dtype), equation))


def extreme(dtype, lowest: bool):
    """What every value of the dtype is at least, or at most."""
    if dtype.kind == "b":
        return not lowest
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if lowest else np.iinfo(dtype).max
    return -np.inf if lowest else np.inf


@rule("argmax", "argmin")
def _arg(equation):
    find = {"argmax": np.argmax, "argmin": np.argmin}[equation.name]
    (axis,), dtype = equation.params["axes"], equation.params["index_dtype"]
    equation.refuse_complex()
    return Fresh(in_float32(lambda x: find(x, axis).astype(dtype), equation))


@rule(*_ACCUMULATIONS)
def _accumulate(equation):
    combine = _ACCUMULATIONS[equation.name]
    accumulate = combine.accumulate
    axis, dtype = equation.params["axis"], equation.ins[0].dtype
    if combine not in (np.add, np.multiply):
        equation.refuse_complex()
    inside = np.dtype(np.float32) if is_half(dtype) else dtype

    if combine is np.add and inside.kind in "fc":  # from 0 on: the sum of negative zeros is 0
        def accumulate(x, axis, dtype):
            found = np.add.accumulate(x, axis, dtype)
            found += 0
            return found

    def forwards(x):
        return accumulate(x, axis, inside)

    def backwards(x):
        return np.flip(accumulate(np.flip(x, axis), axis, inside), axis)

    return Fresh(in_float32(backwards if equation.params["reverse"] else forwards, equation))


