"""`Gamma`."""

from torchlike import _api
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions.exp_family import ExponentialFamily
from torchlike.distributions.utils import finfo

__all__ = ["Gamma"]


class Gamma(ExponentialFamily):
    """Density proportional to x**(concentration - 1) exp(-rate x) for x > 0. Samples have pathwise gradients; those by
    `concentration` have nearly all digits, PyTorch's about three.
    https://pytorch.org/docs/stable/distributions.html#gamma

    Args:
        concentration, rate: positive numbers or tensors, whose broadcast shape is the batch shape.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _expands = {"concentration": 0, "rate": 0}  # Chi2 has these parameters, too, but declares another one
    _mean_carrier_measure = 0

    def __init__(self, concentration, rate, validate_args=None):
        self._init_broadcast(validate_args, concentration=concentration, rate=rate)

    @property
    def mean(self):
        return self.concentration / self.rate

    @property
    def mode(self):
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self):
        return self.concentration / self.rate.pow(2)

    def sample(self, sample_shape=(), *, generator=None):
        """Samples without gradients.

        Args:
            sample_shape: how many; ``()`` for one.
            generator: a Generator; the default one where it is None. PyTorch has it since 2.14.

        Returns:
            (*sample_shape, *batch_shape).
        """
        with no_grad():
            return self.rsample(sample_shape, generator)

    def rsample(self, sample_shape=(), generator=None):
        """Samples with pathwise gradients.

        Args:
            sample_shape, generator: as for `sample`.

        Returns:
            (*sample_shape, *batch_shape).
        """
        shape = self._extended_shape(sample_shape)
        value = _api._standard_gamma(self.concentration.expand(shape), generator) / self.rate.expand(shape)
        value.detach().clamp_(min=finfo(value).tiny)  # without history: gradients pass
        return value

    def log_prob(self, value):
        return super().log_prob(_api.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device))

    def _log_prob(self, value):
        a, rate = self.concentration, self.rate
        return _api.xlogy(a, rate) + _api.xlogy(a - 1, value) - rate * value - a.lgamma()

    def _cdf(self, value):
        return _api.igamma(self.concentration, self.rate * value)

    def entropy(self):
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1.0 - a) * a.digamma()

    @property
    def _natural_params(self):
        return self.concentration - 1, -self.rate

    def _log_normalizer(self, x, y):
        return (x + 1).lgamma() + (x + 1) * (-y.reciprocal()).log()
