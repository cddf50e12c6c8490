"""Products with sparse matrices. https://pytorch.org/docs/stable/sparse.html#sparse-blas"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike._api.generated import ops
from torchlike._api.older_forms import Form, older_form
from torchlike._api.sparse.cell import bare, coo, indices_of, is_coo, is_sparse, nnz_of, values_of, with_values
from torchlike._api.sparse.compressed import coo_of
from torchlike._api.sparse.conversions import converted, masked
from torchlike._api.sparse.coo import coalesced, host_indices, index_tensor, places, summed
from torchlike._api.sparse.history import recorded
from torchlike._api.sparse.parts import values
from torchlike._api.sparse.rules import check_coo, not_there, put, rule
from torchlike._base.errors import type_name
from torchlike._base.settings import sparse_csr
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, judged


def reduction(name: str) -> str:
    """The name of a reduction as `index_reduce` has it: "max" is "amax"."""
    return f"a{name}" if name.startswith("m") and name != "mean" else name


def _as_coo(x: Tensor) -> Tensor:
    return x if is_coo(x) else coo_of(x)


def _check_inner(x, y, name="mm") -> None:
    if x.dim() != 2 or y.dim() != 2:
        raise RuntimeError(f"{name}: matrices expected, got {x.dim()}D, {y.dim()}D tensors")
    if x.shape[1] != y.shape[0]:
        if is_coo(x) and not is_sparse(y):
            raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size {x.shape[1]}, got {y.shape[0]}")
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({x.shape[0]}x{x.shape[1]} and "
                           f"{y.shape[0]}x{y.shape[1]})")


def _check_dtypes(x, y) -> None:
    if is_sparse(x) and is_sparse(y):
        if is_coo(x) and x.dtype is not y.dtype:
            raise RuntimeError(f"mat1 dtype {x.dtype.scalar_name} does not match mat2 dtype {y.dtype.scalar_name}")
        _check_scalar_type(y, x)
    else:
        _check_scalar_type(*((x, y) if is_sparse(x) else (y, x)))


def _check_scalar_type(x, y) -> None:
    if x.dtype is not y.dtype:
        raise RuntimeError(f"expected scalar type {x.dtype.scalar_name} but found {y.dtype.scalar_name}")


def _sparse_strided(x, y):
    """A sparse matrix times a strided one: a strided one."""
    _check_dtypes(x, y)
    x = _as_coo(x)
    rows, columns = indices_of(x).unbind(0)
    terms = values_of(x).unsqueeze(1) * bare(y).index_select(0, columns)
    return terms.new_zeros((x.shape[0], y.shape[1])).index_add(0, rows, terms)


def _sparse_sparse(x, y):
    """Two sparse matrices: one of layout COO, coalesced."""
    x, y = coalesced(_as_coo(x)), coalesced(_as_coo(y))
    left, right = host_indices(x), host_indices(y)
    starts = np.searchsorted(right[0], left[1], "left")
    counts = np.searchsorted(right[0], left[1], "right") - starts
    at = np.repeat(np.arange(left.shape[1]), counts)
    with_ = np.arange(len(at)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(starts, counts)
    shape = (x.shape[0], y.shape[1])
    keys, place = np.unique(places(np.stack((left[0][at], right[1][with_])), shape), return_inverse=True)
    terms = values_of(x).index_select(0, index_tensor(at, x)) * values_of(y).index_select(0, index_tensor(with_, x))
    indices = np.stack(np.divmod(keys, max(shape[1], 1)))
    return coo(index_tensor(indices, x), summed(terms, place, len(keys)), shape, True)


def _product(x, y):
    """The product of two matrices, one of them sparse."""
    if not is_sparse(y):
        return _sparse_strided(x, y)
    if not is_sparse(x):
        return _sparse_strided(_as_coo(y).t(), bare(x).t()).t().contiguous()
    _check_dtypes(x, y)
    found = _sparse_sparse(x, y)
    return found if is_coo(x) else converted(found, x._cell.layout, ())


def _of_left(g, x, y, scale=1):
    """The gradient of the left matrix `x`."""
    return None if x._edge is None else _scaled(g, scale) @ _adjoint(y)


def _of_right(g, x, y, scale=1):
    """The gradient of the right matrix `y`."""
    return None if y._edge is None else _adjoint(x) @ _scaled(g, scale)


def _sampled(g, x, y, scale=1):
    """The gradient of the left matrix `x` where that, of layout COO, has elements."""
    if x._edge is None:
        return None
    if not is_coo(x) or is_sparse(g) or is_sparse(y):
        return _of_left(g, x, y, scale).sparse_mask(x)
    rows, columns = indices_of(x).unbind(0)
    values = (_scaled(g, scale).index_select(0, rows) * y.conj().index_select(0, columns)).sum(1)
    return coo(indices_of(x), values, x.shape, x._cell.coalesced)


def _masked_right(g, x, y):
    return None if y._edge is None else _of_right(g, x, y).sparse_mask(y)


def _adjoint(x):
    return x.t().conj() if x.dtype.is_complex else x.t()


def _scaled(g, scale):
    return g if scale == 1 else g * scale


@rule("mm")
def _mm(self, mat2):
    _check_inner(self, mat2)
    return recorded("MmBackward0", (self, mat2), lambda: _product(self, mat2),
                    lambda g: (_of_left(g, self, mat2), _of_right(g, self, mat2)), (self, mat2))


@rule("mv")
def _mv(self, vec):
    if self.dim() != 2 or vec.dim() != 1:
        raise RuntimeError(f"mv: two tensor dim should be 2 and 1, but got SparseTensor Dim: {self.dim()}Tensor Dim: "
                           f"{vec.dim()}")
    if self.shape[-1] != vec.shape[-1]:
        raise RuntimeError("mv: expected self.size(-1) == vec.size(-1)")
    if is_sparse(self) and not is_coo(self) and self.dtype is not vec.dtype:
        raise RuntimeError("addmv input tensors must have the same dtype, but got "
                           f"{vec.dtype.scalar_name}, {self.dtype.scalar_name}, and {vec.dtype.scalar_name}")

    def pull(g):
        of_matrix = _of_left(g.unsqueeze(1), self, vec.unsqueeze(1))
        return of_matrix, (_adjoint(self) @ g.unsqueeze(1)).squeeze(1) if vec._edge is not None else None

    return recorded("MvBackward0", (self, vec), lambda: _product(self, vec.unsqueeze(1)).squeeze(1), pull,
                    (self, vec))


@rule("addmm")
def _addmm(self, mat1, mat2, beta=None, alpha=None):
    return _plus_product("AddmmBackward0", self, mat1, mat2, 1 if beta is None else beta, 1 if alpha is None else alpha)


@rule("addmv")
def _addmv(self, mat, vec, beta=None, alpha=None):
    if is_coo(mat):
        raise not_there("addmv", mat)
    return _scaled(self, 1 if beta is None else beta) + _scaled(_mv(mat, vec), 1 if alpha is None else alpha)


def _plus_product(name, added, x, y, beta, alpha, of_left=_of_left):
    _check_inner(x, y, "addmm")

    def compute():
        product = _scaled(_product(x, y), alpha)
        _check_dtypes(x if is_sparse(x) else y, added)
        if beta == 0:
            return product + 0
        return _scaled(bare(added), beta) + product

    def pull(g):
        of_added = None
        if added._edge is not None:
            whole = _scaled(g, beta)
            of_added = whole if whole.shape == added.shape else whole.sum_to_size(added.shape)
        return of_added, of_left(g, x, y, alpha), _of_right(g, x, y, alpha)

    return recorded(name, (added, x, y), compute, pull, (x, y))


def _check_batches(x, y) -> None:
    if is_sparse(y):
        raise RuntimeError("bmm_sparse: Tensor 'mat2' must be dense")
    for name, count, wanted, kind in (("self", x.dense_dim(), 0, "dense "), ("self", x.sparse_dim(), 3, "sparse "),
                                      ("mat2", y.dim(), 3, "")):
        if count != wanted:
            raise RuntimeError(f"bmm_sparse: Tensor '{name}' must have {wanted} {kind}dims, but has {count}")
    for mine, theirs in ((0, 0), (2, 1)):
        if x.shape[mine] != y.shape[theirs]:
            raise RuntimeError(f"bmm_sparse: 'self.size({mine})' and 'mat2.size({theirs})' must match")


@rule("bmm")
def _bmm(self, mat2):
    if not is_coo(self):
        raise not_there("bmm", self)
    _check_batches(self, mat2)
    _check_dtypes(self, mat2)

    def compute():
        batch, rows, columns = host_indices(self)
        taken = index_tensor(batch * self.shape[2] + columns, self)
        flat = bare(mat2).reshape((-1, mat2.shape[2])).index_select(0, taken)
        terms = values_of(self).unsqueeze(1) * flat
        return summed(terms, batch * self.shape[1] + rows, self.shape[0] * self.shape[1]).reshape(
            (self.shape[0], self.shape[1], mat2.shape[2]))

    def pull(g):
        whole = self.to_dense()
        of_left = (g @ mat2.transpose(1, 2)).sparse_mask(self) if self._edge is not None else None
        return of_left, whole.transpose(1, 2) @ g if mat2._edge is not None else None

    return recorded("BmmBackward0", (self, mat2), compute, pull, (self, mat2))


# -- functions of their own

def sparse_mm(mat1: Tensor, mat2: Tensor, reduce: str | None = None) -> Tensor:
    """`torch.sparse.mm`: the product of two matrices, at least one of them sparse.
    https://pytorch.org/docs/stable/generated/torch.sparse.mm.html

    Args:
        mat1, mat2: (n, k) and (k, m).
        reduce: what is done with the products of a row and a column instead of summing up all of them: "sum", "mean",
            "amax" or "amin" of those that `mat1`, of layout CSR, has; 0 where it has none.

    Returns:
        (n, m), sparse if both matrices are.

    Raises:
        RuntimeError: the shapes do not fit, or `reduce` is unknown.
    """
    if reduce is not None:
        return _reduced(mat1, mat2, reduce)
    _check_inner(mat1, mat2)
    if is_sparse(mat1) and is_sparse(mat2):
        return recorded("SparseSparseMatmulBackward0", (mat1, mat2), lambda: _product(mat1, mat2),
                        lambda g: (_sampled(g, mat1, mat2), _masked_right(g, mat1, mat2)), (mat1, mat2))
    if is_sparse(mat1):
        return _plus_product("SparseAddmmBackward0", mat2.new_zeros((mat1.shape[0], mat2.shape[1])), mat1, mat2, 0, 1,
                             _sampled)
    return sparse_mm(mat2.t(), mat1.t()).t()


def _reduced(x, y, reduce):
    if x._cell.layout is not sparse_csr:
        raise not_there("_sparse_mm_reduce_impl", x)
    _check_inner(x, y)
    kind = reduction(reduce)
    if kind not in ("sum", "mean") and kind.removeprefix("a") not in ("max", "min"):
        raise RuntimeError("reduce argument must be either sum, prod, mean, amax or amin, got " + reduce)
    ends, columns = (host(each._cell).astype(np.int64) for each in x._cell.indices)
    rows = index_tensor(np.repeat(np.arange(x.shape[0]), np.diff(ends)), x)
    terms = values(x).unsqueeze(1) * y.index_select(0, index_tensor(columns, x))
    zeros = terms.new_zeros((x.shape[0], y.shape[1]))
    if kind == "sum":
        return zeros.index_add(0, rows, terms)
    return ops.index_reduce(zeros, 0, rows, terms, kind, include_self=False)


def sparse_addmm(mat: Tensor, mat1: Tensor, mat2: Tensor, *, beta=1, alpha=1) -> Tensor:
    """`torch.sparse.addmm`: ``beta * mat + alpha * (mat1 @ mat2)``; `mat1` is sparse, and has a sparse gradient.
    https://pytorch.org/docs/stable/generated/torch.sparse.addmm.html"""
    return _plus_product("SparseAddmmBackward0", mat, mat1, mat2, beta, alpha, _sampled)


