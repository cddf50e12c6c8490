"""Functions of two operands that are not plain arithmetic: extrema, clamp, angles, logarithms, bits.

https://pytorch.org/docs/stable/torch.html#pointwise-ops. The gradients are PyTorch's at ties, bounds
and zeros, where `jax.vjp` gives NaN or shares differently.
"""

import math

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._ops import promotion
from torchlike._ops.number_ranges import as_result
from torchlike._ops.numerics import angles, complexes
from torchlike._ops.rules import ELEMENTWISE, is_complex, is_integral, not_implemented, promote_whole, refuse
from torchlike._ops.table import Write, op

_PAIR = "(Tensor self, Tensor other) -> Tensor"
_OR_NUMBER = "(Tensor self, Tensor|Scalar other) -> Tensor"
_EITHER = "(Tensor|Scalar self, Tensor|Scalar other) -> Tensor"


def _both(x, y):
    return jnp.broadcast_arrays(x, y)


# -- extrema

def _extremum(name, fn):
    def extremum(x, y):
        if is_complex(x):
            raise RuntimeError(f"{name} not implemented for complex tensors.")
        return fn(x, y)

    return extremum


def _larger_share(g, x, y):
    """The gradient of the larger one, x: halved at a tie."""
    return jnp.where(x < y, 0, jnp.where(x == y, g / 2, g))


op("maximum" + _PAIR, _extremum("maximum", jnp.maximum), promote="default", layout="pointwise",
   grads={"self": lambda g, self, other: _larger_share(g, self, other),
          "other": lambda g, self, other: _larger_share(g, other, self)}, foreach="lists",
   doc="The larger of two elements; NaN if either is.")
op("minimum" + _PAIR, _extremum("minimum", jnp.minimum), promote="default", layout="pointwise",
   grads={"self": lambda g, self, other: _larger_share(g, other, self),
          "other": lambda g, self, other: _larger_share(g, self, other)}, foreach="lists",
   doc="The smaller of two elements; NaN if either is.")


def _fmax(x, y):
    return jnp.maximum(x, y) if is_integral(x) else jnp.fmax(y, x)  # of equal ones JAX gives the second, PyTorch the first


def _fmin(x, y):
    return jnp.minimum(x, y) if is_integral(x) else jnp.fmin(y, x)


def _fmax_first(self, other):
    return (self >= other) | jnp.isnan(other)


def _fmin_first(self, other):
    return (self <= other) | jnp.isnan(other)


op("fmax" + _PAIR, _extremum("fmax", _fmax), promote="default", layout="pointwise",
   grads={"self": lambda g, self, other: jnp.where(_fmax_first(self, other), g, 0),
          "other": lambda g, self, other: jnp.where(_fmax_first(self, other), 0, g)},
   doc="The larger of two elements, or the one that is not NaN.")
op("fmin" + _PAIR, _extremum("fmin", _fmin), promote="default", layout="pointwise",
   grads={"self": lambda g, self, other: jnp.where(_fmin_first(self, other), g, 0),
          "other": lambda g, self, other: jnp.where(_fmin_first(self, other), 0, g)},
   doc="The smaller of two elements, or the one that is not NaN.")


# -- clamp: the gradient is 1 on the bounds; the numbers stand in the bounds' place

def _clamp(x, low, high):
    if is_complex(x):
        raise NotImplementedError("clamp is not supported for complex types")
    if low is None and high is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if low is None or high is None:
        return jnp.minimum(high, x) if low is None else jnp.maximum(low, x)  # numpy's second of equal ones: x
    refuse(x, "clamp_cpu", (dt.BOOL,))
    return jnp.minimum(high, jnp.maximum(low, x))


def _inside(x, low, high):
    inside = True if low is None else x >= low
    return inside if high is None else inside & (x <= high)


def _clamp_self(g, self, min, max):
    return jnp.where(_inside(self, min, max), g, 0)


def _clamp_low(g, self, min, max):
    below = self < min
    return jnp.where(below if max is None else below & (min < max), g, 0)


def _clamp_high(g, self, min, max):
    above = self > max
    return jnp.where(above if min is None else above | (max < min), g, 0)


