"""`OneHotCategorical` and its straight-through form."""

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions.categorical import Categorical
from torchlike.distributions.distribution import Distribution
from torchlike.nn.functional import one_hot

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OfCategorical(Distribution):
    """A distribution over vectors of K numbers that is made of a Categorical."""

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    _categorical: Categorical

    @property
    def _param(self):
        return self._categorical._param

    @property
    def probs(self):
        """Weights with sum 1, (*, K)."""
        return self._categorical.probs

    @property
    def logits(self):
        """Logarithms of `probs`."""
        return self._categorical.logits

    @property
    def param_shape(self):
        """The shape of `probs`."""
        return self._categorical.param_shape

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    def _init_categorical(self, probs, logits, validate_args) -> None:
        self._categorical = Categorical(probs, logits)
        Distribution.__init__(self, self._categorical.batch_shape, self._categorical.param_shape[-1:],
                              validate_args=validate_args)


class OneHotCategorical(OfCategorical):
    """Vectors of K zeros but for a single 1.
    https://pytorch.org/docs/stable/distributions.html#onehotcategorical

    Args:
        probs, logits: as for `Categorical`.
        validate_args: as for `Distribution`.
    """

    support = constraints.one_hot
    has_enumerate_support = True
    _expands = {"_categorical": 0}

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._init_categorical(probs, logits, validate_args)

    @property
    def mean(self):
        return self.probs

    @property
    def mode(self):
        return self._one_hot(self.probs.argmax(dim=-1))

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def _one_hot(self, indices):
        return one_hot(indices, self._categorical._num_events).to(self.probs)

    def sample(self, sample_shape=()):
        return self._one_hot(self._categorical.sample(sample_shape))

    def _log_prob(self, value):
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n, dims = self.event_shape[0], len(self.batch_shape)
        values = _api.eye(n, dtype=self._param.dtype, device=self._param.device).view(n, *(1,) * dims, n)
        return values.expand(n, *self.batch_shape, n) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """`OneHotCategorical` whose samples pass gradients on to `probs` as if they were it (Bengio et al. 2013).
    https://pytorch.org/docs/stable/distributions.html#onehotcategoricalstraightthrough"""

    has_rsample = True

    def rsample(self, sample_shape=()):
        samples = self.sample(sample_shape)
        return samples + (self.probs - self.probs.detach())
