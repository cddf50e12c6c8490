"""Special functions of one operand: error functions, gamma functions, sigmoid, Bessel functions.

https://pytorch.org/docs/stable/special.html. Their gradients are PyTorch's formulas, which use the
saved result or stay finite at poles where `jax.vjp` of the series does not.
"""

import math

import jax
import jax.numpy as jnp
from jax.scipy import special as jsp

from torchlike._base import dtypes as dt
from torchlike._ops.numerics import complexes
from torchlike._ops.numerics.zeta import polygamma
from torchlike._ops.rules import ELEMENTWISE, guarded, is_complex, like, no_half, refuse, wide
from torchlike._ops.table import Write, op


def _rule(name, fn, rule, kernel=None, **options):
    """A row that refuses complex numbers as PyTorch's kernel `kernel` does."""
    def real_only(x):
        if kernel:
            refuse(x, kernel, (dt.COMPLEX,))
        return fn(x)

    op(f"{name}(Tensor self) -> Tensor", real_only, grads={"self": rule},
       **{"promote": "float", **ELEMENTWISE, **options})


def _hidden(name, fn, rule, kernel, **options):
    """A row of torch.special: no method."""
    _rule(name, fn, rule, kernel, inplace=False, method=False, **options)


# -- error functions

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)

_rule("erf", jax.lax.erf, lambda g, self: _TWO_OVER_ROOT_PI * jnp.exp(-(self * self)) * g, "erf_vml_cpu",
      aliases=("special_erf",), inplace_functions=("erf_",), foreach="lists", doc="The error function.")
_rule("erfc", jax.lax.erfc, lambda g, self: -_TWO_OVER_ROOT_PI * jnp.exp(-(self * self)) * g, "erfc_vml_cpu",
      aliases=("special_erfc",), inplace_functions=("erfc_",), foreach="lists", doc="1 minus the error function.")
_rule("erfinv", jax.lax.erf_inv,
      lambda g, self: 0.5 * math.sqrt(math.pi) * jnp.exp(jax.lax.erf_inv(self) ** 2) * g, "erfinv_vml_cpu",
      aliases=("special_erfinv",), autocast={"cuda": "fp32"}, doc="The inverse of the error function.")
_hidden("special_ndtri", jsp.ndtri,
        lambda g, result: g * math.sqrt(2 * math.pi) * jnp.exp(result * result / 2), "ndtri_cpu",
        promote=no_half("ndtri_cpu"), doc="The inverse of the normal distribution function.")
_hidden("special_log_ndtr", jsp.log_ndtr,
        lambda g, self, result: g / math.sqrt(2 * math.pi) * jnp.exp(-(result + self * self / 2)),
        "log_ndtr_cpu",
        promote=no_half("log_ndtr_cpu"), doc="The logarithm of the normal distribution function.")

# -- gamma functions


@jax.custom_jvp  # JAX's trigamma is wrong below zero
def _digamma(x):
    """digamma(0) is minus infinity with the sign of the zero; NaN at the negative integers."""
    at_zero = jnp.copysign(jnp.full_like(x, jnp.inf), -x)
    pole = (x < 0) & (x == jnp.floor(x))
    safe = jnp.where((x == 0) | pole, 1, x)
    return jnp.where(x == 0, at_zero, jnp.where(pole, jnp.nan, jax.lax.digamma(safe)))


@_digamma.defjvp
def _digamma_tangent(primals, tangents):
    return _digamma(*primals), _polygamma(1, *primals) * tangents[0]


def _polygamma(n, x):
    """The n-th derivative of digamma, by reflection where x < 1/2 for the trigamma function."""
    if n == 0:
        return _digamma(x)
    if n > 1:
        return polygamma(n, x)
    left = x < 0.5
    folded = jnp.where(left, 1 - x, x)
    far = folded > 1e9
    right = jnp.where(far, (1 + 0.5 / folded) / folded, _zeta_form(1, jnp.where(far, 1, folded)))
    sine = jnp.sin(math.pi * jnp.where(left, x, 0.5))
    return jnp.where(left, (math.pi / sine) ** 2 - right, right)


def _zeta_form(n, x):
    return jsp.polygamma(jnp.asarray(n), x)


def _lgamma(x):
    return jnp.where((x == 1) | (x == 2), jnp.zeros_like(x), jax.lax.lgamma(x))  # XLA's is some 1e-15 there


_rule("lgamma", _lgamma, lambda g, self: like(wide(g) * _digamma(wide(self)), g),
      "lgamma_vml_cpu", aliases=("special_gammaln",), foreach="lists",
      doc="The logarithm of the gamma function's absolute value.")
_rule("digamma", _digamma, lambda g, self: like(wide(g) * _polygamma(1, wide(self)), g), "digamma",
      aliases=("special_digamma", "special_psi"), doc="The derivative of the logarithm of the gamma function.")


@op("polygamma(int n, Tensor self) -> Tensor", promote="float",
    grads={"self": lambda g, self, n: like(wide(g) * _polygamma(n + 1, wide(self)), g)}, layout="pointwise", method=False,
    aliases=("special_polygamma",), write=Write(node="PolygammaBackward1"), doc="The `n`-th derivative of `digamma`.")
def _polygamma_row(x, *, n):
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    refuse(x, "polygamma", (dt.COMPLEX,))
    return _polygamma(n, x)


