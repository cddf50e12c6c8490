"""asin, acos, atan and atan2 of float32 on CPU, where XLA goes element by element (ten times slower).

As in `sines`: in float64, where a short series is exact to float32.
"""

import functools
import math

import jax.numpy as jnp

from torchlike._ops.numerics import sines

_EIGHTH = math.tan(math.pi / 8)
_ARCTANGENT = tuple((-1) ** k / (2 * k + 1) for k in range(12))  # of atan(t) / t in t * t, up to tan(pi / 8)


def _angle(y, x):
    """atan2 of float64 arrays that hold float32 numbers."""
    high, low = jnp.maximum(jnp.abs(x), jnp.abs(y)), jnp.minimum(jnp.abs(x), jnp.abs(y))
    t = jnp.where(high == 0, 0, jnp.where(jnp.isinf(low), 1, low / high))
    steep = t > _EIGHTH
    t = jnp.where(steep, (t - 1) / (t + 1), t)
    angle = t * sines.series(t * t, _ARCTANGENT) + jnp.where(steep, math.pi / 4, 0)
    angle = jnp.where(jnp.abs(y) > jnp.abs(x), math.pi / 2 - angle, angle)
    return jnp.copysign(jnp.where(jnp.signbit(x), math.pi - angle, angle), y)


def _across(x):
    """The other side of a triangle with the longest side 1."""
    return jnp.sqrt((1 - x) * (1 + x))


def _narrow(function):
    @functools.wraps(function)
    def narrow(*arrays):
        return function(*(x.astype(jnp.float64) for x in arrays)).astype(jnp.float32)

    return narrow


asin = sines.fast(jnp.arcsin, _narrow(lambda x: _angle(x, _across(x))), lambda x, t, y: t[0] / _across(x[0]))
acos = sines.fast(jnp.arccos, _narrow(lambda x: _angle(_across(x), x)), lambda x, t, y: -t[0] / _across(x[0]))
atan = sines.fast(jnp.arctan, _narrow(lambda x: _angle(x, jnp.ones_like(x))), lambda x, t, y: t[0] / (1 + x[0] * x[0]))
atan2 = sines.fast(jnp.arctan2, _narrow(_angle),
                   lambda x, t, y: (t[0] * x[1] - t[1] * x[0]) / (x[0] * x[0] + x[1] * x[1]))
