"""Arithmetic of two operands: sums, products, quotients, powers, interpolation.

Gradients follow PyTorch's formulas where they differ from `jax.vjp` at zeros, ties or overflow.
https://pytorch.org/docs/stable/torch.html#pointwise-ops
"""

import functools

import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

from torchlike._base import dtypes as dt
from torchlike._ops.number_ranges import as_computed, as_divisor, as_exponent, as_result
from torchlike._ops.numerics import complexes, remainders
from torchlike._ops.numerics.lean import Lean
from torchlike._ops.rules import (
    DIFFERENCE_OF_BOOLS,
    ELEMENTWISE,
    cpp_name,
    guarded,
    is_complex,
    is_integral,
    like,
    not_implemented,
    refuse,
    settled,
    wide,
)
from torchlike._ops.table import SAME, Write, op

# -- sums

_WITH_BOOL = ("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
              "invert a mask, use the `~` or `logical_not()` operator instead.")


def _check_alpha(result, alpha):
    if alpha.dtype == jnp.bool_ and result.dtype != jnp.bool_:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if is_integral(result) and not is_integral(alpha):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if is_complex(alpha) and not is_complex(result):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


def _add(x, y, *, alpha):
    _check_alpha(x, alpha)
    if x.dtype == jnp.bool_:
        return x | (y & alpha)
    return x + Lean(alpha) * y


def _refuse_bools(operands):
    bools = [o for o in operands if o.dtype is dt.bool_]
    if bools:
        raise RuntimeError(DIFFERENCE_OF_BOOLS if len(bools) == len(operands) else _WITH_BOOL)


DIFFERENCE = guarded("default", "difference", _refuse_bools)


def _sub(x, y, *, alpha):
    _check_alpha(x, alpha)
    return x - Lean(alpha) * y


def _rsub(x, y, *, alpha):
    return _sub(y, x, alpha=alpha)


def _scaled(g, alpha):
    return g * Lean(alpha).conj()


def _minus_scaled(g, alpha):
    return -(g * Lean(alpha).conj())


_ALPHA = {"alpha": as_result}
op("add(Tensor|number self, Tensor|number other, *, Scalar alpha=1) -> Tensor", _add, promote="default",
   grads={"self": SAME, "other": _scaled},
   dispatch="add.Tensor add.Scalar", foreach="lists tensor", write=Write(vmap="broadcast"), fits=_ALPHA, older=True,
   doc="`self` + `alpha` `other`.", **ELEMENTWISE)
op("sub(Tensor|number self, Tensor|number other, *, Scalar alpha=1) -> Tensor", _sub, promote=DIFFERENCE,
   grads={"self": SAME, "other": _minus_scaled},
   aliases=("subtract",), dispatch="sub.Tensor sub.Scalar", foreach="lists", write=Write(vmap="arithmetic"), fits=_ALPHA,
   older=True, doc="`self` - `alpha` `other`.", **ELEMENTWISE)
# `2 - x` is the Scalar overload: the same function under another Node name.
op("rsub.Tensor(Tensor self, Tensor|Scalar other, *, Scalar alpha=1) -> Tensor", _rsub, promote=DIFFERENCE, out=False,
   grads={"self": _minus_scaled, "other": SAME}, layout="pointwise", fits=_ALPHA, doc="`other` - `alpha` `self`.",
   function=False, method=False)
op("rsub.Scalar(Tensor self, Tensor|Scalar other, Scalar alpha=1) -> Tensor", _rsub, promote=DIFFERENCE, out=False,
   grads={"self": _minus_scaled}, node="RsubBackward1", layout="pointwise", fits=_ALPHA, doc="`other` - `alpha` `self`.",
   scalars="other", function=False, method=False)

# -- products and quotients

def _times(g, factor):
    return Lean(wide(g)) * Lean(wide(factor)).conj()


