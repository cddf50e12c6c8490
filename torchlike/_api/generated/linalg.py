"""torch.linalg: functions of the torch namespace.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import ints, numpys, static_number
from torchlike._api.generated import return_types
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._base.dtypes import dtype
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind, unary
from torchlike._record.tensor import Tensor

_LINALG_SOLVE_TRIANGULAR = ROWS["linalg_solve_triangular"]
_LINALG_QR = ROWS["linalg_qr"]
_LINALG_LDL_SOLVE = ROWS["linalg_ldl_solve"]
_LINALG_LU = ROWS["linalg_lu"]
_LINALG_LU_SOLVE = ROWS["linalg_lu_solve"]
_LINALG_VECTOR_NORM = ROWS["linalg_vector_norm"]
_record_linalg_matrix_exp = unary(ROWS["linalg_matrix_exp"])
_record_linalg_householder_product = binary(ROWS["linalg_householder_product"])
_record_linalg_matrix_sqrth = unary(ROWS["linalg_matrix_sqrth"])


def linalg_solve_triangular(input: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False,
                            out: Tensor | None = None) -> Tensor:
    """X in A X = B, or X A = B, where A is triangular.

    Args:
        input: Tensor of any shape.
        B: (*, N, K) matrices, or vectors.
        upper: use the upper triangle.
        left: solve A X = B; else X A = B.
        unitriangular: take the diagonal as ones.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.linalg.solve_triangular.html
    """
    if out is not None:
        return written(out, "linalg_solve_triangular", (), linalg_solve_triangular, input, B, upper=upper, left=left,
            unitriangular=unitriangular)
    return bind(_LINALG_SOLVE_TRIANGULAR, (input, B), (), (upper, left, unitriangular))


def linalg_qr(A: Tensor, mode: str = "reduced", *, out: Sequence[Tensor] | None = None) -> return_types.linalg_qr:
    """The QR decomposition: an orthogonal and an upper triangular factor.

    Args:
        A: (*, M, N) matrices.
        mode: the kind.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: Q, R.

    https://pytorch.org/docs/stable/generated/torch.linalg.qr.html
    """
    if out is not None:
        return written(out, "linalg_qr", (), linalg_qr, A, mode)
    return return_types.linalg_qr(*bind(_LINALG_QR, (A,), (), (mode,)))


def linalg_matrix_exp(input: Tensor) -> Tensor:
    """The exponential of square matrices.

    Args:
        input: Tensor of any shape.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.linalg.matrix_exp.html
    """
    return _record_linalg_matrix_exp(input)


def linalg_householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of the product of Householder reflectors.

    Args:
        input: Tensor of any shape.
        tau: (*, K) factors of the reflections.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.linalg.householder_product.html
    """
    if out is not None:
        return written(out, "linalg_householder_product", (), linalg_householder_product, input, tau)
    return _record_linalg_householder_product(input, tau)


def orgqr(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.linalg.householder_product`: the first columns of the product of Householder reflectors."""
    if out is not None:
        return written(out, "linalg_householder_product", (), orgqr, input, tau)
    return _record_linalg_householder_product(input, tau)


def linalg_ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | None = None) -> Tensor:
    """A X = B from the factors of A.

    Args:
        LD: (*, N, N) matrices, both factors in one.
        pivots: (*, N) integers, from 1.
        B: (*, N, K) matrices, or vectors.
        hermitian: take the matrices as symmetric, or Hermitian.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.linalg.ldl_solve.html
    """
    if out is not None:
        return written(out, "linalg_ldl_solve", (), linalg_ldl_solve, LD, pivots, B, hermitian=hermitian)
    return bind(_LINALG_LDL_SOLVE, (LD, pivots, B), (), (hermitian,))


def linalg_lu(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> return_types.linalg_lu:
    """The LU decomposition as a permutation and two triangular factors.

    Args:
        A: (*, M, N) matrices.
        pivot: exchange rows for stability.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: P, L, U.

    https://pytorch.org/docs/stable/generated/torch.linalg.lu.html
    """
    if out is not None:
        return written(out, "linalg_lu", (), linalg_lu, A, pivot=pivot)
    return return_types.linalg_lu(*bind(_LINALG_LU, (A,), (), (pivot,)))


def linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False,
                    out: Tensor | None = None) -> Tensor:
    """X in A X = B, or X A = B, where A is given by its LU decomposition.

    Args:
        LU: (*, N, N) matrices, both factors in one.
        pivots: (*, N) integers, from 1.
        B: (*, N, K) matrices, or vectors.
        left: solve A X = B; else X A = B.
        adjoint: solve with the adjoint matrix.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.linalg.lu_solve.html
    """
    if out is not None:
        return written(out, "linalg_lu_solve", (), linalg_lu_solve, LU, pivots, B, left=left, adjoint=adjoint)
    return bind(_LINALG_LU_SOLVE, (LU, pivots, B), (), (left, adjoint))


def linalg_matrix_sqrth(input: Tensor) -> Tensor:
    """The square root of Hermitian matrices without negative eigenvalues; the lower triangle is read.

    Args:
        input: Tensor of any shape.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.linalg.matrix_sqrth.html
    """
    return _record_linalg_matrix_sqrth(input)


def linalg_vector_norm(input: Tensor, ord: Number = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
                       dtype: dtype | None = None, axis: int | Sequence[int] | None = None, keepdims: bool | None = None,
                       out: Tensor | None = None) -> Tensor:
    """The vector norm of order `ord` along `dim`.

    Args:
        input: Tensor of any shape.
        ord: the order of the norm.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        dtype: the dtype to compute in, and of the result.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.linalg.vector_norm.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "linalg_vector_norm", (), linalg_vector_norm, input, ord, dim, keepdim, dtype=dtype)
    return bind(_LINALG_VECTOR_NORM, (input,), (), (static_number(ord), ints(dim), keepdim, dtype))
