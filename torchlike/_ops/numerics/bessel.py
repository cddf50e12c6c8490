"""Bessel and Airy functions, and erfcx: kernels that JAX has not.

https://pytorch.org/docs/stable/special.html. All are computed in float64 from textbook formulas (Abramowitz and Stegun,
Handbook of Mathematical Functions, chapters 7, 9 and 10), to about 1e-13 of their size:

- J and Y by power series up to 2, by backward recurrence (Miller) and Neumann's series up to 25, beyond by Hankel's
  expansion (PyTorch's own J0 is off by 1.6e-7 near its second zero, 5.52);
- K by its power series up to 2, beyond by the trapezoidal rule on its integral, which converges geometrically;
- Ai by its power series in the middle, by K of order 1/3 to the right and its asymptotic expansion to the left.
"""

import math

import jax.numpy as jnp
import numpy as np
from jax.scipy import special as jsp

_EULER = 0.5772156649015329
_MIDDLE = 25.0  # from here on Hankel's expansion has all digits
_START = 72  # where the backward recurrence starts: J_72(25) is below 1e-35


# -- J and Y

def _orders(x):
    """[J_0(x), J_1(x), ..., J_START(x)] for 0 < x <= 25, by backward recurrence."""
    values = [jnp.zeros_like(x), jnp.full_like(x, 1e-200)]
    twice = 2 / x
    for n in range(_START, 0, -1):
        values.append(n * twice * values[-1] - values[-2])
    values.reverse()
    total = values[0] + 2 * sum(values[2:_START:2])
    return [v / total for v in values[:-1]]


def _hankel(x, order):
    """(P, Q) of Hankel's expansion: J is sqrt(2 / (pi x)) (P cos - Q sin), Y the same with sin and cos."""
    mu, p, q, term = 4.0 * order * order, 1.0, 0.0, 1.0
    for k in range(1, 24):
        term = term * (mu - (2 * k - 1) ** 2) / (k * 8 * x)
        if k % 2:
            q = q + (-1) ** (k // 2) * term
        else:
            p = p + (-1) ** (k // 2) * term
    return p, q


def _far(x, order, kind):
    p, q = _hankel(x, order)
    angle = x - (order / 2 + 0.25) * math.pi
    wave = p * jnp.cos(angle) - q * jnp.sin(angle) if kind == "j" else p * jnp.sin(angle) + q * jnp.cos(angle)
    return jnp.sqrt(2 / (math.pi * x)) * wave


_HARMONIC = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, 32))])
_TERMS = range(22)  # of a power series up to 2


def _coefficient(k, order) -> float:
    return 1.0 / (math.factorial(k) * math.factorial(k + order))


def _j_series(x, order):
    square = -x * x / 4
    return (x / 2) ** order * sum(square ** k * _coefficient(k, order) for k in _TERMS)


def _y_series(x, order):
    """ln(x / 2) J and the digamma series."""
    square, log = -x * x / 4, jnp.log(x / 2)
    sums = [_HARMONIC[k] + _HARMONIC[k + order] - 2 * _EULER for k in _TERMS]
    series = sum(square ** k * _coefficient(k, order) * sums[k] for k in _TERMS)
    pole = 2 / (math.pi * x) if order else 0.0
    return 2 / math.pi * log * _j_series(x, order) - (x / 2) ** order * series / math.pi - pole


def _three(x, low, middle, high):
    """`low` up to 2, `middle` up to 25, `high` beyond: each sees values that it can take."""
    is_low, is_middle = x <= 2, (x > 2) & (x <= _MIDDLE)
    value = jnp.where(is_middle, middle(jnp.where(is_middle, x, 3.0)), high(jnp.where(x > _MIDDLE, x, _MIDDLE)))
    return jnp.where(is_low, low(jnp.where(is_low & (x > 0), x, 1.0)), value)


def j(x, order):
    """J of order 0 or 1."""
    size = jnp.abs(x)
    value = _three(size, lambda v: _j_series(v, order), lambda v: _orders(v)[order], lambda v: _far(v, order, "j"))
    value = jnp.where(size == 0, 1.0 - order, value)
    return jnp.where(jnp.isnan(x) | jnp.isinf(x), jnp.nan, jnp.where(jnp.signbit(x), -value, value) if order else value)


