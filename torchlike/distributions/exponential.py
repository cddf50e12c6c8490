"""`Exponential`."""

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions.exp_family import ExponentialFamily

__all__ = ["Exponential"]


class Exponential(ExponentialFamily):
    """Density rate exp(-rate x) for x >= 0.
    https://pytorch.org/docs/stable/distributions.html#exponential

    Args:
        rate: a positive number or tensor, whose shape is the batch shape.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _expands = {}
    _mean_carrier_measure = 0

    def __init__(self, rate, validate_args=None):
        self._init_broadcast(validate_args, rate=rate)

    @property
    def mean(self):
        return self.rate.reciprocal()

    @property
    def mode(self):
        return _api.zeros_like(self.rate)

    @property
    def stddev(self):
        return self.rate.reciprocal()

    @property
    def variance(self):
        return self.rate.pow(-2)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return _api.empty(shape, dtype=self.rate.dtype, device=self.rate.device).exponential_() / self.rate

    def _log_prob(self, value):
        return self.rate.log() - self.rate * value

    def _cdf(self, value):
        return 1 - (-self.rate * value).exp()

    def icdf(self, value):
        return -(-value).log1p() / self.rate

    def entropy(self):
        return 1.0 - self.rate.log()

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -(-x).log()
