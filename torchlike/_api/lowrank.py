"""Randomised low-rank decompositions: `torch.svd_lowrank`, `torch.pca_lowrank`.

Halko, Martinsson and Tropp, Finding structure with randomness (2009), algorithms 4.4 and 5.1.
https://pytorch.org/docs/stable/generated/torch.svd_lowrank.html
"""

from __future__ import annotations

from torchlike._api import linalg, random
from torchlike._api.generated import ops
from torchlike._api.linear import matmul
from torchlike._record.wrong_calls import checked


def _range(A, q, niter, M):  # noqa: N803
    """An orthonormal basis of about the range of A - M, (*, m, q)."""
    basis = random.randn(A.shape[-1], q, dtype=A.dtype, device=A.device)
    basis = ops.linalg_qr(_times(A, basis, M), "reduced")[0]
    for _ in range(niter):
        basis = ops.linalg_qr(_times(A.mH, basis, None if M is None else M.mH), "reduced")[0]
        basis = ops.linalg_qr(_times(A, basis, M), "reduced")[0]
    return basis


def _times(A, x, M):  # noqa: N803
    return matmul(A, x) if M is None else matmul(A, x) - matmul(M, x)


@checked
def svd_lowrank(A, q=6, niter=2, M=None):  # noqa: N803
    """(U, S, V) of about the largest `q` singular values of A - M."""
    q = 6 if q is None else q
    m, n = A.shape[-2:]
    if M is not None:
        M = M.expand(A.shape)  # noqa: N806
    flipped = m < n
    if flipped:
        A, M = A.mH, None if M is None else M.mH  # noqa: N806
    basis = _range(A, q, niter, M)
    small = _times(basis.mH, A, None) if M is None else matmul(basis.mH, A) - matmul(basis.mH, M)
    u, s, vh = linalg.linalg_svd(small, False)
    u, v = matmul(basis, u), vh.mH
    return (v, s, u) if flipped else (u, s, v)


def pca_lowrank(A, q=None, center=True, niter=2):  # noqa: N803
    """`svd_lowrank` of the rows of A around their mean.
    https://pytorch.org/docs/stable/generated/torch.pca_lowrank.html"""
    m, n = A.shape[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if not niter >= 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if center:
        A = A - A.mean(dim=-2, keepdim=True)  # noqa: N806
    return svd_lowrank(A, q, niter)


FUNCTIONS: dict = {"svd_lowrank": svd_lowrank, "pca_lowrank": pca_lowrank}
