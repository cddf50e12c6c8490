"""`torch.lobpcg`: some eigenpairs of a large symmetric matrix, by products with it alone.

A. V. Knyazev, "Toward the Optimal Preconditioned Eigensolver: Locally Optimal Block Preconditioned Conjugate Gradient
Method" (2001). Each step takes the best approximations (Rayleigh, Ritz) in the space of the last ones, of their
preconditioned residuals and of the last step's directions. Bases are orthonormalised by the eigenvectors of their Gram
matrices (Stathopoulos and Wu, 2002), where directions that have become dependent are left out.
"""

import math
from typing import Any

from torchlike._api.generated.space_names import linalg_eigh as _eigh
from torchlike._api.generated.torch_names import cat as _cat
from torchlike._api.generated.torch_names import randn as _randn
from torchlike._api.generated.torch_names import stack as _stack
from torchlike._api.generated.torch_names import zeros as _zeros
from torchlike._base import dtypes as _dt
from torchlike._base.settings import strided as _strided
from torchlike.autograd.function import Function as _Function
from torchlike.autograd.grad_mode import no_grad as _no_grad

_PRECISION = {_dt.float32: 1.2e-07, _dt.float64: 2.23e-16}
_SPARSE = "lobpcg.backward does not support sparse input yet. Note that lobpcg.forward does though."
_COMPLEX = "lobpcg.backward does not support complex input yet. Note that lobpcg.forward does though."
_PASSES = 2  # of orthogonalisation: "twice is enough"


class LOBPCG:
    """The state of one computation, which a tracker gets after each step.

    Args:
        A, B, iK: the matrices; None for the identity.
        X: (m, n), where to begin.
        iparams, fparams, bparams: settings by name.
        method: "basic" or "ortho".
        tracker: a function of this object, or None.

    ``E`` (n) and ``X`` (m, n) are the eigenpairs so far, ``R`` their residuals, ``S`` the basis of the next step's space.
    ``ivars`` has ``istep``, ``converged_count`` and ``iterations_left``, ``tvars`` has ``rerr``, the relative residuals.
    Setting ``bvars["force_stop"]`` ends it.
    """

    def __init__(self, A, B, X, iK, iparams, fparams, bparams, method, tracker):  # noqa: N803 - PyTorch's names
        self.A, self.B, self.iK, self.X = A, B, iK, X
        self.iparams, self.fparams, self.bparams = iparams, fparams, bparams
        self.method, self.tracker = method, tracker
        n = iparams["n"]
        self.E, self.R, self.S = _zeros(n, dtype=X.dtype, device=X.device), X, X
        self._product = X  # A X, as soon as there are pairs
        self.tvars: dict[str, Any] = {}
        self.ivars = {"istep": 0, "converged_count": 0, "iterations_left": iparams["niter"]}
        self.fvars: dict[str, float] = {}
        self.bvars: dict[str, bool] = {}

    def run(self) -> None:
        """Steps until all pairs have converged, or there have been enough."""
        self.X = _orthonormal(self.X, self.B, keep=True)
        self._best(self.X)
        self._measure_norms()
        directions = None
        while not self._is_done():
            directions = self._step(directions)

    def _measure_norms(self) -> None:
        x = self.X
        norm = float(x.norm().item())
        self.fvars = {"X_norm": norm, "A_norm": float(self._product.norm().item()) / norm,
                      "B_norm": float(_times(self.B, x).norm().item()) / norm}

    def _best(self, basis):
        """Takes the best pairs in the space of an orthonormal basis; their coefficients."""
        product = self.A @ basis
        values, vectors = _eigh(basis.mT @ product)
        if self.bparams["largest"]:
            values, vectors = values.flip(-1), vectors.flip(-1)
        n = self.iparams["n"]
        chosen = vectors[:, :n]
        self.E, self.X, self._product = values[:n], basis @ chosen, product @ chosen
        return chosen

    def _is_done(self) -> bool:
        x = self.X
        self.R = self._product - _times(self.B, x) * self.E
        fvars = self.fvars
        self.tvars["rerr"] = self.R.norm(2, (0,)) / (fvars["X_norm"] * (fvars["A_norm"] + self.E * fvars["B_norm"]).abs())
        errors = self.tvars["rerr"].tolist()
        self.ivars["converged_count"] = sum(error < self.fparams["tol"] for error in errors)
        self.ivars["iterations_left"] = self.iparams["niter"] - self.ivars["istep"]
        if self.tracker is not None:
            self.tracker(self)
        return (self.ivars["converged_count"] == len(errors) or self.bvars.get("force_stop", False)
                or not all(map(math.isfinite, errors))
                or (self.ivars["istep"] > 0 and self.ivars["iterations_left"] == 0))

    def _step(self, directions):
        residuals = self.R if self.iK is None else self.iK @ self.R
        parts = [residuals] if directions is None else [residuals, directions]
        before = self.X
        if self.method == "basic":
            basis = _orthonormal(_cat([before, *parts], 1), self.B)
            self._best(basis)
            directions = self.X - before @ (before.mT @ _times(self.B, self.X))
        else:
            added = _orthonormal(_cat(parts, 1), self.B, against=before)
            basis = _cat([before, added], 1)
            directions = added @ self._best(basis)[before.shape[1]:]
        self.S = basis
        self.ivars["istep"] += 1
        return directions


