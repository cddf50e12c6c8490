"""Symmetric and Hermitian indefinite factorisations A = L D L^T, and what is solved with them.

https://pytorch.org/docs/stable/generated/torch.linalg.ldl_factor_ex.html. The pivots are those of Bunch and Kaufman's
partial pivoting (Bunch, Kaufman 1977) in LAPACK's form: p > 0 at k for a block of one whose row was exchanged with row p,
the same p < 0 at k and k + 1 for a block of two whose second row was. The columns of L keep the order of their own step.
"""

import math

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._base.errors import sized_dim
from torchlike._ops.geometry import broadcast
from torchlike._ops.linalg.factorizations import check_float, check_inexact, check_lapack, check_square
from torchlike._ops.rules import is_complex, is_integral, not_implemented, scalar_name
from torchlike._ops.table import op

_ALPHA = (1 + math.sqrt(17)) / 8


def _size(x, real):
    """What LAPACK compares: |Re| + |Im|, or |Re| on a Hermitian diagonal."""
    return jnp.abs(x.real) + (0 if real or not jnp.iscomplexobj(x) else jnp.abs(x.imag))


def _pivot(a, k, hermitian):
    """(the row to exchange, whether the block is one of two, whether the column is zero) at step k."""
    n = a.shape[0]
    rows = jnp.arange(n)
    own = _size(a[k, k], hermitian)
    below = jnp.where(rows > k, _size(a[:, k], False), -1)
    other = jnp.argmax(below)
    column = jnp.maximum(below[other], 0)
    row = jnp.max(jnp.where((rows >= k) & (rows != other), _size(a[:, other], False), 0))
    stays = (own >= _ALPHA * column) | (own >= _ALPHA * column * (column / row))
    moves = _size(a[other, other], hermitian) >= _ALPHA * row
    zero = (jnp.maximum(own, column) == 0) | (own != own)
    return jnp.where(stays | zero, k, other), ~(stays | moves | zero), zero


def _exchanged(a, k, i, j):
    """Rows and columns i and j exchanged, among those from k on."""
    places = jnp.arange(a.shape[0])
    order = jnp.where(places == i, j, jnp.where(places == j, i, places))
    inside = (places >= k)[:, None] & (places >= k)
    return jnp.where(inside, a[order][:, order], a)


def _conj(x, hermitian):
    return jnp.conj(x) if hermitian else x


def _one(a, k, hermitian):
    """After a block of one at k: the column of L, and the rest less what it explains."""
    rest = jnp.arange(a.shape[0]) > k
    x = jnp.where(rest, a[:, k], 0)
    d = 1 / a[k, k].real if hermitian and jnp.iscomplexobj(a) else 1 / a[k, k]
    a = a - jnp.outer(x * d, _conj(x, hermitian))
    return a.at[:, k].set(jnp.where(rest, x * d, a[:, k]))


def _two(a, k, hermitian):
    """The same after a block of two at k and k + 1."""
    n = a.shape[0]
    rest = jnp.arange(n) > k + 1
    second = jnp.minimum(k + 1, n - 1)
    x, y = jnp.where(rest, a[:, k], 0), jnp.where(rest, a[:, second], 0)
    corner = a[second, k]
    scale = jnp.abs(corner) if hermitian else corner
    turn = corner / scale
    d11, d22 = a[second, second] / scale, a[k, k] / scale
    d = 1 / (d11 * d22 - 1) / scale
    u, v = d * (d11 * x - turn * y), d * (d22 * y - _conj(turn, hermitian) * x)
    a = a - jnp.outer(x, _conj(u, hermitian)) - jnp.outer(y, _conj(v, hermitian))
    a = a.at[:, k].set(jnp.where(rest, u, a[:, k]))
    return a.at[:, second].set(jnp.where(rest, v, a[:, second]))


def _real_diagonal(a):
    eye = jnp.eye(a.shape[0], dtype=bool)
    return jnp.where(eye, a.real.astype(a.dtype), a)


def _factor(a, hermitian):
    """(L and D in one lower triangle, pivots, info) of one matrix, whose lower triangle is read."""
    n = a.shape[0]
    lower = jnp.tril(a, -1)
    a = lower + jnp.diag(jnp.diagonal(a)) + _conj(lower.T, hermitian)
    a = _real_diagonal(a) if hermitian else a

    def step(state):
        a, pivots, info, k = state
        row, double, zero = _pivot(a, k, hermitian)
        at = jnp.where(double, k + 1, k)
        moved = _exchanged(a, k, at, row)
        new = jnp.where(double, _two(moved, k, hermitian), _one(moved, k, hermitian))
        new = _real_diagonal(new) if hermitian else new
        places = jnp.arange(n)
        inside = (places == k) | (places == at)
        pivots = jnp.where(inside, jnp.where(double, -(row + 1), row + 1), pivots).astype(jnp.int32)
        info = jnp.where(zero & (info == 0), k + 1, info).astype(jnp.int32)
        return jnp.where(zero, a, new), pivots, info, at + 1

    start = (a, jnp.zeros((n,), jnp.int32), jnp.zeros((), jnp.int32), jnp.zeros((), jnp.int64))
    a, pivots, info, _ = lax.while_loop(lambda state: state[3] < n, step, start)
    return jnp.tril(a), pivots, info


def _over_batches(function, *arrays):
    """`function` of single matrices and vectors over the leading dimensions of all, which are equal."""
    for _ in range(arrays[0].ndim - 2):
        function = jax.vmap(function)
    return function(*arrays)


