"""`torch.linalg` and the matrix functions of the torch namespace, from the rows of `_ops/linalg/factorizations.py`.

https://pytorch.org/docs/stable/linalg.html. Where a factorisation fails (a singular or indefinite
matrix) the function looks at its `info`, which runs what was recorded so far, and raises LinAlgError.
"""

import collections
import itertools
import math

import numpy as np

from torchlike._api.creation import FUNCTIONS as _MAKE
from torchlike._api.einsum import tensordot
from torchlike._api.generated import ops
from torchlike._api.nnops import matmul
from torchlike._api.out import with_out
from torchlike._modes import vmap_levels
from torchlike._modes.composite import composite
from torchlike._ops.geometry import broadcast
from torchlike._record.trace import state

_eye = _MAKE["eye"]


class LinAlgError(RuntimeError):
    """`torch.linalg.LinAlgError`: a factorisation failed."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"


def named_result(name, fields):
    """A named tuple of `torch.return_types`."""
    made = collections.namedtuple(name, fields)  # pyrefly: ignore[bad-class-definition]
    made.__module__ = "torch.return_types"
    return made


_Slogdet, _Svd = named_result("linalg_slogdet", ("sign", "logabsdet")), named_result("linalg_svd", ("U", "S", "Vh"))
_Eigh = named_result("linalg_eigh", ("eigenvalues", "eigenvectors"))
_OldSlogdet, _OldSvd = named_result("slogdet", ("sign", "logabsdet")), named_result("svd", ("U", "S", "V"))


def _values(x):
    """Those of all slices under `torch.func`, None under `jax.jit`."""
    return vmap_levels.known(x) if state.thread.frames else x.detach().numpy()


def failed_batch(info):
    """(batch text, info) of the first failure, or None; under `jax.jit`, too, where there is nothing to look at."""
    codes = _values(info)
    if codes is None or not codes.any():
        return None
    at = int(np.argmax(codes.reshape(-1) != 0))
    return ("" if codes.ndim == 0 else f"(Batch element {at}): ", int(codes.reshape(-1)[at]), at)


# --- inverse, determinant, solve ----------------------------------------------------------------

def inv(A):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.inv.html"""
    result, info = ops.linalg_inv_ex(A)
    failed = failed_batch(info)
    if failed:
        raise LinAlgError(f"linalg.inv: {failed[0]}The diagonal element {failed[1]} is zero, the inversion could not be "
                          "completed because the input matrix is singular.")
    return result


def det(A):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.det.html"""
    return ops._linalg_det(A)[0]


def slogdet(A):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.slogdet.html"""
    return _Slogdet(*ops._linalg_slogdet(A)[:2])


def logdet(A):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.logdet.html"""
    sign, size = ops._linalg_slogdet(A)[:2]
    if A.is_complex():
        return sign.log() + size
    return size.masked_fill(sign == -1, math.nan)


def solve_ex(A, B, *, left=True, check_errors=False):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.solve_ex.html"""
    result, _, _, info = ops._linalg_solve_ex(A, B, left=left)
    if check_errors:
        _check_solved(info)
    return result, info


def _check_solved(info):
    failed = failed_batch(info)
    if failed:
        raise LinAlgError(f"torch.linalg.solve: {failed[0]}The solver failed because the input matrix is singular.")


def solve(A, B, *, left=True):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.solve.html"""
    result, _, _, info = ops._linalg_solve_ex(A, B, left=left)
    _check_solved(info)
    return result


def cholesky(A, *, upper=False):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.cholesky.html"""
    factor, info = ops.linalg_cholesky_ex(A, upper=upper)
    failed = failed_batch(info)
    if failed:
        raise LinAlgError(
            f"linalg.cholesky: {failed[0]}The factorization could not be completed because the input is not "
            f"positive-definite (the leading minor of order {_bad_minor(A, failed[2])} is not positive-definite).")
    return factor


def _bad_minor(A, at):  # noqa: N803
    """The order of the first leading minor that is not positive, found only to be told."""
    matrix = _values(A)
    matrix = matrix.reshape(-1, *matrix.shape[-2:])[at]
    for order in range(1, len(matrix) + 1):
        if not np.linalg.det(matrix[:order, :order]).real > 0:
            return order
    return len(matrix)


