"""Factorisations that fail: `torch.linalg.LinAlgError`, and what PyTorch says of the first matrix of a batch.

Whether one has failed says the `info` of its row, or the values of its matrix: looking there runs what was recorded so far.
Under `jax.jit` and on the meta device there is nothing to look at.
"""

import numpy as np

from torchlike._base import dtypes as dt
from torchlike._compile.backends.registry import backend_of
from torchlike._modes import vmap_levels
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state

LAPACK = (dt.float32, dt.float64, dt.complex64, dt.complex128)


class LinAlgError(RuntimeError):
    """`torch.linalg.LinAlgError`: a factorisation failed."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


def _values(x):
    """Those of all slices under `torch.func`, None where there are none."""
    if not backend_of(x._cell.aval.device).has_values:
        return None
    return vmap_levels.known(x) if state.thread.frames else host(x._cell)


def _first(codes):
    """(which of a batch, as text, and its code) of the first that is not 0, or None."""
    if codes is None or not codes.any():
        return None
    at = int(np.argmax(codes.reshape(-1) != 0))
    return "" if codes.ndim == 0 else f"(Batch element {at}): ", int(codes.reshape(-1)[at])


def failed_batch(info: Tensor):
    """(which of a batch, as text, and its info) of the first failure, or None."""
    return _first(_values(info))


def _inverse_text(failed, name):
    return (f"{name}: {failed[0]}The diagonal element {failed[1]} is zero, the inversion could not be completed because the "
            "input matrix is singular.")


def check_inverse(info: Tensor, name: str) -> None:
    """LinAlgError where a pivot is zero."""
    failed = failed_batch(info)
    if failed:
        raise LinAlgError(_inverse_text(failed, name))


def check_diagonal(factor: Tensor, name: str) -> None:
    """LinAlgError where a triangular factor has a zero on its diagonal."""
    values = _matrices(factor)
    if values is None or not values.size:
        return
    zero = np.diagonal(values, 0, -2, -1) == 0
    failed = _first(np.where(zero.any(-1), zero.argmax(-1) + 1, 0))
    if failed:
        raise LinAlgError(_inverse_text(failed, name))


def check_solved(info: Tensor, name: str) -> None:
    """LinAlgError where a pivot is zero."""
    failed = failed_batch(info)
    if failed:
        raise LinAlgError(f"{name}: {failed[0]}The solver failed because the input matrix is singular.")


def check_cholesky(info: Tensor, name: str) -> None:
    """LinAlgError where a leading minor is not positive."""
    failed = failed_batch(info)
    if failed:
        raise LinAlgError(f"{name}: {failed[0]}The factorization could not be completed because the input is not "
                          f"positive-definite (the leading minor of order {failed[1]} is not positive-definite).")


def check_lu(info: Tensor, name: str) -> None:
    """RuntimeError where a pivot is zero."""
    failed = failed_batch(info)
    if failed:
        raise RuntimeError(f"{name}: {failed[0]}U[{failed[1]},{failed[1]}] is zero and using it on lu_solve would result in "
                           "a division by zero. If you still want to perform the factorization, consider calling "
                           "linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)")


def _matrices(A):  # noqa: N803
    """The values of what LAPACK gets, else None: the row says what is wrong with it."""
    return _values(A) if A.dim() > 1 and A.dtype in LAPACK else None


def nan_batch(A: Tensor):  # noqa: N803
    """(which of a batch, as text, 1) of the first matrix with a nan, or None."""
    values = _matrices(A)
    return None if values is None else _first(np.isnan(values).any((-1, -2)))


def check_singular_values(A: Tensor) -> None:  # noqa: N803
    """LinAlgError where a matrix has a nan, of which LAPACK finds no singular values."""
    failed = nan_batch(A)
    if failed:
        raise LinAlgError(f"linalg.svd: {failed[0]}The algorithm failed to converge because the input matrix contained "
                          "non-finite values.")


def check_square(A: Tensor, name: str) -> None:  # noqa: N803
    """RuntimeError unless A is a batch of square matrices."""
    if A.dim() < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} "
                           "matrices")


def check_determinant(A: Tensor, name: str) -> None:  # noqa: N803
    """RuntimeError for what has none, or none that is exact enough."""
    check_square(A, name)
    if A.dtype.category < dt.FLOAT:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {A.dtype.scalar_name}")
    if A.dtype not in LAPACK:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {A.dtype.scalar_name}")