@op("linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) "
    "-> (Tensor LD, Tensor pivots, Tensor info)", method=False, node="NotImplemented",
    grads={"self": not_implemented("linalg_ldl_factor_ex")}, by_hand="function", layout="columns")
def linalg_ldl_factor_ex(A, *, hermitian, check_errors):  # noqa: N803
    """(*, n, n) to the factors in one lower triangle, int32 pivots (*, n) and info (*): k where column k is zero, else 0."""
    name = "torch.linalg.ldl_factor_ex"
    check_square(A, name)
    if A.size or is_integral(A):
        check_float(A, name, "ldl_factor_kernel_cpu")
    else:
        return A, jnp.zeros(A.shape[:-1], jnp.int32), jnp.zeros(A.shape[:-2], jnp.int32)
    return _over_batches(lambda a: _factor(a, hermitian and is_complex(A)), A)


# --- solving --------------------------------------------------------------------------------------

def _swapped(b, i, j):
    x, y = b[i], b[j]
    return b.at[i].set(y).at[j].set(x)


def _divided(b, ld, k, double, hermitian):
    """Rows k (and k + 1) of b divided by D's block there."""
    second = jnp.minimum(k + 1, ld.shape[0] - 1)
    corner = ld[second, k]
    across = _conj(corner, hermitian)
    one, two = ld[k, k] / across, ld[second, second] / corner
    x, y = b[k] / across, b[second] / corner
    scale = one * two - 1
    pair = b.at[k].set((two * x - y) / scale).at[second].set((one * y - x) / scale)
    return jnp.where(double, pair, b.at[k].set(b[k] / ld[k, k]))


def _down(ld, pivots, b, hermitian):
    """b after the exchanges, L and D."""
    n = ld.shape[0]
    places = jnp.arange(n)

    def step(state):
        b, k = state
        double = pivots[k] < 0
        last = jnp.where(double, k + 1, k)
        b = _swapped(b, last, jnp.abs(pivots[last]) - 1)
        rest = places > last
        first = jnp.outer(jnp.where(rest, ld[:, k], 0), b[k])
        other = jnp.outer(jnp.where(rest & double, ld[:, last], 0), b[last])
        return _divided(b - first - other, ld, k, double, hermitian), last + 1

    return lax.while_loop(lambda state: state[1] < n, step, (b, jnp.zeros((), jnp.int64)))[0]


def _up(ld, pivots, b, hermitian):
    """b after L^T (or L^H) and the exchanges."""
    n = ld.shape[0]
    places = jnp.arange(n)

    def step(state):
        b, k = state
        double = pivots[k] < 0
        first = jnp.where(double, k - 1, k)
        below = jnp.where((places > k)[:, None], b, 0)
        b = b.at[k].add(-_conj(ld[:, k], hermitian) @ below)
        b = jnp.where(double, b.at[first].add(-_conj(ld[:, first], hermitian) @ below), b)
        return _swapped(b, k, jnp.abs(pivots[k]) - 1), first - 1

    return lax.while_loop(lambda state: state[1] >= 0, step, (b, jnp.asarray(n - 1, jnp.int64)))[0]


def _check_solve(LD, pivots, B):  # noqa: N803
    name = "torch.linalg.ldl_solve"
    check_square(LD, name)
    check_inexact(LD, name)
    if LD.dtype != B.dtype:
        raise RuntimeError(f"Expected b and A to have the same dtype, but found b of type {scalar_name(B)} and A of type "
                           f"{scalar_name(LD)} instead.")
    sized_dim(-2, B.ndim)
    if LD.shape[-1] != B.shape[-2]:
        raise RuntimeError(f"Incompatible matrix sizes for {name}: each A matrix is {LD.shape[-1]} by {LD.shape[-1]} but "
                           f"each b matrix is {B.shape[-2]} by {B.shape[-1]}")
    if LD.shape[:-1] != pivots.shape:
        raise RuntimeError(f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
                           f"{list(pivots.shape)} instead")
    if not jnp.issubdtype(pivots.dtype, jnp.integer):
        raise RuntimeError(f"{name}: Expected pivots to be integers. Got {scalar_name(pivots)}")
    check_lapack(LD, "ldl_solve_kernel_cpu")


@op("linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor", method=False,
    node="NotImplemented", grads={"LD": not_implemented("linalg_ldl_solve"), "B": not_implemented("linalg_ldl_solve")},
    layout="columns")
def linalg_ldl_solve(LD, pivots, B, *, hermitian):  # noqa: N803
    """A X = B from the factors of A: (*, n, n), (*, n) and (*, n, k), batches broadcasting.
    https://pytorch.org/docs/stable/generated/torch.linalg.ldl_solve.html"""
    _check_solve(LD, pivots, B)
    batch = broadcast(B.shape[:-2], LD.shape[:-2])
    B = jnp.broadcast_to(B, (*batch, *B.shape[-2:]))  # noqa: N806
    if not B.size:
        return B
    flip = hermitian and is_complex(LD)

    def solve(b, ld, p):
        p = p.astype(jnp.int64)
        return _up(ld, p, _down(ld, p, b, flip), flip)

    return _over_batches(solve, B, jnp.broadcast_to(LD, (*batch, *LD.shape[-2:])),
                         jnp.broadcast_to(pivots, (*batch, pivots.shape[-1])))
