"""`torch.linalg` and the matrix functions of the torch namespace, from the rows of `_ops/linalg/factorizations.py`.

https://pytorch.org/docs/stable/linalg.html. Where a factorisation fails (a singular or indefinite
matrix) the function looks at its `info`, which runs what was recorded so far, and raises LinAlgError.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any

from torchlike._api import creation, deprecations, named_results
from torchlike._api.einsum import tensordot
from torchlike._api.generated import ops
from torchlike._api.linalg_errors import (
    LinAlgError,
    check_cholesky,
    check_determinant,
    check_inverse,
    check_singular_values,
    check_solved,
)
from torchlike._api.linear import matmul
from torchlike._api.out import written
from torchlike._modes.composite import composite
from torchlike._ops.geometry import broadcast
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.warning import warn_once
from torchlike._record.wrong_calls import checked, judged

_eye = creation.eye


# --- inverse, determinant, solve ----------------------------------------------------------------

def inv(A: Tensor) -> Tensor:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.inv.html"""
    result, info = ops.linalg_inv_ex(A)
    check_inverse(info, "linalg.inv")
    return result


@judged
def linalg_inv_ex(A: Tensor, *, check_errors: bool = False, out: Sequence[Tensor] | None = None):  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.inv_ex.html"""
    if out is not None:
        return written(out, "linalg_inv_ex", (), linalg_inv_ex, A, check_errors=check_errors)
    found = ops.linalg_inv_ex(A, check_errors=check_errors)
    if check_errors:
        check_inverse(found[1], "linalg.inv_ex")
    return found


@composite("linalg_inv")
def linalg_inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.inv.html"""
    if out is not None:
        return written(out, "linalg_inv", (), inv, A)
    return inv(A)


