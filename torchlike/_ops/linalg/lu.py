"""LU factorisations, and what is solved and unpacked from them.

https://pytorch.org/docs/stable/generated/torch.linalg.lu.html. Their gradients are JAX's of the same factorisation;
pivots count from 1, as LAPACK's do.
"""

import jax.numpy as jnp
from jax import lax

from torchlike._ops import gradient_strides as lies
from torchlike._ops.geometry import broadcast
from torchlike._ops.linalg.factorizations import (
    adjoint,
    check_compatible,
    check_inexact,
    check_lapack,
    check_matrix,
    check_square,
    zero_pivot,
)
from torchlike._ops.numerics import lapack
from torchlike._ops.rules import scalar_name
from torchlike._ops.table import op


def _factor(A):  # noqa: N803
    """(LU, pivots) of (*, m, n), also where m or n is 0."""
    if 0 in A.shape:
        return A, jnp.zeros((*A.shape[:-2], min(A.shape[-2:])), jnp.int32)
    lu, pivots, _ = lapack.lu(A)
    return lu, pivots + 1


def _lower(lu):
    k = min(lu.shape[-2:])
    return jnp.tril(lu[..., :, :k], -1) + jnp.eye(lu.shape[-2], k, dtype=lu.dtype)


def _upper(lu):
    return jnp.triu(lu[..., :min(lu.shape[-2:]), :])


def _permutation(pivots, m):
    """The matrix P with A = P L U."""
    if 0 in pivots.shape or m == 0:
        return jnp.broadcast_to(jnp.eye(m), (*pivots.shape[:-1], m, m))
    order = lax.linalg.lu_pivots_to_permutation(pivots - 1, m)
    return (order[..., None, :] == jnp.arange(m)[:, None]).astype(jnp.float64)


def _check_matrices(A, name):  # noqa: N803
    if A.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead")


def _check_lu(A, name):  # noqa: N803
    _check_matrices(A, name)
    check_lapack(A, "lu_cpu")


def _check_pivot(pivot, name):
    if not pivot:
        raise RuntimeError(f"{name}: LU without pivoting is not implemented on the CPU")


@op("linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)",
    method=False, grads={"A": "A"},
    doc="The LU decomposition in one matrix, its pivots, and which matrices are singular.", by_hand="function",
    layout="columns")
def linalg_lu_factor_ex(A, *, pivot, check_errors):  # noqa: N803
    _check_lu(A, "torch.lu_factor")
    _check_pivot(pivot, "linalg.lu_factor")
    lu, pivots = _factor(A)
    return lu, pivots, zero_pivot(lu)


@op("linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", method=False, grads={"A": "A"},
    doc="The LU decomposition as a permutation and two triangular factors.")
def linalg_lu(A, *, pivot):  # noqa: N803
    _check_lu(A, "linalg.lu")
    if A.size:
        _check_pivot(pivot, "linalg.lu_factor")
    lu, pivots = _factor(A)
    return _permutation(pivots, A.shape[-2]).astype(A.dtype), _lower(lu), _upper(lu)


def _unpack_gradient(g0, g1, g2, LU_data_aval):  # noqa: N803
    m, n = LU_data_aval.shape[-2:]
    k = min(m, n)
    total = 0
    if g1 is not None and 0 not in g1.shape:
        total = total + jnp.pad(jnp.tril(g1, -1), [(0, 0)] * (g1.ndim - 1) + [(0, n - k)])
    if g2 is not None and 0 not in g2.shape:
        total = total + jnp.pad(jnp.triu(g2), [(0, 0)] * (g2.ndim - 2) + [(0, m - k), (0, 0)])
    return None if isinstance(total, int) else total


@op("lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) "
    "-> (Tensor P, Tensor L, Tensor U)", method=False, grads={"LU_data": _unpack_gradient})
def lu_unpack(lu, pivots, *, unpack_data, unpack_pivots):
    """P, L and U of a factorisation; what is not asked for is empty."""
    _check_matrices(lu, "torch.lu_unpack")
    if unpack_pivots and pivots.dtype != jnp.int32:
        raise RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: "
                           "this function is intended to be used with the output produced by torch.linalg.lu_factor")
    if unpack_pivots and pivots.shape[-1] > lu.shape[-2] > 0:
        raise RuntimeError("pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive.Did you properly pass "
                           "the result of lu_factor?")
    empty = jnp.zeros((0,), lu.dtype)
    p = _permutation(pivots, lu.shape[-2]).astype(lu.dtype) if unpack_pivots else empty
    return (p, _lower(lu), _upper(lu)) if unpack_data else (p, empty, empty)


def _check_solve(LU, pivots, B, left):  # noqa: N803
    name = "linalg.lu_solve"
    check_inexact(LU, "torch.linalg.lu_solve")
    if LU.dtype != B.dtype:
        raise RuntimeError(f"{name}: Expected LU and B to have the same dtype, but found LU of type {scalar_name(LU)} and B "
                           f"of type {scalar_name(B)} instead")
    if pivots.dtype != jnp.int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    check_square(LU, "torch.linalg.lu_solve")
    check_matrix(B, name, "B")
    check_compatible(LU, B, left, name)
    if LU.shape[-1] != pivots.shape[-1]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    if LU.shape[:-2] != pivots.shape[:-1]:
        raise RuntimeError(f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list(pivots.shape)} instead")
    check_lapack(LU, "lu_solve_cpu")


@op("linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor", method=False,
    grads={"LU": "LU pivots B", "B": "LU pivots B"},
    doc="X in A X = B, or X A = B, where A is given by its LU decomposition.", layout="columns",
    gradient={"B": lambda g, shape, left: lies.solved(g, shape) if left else None})
def linalg_lu_solve(LU, pivots, B, *, left, adjoint):  # noqa: N803
    _check_solve(LU, pivots, B, left)
    if left:
        return _solve(LU, pivots, B, adjoint)
    return _h(_solve(LU, pivots, _h(B), not adjoint))


_h = adjoint


def _solve(LU, pivots, B, transposed):  # noqa: N803
    """A X = B, or A^H X = B."""
    batch = broadcast(B.shape[:-2], LU.shape[:-2])
    if 0 in (*batch, *B.shape, *LU.shape):
        return jnp.zeros((*batch, *B.shape[-2:]), B.dtype)
    LU = jnp.broadcast_to(LU, (*batch, *LU.shape[-2:]))  # noqa: N806
    P = jnp.broadcast_to(_permutation(pivots, LU.shape[-2]).astype(LU.dtype), LU.shape)  # noqa: N806
    B = jnp.broadcast_to(B, (*batch, *B.shape[-2:]))  # noqa: N806
    if not transposed:
        y = lapack.triangular_solve(LU, _h(P) @ B, left_side=True, lower=True, unit_diagonal=True)
        return lapack.triangular_solve(LU, y, left_side=True, lower=False)
    across = {"left_side": True, "transpose_a": True, "conjugate_a": True}
    y = lapack.triangular_solve(LU, B, lower=False, **across)
    return P @ lapack.triangular_solve(LU, y, lower=True, unit_diagonal=True, **across)