def _pinverse(input, rcond=1e-15):
    return ops.linalg_pinv(input, atol=None, rtol=rcond)


def matrix_power(A, n):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.matrix_power.html"""
    name = "linalg.matrix_power"
    if A.dim() < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} "
                           "matrices")
    if n == 0:
        return A.clone().copy_(_eye(A.shape[-1], dtype=A.dtype, device=A.device))
    if n < 0:
        return matrix_power(inv(A), -n)
    if n == 1:
        return A.clone()
    if n == 3:
        return matmul(matmul(A, A), A)
    power, result = A, None
    while n:
        if n & 1:
            result = power if result is None else matmul(result, power)
        n >>= 1
        power = matmul(power, power) if n else power
    return result


# --- decompositions -----------------------------------------------------------------------------

def svd(A, full_matrices=True, *, driver=None):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.svd.html"""
    return _Svd(*ops._linalg_svd(A, full_matrices, True))


def svdvals(A, *, driver=None):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.svdvals.html"""
    return ops._linalg_svd(A, False, A._edge is not None or A._cell.handler is not None or bool(state.thread.frames))[1]


def old_svd(input, some=True, compute_uv=True):
    """`torch.svd`: V rather than its adjoint. https://pytorch.org/docs/stable/generated/torch.svd.html"""
    u, s, vh = ops._linalg_svd(input, not some, True)
    if compute_uv:
        return _OldSvd(u, s, vh.mH)
    m, n = input.shape[-2:]
    lead = input.shape[:-2]
    return _OldSvd(input.new_zeros((*lead, m, m)), s, input.new_zeros((*lead, n, n)))


def eigh(A, UPLO="L"):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.eigh.html"""
    return _Eigh(*ops._linalg_eigh(A, UPLO, True))


def eigvalsh(A, UPLO="L"):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.eigvalsh.html"""
    return ops._linalg_eigh(A, UPLO, True)[0]


def old_qr(input, some=True):
    """https://pytorch.org/docs/stable/generated/torch.qr.html"""
    return ops.linalg_qr(input, "reduced" if some else "complete")


# --- products -----------------------------------------------------------------------------------

def outer(input, vec2):
    """https://pytorch.org/docs/stable/generated/torch.outer.html"""
    for name, v in (("self", input), ("vec2", vec2)):
        if v.dim() != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {v.dim()}-D")
    return input.reshape(input.shape[0], 1) * vec2


def inner(input, other):
    """https://pytorch.org/docs/stable/generated/torch.inner.html"""
    if input.dtype is not other.dtype:
        raise RuntimeError("both inputs should have same dtype")
    if input.dim() == 0 or other.dim() == 0:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got shapes "
                           f"{list(input.shape)} and {list(other.shape)}")
    return tensordot(input, other, ([-1], [-1]))


def kron(input, other):
    """https://pytorch.org/docs/stable/generated/torch.kron.html"""
    rank = max(input.dim(), other.dim())
    a_shape = (1,) * (rank - input.dim()) + tuple(input.shape)
    b_shape = (1,) * (rank - other.dim()) + tuple(other.shape)
    a = ops._unsafe_view(input.contiguous(), tuple(v for s in a_shape for v in (s, 1)))
    b = ops._unsafe_view(other.contiguous(), tuple(v for s in b_shape for v in (1, s)))
    return ops._unsafe_view(a * b, tuple(s * t for s, t in zip(a_shape, b_shape, strict=True)))


def linalg_cross(input, other, *, dim=-1):
    """https://pytorch.org/docs/stable/generated/torch.linalg.cross.html"""
    return ops.linalg_cross(input, other, dim=dim)


