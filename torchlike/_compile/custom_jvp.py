"""Kernels under JAX's transforms: their values, with PyTorch's derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jax.dtypes import float0

from torchlike._compile import gradients, tangents
from torchlike._compile.kernels import Kernel


def as_custom_jvp(kernel: Kernel):
    """The function of `kernel` for `jax.grad`, `jax.jvp` and the like: of any order, in any order. A jaxpr shows its
    primitives.

    `jax.custom_jvp` with the tangents of `_compile/tangents.py`, so PyTorch's values at ties and bounds.
    """
    if kernel.row is None:
        return kernel.function
    if kernel.transformed is None:
        kernel.transformed = jax.jit(_make(kernel), inline=True)  # else each of its primitives is a call of XLA's
    return kernel.transformed


def jitted(kernel: Kernel):
    """The same as one primitive, of which JAX keeps what it finds: its batches, tangents and their transposes."""
    if kernel.staged is None:
        function = kernel.function if kernel.row is None else _make(kernel)
        kernel.staged = jax.jit(function if any(gradients.differentiable_operands(kernel)) else _constant(function))
    return kernel.staged


def _constant(function):
    """The function without derivatives, at all levels and for the tape."""
    return lambda *arrays: function(*map(jax.lax.stop_gradient, arrays))


def _make(kernel):
    count = len(kernel.ins)

    def plain(*arrays):
        return tuple(kernel.function(*arrays))

    plain.__name__ = kernel.name
    function = jax.custom_jvp(plain)

    def rule(primals, moved):
        results = function(*primals)
        moving = tuple(i for i, t in enumerate(moved[:count]) if not isinstance(t, SymbolicZero))
        floats = tangents.moving_results(kernel, moving)
        found = {}
        if floats:
            values = tangents.values(kernel, moving, primals[:count], [moved[i] for i in moving], primals[count:])
            found = dict(zip(floats, values, strict=True))
        return results, tuple(found[i] if i in found else _zero(r) for i, r in enumerate(results))

    function.defjvp(rule, symbolic_zeros=True)
    return function


def _zero(result):
    return jnp.zeros_like(result) if jnp.issubdtype(result.dtype, jnp.inexact) else np.zeros(result.shape, float0)
