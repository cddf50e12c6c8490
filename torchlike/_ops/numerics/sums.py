"""Sums over leading dimensions, which XLA is slow at on the CPU where many elements are left.

(32, 128, 256) summed over its first dimension takes 3.5 ms, and 0.1 ms as a product with a row of ones.
"""

import math

import jax
import jax.numpy as jnp

from torchlike._ops.numerics import lean

_MANY = 8192  # elements that are left


@jax.custom_jvp
def from_zero(x):
    """0 + x, which is 0 where x is -0.0. XLA takes a sum with 0 for x."""
    if jnp.issubdtype(x.dtype, jnp.complexfloating):
        return jax.lax.complex(from_zero(x.real), from_zero(x.imag))
    return jnp.where(x == 0, 0, x)


from_zero.defjvps(lambda tangent, result, x: tangent)


def total(x, axes, keepdims=False):
    """``jnp.sum(x, axes, keepdims=keepdims)`` for axes counted from 0."""
    long = [axis for axis in sorted(axes) if x.shape[axis] != 1]
    count = math.prod(x.shape[axis] for axis in long)
    left = math.prod(size for axis, size in enumerate(x.shape) if axis not in axes)
    if not long and jnp.issubdtype(x.dtype, jnp.inexact):
        x = from_zero(x)
    ahead = all(axis in long or x.shape[axis] == 1 for axis in range(max(long, default=-1)))
    if count < 2 or not ahead or left < _MANY or x.dtype not in (jnp.float32, jnp.float64):
        return lean.raw(lean.Lean(x).sum(axes, keepdims))
    shape = [1 if axis in axes else n for axis, n in enumerate(x.shape) if keepdims or axis not in axes]

    def by_product(x):
        return (jnp.ones((1, count), x.dtype) @ x.reshape(count, -1)).reshape(shape)

    return jax.lax.platform_dependent(x, cpu=by_product, default=lambda x: jnp.sum(x, axes, keepdims=keepdims))
