"""From one layout to another: to_sparse and its kind, to_dense, sparse_mask.

https://pytorch.org/docs/stable/sparse.html#torch-tensor-methods-and-sparse
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from torchlike._api.sparse import compressed as forms
from torchlike._api.sparse.cell import bare, coo, indices_of, is_sparse, made, sparse_dims, values_of, with_values
from torchlike._api.sparse.compressed import FORMS, coo_of, layout_name, strided_of
from torchlike._api.sparse.coo import coalesced, from_strided, index_tensor, lookup, on_pattern
from torchlike._api.sparse.history import recorded
from torchlike._api.sparse.rules import not_there, rule
from torchlike._base.dtypes import dtype
from torchlike._base.errors import wrap_dim
from torchlike._base.settings import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    preserve_format,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)
from torchlike._base.settings import layout as Layout
from torchlike._compile.backends.meta import NO_DATA
from torchlike._compile.backends.registry import backend_of
from torchlike._record.leaf import host, leaf
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, judged

_FORMATS = {contiguous_format: "Contiguous", channels_last: "ChannelsLast", channels_last_3d: "ChannelsLast3d"}


# -- to strided

@checked
def to_dense(self: Tensor, dtype: dtype | None = None, *, masked_grad: bool | None = None) -> Tensor:
    """The strided tensor of a sparse one; another is returned as it is, or cast.

    With `masked_grad`, which is the default, the gradient has the elements that this tensor has.
    https://pytorch.org/docs/stable/generated/torch.Tensor.to_dense.html"""
    if not is_sparse(self):
        return self if dtype is None else self.to(dtype)
    if dtype is not None:
        raise RuntimeError("dtype argument is not supported by sparse_to_dense")

    def pull(g):
        if masked_grad in (None, True):
            return sparse_mask(g, coalesced(self) if self._cell.layout is sparse_coo else self)
        return _to_layout_of(g, self)

    return recorded("ToDenseBackward0", (self,), lambda: strided_of(self), pull)


# -- to sparse

def converted(x: Tensor, layout, block=(), dense=0) -> Tensor:
    """`x`, strided or sparse, in another layout; without history."""
    mine = x._cell.layout
    if mine is layout and (layout not in FORMS or not block or tuple(block) == forms.block_of(x)):
        return made(layout, x._cell.indices, values_of(x), x.shape, x._cell.coalesced) if is_sparse(x) else bare(x)
    if layout is strided:
        return strided_of(x)
    if layout is sparse_coo:
        return coo_of(x) if mine in FORMS else from_strided(bare(x), x.dim() - dense)
    if mine is strided:
        return _compressed_from_strided(bare(x), layout, block, dense)
    return forms.compressed_of(x if mine is sparse_coo else coo_of(x), layout, block)


def _compressed_from_strided(x, layout, block, dense):
    count = x.dim() - dense
    if block:
        _check_blocks(x.shape[count - 2:count], block, layout)
    if count == 2:
        return forms.compressed_of(from_strided(x, 2), layout, block)
    flat = x.reshape((-1, *x.shape[count - 2:]))
    return forms.stacked([forms.compressed_of(from_strided(each, 2), layout, block) for each in flat.unbind(0)], x.shape)


def _check_blocks(sizes, block, layout) -> None:
    if any(size % b for size, b in zip(sizes, block, strict=True)):
        raise RuntimeError(f"dense_to_{repr(layout).removeprefix('torch.')}: tensor sparse size ({sizes[0]},{sizes[1]}) "
                           f"must be divisible by given blocksize ({block[0]},{block[1]})")


def _check_dense(self, layout, dense) -> None:
    """IndexError or RuntimeError, as PyTorch, where a strided tensor has no two dimensions beside the dense ones."""
    form, ndim = FORMS[layout], self.dim()
    if form.blocks:
        if not ndim:
            raise IndexError(f"Dimension specified as {-2 - (dense or 0)} but tensor has no dimensions")
        wrap_dim(-2 - (dense or 0), ndim)
    if dense is not None and not 0 <= dense <= ndim - 2:
        raise RuntimeError(f"dense_to_{repr(layout).removeprefix('torch.')}: dense_dim argument must be in "
                           f"[0,{ndim - 2}] range, but {dense} is given")
    if ndim < 2:
        if layout is sparse_csc:
            wrap_dim(1, ndim)
        raise IndexError(f"select(): index 1 out of range for tensor of size [{np.count_nonzero(host(self._cell))}, {ndim}] "
                         "at dimension 1")


