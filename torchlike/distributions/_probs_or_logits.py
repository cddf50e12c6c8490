"""Distributions that take probabilities or logits, but not both: the other one is made at first use."""

from typing import Any

from torchlike import _api
from torchlike.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits


def given(probs, logits) -> str:
    """Which of the two was given; ValueError for both or none."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return "logits" if probs is None else "probs"


class ProbsOrLogits:
    """For distributions that keep `probs` or `logits`, whichever was given."""

    _given: str  # "probs" or "logits"

    @property
    def _param(self):
        return getattr(self, self._given)

    @property
    def param_shape(self):
        """The shape of `probs`."""
        return self._param.size()

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)


class Odds(ProbsOrLogits):
    """For distributions with two outcomes: `probs`, or `logits`, the log-odds; the one that was not given is made at
    first use.
    """

    _batch_shape: Any

    def _set_odds(self, probs, logits, **others) -> None:
        """Sets the one that was given, and `others`, broadcast and in its dtype."""
        self._given = given(probs, logits)
        value = logits if probs is None else probs
        *values, value = broadcast_all(*others.values(), value)
        setattr(self, self._given, value)
        for name, other in zip(others, values, strict=True):
            setattr(self, name, other.type_as(value))

    @lazy_property
    def logits(self):
        """Log-odds."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self):
        """Probabilities."""
        return logits_to_probs(self.logits, is_binary=True)

    def _counted(self, count, expand):
        """0, 1, ..., count - 1 along a dimension before the batch's."""
        values = _api.arange(count, dtype=self._param.dtype, device=self._param.device)
        return counted(values, self._batch_shape, expand)


def counted(values, batch_shape, expand):
    """Values along a dimension before those of the batch."""
    values = values.view(-1, *(1,) * len(batch_shape))
    return values.expand(-1, *batch_shape) if expand else values