def _y0_middle(x):
    """Neumann's series."""
    j = _orders(x)
    series = sum((-1) ** (k + 1) * j[2 * k] / k for k in range(1, _START // 2))
    return 2 / math.pi * (jnp.log(x / 2) + _EULER) * j[0] + 4 / math.pi * series


def _y1_middle(x):
    """Minus the derivative of Neumann's series for Y0, with J_n' = (J_{n-1} - J_{n+1}) / 2."""
    j = _orders(x)
    last = _START // 2 - 1
    shares = {2 * k + 1: (-1) ** k * (0.5 / (k + 1) * (k < last) + (0.5 / k if k else 0.0)) for k in range(last + 1)}
    series = sum(share * j[n] for n, share in shares.items())  # each order once: XLA computes it for each use
    return 2 / math.pi * ((jnp.log(x / 2) + _EULER) * j[1] - j[0] / x) - 4 / math.pi * series


def y(x, order):
    """Y of order 0 or 1."""
    middle = (_y0_middle, _y1_middle)[order]
    value = _three(x, lambda v: _y_series(v, order), middle, lambda v: _far(v, order, "y"))
    value = jnp.where(jnp.isinf(x), jnp.nan, value)
    return jnp.where(x > 0, value, jnp.where(x == 0, -jnp.inf, jnp.nan))


# -- K

def _k_series(x, order):
    """K_0 or K_1 for 0 < x <= 2."""
    square, log = x * x / 4, jnp.log(x / 2)
    if order == 0:
        return sum(square ** k * _coefficient(k, 0) * (_HARMONIC[k] - _EULER - log) for k in _TERMS)
    means = [(_HARMONIC[k] + _HARMONIC[k + 1]) / 2 - _EULER for k in _TERMS]
    return 1 / x + x / 2 * sum(square ** k * _coefficient(k, 1) * (log - means[k]) for k in _TERMS)


def _k_integral(x, order):
    """exp(x) K(x) for x >= 2: the integral of exp(-x (cosh t - 1)) cosh(order t) over t > 0."""
    width = jnp.minimum(1.0, jnp.sqrt(8 / x))  # of the peak, which the points must not miss
    steep = jnp.sqrt(x) * math.sqrt(2)  # 2 x may be infinite, and the square of a small sinh be 0
    total = 0.5
    for i in range(1, 40):
        t = 0.125 * i * width
        total = total + jnp.exp(-(steep * jnp.sinh(t / 2)) ** 2) * jnp.cosh(order * t)
    return 0.125 * width * total


def k(x, order, scaled):
    low = x <= 2
    inside, outside = jnp.where(low & (x > 0), x, 1.0), jnp.where(low, 2.0, x)
    near, far = _k_series(inside, order), _k_integral(outside, order)
    value = jnp.where(low, near * jnp.exp(inside), far) if scaled else jnp.where(low, near, far * jnp.exp(-outside))
    value = jnp.where(jnp.isinf(x), 0.0, value)
    return jnp.where(x > 0, value, jnp.where(x == 0, jnp.inf, jnp.nan))


# -- Airy

_AIRY_IS_ZERO = 200.0  # from here on Ai is below the least number
_AI0, _AI1 = 0.355028053887817239, 0.258819403792806798  # Ai(0) and -Ai'(0)


def _airy_series(x):
    f = term_f = jnp.ones_like(x)
    g = term_g = x
    cube = x ** 3
    for k in range(1, 40):
        term_f = term_f * cube / ((3 * k - 1) * (3 * k))
        term_g = term_g * cube / ((3 * k) * (3 * k + 1))
        f, g = f + term_f, g + term_g
    return _AI0 * f - _AI1 * g


def _airy_left(x):
    """The asymptotic expansion for large negative x."""
    size = -x
    zeta = 2 / 3 * size ** 1.5
    term, even, odd = 1.0, 1.0, 0.0
    for k in range(1, 16):
        term = term * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1)) / zeta
        if k % 2:
            odd = odd + (-1) ** (k // 2) * term
        else:
            even = even + (-1) ** (k // 2) * term
    angle = zeta - math.pi / 4
    return (jnp.cos(angle) * even + jnp.sin(angle) * odd) / (math.sqrt(math.pi) * size ** 0.25)


def airy(x):
    """Ai."""
    right, left = x > 2, x < -8
    far = jnp.where(right, jnp.minimum(x, _AIRY_IS_ZERO), 2.0)
    zeta = 2 / 3 * far ** 1.5
    decaying = jnp.sqrt(far / 3) / math.pi * _k_integral(zeta, 1 / 3) * jnp.exp(-zeta)
    middle = _airy_series(jnp.where(right | left, 0.0, x))
    value = jnp.where(right, decaying, jnp.where(left, _airy_left(jnp.where(left, x, -8.0)), middle))
    return jnp.where(jnp.isinf(x), jnp.nan, value)


# -- the rest

def spherical(x):
    """The spherical j of order 0."""
    safe = jnp.where(x == 0, 1.0, x)
    return jnp.where(x == 0, 1.0, jnp.where(jnp.isinf(x), 0.0, jnp.sin(safe) / safe))


def erfcx(x):
    """exp(x**2) erfc(x): by erfc below 10, beyond by the asymptotic expansion."""
    near = x < 10
    inside, outside = jnp.where(near, x, 0.0), jnp.where(near, 10.0, x)
    term = total = jnp.ones_like(x)
    for n in range(1, 20):
        term = -term * (2 * n - 1) / (2 * outside * outside)
        total = total + term
    far = total / (outside * math.sqrt(math.pi))
    return jnp.where(near, jnp.exp(inside * inside) * jsp.erfc(inside), far)
