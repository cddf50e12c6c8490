"""Reductions: sums, extrema, moments, norms, order statistics.

https://pytorch.org/docs/stable/torch.html#reduction-ops. `dim` None or () means all dimensions.
"""

import math

import jax
import jax.numpy as jnp

from torchlike import dtypes as dt
from torchlike._ops.rules import is_complex, is_float, is_integral, like, refuse, scalar_name, sgn, wide
from torchlike._ops.table import op
from torchlike.errors import wrap_dim, wrap_dims

# -- sums and means

def _accumulator(x, dtype):
    """`x` in the dtype that sums are kept in, and the dtype of the result."""
    if dtype is not None:
        x = x.astype(dtype.np) if not (is_complex(x) and not dtype.is_complex) else x.real.astype(dtype.np)
    out = jnp.dtype(jnp.int64) if is_integral(x) and dtype is None else x.dtype
    return wide(x.astype(out) if is_integral(x) else x), out


def _sum(x, *, dim=None, keepdim=False, dtype=None):
    axes = wrap_dims(dim, x.ndim)
    x, out = _accumulator(x, dtype)
    return jnp.sum(x, axes, keepdims=keepdim).astype(out)


op("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", _sum, grads={"self": ""})
op("sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
   _sum, grads={"self": ""}, node="SumBackward1")


def _mean(x, *, dim=None, keepdim=False, dtype=None):
    axes = wrap_dims(dim, x.ndim)
    if is_integral(x) and dtype is None or dtype is not None and not (
            dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(_mean_dtype_text(x, dtype))
    x, out = _accumulator(x, dtype)
    return jnp.mean(x, axes, keepdims=keepdim).astype(out)


def _mean_dtype_text(x, dtype):
    where, name = ("Input", scalar_name(x)) if dtype is None else ("Optional", dtype.scalar_name)
    return (f"mean(): could not infer output dtype. {where} dtype must be either a floating point or "
            f"complex dtype. Got: {name}")


def spread(g, shape, dim, keepdim):
    """The gradient of a sum: `g` repeated over the dimensions that it went over."""
    if dim is not None and not keepdim:
        g = jnp.expand_dims(g, wrap_dims(dim, len(shape)))
    return jnp.broadcast_to(g, shape)


def _mean_gradient(g, self_aval, dim=None, keepdim=False):  # jax.vjp divides 0 by 0 where there is nothing
    count = math.prod(self_aval.shape) // max(g.size, 1)
    return spread(g, self_aval.shape, dim, keepdim) / max(count, 1)


op("mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", _mean,
   grads={"self": lambda g, self_aval: _mean_gradient(g, self_aval)})
op("mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
   _mean, grads={"self": _mean_gradient}, node="MeanBackward1")

# -- the largest and the smallest

def _evenly(g, self, result):
    """Shared by the elements that equal the result (all NaNs, if it is NaN)."""
    mask = jnp.isnan(self) if is_float(self) else jnp.zeros(self.shape, bool)
    mask = jnp.where(jnp.isnan(result), mask, self == result) if is_float(self) else self == result
    return jnp.where(mask, g / jnp.sum(mask), 0)


def _needs_elements(name):
    return (f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument.")


def _whole(name, pick):
    def extremum(x):
        if x.size == 0:
            raise RuntimeError(_needs_elements(name))
        refuse(x, f"{name}_all", (dt.COMPLEX,))
        return pick(x)

    return extremum


op("max(Tensor self) -> Tensor", _whole("max", jnp.max), grads={"self": _evenly}, node="MaxBackward1")
op("min(Tensor self) -> Tensor", _whole("min", jnp.min), grads={"self": _evenly}, node="MinBackward1")


def scatter_back(g, indices, shape, dim, keepdim):
    """The gradient of picking one element along `dim`: it goes to the index that was picked."""
    if not shape:
        return g
    axis = wrap_dim(dim, len(shape))
    if not keepdim:
        g, indices = jnp.expand_dims(g, axis), jnp.expand_dims(indices, axis)
    places = jnp.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return jnp.where(places == indices, g, 0)


def _picked(g0, result1, self_aval, dim, keepdim):
    return scatter_back(g0, result1, self_aval.shape, dim, keepdim)


def _check_dim(name, x, dim):
    axis = wrap_dim(dim, x.ndim)
    if x.ndim and x.shape[axis] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    return axis


def _along(name, find):
    def extremum(x, *, dim, keepdim):
        axis = _check_dim(name, x, dim)
        if is_complex(x):
            raise RuntimeError(f"{name}(): does not support complex input")
        if x.ndim == 0:
            return x, jnp.zeros((), jnp.int64)
        indices = find(x, axis, keepdims=True)
        values = jnp.take_along_axis(x, indices, axis)
        if not keepdim:
            values, indices = jnp.squeeze(values, axis), jnp.squeeze(indices, axis)
        return values, indices.astype(jnp.int64)

    return extremum


for _name, _find in {"max": jnp.argmax, "min": jnp.argmin}.items():
    op(f"{_name}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
       _along(_name, _find), grads={"self": _picked}, node=f"{_name.capitalize()}Backward0")
