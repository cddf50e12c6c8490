"""Reductions by rank or frequency: median, nanmedian, mode.

https://pytorch.org/docs/stable/generated/torch.median.html. With an even count the median is the lower
of the two in the middle. Where several elements are equal, PyTorch does not say which index it gives.
"""

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._ops.numerics import ranks
from torchlike._ops.reduction.aggregates import check_dim, evenly, picked
from torchlike._ops.rules import is_float, refuse
from torchlike._ops.table import op


def _middle(x, skip_nan):
    """(value, index) of the median along the last axis, kept with size 1."""
    count = x.shape[-1]
    place = jnp.full((*x.shape[:-1], 1), (count - 1) // 2)
    if is_float(x):
        nans = jnp.isnan(x)
        present = jnp.sum(~nans, -1, keepdims=True)
        if skip_nan:
            place = jnp.maximum(present - 1, 0) // 2
        else:
            place = jnp.where(present < count, present, place)  # the first NaN
    return ranks.kth(x, place, x.ndim - 1)


def _median(name, skip_nan, of):
    def whole(x):
        if x.size:
            refuse(x, "median_cpu", (dt.BOOL, dt.COMPLEX))
        else:
            lowest = jnp.nan if is_float(x) else jnp.iinfo(x.dtype).min
            return jnp.full((), lowest, x.dtype)
        return _middle(x.reshape(-1), skip_nan)[0].reshape(())

    def along(x, *, dim, keepdim):
        axis = check_dim("median", x, dim)
        refuse(x, "median_out", (dt.BOOL, dt.COMPLEX))
        if x.ndim == 0:
            return x, jnp.zeros((), jnp.int64)
        return _placed(_middle(jnp.moveaxis(x, axis, -1), skip_nan), axis, keepdim)

    op(f"{name}(Tensor self) -> Tensor", whole, grads={"self": evenly}, doc=f"The median of {of}; of two the lower one.")
    op(f"{name}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", along,
       grads={"self": picked}, node=f"{name.capitalize()}Backward1",
       doc=f"The medians of {of} along `dim`, of two the lower one, and where they are.")


def _placed(pair, axis, keepdim):
    """(value, index), reduced on the last axis, with `axis` back in its place or gone."""
    value, index = (jnp.moveaxis(a, -1, axis) if keepdim else a[..., 0] for a in pair)
    return value, index.astype(jnp.int64)


_median("median", skip_nan=False, of="all elements")
_median("nanmedian", skip_nan=True, of="what is not NaN")


@op("mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
    grads={"self": picked})
def _mode(x, *, dim, keepdim):
    """The smallest of the most frequent values, with its last index."""
    axis = check_dim("mode", x, dim)
    refuse(x, "mode_cpu", (dt.COMPLEX,))
    if x.ndim == 0:
        return x, jnp.zeros((), jnp.int64)
    rows = jnp.moveaxis(x, axis, -1)
    order = ranks.order(rows, rows.ndim - 1)
    ranked = jnp.take_along_axis(rows, order, -1)
    place = jnp.broadcast_to(jnp.arange(rows.shape[-1]), ranked.shape)
    new = jnp.concatenate([jnp.ones_like(ranked[..., :1], bool), ranked[..., 1:] != ranked[..., :-1]], -1)
    start = jax.lax.cummax(jnp.where(new, place, 0), axis=ranked.ndim - 1)
    best = jnp.argmax(place - start, -1, keepdims=True)
    index = jnp.take_along_axis(order, best, -1)
    return _placed((jnp.take_along_axis(rows, index, -1), index), axis, keepdim)