def _to_layout(self, node, layout, block=(), dense=None) -> Tensor:
    mine = self._cell.layout
    block = (block, block) if isinstance(block, int) else tuple(block or ())
    if mine is layout and (not block or block == forms.block_of(self)):
        return self
    if layout in FORMS and mine is strided:
        _check_dense(self, layout, dense)
    return recorded(node, (self,), lambda: converted(self, layout, block, dense or 0),
                    lambda g: _to_layout_of(g, self))


def _to_layout_of(g, x) -> Tensor:
    """The gradient `g` in the layout of the tensor `x`, with history."""
    layout = x._cell.layout
    if layout is strided:
        return to_dense(g)
    dense = x.dim() - sparse_dims(x) if layout is sparse_coo else forms.dense_dims(x)
    return to_sparse(g, layout=layout, blocksize=forms.block_of(x) if layout in FORMS else None, dense_dim=dense)


def to_sparse(self: Tensor, sparse_dim: int | None = None, *, layout: Layout | None = None,
              blocksize: int | Sequence[int] | None = None, dense_dim: int | None = None) -> Tensor:
    """The elements that are not zero, in layout COO or another one; looks at the values.
    https://pytorch.org/docs/stable/generated/torch.Tensor.to_sparse.html"""
    if isinstance(sparse_dim, Layout):
        sparse_dim, layout = None, sparse_dim
    if sparse_dim is not None:
        return _to_sparse_dim(self, sparse_dim)
    layout = sparse_coo if layout is None else layout
    if layout is sparse_coo and blocksize is not None and self._cell.layout is strided:
        raise RuntimeError("dense_to_sparse: conversion from Strided to Sparse with blocksize argument given is not "
                           "supported")
    return _to_layout(self, "ToSparseBackward1", layout, blocksize or (), dense_dim)


def _to_sparse_dim(self, sparse_dim):
    mine = self._cell.layout
    if mine is sparse_coo:
        if sparse_dim != sparse_dims(self):
            raise RuntimeError("to_sparse: conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim() is "
                               "not supported")
        return self
    if mine in FORMS and sparse_dim != 2:
        raise RuntimeError(f"sparse_compressed_to_sparse: conversion from {layout_name(self)} to Sparse with sparse_dim "
                           "argument !=2 is not supported")
    if mine is strided:
        if self.dim() and sparse_dim <= 0:
            raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
        if sparse_dim > self.dim():
            raise RuntimeError(f"dense_to_sparse: sparse_dim argument must be in [0,{self.dim()}] range, but {sparse_dim} "
                               "is given")
    return recorded("ToSparseBackward0", (self,), lambda: converted(self, sparse_coo, (), self.dim() - sparse_dim),
                    lambda g: _to_layout_of(g, self))


def to_sparse_coo(self: Tensor) -> Tensor:
    """Layout COO. https://pytorch.org/docs/stable/generated/torch.Tensor.to_sparse_coo.html"""
    return to_sparse(self)


