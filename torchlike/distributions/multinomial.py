"""`Multinomial`."""

import math

from torchlike import _api
from torchlike._base.size import Size
from torchlike.distributions import constraints
from torchlike.distributions.binomial import Binomial
from torchlike.distributions.one_hot_categorical import OfCategorical
from torchlike.distributions.utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(OfCategorical):
    """How often each of K categories comes up. As in PyTorch, `log_prob` takes any counts.
    https://pytorch.org/docs/stable/distributions.html#multinomial

    Args:
        total_count: how many draws, an int.
        probs, logits: as for `Categorical`.
        validate_args: as for `Distribution`.

    Raises:
        NotImplementedError: `total_count` is no int.
        ValueError: both or none of `probs` and `logits` are given.
    """

    _expands = {"_categorical": 0}
    total_count: int

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._init_categorical(probs, logits, validate_args)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    @property
    def mean(self):
        return self.probs * self.total_count

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        drawn = self._categorical.sample(Size((self.total_count, *sample_shape))).movedim(0, -1)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, drawn, _api.ones_like(drawn)).type_as(self.probs)

    def entropy(self):
        counts = self._binomial.enumerate_support(expand=False)[1:]
        expected = (self._binomial.log_prob(counts).exp() * (counts + 1).lgamma()).sum([0, -1])
        return self.total_count * self._categorical.entropy() - math.lgamma(self.total_count + 1) + expected

    def _log_prob(self, value):
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -math.inf), 0)
        return (value.sum(-1) + 1).lgamma() - (value + 1).lgamma().sum(-1) + (logits * value).sum(-1)
