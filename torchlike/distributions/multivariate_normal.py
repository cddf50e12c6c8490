"""`MultivariateNormal`."""

import math

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions._gaussian import MATRICES, OfFactor, batch_mv, factor_of, half_log_det, mahalanobis
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.utils import standard_normal

__all__ = ["MultivariateNormal"]


class MultivariateNormal(OfFactor, Distribution):
    """Gaussian vectors. Exactly one of the three matrices is given.
    https://pytorch.org/docs/stable/distributions.html#multivariatenormal

    Args:
        loc: (*, n), the mean; its * and that of the matrix broadcast to the batch shape.
        covariance_matrix: (*, n, n), positive definite.
        precision_matrix: (*, n, n), its inverse.
        scale_tril: (*, n, n), its lower Cholesky factor, which is the cheapest.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: too few dimensions, or not exactly one matrix.
    """

    arg_constraints = {
        "loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True
    _expands = {}

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        matrices = dict(zip(MATRICES, (covariance_matrix, precision_matrix, scale_tril), strict=True))
        found = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
        if len(found) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = found
        if matrix.dim() < 2:
            text = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(f"{text} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = _api.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(*batch_shape, -1, -1))
        self.loc = loc.expand(*batch_shape, -1)
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = factor_of(name, matrix)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape=()):
        eps = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + batch_mv(self._unbroadcasted_scale_tril, eps)

    def _log_prob(self, value):
        factor = self._unbroadcasted_scale_tril
        distance = mahalanobis(factor, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half_log_det(factor)

    def entropy(self):
        value = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det(self._unbroadcasted_scale_tril)
        return value.expand(self._batch_shape) if self._batch_shape else value
