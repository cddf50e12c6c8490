"""`Uniform`."""

import math

from torchlike.distributions import constraints
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.utils import uniform

__all__ = ["Uniform"]


class Uniform(Distribution):
    """Uniform on [low, high).
    https://pytorch.org/docs/stable/distributions.html#uniform

    Args:
        low, high: numbers or tensors, whose broadcast shape is the batch shape.
        validate_args: as for `Distribution`.
    """

    has_rsample = True
    _expands = {}

    def __init__(self, low, high, validate_args=None):
        self._init_broadcast(validate_args, low=low, high=high)

    @property
    def arg_constraints(self):
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    @property
    def mean(self):
        return (self.high + self.low) / 2

    @property
    def mode(self):
        return math.nan * self.high

    @property
    def stddev(self):
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self):
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape=()):
        return self.low + uniform(self._extended_shape(sample_shape), self.low) * (self.high - self.low)

    def _log_prob(self, value):
        inside = self.low.le(value).type_as(self.low) * self.high.gt(value).type_as(self.low)
        return inside.log() - (self.high - self.low).log()

    def _cdf(self, value):
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return (self.high - self.low).log()
