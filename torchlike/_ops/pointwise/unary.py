"""Functions of one operand, element by element.

https://pytorch.org/docs/stable/torch.html#pointwise-ops. Gradients are functions of what PyTorch
saves (the result where it can); at poles and branch points they are PyTorch's, not `jax.vjp`'s.
"""

import math

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._ops.numerics import complexes
from torchlike._ops.numerics.sines import cos, sin
from torchlike._ops.rules import (
    ELEMENTWISE,
    is_complex,
    is_integral,
    like,
    no_formula,
    refuse,
    rounded,
    sgn,
    wide,
    zeros,
)
from torchlike._ops.table import SAME, Write, op

_FLOAT = {"promote": "float", **ELEMENTWISE}
_CONJ = jnp.conj


def _rule(name, fn, rule, **options):
    op(f"{name}(Tensor self) -> Tensor", fn, grads={"self": rule}, **{**_FLOAT, **options})


def _rsqrt(x):
    """1 / sqrt(x), in two steps: XLA's own code for one is four times slower on the CPU."""
    if is_complex(x):
        return complexes.divided(jnp.ones_like(x), complexes.sqrt(x))
    return 1 / rounded(jnp.sqrt(x), x.dtype)


# -- exponentials and logarithms

_rule("exp", complexes.exp, lambda g, result: g * _CONJ(result),
      inplace_functions=("exp_",), autocast={"cuda": "fp32"}, foreach="lists", doc="e to the power of each element.")
_rule("exp2", complexes.exp2, lambda g, result: g * _CONJ(result) * math.log(2),
      aliases=("special_exp2",), inplace_functions=("exp2_",), doc="2 to the power of each element.")
_rule("expm1", complexes.expm1, lambda g, result: g * (_CONJ(result) + 1),
      aliases=("special_expm1",), inplace_functions=("expm1_",), autocast={"cuda": "fp32"}, foreach="lists",
      doc="exp(x) - 1, exact also near 0.")
_rule("log", complexes.log, lambda g, self: g / _CONJ(self),
      inplace_functions=("log_",), autocast={"cuda": "fp32"}, foreach="lists", doc="The natural logarithm.")
_rule("log2", complexes.log2, lambda g, self: g / (_CONJ(self) * math.log(2)),
      inplace_functions=("log2_",), autocast={"cuda": "fp32"}, foreach="lists", doc="The logarithm to the base 2.")
_rule("log10", complexes.log10, lambda g, self: g / (_CONJ(self) * math.log(10)),
      inplace_functions=("log10_",), autocast={"cuda": "fp32"}, foreach="lists", doc="The logarithm to the base 10.")
_rule("log1p", complexes.log1p, lambda g, self: g / _CONJ(self + 1), node="Log1PBackward0",
      aliases=("special_log1p",), inplace_functions=("log1p_",), autocast={"cuda": "fp32"}, foreach="lists",
      doc="log(1 + x), exact also near 0.")
_rule("sqrt", complexes.sqrt, lambda g, result: g / (2 * _CONJ(result)), inplace_functions=("sqrt_",), foreach="lists",
      doc="The square root.")
_rule("rsqrt", _rsqrt, lambda g, result: -0.5 * g * _CONJ(result * result * result),
      inplace_functions=("rsqrt_",), autocast={"cuda": "fp32"}, foreach="lists", doc="1 / sqrt(x).")
_rule("reciprocal", lambda x: complexes.divided(jnp.ones_like(x), x), lambda g, result: -g * _CONJ(result * result),
      inplace_functions=("reciprocal_",), autocast={"cuda": "fp32"}, foreach="lists", doc="1 / x.")

# -- trigonometry

_rule("sin", complexes.sin, lambda g, self: g * _CONJ(cos(self)), inplace_functions=("sin_",), foreach="lists",
      doc="The sine.")
_rule("cos", complexes.cos, lambda g, self: g * _CONJ(-sin(self)), inplace_functions=("cos_",), foreach="lists",
      doc="The cosine.")
_rule("tan", complexes.tan, lambda g, result: g * _CONJ(1 + result * result),
      inplace_functions=("tan_",), autocast={"cuda": "fp32"}, foreach="lists", doc="The tangent.")
_rule("asin", complexes.asin, lambda g, self: g * _CONJ(_rsqrt(1 - self * self)),
      aliases=("arcsin",), inplace_functions=("asin_", "arcsin_"), autocast={"cuda": "fp32"}, foreach="lists",
      doc="The inverse of the sine.")
_rule("acos", complexes.acos, lambda g, self: g * _CONJ(-_rsqrt(1 - self * self)),
      aliases=("arccos",), inplace_functions=("acos_", "arccos_"), autocast={"cuda": "fp32"}, foreach="lists",
      doc="The inverse of the cosine.")
_rule("atan", complexes.atan, lambda g, self: g / _CONJ(self * self + 1),
      aliases=("arctan",), inplace_functions=("atan_", "arctan_"), foreach="lists", doc="The inverse of the tangent.")
