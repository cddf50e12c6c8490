"""Sums, norms and softmax of sparse tensors. https://pytorch.org/docs/stable/sparse.html#supported-operations"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from torchlike._api.generated import ops
from torchlike._api.sparse.cell import coo, is_coo, pattern_values, sparse_dims, values_of, with_values
from torchlike._api.sparse.compressed import coo_of
from torchlike._api.sparse.conversions import converted
from torchlike._api.sparse.coo import coalesced, host_indices, index_tensor, places, summed
from torchlike._api.sparse.history import recorded
from torchlike._api.sparse.parts import coalesce, values
from torchlike._api.sparse.rules import not_there, rule
from torchlike._base.dtypes import dtype
from torchlike._base.errors import wrap_dim, wrap_dims
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import judged

# -- sums

@rule("sum")
def _sum(self, dtype):
    def pull(g):
        return g.to(self.dtype).expand(self.shape)

    return recorded("SumBackward0", (self,), lambda: ops.sum(values_of(self), dtype=dtype), pull)


@rule("sum.dim_IntList")
def _sum_dims(self, dim, keepdim, dtype):
    if not is_coo(self):
        if not keepdim:
            raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
        layout = self._cell.layout
        return recorded("SumBackward1", (self,),
                        lambda: converted(_over(coo_of(self), wrap_dims(dim, self.dim()), True), layout),
                        lambda g: g.to_dense().expand(self.shape))
    dims = wrap_dims(dim, self.dim()) if dim is not None and dim != () else tuple(range(self.dim()))
    x = self if dtype is None else self.to(dtype)
    return recorded("SumBackward1", (x,), lambda: _over(x, dims, keepdim), lambda g: _spread(g, x, dims, keepdim))


def _over(x, dims, keepdim):
    """The sums over some dimensions: strided where no sparse dimension is left."""
    count = sparse_dims(x)
    x = coalesced(x)
    inner = tuple(d - count + 1 for d in dims if d >= count)
    kept = [d for d in range(count) if d not in dims]
    found = values_of(x).sum(inner) if inner else values_of(x)
    rest = [x.shape[d] for d in range(count, x.dim()) if d not in dims]
    if not kept:
        whole = found.sum(0)
        return whole.reshape([1 if d in dims else x.shape[d] for d in range(x.dim())]) if keepdim else whole
    array = host_indices(x)[kept]
    keys, first, at = np.unique(places(array, [x.shape[d] for d in kept]), return_index=True, return_inverse=True)
    sums, indices = summed(found, at, len(keys)), array[:, first]
    found = coo(index_tensor(indices, x), sums, [*(x.shape[d] for d in kept), *rest], True)
    for d in sorted(dims) if keepdim else ():
        found = found.unsqueeze(d)
    return found


def _spread(g, x, dims, keepdim):
    """The gradient of a sum: that of each sum at the elements of `x`."""
    whole = g.to_dense()
    if not keepdim:
        for d in sorted(dims):
            whole = whole.unsqueeze(d)
    return whole.expand(x.shape).sparse_mask(x)


def sparse_sum(input: Tensor, dim=None, dtype: dtype | None = None) -> Tensor:
    """`torch.sparse.sum`: over some dimensions, sparse where a sparse dimension is left; over all a strided number.
    https://pytorch.org/docs/stable/generated/torch.sparse.sum.html"""
    x = input if dtype is None else input.to(dtype)
    if dim is None or dim == () or dim == []:
        return values(coalesce(x)).sum() if is_coo(x) else values(x).sum()
    dims = wrap_dims((dim,) if isinstance(dim, int) else tuple(dim), x.dim())
    return recorded("SparseSumBackward0", (x,), lambda: _over(x, dims, False), lambda g: _spread(g, x, dims, False))


def sparse_norm(self: Tensor, order, dim) -> Tensor:
    """`torch.norm` over all elements of a tensor of layout COO."""
    if not is_coo(self):
        raise not_there("norm.out", self)
    if dim is not None and len((dim,) if isinstance(dim, int) else dim) not in (0, self.dim()):
        raise RuntimeError("norm_sparse currently only supports full reductions, so 'dim' must either be empty or contain "
                           "all dimensions of the input")

    def pull(g):
        x = coalesce(self)
        powers = values(x).abs() ** (order - 2) * values(x)
        return with_values(x, powers * (g / norm ** (order - 1)))

    norm = values_of(coalesced(self)).norm(order)
    return recorded("NormBackward0", (self,), lambda: norm, pull)


@rule("any")
def _any(self):
    if not is_coo(self):
        raise not_there("any.all_out", self)
    return values_of(self).any()


# -- softmax

def _softmax_of(log, name, node):
    def softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
        x = coalesce(input if dtype is None else input.to(dtype))
        dim = wrap_dim(dim, x.dim())

        def pull(g):
            result, got = _normalised(values(x), x, dim, log), pattern_values(g, x)
            if log:
                return with_values(x, got - result.exp() * _totals(got, x, dim))
            return with_values(x, result * (got - _totals(got * result, x, dim)))

        return recorded(node, (x,), lambda: with_values(x, _normalised(values_of(x), x, dim, log)), pull)

    softmax.__name__ = softmax.__qualname__ = name
    softmax.__doc__ = (f"`torch.sparse.{name}`: over the elements that are specified.\n"
                       f"    https://pytorch.org/docs/stable/generated/torch.sparse.{name}.html")
    return softmax


def _groups(x, dim) -> tuple:
    """Which elements of a coalesced tensor share a line along a sparse dimension, and how many such lines there are."""
    others = [d for d in range(sparse_dims(x)) if d != dim]
    keys = places(host_indices(x)[others], [x.shape[d] for d in others])
    found, at = np.unique(keys, return_inverse=True)
    return at, len(found)


def _totals(values, x, dim):
    """At each element the sum along its line."""
    if dim >= sparse_dims(x):
        return values.sum(dim - sparse_dims(x) + 1, keepdim=True)
    at, count = _groups(x, dim)
    return summed(values, at, count).index_select(0, index_tensor(at, x))


def _normalised(values, x, dim, log):
    if dim >= sparse_dims(x):
        place = dim - sparse_dims(x) + 1
        return values.log_softmax(place) if log else values.softmax(place)
    at, count = _groups(x, dim)
    index = index_tensor(at, x)
    lowest = values.new_full((count, *values.shape[1:]), -math.inf)
    largest = ops.index_reduce(lowest, 0, index, values, "amax")
    shifted = values - largest.index_select(0, index)
    total = summed(shifted.exp(), at, count).index_select(0, index)
    return shifted - total.log() if log else shifted.exp() / total


sparse_softmax = _softmax_of(False, "softmax", "SparseSoftmaxBackward0")
sparse_log_softmax = _softmax_of(True, "log_softmax", "SparseLogSoftmaxBackward0")


@judged
def native_norm(input: Tensor, p: float | None = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False,
                dtype: dtype | None = None) -> Tensor:
    """Over all elements of a tensor of layout COO, as PyTorch has it; `torch.norm` is for all layouts."""
    if not is_coo(input):
        raise not_there("native_norm" if dim is None else "native_norm.ScalarOpt_dim_dtype", input)
    if keepdim:
        raise RuntimeError("norm_sparse currently does not support keepdim=True")
    if dtype is not None:
        raise RuntimeError("norm_sparse currently does not support 'dtype' argument")
    return sparse_norm(input, 2 if p is None else p, dim)


FUNCTIONS: dict = {"native_norm": native_norm}
