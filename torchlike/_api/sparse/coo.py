"""Layout COO: from and to strided tensors, sorted and summed. All without history.

https://pytorch.org/docs/stable/sparse.html#sparse-coo-tensors
"""

from __future__ import annotations

import math

import numpy as np

from torchlike._api.sparse.cell import bare, coo, indices_of, sparse_dims, values_of
from torchlike._base import dtypes as dt
from torchlike._base.settings import sparse_coo
from torchlike._record.leaf import host, leaf
from torchlike._record.tensor import Tensor


def index_tensor(array, like: Tensor) -> Tensor:
    """An int64 Tensor of an array, on the device of the tensor `like`."""
    return leaf(np.ascontiguousarray(array, dtype=np.int64), like._cell.aval.device)


def host_indices(x: Tensor) -> np.ndarray:
    """The indices of a tensor of layout COO; runs the trace."""
    return host(indices_of(x)._cell)


def places(indices: np.ndarray, sizes) -> np.ndarray:
    """Where each column of indices lies in a row-major array of these sizes."""
    found = np.zeros(indices.shape[1], np.int64)
    for row, size in zip(indices, sizes, strict=True):
        found = found * size + row
    return found


def summed(values: Tensor, at: np.ndarray, count: int) -> Tensor:
    """The sums of the values that belong together: of shape (count, ...).

    Args:
        values: one along the first dimension for each place.
        at: which of the sums each is part of.
        count: how many sums there are.
    """
    index = index_tensor(at, values)
    if values.dtype is dt.bool_:
        return summed(values.to(dt.uint8), at, count).to(dt.bool_)
    return values.new_zeros((count, *values.shape[1:])).index_add(0, index, values)


def coalesced(x: Tensor) -> Tensor:
    """`x` with sorted and distinct indices."""
    if x._cell.coalesced:
        return x
    indices, sizes = host_indices(x), x.shape[:sparse_dims(x)]
    keys, first, at = np.unique(places(indices, sizes), return_index=True, return_inverse=True)
    found, values = index_tensor(indices[:, first], x), values_of(x)
    if len(keys) == indices.shape[1]:
        return coo(found, values.index_select(0, index_tensor(first, x)), x.shape, True)
    return coo(found, summed(values, at, len(keys)), x.shape, True)


def lookup(x: Tensor, indices: np.ndarray) -> Tensor:
    """The values at these indices (sparse dimensions, n) of a strided tensor or of one of layout COO, with history."""
    sizes = x.shape[:len(indices)]
    if x.layout is not sparse_coo:
        flat = x.reshape((math.prod(sizes), *x.shape[len(indices):]))
        return flat.index_select(0, index_tensor(places(indices, sizes), x))
    x = x.coalesce()
    have, want = places(host_indices(x), sizes), places(indices, sizes)
    at = np.minimum(np.searchsorted(have, want), max(len(have) - 1, 0))
    values = x.values()
    if not len(have):
        return values.new_zeros((len(want), *x.shape[len(indices):]))
    found = values.index_select(0, index_tensor(at, x))
    missing = leaf(have[at] != want, x._cell.aval.device).reshape((-1, *[1] * (found.dim() - 1)))
    return found.masked_fill(missing, 0)


def on_pattern(g: Tensor, like: Tensor) -> Tensor:
    """What the strided or COO tensor `g` has where the COO tensor `like` has elements, with history."""
    return coo(indices_of(like), lookup(g, host_indices(like)), g.shape, like._cell.coalesced)


def strided_of(x: Tensor) -> Tensor:
    """The strided tensor of one of layout COO."""
    count = sparse_dims(x)
    sizes = x.shape[:count]
    whole = summed(values_of(x), places(host_indices(x), sizes), math.prod(sizes))
    return whole.reshape(tuple(x.shape))


def from_strided(x: Tensor, count: int) -> Tensor:
    """The elements that are not zero, by their first `count` indices."""
    array = host(x._cell)
    there = (array != 0).any(axis=tuple(range(count, array.ndim))) if count < array.ndim else array != 0
    indices = np.stack(np.nonzero(there)) if count else np.zeros((0, int(bool(there))), np.int64)
    return coo(index_tensor(indices, x), lookup(bare(x), indices), x.shape, True)
