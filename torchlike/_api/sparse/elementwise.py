"""Elementwise operations on sparse tensors. https://pytorch.org/docs/stable/sparse.html#supported-operations"""

from __future__ import annotations

import functools

import numpy as np

from torchlike._api.generated import ops
from torchlike._api.sparse import compressed as forms
from torchlike._api.sparse.cell import (
    bare,
    coo,
    indices_of,
    is_coo,
    is_sparse,
    nnz_of,
    pattern_values,
    sparse_dims,
    values_of,
    with_values,
)
from torchlike._api.sparse.compressed import strided_of
from torchlike._api.sparse.conversions import converted, masked
from torchlike._api.sparse.coo import coalesced, host_indices, index_tensor, lookup, places, summed
from torchlike._api.sparse.history import recorded, recording
from torchlike._api.sparse.rules import RULES, rule
from torchlike._base import dtypes as dt
from torchlike._base.settings import sparse_coo
from torchlike._compile.backends.registry import backend_of
from torchlike._ops.all import ROWS
from torchlike._ops.geometry import broadcast
from torchlike._ops.sparse_rows import ON_VALUES
from torchlike._record.bind import bind
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd.engine import grad

_ADD_DENSE = "add(sparse, dense) is not supported. Use add(dense, sparse) instead."
_DIVISOR = "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape {} for divisor)"
_UNEQUAL = ("sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, number of sparse "
            "dimensions, and shape of sparse dimensions")


# -- on the values

def _on_values(row, self):
    """A function with f(0) = 0, on the values, of layout COO summed up first."""
    x = coalesced(self) if self._cell.layout is sparse_coo and row is not ROWS["neg"] else self

    def pull(g):
        again = state.thread.grad
        with recording(True):
            values = pattern_values(self, x) if again else values_of(x).detach().requires_grad_()
            result = bind(row, (values,), (), ())
        return with_values(x, grad(result, values, pattern_values(g, x), create_graph=again)[0])

    found = recorded(row.node, (self,), lambda: with_values(x, bind(row, (values_of(x),), (), ())), pull, (self,))
    if found._cell.aval.dtype.category < dt.FLOAT:
        found._edge = None
    return found


RULES.update((row, functools.partial(_on_values, row)) for row in ON_VALUES)


def _is_scalar(x) -> bool:
    return not isinstance(x, Tensor) or (not is_sparse(x) and not x.dim())


def _conj(x):
    return x.conj() if isinstance(x, Tensor) else complex(x).conjugate() if isinstance(x, complex) else x


def _tensors(*operands) -> tuple:
    return tuple(x if isinstance(x, Tensor) else None for x in operands)


def _fitted(g, x):
    """The gradient `g` in the shape and dtype of the operand `x`."""
    if not isinstance(x, Tensor):
        return None
    if g.shape != x.shape:
        g = g.to_dense().sum_to_size(x.shape)
    return g if g.dtype is x.dtype else g.to(x.dtype)


@rule("_conj")
def _conj_of(self):
    return recorded("ConjBackward0", (self,), lambda: with_values(self, values_of(self).conj_physical()), lambda g: g.conj())


# -- products

@rule("mul")
def _mul(self, other):
    def pull(g):
        return (_fitted(g * _conj(other), self) if _wants(self) else None,
                _fitted(g * _conj(self), other) if _wants(other) else None)

    reads = ((self,) if _wants(other) else ()) + ((other,) if _wants(self) and isinstance(other, Tensor) else ())
    return recorded("MulBackward0", _tensors(self, other), lambda: _product(self, other), pull, reads)


def _wants(x) -> bool:
    return isinstance(x, Tensor) and x._edge is not None


def _product(x, y):
    if not is_sparse(x):
        x, y = y, x
    if _is_scalar(y):
        return with_values(x, values_of(x) * (bare(y) if isinstance(y, Tensor) else y))
    if not is_sparse(y):
        return _times_strided(x, bare(y))
    if x._cell.layout is not sparse_coo or y._cell.layout is not sparse_coo:
        layout, block = x._cell.layout, forms.block_of(x) if x._cell.layout in forms.FORMS else ()
        return converted(_product(converted(x, sparse_coo), converted(y, sparse_coo)), layout, block)
    if x.shape[:sparse_dims(x)] != y.shape[:sparse_dims(y)] or x.dim() != y.dim():
        raise RuntimeError(_UNEQUAL)
    if y._cell.coalesced != x._cell.coalesced:
        x, y = (y, x) if x._cell.coalesced else (x, y)
    elif nnz_of(x) < nnz_of(y):
        x, y = y, x
    y = coalesced(y)
    sizes = x.shape[:sparse_dims(x)]
    mine, theirs = places(host_indices(x), sizes), places(host_indices(y), sizes)
    place = np.minimum(np.searchsorted(theirs, mine), max(len(theirs) - 1, 0))
    at = np.nonzero(theirs[place] == mine)[0] if len(theirs) else np.zeros(0, np.int64)
    pick = index_tensor(at, x)
    values = values_of(x).index_select(0, pick) * values_of(y).index_select(0, index_tensor(place[at], x))
    return coo(indices_of(x).index_select(1, pick), values, broadcast(x.shape, y.shape), x._cell.coalesced or len(at) < 2)


def _times_strided(x, y):
    if x._cell.layout is not sparse_coo:
        return with_values(x, values_of(x) * values_of(masked(y.expand(x.shape), x)))
    if broadcast(x.shape, y.shape) != x.shape:
        raise RuntimeError(f"mul(sparse, dense): the dense operand of shape {list(y.shape)} does not broadcast to "
                           f"{list(x.shape)}")
    return with_values(x, values_of(x) * lookup(y.expand(x.shape), host_indices(x)))


