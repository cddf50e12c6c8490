"""Elementary functions of complex numbers at infinities, nan and zeros of either sign, as in C99's Annex G and PyTorch.

XLA's own are right for finite numbers, but know one zero: what lies on a branch cut is taken for its upper side. So each is
computed where both parts are positive, and mirrored; infinities there are a table for each function.
"""

import math

import jax.numpy as jnp
from jax import lax

from torchlike._ops.numerics import angles, sines
from torchlike._ops.rules import is_complex


def _flipped(x, flips):
    return jnp.where(flips, -x, x)


def _mirrored(function, infinite=None, parity=None, unsigned=None):
    """`function` of real numbers as it is; of complex ones from its values where both parts are positive.

    Args:
        function: of an array.
        infinite: ``infinite(x, y)``, for positive parts: pairs of a condition and the (real, imaginary) value there.
        parity: "odd", "even" or None, where only f(conj z) = conj f(z).
        unsigned: like `infinite`; what has the same sign on all sides.
    """
    def mirrored(z):
        if not is_complex(z):
            return function(z)
        left, below = jnp.signbit(z.real), jnp.signbit(z.imag)
        x, y = _flipped(z.real, left) if parity else z.real, _flipped(z.imag, below)
        made = function(lax.complex(x, y))
        real, imag = made.real, made.imag
        for condition, (a, b) in infinite(x, y) if infinite else ():
            real, imag = jnp.where(condition, a, real), jnp.where(condition, b, imag)
        real = _flipped(real, left) if parity == "odd" else real
        imag = _flipped(imag, left != below if parity == "even" else below)
        for condition, (a, b) in unsigned(x, y) if unsigned else ():
            real, imag = jnp.where(condition, a, real), jnp.where(condition, b, imag)
        return lax.complex(real, imag)

    return mirrored


def _unknown(x):
    """An angle that a function of period 2 pi has no value for."""
    return ~jnp.isfinite(x)


def _zero_is_itself(function):
    """The zero of `function` is at 0, and keeps the signs of both parts."""
    return lambda z: jnp.where(z == 0, z, function(z)) if is_complex(z) else function(z)


def _cosh(z):
    if not is_complex(z):
        return jnp.cosh(z)
    made = jnp.cosh(z)
    return lax.complex(made.real, jnp.where(z.real == 0, z.real * jnp.sin(z.imag), made.imag))


def _sinh(z):
    if not is_complex(z):
        return jnp.sinh(z)
    made = jnp.sinh(z)
    return lax.complex(jnp.where(z.real == 0, z.real * jnp.cos(z.imag), made.real), made.imag)


def _unbounded(function):
    """A logarithm of complex numbers, which is infinite where either part is, also where the other is nan."""
    def computed(z):
        made = function(z)
        if not is_complex(z):
            return made
        return lax.complex(jnp.where(jnp.isinf(z.real) | jnp.isinf(z.imag), jnp.inf, made.real), made.imag)

    return computed


sqrt = _mirrored(jnp.sqrt, lambda x, y: [((x == jnp.inf) & jnp.isnan(y), (jnp.inf, jnp.nan)),
                                         ((x == -jnp.inf) & jnp.isnan(y), (jnp.nan, jnp.inf)),
                                         (jnp.isinf(y), (jnp.inf, jnp.inf))])
log, log2, log10 = map(_unbounded, (jnp.log, jnp.log2, jnp.log10))
exp = _mirrored(jnp.exp, lambda x, y: [((x == -jnp.inf) & _unknown(y), (0, 0)),
                                       ((x == jnp.inf) & _unknown(y), (jnp.inf, jnp.nan))])
expm1 = _zero_is_itself(_mirrored(
    jnp.expm1, unsigned=lambda x, y: [((y == 0) & _unknown(x) & (x != -jnp.inf), (x, jnp.nan))]))
log1p = _zero_is_itself(_mirrored(jnp.log1p))
sin = _mirrored(sines.sin, lambda x, y: [(_unknown(x) & (y == 0), (jnp.nan, 0))], parity="odd",
                unsigned=lambda x, y: [(_unknown(x) & jnp.isinf(y), (jnp.nan, jnp.inf))])
tan = _mirrored(sines.tan, lambda x, y: [(_unknown(x) & (y == 0), (jnp.nan, 0))], parity="odd")
sinh = _mirrored(_sinh, lambda x, y: [((x == 0) & _unknown(y), (0, jnp.nan))], parity="odd",
                 unsigned=lambda x, y: [(jnp.isinf(x) & _unknown(y), (jnp.inf, jnp.nan))])
cosh = _mirrored(_cosh, lambda x, y: [(jnp.isinf(x) & _unknown(y), (jnp.inf, jnp.nan))], parity="even",
                 unsigned=lambda x, y: [((x == 0) & _unknown(y), (jnp.nan, 0))])
