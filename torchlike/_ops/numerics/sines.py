"""sin, cos and tan of float32 on CPU, where XLA calls the C library element by element (40 times slower).

The argument is reduced to a quarter turn in float64, where a short series is exact to float32.
"""

import math

import jax
import jax.numpy as jnp

from torchlike._ops.rules import wide

LARGE = 2.0 ** 20  # beyond it the products of quarter turns with _TURN_HIGH are exact only where they are fused with a sum
_TURN_HIGH = 1.5707963267341256  # the first 33 bits of pi / 2: its products with whole numbers are exact
_TURN_LOW = math.pi / 2 - _TURN_HIGH + 6.123233995736766e-17
_SINE = (1.0, -1 / 6, 1 / 120, -1 / 5040, 1 / 362880)
_COSINE = (1.0, -1 / 2, 1 / 24, -1 / 720, 1 / 40320, -1 / 3628800)


def series(square, terms):
    """The polynomial with these coefficients, the constant first."""
    total = jnp.full_like(square, terms[-1])
    for term in reversed(terms[:-1]):
        total = total * square + term
    return total


def both(x):
    """(sin, cos) of a float64 array of float32 numbers up to `LARGE`."""
    turns = jnp.round(x * (2 / math.pi))
    rest = jnp.where(turns == 0, x, (x - turns * _TURN_HIGH) - turns * _TURN_LOW)  # -0.0 stays
    square = rest * rest
    sine, cosine = rest * series(square, _SINE), series(square, _COSINE)
    which = turns.astype(jnp.int32)
    swapped = which % 2 != 0
    return (_signed(jnp.where(swapped, cosine, sine), which), _signed(jnp.where(swapped, sine, cosine), which + 1))


def _signed(value, quarters):
    return jnp.where(quarters & 2 == 0, value, -value)


def fast(exact, quick, derivative):
    """The function `exact` with `quick` for float32 on the CPU. ``derivative(primals, tangents, result)``."""
    def plain(*arrays):
        x = arrays[0]
        if x.dtype != jnp.float32:
            return exact(*arrays) if wide(x) is x else function(*map(wide, arrays)).astype(x.dtype)
        return jax.lax.platform_dependent(*arrays, cpu=quick, default=exact)

    plain.__name__ = exact.__name__  # the one that programs to be read have
    function = jax.custom_jvp(plain)

    @function.defjvp
    def _(primals, tangents):
        result = function(*primals)
        return result, derivative(primals, tangents, result)

    function.__doc__ = f"{exact.__name__} of an array of any floating or complex dtype."
    return function


def _if_small(by_series, exact):
    """``by_series(x)`` for a float64 array where no number is larger than `LARGE`, else `exact`."""
    def narrow(x):
        return by_series(x.astype(jnp.float64)).astype(jnp.float32)

    return lambda x: jax.lax.cond(jnp.all(~(jnp.abs(x) > LARGE)), narrow, exact, x)


def _tangent(x):
    sine, cosine = both(x)
    return sine / cosine


sin = fast(jnp.sin, _if_small(lambda x: both(x)[0], jnp.sin), lambda x, t, y: t[0] * cos(x[0]))
cos = fast(jnp.cos, _if_small(lambda x: both(x)[1], jnp.cos), lambda x, t, y: -t[0] * sin(x[0]))
tan = fast(jnp.tan, _if_small(_tangent, jnp.tan), lambda x, t, y: t[0] * (1 + y * y))
