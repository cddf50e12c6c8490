"""`LowRankMultivariateNormal`."""

import math

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions._gaussian import (
    batch_mv,
    capacitance_factor,
    lowrank_log_det,
    lowrank_mahalanobis,
    over_diagonal,
    plus_identity,
    solve_lower,
)
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.utils import lazy_property, standard_normal

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """Gaussian vectors with covariance ``cov_factor @ cov_factor.T + diag(cov_diag)``. Only m x m matrices are factored
    (Woodbury).
    https://pytorch.org/docs/stable/distributions.html#lowrankmultivariatenormal

    Args:
        loc: (*, n), the mean.
        cov_factor: (*, n, m).
        cov_diag: (*, n), positive. The broadcast shape of all * is the batch shape.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: shapes do not fit.
    """

    arg_constraints = {
        "loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True
    _expands = {}

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        _check_shapes(loc, cov_factor, cov_diag)
        try:
            wide_loc, self.cov_factor, wide_diag = _api.broadcast_tensors(
                loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag "
                             f"{cov_diag.shape}") from error
        self.loc, self.cov_diag = wide_loc[..., 0], wide_diag[..., 0]
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self._capacitance_tril = capacitance_factor(cov_factor, cov_diag)
        super().__init__(self.loc.shape[:-1], loc.shape[-1:], validate_args=validate_args)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        value = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return value.expand(self._batch_shape + self._event_shape)

    def _full(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        """The Cholesky factor of the covariance: D^1/2 times that of I + D^-1/2 W W^T D^-1/2, which is well conditioned."""
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        return self._full(root * _api.linalg_cholesky(plus_identity(_api.matmul(scaled, scaled.mT))))

    @lazy_property
    def covariance_matrix(self):
        """W W^T + D."""
        w = self._unbroadcasted_cov_factor
        return self._full(_api.matmul(w, w.mT) + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance: D^-1 - D^-1 W C^-1 W^T D^-1."""
        d = self._unbroadcasted_cov_diag
        half = solve_lower(self._capacitance_tril, over_diagonal(self._unbroadcasted_cov_factor, d))
        return self._full(d.reciprocal().diag_embed() - half.mT @ half)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        eps_factor = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc)
        eps_diag = standard_normal(shape, self.loc)
        shared = batch_mv(self._unbroadcasted_cov_factor, eps_factor)
        return self.loc + shared + self._unbroadcasted_cov_diag.sqrt() * eps_diag

    def _log_det(self):
        return lowrank_log_det(self._unbroadcasted_cov_diag, self._capacitance_tril)

    def _log_prob(self, value):
        distance = lowrank_mahalanobis(self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, value - self.loc,
                                       self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + distance)

    def entropy(self):
        value = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return value.expand(self._batch_shape) if self._batch_shape else value


def _check_shapes(loc, cov_factor, cov_diag) -> None:
    if loc.dim() < 1:
        raise ValueError("loc must be at least one-dimensional.")
    event_shape = loc.shape[-1:]
    if cov_factor.dim() < 2:
        raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
    if cov_factor.shape[-2:-1] != event_shape:
        raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
    if cov_diag.shape[-1:] != event_shape:
        raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