# -- sigmoid and its inverse

def _sigmoid_gradient(g, result):
    y = wide(result)
    return like(wide(g) * jnp.conj((1 - y) * y), g)


_rule("sigmoid", lambda x: complexes.logistic(x) if is_complex(x) else jax.nn.sigmoid(x), _sigmoid_gradient,
      aliases=("special_expit",), inplace_functions=("sigmoid_",), foreach="lists", doc="1 / (1 + exp(-x)).")


def _logit_gradient(g, self, eps=None):
    x = wide(self)
    low, high = (0, 1) if eps is None else (eps, 1 - eps)
    inside = (x >= low) & (x <= high)
    outside = jnp.nan if eps is None else 0
    safe = jnp.where(inside, x, 0.5)
    pole = (safe == 0) | (safe == 1)  # of zeros of either sign
    slope = jnp.where(pole, jnp.inf, 1 / jnp.where(pole, 1, safe * (1 - safe)))
    return like(jnp.where(inside, wide(g) * slope, outside), g)


@op("logit(Tensor self, float? eps=None) -> Tensor", promote="float", grads={"self": _logit_gradient},
    aliases=("special_logit",), inplace_functions=("logit_",),
    doc="log(x / (1 - x)), with x moved to between `eps` and 1 - `eps`.", **ELEMENTWISE)
def _logit(x, *, eps):
    refuse(x, "logit_cpu", (dt.COMPLEX,))
    if eps is not None:
        x = jnp.where(x < eps, eps, jnp.where(x > 1 - eps, 1 - eps, x))
    return jnp.log(x / (1 - x))


# -- entropies, sinc, Bessel functions

def _sinc(x):
    zero = x == 0
    scaled = math.pi * jnp.where(zero, 1, x)
    return jnp.where(zero, 1, jnp.sin(scaled) / scaled)


def _sinc_gradient(g, self):
    zero = wide(self) * wide(self) == 0  # which is divided by
    safe = jnp.where(zero, 1, wide(self))
    scaled = math.pi * safe
    slope = (scaled * jnp.cos(scaled) - jnp.sin(scaled)) / (scaled * safe)
    return like(jnp.where(zero, 0, wide(g) * jnp.conj(slope)), g)


_rule("sinc", _sinc, _sinc_gradient, aliases=("special_sinc",), inplace_functions=("sinc_",),
      doc="sin(pi x) / (pi x), and 1 at 0.")


def _entr(x):
    positive = x > 0
    return jnp.where(jnp.isnan(x), x, jnp.where(
        positive, -x * jnp.log(jnp.where(positive, x, 1)), jnp.where(x == 0, 0, -jnp.inf)))


_hidden("special_entr", _entr, lambda g, self: g * -(1 + jnp.log(self)), "entr",
        doc="-x log(x), 0 at 0 and minus infinity below.")
_hidden("special_i0e", jsp.i0e, lambda g, self, result: g * (jsp.i1e(self) - jnp.sign(self) * result), "i0e",
        node="SpecialI0EBackward0", doc="exp(-|x|) times the modified Bessel function of the first kind, of order 0.")
_rule("i0", jsp.i0, lambda g, self: g * _from_zero(jsp.i1(self)), "i0_vml_cpu", aliases=("special_i0",),
      inplace_functions=("i0_",),
      doc="The modified Bessel function of the first kind, of order 0.")
_hidden("special_i1", lambda x: _from_zero(jsp.i1(x)),
        lambda g, self, result: g * _i1_slope(jsp.i0(self), self, result), "i1",
        doc="The modified Bessel function of the first kind, of order 1.")
_hidden("special_i1e", lambda x: _from_zero(jsp.i1e(x)),
        lambda g, self, result: g * _i1_slope(jsp.i0e(self), self, result, jnp.sign(self) * result), "i1e",
        node="SpecialI1EBackward0", doc="exp(-|x|) times the modified Bessel function of the first kind, of order 1.")


def _from_zero(y):
    """PyTorch's zero is positive."""
    return jnp.where(y == 0, 0, y)


def _i1_slope(i0, x, i1, scale=0):
    """I1' = I0 - I1/x, which is 1/2 at 0, less what the `scale` takes away."""
    tiny = ~(jnp.abs(x) > jnp.finfo(x.dtype).eps)  # nan among them, as in PyTorch
    safe = jnp.where(tiny, 1, x)
    return jnp.where(tiny, 0.5, i0 - i1 / safe - scale)


def _halves(p):
    """0, -1/2, ..., -(p-1)/2: the shifts of the p gamma functions."""
    return [-i / 2 for i in range(p)]


def _refuse_bool(operands):
    if operands[0].dtype is dt.bool_:
        raise RuntimeError("The input tensor may not be a boolean tensor.")


@op("mvlgamma(Tensor self, int p) -> Tensor", promote=guarded("float", "mvlgamma", _refuse_bool),
    grads={"self": lambda g, self, p: g * sum(_digamma(self + shift) for shift in _halves(p))},
    aliases=("special_multigammaln",), **ELEMENTWISE)
def _mvlgamma(x, *, p):
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    refuse(x, "mvlgamma", (dt.COMPLEX,))
    return sum(_lgamma(x + shift) for shift in _halves(p)) + p * (p - 1) / 4 * math.log(math.pi)
