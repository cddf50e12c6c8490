"""Sums, means and maxima of table rows over bags of indices, by one scatter each.

https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding_bag.html. Bag b holds the indices from
``offsets[b]`` to ``offsets[b + 1]``. An index outside of the table gives NaN, never another row's value.
"""

import jax.numpy as jnp

from torchlike._ops.rules import is_complex, is_float, scalar_name, wide
from torchlike._ops.table import op

SUM, MEAN, MAX = 0, 1, 2


class _Bags:
    """Which bag each index is in, which indices count, and how many count in each bag."""

    def __init__(self, indices, offsets, include_last_offset, padding_idx):
        self.count = offsets.shape[0] - bool(include_last_offset)
        n = indices.shape[0]
        starts = offsets[:self.count]
        self.bag = jnp.searchsorted(starts, jnp.arange(n, dtype=starts.dtype), side="right") - 1
        self.counts = indices != padding_idx
        self.size = self.sum(self.counts.astype(jnp.int64))

    def sum(self, values):
        """(indices, *) to (bags, *)."""
        return jnp.zeros((self.count, *values.shape[1:]), values.dtype).at[self.bag].add(values)

    def spread(self, g):
        """(bags, *) to (indices, *); zero for what does not count."""
        if not self.count:
            return jnp.zeros((self.bag.shape[0], *g.shape[1:]), g.dtype)
        return jnp.where(self.counts.reshape(-1, *(1,) * (g.ndim - 1)), g[self.bag], 0)


def _table_rows(weight, indices):
    if not weight.shape[0]:
        return jnp.full((indices.shape[0], weight.shape[1]), jnp.nan, wide(weight).dtype)
    index = jnp.where(indices < 0, weight.shape[0], indices)
    return wide(weight.at[index].get(mode="fill", fill_value=jnp.nan))


def _maxima(rows, indices, bags):
    """(maxima, the table rows they come from). A NaN counts where it comes first, as in PyTorch's loop."""
    n = rows.shape[0]
    place = jnp.arange(n)[:, None]
    counts = bags.counts[:, None]
    first = jnp.full((bags.count, 1), n).at[bags.bag].min(jnp.where(counts, place, n))
    starts_bad = (rows != rows) & (place == first[bags.bag])
    ordered = jnp.where(counts, jnp.where(rows != rows, jnp.where(starts_bad, jnp.inf, -jnp.inf), rows), -jnp.inf)
    best = jnp.full((bags.count, rows.shape[1]), -jnp.inf, rows.dtype).at[bags.bag].max(ordered)
    hits = counts & (ordered == best[bags.bag])
    at = jnp.full(best.shape, n).at[bags.bag].min(jnp.where(hits, place, n))
    safe = jnp.minimum(at, max(n - 1, 0))
    found = at < n
    value = jnp.take_along_axis(rows, safe, 0) if n else best
    index = indices[safe] if n else jnp.zeros(best.shape, indices.dtype)
    return jnp.where(found, value, 0), jnp.where(found, index, 0).astype(indices.dtype)


def _kind(x) -> str:
    return f"CPU{scalar_name(x)}Type" if is_complex(x) else f"torch.{scalar_name(x)}Tensor"


def _check_kind(x, name, allowed, words):
    if not allowed(x):
        raise RuntimeError(f"Expected tensor for argument #1 '{name}' to have one of the following scalar types: {words}; "
                           f"but got {_kind(x)} instead (while checking arguments for embedding_bag)")


def _check(weight, indices, offsets, samples, mode, include_last_offset):
    if weight.ndim != 2:
        raise RuntimeError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if offsets.ndim != 1:
        raise RuntimeError(f"offsets has to be a 1D Tensor, but got Tensor of dimension {offsets.ndim}")
    for x, name in ((indices, "indices"), (offsets, "offsets")):
        _check_kind(x, name, lambda v: v.dtype in (jnp.int32, jnp.int64), "Long, Int")
    _check_kind(weight, "weight", is_float, "Half, BFloat16, Float, Double")
    if mode not in (SUM, MEAN, MAX):
        raise RuntimeError("`mode` must be sum, mean, or max.")
    if samples is not None:
        if mode != SUM:
            raise RuntimeError("embedding_bag: per_sample_weights only supported with mode='sum'")
        if samples.dtype != weight.dtype:
            raise RuntimeError("Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
                               f"'per_sample_weights'; but type {_kind(weight)} does not equal {_kind(samples)} (while "
                               "checking arguments for embedding_bag)")
        if samples.size != indices.size:
            raise RuntimeError("Expected per_sample_weights.value().numel() == indices.numel() to be true, but got false.  "
                               "(Could this error message be improved?  If so, please report an enhancement request to "
                               "PyTorch.)")
    if include_last_offset and not offsets.shape[0]:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")


