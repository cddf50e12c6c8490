"""Orthogonal polynomials of a degree that is data, the zeta function and the incomplete gamma functions.

https://pytorch.org/docs/stable/special.html. A polynomial is its three-term recurrence, run up to the largest degree there
is; a degree below 0 gives 0.
"""

import math

import jax
import jax.numpy as jnp
from jax.scipy import special as jsp

from torchlike._base import dtypes as dt
from torchlike._ops.numerics.zeta import zeta
from torchlike._ops.rules import ELEMENTWISE, no_formula, no_half, promote_except, wide
from torchlike._ops.table import op

_HERMITE_LIMIT = {4: 128, 8: 512}  # degrees from which PyTorch gives nan, by itemsize


def _polynomial(first, following):
    """p(x, n): ``first(x)`` is p_1, ``following(k, x, p, q)`` is p_{k+1} from p_k = p and p_{k-1} = q."""
    def kernel(x, n):
        x, n = jnp.broadcast_arrays(x, n)
        degree = n.astype(jnp.int64)

        def step(state):
            k, q, p, result = state
            following_p = following(k.astype(x.dtype), x, p, q)
            return k + 1, p, following_p, jnp.where(degree == k + 1, following_p, result)

        start = first(x)
        result = jnp.where(degree <= 0, (degree == 0).astype(x.dtype), start)
        highest = degree.max(initial=0)
        state = (jnp.asarray(1, jnp.int64), jnp.ones_like(x), start, result)
        return jax.lax.while_loop(lambda state: state[0] < highest, step, state)[3]

    return kernel


def _chebyshev(first):
    return _polynomial(first, lambda k, x, p, q: 2 * x * p - q)


def _hermite(first, following):
    kernel = _polynomial(first, following)

    def limited(x, n):
        limit = _HERMITE_LIMIT[jnp.dtype(x.dtype).itemsize]
        return jnp.where(n > limit, jnp.nan, kernel(x, jnp.minimum(n, limit)))

    return limited


_KERNELS = {
    "chebyshev_polynomial_t": ("Chebyshev polynomial T", _chebyshev(lambda x: x)),
    "chebyshev_polynomial_u": ("Chebyshev polynomial U", _chebyshev(lambda x: 2 * x)),
    "chebyshev_polynomial_v": ("Chebyshev polynomial V", _chebyshev(lambda x: 2 * x - 1)),
    "chebyshev_polynomial_w": ("Chebyshev polynomial W", _chebyshev(lambda x: 2 * x + 1)),
    "hermite_polynomial_h": ("Hermite polynomial H", _hermite(lambda x: 2 * x, lambda k, x, p, q: 2 * x * p - 2 * k * q)),
    "hermite_polynomial_he": ("Hermite polynomial He", _hermite(lambda x: x, lambda k, x, p, q: x * p - k * q)),
    "laguerre_polynomial_l": ("Laguerre polynomial", _polynomial(
        lambda x: 1 - x, lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1))),
    "legendre_polynomial_p": ("Legendre polynomial", _polynomial(
        lambda x: x, lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1))),
}
for _name in [name for name in _KERNELS if name.startswith("chebyshev")]:
    _what, _plain = _KERNELS[_name]
    _KERNELS[f"shifted_{_name}"] = f"shifted {_what}", lambda x, n, kernel=_plain: kernel(2 * x - 1, n)


def _pair(name, kernel, arguments, promote, grads, doc=""):
    first, second = arguments
    op(f"{name}(Tensor|Scalar {first}, Tensor|Scalar {second}) -> Tensor", kernel, grads=grads, promote=promote, doc=doc,
       **{**ELEMENTWISE, "inplace": False, "method": False})


for _name, (_what, _kernel) in _KERNELS.items():
    _pair(f"special_{_name}", _kernel, ("x", "n"), no_half(f"{_name}_cpu"), {}, f"The {_what} of degree `n`.")


_pair("special_zeta", zeta, ("self", "other"), no_half("zeta_cpu"), {
    "self": no_formula("zeta"), "other": lambda g, self, other: g * -self * zeta(self + 1, other)})


# -- incomplete gamma functions

def _gamma_slope(sign):
    def rule(g, self, other):
        a, x = wide(self), wide(other)
        return (sign * wide(g) * jnp.exp((a - 1) * jnp.log(x) - x - jax.lax.lgamma(a))).astype(g.dtype)

    return rule


_FAR = 1e8  # from here on JAX's series take tens of thousands of steps, or never end


def _far_gamma(a, x, sign):
    """Either function where `a` is large: the normal distribution's, with one term of N. Temme's expansion (1979)."""
    off = jnp.clip((x - a) / a, -1, 1e30)
    near = jnp.abs(off) < 1e-3
    safe = jnp.where(near, 1, off)
    eta = jnp.where(near, off * (1 - off / 3 + off * off * 7 / 36),
                    jnp.sign(off) * jnp.sqrt(2 * (safe - jnp.log1p(safe))))
    rest = jnp.where(near, -1 / 3 + eta / 12, 1 / safe - 1 / jnp.where(near, 1, eta))
    spread = eta * jnp.sqrt(a / 2)
    density = jnp.exp(-spread * spread) / jnp.sqrt(2 * math.pi * a)
    return 0.5 * jax.lax.erfc(-sign * spread) - sign * density * rest


def _incomplete(function, at_infinity, swapped, sign):
    def kernel(a, x):
        a, x = jnp.broadcast_arrays(a, x)
        far = (a > _FAR) & jnp.isfinite(a)
        wide_a, wide_x = wide(a), wide(x)
        result = function(jnp.where(far, 1, wide_a), jnp.where(far, 1, wide_x))
        result = jnp.where(far, _far_gamma(jnp.where(far, wide_a, 1), wide_x, sign), result)
        result = jnp.where((a == 0) & (x > 0), at_infinity, result)
        result = jnp.where(jnp.isinf(x) & ~jnp.isinf(a), at_infinity, result)  # also where a is nan, as in PyTorch
        result = jnp.where((x == 0) & ~(a <= 0), swapped, result)
        bad = (a < 0) | (x < 0) | ((a == 0) & (x == 0)) | (jnp.isinf(a) & jnp.isinf(x)) | (jnp.isnan(x) & ~jnp.isinf(a))
        return jnp.where(bad, jnp.nan, jnp.where(jnp.isinf(a) & ~bad, swapped, result)).astype(a.dtype)

    return kernel


for _name, _alias, _word, _function, _sign in (("igamma", "special_gammainc", "lower", jsp.gammainc, 1),
                                               ("igammac", "special_gammaincc", "upper", jsp.gammaincc, -1)):
    op(f"{_name}(Tensor self, Tensor other) -> Tensor",
       _incomplete(_function, 1.0 if _sign > 0 else 0.0, 0.0 if _sign > 0 else 1.0, _sign),
       promote=promote_except("default", f"{_name}_cpu", lambda common: common.category != dt.FLOAT),
       grads={"self": no_formula(f"{_name}: input"), "other": _gamma_slope(_sign)}, aliases=(_alias,),
       doc=f"The regularized {_word} incomplete gamma function.", **ELEMENTWISE)
