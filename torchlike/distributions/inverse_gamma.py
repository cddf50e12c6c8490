"""`InverseGamma`."""

import math

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions.gamma import Gamma
from torchlike.distributions.transformed_distribution import TransformedDistribution
from torchlike.distributions.transforms import PowerTransform

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """1 / X for X of Gamma(concentration, rate).
    https://pytorch.org/docs/stable/distributions.html#inversegamma

    Args:
        concentration, rate: positive numbers or tensors, whose broadcast shape is the batch shape.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _expands = {}

    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)

    @property
    def concentration(self):
        """The concentration of X."""
        return self.base_dist.concentration

    @property
    def rate(self):
        """The rate of X."""
        return self.base_dist.rate

    @property
    def mean(self):
        return _api.where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf)

    @property
    def mode(self):
        return self.rate / (self.concentration + 1)

    @property
    def variance(self):
        a = self.concentration
        return _api.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), math.inf)

    def entropy(self):
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
