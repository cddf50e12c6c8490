"""`RelaxedBernoulli`, and its logits."""

from torchlike.distributions import constraints
from torchlike.distributions._probs_or_logits import Odds
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.transformed_distribution import TransformedDistribution
from torchlike.distributions.transforms import SigmoidTransform
from torchlike.distributions.utils import broadcast_all, clamp_probs, uniform

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Odds, Distribution):
    """The log-odds of `RelaxedBernoulli`: a logistic number around those of `probs`, divided by the temperature.
    https://pytorch.org/docs/stable/distributions.html#logitrelaxedbernoulli

    Args:
        temperature: a positive Tensor.
        probs, logits: as for `Bernoulli`.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    _expands = {}

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        self._set_odds(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(uniform(shape, probs))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def _log_prob(self, value):
        logits, value = broadcast_all(self.logits, value)
        distance = logits - value.mul(self.temperature)
        return self.temperature.log() + distance - 2 * distance.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """Numbers in (0, 1) that approach those of Bernoulli for temperatures towards 0, with gradients.
    https://pytorch.org/docs/stable/distributions.html#relaxedbernoulli

    Args:
        As for `LogitRelaxedBernoulli`.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _expands = {}

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args=validate_args)

    @property
    def temperature(self):
        """The temperature, a Tensor."""
        return self.base_dist.temperature

    @property
    def logits(self):
        """The log-odds of `probs`."""
        return self.base_dist.logits

    @property
    def probs(self):
        """The probabilities of the Bernoulli numbers."""
        return self.base_dist.probs
