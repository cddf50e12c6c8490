"""`Bernoulli`."""

import math

from torchlike import _api
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions._probs_or_logits import Odds
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.exp_family import ExponentialFamily
from torchlike.distributions.utils import broadcast_all
from torchlike.nn.functional import binary_cross_entropy_with_logits

__all__ = ["Bernoulli"]


class Bernoulli(Odds, ExponentialFamily):
    """1 with probability `probs`, else 0.
    https://pytorch.org/docs/stable/distributions.html#bernoulli

    Args:
        probs: probabilities; a number or a tensor, whose shape is the batch shape.
        logits: their log-odds instead.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: both or none are given.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.boolean
    has_enumerate_support = True
    _expands = {}
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._set_odds(probs, logits)
        Distribution.__init__(self, self._param.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        return (self.probs >= 0.5).to(self.probs).masked_fill(self.probs == 0.5, math.nan)

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        with no_grad():
            return _api.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def _log_prob(self, value):
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand=True):
        return self._counted(2, expand)

    @property
    def _natural_params(self):
        return (self.probs.logit(),)

    def _log_normalizer(self, x):
        return x.exp().log1p()
