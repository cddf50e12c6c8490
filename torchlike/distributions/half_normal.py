"""`HalfNormal`."""

import math

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions.normal import Normal
from torchlike.distributions.transformed_distribution import TransformedDistribution
from torchlike.distributions.transforms import AbsTransform

__all__ = ["HalfNormal"]


class Half(TransformedDistribution):
    """|X| for X symmetric around 0. A subclass has a parameter `scale`, that of its base distribution."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    @property
    def scale(self):
        """The scale of X."""
        return self.base_dist.scale

    @property
    def mode(self):
        return _api.zeros_like(self.scale)

    def _log_prob(self, value):
        return _api.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value):
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)


class HalfNormal(Half):
    """|X| for X of Normal(0, scale).
    https://pytorch.org/docs/stable/distributions.html#halfnormal

    Args:
        scale: a positive number or tensor, whose shape is the batch shape.
        validate_args: as for `Distribution`.
    """

    _expands = {}

    def __init__(self, scale, validate_args=None):
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self):
        return self.scale.pow(2) * (1 - 2 / math.pi)
