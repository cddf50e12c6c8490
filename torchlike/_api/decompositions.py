"""The rest of `torch.linalg`: LU, eigenvalues, least squares, ranks and conditions; covariance.

https://pytorch.org/docs/stable/linalg.html
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from torchlike._api import creation, deprecations, linalg, named_results
from torchlike._api.generated import ops, return_types
from torchlike._api.linalg_errors import (
    LAPACK,
    check_cholesky,
    check_diagonal,
    check_inverse,
    check_lu,
    check_singular_values,
    check_square,
    failed_batch,
    nan_batch,
)
from torchlike._api.linear import matmul
from torchlike._api.out import written
from torchlike._api.reduce import linalg_matrix_norm
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._modes.composite import composite
from torchlike._ops.geometry import broadcast
from torchlike._record.tensor import Tensor
from torchlike._record.warning import warn, warn_once
from torchlike._record.wrong_calls import checked, judged

# -- LU

def linalg_lu_factor(A: Tensor, *, pivot: bool = True, out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.lu_factor.html"""
    if out is not None:
        return written(out, "linalg_lu_factor", (), linalg_lu_factor, A, pivot=pivot)
    lu, pivots, info = ops.linalg_lu_factor_ex(A, pivot=pivot)
    check_lu(info, "torch.linalg.lu_factor")
    return named_results.linalg_lu_factor(lu, pivots)


@judged
def linalg_lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Sequence[Tensor] | None = None):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.lu_factor_ex.html"""
    if out is not None:
        return written(out, "linalg_lu_factor_ex", (), linalg_lu_factor_ex, A, pivot=pivot, check_errors=check_errors)
    found = ops.linalg_lu_factor_ex(A, pivot=pivot)
    if check_errors:
        check_lu(found[2], "torch.linalg.lu_factor_ex")
    return found


@composite("_lu_with_info")
def old_lu(A, pivot=True, get_infos=False):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.lu.html"""
    warn_once(deprecations.LU)
    if get_infos:
        return named_results.lu_with_info(*ops.linalg_lu_factor_ex(A, pivot=pivot))
    return tuple(ops.linalg_lu_factor_ex(A, pivot=pivot)[:2])


