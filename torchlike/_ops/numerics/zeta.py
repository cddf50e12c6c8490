"""The Hurwitz zeta function, and the polygamma functions, which are it."""

import math

import jax
import jax.numpy as jnp
from jax.scipy import special as jsp


@jax.custom_jvp
def zeta(x, q):
    """sum over k >= 0 of (k + q) ** -x, with PyTorch's values at the poles."""
    value = jsp.zeta(x, jnp.where(q > 0, q, 1))
    below = _below(x, jnp.where(q > 0, 0.5, q))
    value = jnp.where(q > 0, value, below)
    first = jnp.where(q > 0, jnp.where(q == 1, 1, jnp.where(q > 0, q, 1) ** -x), jnp.inf)
    overflows = (x > math.sqrt(jnp.finfo(x.dtype).max)) & (q > 1)  # in the terms of PyTorch's expansion
    first = jnp.where(overflows, jnp.nan, first)
    value = jnp.where((x > 1e6) & ~jnp.isnan(q), first, value)  # the other terms are 0
    return jnp.where(x == 1, jnp.inf, jnp.where(x < 1, jnp.nan, value))


@zeta.defjvp
def _zeta_tangent(primals, tangents):
    """In q only: PyTorch has no derivative in x."""
    x, q = primals
    return zeta(x, q), -x * zeta(x + 1, q) * tangents[1]


def _below(x, q):
    """For q <= 0: infinite at integers, nan unless x is an integer; else shifted to above 0."""
    shift = jnp.ceil(-q)
    whole = q == jnp.floor(q)
    safe = jnp.where(whole, 0.5, q)
    steps = jnp.where(whole, 0, shift).astype(jnp.int64)

    def add(state):
        k, total = state
        return k + 1, total + jnp.where(k < steps, _power(safe + k, x), 0)

    _, total = jax.lax.while_loop(lambda state: state[0] < steps.max(initial=0), add,
                                  (jnp.asarray(0, jnp.int64), jnp.zeros(jnp.broadcast_shapes(x.shape, q.shape), x.dtype)))
    value = total + jsp.zeta(x, safe + steps)
    return jnp.where(whole, jnp.inf, jnp.where(x == jnp.floor(x), value, jnp.nan))


def _power(base, x):
    """base ** -x for a negative base and a whole x."""
    sign = jnp.where((base < 0) & (jnp.mod(x, 2) == 1), -1.0, 1.0)
    return sign * jnp.abs(base) ** -x


def polygamma(n, x):
    """The n-th derivative of digamma, n >= 1: (-1) ** (n + 1) n! zeta(n + 1, x)."""
    return (-1.0) ** (n + 1) * math.factorial(n) * zeta(jnp.asarray(n + 1, x.dtype), x)
