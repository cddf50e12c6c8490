"""`Cauchy`."""

import math

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.utils import filled

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """Density 1 / (pi scale (1 + ((x - loc) / scale)^2)).
    https://pytorch.org/docs/stable/distributions.html#cauchy

    Args:
        loc, scale: median and half width; numbers or tensors, whose broadcast shape is the batch shape.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _expands = {}

    def __init__(self, loc, scale, validate_args=None):
        self._init_broadcast(validate_args, loc=loc, scale=scale)

    @property
    def mean(self):
        return filled(self._extended_shape(), math.nan, self.loc)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return filled(self._extended_shape(), math.inf, self.loc)

    def rsample(self, sample_shape=()):
        eps = _api.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device).cauchy_()
        return self.loc + eps * self.scale

    def _log_prob(self, value):
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def _cdf(self, value):
        return ((value - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value):
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()
