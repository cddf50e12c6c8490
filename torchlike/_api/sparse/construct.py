"""Sparse tensors of their parts: sparse_coo_tensor, sparse_csr_tensor and their kind.

https://pytorch.org/docs/stable/sparse.html#construction
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchlike._api.arguments import int_list
from torchlike._api.creation import chosen_device, finished
from torchlike._api.from_data import as_dtype, check_grad, tensor
from torchlike._api.options import check_options
from torchlike._api.sparse.cell import made
from torchlike._api.sparse.compressed import FORMS
from torchlike._api.sparse.conversions import empty, to_sparse
from torchlike._api.sparse.coo import index_tensor, places
from torchlike._api.sparse.invariants import check_compressed, check_values_dim, checks
from torchlike._api.types import DeviceLike
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._base.settings import layout as Layout
from torchlike._base.settings import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from torchlike._ops import promotion
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import judged

_MOST = 1 << 63


def _values(values, dtype, device) -> Tensor:
    """The values as a Tensor, with their history where they are one already."""
    dtype = as_dtype(dtype, "sparse_coo_tensor")
    if not isinstance(values, Tensor):
        return tensor(values, dtype=dtype, device=device)
    return values.to(device=device, dtype=dtype)


def _indices(indices, like, dtype=None) -> Tensor:
    """Indices as a Tensor without history on the device of the values, of this dtype or their own."""
    found = indices.detach() if isinstance(indices, Tensor) else tensor(indices)
    if found.numel() == 0 and not isinstance(indices, Tensor) and dtype is None:
        found = found.to(dt.int64)
    return found.to(device=like._cell.aval.device, dtype=dtype)


# -- COO

@judged
def sparse_coo_tensor(indices: Any = None, values: Any = None, size: Sequence[int] | None = None, *,
                      dtype: dtype | None = None, device: DeviceLike | None = None, pin_memory: bool = False,
                      requires_grad: bool = False, check_invariants: bool | None = None,
                      is_coalesced: bool | None = None) -> Tensor:
    """A tensor of layout COO; without values an empty one, of the size that is given first.

    Without `size` the indices are looked at. https://pytorch.org/docs/stable/generated/torch.sparse_coo_tensor.html"""
    if pin_memory is not False or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if values is None:
        size = indices if size is None else size
        if not isinstance(size, tuple | list):
            raise TypeError("sparse_coo_tensor(): argument 'size' (position 1) must be tuple of ints, not "
                            f"{type(size).__name__}")
        dtype = promotion.default.dtype if dtype is None else as_dtype(dtype, "sparse_coo_tensor")
        like = tensor([], dtype=dtype, device=chosen_device(device))
        checks.wanted(check_invariants)
        if min(size, default=0) < 0:
            raise RuntimeError("numel: integer multiplication overflow")
        return finished(empty(sparse_coo, int_list(size), like), requires_grad)
    checked = checks.wanted(check_invariants)
    values = _values(values, dtype, device)
    values = values if values.dim() else values.reshape((1,))
    index = _indices(indices, values, dt.int64)
    if size is not None and index.dim():
        _check_size(int_list(size), index, values)
    _check_parts(index, values)
    shape = _inferred(index, values) if size is None else int_list(size)
    if checked:
        _check_coo(index, shape, is_coalesced)
    coalesced = bool(is_coalesced) or index.shape[1] < 2

    check_grad(values.dtype, requires_grad)
    found = made(sparse_coo, (index,), values.detach() if requires_grad else values, shape, coalesced)
    return finished(found, requires_grad)


def _check_size(shape, index, values) -> None:
    if any(size < 0 for size in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    if len(shape) != index.shape[0] + values.dim() - 1:
        raise RuntimeError(f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(shape)}, sparse_dim = "
                           f"{index.shape[0]}, dense_dim = {values.dim() - 1}")


def _check_parts(index, values) -> None:
    if index.dim() != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(index.shape)}")
    if index.shape[1] != values.shape[0]:
        raise RuntimeError("indices and values must have same nnz, but got nnz from indices: "
                           f"{index.shape[1]}, nnz from values: {values.shape[0]}")


def _inferred(index, values) -> tuple:
    """The smallest shape that has these indices; RuntimeError where one is negative."""
    array = host(index._cell)
    if not array.shape[1]:
        return (0,) * array.shape[0] + tuple(values.shape[1:])
    for dim, low in enumerate(array.min(1)):
        if low < 0:
            raise RuntimeError(f"found negative index {low} for dim {dim}")
    return tuple((array.max(1) + 1).tolist()) + tuple(values.shape[1:])


def _check_coo(index, shape, is_coalesced) -> None:
    array = host(index._cell)
    if not array.shape[1]:
        return
    for dim, (low, high) in enumerate(zip(array.min(1), array.max(1), strict=True)):
        if low < 0:
            raise RuntimeError(f"found negative index {low} for dim {dim}")
        if high >= shape[dim]:
            raise RuntimeError(f"size is inconsistent with indices: for dim {dim}, size is {shape[dim]} but found index "
                               f"{high}")
    if is_coalesced and not (np.diff(places(array, shape[:len(array)])) > 0).all():
        raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")


# -- compressed layouts

