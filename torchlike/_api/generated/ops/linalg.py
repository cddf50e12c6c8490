"""torch.linalg: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import integer, ints, numpys, static_number
from torchlike._api.generated import return_types
from torchlike._api.types import Number
from torchlike._base.dtypes import dtype
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind, unary
from torchlike._record.tensor import Tensor

_LINALG_INV_EX = ROWS["linalg_inv_ex"]
_LINALG_SOLVE_TRIANGULAR = ROWS["linalg_solve_triangular"]
_LINALG_CHOLESKY_EX = ROWS["linalg_cholesky_ex"]
_LINALG_QR = ROWS["linalg_qr"]
_LINALG_CROSS = ROWS["linalg_cross"]
_LINALG_EIG = ROWS["linalg_eig"]
_LINALG_LDL_FACTOR_EX = ROWS["linalg_ldl_factor_ex"]
_LINALG_LDL_SOLVE = ROWS["linalg_ldl_solve"]
_LINALG_LU_FACTOR_EX = ROWS["linalg_lu_factor_ex"]
_LINALG_LU = ROWS["linalg_lu"]
_LINALG_LU_SOLVE = ROWS["linalg_lu_solve"]
_LINALG_PINV = ROWS["linalg_pinv"]
_LINALG_POLAR = ROWS["linalg_polar"]
_LINALG_VECTOR_NORM = ROWS["linalg_vector_norm"]
_record_linalg_matrix_exp = unary(ROWS["linalg_matrix_exp"])
_record_linalg_householder_product = binary(ROWS["linalg_householder_product"])
_record_linalg_matrix_sqrth = unary(ROWS["linalg_matrix_sqrth"])


def linalg_inv_ex(A: Tensor, *, check_errors: bool = False) -> return_types.linalg_inv_ex:
    """The inverse of square matrices, and which of them have none."""
    return return_types.linalg_inv_ex(*bind(_LINALG_INV_EX, (A,), (), (check_errors,)))


def linalg_solve_triangular(self: Tensor, B: Tensor, *, upper: bool, left: bool = True,
                            unitriangular: bool = False) -> Tensor:
    """X in A X = B, or X A = B, where A is triangular."""
    return bind(_LINALG_SOLVE_TRIANGULAR, (self, B), (), (upper, left, unitriangular))


def linalg_cholesky_ex(self: Tensor, *, upper: bool = False, check_errors: bool = False) -> return_types.linalg_cholesky_ex:
    """The Cholesky factor, and which matrices are not positive definite."""
    return return_types.linalg_cholesky_ex(*bind(_LINALG_CHOLESKY_EX, (self,), (), (upper, check_errors)))


def linalg_qr(A: Tensor, mode: str = "reduced") -> return_types.linalg_qr:
    """The QR decomposition: an orthogonal and an upper triangular factor."""
    return return_types.linalg_qr(*bind(_LINALG_QR, (A,), (), (mode,)))


def linalg_cross(self: Tensor, other: Tensor, *, dim: int = -1, axis: int | None = None) -> Tensor:
    """The cross product of vectors of three elements along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    return bind(_LINALG_CROSS, (self, other), (), (integer(dim),))


def linalg_matrix_exp(self: Tensor) -> Tensor:
    """The exponential of square matrices."""
    return _record_linalg_matrix_exp(self)


def linalg_eig(self: Tensor) -> return_types.linalg_eig:
    """The eigenvalues and eigenvectors of square matrices, complex."""
    return return_types.linalg_eig(*bind(_LINALG_EIG, (self,)))


def linalg_householder_product(input: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the product of Householder reflectors."""
    return _record_linalg_householder_product(input, tau)


def linalg_ldl_factor_ex(self: Tensor, *, hermitian: bool = False,
                         check_errors: bool = False) -> return_types.linalg_ldl_factor_ex:
    """(*, n, n) to the factors in one lower triangle, int32 pivots (*, n) and info (*): k where column k is zero, else 0."""
    return return_types.linalg_ldl_factor_ex(*bind(_LINALG_LDL_FACTOR_EX, (self,), (), (hermitian, check_errors)))


def linalg_ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """A X = B from the factors of A."""
    return bind(_LINALG_LDL_SOLVE, (LD, pivots, B), (), (hermitian,))


def linalg_lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> return_types.linalg_lu_factor_ex:
    """The LU decomposition in one matrix, its pivots, and which matrices are singular."""
    return return_types.linalg_lu_factor_ex(*bind(_LINALG_LU_FACTOR_EX, (A,), (), (pivot, check_errors)))


def linalg_lu(A: Tensor, *, pivot: bool = True) -> return_types.linalg_lu:
    """The LU decomposition as a permutation and two triangular factors."""
    return return_types.linalg_lu(*bind(_LINALG_LU, (A,), (), (pivot,)))


def linalg_lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Tensor:
    """X in A X = B, or X A = B, where A is given by its LU decomposition."""
    return bind(_LINALG_LU_SOLVE, (LU, pivots, B), (), (left, adjoint))


def linalg_pinv(self: Tensor, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False) -> Tensor:
    """The pseudo-inverse: singular values up to max(atol, rtol * the largest) count as 0."""
    return bind(_LINALG_PINV, (self,), (atol, rtol), (hermitian,))


def linalg_matrix_sqrth(self: Tensor) -> Tensor:
    """The square root of Hermitian matrices without negative eigenvalues; the lower triangle is read."""
    return _record_linalg_matrix_sqrth(self)


def linalg_polar(A: Tensor) -> return_types.linalg_polar:
    """The factors U with orthonormal columns and H, Hermitian without negative eigenvalues, of A = U H."""
    return return_types.linalg_polar(*bind(_LINALG_POLAR, (A,)))


def linalg_vector_norm(self: Tensor, ord: Number = 2, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
                       dtype: dtype | None = None, axis: int | Sequence[int] | None = None,
                       keepdims: bool | None = None) -> Tensor:
    """The vector norm of order `ord` along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_LINALG_VECTOR_NORM, (self,), (), (static_number(ord), ints(dim), keepdim, dtype))


__all__ = [
    "linalg_inv_ex",
    "linalg_solve_triangular",
    "linalg_cholesky_ex",
    "linalg_qr",
    "linalg_cross",
    "linalg_matrix_exp",
    "linalg_eig",
    "linalg_householder_product",
    "linalg_ldl_factor_ex",
    "linalg_ldl_solve",
    "linalg_lu_factor_ex",
    "linalg_lu",
    "linalg_lu_solve",
    "linalg_pinv",
    "linalg_matrix_sqrth",
    "linalg_polar",
    "linalg_vector_norm",
]
