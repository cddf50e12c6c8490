"""`Geometric`."""

from torchlike import _api
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions._probs_or_logits import Odds
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.utils import broadcast_all, finfo
from torchlike.nn.functional import binary_cross_entropy_with_logits

__all__ = ["Geometric"]


class Geometric(Odds, Distribution):
    """How many trials fail before one succeeds.
    https://pytorch.org/docs/stable/distributions.html#geometric

    Args:
        probs: probabilities in (0, 1]; a number or a tensor, whose shape is the batch shape.
        logits: their log-odds instead.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: both or none are given, or a probability of 0.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.nonnegative_integer
    _expands = {}

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._set_odds(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)
        if self._validate_args and probs is not None:
            self._check_positive()

    def _check_positive(self):
        value = self.probs
        valid = value > 0
        if not valid.all():
            raise ValueError(
                f"Expected parameter probs ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {self!r} "
                f"to be positive but found invalid values:\n{value.data[~valid]}")

    @property
    def mean(self):
        return 1.0 / self.probs - 1.0

    @property
    def mode(self):
        return _api.zeros_like(self.probs)

    @property
    def variance(self):
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape=()):
        probs = self.probs
        with no_grad():
            u = _api.empty(self._extended_shape(sample_shape), dtype=probs.dtype, device=probs.device)
            return (u.uniform_(finfo(probs).tiny, 1).log() / (-probs).log1p()).floor()

    def _log_prob(self, value):
        value, probs = broadcast_all(value, self.probs)
        failure = probs.masked_fill((probs == 1) & (value == 0), 0)  # 0 log(0) is 0
        return value * (-failure).log1p() + self.probs.log()

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs
