"""Orthogonal polynomials of a degree that is data, the zeta function and the incomplete gamma functions.

https://pytorch.org/docs/stable/special.html. A polynomial is its three-term recurrence, run up to the largest degree that no
formula has the value for; a degree below 0 gives 0.
"""

import math

import jax
import jax.numpy as jnp
from jax.scipy import special as jsp

from torchlike._base import dtypes as dt
from torchlike._ops import promotion
from torchlike._ops.numerics.zeta import zeta
from torchlike._ops.rules import ELEMENTWISE, no_formula, no_half, promote_except, wide
from torchlike._ops.table import op

_HERMITE_LIMIT = {4: 128, 8: 512}  # degrees from which PyTorch gives nan, by itemsize


def _polynomial(first, following, known=None):
    """p(x, n): ``first(x)`` is p_1, ``following(k, x, p, q)`` is p_{k+1} from p_k = p and p_{k-1} = q, and
    ``known(x, n, degree)`` is (where a formula has the value, the value). A degree too large for an integer of 64 bits is
    none, as in PyTorch.
    """
    def kernel(x, n):
        x, n = jnp.broadcast_arrays(x, n)
        degree = promotion.cast(n, dt.int64)
        formula, value = (False, 0) if known is None else known(x, degree.astype(x.dtype), degree)
        degree = jnp.where(formula, 0, degree)

        def unfinished(state):
            k, _, p, _ = state
            return ((degree > k) & ~jnp.isnan(p)).any()

        def step(state):
            k, q, p, result = state
            following_p = following(k.astype(x.dtype), x, p, q)
            return k + 1, p, following_p, jnp.where((degree > k) & ~jnp.isnan(result), following_p, result)

        start = jnp.where(degree <= 0, (degree == 0).astype(x.dtype), first(x))
        found = jax.lax.while_loop(unfinished, step, (jnp.asarray(1, jnp.int64), jnp.ones_like(x), first(x), start))[3]
        return jnp.where(formula, value, found)

    return kernel


def _at_ends(x, degree, right, left):
    """(where x is 1 or -1 and there is a degree, the values there)."""
    return (jnp.abs(x) == 1) & (degree >= 0), jnp.where(x > 0, right, left)


def _alternating(degree, value=1):
    return jnp.where(degree % 2 == 0, value, -value)


def _chebyshev(first, inner, ends, above):
    """Of degrees `above` the angle has the values between -1 and 1: ``inner(n, angle)``."""
    def known(x, n, degree):
        end, value = _at_ends(x, degree, *ends(n, degree))
        inside = (jnp.abs(x) < 1) & (degree > above)
        angle = jnp.arccos(jnp.where(inside, x, 0))
        return end | inside, jnp.where(end, value, inner(n, angle))

    return _polynomial(first, lambda k, x, p, q: 2 * x * p - q, known)


def _ratio(above, below, degenerate, limit):
    return jnp.where(degenerate, limit, above / jnp.where(degenerate, 1, below))


_ANGLES = {
    "t": (lambda n, a: jnp.cos(n * a), lambda n, d: (jnp.ones_like(n), _alternating(d))),
    "u": (lambda n, a: _ratio(jnp.sin((n + 1) * a), jnp.sin(a), jnp.sin(a) == 0, (n + 1) * jnp.cos((n + 1) * a)),
          lambda n, d: (n + 1, _alternating(d, n + 1))),
    "v": (lambda n, a: _ratio(jnp.cos((n + 0.5) * a), jnp.cos(a / 2), jnp.sin(a / 2) == 1, _alternating(n, 2 * n + 1)),
          lambda n, d: (jnp.ones_like(n), _alternating(d, 2 * n + 1))),
    "w": (lambda n, a: _ratio(jnp.sin((n + 0.5) * a), jnp.sin(a / 2), jnp.cos(a / 2) == 1, 2 * n + 1),
          lambda n, d: (2 * n + 1, _alternating(d))),
}
_FIRST = {"t": lambda x: x, "u": lambda x: 2 * x, "v": lambda x: 2 * x - 1, "w": lambda x: 2 * x + 1}


def _kind(letter, above):
    return _chebyshev(_FIRST[letter], *_ANGLES[letter], above)


def _shifted(letter, above):
    kernel = _kind(letter, above)
    return lambda x, n: kernel(2 * x - 1, n)


def _hermite(first, following):
    def known(x, n, degree):
        return degree > _HERMITE_LIMIT[jnp.dtype(x.dtype).itemsize], jnp.nan

    return _polynomial(first, following, known)


_BY_ANGLE = {"t": (6, 6), "u": (8, 6), "v": (8, 6), "w": (8, 4)}  # above which degrees PyTorch computes so: plain, shifted
_KERNELS = {
    **{f"chebyshev_polynomial_{x}": (f"Chebyshev polynomial {x.upper()}", _kind(x, above))
       for x, (above, _) in _BY_ANGLE.items()},
    **{f"shifted_chebyshev_polynomial_{x}": (f"shifted Chebyshev polynomial {x.upper()}", _shifted(x, above))
       for x, (_, above) in _BY_ANGLE.items()},
    "hermite_polynomial_h": ("Hermite polynomial H", _hermite(lambda x: 2 * x, lambda k, x, p, q: 2 * x * p - 2 * k * q)),
    "hermite_polynomial_he": ("Hermite polynomial He", _hermite(lambda x: x, lambda k, x, p, q: x * p - k * q)),
    "laguerre_polynomial_l": ("Laguerre polynomial", _polynomial(
        lambda x: 1 - x, lambda k, x, p, q: ((2 * k + 1 - x) * p - k * q) / (k + 1),
        lambda x, n, degree: ((x == 0) & (degree >= 0), 1))),
    "legendre_polynomial_p": ("Legendre polynomial", _polynomial(
        lambda x: x, lambda k, x, p, q: ((2 * k + 1) * x * p - k * q) / (k + 1),
        lambda x, n, degree: _at_ends(x, degree, 1, _alternating(degree)))),
}


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


_ZETA = (1.6449340668482264, 1.2020569031595942, 1.0823232337111382, 1.0369277551433699, 1.0173430619844491,
         1.0083492773819228, 1.0040773561979443, 1.0020083928260822)  # of 2 to 9; from there on 1 + 2^-k + 3^-k
_EULER = 0.57721566490153286


def _log_gamma_of_one_more(a):
    """lgamma(1 + a), exact where `a` is small."""
    zeta = [*_ZETA, *(1 + 2.0 ** -k + 3.0 ** -k + 4.0 ** -k for k in range(10, 50))]
    small = jnp.where(a < 0.5, a, 0.25)
    series = -_EULER * small + sum((-1) ** k * value / k * small ** k for k, value in enumerate(zeta, 2))
    return jnp.where(a < 0.5, series, jax.lax.lgamma(1 + a))


def _upper_of_little(a, x):
    """(where x and `a` are so small that 1 less the lower function cancels, the upper function there), by DLMF 8.7.3."""
    log = jnp.log(jnp.where(x > 0, x, 1))
    little = (x > 0) & (a > 0) & jnp.where(x <= 0.5, a * -log <= 0.4, (x <= 1.1) & (a <= 1.1 * x))
    a, x, log = (jnp.where(little, each, 0.5) for each in (a, x, log))
    term, total = 1.0, 0.0
    for n in range(1, 25):
        term = term * -x / n
        total = total + term / (a + n)
    power = a * log - _log_gamma_of_one_more(a)
    return little, -jnp.expm1(power) - a * jnp.exp(power) * total


def _incomplete(function, at_infinity, swapped, sign):
    def kernel(a, x):
        a, x = jnp.broadcast_arrays(a, x)
        far = (a > _FAR) & jnp.isfinite(a)
        wide_a, wide_x = wide(a), wide(x)
        result = function(jnp.where(far, 1, wide_a), jnp.where(far, 1, wide_x))
        result = jnp.where(far, _far_gamma(jnp.where(far, wide_a, 1), wide_x, sign), result)
        if sign < 0:
            little, upper = _upper_of_little(wide_a, wide_x)
            result = jnp.where(little, upper, result)
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
