"""Layouts with compressed rows or columns (CSR, CSC) and their forms with blocks (BSR, BSC): from and to layout COO.

https://pytorch.org/docs/stable/sparse.html#sparse-compressed-tensors. All without history.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from torchlike._api.generated import ops
from torchlike._api.sparse.cell import coo, made, nnz_of, values_of
from torchlike._api.sparse.coo import coalesced, host_indices, index_tensor
from torchlike._api.sparse.coo import strided_of as strided_of_coo
from torchlike._base.settings import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from torchlike._compile.backends.registry import backend_of
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor


@dataclasses.dataclass(frozen=True)
class Form:
    """``name``: PyTorch's in error texts. ``axis``: which dimension is compressed, 0 for rows. ``blocks``: whether values
    are blocks. ``compressed``, ``plain``: the names of the indices."""

    name: str
    axis: int
    blocks: bool
    compressed: str
    plain: str


FORMS = {
    sparse_csr: Form("SparseCsr", 0, False, "crow_indices", "col_indices"),
    sparse_csc: Form("SparseCsc", 1, False, "ccol_indices", "row_indices"),
    sparse_bsr: Form("SparseBsr", 0, True, "crow_indices", "col_indices"),
    sparse_bsc: Form("SparseBsc", 1, True, "ccol_indices", "row_indices"),
}
_OTHERS = {strided: "Strided", sparse_coo: "Sparse"}


def layout_name(x: Tensor) -> str:
    """PyTorch's name of a tensor's layout in error texts."""
    layout = x._cell.layout
    return _OTHERS[layout] if layout in _OTHERS else FORMS[layout].name


def batch_dims(x: Tensor) -> int:
    """The number of batch dimensions of a compressed tensor."""
    return x._cell.indices[0]._cell.aval.ndim - 1


def block_of(x: Tensor) -> tuple:
    """The sizes of the blocks of a compressed tensor; () where there are none."""
    start = batch_dims(x) + 1
    return tuple(values_of(x).shape[start:start + 2]) if FORMS[x._cell.layout].blocks else ()


def dense_dims(x: Tensor) -> int:
    """The number of dense dimensions of a compressed tensor."""
    return values_of(x).dim() - batch_dims(x) - 1 - len(block_of(x))


def matrices(x: Tensor) -> list:
    """The matrices of a batch, each without batch dimensions."""
    count = batch_dims(x)
    flat = [part.reshape((-1, *part.shape[count:])) for part in (*x._cell.indices, values_of(x))]
    return [made(x._cell.layout, (compressed, plain), values, x.shape[count:])
            for compressed, plain, values in zip(*(part.unbind(0) for part in flat), strict=True)]


def stacked(parts: list, shape) -> Tensor:
    """Compressed matrices of equally many elements as one tensor of this shape. RuntimeError for others."""
    if len({nnz_of(part) for part in parts}) > 1:
        raise RuntimeError("Expect the same number of specified elements per batch.")
    batch = tuple(shape[:len(shape) - parts[0].dim()])

    def joined(tensors):
        whole = ops.stack(tensors, 0)
        return whole.reshape((*batch, *whole.shape[1:]))

    pairs = zip(*(part._cell.indices for part in parts), strict=True)
    return made(parts[0]._cell.layout, tuple(joined(list(each)) for each in pairs), joined([values_of(p) for p in parts]),
                shape)


def coo_of(x: Tensor) -> Tensor:
    """A compressed matrix in layout COO, coalesced."""
    form, block = FORMS[x._cell.layout], block_of(x) or (1, 1)
    compressed, plain = (host(each._cell).astype(np.int64) for each in x._cell.indices)
    lines = np.repeat(np.arange(len(compressed) - 1), np.diff(compressed))
    pair = np.stack((plain, lines) if form.axis else (lines, plain))
    inside = np.indices(block).reshape(2, -1)
    indices = (pair[:, :, None] * np.array(block)[:, None, None] + inside[:, None, :]).reshape(2, -1)
    values = values_of(x)
    flat = values.reshape((indices.shape[1], *values.shape[3:])) if form.blocks else values
    return coalesced(coo(index_tensor(indices, x), flat, x.shape))


def compressed_of(x: Tensor, layout, block=()) -> Tensor:
    """A matrix of layout COO in a compressed one."""
    form, x = FORMS[layout], coalesced(x)
    block = tuple(block) if form.blocks else (1, 1)
    indices = host_indices(x)
    pair = indices // np.array(block)[:, None]
    line, other = (pair[1], pair[0]) if form.axis else (pair[0], pair[1])
    width = math.ceil(x.shape[1 - form.axis] / block[1 - form.axis]) or 1
    keys, at = np.unique(line * width + other, return_inverse=True)
    count = x.shape[form.axis] // block[form.axis]
    ends = np.concatenate(([0], np.cumsum(np.bincount(keys // width, minlength=count))))
    rest = tuple(values_of(x).shape[1:])
    inside = indices % np.array(block)[:, None]
    place = (at * block[0] + inside[0]) * block[1] + inside[1]
    zeros = values_of(x).new_zeros((len(keys) * block[0] * block[1], *rest))
    values = zeros.index_copy(0, index_tensor(place, x), values_of(x))
    if form.blocks:
        values = values.reshape((len(keys), *block, *rest))
    return made(layout, (index_tensor(ends, x), index_tensor(keys % width, x)), values, x.shape)


def strided_of(x: Tensor) -> Tensor:
    """The strided tensor of any sparse one."""
    if x._cell.layout is sparse_coo:
        return strided_of_coo(x)
    if not backend_of(x._cell.aval.device).has_values:
        return values_of(x).new_zeros(tuple(x.shape))
    if batch_dims(x):
        return ops.stack([strided_of_coo(coo_of(each)) for each in matrices(x)], 0).reshape(tuple(x.shape))
    return strided_of_coo(coo_of(x))