def _times(matrix, x):
    return x if matrix is None else matrix @ x


def _orthonormal(x, matrix, against=None, keep=False):
    """An orthonormal basis of the columns of `x` in the product of `matrix`, without what depends on others (all the same
    where `keep`), orthogonal to those of `against`.
    """
    for _ in range(_PASSES):
        if against is not None:
            x = x - against @ (against.mT @ _times(matrix, x))
        gram = x.mT @ _times(matrix, x)
        scale = gram.diagonal().clamp(min=0).sqrt()
        scale = (scale + (scale == 0)).reciprocal()
        values, vectors = _eigh(gram * scale * scale.unsqueeze(1))
        least = _PRECISION.get(x.dtype, 1e-7) * x.shape[1]
        wanted = range(x.shape[1]) if keep else [i for i, value in enumerate(values.tolist()) if value > least]
        first = len(values) - len(wanted)  # they ascend
        x = (x * scale) @ (vectors[:, first:] / values[first:].clamp(min=least).sqrt())
    return x


def _solve(A, k, B, X, n, iK, niter, tol, largest, method, tracker, iparams, fparams, bparams):  # noqa: N803
    if A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and A.shape != B.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    dtype = A.dtype if A.dtype in (_dt.float16, _dt.float32, _dt.float64) else _dt.float32
    tol = _PRECISION[dtype] ** 0.5 if tol is None else tol
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = X.shape[-1] if X is not None else k if n is None else n
    if m < 3 * n:
        raise ValueError(f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the "
                         f"number of requested eigenpairs (={n})")
    method = "ortho" if method is None else method
    settings: tuple = ({"m": m, "n": n, "k": k, "niter": 1000 if niter is None else niter}, {"tol": tol},
                       {"largest": True if largest is None else largest})
    if method == "ortho":
        for known, given in zip(settings, (iparams, fparams, bparams), strict=True):
            known.update(given or {})

    def one(place, A, B, X):  # noqa: N803
        start = _randn((m, n), dtype=dtype, device=A.device) if X is None else X
        if start.shape != (m, n):
            raise AssertionError(f"{'X' if place is None else 'X_'} shape mismatch: got {start.shape}, expected {(m, n)}")
        numbers = settings[0] if place is None else {**settings[0], "batch_index": place}
        worker = LOBPCG(A, B, start, iK, numbers, settings[1], settings[2], method, tracker)
        worker.run()
        return worker.E[:k], worker.X[:, :k]

    batch = A.shape[:-2]
    if not batch:
        return one(None, A, B, X)
    flat = [None if x is None else x.reshape((math.prod(batch), *x.shape[-2:])) for x in (A, B, X)]
    found = [one(i, *(None if x is None else x[i] for x in flat)) for i in range(math.prod(batch))]
    if not found:
        return tuple(_zeros((*batch, *rest), dtype=dtype, device=A.device) for rest in ((k,), (m, k)))
    return tuple(_stack(parts).reshape((*batch, *parts[0].shape)) for parts in zip(*found, strict=True))