_rule("sinh", complexes.sinh, lambda g, self: g * _CONJ(jnp.cosh(self)),
      inplace_functions=("sinh_",), autocast={"cuda": "fp32"}, foreach="lists", doc="The hyperbolic sine.")
_rule("cosh", complexes.cosh, lambda g, self: g * _CONJ(jnp.sinh(self)),
      inplace_functions=("cosh_",), autocast={"cuda": "fp32"}, foreach="lists", doc="The hyperbolic cosine.")
_rule("tanh", complexes.tanh, lambda g, result: like(_tanh_gradient(wide(g), wide(result)), g),
      inplace_functions=("tanh_",), foreach="lists", doc="The hyperbolic tangent.")
_rule("asinh", complexes.asinh, lambda g, self: g * _CONJ(_rsqrt(self * self + 1)),
      aliases=("arcsinh",), inplace_functions=("asinh_", "arcsinh_"),
      write=Write(node="AsinhBackward1", grad=no_formula("inplace version of asinh")),
      doc="The inverse of the hyperbolic sine.")
_rule("acosh", complexes.acosh, lambda g, self: g * _CONJ(_acosh_slope(self)),
      aliases=("arccosh",), inplace_functions=("acosh_", "arccosh_"),
      write=Write(node="AcoshBackward1", grad=no_formula("inplace version of acosh")),
      doc="The inverse of the hyperbolic cosine.")
_rule("atanh", complexes.atanh, lambda g, self: g / _CONJ(1 - self * self),
      aliases=("arctanh",), inplace_functions=("atanh_", "arctanh_"),
      write=Write(node="AtanhBackward1", grad=no_formula("inplace version of atanh")),
      doc="The inverse of the hyperbolic tangent.")


def _tanh_gradient(g, result):
    return g * _CONJ(1 - result * result)


def _acosh_slope(x):
    if not is_complex(x):
        return _rsqrt(x * x - 1)
    above, below = (jax.lax.complex(x.real + one, x.imag) for one in (1, -1))  # x + 1 would lose the side of the cut
    return _rsqrt(above) * _rsqrt(below)


# -- sign and modulus

def _neg(x):
    if x.dtype == jnp.bool_:
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are "
                           "trying to invert a mask, use the `~` or `logical_not()` operator instead.")
    return -x


_rule("neg", _neg, lambda g: -g, promote=None,
      aliases=("negative",), inplace_functions=("neg_", "negative_"), foreach="lists", doc="-x.")
def _abs(x):
    refuse(x, "abs_cpu", (dt.BOOL,))
    return complexes.absolute(x)


_rule("abs", _abs, lambda g, self: g * sgn(self), promote=None,
      aliases=("absolute",), inplace_functions=("abs_",), foreach="lists", grad_is_operator=True, write=Write(real=True),
      doc="The absolute value.")


def _sign(x):
    if is_complex(x):
        raise NotImplementedError("Unlike NumPy, torch.sign is not intended to support complex numbers. "
                                  "Please use torch.sgn instead.")
    return sgn(x)


_rule("sign", _sign, zeros, promote=None, foreach="lists", doc="1, 0 or -1: the sign of each element.")
_rule("sgn", sgn, lambda g, self, result: _sgn_gradient(g, self, result), promote=None)


def _sgn_gradient(g, x, unit):
    if not is_complex(x):
        return jnp.zeros_like(g)
    zero = x == 0
    size = jnp.abs(jnp.where(zero, 1, x))
    along = jnp.real(g * jnp.conj(unit)) * unit
    return jnp.where(zero, 0, (g - along) / size)




op("conj_physical(Tensor self) -> Tensor", jnp.conj, grads={"self": lambda g: jnp.conj(g)},
   node="ConjPhysicalBackward0",
   inplace_functions=("conj_physical_",), write=Write(node="ConjPhysicalBackward1"),
   doc="The complex conjugate, computed at once.", **ELEMENTWISE, by_hand="function method")


def _angle(x):
    if is_complex(x):
        return jnp.angle(x)
    x = wide(x.astype(jnp.float32) if is_integral(x) else x)
    return jnp.where(jnp.isnan(x), x, jnp.where(x < 0, math.pi, 0).astype(x.dtype))


def _angle_gradient(g, self):
    if not is_complex(self):
        return jnp.zeros_like(g)
    zero = self == 0
    safe = jnp.where(zero, 1, self)
    return jnp.where(zero, 0, 1j * g * sgn(safe) / jnp.abs(safe))


@op("angle(Tensor self) -> Tensor", grads={"self": _angle_gradient}, layout="pointwise",
    doc="The angle of a complex number; of a real one 0, or pi where it is negative.")
def _angle_row(x):
    return like(_angle(x), x)


# -- steps: whole numbers near x. Gradients are zero, not undefined.

def _step(name, fn, **options):
    def step(x):
        refuse(x, f"{name}_vml_cpu", (dt.BOOL, dt.COMPLEX) if name == "round" else (dt.BOOL,))
        if is_complex(x):
            raise NotImplementedError(f"{name} is not supported for complex inputs")
        return x if is_integral(x) else fn(x)

    _rule(name, step, zeros, promote=None, **options)