op("mul(Tensor|number self, Tensor|number other) -> Tensor", lambda x, y: Lean(x) * y, promote="default",
   grads={"self": lambda g, other: _times(g, other), "other": lambda g, self: _times(g, self)}, tangent="fn",
   aliases=("multiply",), dispatch="mul.Tensor mul.Scalar", foreach="lists tensor", write=Write(vmap="arithmetic"),
   doc="The product, element by element.", **ELEMENTWISE)


def _div_self(g, other):
    return g / jnp.conj(other)


def _div_other(g, self, other):  # never y * y or 1 / y, which underflow where PyTorch's x / y / y does not
    x, y = wide(self), wide(other)
    return -g * jnp.conj(settled(x / y) / y)  # XLA makes x / (y * y) of it


op("div(Tensor|number self, Tensor|number other) -> Tensor", complexes.divided, promote="float",
   grads={"self": _div_self, "other": _div_other},
   dispatch="div.Tensor div.Scalar", foreach="lists tensor", write=Write(vmap="arithmetic"),
   doc="The quotient, element by element; of integers it is a float.", **ELEMENTWISE, by_hand="function method in_place")


def _floor_div(x, y):
    """Floor of the quotient as PyTorch rounds it: from the remainder, not from the rounded quotient."""
    if is_integral(x):
        return jnp.floor_divide(x, y)
    rem = remainders.rem(x, y)
    quotient = (x - rem) / y
    quotient = jnp.where((rem != 0) & ((y < 0) != (rem < 0)), quotient - 1, quotient)
    floor = jnp.floor(quotient)
    floor = jnp.where(quotient - floor > 0.5, floor + 1, floor)
    floor = jnp.where(quotient != 0, floor, jnp.copysign(jnp.zeros_like(floor), x / y))
    return jnp.where(y == 0, x / y, floor)


def _trunc_div(x, y):
    return jax.lax.div(x, y) if is_integral(x) else jnp.trunc(x / y)


_ROUNDED = {"floor": _floor_div, "trunc": _trunc_div}


_DIVIDES: dict = {"fits": {"other": as_divisor}, "divides": True}


@op("_zero_among(Tensor self) -> Tensor", function=False, method=False, ours=True)
def _zero_among(x):
    """(whether there is a 0, 0): `deferred_checks.py` asks."""
    return jnp.stack([(x == 0).any().astype(jnp.int64), jnp.zeros((), jnp.int64)])


def _div_mode(x, y, *, rounding_mode):
    if rounding_mode not in _ROUNDED:
        raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                           f"'{rounding_mode}'")
    refuse(x, f"div_{rounding_mode}_cpu", (dt.BOOL, dt.COMPLEX))
    return _ROUNDED[rounding_mode](*jnp.broadcast_arrays(x, y))


def _div_mode_self(g, other):
    return jnp.zeros_like(g)


def _div_mode_other(g, self, other):
    return jnp.zeros_like(g)


op("div.Tensor_mode(Tensor|number self, Tensor|number other, *, str? rounding_mode) -> Tensor", _div_mode,
   promote="default", **_DIVIDES, grads={"self": _div_mode_self, "other": _div_mode_other}, node="DivBackward2",
   doc="The quotient rounded down (\"floor\") or towards zero (\"trunc\").", **ELEMENTWISE,
   by_hand="function method in_place")
# `rounding_mode=None` given by name is the same overload with the true quotient.
op("div.Tensor_mode_none(Tensor|number self, Tensor|number other) -> Tensor", complexes.divided, promote="float",
   grads={"self": _div_self, "other": _div_other}, node="DivBackward2", dispatch="div.Tensor_mode",
   doc="The quotient, element by element; of integers it is a float.", **ELEMENTWISE, by_hand="function method in_place")


@op("floor_divide(Tensor|number self, Tensor|number other) -> Tensor", promote="default", node="NotImplemented", **_DIVIDES,
    grads={"self": not_implemented("floor_divide"), "other": not_implemented("floor_divide")},
    write=Write(node="NotImplemented", grad=not_implemented("floor_divide_")),
    doc="The quotient rounded down.", **ELEMENTWISE)