tanh = _mirrored(jnp.tanh, lambda x, y: [((x == 0) & _unknown(y), (0, jnp.nan))], parity="odd")
asin = _mirrored(angles.asin, lambda x, y: [((x == 0) & jnp.isnan(y), (0, jnp.nan))], parity="odd")
acos = _mirrored(angles.acos, lambda x, y: [((x == 0) & jnp.isnan(y), (math.pi / 2, jnp.nan))])
asinh = _mirrored(jnp.arcsinh, lambda x, y: [((y == 0) & jnp.isnan(x), (jnp.nan, 0))], parity="odd")
acosh = _mirrored(jnp.arccosh, lambda x, y: [((x == 0) & jnp.isnan(y), (jnp.nan, math.pi / 2))])
atanh = _mirrored(jnp.arctanh, lambda x, y: [
    (jnp.isnan(x) | jnp.isnan(y), (jnp.nan, jnp.nan)), ((x == 0) & jnp.isnan(y), (0, jnp.nan)),
    (jnp.isinf(y), (0, math.pi / 2)), (jnp.isinf(x) & jnp.isnan(y), (0, jnp.nan))], parity="odd")


def cos(z):
    """cosh(i z), but for signs of zeros beside nan."""
    if not is_complex(z):
        return sines.cos(z)
    made = jnp.conj(cosh(lax.complex(z.imag, z.real)))
    imag = jnp.where((z.real == 0) & jnp.isnan(z.imag), z.real, made.imag)
    return lax.complex(made.real, jnp.where((z.imag == 0) & _unknown(z.real), 0, imag))


def atan(z):
    """-i atanh(i z)."""
    if not is_complex(z):
        return angles.atan(z)
    turned = atanh(lax.complex(-z.imag, z.real))
    return lax.complex(turned.imag, -turned.real)


def exp2(z):
    """e to the power of z log 2."""
    return exp(lax.complex(z.real * math.log(2), z.imag * math.log(2))) if is_complex(z) else jnp.exp2(z)


def absolute(z):
    """Infinite where either part is, also where the other is nan."""
    size = jnp.abs(z)
    return jnp.where(jnp.isinf(z.real) | jnp.isinf(z.imag), jnp.inf, size) if is_complex(z) else size


def divided(a, b):
    """a / b as PyTorch divides complex numbers: by the larger part of b, with no other care for infinities."""
    if not is_complex(b):
        return a / b
    a = a.astype(b.dtype)
    flat = jnp.abs(b.real) >= jnp.abs(b.imag)
    large, small = jnp.where(flat, b.real, b.imag), jnp.where(flat, b.imag, b.real)
    zero = lax.stop_gradient(jnp.abs(large))
    ratio = small / large
    size = large + small * ratio
    real = jnp.where(flat, a.real + a.imag * ratio, a.real * ratio + a.imag) / size
    imag = jnp.where(flat, a.imag - a.real * ratio, a.imag * ratio - a.real) / size
    return jnp.where(b == 0, lax.complex(a.real / zero, a.imag / zero), lax.complex(real, imag))


def multiplied(a, b):
    """a * b, infinite where an operand is, also where a part of the other is nan."""
    made = a * b
    found = [jnp.isinf(z.real) | jnp.isinf(z.imag) for z in (a, b)]
    (x, y), (u, v) = (_boxed(z, infinite) for z, infinite in zip((a, b), found, strict=True))
    infinite = lax.complex(jnp.inf * (x * u - y * v), jnp.inf * (x * v + y * u))
    return jnp.where(jnp.isnan(made.real) & jnp.isnan(made.imag) & (found[0] | found[1]), infinite, made)


def _boxed(z, infinite):
    """The parts of what points where z points: infinite parts as 1, the others as 0; of a finite z, nan as 0."""
    def part(x):
        return jnp.where(infinite | jnp.isnan(x), jnp.copysign(jnp.isinf(x).astype(x.dtype), x), x)

    return part(z.real), part(z.imag)


def logistic(z):
    """1 / (1 + exp(-z)) of complex numbers."""
    return divided(jnp.ones_like(z), 1 + exp(-z))


def log_of_sum(x, y):
    """log(exp(x) + exp(y)) of complex numbers, with PyTorch's results where some are infinite."""
    less, more = jnp.where(x.real < y.real, x, y), jnp.where(x.real < y.real, y, x)
    infinite = (less.real == more.real) & jnp.isinf(less.real)
    between = jnp.where(infinite, 0, less - more)
    both = jnp.log(jnp.exp(less) + jnp.exp(more))  # nan of an infinite angle, where C++ has a real part
    both = jnp.where(jnp.isnan(both), _filled(x, jnp.inf, jnp.nan), both)
    found = jnp.where(infinite, jnp.where(less.real < 0, less, both),
                      more + jnp.log(1 + jnp.where(between.real == -jnp.inf, 0, jnp.exp(between))))
    return jnp.where(jnp.isnan(x) | jnp.isnan(y), _filled(x, jnp.nan, jnp.nan), found)


def _filled(like, real, imaginary):
    return lax.complex(jnp.full_like(like.real, real), jnp.full_like(like.real, imaginary))
