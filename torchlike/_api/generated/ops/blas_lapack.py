"""BLAS and LAPACK operations: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike._api.arguments import ONE, int_list, integer, static_number
from torchlike._api.generated import return_types
from torchlike._api.older_forms import older_form
from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind, unary
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor

__LINALG_DET = ROWS["_linalg_det"]
__LINALG_SLOGDET = ROWS["_linalg_slogdet"]
__LINALG_SOLVE_EX = ROWS["_linalg_solve_ex"]
_CHOLESKY = ROWS["cholesky"]
_CHOLESKY_SOLVE = ROWS["cholesky_solve"]
__LINALG_SVD = ROWS["_linalg_svd"]
__LINALG_EIGH = ROWS["_linalg_eigh"]
_CHOLESKY_INVERSE = ROWS["cholesky_inverse"]
_ADDMM = ROWS["addmm"]
_BADDBMM = ROWS["baddbmm"]
_ADDBMM = ROWS["addbmm"]
_ADDMV = ROWS["addmv"]
_ADDR = ROWS["addr"]
__TRILINEAR = ROWS["_trilinear"]
__CDIST_FORWARD = ROWS["_cdist_forward"]
_PDIST = ROWS["pdist"]
__GROUPED_MM = ROWS["_grouped_mm"]
_GEQRF = ROWS["geqrf"]
_ORMQR = ROWS["ormqr"]
_LU_UNPACK = ROWS["lu_unpack"]
__BY_COLUMNS = ROWS["_by_columns"]
_record_mm = binary(ROWS["mm"])
_record_bmm = binary(ROWS["bmm"])
_record_mv = binary(ROWS["mv"])
_record_dot = binary(ROWS["dot"])
_record_vdot = binary(ROWS["vdot"])
_record_trace = unary(ROWS["trace"])


def _linalg_det(A: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """PyTorch's operator `aten::_linalg_det`."""
    return bind(__LINALG_DET, (A,))