_BOUNDS = {"min": as_result, "max": as_result}
op("clamp(Tensor self, Tensor?|Scalar min=None, Tensor?|Scalar max=None) -> Tensor", _clamp, promote="default",
   grads={"self": _clamp_self}, node="ClampBackward1",
   aliases=("clip",), inplace_functions=("clamp_", "clip_"), write=Write(cpp_names=True),
   doc="`self`, but not below `min` and not above `max`.", **ELEMENTWISE, scalars="min max", fits=_BOUNDS)
op("clamp.Tensor(Tensor self, Tensor?|Scalar min=None, Tensor?|Scalar max=None) -> Tensor", _clamp, promote="default",
   grads={"self": _clamp_self, "min": _clamp_low, "max": _clamp_high}, node="ClampBackward0",
   doc="`self`, but not below `min` and not above `max`.", **ELEMENTWISE, fits=_BOUNDS)

_ABOVE = {"self": lambda g, self, min: jnp.where(self >= min, g, 0)}
_BELOW = {"self": lambda g, self, max: jnp.where(self <= max, g, 0)}
op("clamp_min(Tensor self, Tensor|Scalar min) -> Tensor", lambda x, low: _clamp(x, low, None), promote="default",
   grads=_ABOVE, node="ClampMinBackward0",
   inplace_functions=("clamp_min_",), foreach="lists", write=Write(cpp_names=True),
   doc="`self`, but not below `min`.", **ELEMENTWISE, scalars="min", fits={"min": as_result})
op("clamp_min.Tensor(Tensor self, Tensor|Scalar min) -> Tensor", lambda x, low: _clamp(x, low, None),
   promote="default", grads={**_ABOVE, "min": lambda g, self, min: jnp.where(self < min, g, 0)},
   node="ClampMinBackward1", doc="`self`, but not below `min`.", **ELEMENTWISE)
op("clamp_max(Tensor self, Tensor|Scalar max) -> Tensor", lambda x, high: _clamp(x, None, high), promote="default",
   grads=_BELOW, node="ClampMaxBackward0",
   inplace_functions=("clamp_max_",), foreach="lists", write=Write(cpp_names=True),
   doc="`self`, but not above `max`.", **ELEMENTWISE, scalars="max", fits={"max": as_result})
op("clamp_max.Tensor(Tensor self, Tensor|Scalar max) -> Tensor", lambda x, high: _clamp(x, None, high),
   promote="default", grads={**_BELOW, "max": lambda g, self, max: jnp.where(self > max, g, 0)},
   node="ClampMaxBackward1", doc="`self`, but not above `max`.", **ELEMENTWISE)


# -- angles and lengths

def _inverse_square(x, y):
    """1 / (x**2 + y**2), and 0 at the origin."""
    square = x * x + y * y
    origin = square == 0
    return jnp.where(origin, 0, 1 / jnp.where(origin, 1, square))


@op("atan2" + _PAIR, promote="float",
    grads={"self": lambda g, self, other: g * (other * _inverse_square(self, other)),
           "other": lambda g, self, other: g * (-self * _inverse_square(self, other))},
    aliases=("arctan2",), autocast={"cuda": "promote"},
    doc="The angle of the point (`other`, `self`) in the plane.", **ELEMENTWISE)
def _atan2(x, y):
    refuse(x, "atan2_cpu", (dt.COMPLEX,))
    return angles.atan2(x, y)


@op("hypot" + _PAIR, promote="default",
    grads={"self": lambda g, self, result: g * (self / result),
           "other": lambda g, other, result: g * (other / result)},
    doc="The square root of the sum of the squares.", **ELEMENTWISE)
def _hypot(x, y):
    refuse(x, "hypot_cpu", (dt.BOOL, dt.INT, dt.COMPLEX))
    return _hypot_value(*_both(x, y))


@jax.custom_jvp
def _hypot_value(x, y):
    return jnp.hypot(x, y)


@_hypot_value.defjvp
def _hypot_jvp(primals, tangents):
    x, y = primals
    result = _hypot_value(x, y)
    return result, tangents[0] * (x / result) + tangents[1] * (y / result)


def _copysign_self(g, self, result):
    zero = self == 0
    ratio = result / jnp.where(zero, 1, self)
    return jnp.where(zero, 0, ratio * g)


def _copysign(x, y):
    refuse(x, "copysign_cpu", (dt.COMPLEX,))
    return jnp.copysign(x, y)


