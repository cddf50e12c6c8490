"""Sparse tensors in other shapes, parts of them, and several joined.

https://pytorch.org/docs/stable/sparse.html#supported-operations. None of the results is a view.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torchlike._api.generated import ops
from torchlike._api.sparse import compressed as forms
from torchlike._api.sparse.cell import coo, indices_of, is_coo, is_sparse, made, nnz_of, sparse_dims, values_of
from torchlike._api.sparse.compressed import coo_of
from torchlike._api.sparse.conversions import empty
from torchlike._api.sparse.coo import host_indices, index_tensor, summed
from torchlike._api.sparse.history import recorded
from torchlike._api.sparse.rules import check_coo, not_there, put, rule
from torchlike._base.errors import wrap_dim
from torchlike._base.settings import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr
from torchlike._record.inplace import check_writable
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, judged

_EXCHANGED = {sparse_csr: sparse_csc, sparse_csc: sparse_csr, sparse_bsr: sparse_bsc, sparse_bsc: sparse_bsr}


# -- transposed

@rule("t")
def _t(self):
    if is_coo(self) and (sparse_dims(self) > 2 or self.dim() > sparse_dims(self)):
        raise RuntimeError(f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {sparse_dims(self)} "
                           f"sparse and {self.dim() - sparse_dims(self)} dense dimensions")
    if self.dim() < 2:
        return recorded("TBackward0", (self,), lambda: _permuted(self, range(self.dim())), lambda g: g)
    return recorded("TBackward0", (self,), lambda: _exchanged(self, 0, 1), lambda g: g.t())


@rule("transpose.int")
def _transpose(self, dim0, dim1):
    a, b = wrap_dim(dim0, self.dim()), wrap_dim(dim1, self.dim())
    if is_coo(self) and max(a, b) >= sparse_dims(self) and a != b:
        raise RuntimeError("sparse transpose: transposed dimensions must be sparse Got sparse_dim: "
                           f"{sparse_dims(self)}, d0: {a}, d1: {b}")
    return recorded("TransposeBackward0", (self,), lambda: _exchanged(self, a, b), lambda g: g.transpose(dim0, dim1))


def _exchanged(x, a, b):
    if is_coo(x):
        order = list(range(x.dim()))
        order[a], order[b] = order[b], order[a]
        return _permuted(x, order)
    start = forms.batch_dims(x)
    if {a, b} != {start, start + 1}:
        raise RuntimeError(f"transpose(): can only transpose the two sparse dimensions of a {forms.layout_name(x)} tensor")
    shape = list(x.shape)
    shape[a], shape[b] = shape[b], shape[a]
    values = values_of(x)
    if forms.block_of(x):
        values = values.transpose(start + 1, start + 2)
    return made(_EXCHANGED[x._cell.layout], x._cell.indices, values, shape)


@rule("permute")
def _permute(self, dims):
    if len(dims) != self.dim():
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
                           f"desired ordering of dimensions i.e. input.dim() = {self.dim()} is not equal to len(dims) = "
                           f"{len(dims)}")
    order = [wrap_dim(d, self.dim()) for d in dims]
    if not is_coo(self):
        raise not_there("permute", self)
    count = sparse_dims(self)
    if sorted(order[:count]) != list(range(count)):
        raise RuntimeError("permute(sparse_coo): transpositions between sparse and dense dimensions are not allowed.Only "
                           "transpositions within sparse and dense dimensions are supported.")
    return recorded("PermuteBackward0", (self,), lambda: _permuted(self, order),
                    lambda g: g.permute(tuple(np.argsort(order).tolist())))


def _permuted(x, order):
    order, count = list(order), sparse_dims(x)
    indices, values = indices_of(x), values_of(x)
    is_same = order[:count] == list(range(count))
    if not is_same:
        indices = indices.index_select(0, index_tensor(order[:count], x))
    if order[count:] != list(range(count, x.dim())):
        values = values.permute((0, *(d - count + 1 for d in order[count:])))
    return coo(indices, values, [x.shape[d] for d in order], x._cell.coalesced and (is_same or nnz_of(x) < 2))


@rule("unsqueeze")
def _unsqueeze(self, dim):
    if not is_coo(self):
        raise not_there("unsqueeze", self)
    dim, count = wrap_dim(dim, self.dim() + 1), sparse_dims(self)
    shape = (*self.shape[:dim], 1, *self.shape[dim:])

    def compute():
        indices, values = indices_of(self), values_of(self)
        if dim > count:
            return coo(indices, values.unsqueeze(dim - count + 1), shape, self._cell.coalesced)
        zeros = indices.new_zeros((1, nnz_of(self)))
        return coo(ops.cat([indices[:dim], zeros, indices[dim:]], 0), values, shape, nnz_of(self) < 2)

    return recorded("UnsqueezeBackward0", (self,), compute, lambda g: g.to_dense().squeeze(dim))


@rule("expand")
def _expand(self, size, implicit):
    raise RuntimeError("expand is unsupported for Sparse tensors")


# -- parts

@rule("select.int")
def _select(self, dim, index):
    dim = wrap_dim(dim, self.dim())
    size = self.shape[dim]
    if not -size <= index < size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(self.shape)} at dimension {dim}")
    at = index % size
    return recorded("SelectBackward0", (self,), lambda: _selected(self, dim, at), lambda g: _placed(g, self, dim, at))


def _selected(x, dim, at):
    if not is_coo(x):
        x = coo_of(x)
    count = sparse_dims(x)
    shape = (*x.shape[:dim], *x.shape[dim + 1:])
    if dim >= count:
        return coo(indices_of(x), values_of(x).select(dim - count + 1, at), shape, x._cell.coalesced)
    if count == 1:
        there = np.nonzero(host_indices(x)[dim] == at)[0]
        values = values_of(x).index_select(0, index_tensor(there, x))
        return summed(values, np.zeros(len(there), np.int64), 1).squeeze(0)
    array = host_indices(x)
    there = np.nonzero(array[dim] == at)[0]
    indices = np.delete(array[:, there], dim, 0)
    return coo(index_tensor(indices, x), values_of(x).index_select(0, index_tensor(there, x)), shape,
               x._cell.coalesced or len(there) < 2)


def _placed(g, x, dim, at):
    """The gradient of a selection in a tensor like `x`."""
    whole = g.to_dense()
    return whole.new_zeros(tuple(x.shape)).select_scatter(whole, dim, at)


@rule("index_select")
def _index_select(self, dim, index):
    if not is_coo(self):
        raise not_there("index_select", self)
    dim, count = wrap_dim(dim, self.dim()), sparse_dims(self)
    shape = (*self.shape[:dim], index.numel(), *self.shape[dim + 1:])

    def compute():
        if dim >= count:
            return coo(indices_of(self), values_of(self).index_select(dim - count + 1, index), shape, self._cell.coalesced)
        wanted = host(index._cell).reshape(-1).astype(np.int64)
        if ((wanted < -self.shape[dim]) | (wanted >= self.shape[dim])).any():
            raise IndexError("index_select(): index contains values out of range")
        array = host_indices(self)
        to, at = np.nonzero((wanted % self.shape[dim])[:, None] == array[dim][None, :])
        indices = array[:, at]
        indices[dim] = to
        return coo(index_tensor(indices, self), values_of(self).index_select(0, index_tensor(at, self)), shape, len(at) < 2)

    def pull(g):
        whole = g.to_dense()
        return whole.new_zeros(tuple(self.shape)).index_add(dim, index, whole)

    return recorded("IndexSelectBackward0", (self,), compute, pull)


# -- joined

@rule("narrow_copy")
def _narrow_copy(self, dim, start, length):
    if not is_coo(self):
        raise RuntimeError(f"Sparse {self.layout.cpp_name.removeprefix('Sparse').upper()} tensors do not have strides")
    if not 0 <= dim < self.dim():
        raise RuntimeError(f"Dimension {dim} out of range. Expecting 0 <= dim < {self.dim()}.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if not 0 <= start <= start + length <= self.shape[dim]:
        raise RuntimeError("Invalid range to narrow. range(start, start+length) must be a subset of "
                           f"range(0, {self.shape[dim]}).")
    count, shape = sparse_dims(self), (*self.shape[:dim], length, *self.shape[dim + 1:])

    def compute():
        if dim >= count:
            return coo(indices_of(self), values_of(self).narrow(dim - count + 1, start, length), shape, self._cell.coalesced)
        array = host_indices(self)
        at = np.nonzero((array[dim] >= start) & (array[dim] < start + length))[0]
        indices = array[:, at]
        indices[dim] -= start
        return coo(index_tensor(indices, self), values_of(self).index_select(0, index_tensor(at, self)), shape,
                   self._cell.coalesced)

    def pull(g):
        whole = g.to_dense()
        return whole.new_zeros(tuple(self.shape)).slice_scatter(whole, dim, start, start + length)

    return recorded("NarrowCopyBackward0", (self,), compute, pull)


@rule("cat")
def _cat(tensors, dim):
    for i, x in enumerate(tensors):
        if not is_sparse(x):
            raise RuntimeError(f"Concatenating sparse tensors, but a dense tensor was found at position {i}.")
    if not all(map(is_coo, tensors)):
        raise not_there("cat", next(x for x in tensors if not is_coo(x)))
    dim = wrap_dim(dim, tensors[0].dim())
    sizes = [x.shape[dim] for x in tensors]

    def pull(g):
        whole = g.to_dense()
        return tuple(part.to_sparse(sparse_dims(x)) for part, x in zip(whole.split(sizes, dim), tensors, strict=True))

    return recorded("CatBackward0", tuple(tensors), lambda: _joined(tensors, dim, sizes), pull)


def _joined(tensors, dim, sizes):
    first, count = tensors[0], sparse_dims(tensors[0])
    starts = np.cumsum([0, *sizes])[:-1].tolist()
    shape = (*first.shape[:dim], sum(sizes), *first.shape[dim + 1:])
    indices, values = [], []
    for x, start in zip(tensors, starts, strict=True):
        mine, place = values_of(x), dim - count + 1
        if dim < count:
            shift = np.zeros((count, 1), np.int64)
            shift[dim] = start
            indices.append(indices_of(x) + index_tensor(shift, x))
            values.append(mine)
        else:
            indices.append(indices_of(x))
            full = mine.new_zeros((nnz_of(x), *shape[count:]))
            values.append(full.slice_scatter(mine, place, start, start + x.shape[dim]))
    joined = ops.cat(indices, 1)
    return coo(joined, ops.cat(values, 0), shape, joined.shape[1] < 2)


@rule("stack")
def _stack(tensors, dim):
    return _cat(tuple(x.unsqueeze(dim) for x in tensors), wrap_dim(dim, tensors[0].dim() + 1))


@rule("unbind.int")
def _unbind(self, dim):
    return tuple(self.select(dim, i) for i in range(self.shape[dim]))


# -- in other sizes

@judged
def sparse_resize_and_clear_(self: Tensor, size: Sequence[int], sparse_dim: int, dense_dim: int) -> Tensor:
    """Another size, and no elements.
    https://pytorch.org/docs/stable/generated/torch.Tensor.sparse_resize_and_clear_.html"""
    check_coo(self, "sparse_resize_and_clear_")
    check_writable(self, False)
    put(self, empty(sparse_coo, tuple(size), values_of(self), sparse_dim))
    return self


