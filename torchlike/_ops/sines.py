"""sin and cos of float32 on CPU, where XLA calls the C library element by element (40 times slower).

The argument is reduced to a quarter turn in float64, where a short series is exact to float32.
"""

import math

import jax
import jax.numpy as jnp

from torchlike._ops.rules import wide

LARGE = 2.0 ** 30  # beyond it the quarter turns are no longer counted exactly
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


def _by_series(x, which):
    return both(x.astype(jnp.float64))[which].astype(jnp.float32)


# Functions with names: JAX finds what it has compiled for a branch by the function's identity.

def _sine_series(x):
    return _by_series(x, 0)


def _cosine_series(x):
    return _by_series(x, 1)


def _fast_sine(x):
    return jax.lax.cond(_is_small(x), _sine_series, jnp.sin, x)


def _fast_cosine(x):
    return jax.lax.cond(_is_small(x), _cosine_series, jnp.cos, x)


def _is_small(x):
    return jnp.all(~(jnp.abs(x) > LARGE))


@jax.custom_jvp
def sin(x):
    """sin of an array of any floating or complex dtype."""
    if x.dtype != jnp.float32:
        return jnp.sin(x) if wide(x) is x else sin(wide(x)).astype(x.dtype)
    return jax.lax.platform_dependent(x, cpu=_fast_sine, default=jnp.sin)


@jax.custom_jvp
def cos(x):
    """cos of an array of any floating or complex dtype."""
    if x.dtype != jnp.float32:
        return jnp.cos(x) if wide(x) is x else cos(wide(x)).astype(x.dtype)
    return jax.lax.platform_dependent(x, cpu=_fast_cosine, default=jnp.cos)


sin.defjvp(lambda primals, tangents: (sin(primals[0]), tangents[0] * cos(primals[0])))
cos.defjvp(lambda primals, tangents: (cos(primals[0]), -tangents[0] * sin(primals[0])))