@judged
def old_cholesky(self, upper: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.cholesky.html"""
    warn_once(deprecations.CHOLESKY)
    factor = ops.cholesky(self, upper)
    check_cholesky(ops.linalg_cholesky_ex(self.detach(), upper=upper)[1], "cholesky")
    return factor


@judged
@composite("cholesky_inverse")
def cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.cholesky_inverse.html"""
    check_diagonal(input, "cholesky_inverse")
    return ops.cholesky_inverse(input, upper)


@judged
def cholesky_inverse_function(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.cholesky_inverse.html"""
    if out is not None:
        return written(out, "cholesky_inverse", (), cholesky_inverse, input, upper)
    return cholesky_inverse(input, upper)


@judged
def cholesky_function(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.cholesky.html"""
    if out is not None:
        return written(out, "cholesky", (), old_cholesky, input, upper)
    return old_cholesky(input, upper)


def lu_function(A, pivot=True, get_infos=False, *, out: Sequence[Tensor] | None = None):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.lu.html"""
    if out is not None:
        return tuple(to.resize_(made.shape).copy_(made) for to, made in zip(out, old_lu(A, pivot, get_infos), strict=True))
    return old_lu(A, pivot, get_infos)


@composite("lu_solve")
def old_lu_solve(b, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.lu_solve.html"""
    warn_once(deprecations.LU_SOLVE)
    return ops.linalg_lu_solve(LU_data, LU_pivots, b)


def lu_solve_function(b, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.lu_solve.html"""
    if out is not None:
        return written(out, "lu_solve", (), old_lu_solve, b, LU_data, LU_pivots)
    return old_lu_solve(b, LU_data, LU_pivots)


@judged
@composite("triangular_solve")
def triangular_solve(input, A: Tensor, upper: bool = True, transpose: bool = False,  # noqa: N803
                     unitriangular: bool = False) -> tuple[Tensor, Tensor]:
    """https://pytorch.org/docs/stable/generated/torch.triangular_solve.html"""
    if input.dim() < 2 or A.dim() < 2:
        what, x = ("b", input) if input.dim() < 2 else ("A", A)
        raise RuntimeError(f"torch.triangular_solve: Expected {what} to have at least 2 dimensions, but it has {x.dim()} "
                           "dimensions instead")
    if A.dtype is not input.dtype:
        raise RuntimeError(f"Expected b and A to have the same dtype, but found b of type {input.dtype.scalar_name} and A "
                           f"of type {A.dtype.scalar_name} instead.")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} matrices")
    if A.shape[-1] != input.shape[-2]:
        raise RuntimeError(f"Incompatible matrix sizes for triangular_solve: each A matrix is {A.shape[-1]} by "
                           f"{A.shape[-1]} but each b matrix is {input.shape[-2]} by {input.shape[-1]}")
    warn_once(deprecations.TRIANGULAR_SOLVE)
    matrix = A.mT if transpose else A
    solution = ops.linalg_solve_triangular(matrix, input, upper=upper != transpose, unitriangular=unitriangular)
    coefficients = A.expand(*solution.shape[:-2], *A.shape[-2:])
    return named_results.triangular_solve(solution, ops._by_columns(coefficients, A.shape[-1]))


@judged
def triangular_solve_function(input, A: Tensor, upper: bool = True, transpose: bool = False,  # noqa: N803
                              unitriangular: bool = False, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """https://pytorch.org/docs/stable/generated/torch.triangular_solve.html"""
    if out is not None:
        return written(out, "triangular_solve", (), triangular_solve, input, A, upper, transpose, unitriangular)
    return triangular_solve(input, A, upper, transpose, unitriangular)


@judged
def linalg_ldl_factor(input: Tensor, *, hermitian: bool = False,
                      out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """https://pytorch.org/docs/stable/generated/torch.linalg.ldl_factor.html"""
    if out is not None:
        return written(out, "linalg_ldl_factor", (), linalg_ldl_factor, input, hermitian=hermitian)
    return named_results.linalg_ldl_factor(*_checked_ldl(input, hermitian, "torch.linalg.ldl_factor")[:2])


@judged
def linalg_ldl_factor_ex(input: Tensor, *, hermitian: bool = False, check_errors: bool = False,
                         out: Sequence[Tensor] | None = None):
    """https://pytorch.org/docs/stable/generated/torch.linalg.ldl_factor_ex.html"""
    if out is not None:
        return written(out, "linalg_ldl_factor_ex", (), linalg_ldl_factor_ex, input, hermitian=hermitian,
                       check_errors=check_errors)
    if check_errors:
        return return_types.linalg_ldl_factor_ex(*_checked_ldl(input, hermitian, "torch.linalg.ldl_factor_ex"))
    return ops.linalg_ldl_factor_ex(input, hermitian=hermitian)


def _checked_ldl(A, hermitian, name):  # noqa: N803
    """The factors; RuntimeError where a column is zero. PyTorch's text of it is that of an internal error."""
    found = ops.linalg_ldl_factor_ex(A, hermitian=hermitian)
    failed = failed_batch(found[2])
    if failed:
        raise RuntimeError(f"{failed[0]}{name}: D[{failed[1]},{failed[1]}] is zero")
    return found


# -- eigenvalues, rank, condition

@composite("linalg_eig")
def linalg_eig(input: Tensor, *, out: Sequence[Tensor] | None = None):
    """https://pytorch.org/docs/stable/generated/torch.linalg.eig.html"""
    if out is not None:
        return written(out, "linalg_eig", (), linalg_eig, input)
    return ops.linalg_eig(input)


@judged
def linalg_polar(A: Tensor, *, out: Sequence[Tensor] | None = None):  # noqa: N803
    """The polar decomposition A = U H of matrices with at least as many rows as columns.

    Args:
        A: (*, m, n), of float32, float64, complex64 or complex128, m >= n.
        out: a tuple of two tensors that the results are written to.

    Returns:
        A named tuple of Tensors: U, (*, m, n), has orthonormal columns; H, (*, n, n), is Hermitian without negative
        eigenvalues. The gradient is that of matrices of full column rank.

    Raises:
        RuntimeError: n > m, or `A` has fewer than two dimensions.
        LinAlgError: a matrix has a nan.

    https://pytorch.org/docs/2.14/generated/torch.linalg.polar.html
    """
    if out is not None:
        return written(out, "linalg_polar", (), linalg_polar, A)
    check_singular_values(A)
    return ops.linalg_polar(A)


@composite("linalg_eigvals")
def linalg_eigvals(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.eigvals.html"""
    if out is not None:
        return written(out, "linalg_eigvals", (), linalg_eigvals, input)
    if input.dtype.category >= dt.FLOAT:
        check_square(input, "linalg.eigvals")
    return ops.linalg_eig(input)[0]


def _eps(dtype) -> float:
    return float(np.finfo(dtype.np).eps)


def _tolerance(A, values, atol, rtol):  # noqa: N803
    """max(atol, rtol * the largest value), with PyTorch's defaults."""
    if rtol is None:
        rtol = _eps(values.dtype) * max(A.shape[-2:])
        if atol is not None:
            at = atol if isinstance(atol, Tensor) else values.new_tensor(atol)
            rtol = ops.where_self(at > 0, 0.0, values.new_tensor(rtol))
    relative = (values.amax(-1) if values.shape[-1] else values.new_zeros(values.shape[:-1])) * rtol
    if atol is None:
        return relative
    return ops.maximum(relative, atol.to(values.dtype) if isinstance(atol, Tensor) else values.new_tensor(atol))


@judged
@composite("linalg_matrix_rank")
def linalg_matrix_rank(input: Tensor, tol: float | Tensor | None = None, hermitian: bool = False, *,
                       atol: Tensor | float | None = None, rtol: Tensor | float | None = None,
                       out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.matrix_rank.html"""
    if out is not None:
        return written(out, "linalg_matrix_rank", (), linalg_matrix_rank, input, tol, hermitian, atol=atol, rtol=rtol)
    if input.dim() < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.")
    for name, x in (("atol", atol), ("rtol", rtol), ("tol", tol)):
        if isinstance(x, Tensor) and x.is_complex():
            raise RuntimeError(f"torch.linalg.matrix_rank: {name} tensor of complex type is not supported. Got "
                               f"{x.dtype.scalar_name}")
    if tol is not None:
        atol, rtol = tol, 0.0
    if rtol is None and input.dtype not in LAPACK:
        raise RuntimeError("This function doesn't handle types other than float and double")
    if not input.numel():
        return input.new_zeros(input.shape[:-2], dtype=dt.int64)
    x = input.detach()
    values = linalg.linalg_eigvalsh(x).abs() if hermitian else linalg.linalg_svdvals(x)
    return (values > _tolerance(input, values, atol, rtol).unsqueeze(-1)).sum(-1)


@judged
@composite("linalg_pinv")
def linalg_pinv(input: Tensor, rcond: float | Tensor | None = None, hermitian: bool = False, *,
                atol: float | Tensor | None = None, rtol: float | Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """The pseudo-inverse of (*, M, N) matrices: singular values up to max(atol, rtol * the largest) count as 0.

    Args:
        input: (*, M, N).
        rcond: an older name of `rtol`.
        hermitian: take the matrices as symmetric, or Hermitian.
        atol, rtol: numbers, or one for each matrix as Tensors that broadcast with (*).
        out: written to and returned; resized if it has no elements.

    Returns: (*, N, M).

    https://pytorch.org/docs/stable/generated/torch.linalg.pinv.html
    """
    if out is not None:
        return written(out, "linalg_pinv", (), linalg_pinv, input, rcond, hermitian, atol=atol, rtol=rtol)
    rtol = rtol if rcond is None else rcond
    if not isinstance(atol, Tensor) and not isinstance(rtol, Tensor):
        if not hermitian:
            check_singular_values(input)
        return ops.linalg_pinv(input, atol=atol, rtol=rtol, hermitian=hermitian)
    u, s, vh = linalg.linalg_svd(input, False)
    kept = s > _tolerance(input, s.detach(), atol, rtol).unsqueeze(-1)
    return matmul(vh.mH * ops.where_self(kept, s.reciprocal(), 0.0).unsqueeze(-2), u.mH)


@composite("linalg_cond")
def linalg_cond(input: Tensor, p: Number | str | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.cond.html"""
    if out is not None:
        return written(out, "linalg_cond", (), linalg_cond, input, p)
    if input.dim() < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    if p is not None and p not in ("fro", "nuc", math.inf, -math.inf, 1, -1, 2, -2):
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if not input.numel():
        return input.new_zeros(input.shape[:-2], dtype=input.dtype.to_real())
    if p is None or p in (2, -2):
        values = linalg.linalg_svdvals(input)
        first, last = values[..., :1], values[..., -1:]
        return (last / first if p == -2 else first / last).squeeze(-1)
    if p == "nuc":
        values = linalg.linalg_svdvals(input)
        return values.sum(-1) * values.reciprocal().sum(-1)
    if input.shape[-1] != input.shape[-2]:
        raise RuntimeError(f"linalg.cond(ord={p}): A must be batches of square matrices, but they are {input.shape[-2]} by "
                           f"{input.shape[-1]} matrices")
    inverse, info = ops.linalg_inv_ex(input)
    inverse = inverse.masked_fill((info != 0).unsqueeze(-1).unsqueeze(-1), math.inf)
    result = linalg_matrix_norm(input, p) * linalg_matrix_norm(inverse, p)
    return result.nan_to_num(nan=math.inf, posinf=math.inf, neginf=-math.inf)


# -- least squares

_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def _check_lstsq(A, B, driver):  # noqa: N803
    name = "torch.linalg.lstsq"
    if A.dim() < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if B.dim() < 1:
        raise RuntimeError(f"{name}: other must have at least 1 dimension.")
    if A.dtype is not B.dtype:
        raise RuntimeError(f"{name}: Expected input and other to have the same dtype, but got input's dtype "
                           f"{A.dtype.scalar_name} and other's dtype {B.dtype.scalar_name}")
    if not 0 <= A.dim() - B.dim() <= 1:
        raise RuntimeError(f"{name}: input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) "
                           "<= 1")
    if driver not in _DRIVERS:
        raise RuntimeError(f"{name}: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)")


@composite("linalg_lstsq")
def linalg_lstsq(input: Tensor, b, rcond: float | None = None, *, driver: str | None = None,
                 out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """https://pytorch.org/docs/stable/generated/torch.linalg.lstsq.html

    All drivers are computed from the singular value decomposition; they differ in what they return besides.
    """
    if out is not None:
        return written(out, "linalg_lstsq", (), linalg_lstsq, input, b, rcond, driver=driver)
    driver = "gelsy" if driver is None else driver
    _check_lstsq(input, b, driver)
    vector = b.dim() == 1 or (input.dim() - 1 == b.dim() and b.shape == input.shape[:-1])
    b = b.unsqueeze(-1) if vector else b
    if input.shape[-2] != b.shape[-2]:
        raise RuntimeError(f"torch.linalg.lstsq: input.size(-2) should match other.size(-{1 if vector else 2})")
    if input.dtype not in LAPACK:
        if rcond is None:  # PyTorch's begins with the machine's precision
            raise RuntimeError("This function doesn't handle types other than float and double")
        raise NotImplementedError(f"\"linalg_lstsq_cpu\" not implemented for '{input.dtype.scalar_name}'")
    for x, argument in ((input, 5 if driver == "gels" else 4), (b, 7 if driver == "gels" else 6)):
        if nan_batch(x):
            raise RuntimeError(f"torch.linalg.lstsq: Argument {argument} has illegal value. Most certainly there is a bug "
                               "in the implementation calling the backend library.")
    depth = input.dim() - 2  # so many sizes of `b` count as batches, even if they are those of its matrices
    batch = broadcast(input.shape[:depth], b.shape[:depth])
    m, n = input.shape[-2:]
    limit = _eps(input.dtype.to_real()) * max(m, n) if rcond is None else rcond
    inverse = ops.linalg_pinv(input, atol=None, rtol=float(limit)).expand(*batch, n, m)
    solution = ops._by_columns(matmul(inverse, b), max(m, n))
    values = linalg.linalg_svdvals(input.detach())
    largest = values[..., :1] if values.shape[-1] else values
    rank = (values > largest * limit).sum(-1)
    residuals = input.new_empty((0,), dtype=values.dtype)
    if m > n and driver != "gelsy" and (driver == "gels" or bool((rank == n).all())):
        residuals = (matmul(input, solution) - b).abs().square().sum(-2)
    return named_results.linalg_lstsq(solution.squeeze(-1) if vector else solution, residuals,
                  rank if driver != "gels" else input.new_empty((0,), dtype=dt.int64),
                  values if driver in ("gelsd", "gelss") else input.new_empty((0,), dtype=values.dtype))


# -- tensors as matrices

@judged
@composite("linalg_tensorinv")
def linalg_tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.tensorinv.html"""
    if out is not None:
        return written(out, "linalg_tensorinv", (), linalg_tensorinv, A, ind)
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    rows, columns = math.prod(A.shape[:ind]), math.prod(A.shape[ind:])
    if rows != columns:
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but "
                           f"got {columns} != {rows}")
    inverse, info = ops.linalg_inv_ex(A.reshape(rows, columns))
    check_inverse(info, "inv")
    return inverse.reshape(*A.shape[ind:], *A.shape[:ind])


@judged
@composite("linalg_tensorsolve")
def linalg_tensorsolve(input: Tensor, other, dims: Sequence[int] | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.tensorsolve.html"""
    if out is not None:
        return written(out, "linalg_tensorsolve", (), linalg_tensorsolve, input, other, dims)
    if dims is not None:
        input = input.movedim(tuple(dims), tuple(range(input.dim() - len(dims), input.dim())))
    shape = input.shape[other.dim():]
    columns = math.prod(shape)
    if columns != other.numel():
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                           f"prod(self.shape[:other.ndim]), but got {columns} != {other.numel()}")
    return linalg.linalg_solve(input.reshape(other.numel(), columns), other.flatten()).reshape(*shape)


@checked
def vander(x: Tensor, N: int | None = None) -> Tensor:  # noqa: N803
    """Matrices of the powers of vectors. https://pytorch.org/docs/stable/generated/torch.linalg.vander.html

    Args:
        x: (*, n), the bases; a number is a vector of one.
        N: how many powers, from the zeroth on; None is n.

    Returns: (*, n, N), of the dtype of `x`; integers and bools become int64.

    Raises:
        RuntimeError: `N` is below 2.
    """
    if x.dtype is dt.bool_ or (x.is_floating_point() and x.dtype not in (dt.float32, dt.float64)):
        raise RuntimeError("linalg.vander supports floating point, complex, and integer tensors, but got "
                           f"{x.dtype.scalar_name}")
    x = x.reshape(1) if not x.dim() else x
    n = x.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    if not (x.is_floating_point() or x.is_complex()):
        x = x.to(dt.int64)
    powers = x.unsqueeze(-1).expand(*x.shape, n - 1).cumprod(-1)
    return ops.cat((x.new_ones((*x.shape, 1)), powers), -1)


# -- covariance

@judged
def cov(input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.cov.html"""
    _check_cov(input, fweights, aweights)
    count = input.shape[1] if input.dim() == 2 else input.numel()
    x = input.reshape(1, count) if input.dim() < 2 else input
    if not x.is_floating_point() and not x.is_complex():
        x = x.to(creation.ones(()).dtype)
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    total = x.new_tensor(count) if weights is None else weights.sum()
    if weights is not None and not total.item() > 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = x.sum(1) / count if weights is None else (x * weights).sum(1) / total
    centred = x - mean.unsqueeze(1)
    if correction == 0:
        norm = total
    elif aweights is not None:
        norm = total - correction * ((aweights * weights).sum() / total)
    else:
        norm = total - correction
    if (count - correction if weights is None else norm.item()) <= 0:
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
    norm = norm.to(x.dtype.to_real()).clamp(min=0)
    right = centred if weights is None else centred * weights
    result = matmul(centred, right.t().conj()) / norm
    return result.squeeze()


def _check_cov(input, fweights, aweights):
    if input.dim() > 2:
        raise RuntimeError("cov(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.dim()} dimensions")
    if input.dtype is dt.bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    count = input.shape[1] if input.dim() == 2 else input.numel()
    for name, w in (("fweights", fweights), ("aweights", aweights)):
        if w is None:
            continue
        if w.dim() > 1:
            raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {name} with {w.dim()} "
                               "dimensions")
        whole = not w.is_floating_point() and not w.is_complex() and w.dtype is not dt.bool_
        if whole != (name == "fweights") or w.dtype is dt.bool_:
            kind = "integral" if name == "fweights" else "floating point"
            raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with {w.dtype.scalar_name} "
                               "dtype")
        if w.numel() != count:
            raise RuntimeError(f"cov(): expected {name} to have the same numel as there are observations in the input but "
                               f"got {w.numel()} != {count}")
        if w.numel() and bool((w < 0).any()):
            raise RuntimeError(f"cov(): {name} cannot be negative")


@checked
def corrcoef(input: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.corrcoef.html"""
    if input.dim() > 2:
        raise RuntimeError("corrcoef(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.dim()} dimensions")
    c = cov(input)
    if c.dim() == 0:
        return c / c
    d = c.diagonal()
    deviation = (d.real if d.is_complex() else d).sqrt()
    c = c / deviation.view(-1, 1) / deviation.view(1, -1)
    if c.is_complex():
        return ops.complex(c.real.clip(-1, 1), c.imag.clip(-1, 1))
    return c.clip(-1, 1)


FUNCTIONS: dict = {"linalg_lu_factor": linalg_lu_factor, "linalg_lu_factor_ex": linalg_lu_factor_ex,
                   "linalg_ldl_factor": linalg_ldl_factor, "linalg_ldl_factor_ex": linalg_ldl_factor_ex,
                   "linalg_eig": linalg_eig, "linalg_eigvals": linalg_eigvals, "linalg_matrix_rank": linalg_matrix_rank,
                   "linalg_polar": linalg_polar,
                   "linalg_pinv": linalg_pinv, "linalg_cond": linalg_cond,
                   "linalg_lstsq": linalg_lstsq, "linalg_tensorinv": linalg_tensorinv,
                   "linalg_tensorsolve": linalg_tensorsolve, "linalg_vander": vander, "lu_solve": lu_solve_function,
                   "triangular_solve": triangular_solve_function, "lu": lu_function,
                   "cholesky": cholesky_function, "cholesky_inverse": cholesky_inverse_function,
                   "cov": cov, "corrcoef": corrcoef}
METHODS: dict = {"orgqr": ops.linalg_householder_product, "lu_solve": old_lu_solve, "triangular_solve": triangular_solve,
                 "lu": old_lu, "cholesky": old_cholesky,
                 "cholesky_inverse": cholesky_inverse, "cov": cov, "corrcoef": corrcoef}