@judged
def sparse_resize_(self: Tensor, size: Sequence[int], sparse_dim: int, dense_dim: int) -> Tensor:
    """Another size, which holds the same elements; RuntimeError where it does not.
    https://pytorch.org/docs/stable/generated/torch.Tensor.sparse_resize_.html"""
    check_coo(self, "sparse_resize_")
    check_writable(self, False)
    if not nnz_of(self):
        return sparse_resize_and_clear_(self, size, sparse_dim, dense_dim)
    mine = (sparse_dims(self), self.dim() - sparse_dims(self))
    for kind, old, new in zip(("sparse", "dense"), mine, (sparse_dim, dense_dim), strict=True):
        if old != new:
            raise RuntimeError(f"changing the number of {kind} dimensions (from {old} to {new}) on a non-empty sparse "
                               "tensor is not supported.")
    for kind, old, new in (("sparse", self.shape[:sparse_dim], size[:sparse_dim]),
                           ("dense", self.shape[sparse_dim:], size[sparse_dim:])):
        if any(a > b for a, b in zip(old, new, strict=True)):
            raise RuntimeError(f"shrinking the size of {kind} dimensions (from {list(old)} to {list(new)}) on a "
                               "non-empty sparse tensor is not supported.")
    values = values_of(self)
    for d, new in enumerate(size[sparse_dim:], 1):
        old = values.shape[d]
        values = values.new_zeros((*values.shape[:d], new, *values.shape[d + 1:])).slice_scatter(values, d, 0, old)
    put(self, coo(indices_of(self), values, tuple(size), self._cell.coalesced))
    return self


@checked
def resize_as_sparse_(input: Tensor, the_template: Tensor) -> Tensor:
    """The size of another sparse tensor. https://pytorch.org/docs/stable/generated/torch.Tensor.sparse_resize_.html"""
    check_coo(input, "resize_as_sparse_")
    check_coo(the_template, "resize_as_sparse_")
    count = sparse_dims(the_template)
    return sparse_resize_(input, tuple(the_template.shape), count, the_template.dim() - count)


METHODS: dict = {"sparse_resize_": sparse_resize_, "sparse_resize_and_clear_": sparse_resize_and_clear_,
                 "resize_as_sparse_": resize_as_sparse_}
FUNCTIONS: dict = {"resize_as_sparse_": resize_as_sparse_}