def sampled_addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta=1.0, alpha=1.0, out=None) -> Tensor:
    """`torch.sparse.sampled_addmm`: ``beta * input + alpha * (mat1 @ mat2)`` where `input`, of layout CSR, has elements.
    https://pytorch.org/docs/stable/generated/torch.sparse.sampled_addmm.html

    Args:
        input: (n, m), of layout CSR.
        mat1, mat2: strided, (n, k) and (k, m).
        beta, alpha: numbers.
        out: a sparse tensor that becomes the result; then there is no gradient.

    Returns:
        A tensor like `input`.

    Raises:
        RuntimeError: the three have several dtypes.
    """
    for name, x, y in (("mat2", mat1, mat2), ("self", mat1, input)):
        if x.dtype is not y.dtype:
            raise RuntimeError(f"sampled_addmm: Expected mat1 and {name} to have the same dtype, but got "
                               f"{x.dtype.scalar_name} and {y.dtype.scalar_name}")

    def compute():
        product = values_of(masked(bare(mat1) @ bare(mat2), input))
        return with_values(input, values_of(input) * beta + product * alpha)

    def pull(g):
        whole = g.to_dense()
        return ((whole * beta).sparse_mask(input), alpha * (whole @ _adjoint(mat2)) if mat1._edge is not None else None,
                alpha * (_adjoint(mat1) @ whole) if mat2._edge is not None else None)

    if out is None:
        return recorded("SparseSampledAddmmBackward0", (input, mat1, mat2), compute, pull, (mat1, mat2))
    put(out, compute())
    return out


