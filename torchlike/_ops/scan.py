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

def _later(better):
    def combine(left, right):
        (a, i), (b, j) = left, right
        take = better(b, a)
        if is_float(a):
            take = jnp.isnan(b) | (~jnp.isnan(a) & take)
        return jnp.where(take, b, a), jnp.where(take, j, i)

    return combine


def _extreme(name, better):
    def extreme(x, *, dim):
        axis = wrap_dim(dim, x.ndim)
        refuse(x, f"{name}_cpu", (dt.COMPLEX,))
        if x.ndim == 0:
            return x, jnp.zeros((), jnp.int64)
        places = jax.lax.broadcasted_iota(jnp.int64, x.shape, axis)
        if x.size == 0:
            return x, places
        return jax.lax.associative_scan(_later(better), (x, places), axis=axis)

    op(f"{name}(Tensor self, int dim) -> (Tensor values, Tensor indices)", extreme,
       grads={"self": _added_back})


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


_extreme("cummax", lambda new, old: new >= old)
_extreme("cummin", lambda new, old: new <= old)