op("copysign" + _OR_NUMBER, _copysign, promote="float",
   grads={"self": _copysign_self, "other": lambda g: jnp.zeros_like(g)}, dispatch="copysign.Tensor",
   doc="The absolute value of `self` with the sign of `other`.", **ELEMENTWISE)
op("copysign.Scalar" + _OR_NUMBER, _copysign, promote="float", grads={"self": _copysign_self},
   node="CopysignBackward1", doc="The absolute value of `self` with the sign of `other`.", **ELEMENTWISE, scalars="other")


# -- logarithms

def _x_times(log, x, y):
    """x log(y): 0 where x is 0, NaN where y is NaN."""
    zero = x == 0
    product = jnp.where(zero, 1, x) * log(jnp.where(zero & ~jnp.isnan(y), 1, y))
    return jnp.where(jnp.isnan(y), jnp.nan, jnp.where(zero, 0, product))


def _xlogy(x, y):
    refuse(x, "xlogy_cpu", (dt.COMPLEX,))
    return _x_times(jnp.log, *_both(x, y))


def _xlog1py(x, y):
    refuse(x, "xlog1py_cpu", (dt.COMPLEX,))
    return _x_times(jnp.log1p, *_both(x, y))


def _log_share(fn, pole):
    """The gradient in x of x log(y): log(y), but 0 where both x is 0 and the log is at its pole.

    It is 0 wherever g is, also where log(y) is infinite or nan. Yet it must be linear in g, without a condition on g:
    so what multiplies g there is not infinite, but so large, twice, that all but 0 overflows.
    """
    def rule(g, self, other):
        nothing, kept = (self == 0) & (other <= pole), jnp.promote_types(g.dtype, other.dtype)
        wide_type = jnp.promote_types(kept, jnp.float32)
        y = jnp.where(nothing, 1, other).astype(wide_type)
        g, y = _both(g.astype(wide_type), y)
        at, below, infinite = y == pole, y < pole, jnp.isinf(y) & (y > 0)
        large = jnp.where(at | below | infinite, jnp.finfo(wide_type).max, 1).astype(wide_type)
        slope = jnp.where(below, 0, jnp.where(at, -1, jnp.where(infinite, 1, fn(y)))).astype(wide_type)
        return jnp.where(nothing, 0, g * large * large * slope).astype(kept)

    return rule


_XLOGY_OTHER = {"other": lambda g, self, other: g * self / other}
_XLOG1PY_OTHER = {"other": lambda g, self, other: g * self / (other + 1)}
_LOGS = {"promote": "float", "layout": "pointwise"}
op("xlogy" + _EITHER, _xlogy, grads={"self": _log_share(jnp.log, 0), **_XLOGY_OTHER}, inplace=True,
   aliases=("special_xlogy",), inplace_functions=("xlogy_",), dispatch="xlogy.Tensor",
   doc="`self` log(`other`), and 0 where `self` is 0.", **_LOGS)
op("xlogy.Scalar_Self" + _EITHER, _xlogy, grads=_XLOGY_OTHER, node="XlogyBackward1", method=False,
   doc="`self` log(`other`), and 0 where `self` is 0.", **_LOGS, scalars="self")
op("xlogy.Scalar_Other" + _EITHER, _xlogy, grads={"self": _log_share(jnp.log, 0)}, node="XlogyBackward2",
   inplace=True, doc="`self` log(`other`), and 0 where `self` is 0.", **_LOGS, scalars="other")
_XLOG1PY = {**_LOGS, "method": False}
op("special_xlog1py" + _EITHER, _xlog1py, grads={"self": _log_share(jnp.log1p, -1), **_XLOG1PY_OTHER},
   node="SpecialXlog1PyBackward0", doc="`self` log(1 + `other`), and 0 where `self` is 0.", **_XLOG1PY)
op("special_xlog1py.self_scalar" + _EITHER, _xlog1py, grads=_XLOG1PY_OTHER,
   node="SpecialXlog1PyBackward1", doc="`self` log(1 + `other`), and 0 where `self` is 0.", **_XLOG1PY, scalars="self")
op("special_xlog1py.other_scalar" + _EITHER, _xlog1py, grads={"self": _log_share(jnp.log1p, -1)},
   node="SpecialXlog1PyBackward2", doc="`self` log(1 + `other`), and 0 where `self` is 0.", **_XLOG1PY, scalars="other")