_step("floor", jnp.floor, inplace_functions=("floor_",), foreach="lists",
      doc="The largest whole number that is not above x.")
_step("ceil", jnp.ceil, inplace_functions=("ceil_",), foreach="lists",
      doc="The smallest whole number that is not below x.")
_step("trunc", jnp.trunc, aliases=("fix",), inplace_functions=("trunc_", "fix_"), foreach="lists",
      doc="x without its fraction.")
_step("round", jnp.round, aliases=("special_round",), inplace_functions=("round_",), foreach="lists",
      doc="The nearest whole number, the even one at a half.")


@op("round.decimals(Tensor self, *, int decimals) -> Tensor", grads={"self": zeros}, node="RoundBackward1",
    doc="x rounded to `decimals` digits after the point.", **ELEMENTWISE)
def _round_decimals(x, *, decimals):
    refuse(x, "round_cpu", (dt.BOOL, dt.INT, dt.COMPLEX))
    scale = 10.0 ** abs(decimals)
    w = wide(x)
    rounded = jnp.round(w * scale) / scale if decimals >= 0 else jnp.round(w / scale) * scale
    return like(rounded, x)


@op("frac(Tensor self) -> Tensor", grads={"self": SAME}, inplace_functions=("frac_",), foreach="lists",
    doc="x minus x without its fraction.", **ELEMENTWISE)
def _frac(x):
    refuse(x, "frac_cpu", (dt.BOOL, dt.INT, dt.COMPLEX))
    return x - jnp.trunc(x)


# -- degrees, and what is not a number

def _angle_unit(name, factor, **options):
    def convert(x):
        if is_complex(x):
            raise RuntimeError(f"{name} is not supported for complex tensors.")
        return x * factor

    _rule(name, convert, lambda g: g * factor, node=f"{name.title()}Backward0", **options)


_angle_unit("deg2rad", math.pi / 180, inplace_functions=("deg2rad_",), doc="Degrees as radians.")
_angle_unit("rad2deg", 180 / math.pi, inplace_functions=("rad2deg_",), doc="Radians as degrees.")


def _limits(x, posinf, neginf):
    limits = jnp.finfo(x.dtype)
    return limits.max if posinf is None else posinf, limits.min if neginf is None else neginf


@op("nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor",
    grads={"self": lambda g, self: g * jnp.isfinite(self)}, inplace_functions=("nan_to_num_",),
    doc="`self` with finite numbers in the place of NaN and of the infinities.", **ELEMENTWISE)
def _nan_to_num(x, *, nan, posinf, neginf):
    if is_integral(x):
        return x
    if is_complex(x):
        parts = [_nan_to_num(part, nan=nan, posinf=posinf, neginf=neginf) for part in (x.real, x.imag)]
        return jax.lax.complex(*parts)
    high, low = _limits(x, posinf, neginf)
    finite = jnp.where(x == jnp.inf, high, jnp.where(x == -jnp.inf, low, x))
    return jnp.where(jnp.isnan(x), 0 if nan is None else nan, finite).astype(x.dtype)


def _test(name, fn, complex_text=None, *, doc, out=True):
    def test(x):
        if complex_text and is_complex(x):
            raise (NotImplementedError if name == "signbit" else RuntimeError)(complex_text)
        return fn(x)

    op(f"{name}(Tensor self) -> Tensor", test, layout="pointwise", doc=doc, out=out)


def _everywhere_false(fn):
    return lambda x: jnp.zeros(x.shape, bool) if is_integral(x) else fn(x)


_test("isnan", _everywhere_false(jnp.isnan), doc="Whether the element is NaN.", out=False)
_test("isinf", _everywhere_false(jnp.isinf), doc="Whether the element is infinite.", out=False)
_test("isfinite", lambda x: jnp.ones(x.shape, bool) if is_integral(x) else jnp.isfinite(x),
      doc="Whether the element is neither infinite nor NaN.", out=False)
_test("isposinf", _everywhere_false(lambda x: x == jnp.inf), "isposinf does not support complex inputs.",
      doc="Whether the element is positive infinity.")
_test("isneginf", _everywhere_false(lambda x: x == -jnp.inf), "isneginf does not support complex inputs.",
      doc="Whether the element is negative infinity.")
_test("signbit", lambda x: x < 0 if is_integral(x) and x.dtype != jnp.bool_ else _sign_bit(x),
      "signbit is not implemented for complex tensors.", doc="Whether the sign bit is set, also that of -0.0.")


def _sign_bit(x):
    return jnp.zeros(x.shape, bool) if x.dtype == jnp.bool_ else jnp.signbit(x)


op("logical_not(Tensor self) -> Tensor", lambda x: x == 0, write=Write(differentiable=False),
   doc="Whether the element is zero.", **ELEMENTWISE)


@op("bitwise_not(Tensor self) -> Tensor", doc="The integer with all bits flipped.", **ELEMENTWISE)
def _bitwise_not(x):
    refuse(x, "bitwise_not_cpu", (dt.FLOAT, dt.COMPLEX))
    return ~x
