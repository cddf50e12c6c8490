"""Running sums, products and extrema along one dimension.

https://pytorch.org/docs/stable/generated/torch.cumsum.html
"""

import jax
import jax.numpy as jnp

from torchlike import dtypes as dt
from torchlike._ops.reduce import accumulator
from torchlike._ops.rules import is_float, like, refuse, wide
from torchlike._ops.table import op
from torchlike.errors import wrap_dim


def _along(fn, x, axis):
    return fn(x, axis) if x.ndim else fn(x[None], 0)[0]


def _running(name, fn, saved):
    def running(x, *, dim, dtype):
        axis = wrap_dim(dim, x.ndim)
        x, out = accumulator(x, dtype)
        return _along(fn, x, axis).astype(out)

    op(f"{name}(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", running, grads={"self": saved},
       inplace=True)


_running("cumsum", jnp.cumsum, "")
_running("cumprod", jnp.cumprod, "self result")  # jax.vjp is right where elements are zero


@op("logcumsumexp(Tensor self, int dim) -> Tensor", grads={"self": "self result"})
def _logcumsumexp(x, *, dim):
    axis = wrap_dim(dim, x.ndim)
    refuse(x, "logcumsumexp_out_cpu", (dt.BOOL, dt.INT))
    scan = _complex_logcumsumexp if not is_float(x) else jax.lax.cumlogsumexp
    return like(_along(scan, wide(x), axis), x)


def _complex_logcumsumexp(x, axis):
    peak = jax.lax.stop_gradient(jnp.max(x.real, axis, keepdims=True, initial=-jnp.inf))
    return jnp.log(jnp.cumsum(jnp.exp(x - peak), axis)) + peak


# -- running extrema: the latest of equal elements, and NaN once there is one

def _extreme(name, scan):
    def extreme(x, *, dim):
        axis = wrap_dim(dim, x.ndim)
        refuse(x, f"{name}_cpu", (dt.COMPLEX,))
        if x.ndim == 0:
            return x, jnp.zeros((), jnp.int64)
        places = jax.lax.broadcasted_iota(jnp.int32, x.shape, axis)
        if x.size == 0:
            return x, places.astype(jnp.int64)
        values = _scanned(scan, x, axis)
        here = (x == values) | jnp.isnan(x) if is_float(x) else x == values
        latest = jax.lax.cummax(jnp.where(here, places, 0), axis)
        return values, latest.astype(jnp.int64)

    op(f"{name}(Tensor self, int dim) -> (Tensor values, Tensor indices)", extreme,
       grads={"self": _added_back})


def _scanned(scan, x, axis):
    if x.dtype == jnp.bool_:
        return scan(x.astype(jnp.int8), axis).astype(jnp.bool_)
    if not is_float(x):
        return scan(x, axis)
    nan_yet = jax.lax.cummax(jnp.isnan(x).astype(jnp.int8), axis) > 0
    return jnp.where(nan_yet, jnp.nan, like(scan(wide(jnp.where(jnp.isnan(x), 0, x)), axis), x)).astype(x.dtype)


def _added_back(g0, self, result1, dim):
    """Every gradient is added at the index that gave the value. Names `self` as PyTorch saves it."""
    shape = self.shape
    if not shape:
        return g0
    axis = wrap_dim(dim, len(shape))
    g, index = jnp.moveaxis(g0, axis, -1), jnp.moveaxis(result1, axis, -1)
    rows = jax.vmap(lambda row, at: jnp.zeros_like(row).at[at].add(row))
    flat = rows(g.reshape(-1, shape[axis]), index.reshape(-1, shape[axis])) if g.size else g
    return jnp.moveaxis(flat.reshape(g.shape), -1, axis)


_extreme("cummax", jax.lax.cummax)
_extreme("cummin", jax.lax.cummin)