def _floor_divide(x, y):
    return _div_mode(x, y, rounding_mode="floor")


# -- remainders

def _remainder(x, y):
    refuse(x, "remainder_cpu", (dt.BOOL, dt.COMPLEX))
    if is_integral(x):
        return jnp.remainder(x, y)
    x, y = jnp.broadcast_arrays(x, y)
    rem = remainders.rem(x, y)
    return jnp.where((rem != 0) & ((y < 0) != (rem < 0)), rem + y, rem)


def _fmod(x, y):
    refuse(x, "fmod_cpu", (dt.BOOL, dt.COMPLEX))
    return remainders.rem(*jnp.broadcast_arrays(x, y))


def _remainder_other(g, self, other):
    return -g * jax.lax.stop_gradient(_floor_div(*_together(self, other)))


def _fmod_other(g, self, other):
    return -g * jax.lax.stop_gradient(_trunc_div(*_together(self, other)))


def _together(x, y):
    to = jnp.promote_types(x.dtype, y.dtype)
    return jnp.broadcast_arrays(x.astype(to), y.astype(to))


op("remainder.Scalar(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", _remainder, promote="default",
   **_DIVIDES,
   grads={"self": SAME}, doc="What is left after division, with the sign of the divisor.", **ELEMENTWISE, scalars="other")
op("remainder.Tensor(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", _remainder, promote="default",
   **_DIVIDES,
   grads={"self": SAME, "other": _remainder_other}, node="RemainderBackward1",
   doc="What is left after division, with the sign of the divisor.", **ELEMENTWISE)
op("remainder.Scalar_Tensor(Tensor|Scalar self, Tensor|Scalar other) -> Tensor", _remainder, promote="default",
   **_DIVIDES,
   grads={"other": not_implemented("remainder")}, node="NotImplemented", layout="pointwise",
   doc="What is left after division, with the sign of the divisor.", scalars="self")
op("fmod.Scalar(Tensor self, Tensor|Scalar other) -> Tensor", _fmod, promote="default",
   **_DIVIDES,
   grads={"self": SAME}, doc="What is left after division, with the sign of the dividend.", **ELEMENTWISE, scalars="other")
op("fmod.Tensor(Tensor self, Tensor|Scalar other) -> Tensor", _fmod, promote="default",
   **_DIVIDES,
   grads={"self": SAME, "other": _fmod_other}, node="FmodBackward1",
   doc="What is left after division, with the sign of the dividend.", **ELEMENTWISE)

# -- powers

def _check_integer_power(x, exponent):
    if is_integral(x) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")


def _whole_power(x, y):
    """x ** y of integers and exponents that are not negative, which may overflow."""
    def go_on(state):
        return (state[1] > 0).any()

    def step(state):
        square, exponent, result = state
        return square * square, exponent >> 1, jnp.where(exponent & 1 == 1, result * square, result)

    x, y = jnp.broadcast_arrays(x, y)
    return jax.lax.while_loop(go_on, step, (x, y, jnp.ones_like(x)))[2]


def _int_power(x, y):
    """Integer powers; a negative exponent gives 0 except for bases 1 and -1."""
    magnitude = _whole_power(x, jnp.maximum(y, 0))
    inverse = jnp.where(x == 1, 1, jnp.where(x == -1, jnp.where(y % 2 == 0, 1, -1), 0)).astype(x.dtype)
    return jnp.where(y < 0, inverse, magnitude)


def _pow(x, y):
    refuse(x, "pow", (dt.BOOL,))
    if jnp.issubdtype(x.dtype, jnp.unsignedinteger):
        return _whole_power(x, y)
    if is_integral(x):
        return _int_power(x, y)
    return _power(*jnp.broadcast_arrays(x, y))