@judged
def sparse_compressed_tensor(compressed_indices: Any, plain_indices: Any, values: Any, size: Sequence[int] | None = None, *,
                             dtype: dtype | None = None, layout: Layout | None = None, device: DeviceLike | None = None,
                             pin_memory: bool = False, requires_grad: bool = False,
                             check_invariants: bool | None = None) -> Tensor:
    """A tensor of the layout CSR, CSC, BSR or BSC.

    Without `size` the plain indices are looked at.
    https://pytorch.org/docs/stable/generated/torch.sparse_compressed_tensor.html"""
    if pin_memory is not False or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    checked = checks.wanted(check_invariants)
    if layout not in FORMS:
        known = "none" if layout is None else "Strided" if layout is strided else "Sparse"
        raise RuntimeError(f"sparse_compressed_tensor expected sparse compressed tensor layout but got {known}")
    values = _values(values, dtype, device)
    pair = tuple(_indices(each, values) for each in (compressed_indices, plain_indices))
    shape = _inferred_compressed(layout, pair, values) if size is None else int_list(size)
    if min(shape, default=0) < 0 or math.prod(shape) >= _MOST:
        raise RuntimeError("numel: integer multiplication overflow")
    if checked:
        check_compressed(layout, pair, values, shape)
    check_grad(values.dtype, requires_grad)
    return finished(made(layout, pair, values.detach() if requires_grad else values, shape), requires_grad)


def _inferred_compressed(layout, pair, values) -> tuple:
    form = FORMS[layout]
    check_values_dim(form, pair, values)
    batch = tuple(pair[0].shape[:-1])
    start = len(batch) + 1
    block = tuple(values.shape[start:start + 2]) if form.blocks else (1, 1)
    plain = host(pair[1]._cell)
    sizes = (pair[0].shape[-1] - 1, int(plain.max()) + 1 if plain.size else 0)
    sizes = sizes[::-1] if form.axis else sizes
    dense = tuple(values.shape[start + (2 if form.blocks else 0):])
    return (*batch, sizes[0] * block[0], sizes[1] * block[1], *dense)


@judged
def sparse_csr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Sequence[int] | None = None, *,
                      dtype: dtype | None = None, device: DeviceLike | None = None, pin_memory: bool = False,
                      requires_grad: bool = False, check_invariants: bool | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.sparse_csr_tensor.html"""
    if pin_memory is not False or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return sparse_compressed_tensor(crow_indices, col_indices, values, size, dtype=dtype, layout=sparse_csr, device=device,
                                    requires_grad=requires_grad, check_invariants=check_invariants)


@judged
def sparse_csc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Sequence[int] | None = None, *,
                      dtype: dtype | None = None, device: DeviceLike | None = None, pin_memory: bool = False,
                      requires_grad: bool = False, check_invariants: bool | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.sparse_csc_tensor.html"""
    if pin_memory is not False or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return sparse_compressed_tensor(ccol_indices, row_indices, values, size, dtype=dtype, layout=sparse_csc, device=device,
                                    requires_grad=requires_grad, check_invariants=check_invariants)


@judged
def sparse_bsr_tensor(crow_indices: Any, col_indices: Any, values: Any, size: Sequence[int] | None = None, *,
                      dtype: dtype | None = None, device: DeviceLike | None = None, pin_memory: bool = False,
                      requires_grad: bool = False, check_invariants: bool | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.sparse_bsr_tensor.html"""
    if pin_memory is not False or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return sparse_compressed_tensor(crow_indices, col_indices, values, size, dtype=dtype, layout=sparse_bsr, device=device,
                                    requires_grad=requires_grad, check_invariants=check_invariants)


@judged
def sparse_bsc_tensor(ccol_indices: Any, row_indices: Any, values: Any, size: Sequence[int] | None = None, *,
                      dtype: dtype | None = None, device: DeviceLike | None = None, pin_memory: bool = False,
                      requires_grad: bool = False, check_invariants: bool | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.sparse_bsc_tensor.html"""
    if pin_memory is not False or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return sparse_compressed_tensor(ccol_indices, row_indices, values, size, dtype=dtype, layout=sparse_bsc, device=device,
                                    requires_grad=requires_grad, check_invariants=check_invariants)


def spdiags(diagonals: Tensor, offsets: Tensor, shape: tuple, layout: Layout | None = None) -> Tensor:
    """`torch.sparse.spdiags`: a matrix with these diagonals, of layout COO or another sparse one.
    https://pytorch.org/docs/stable/generated/torch.sparse.spdiags.html

    Args:
        diagonals: (n, length), or (length) for one; element j of a diagonal stands in column j.
        offsets: (n), how far each is above the main diagonal; looked at.
        shape: that of the matrix.
        layout: None means COO.

    Returns:
        The matrix.

    Raises:
        RuntimeError: there are not as many offsets as diagonals, or two are equal.
    """
    diagonals = diagonals if diagonals.dim() == 2 else diagonals.unsqueeze(0)
    moved = host(offsets._cell).reshape(-1)
    if len(moved) != diagonals.shape[0]:
        raise RuntimeError(f"Number of diagonals ({diagonals.shape[0]}) does not match the number of offsets ({len(moved)})")
    if len(set(moved.tolist())) != len(moved):
        raise RuntimeError("Offset tensor contains duplicate values")
    which, column = np.indices((len(moved), min(diagonals.shape[1], shape[1]))).reshape(2, -1)
    row = column - moved[which]
    there = (row >= 0) & (row < shape[0])
    at = index_tensor((which * diagonals.shape[1] + column)[there], diagonals)
    indices = index_tensor(np.stack((row[there], column[there])), diagonals)
    found = sparse_coo_tensor(indices, diagonals.reshape((-1,)).index_select(0, at), shape)
    return found if layout in (None, sparse_coo) else to_sparse(found, layout=layout)


FUNCTIONS: dict = {
    "sparse_coo_tensor": sparse_coo_tensor, "sparse_compressed_tensor": sparse_compressed_tensor,
    "sparse_csr_tensor": sparse_csr_tensor, "sparse_csc_tensor": sparse_csc_tensor,
    "sparse_bsr_tensor": sparse_bsr_tensor, "sparse_bsc_tensor": sparse_bsc_tensor,
}
