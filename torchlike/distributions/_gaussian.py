"""Linear algebra of Gaussians with covariance L L^T, or W W^T + diag(D)."""

from torchlike import _api
from torchlike.distributions.utils import lazy_property


def batch_mv(matrix, vector):
    """Matrix times vector, in batches that broadcast."""
    return _api.matmul(matrix, vector.unsqueeze(-1)).squeeze(-1)


def solve_lower(factor, rhs):
    """The inverse of a lower triangular factor, times `rhs`, in batches that broadcast."""
    return _api.linalg_solve_triangular(factor, rhs, upper=False)


def mahalanobis(factor, x):
    """x^T (L L^T)^-1 x for the factor L (*, n, n) and x (*, n)."""
    if factor.dim() == 2:  # one factor for all: one solve with many right-hand sides
        n = x.size(-1)
        return solve_lower(factor, x.reshape(-1, n).mT).pow(2).sum(0).reshape(x.shape[:-1])
    return solve_lower(factor, x.unsqueeze(-1)).squeeze(-1).pow(2).sum(-1)


def half_log_det(factor):
    """log det of L."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def square_norm(matrix):
    """The sum of squares of (*, n, m): the trace of M M^T."""
    return matrix.pow(2).sum((-2, -1))


def plus_identity(matrix):
    """M + I."""
    return matrix + _api.eye(matrix.size(-1), dtype=matrix.dtype, device=matrix.device)


def factor_of_precision(precision):
    """The lower L with (L L^T)^-1 = P. If P with rows and columns reversed is M M^T, then L^-1 is the transpose of M with
    rows and columns reversed.
    """
    reversed_factor = _api.linalg_cholesky(precision.flip(-2, -1))
    inverse = reversed_factor.flip(-2, -1).mT
    return solve_lower(inverse, _api.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device))


# -- low rank

def over_diagonal(w, d):
    """W^T diag(D)^-1."""
    return w.mT / d.unsqueeze(-2)


def capacitance_factor(w, d):
    """The Cholesky factor of C = I + W^T D^-1 W, the small matrix of Woodbury's identity."""
    return _api.linalg_cholesky(plus_identity(_api.matmul(over_diagonal(w, d), w)))


def lowrank_log_det(d, capacitance):
    """log det (W W^T + D) = log det C + log det D."""
    return 2 * half_log_det(capacitance) + d.log().sum(-1)


def lowrank_mahalanobis(w, d, x, capacitance):
    """x^T (W W^T + D)^-1 x, by Woodbury's identity."""
    return (x.pow(2) / d).sum(-1) - mahalanobis(capacitance, batch_mv(over_diagonal(w, d), x))


# -- three ways to give a covariance

MATRICES = ("covariance_matrix", "precision_matrix", "scale_tril")


def factor_of(name, matrix):
    """The lower L with L L^T the covariance, from one of MATRICES."""
    if name == "covariance_matrix":
        return _api.linalg_cholesky(matrix)
    return matrix if name == "scale_tril" else factor_of_precision(matrix)


class OfFactor:
    """For distributions that keep the factor L as ``_unbroadcasted_scale_tril``: each matrix is made at first use."""

    def _full(self, matrix):
        """Expanded to the batch."""
        n = self._unbroadcasted_scale_tril.shape[-1]
        return matrix.expand(*self._batch_shape, n, n)

    @lazy_property
    def scale_tril(self):
        """L."""
        return self._full(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        """L L^T."""
        return self._full(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self):
        """The inverse of L L^T."""
        return self._full(_api.cholesky_inverse(self._unbroadcasted_scale_tril))