@checked
def smm(input: Tensor, mat: Tensor) -> Tensor:
    """The product of a sparse matrix and a strided one, with all elements of the rows that are not empty.
    https://pytorch.org/docs/stable/generated/torch.smm.html"""
    if not is_coo(input):
        raise RuntimeError("tensor.sspaddmm(...) can only be called on sparse tensors")
    return sspaddmm(input.new_zeros((input.shape[0], mat.shape[1])), input, mat, beta=0)


_SSPADDMM = Form("sspaddmm", ("self", "mat1", "mat2"), ("beta", "alpha"))


@judged
def sspaddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *older: Any, beta=1, alpha=1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``, for sparse `input` and `mat1`, in layout COO.
    https://pytorch.org/docs/stable/generated/torch.sspaddmm.html"""
    if older:
        return older_form(sspaddmm, _SSPADDMM, (input, mat1, mat2, *older), out=None)
    if not is_coo(input):
        raise RuntimeError("tensor.sspaddmm(...) can only be called on sparse tensors")
    check_coo(mat1, "sspaddmm")
    product = _scaled(_sparse_strided(mat1, mat2), alpha)
    rows = np.unique(host_indices(_as_coo(mat1))[0])
    width = mat2.shape[1]
    indices = np.stack((np.repeat(rows, width), np.tile(np.arange(width), len(rows))))
    values = product.index_select(0, index_tensor(rows, mat1)).reshape((-1,))
    if beta == 0 or not nnz_of(input):
        return coo(index_tensor(indices, mat1), values, product.shape)
    joined = ops.cat([indices_of(input), index_tensor(indices, mat1)], 1)
    return coo(joined, ops.cat([_scaled(values_of(input), beta), values], 0), product.shape)