def _linalg_slogdet(A: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """PyTorch's operator `aten::_linalg_slogdet`."""
    return bind(__LINALG_SLOGDET, (A,))


def _linalg_solve_ex(A: Tensor, B: Tensor, *, left: bool = True,
                     check_errors: bool = False) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """PyTorch's operator `aten::_linalg_solve_ex`."""
    return bind(__LINALG_SOLVE_EX, (A, B), (), (left, check_errors))


def cholesky(self: Tensor, upper: bool = False) -> Tensor:
    """The Cholesky factor of positive definite matrices."""
    return bind(_CHOLESKY, (self,), (), (upper,))


def cholesky_solve(self: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """X in A X = B where A is given by its Cholesky factor."""
    return bind(_CHOLESKY_SOLVE, (self, input2), (), (upper,))


def _linalg_svd(A: Tensor, full_matrices: bool = False, compute_uv: bool = True, *,
                driver: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """PyTorch's operator `aten::_linalg_svd`."""
    return bind(__LINALG_SVD, (A,), (), (full_matrices, compute_uv, driver))


def _linalg_eigh(A: Tensor, UPLO: str = "L", compute_v: bool = True) -> tuple[Tensor, Tensor]:
    """PyTorch's operator `aten::_linalg_eigh`."""
    return bind(__LINALG_EIGH, (A,), (), (UPLO, compute_v))


def cholesky_inverse(self: Tensor, upper: bool = False) -> Tensor:
    """The inverse of the matrix whose Cholesky factor it gets."""
    return bind(_CHOLESKY_INVERSE, (self,), (), (upper,))


def mm(self: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    return _record_mm(self, mat2)


def addmm(self: Tensor, mat1: Tensor, mat2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta `self` + alpha times the product of two matrices."""
    if older:
        return older_form(addmm, _ADDMM, (self, mat1, mat2, *older))
    return bind(_ADDMM, (self, mat1, mat2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def addmm_(input: Tensor, mat1: Tensor, mat2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """`addmm` in place."""
    if older:
        return older_form(addmm_, _ADDMM, (input, mat1, mat2, *older))
    return inplace(_ADDMM, (input, mat1, mat2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def bmm(self: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices."""
    return _record_bmm(self, mat2)


def baddbmm(self: Tensor, batch1: Tensor, batch2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta `self` + alpha times the products of two batches of matrices."""
    if older:
        return older_form(baddbmm, _BADDBMM, (self, batch1, batch2, *older))
    return bind(_BADDBMM, (self, batch1, batch2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def baddbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """`baddbmm` in place."""
    if older:
        return older_form(baddbmm_, _BADDBMM, (input, batch1, batch2, *older))
    return inplace(_BADDBMM, (input, batch1, batch2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def addbmm(self: Tensor, batch1: Tensor, batch2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta `self` + alpha times the sum of the products of two batches of matrices."""
    if older:
        return older_form(addbmm, _ADDBMM, (self, batch1, batch2, *older))
    return bind(_ADDBMM, (self, batch1, batch2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def addbmm_(input: Tensor, batch1: Tensor, batch2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """`addbmm` in place."""
    if older:
        return older_form(addbmm_, _ADDBMM, (input, batch1, batch2, *older))
    return inplace(_ADDBMM, (input, batch1, batch2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def mv(self: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    return _record_mv(self, vec)


def addmv(self: Tensor, mat: Tensor, vec: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta `self` + alpha times the product of a matrix and a vector."""
    if older:
        return older_form(addmv, _ADDMV, (self, mat, vec, *older))
    return bind(_ADDMV, (self, mat, vec), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def addmv_(input: Tensor, mat: Tensor, vec: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """`addmv` in place."""
    if older:
        return older_form(addmv_, _ADDMV, (input, mat, vec, *older))
    return inplace(_ADDMV, (input, mat, vec), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def dot(self: Tensor, tensor: Tensor) -> Tensor:
    """The sum of the products of two vectors' elements."""
    return _record_dot(self, tensor)


def vdot(self: Tensor, other: Tensor) -> Tensor:
    """The same as `dot` with the first vector conjugated."""
    return _record_vdot(self, other)


def addr(self: Tensor, vec1: Tensor, vec2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """beta `self` + alpha times the outer product of two vectors."""
    if older:
        return older_form(addr, _ADDR, (self, vec1, vec2, *older))
    return bind(_ADDR, (self, vec1, vec2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def addr_(input: Tensor, vec1: Tensor, vec2: Tensor, *older: Any, beta: Number = 1, alpha: Number = 1) -> Tensor:
    """`addr` in place."""
    if older:
        return older_form(addr_, _ADDR, (input, vec1, vec2, *older))
    return inplace(_ADDR, (input, vec1, vec2), (None if beta is ONE else beta, None if alpha is ONE else alpha))


def trace(self: Tensor) -> Tensor:
    """The sum of a matrix's diagonal."""
    return _record_trace(self)


def _trilinear(i1: Tensor, i2: Tensor, i3: Tensor, expand1: Sequence[int], expand2: Sequence[int], expand3: Sequence[int],
               sumdim: Sequence[int], unroll_dim: int = 1) -> Tensor:
    """sum over `sumdim` of the three factors, each with size-1 dims put in at its `expand` list."""
    return bind(__TRILINEAR, (i1, i2, i3), (), (int_list(expand1), int_list(expand2), int_list(expand3), int_list(sumdim),
        integer(unroll_dim)))


def _cdist_forward(x1: Tensor, x2: Tensor, p: float, compute_mode: int | None) -> Tensor:
    """(*, m, k) and (*, n, k) to the distances (*, m, n), batches broadcasting."""
    return bind(__CDIST_FORWARD, (x1, x2), (), (static_number(p), integer(compute_mode)))


def pdist(self: Tensor, p: float = 2.0) -> Tensor:
    """The `p`-norm distances between all pairs of rows."""
    return bind(_PDIST, (self,), (), (static_number(p),))


def _grouped_mm(self: Tensor, mat2: Tensor, offs: Tensor | None) -> Tensor:
    """The products of two matrices, or batches of them, by groups that end at `offs`."""
    return bind(__GROUPED_MM, (self, mat2, offs))


def geqrf(self: Tensor) -> return_types.geqrf:
    """The QR decomposition as reflectors and their factors, as LAPACK stores it."""
    return return_types.geqrf(*bind(_GEQRF, (self,)))


def ormqr(self: Tensor, input2: Tensor, input3: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """A matrix times the orthogonal factor that `geqrf` gives."""
    return bind(_ORMQR, (self, input2, input3), (), (left, transpose))


def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True,
              unpack_pivots: bool = True) -> return_types.lu_unpack:
    """P, L and U of a factorisation; what is not asked for is empty."""
    return return_types.lu_unpack(*bind(_LU_UNPACK, (LU_data, LU_pivots), (), (unpack_data, unpack_pivots)))


def _by_columns(self: Tensor, room: int) -> Tensor:
    """A copy, each matrix by columns in memory with room for `room` elements each."""
    return bind(__BY_COLUMNS, (self,), (), (integer(room),))


__all__ = [
    "_linalg_det",
    "_linalg_slogdet",
    "_linalg_solve_ex",
    "cholesky",
    "cholesky_solve",
    "_linalg_svd",
    "_linalg_eigh",
    "cholesky_inverse",
    "mm",
    "addmm",
    "addmm_",
    "bmm",
    "baddbmm",
    "baddbmm_",
    "addbmm",
    "addbmm_",
    "mv",
    "addmv",
    "addmv_",
    "dot",
    "vdot",
    "addr",
    "addr_",
    "trace",
    "_trilinear",
    "_cdist_forward",
    "pdist",
    "_grouped_mm",
    "geqrf",
    "ormqr",
    "lu_unpack",
    "_by_columns",
]
