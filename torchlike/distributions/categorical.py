"""`Categorical`."""

import math

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._base.size import Size
from torchlike.distributions import constraints
from torchlike.distributions._probs_or_logits import ProbsOrLogits, counted, given
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.utils import filled, finfo, lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Categorical"]


class Categorical(ProbsOrLogits, Distribution):
    """Integers from 0 to K - 1.
    https://pytorch.org/docs/stable/distributions.html#categorical

    Args:
        probs: (*, K), weights, which are normalised; * is the batch shape.
        logits: their logarithms instead.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: both or none are given, or a tensor without dimensions.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _expands = {}

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._given = given(probs, logits)
        weights = logits if probs is None else probs
        if weights.dim() < 1:
            raise ValueError(f"`{self._given}` parameter must be at least one-dimensional.")
        normalized = weights - weights.logsumexp(-1, True) if probs is None else weights / weights.sum(-1, True)
        setattr(self, self._given, normalized)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    @lazy_property
    def logits(self):
        """The logarithms of `probs`, (*, K)."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self):
        """The weights, (*, K), with sum 1."""
        return logits_to_probs(self.logits)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    @property
    def mean(self):
        return filled(self._extended_shape(), math.nan, self.probs)

    @property
    def mode(self):
        return self.probs.argmax(dim=-1)

    @property
    def variance(self):
        return filled(self._extended_shape(), math.nan, self.probs)

    def sample(self, sample_shape=()):
        rows = self.probs.reshape(-1, self._num_events)
        found = _api.multinomial(rows, Size(sample_shape).numel(), True)
        return found.T.reshape(self._extended_shape(sample_shape))

    def _log_prob(self, value):
        value, log_pmf = _api.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        logits = self.logits.clamp(min=finfo(self.logits).min)  # 0 log(0) is 0
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        values = _api.arange(self._num_events, dtype=dt.int64, device=self._param.device)
        return counted(values, self._batch_shape, expand)
