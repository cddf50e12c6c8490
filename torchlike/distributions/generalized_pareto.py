"""`GeneralizedPareto`."""

import math

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.utils import uniform

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The model of tails: exponential where `concentration` is 0, a power law where it is positive, bounded where it is
    negative.
    https://pytorch.org/docs/stable/distributions.html#generalizedpareto

    Args:
        loc, scale, concentration: numbers or tensors, whose broadcast shape is the batch shape; `scale` positive.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    _expands = {}

    def __init__(self, loc, scale, concentration, validate_args=None):
        self._init_broadcast(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        upper = _api.where(self.concentration < 0, self.loc - self.scale / self.concentration, math.inf)
        return constraints.interval(self.loc, upper)

    def _z(self, value):
        return (value - self.loc) / self.scale

    def _shape(self):
        """(where the concentration is 0, the concentration with ones there)."""
        zero = _api.isclose(self.concentration, _api.zeros_like(self.concentration))
        return zero, _api.where(zero, _api.ones_like(self.concentration), self.concentration)

    @property
    def mean(self):
        valid = self.concentration < 1
        shape = _api.where(valid, self.concentration, 0.5)
        return _api.where(valid, self.loc + self.scale / (1 - shape), math.nan)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        valid = self.concentration < 0.5
        shape = _api.where(valid, self.concentration, 0.25)
        return _api.where(valid, self.scale**2 / ((1 - shape) ** 2 * (1 - 2 * shape)), math.nan)

    def rsample(self, sample_shape=()):
        return self.icdf(uniform(self._extended_shape(sample_shape), self.loc))

    def _log_prob(self, value):
        z, (zero, shape) = self._z(value), self._shape()
        power = 1 / shape + _api.ones_like(z)
        decay = _api.where(power == 0, power, power * (shape * z).log1p())
        return -self.scale.log() - _api.where(zero, z, decay)

    def log_survival_function(self, value):
        """log(1 - cdf(value)).

        Args:
            value: as for `log_prob`.

        Returns:
            As for `log_prob`.
        """
        if self._validate_args:
            self._validate_sample(value)
        z, (zero, shape) = self._z(value), self._shape()
        return _api.where(zero, -z, -(shape * z).log1p() / shape)

    def log_cdf(self, value):
        """log(cdf(value)).

        Args:
            value: as for `log_prob`.

        Returns:
            As for `log_prob`.
        """
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value):
        return self.log_cdf(value).exp()

    def icdf(self, value):
        (zero, shape), log_u = self._shape(), (-value).log1p()
        curved = self.loc + self.scale / shape * (-shape * log_u).expm1()
        return _api.where(zero, self.loc - self.scale * log_u, curved)

    def entropy(self):
        return (self.scale.log() + self.concentration + 1).expand(self._batch_shape)
