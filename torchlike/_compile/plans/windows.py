"""Reductions over windows, and reductions whose function is a jaxpr of one primitive."""

import numpy as np

from torchlike._compile.plans.pointwise import in_float32
from torchlike._compile.plans.reductions import extreme
from torchlike._compile.plans.table import Equation, Fresh, is_half, rule

_COMBINE = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and,
            "or": np.bitwise_or, "xor": np.bitwise_xor}
_OF_NAME = {"reduce_window_sum": np.add, "reduce_window_max": np.maximum, "reduce_window_min": np.minimum}
_ORDERS = (np.maximum, np.minimum)
_NEUTRAL = {np.add: 0, np.multiply: 1}
_WIDTH = 256  # places of a window along one dimension: each is a pass over the array


def _combiner(equation):
    """The ufunc by which a jaxpr combines two numbers."""
    jaxpr = equation.params["jaxpr"]
    jaxpr = getattr(jaxpr, "jaxpr", jaxpr)
    (eqn, *others) = jaxpr.eqns or [None]
    if (eqn is None or others or len(jaxpr.invars) != 2 or eqn.primitive.name not in _COMBINE
            or set(eqn.invars) != set(jaxpr.invars) or eqn.outvars != jaxpr.outvars):
        raise equation.declined("a function of several primitives")
    return _checked(equation, _COMBINE[eqn.primitive.name])


def _checked(equation, combine):
    if combine in _ORDERS:
        equation.refuse_complex()
    return combine


def _neutral(combine, dtype):
    """What changes nothing: it pads windows."""
    if combine in _NEUTRAL:
        return dtype.type(_NEUTRAL[combine])
    return extreme(dtype, lowest=combine is np.maximum)


@rule("reduce")
def _reduce(equation: Equation):
    """One operand and its initial value."""
    if len(equation.ins) != 2:
        raise equation.declined("several operands")
    combine, axes = _combiner(equation), tuple(equation.params["dimensions"])
    inside = np.dtype(np.float32) if is_half(equation.ins[0].dtype) else equation.ins[0].dtype
    if not axes:
        return Fresh(lambda x, start: x.copy())  # as XLA does
    if combine in _ORDERS:
        return Fresh(in_float32(lambda x, start: combine.reduce(x, axes, initial=start), equation))
    return Fresh(in_float32(lambda x, start: combine.reduce(x, axes, inside, initial=start), equation))


@rule(*_OF_NAME)
def _window_of_name(equation):
    return Fresh(in_float32(_windows(equation, _OF_NAME[equation.name]), equation))


@rule("reduce_window")
def _window(equation):
    """One operand and its initial value."""
    if len(equation.ins) != 2 or equation.params.get("consts"):
        raise equation.declined("several operands")
    combine = _combiner(equation)
    if combine not in _NEUTRAL and combine not in _ORDERS:
        raise equation.declined(f"windows of {combine.__name__}")
    reduce = _windows(equation, combine)
    return Fresh(in_float32(lambda x, start: combine(reduce(x), start), equation))


def _windows(equation, combine):
    """A function of the operand: along one dimension after the other, since what combines is associative."""
    p, operand = equation.params, equation.ins[0]
    padding = _neutral(_checked(equation, combine), operand.dtype)
    padded_shape, inner, passes = [], [], []
    for axis, (size, total, window, step, dilation, spread, (low, high)) in enumerate(zip(
            operand.shape, equation.outs[0].shape, p["window_dimensions"], p["window_strides"], p["window_dilation"],
            p["base_dilation"], p["padding"], strict=True)):
        if low < 0 or high < 0:
            raise equation.declined("negative padding")
        if window > _WIDTH:
            raise equation.declined("large windows")
        long = (size - 1) * spread + 1 if size else 0
        padded_shape.append(low + long + high)
        inner.append(slice(low, low + long, spread))
        if window > 1 or step > 1:
            before = (slice(None),) * axis
            reach = max((total - 1) * step + 1, 0)
            passes.append([(*before, slice(k * dilation, k * dilation + reach, step)) for k in range(window)])
    padded_shape, inner = tuple(padded_shape), tuple(inner)
    inside = np.dtype(np.float32) if is_half(operand.dtype) else operand.dtype
    plain, empty, out_shape = padded_shape == operand.shape, equation.outs[0].size == 0, equation.outs[0].shape

    def reduce(x):
        if empty:
            return np.zeros(out_shape, inside)
        found = x
        if not plain:
            found = np.full(padded_shape, padding, inside)
            found[inner] = x
        for first, *others in passes:
            total = found[first].copy()
            for index in others:
                combine(total, found[index], out=total)
            found = total
        return found.copy() if found is x else found

    return reduce