# -- quotients and powers

def _check_divisor(self, other) -> None:
    if not _is_scalar(other):
        raise RuntimeError(_DIVISOR.format(list(other.shape)))
    if not is_sparse(self):
        raise RuntimeError(_DIVISOR.format(list(other.shape)))


@rule("div")
def _div(self, other):
    _check_divisor(self, other)

    def pull(g):
        of_other = -(g * self).to_dense().sum() / (other * other) if _wants(other) else None
        return _fitted(g / _conj(other), self), of_other

    return recorded("DivBackward0", _tensors(self, other), lambda: with_values(self, values_of(self) / other), pull)


@rule("div.Tensor_mode")
def _div_mode(self, other, rounding_mode):
    _check_divisor(self, other)
    x = coalesced(self) if is_coo(self) else self
    return with_values(x, values_of(x).div(other, rounding_mode=rounding_mode))


@rule("floor_divide")
def _floor_divide(self, other):
    return _div_mode(self, other, "floor")


@rule("_pow_static")
def _pow_static(self, exponent):
    return _pow(self, exponent[1])


@rule("pow.Tensor_Scalar")
def _pow(self, exponent):
    x = coalesced(self) if is_coo(self) else self
    return recorded("PowBackward0", (self,), lambda: with_values(x, values_of(x) ** exponent),
                    lambda g: g * (exponent * x ** (exponent - 1)), (self,))


# -- sums

@rule("add")
def _add(self, other, alpha=None):
    alpha = 1 if alpha is None else alpha

    def pull(g):
        return _fitted(g, self), _fitted(g if alpha == 1 else g * alpha, other)

    return recorded("AddBackward0", _tensors(self, other), lambda: _sum(self, other, alpha), pull)


@rule("sub")
def _sub(self, other, alpha=None):
    alpha = 1 if alpha is None else alpha

    def pull(g):
        return _fitted(g, self), _fitted(g * -alpha, other)

    return recorded("SubBackward0", _tensors(self, other), lambda: _sum(self, other, -alpha), pull)


def _sum(x, y, alpha):
    if not is_sparse(x):
        if not isinstance(x, Tensor):
            raise RuntimeError(_ADD_DENSE)
        return _to_strided(bare(x), y, alpha)
    if not is_sparse(y):
        if x._cell.layout is sparse_coo or not isinstance(y, Tensor):
            raise RuntimeError(_ADD_DENSE)
        return strided_of(x) + bare(y) * alpha
    if x.shape != y.shape:
        raise RuntimeError(f"add: expected sizes of 'self' and 'other' to match, but {list(x.shape)} != {list(y.shape)}")
    if x._cell.layout is not sparse_coo or y._cell.layout is not sparse_coo:
        layout, block = x._cell.layout, forms.block_of(x) if x._cell.layout in forms.FORMS else ()
        return converted(_sum(converted(x, sparse_coo), converted(y, sparse_coo), alpha), layout, block)
    if sparse_dims(x) != sparse_dims(y):
        raise RuntimeError("add: expected 'self' and 'other' to have same density, but 'self' has "
                           f"{sparse_dims(x)} sparse dimensions while 'other' has {sparse_dims(y)} sparse dimensions")
    return _merged(x, y, alpha)


def _merged(x, y, alpha):
    """Both as sorted lists are merged, also where they are not sorted; on 'meta', where nothing is sorted, one after the
    other."""
    if not backend_of(x._cell.aval.device).has_values:
        indices = ops.cat([indices_of(x), indices_of(y)], 1)
        return coo(indices, ops.cat([values_of(x), values_of(y)], 0), x.shape, True)
    sizes = x.shape[:sparse_dims(x)]
    keys = [places(host_indices(each), sizes) for each in (x, y)]
    is_summed = x._cell.coalesced and y._cell.coalesced
    together = np.concatenate(keys)
    if is_summed:
        found, at = np.unique(together, return_inverse=True)
        count = len(found)
    else:
        at, count = _interleaved(*(each.tolist() for each in keys))
    scaled = values_of(y) if alpha == 1 else values_of(y) * alpha
    first = np.full(count, len(together))
    np.minimum.at(first, at, np.arange(len(together)))
    indices = np.concatenate([host_indices(x), host_indices(y)], 1)[:, first]
    return coo(index_tensor(indices, x), summed(ops.cat([values_of(x), scaled], 0), at, count), x.shape, is_summed)


def _interleaved(mine: list, theirs: list) -> tuple:
    """Where the elements of two lists go when they are merged as PyTorch does, and how many places that takes."""
    at, to, i, j, count = [0] * len(mine), [0] * len(theirs), 0, 0, 0
    while i < len(mine) or j < len(theirs):
        before = j >= len(theirs) or (i < len(mine) and mine[i] < theirs[j])
        same = i < len(mine) and j < len(theirs) and mine[i] == theirs[j]
        if before or same:
            at[i] = count
            i += 1
        if not before:
            to[j] = count
            j += 1
        count += 1
    return np.array(at + to, np.int64), count


def _to_strided(x, y, alpha):
    """A strided tensor plus a sparse one."""
    whole = strided_of(y)
    return x + (whole if alpha == 1 else whole * alpha)


# -- copies

@rule("copy")
def _copy(self, src):
    if not is_sparse(self) or not is_sparse(src):
        raise RuntimeError("copy_() between dense and sparse Tensors is not implemented! Found self type = "
                           f"{self.type()} and src type = {src.type()}")
    values = values_of(src)
    return recorded("CopyBackwards", (None, src),
                    lambda: with_values(src, values.clone() if values.dtype is self.dtype else values.to(self.dtype)),
                    lambda g: (None, g))