@composite("inverse")
def inverse(input: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.inverse.html"""
    return inv(input)


def inverse_function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.inverse.html"""
    if out is not None:
        return written(out, "inverse", (), inverse, input)
    return inverse(input)


def det(input: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.det.html"""
    return ops._linalg_det(input)[0]


def linalg_det(A: Tensor, *, out: Tensor | None = None) -> Tensor:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.det.html"""
    if out is not None:
        return written(out, "linalg_det", (), det, A)
    return det(A)


def linalg_slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.slogdet.html"""
    if out is not None:
        return written(out, "linalg_slogdet", (), linalg_slogdet, A)
    return named_results.linalg_slogdet(*ops._linalg_slogdet(A)[:2])


@judged
def logdet(input: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.logdet.html"""
    check_determinant(input, "logdet")
    sign, size = ops._linalg_slogdet(input)[:2]
    if input.is_complex():
        return sign.log() + size
    return size.masked_fill(sign == -1, math.nan)


@judged
def linalg_solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False,  # noqa: N803
                    out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """https://pytorch.org/docs/stable/generated/torch.linalg.solve_ex.html"""
    if out is not None:
        return written(out, "linalg_solve_ex", (), linalg_solve_ex, A, B, left=left, check_errors=check_errors)
    result, _, _, info = ops._linalg_solve_ex(A, B, left=left)
    if check_errors:
        check_solved(info, "torch.linalg.solve_ex")
    return named_results.linalg_solve_ex(result, info)


@judged
@composite("linalg_solve")
def linalg_solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.solve.html"""
    if out is not None:
        return written(out, "linalg_solve", (), linalg_solve, A, B, left=left)
    result, _, _, info = ops._linalg_solve_ex(A, B, left=left)
    check_solved(info, "torch.linalg.solve")
    return result


@judged
@composite("linalg_cholesky")
def linalg_cholesky(input: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.cholesky.html"""
    if out is not None:
        return written(out, "linalg_cholesky", (), linalg_cholesky, input, upper=upper)
    factor, info = ops.linalg_cholesky_ex(input, upper=upper)
    check_cholesky(info, "linalg.cholesky")
    return factor


@judged
def linalg_cholesky_ex(input: Tensor, *, upper: bool = False, check_errors: bool = False,
                       out: Sequence[Tensor] | None = None):
    """https://pytorch.org/docs/stable/generated/torch.linalg.cholesky_ex.html"""
    if out is not None:
        return written(out, "linalg_cholesky_ex", (), linalg_cholesky_ex, input, upper=upper, check_errors=check_errors)
    found = ops.linalg_cholesky_ex(input, upper=upper, check_errors=check_errors)
    if check_errors:
        check_cholesky(found[1], "linalg.cholesky_ex")
    return found


@judged
@composite("pinverse")
def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.pinverse.html"""
    check_singular_values(input)
    return ops.linalg_pinv(input, atol=None, rtol=rcond)


@judged
def matrix_power(input: Tensor, n: int) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.matrix_power.html"""
    name = "linalg.matrix_power"
    if input.dim() < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if input.shape[-1] != input.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {input.shape[-2]} by "
                           f"{input.shape[-1]} matrices")
    n = operator.index(n)  # of its own: a tensor would be halved in place
    if n == 0:
        return input.clone().copy_(_eye(input.shape[-1], dtype=input.dtype, device=input.device))
    if n < 0:
        return matrix_power(inv(input), -n)
    if n == 1:
        return input.clone()
    if n == 3:
        return matmul(matmul(input, input), input)
    power: Tensor = input
    result: Any = None
    while n:
        if n & 1:
            result = power if result is None else matmul(result, power)
        n >>= 1
        power = matmul(power, power) if n else power
    return result


@judged
def matrix_power_function(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.matrix_power.html"""
    if out is not None:
        return written(out, "matrix_power", (), matrix_power, input, n)
    return matrix_power(input, n)


@judged
def linalg_matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.matrix_power.html"""
    if out is not None:
        return written(out, "linalg_matrix_power", (), matrix_power, input, n)
    return matrix_power(input, n)


# --- decompositions -----------------------------------------------------------------------------

def _check_driver(driver) -> None:
    if driver is not None:
        raise RuntimeError("torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER "
                           "backend.")


@composite("linalg_svd")
def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None,  # noqa: N803
               out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """https://pytorch.org/docs/stable/generated/torch.linalg.svd.html"""
    _check_driver(driver)
    if out is not None:
        return written(out, "linalg_svd", (), linalg_svd, A, full_matrices, driver=driver)
    check_singular_values(A)
    return named_results.linalg_svd(*ops._linalg_svd(A, full_matrices, True))


@composite("linalg_svdvals")
def linalg_svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.svdvals.html"""
    _check_driver(driver)
    if out is not None:
        return written(out, "linalg_svdvals", (), linalg_svdvals, A, driver=driver)
    check_singular_values(A)
    return ops._linalg_svd(A, False, A._edge is not None or A._cell.handler is not None or bool(state.thread.frames))[1]


@composite("svd")
def old_svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """`torch.svd`: V rather than its adjoint. https://pytorch.org/docs/stable/generated/torch.svd.html"""
    if input.dim() < 2:
        raise RuntimeError(f"linalg.svd: input should have at least 2 dimensions, but has {input.dim()} dimensions instead")
    check_singular_values(input)
    u, s, vh = ops._linalg_svd(input, not some, True)
    if compute_uv:
        return named_results.svd(u, s, vh.mH)
    m, n = input.shape[-2:]
    lead = input.shape[:-2]
    return named_results.svd(input.new_zeros((*lead, m, m)), s, input.new_zeros((*lead, n, n)))


def svd_function(input: Tensor, some: bool = True, compute_uv: bool = True, *,
                 out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """`torch.svd`: V rather than its adjoint. https://pytorch.org/docs/stable/generated/torch.svd.html"""
    if out is not None:
        return written(out, "svd", (), old_svd, input, some, compute_uv)
    return old_svd(input, some, compute_uv)


@composite("linalg_eigh")
def linalg_eigh(input: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.eigh.html"""
    if out is not None:
        return written(out, "linalg_eigh", (), linalg_eigh, input, UPLO)
    return named_results.linalg_eigh(*ops._linalg_eigh(input, UPLO, True))


@composite("linalg_eigvalsh")
def linalg_eigvalsh(input: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor:  # noqa: N803
    """https://pytorch.org/docs/stable/generated/torch.linalg.eigvalsh.html"""
    if out is not None:
        return written(out, "linalg_eigvalsh", (), linalg_eigvalsh, input, UPLO)
    return ops._linalg_eigh(input, UPLO, True)[0]


@composite("qr")
def old_qr(input: Tensor, some: bool = True) -> tuple[Tensor, Tensor]:
    """https://pytorch.org/docs/stable/generated/torch.qr.html"""
    warn_once(deprecations.QR)
    return named_results.qr(*ops.linalg_qr(input, "reduced" if some else "complete"))


def qr_function(input: Tensor, some: bool = True, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """https://pytorch.org/docs/stable/generated/torch.qr.html"""
    if out is not None:
        return written(out, "qr", (), old_qr, input, some)
    return old_qr(input, some)


# --- products -----------------------------------------------------------------------------------

@checked
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.outer.html"""
    for name, v in (("self", input), ("vec2", vec2)):
        if v.dim() != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {v.dim()}-D")
    return input.reshape(input.shape[0], 1) * vec2


@checked
def ger_function(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.outer`. https://pytorch.org/docs/stable/generated/torch.ger.html"""
    if out is not None:
        return written(out, "ger", (), outer, input, vec2)
    return outer(input, vec2)


@checked
def outer_function(input: Tensor, vec2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.outer.html"""
    if out is not None:
        return written(out, "outer", (), outer, input, vec2)
    return outer(input, vec2)


@checked
def inner(input: Tensor, other: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.inner.html"""
    if input.dim() == 0 or other.dim() == 0:
        return input * other
    if input.dtype is not other.dtype:
        raise RuntimeError("both inputs should have same dtype")
    if input.shape[-1] != other.shape[-1]:
        raise RuntimeError("inner() the last dimension must match on both input tensors but got shapes "
                           f"{list(input.shape)} and {list(other.shape)}")
    return tensordot(input, other, ([-1], [-1]))


@checked
def inner_function(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.inner.html"""
    if out is not None:
        return written(out, "inner", (), inner, input, other)
    return inner(input, other)


@checked
def kron(input: Tensor, other: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.kron.html"""
    rank = max(input.dim(), other.dim())
    a_shape = (1,) * (rank - input.dim()) + tuple(input.shape)
    b_shape = (1,) * (rank - other.dim()) + tuple(other.shape)
    a = ops._unsafe_view(input.contiguous(), tuple(v for s in a_shape for v in (s, 1)))
    b = ops._unsafe_view(other.contiguous(), tuple(v for s in b_shape for v in (1, s)))
    return ops._unsafe_view(a * b, tuple(s * t for s, t in zip(a_shape, b_shape, strict=True)))


@checked
def kron_function(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.kron.html"""
    if out is not None:
        return written(out, "kron", (), kron, input, other)
    return kron(input, other)


def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.cross.html"""
    if out is not None:
        return written(out, "linalg_cross", (), linalg_cross, input, other, dim=dim)
    return ops.linalg_cross(input, other, dim=dim)


@composite("cross")
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.cross.html"""
    if dim is None:
        warn_once(deprecations.CROSS)
        sizes = broadcast(input.shape, other.shape)
        dim = next((i for i, s in enumerate(sizes) if s == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return ops.linalg_cross(input, other, dim=dim)


def cross_function(input: Tensor, other: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.cross.html"""
    if out is not None:
        return written(out, "cross", (), cross, input, other, dim)
    return cross(input, other, dim)


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


@judged
@composite("linalg_multi_dot")
def linalg_multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """The product of a chain of matrices in the cheapest order.
    https://pytorch.org/docs/stable/generated/torch.linalg.multi_dot.html"""
    if out is not None:
        return written(out, "linalg_multi_dot", (), linalg_multi_dot, tensors)
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


def matrix_exp(input: Tensor) -> Tensor:
    """`torch.linalg.matrix_exp`. https://pytorch.org/docs/stable/generated/torch.matrix_exp.html"""
    return ops.linalg_matrix_exp(input)


@composite("chain_matmul")
def chain_matmul(*matrices: Any, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.chain_matmul.html"""
    warn_once(deprecations.CHAIN_MATMUL)
    for matrix in matrices:
        if matrix.dim() != 2:
            raise RuntimeError(f"Tensor dimension is {matrix.dim()}, expected 2 instead.")
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    if len(matrices) == 1:
        return matrices[0] if out is None else out.resize_(matrices[0].shape).copy_(matrices[0])
    return linalg_multi_dot(matrices, out=out)


_MODES = {"use_mm_for_euclid_dist_if_necessary": None, "use_mm_for_euclid_dist": 1, "donot_use_mm_for_euclid_dist": 2}


@composite("cdist")
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0,
          compute_mode: int | str | None = "use_mm_for_euclid_dist_if_necessary") -> Tensor:
    """The p-norm distances between the rows of two batches.
    https://pytorch.org/docs/stable/generated/torch.cdist.html"""
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return ops._cdist_forward(x1, x2, float(p), _MODES[compute_mode])


@judged
@composite("linalg_vecdot")
def linalg_vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.linalg.vecdot.html"""
    if out is not None:
        return written(out, "linalg_vecdot", (), linalg_vecdot, x, y, dim=dim)
    if not (x.is_floating_point() or x.is_complex()):
        raise RuntimeError("linalg.vecdot: Expected a floating point or complex tensor as input. Got "
                           f"{x.dtype.scalar_name}")
    if x.dtype is not y.dtype:
        raise RuntimeError("linalg.vecdot: Expected x and y to have the same dtype, but found x of type "
                           f"{x.dtype.scalar_name} and y of type {y.dtype.scalar_name} instead")
    return (x.conj() * y).sum(dim)


def old_slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """`torch.slogdet`. https://pytorch.org/docs/stable/generated/torch.slogdet.html"""
    return named_results.slogdet(*ops._linalg_slogdet(input)[:2])


def slogdet_function(input: Tensor, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """`torch.slogdet`. https://pytorch.org/docs/stable/generated/torch.slogdet.html"""
    if out is not None:
        return written(out, "slogdet", (), old_slogdet, input)
    return old_slogdet(input)


FUNCTIONS: dict = {"linalg_LinAlgError": LinAlgError,
                   "linalg_inv": linalg_inv, "linalg_inv_ex": linalg_inv_ex,
                   "linalg_cholesky_ex": linalg_cholesky_ex,
                   "linalg_det": linalg_det, "linalg_slogdet": linalg_slogdet,
                   "linalg_solve": linalg_solve, "linalg_solve_ex": linalg_solve_ex, "linalg_cholesky": linalg_cholesky,
                   "linalg_matrix_power": linalg_matrix_power, "linalg_svd": linalg_svd, "linalg_svdvals": linalg_svdvals,
                   "linalg_eigh": linalg_eigh, "linalg_eigvalsh": linalg_eigvalsh, "linalg_multi_dot": linalg_multi_dot,
                   "linalg_vecdot": linalg_vecdot, "linalg_cross": linalg_cross, "inverse": inverse_function, "det": det,
                   "logdet": logdet, "pinverse": pinverse, "matrix_power": matrix_power_function, "svd": svd_function,
                   "qr": qr_function, "outer": outer_function, "ger": ger_function, "inner": inner_function,
                   "kron": kron_function, "cross": cross_function, "slogdet": slogdet_function,
                   "chain_matmul": chain_matmul, "cdist": cdist, "matrix_exp": matrix_exp}
METHODS: dict = {"inverse": inverse, "det": det, "logdet": logdet, "pinverse": pinverse, "matrix_power": matrix_power,
                 "svd": old_svd, "qr": old_qr, "outer": outer, "ger": outer, "inner": inner, "kron": kron, "cross": cross,
                 "slogdet": old_slogdet, "matrix_exp": matrix_exp}