def spsolve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:  # noqa: N803 - PyTorch's names
    """The solution of a system of a sparse matrix, which PyTorch has for cuDSS alone: NotImplementedError.

    Args:
        A: (N, N).
        B: (N).
        left: whether A is on the left.

    Returns: (N), in PyTorch.

    Raises:
        TypeError: `A` or `B` is no Tensor.
    """
    for i, (name, x) in enumerate((("A", A), ("B", B))):
        if not isinstance(x, Tensor):
            raise TypeError(f"_spsolve(): argument '{name}' (position {i + 1}) must be Tensor, not {type_name(type(x))}")
    raise not_there("_spsolve", A)


@judged
def hspmm(mat1: Tensor, mat2: Tensor) -> Tensor:
    """The product of a sparse matrix and a strided one, with the rows that are not empty: one sparse, one dense dimension.
    https://pytorch.org/docs/stable/generated/torch.hspmm.html"""
    check_coo(mat1, "hspmm")
    _check_inner(mat1, mat2)
    rows = index_tensor(np.unique(host_indices(_as_coo(mat1))[0]), mat1)
    return coo(rows.unsqueeze(0), _sparse_strided(mat1, mat2).index_select(0, rows), (mat1.shape[0], mat2.shape[1]))


def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """`torch.mm`."""
    return ops.mm(input, mat2)


def dsmm(input: Tensor, mat2: Tensor) -> Tensor:
    """`torch.mm`."""
    return ops.mm(input, mat2)


def saddmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta=1, alpha=1) -> Tensor:
    """`sspaddmm`."""
    return sspaddmm(input, mat1, mat2, beta=beta, alpha=alpha)


METHODS: dict = {"smm": smm, "sspaddmm": sspaddmm}
FUNCTIONS: dict = {"smm": smm, "sspaddmm": sspaddmm, "hspmm": hspmm, "spmm": spmm, "dsmm": dsmm, "saddmm": saddmm}