class LOBPCGAutogradFunction(_Function):
    """`lobpcg` of a matrix that requires grad."""

    @staticmethod
    def forward(ctx, A, *arguments):  # noqa: N803
        A = A.contiguous() if A.layout is _strided else A  # noqa: N806
        D, U = _solve(A, *arguments)  # noqa: N806
        ctx.save_for_backward(A, arguments[1], D, U)
        return D, U

    @staticmethod
    def backward(ctx, D_grad, U_grad):  # noqa: N803
        A, B, D, U = ctx.saved_tensors  # noqa: N806
        if A.layout is not _strided or (B is not None and B.layout is not _strided and ctx.needs_input_grad[2]):
            raise ValueError(_SPARSE)
        if A.is_complex() or (B is not None and B.is_complex()):
            raise ValueError(_COMPLEX)
        if B is not None:
            raise ValueError("lobpcg.backward does not support backward with B != I yet.")
        return _gradient(A, D, U, D_grad, U_grad), *(None,) * 13


def _gradient(A, D, U, D_grad, U_grad):  # noqa: N803
    """That of the matrix: the change of an eigenvector is (d - A)^+ dA u, which the eigenvectors of all of `A` tell."""
    grad = (U * D_grad.unsqueeze(-2)) @ U.mT
    values, vectors = _eigh(A)
    distances = D.unsqueeze(-2) - values.unsqueeze(-1)
    own = distances.detach().abs().argmin(-2, keepdim=True)
    weights = distances.scatter(-2, own, math.inf).reciprocal()
    return grad + vectors @ (weights * (vectors.mT @ U_grad)) @ U.mT


def lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None, method=None,  # noqa: N803
           tracker=None, ortho_iparams=None, ortho_fparams=None, ortho_bparams=None):
    """The largest or smallest eigenvalues of a symmetric matrix, and their vectors: A X = B X diag(E). Each step looks at
    values. With derivatives by the dense matrix `A`, for eigenvalues that differ, as PyTorch's.
    https://pytorch.org/docs/stable/generated/torch.lobpcg.html

    Args:
        A: (..., m, m), symmetric, float32 or float64; sparse, too.
        k: how many pairs; None means as many as `X` has columns, or 1.
        B: (..., m, m), symmetric and positive definite; None is the identity.
        X: (..., m, n), where to begin; None means random.
        n: how many pairs the iteration has, at most m / 3; None means k. With `X` it is not looked at.
        iK: (m, m), a preconditioner, about the inverse of A; None is the identity.
        niter: the most steps; None means 1000, 0 and negative numbers no bound.
        tol: the relative residual at which a pair has converged; None means the root of the precision.
        largest: whether the largest; None means True.
        method: "basic" makes one basis of all directions, "ortho" (None) makes new ones orthogonal to what there is.
        tracker: a function that gets the state after each step; see `LOBPCG`.
        ortho_iparams, ortho_fparams, ortho_bparams: more settings of "ortho", which the tracker sees.

    Returns:
        (E, X): (..., k), from the largest or the smallest on, and (..., m, k).

    Raises:
        AssertionError: shapes that do not fit.
        ValueError: m < 3 n.
    """
    arguments = (k, B, X, n, iK, niter, tol, largest, method, tracker, ortho_iparams, ortho_fparams, ortho_bparams)
    if A.requires_grad or (B is not None and B.requires_grad):
        symmetric = tuple(None if x is None else (x + x.mT) / 2 for x in (A, B))
        return LOBPCGAutogradFunction.apply(symmetric[0], k, symmetric[1], *arguments[2:])
    with _no_grad():
        return _solve(A, *arguments)