def _weight_gradient(g0, weight_aval, indices, offsets, per_sample_weights, result2, result3, scale_grad_by_freq, mode,
                     include_last_offset, padding_idx):
    if g0 is None:
        return None
    table = jnp.zeros(weight_aval.shape, wide(g0).dtype)
    if mode == MAX:
        place = jnp.where(result2[:, None] > 0, result3, weight_aval.shape[0])
        return table.at[place, jnp.arange(weight_aval.shape[1])].add(wide(g0), mode="drop")
    bags = _Bags(indices, offsets, include_last_offset, padding_idx)
    g = wide(g0)
    if mode == MEAN:
        g = g / jnp.maximum(bags.size, 1).astype(g.dtype)[:, None]
    values = bags.spread(g)
    if per_sample_weights is not None:
        values = values * wide(per_sample_weights).reshape(-1, 1)
    index = jnp.where(indices < 0, weight_aval.shape[0], indices)
    if scale_grad_by_freq:
        often = jnp.zeros(weight_aval.shape[:1], values.dtype).at[index].add(1, mode="drop")
        values = values / often.at[index].get(mode="fill", fill_value=1)[:, None]
    return table.at[index].add(values, mode="drop")


def _samples_gradient(g0, weight, indices, offsets, include_last_offset, padding_idx, per_sample_weights_aval):
    if g0 is None:
        return None
    bags = _Bags(indices, offsets, include_last_offset, padding_idx)
    return (bags.spread(wide(g0)) * _table_rows(weight, indices)).sum(1).reshape(per_sample_weights_aval.shape)


@op("_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, Tensor? per_sample_weights, bool scale_grad_by_freq, "
    "int mode, bool include_last_offset, int padding_idx) -> (Tensor, Tensor, Tensor, Tensor)", method=False,
    function=False, node="EmbeddingBagBackward0",
    grads={"weight": _weight_gradient, "per_sample_weights": _samples_gradient})
def _embedding_bag(weight, indices, offsets, per_sample_weights, *, scale_grad_by_freq, mode, include_last_offset,
                   padding_idx):
    """(V, D), (n), (bags) to (bags, D); then the bag of each index, how many count in each bag, and for maxima the rows.

    Sparse gradients are in `torchlike/_api/sparse/gradients.py`.
    """
    _check(weight, indices, offsets, per_sample_weights, mode, include_last_offset)
    bags = _Bags(indices, offsets, include_last_offset, padding_idx)
    rows = _table_rows(weight, indices)
    if not bags.count:
        empty = jnp.zeros((0,), indices.dtype)
        return jnp.zeros((0, weight.shape[1]), weight.dtype), empty, empty, empty
    if mode == MAX:
        best, at = _maxima(rows, indices, bags)
        return best.astype(weight.dtype), bags.bag.astype(indices.dtype), bags.size.astype(indices.dtype), at
    counts = bags.counts
    if include_last_offset and weight.dtype != jnp.float64 and padding_idx < 0:
        # PyTorch's fast kernel ends there, its other one does not.
        counts = counts & (jnp.arange(rows.shape[0]) < offsets[-1])
    rows = jnp.where(counts[:, None], rows, 0)
    if per_sample_weights is not None:
        rows = rows * wide(per_sample_weights).reshape(-1, 1)
    out = bags.sum(rows)
    if mode == MEAN:
        out = out / jnp.maximum(bags.size, 1).astype(out.dtype)[:, None]
    size = bags.size.astype(indices.dtype)
    return out.astype(weight.dtype), bags.bag.astype(indices.dtype), size, size
