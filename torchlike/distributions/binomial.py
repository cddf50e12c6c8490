"""`Binomial`."""

from torchlike import _api
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions._probs_or_logits import Odds
from torchlike.distributions.distribution import Distribution

__all__ = ["Binomial"]


def _positive_part(x):
    """max(x, 0) with slope 1/2 at 0."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(Odds, Distribution):
    """How many of `total_count` trials succeed.
    https://pytorch.org/docs/stable/distributions.html#binomial

    Args:
        total_count: how many trials; a number or a tensor, which broadcasts with `probs`.
        probs, logits: as for `Bernoulli`.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: both or none of `probs` and `logits` are given.
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer, "probs": constraints.unit_interval, "logits": constraints.real}
    has_enumerate_support = True
    _expands = {}

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        self._set_odds(probs, logits, total_count=total_count)
        super().__init__(self._param.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def mode(self):
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return _api.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def _log_prob(self, value):
        n, logits = self.total_count, self.logits
        # n log(1 - p) is -n (max(logits, 0) + log1p(exp(-|logits|))), which never overflows.
        normalizer = n * _positive_part(logits) + n * (-logits.abs()).exp().log1p() - (n + 1).lgamma()
        return value * logits - (value + 1).lgamma() - (n - value + 1).lgamma() - normalizer

    def _common_count(self, method):
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
        return count

    def entropy(self):
        self._common_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(log_prob.exp() * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        return self._counted(1 + self._common_count("enumerate_support"), expand)