def cross(input, other, dim=None):
    """https://pytorch.org/docs/stable/generated/torch.cross.html"""
    if dim is None:
        sizes = broadcast(input.shape, other.shape)
        dim = next((i for i, s in enumerate(sizes) if s == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return ops.linalg_cross(input, other, dim=dim)


def _check_chain(tensors):
    n = len(tensors)
    if n < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {n}")
    for i, t in enumerate(tensors):
        ends = i in (0, n - 1)
        if t.dim() != 2 and not (ends and t.dim() == 1):
            if ends:
                raise RuntimeError(f"multi_dot(): the {'last' if i else 'first'} tensor must be 1D or 2D but got {t.dim()}D")
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {t.dim()}D")
        if t.dtype is not tensors[0].dtype:
            raise RuntimeError("multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                               f"{tensors[0].dtype.cpp_name} and tensor {i} {t.dtype.cpp_name}")
    for i, (a, b) in enumerate(itertools.pairwise(tensors)):
        if a.shape[-1] != b.shape[0]:
            raise RuntimeError(f"multi_dot(): tensors {i} and {i + 1} with shapes {list(a.shape)} and {list(b.shape)} "
                               "cannot be multiplied")


def multi_dot(tensors):
    """The product of a chain of matrices in the cheapest order.
    https://pytorch.org/docs/stable/generated/torch.linalg.multi_dot.html"""
    tensors = list(tensors)
    _check_chain(tensors)
    shape = []
    if tensors[0].dim() == 1:
        tensors[0] = tensors[0].unsqueeze(0)
    else:
        shape.append(tensors[0].shape[0])
    if tensors[-1].dim() == 1:
        tensors[-1] = tensors[-1].unsqueeze(-1)
    else:
        shape.append(tensors[-1].shape[1])
    sizes = [t.shape[0] for t in tensors] + [tensors[-1].shape[1]]
    return _chain(tensors, _cheapest(sizes), 0, len(tensors) - 1).view(*shape) if shape else \
        _chain(tensors, _cheapest(sizes), 0, len(tensors) - 1).view(())


def _cheapest(sizes):
    """For each (i, j) where to split the chain i..j, by the usual dynamic program."""
    n = len(sizes) - 1
    cost, split = {(i, i): 0 for i in range(n)}, {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            options = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i, j], split[i, j] = min(options)
    return split


def _chain(tensors, split, i, j):
    if i == j:
        return tensors[i]
    k = split[i, j]
    return ops.mm(_chain(tensors, split, i, k), _chain(tensors, split, k + 1, j))


@composite("chain_matmul")
def chain_matmul(*matrices):
    """https://pytorch.org/docs/stable/generated/torch.chain_matmul.html"""
    return matrices[0] if len(matrices) == 1 else multi_dot(matrices)


_MODES = {"use_mm_for_euclid_dist_if_necessary": None, "use_mm_for_euclid_dist": 1, "donot_use_mm_for_euclid_dist": 2}


@composite("cdist")
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The p-norm distances between the rows of two batches.
    https://pytorch.org/docs/stable/generated/torch.cdist.html"""
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return ops._cdist_forward(x1, x2, float(p), _MODES[compute_mode])


def vecdot(x, y, *, dim=-1):
    """https://pytorch.org/docs/stable/generated/torch.linalg.vecdot.html"""
    return (x.conj() * y).sum(dim)


_LINALG = {"inv": inv, "det": det, "slogdet": slogdet, "solve": solve, "solve_ex": solve_ex, "cholesky": cholesky,
           "matrix_power": matrix_power, "svd": svd, "svdvals": svdvals, "eigh": eigh,
           "eigvalsh": eigvalsh, "cross": linalg_cross, "multi_dot": multi_dot, "vecdot": vecdot}
_SHARED = {"inverse": inv, "det": det, "logdet": logdet, "pinverse": _pinverse, "matrix_power": matrix_power, "svd": old_svd,
           "qr": old_qr, "outer": outer, "ger": outer, "inner": inner, "kron": kron, "cross": cross,
           "slogdet": lambda input: _OldSlogdet(*ops._linalg_slogdet(input)[:2])}
_SHARED = {name: composite(name)(face) for name, face in _SHARED.items()}
FUNCTIONS: dict = {**{(n := f"linalg_{name}"): with_out(composite(n)(face), n) for name, face in _LINALG.items()},
                   **{name: with_out(face, name) for name, face in _SHARED.items()}, "chain_matmul": with_out(chain_matmul),
                   "cdist": cdist, "matrix_exp": ops.linalg_matrix_exp}
METHODS: dict = {**_SHARED, "matrix_exp": ops.linalg_matrix_exp}