@jax.custom_jvp
def _power(x, y):
    """x ** y of inexact arrays, differentiable any number of times where PyTorch's is."""
    if not is_complex(x):
        return jax.lax.pow(x, y)
    zero = x == 0
    power = complexes.exp(complexes.multiplied(y, jnp.log(jnp.where(zero, 1, x))))
    infinite = jax.lax.complex(jnp.full_like(y.real, jnp.inf), jnp.full_like(y.real, jnp.nan))
    at_zero = jnp.where(jnp.isnan(y), y, jnp.where(y == 0, 1, jnp.where(y.real < 0, infinite, 0)))
    return jnp.where(zero, at_zero, power).astype(power.dtype)


@functools.partial(_power.defjvp, symbolic_zeros=True)
def _power_jvp(primals, tangents):
    """An exponent that stands still adds nothing, not even 0 * log(-1)."""
    (x, y), (dx, dy) = primals, tangents
    result = _power(x, y)
    slopes = ((dx, lambda: _slope_in_base(x, y)), (dy, lambda: _slope_in_exponent(x, y, result)))
    return result, sum(d * slope() for d, slope in slopes if not isinstance(d, SymbolicZero))


def _slope_in_base(x, y):
    """y x**(y-1), and 0 where y is 0 (also at x = 0)."""
    none = y == 0
    return jnp.where(none, 0, y * _power(x, jnp.where(none, 1, y) - 1))


def _slope_in_exponent(x, y, result):
    """x**y log x, and 0 at x = 0 for y >= 0, where the log is infinite."""
    none = x == 0
    none &= (y.real >= 0) & (y.imag == 0) if is_complex(y) else y >= 0
    return jnp.where(none, 0, result * jnp.log(jnp.where(none, 1, x)))


def _pow_self(g, self, exponent):
    return g * jnp.conj(_slope_in_base(*_together(self, exponent)))


def _pow_exponent(g, self, exponent, result):
    base, exponent = _together(self, exponent)
    return g * jnp.conj(_slope_in_exponent(base, exponent, result))


op("pow.Tensor_Scalar(Tensor|Scalar self, Tensor|Scalar exponent) -> Tensor", _pow, promote="default",
   grads={"self": _pow_self}, autocast={"cuda": "fp32"}, write=Write(dispatch="pow_.Scalar"), fits={"exponent": as_exponent},
   doc="`self` to the power of `exponent`.", **ELEMENTWISE, by_hand="function method in_place")
op("pow.Tensor_Tensor(Tensor|Scalar self, Tensor|Scalar exponent) -> Tensor", _pow, promote="default",
   grads={"self": _pow_self, "exponent": _pow_exponent}, node="PowBackward1",
   autocast={"cuda": "fp32"}, foreach="lists", write=Write(dispatch="pow_.Tensor"),
   doc="`self` to the power of `exponent`.", **ELEMENTWISE, by_hand="function method in_place")
op("pow.Scalar(Tensor|Scalar self, Tensor|Scalar exponent) -> Tensor", _pow, promote="default",
   grads={"exponent": _pow_exponent}, node="PowBackward2", layout="pointwise", autocast={"cuda": "fp32"},
   doc="`self` to the power of `exponent`.", by_hand="function method")

# Exponents known by value multiply out as PyTorch's kernels do, exactly and without a call of pow.
_BY_VALUE = {
    0.5: jnp.sqrt, 1: lambda x: x, 2: lambda x: x * x, 3: lambda x: x * x * x,
    -0.5: lambda x: 1 / jnp.sqrt(x), -1: lambda x: 1 / x, -2: lambda x: 1 / (x * x),
}
STATIC_EXPONENTS = frozenset(_BY_VALUE)


