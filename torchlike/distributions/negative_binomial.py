"""`NegativeBinomial`."""

from torchlike import _api
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions._probs_or_logits import Odds
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.gamma import Gamma
from torchlike.distributions.utils import lazy_property
from torchlike.nn.functional import logsigmoid

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Odds, Distribution):
    """How many trials succeed before `total_count` fail.
    https://pytorch.org/docs/stable/distributions.html#negativebinomial

    Args:
        total_count: how many failures; a number or a tensor, which broadcasts with `probs`.
        probs: probabilities of success in [0, 1); a number or a tensor.
        logits: their log-odds instead.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: both or none of `probs` and `logits` are given.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0), "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real}
    support = constraints.nonnegative_integer
    _expands = {}

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        self._set_odds(probs, logits, total_count=total_count)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.total_count * self.logits.exp()

    @property
    def mode(self):
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        return self.mean / (-self.logits).sigmoid()

    @lazy_property
    def _gamma(self):
        return Gamma(self.total_count, (-self.logits).exp(), validate_args=False)

    def sample(self, sample_shape=()):
        with no_grad():
            return _api.poisson(self._gamma.sample(sample_shape=sample_shape))

    def _log_prob(self, value):
        n = self.total_count
        log_weights = n * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        normalizer = -(n + value).lgamma() + (1.0 + value).lgamma() + n.lgamma()
        return log_weights - normalizer.masked_fill(n + value == 0.0, 0.0)
