"""Gradients as JAX has them, where they are other ones at ties, at zeros, on bounds and at nan; see docs/differences.

For rows of the table the rules of their differentiable operands, named as in `table.py`. Each is `jax.vjp` of the
function that JAX's users call. Values stay the row's own.
"""

import dataclasses
import functools

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._ops.table import ROWS, Row


def _pulled(function, g, *xs):
    """The gradients that JAX gives, with PyTorch's convention for complex numbers."""
    out, pull = jax.vjp(function, *xs)
    found = [jnp.conj(x) for x in pull(jnp.conj(g).astype(out.dtype))]
    return found[0] if len(found) == 1 else found


def _pair(function):
    def rule(g, self, other):
        dtype = jnp.result_type(self, other)
        shape = jnp.broadcast_shapes(jnp.shape(self), jnp.shape(other))
        xs = (jnp.broadcast_to(jnp.asarray(x, dtype), shape) for x in (self, other))
        return dict(zip(("self", "other"), _pulled(function, g, *xs), strict=True))

    return {"self": rule, "other": rule}


def _single(function):
    return {"self": lambda g, self: _pulled(function, g, self)}


def _axes(dim):
    """Of PyTorch's `dim` JAX's `axis`: without dimensions all."""
    return dim if isinstance(dim, int) else tuple(dim or ()) or None


def _along(function):
    return {"self": lambda g0, self, dim, keepdim: _pulled(lambda x: function(x, axis=dim, keepdims=keepdim), g0, self)}


def _norm(g, self, ord, dim, keepdim):
    x = self.astype(jnp.promote_types(self.dtype, g.dtype))
    return _pulled(lambda x: jnp.linalg.vector_norm(x, ord=ord, axis=_axes(dim), keepdims=keepdim), g, x)


def _moment(function):
    def rule(g, self, dim, correction, keepdim):
        ddof = 1 if correction is None else correction
        return _pulled(lambda x: function(x, axis=_axes(dim), ddof=ddof, keepdims=keepdim), g, self)

    return {"self": rule}


def _scanned(function):
    def along(x, dim):
        return function(x, axis=dim % x.ndim) if x.ndim else x

    return {"self": lambda g0, self, dim: _pulled(lambda x: along(x, dim), g0, self)}


def _powered(g, self, exponent):
    dtype = jnp.result_type(self, exponent)
    shape = jnp.broadcast_shapes(jnp.shape(self), jnp.shape(exponent))
    xs = (jnp.broadcast_to(jnp.asarray(x, dtype), shape) for x in (self, exponent))
    return dict(zip(("self", "exponent"), _pulled(jnp.power, g, *xs), strict=True))


_RULES = {
    "abs": _single(jnp.abs),
    "angle": _single(jnp.angle),
    "rsqrt": _single(lax.rsqrt),
    "relu": _single(jax.nn.relu),
    "leaky_relu": {"self": lambda g, self, negative_slope: _pulled(lambda x: jax.nn.leaky_relu(x, negative_slope), g, self)},
    "celu": {"self": lambda g, self, alpha: _pulled(lambda x: jax.nn.celu(x, alpha), g, self)},
    "clamp": {"self": lambda g, self, min, max: _pulled(lambda x: jnp.clip(x, min, max), g, self)},
    "clamp_min": {"self": lambda g, self, min: _pulled(lambda x: jnp.maximum(x, min), g, self)},
    "clamp_max": {"self": lambda g, self, max: _pulled(lambda x: jnp.minimum(x, max), g, self)},
    "maximum": _pair(jnp.maximum),
    "minimum": _pair(jnp.minimum),
    "fmax": _pair(jnp.fmax),
    "fmin": _pair(jnp.fmin),
    "atan2": _pair(jnp.arctan2),
    "hypot": _pair(jnp.hypot),
    "copysign": _pair(jnp.copysign),
    "xlogy": _pair(jax.scipy.special.xlogy),
    "special_xlog1py": _pair(jax.scipy.special.xlog1py),
    "pow.Tensor_Tensor": {"self": _powered, "exponent": _powered},
    "max": _single(jnp.max),
    "min": _single(jnp.min),
    "max.dim": _along(jnp.max),
    "min.dim": _along(jnp.min),
    "cummax": _scanned(lax.cummax),
    "cummin": _scanned(lax.cummin),
    "std.correction": _moment(jnp.std),
    "var.correction": _moment(jnp.var),
    "linalg_vector_norm": {"self": _norm},
}


def other(row) -> Row | None:
    """The same row with the gradients of the other convention; None where there is none."""
    return rows().get(row) or _originals().get(row)


def is_torch(row) -> bool:
    """Whether the gradients of a row that has two conventions are PyTorch's."""
    return row in rows()


@functools.cache
def _originals() -> dict[Row, Row]:
    return {changed: row for row, changed in rows().items()}


@functools.cache
def rows() -> dict[Row, Row]:
    """{row: the same with JAX's gradients}; what autograd records of it, and its values, stay."""
    return {ROWS[name]: dataclasses.replace(ROWS[name], grads=rules, needs={}) for name, rules in _RULES.items()}
