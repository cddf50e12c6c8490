"""The remainder of float32 numbers on the CPU, where XLA calls the C library element by element (ten times slower).

In float64: there a quotient of two float32 numbers, if it is not too large, is on the right side of every whole number,
and its whole part times the divisor is exact.
"""

import jax
import jax.numpy as jnp

from torchlike._ops.numerics import sines

LARGE = 2.0 ** 28


def _by_division(x, y):
    a, b = x.astype(jnp.float64), y.astype(jnp.float64)
    rest = a - jnp.trunc(a / b) * b
    rest = jnp.where(rest == 0, jnp.copysign(jnp.zeros_like(rest), a), rest)
    return jnp.where(jnp.isinf(b) & jnp.isfinite(a), a, rest).astype(jnp.float32)


def _quick(x, y):
    undefined = (y == 0) | ~jnp.isfinite(x)
    return jax.lax.cond(jnp.all(undefined | ~(jnp.abs(x) > LARGE * jnp.abs(y))), _by_division, jax.lax.rem, x, y)


rem = sines.fast(jax.lax.rem, _quick, lambda x, t, y: t[0] - t[1] * jnp.trunc(x[0] / x[1]))
