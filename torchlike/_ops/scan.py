"""Running sums, products and extrema along one dimension.

https://pytorch.org/docs/stable/generated/torch.cumsum.html
"""

import functools

import jax
import jax.numpy as jnp

from torchlike import dtypes as dt
from torchlike._ops.reduce import accumulator
from torchlike._ops.rules import is_float, like, refuse, wide
from torchlike._ops.table import op
from torchlike.errors import wrap_dim


def _along(fn, x, axis):
    return fn(x, axis) if x.ndim else fn(x[None], 0)[0]


def _running(fn):
    def running(x, *, dim, dtype):
        axis = wrap_dim(dim, x.ndim)
        x, out = accumulator(x, dtype)
        return _along(fn, x, axis).astype(out)

    return running


_cumprod = _running(jnp.cumprod)


def _cumprod_gradient(g, self, result, dim, dtype):
    """By quotients of the result, as PyTorch does where nothing is zero: a product with a zero has no quotients."""
    def by_quotients():
        x = wide(self).astype(result.dtype)
        return like(_along(functools.partial(jax.lax.cumsum, reverse=True), wide(g * result.conj()),
                           wrap_dim(dim, self.ndim)) / x.conj(), self)

    def by_products():
        return jax.vjp(functools.partial(_cumprod, dim=dim, dtype=dtype), self)[1](g.conj())[0].conj()

    if self.size <= 1:
        return like(g, self)
    return jax.lax.cond(jnp.all(self != 0), by_quotients, by_products)


for _name, _function, _gradient in (("cumsum", _running(jnp.cumsum), ""), ("cumprod", _cumprod, _cumprod_gradient)):
    op(f"{_name}(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", _function, grads={"self": _gradient},
       inplace=True)


def _logcumsumexp_gradient(g, self, result, dim):
    """Sums of exponentials in the logarithm, once over the positive and once over the negative gradients."""
    if not self.ndim:
        return g
    if not is_float(self):
        return jax.vjp(functools.partial(_logcumsumexp, dim=dim), self)[1](g.conj())[0].conj()
    axis, lowest = wrap_dim(dim, self.ndim), jnp.finfo(wide(g).dtype).min
    backwards = functools.partial(jax.lax.cumlogsumexp, reverse=True)

    def share(chosen):
        logs = jnp.where(chosen, jnp.log(jnp.where(chosen, jnp.abs(wide(g)), 1)), lowest)
        return jnp.exp(_along(backwards, logs - wide(result), axis) + wide(self))

    return like(share(g > 0) - share(g < 0), self)


@op("logcumsumexp(Tensor self, int dim) -> Tensor", grads={"self": _logcumsumexp_gradient})
def _logcumsumexp(x, *, dim):
    axis = wrap_dim(dim, x.ndim)
    refuse(x, "logcumsumexp_out_cpu", (dt.BOOL, dt.INT))
    scan = _complex_logcumsumexp if not is_float(x) else jax.lax.cumlogsumexp
    return like(_along(scan, wide(x), axis), x)


def _complex_logcumsumexp(x, axis):
    peak = jax.lax.stop_gradient(jnp.max(x.real, axis, keepdims=True, initial=-jnp.inf))
    return jnp.log(jnp.cumsum(jnp.exp(x - peak), axis)) + peak


# -- running extrema: the latest of equal elements, and NaN once there is one

_MANY_ROWS = 64  # from here on a loop along the dimension, over all rows at once, is faster on CPU


def _later(better):
    def combine(left, right):
        (a, i), (b, j) = left, right
        take = better(b, a)
        if is_float(a):
            take = jnp.isnan(b) | (~jnp.isnan(a) & take)
        return jnp.where(take, b, a), jnp.where(take, j, i)

    return combine


def _step_by_step(combine, pair, axis):
    def step(carry, row):
        carry = combine(carry, row)
        return carry, carry

    rows = tuple(jnp.moveaxis(a, axis, 0) for a in pair)
    _, found = jax.lax.scan(step, tuple(a[0] for a in rows), rows)
    return tuple(jnp.moveaxis(a, 0, axis) for a in found)


def _scan_pairs(combine, pair, axis):
    def tree(*arrays):
        return tuple(jax.lax.associative_scan(combine, arrays, axis=axis))

    if pair[0].size // pair[0].shape[axis] < _MANY_ROWS:
        return tree(*pair)
    return jax.lax.platform_dependent(*pair, cpu=lambda *arrays: _step_by_step(combine, arrays, axis), default=tree)


def _extreme(name, better):
    def extreme(x, *, dim):
        axis = wrap_dim(dim, x.ndim)
        refuse(x, f"{name}_cpu", (dt.COMPLEX,))
        if x.ndim == 0:
            return x, jnp.zeros((), jnp.int64)
        places = jax.lax.broadcasted_iota(jnp.int64, x.shape, axis)
        return _scan_pairs(_later(better), (x, places), axis) if x.size else (x, places)

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