@op("logaddexp" + _PAIR, promote="default", layout="pointwise",
    grads={"self": lambda g, self, other: g / jnp.conj(1 + jnp.exp(other - self)),
           "other": lambda g, self, other: g / jnp.conj(1 + jnp.exp(self - other))},
    doc="log(exp(`self`) + exp(`other`)) without overflow.")
def _logaddexp(x, y):
    refuse(x, "logaddexp_cpu", (dt.BOOL, dt.INT))
    return complexes.log_of_sum(x, y) if is_complex(x) else jnp.logaddexp(x, y)


@op("logaddexp2" + _PAIR, promote="default", layout="pointwise",
    grads={"self": lambda g, self, other: g / (1 + jnp.exp2(other - self)),
           "other": lambda g, self, other: g / (1 + jnp.exp2(self - other))},
    doc="The same as `logaddexp` to the base 2.")
def _logaddexp2(x, y):
    refuse(x, "logaddexp2_cpu", (dt.BOOL, dt.INT, dt.COMPLEX))
    return jnp.logaddexp2(x, y)


# -- neighbours, steps and powers of two

@op("nextafter" + _PAIR, grads={"self": lambda g, self, other: jnp.where(self != other, g, 0).astype(self.dtype),
                                "other": lambda g, other: jnp.zeros(g.shape, other.dtype)},
    doc="The next number after `self` in the direction of `other`.", **ELEMENTWISE)
def _nextafter(x, y):
    """Without a rule of promotion, which would compute half precision in float32: its next number rounds to `x` again."""
    common = promotion.result_type([promotion.Operand(dt.from_np(a.dtype), 2 if a.ndim else 1) for a in (x, y)])
    x, y = promotion.cast(x, common), promotion.cast(y, common)
    refuse(x, "nextafter_cpu", (dt.BOOL, dt.INT, dt.COMPLEX))
    return jnp.nextafter(x, y)


@op("heaviside(Tensor self, Tensor values) -> Tensor", node="NotImplemented",
    grads={"self": not_implemented("heaviside"), "values": not_implemented("heaviside")},
    write=Write(node="NotImplemented", grad=not_implemented("heaviside_")),
    doc="0 for negative numbers, 1 for positive ones, `values` at 0.", **ELEMENTWISE)
def _heaviside(x, values):
    if is_complex(x) or is_complex(values):
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if x.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return jnp.where(x == 0, values, (x > 0).astype(x.dtype))


@op("ldexp" + _PAIR, promote="float",
    grads={"self": lambda g, other: g * jnp.conj(_power_of_two(other, g.dtype)),
           "other": lambda g, result: g * jnp.conj(result) * math.log(2)},
    inplace_functions=("ldexp_",), dispatch="ldexp.Tensor",
    doc="`self` times 2 to the power of `other`.", **ELEMENTWISE)
def _ldexp(x, exponent):
    return x * jnp.exp2(exponent)


def _power_of_two(exponent, dtype):
    """2**exponent; 0 for a negative integer, as PyTorch's gradient computes it in integers."""
    power = jnp.exp2(exponent.astype(dtype))
    return jnp.where(exponent < 0, 0, power) if is_integral(exponent) else power


# -- whole numbers

def _whole(name, fn, **options):
    op(name + _PAIR, lambda x, y: fn(*_both(x, y)),
       promote=promote_whole(f"{name}_cpu", dt.BOOL, dt.FLOAT, dt.COMPLEX), **options, **ELEMENTWISE)


def _gcd(x, y):
    """Euclid's, also of the least integer, whose absolute value is itself."""
    def step(state):
        a, b = state
        zero = a == 0
        return jnp.where(zero, a, jax.lax.rem(b, jnp.where(zero, 1, a))), jnp.where(zero, b, a)

    return jax.lax.while_loop(lambda state: (state[0] != 0).any(), step, (jnp.abs(x), jnp.abs(y)))[1]


def _lcm(x, y):
    to = jnp.promote_types(x.dtype, jnp.int32)  # as C does
    divisor = _gcd(x, y)
    return jnp.abs(jax.lax.div(x, jnp.where(divisor == 0, 1, divisor)).astype(to) * y.astype(to)).astype(x.dtype)


_whole("gcd", _gcd, inplace_functions=("gcd_",), doc="The greatest common divisor.")
_whole("lcm", _lcm, inplace_functions=("lcm_",), doc="The least common multiple.")