@op("_pow_static(Tensor self, Scalar exponent) -> Tensor", promote="first", static=("exponent",),
    grads={"self": lambda g, self, exponent: g * jnp.conj(_static_slope(self, exponent))},
    node="PowBackward0", method=False, function=False,
    dispatch="pow.Tensor_Scalar", autocast={"cuda": "fp32"}, write=Write(dispatch="pow_.Scalar"), **ELEMENTWISE)
def _static_pow(x, exponent):
    _check_integer_power(x, exponent)
    if exponent == 0:
        return jnp.ones_like(x)
    if exponent in _BY_VALUE:
        return _BY_VALUE[exponent](x)
    return _power(x, jnp.full_like(x, exponent))


def _static_slope(x, exponent):
    return exponent * _static_pow(x, exponent - 1) if exponent else jnp.zeros_like(x)


# -- products added

def _addcmul(x, a, b, *, value):
    refuse(x, "addcmul_cpu_out", (dt.BOOL,))
    if is_integral(x):
        value = jnp.asarray(value).astype(x.dtype)  # PyTorch converts the number to the tensors' dtype
    return x + value * a * b


def _true_division(operands):
    if all(x.dtype.category < dt.FLOAT for x in operands[1:]):
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
            "perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
            "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer "
            "inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv "
            "behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all "
            "dtypes.")


def _addcdiv(x, a, b, *, value):
    return x + value * a / b


_VALUE = {"value": as_computed}
op("addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", _addcmul,
   promote="default",
   grads={"self": SAME,
          "tensor1": lambda g, tensor2, value: g * jnp.conj(tensor2 * value),
          "tensor2": lambda g, tensor1, value: g * jnp.conj(tensor1 * value)},
   autocast={"cuda": "promote"}, foreach="lists", fits=_VALUE, older=True,
   doc="`self` + `value` `tensor1` `tensor2`.", **ELEMENTWISE)
op("addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", _addcdiv,
   promote=guarded("default", "addcdiv", _true_division),
   grads={"self": SAME,
          "tensor1": lambda g, tensor2, value: g * jnp.conj(value / tensor2),
          "tensor2": lambda g, tensor1, tensor2, value:
              -g * jnp.conj(value * tensor1 / (tensor2 * tensor2))},
   autocast={"cuda": "promote"}, foreach="lists", fits=_VALUE, older=True,
   doc="`self` + `value` `tensor1` / `tensor2`.", **ELEMENTWISE)


# -- interpolation

def _check_same(x, y, name):
    if x.dtype != y.dtype:
        raise RuntimeError(f"expected dtype {cpp_name(x)} for `{name}` but got dtype "
                           f"{cpp_name(y)}")


def _lerp(start, end, weight):
    """From the nearer end, so that weight 1 gives `end` exactly."""
    difference = end - start
    small = (jnp.abs(weight) < 0.5)
    return jnp.where(small, start + weight * difference, end - difference * (1 - weight))


@op("lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
    grads={"self": lambda g, weight: g * jnp.conj(1 - weight),
           "end": lambda g, weight: g * jnp.conj(weight)}, doc="`self` + `weight` (`end` - `self`).", **ELEMENTWISE,
           scalars="weight", fits={"weight": as_computed})
def _lerp_scalar(start, end, *, weight):
    _check_same(start, end, "end")
    refuse(start, "lerp_kernel_scalar", (dt.BOOL, dt.INT))
    return like(_lerp(wide(start), wide(end), weight), start)


@op("lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor", node="LerpBackward1",
    grads={"self": lambda g, weight: g * jnp.conj(1 - weight),
           "end": lambda g, weight: g * jnp.conj(weight),
           "weight": lambda g, self, end: g * jnp.conj(end - self)},
    doc="`self` + `weight` (`end` - `self`).", **ELEMENTWISE)
def _lerp_tensor(start, end, weight):
    _check_same(start, end, "end")
    _check_same(start, weight, "weight")
    refuse(start, "lerp_kernel_tensor", (dt.BOOL, dt.INT))
    return like(_lerp(wide(start), wide(end), wide(weight)), start)