@judged
def to_sparse_csr(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """Layout CSR. https://pytorch.org/docs/stable/generated/torch.Tensor.to_sparse_csr.html"""
    return _to_layout(self, "ToSparseCsrBackward0", sparse_csr, (), dense_dim)


@judged
def to_sparse_csc(self: Tensor, dense_dim: int | None = None) -> Tensor:
    """Layout CSC. https://pytorch.org/docs/stable/generated/torch.Tensor.to_sparse_csc.html"""
    return _to_layout(self, "ToSparseCscBackward0", sparse_csc, (), dense_dim)


@judged
def to_sparse_bsr(self: Tensor, blocksize: int | Sequence[int], dense_dim: int | None = None) -> Tensor:
    """Layout BSR. https://pytorch.org/docs/stable/generated/torch.Tensor.to_sparse_bsr.html"""
    return _to_layout(self, "ToSparseBsrBackward0", sparse_bsr, blocksize, dense_dim)


@judged
def to_sparse_bsc(self: Tensor, blocksize: int | Sequence[int], dense_dim: int | None = None) -> Tensor:
    """Layout BSC. https://pytorch.org/docs/stable/generated/torch.Tensor.to_sparse_bsc.html"""
    return _to_layout(self, "ToSparseBscBackward0", sparse_bsc, blocksize, dense_dim)


# -- the elements that another tensor has

def masked(x: Tensor, mask: Tensor) -> Tensor:
    """The elements of `x` where the sparse tensor `mask` has some, in its layout."""
    if mask._cell.layout is sparse_coo:
        return on_pattern(strided_of(x) if x._cell.layout in FORMS else x, mask)
    if forms.batch_dims(mask):
        whole = strided_of(x) if is_sparse(x) else x
        flat = whole.reshape((-1, *x.shape[forms.batch_dims(mask):])).unbind(0)
        return forms.stacked([masked(each, m) for each, m in zip(flat, forms.matrices(mask), strict=True)], mask.shape)
    numbered = numbers(mask)
    found = lookup(strided_of(x) if x._cell.layout in FORMS else x, host(indices_of(numbered)._cell))
    values = values_of(mask)
    back = np.argsort(host(values_of(numbered)._cell), kind="stable")
    return made(mask._cell.layout, mask._cell.indices,
                found.index_select(0, index_tensor(back, x)).reshape(tuple(values.shape)), mask.shape)


def numbers(x: Tensor) -> Tensor:
    """In layout COO: where the values of a compressed matrix stand among them."""
    cell = x._cell
    shape = values_of(x).shape[:1] + forms.block_of(x)
    counted = leaf(np.arange(math.prod(shape)).reshape(shape), cell.aval.device)
    return coo_of(made(cell.layout, cell.indices, counted, cell.aval.shape[:2]))


@judged
def sparse_mask(self: Tensor, mask: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.Tensor.sparse_mask.html"""
    if self.shape != mask.shape:
        raise RuntimeError(f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has "
                           f"size {list(mask.shape)}")
    if not is_sparse(mask):
        raise not_there("sparse_mask", mask)

    def pull(g):
        found = sparse_mask(g, mask)
        return found if is_sparse(self) else to_dense(found)

    return recorded("SparseMaskBackward0", (self,), lambda: masked(self, mask), pull)


# -- rows that make a copy

@rule("clone")
def _clone(self, memory_format):
    if memory_format not in (None, preserve_format):
        raise RuntimeError(f"unsupported memory format option {_FORMATS[memory_format]}")
    return recorded("CloneBackward0", (self,), lambda: with_values(self, values_of(self).clone()), lambda g: g)


@rule("_to_copy")
def _to_copy(self, dtype):
    mine = self.dtype
    return recorded("ToCopyBackward0", (self,), lambda: with_values(self, values_of(self).to(dtype)), lambda g: g.to(mine))


@rule("alias", "_detach")
def _alias(self):
    return recorded("AliasBackward0", (self,), lambda: with_values(self, values_of(self)), lambda g: g)


@rule("_zero")
def _zero(self):
    return empty_like(self)


def empty(layout, shape, like: Tensor, sparse_count=None) -> Tensor:
    """A sparse tensor without elements, of the dtype and device of `like`."""
    if layout is sparse_coo:
        count = len(shape) if sparse_count is None else sparse_count
        none = index_tensor(np.zeros((count, 0)), like)
        return coo(none, like.new_zeros((0, *shape[count:])), shape, True)
    form = FORMS[layout]
    batch = shape[:-2]
    return made(layout, (index_tensor(np.zeros((*batch, shape[form.axis - 2] + 1)), like),
                         index_tensor(np.zeros((*batch, 0)), like)), like.new_zeros((*batch, 0)), shape)


def moved(x: Tensor, target) -> Tensor:
    """The copy of a sparse tensor on another device, with history; on 'meta' it has no elements, as in PyTorch."""
    cell, home = x._cell, x._cell.aval.device
    backend_of(home).check_reachable()
    if not backend_of(home).has_values:
        raise NotImplementedError(NO_DATA)

    def compute():
        values = cell.values.to(target)
        if not backend_of(target).has_values:
            return empty(cell.layout, tuple(x.shape), values, sparse_dims(x) if cell.layout is sparse_coo else None)
        return made(cell.layout, tuple(part.to(target) for part in cell.indices), values, x.shape, cell.coalesced)

    return recorded("ToCopyBackward0", (x,), compute, lambda g: g.to(home))


def empty_like(x: Tensor) -> Tensor:
    """A tensor without elements, like the sparse tensor `x`."""
    count = sparse_dims(x) if x._cell.layout is sparse_coo else None
    return empty(x._cell.layout, tuple(x.shape), values_of(x), count)


METHODS: dict = {
    "to_dense": to_dense, "to_sparse": to_sparse, "to_sparse_coo": to_sparse_coo, "to_sparse_csr": to_sparse_csr,
    "to_sparse_csc": to_sparse_csc, "to_sparse_bsr": to_sparse_bsr, "to_sparse_bsc": to_sparse_bsc,
    "sparse_mask": sparse_mask,
}
