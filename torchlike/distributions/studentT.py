"""`StudentT`."""

import math

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions.chi2 import Chi2
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.utils import broadcast_all, standard_normal

__all__ = ["StudentT"]


class StudentT(Distribution):
    """Student's t, moved and stretched.
    https://pytorch.org/docs/stable/distributions.html#studentt

    Args:
        df: degrees of freedom, positive.
        loc, scale: the median and the factor. All three are numbers or tensors, whose broadcast shape is the batch shape.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _expands = {"_chi2": 0}

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        finite = self.df > 2
        df = _api.where(finite, self.df, 3.0)
        value = _api.where(finite, self.scale.pow(2) * df / (df - 2), math.inf)
        return value.masked_fill(self.df <= 1, math.nan)

    def rsample(self, sample_shape=()):
        x = standard_normal(self._extended_shape(sample_shape), self.df)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * (z / self.df).rsqrt())

    def _log_beta(self):
        return (0.5 * self.df).lgamma() + math.lgamma(0.5) - (0.5 * (self.df + 1.0)).lgamma()

    def _log_prob(self, value):
        y = (value - self.loc) / self.scale
        normalizer = self.scale.log() + 0.5 * self.df.log() + self._log_beta()
        return -0.5 * (self.df + 1.0) * (y**2.0 / self.df).log1p() - normalizer

    def entropy(self):
        half = 0.5 * (self.df + 1)
        slope = half.digamma() - (0.5 * self.df).digamma()
        return self.scale.log() + half * slope + 0.5 * self.df.log() + self._log_beta()
