"""`RelaxedOneHotCategorical`, and its logarithm."""

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions.one_hot_categorical import OfCategorical
from torchlike.distributions.relaxed_bernoulli import RelaxedBernoulli
from torchlike.distributions.transformed_distribution import TransformedDistribution
from torchlike.distributions.transforms import ExpTransform
from torchlike.distributions.utils import broadcast_all, clamp_probs, uniform

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(OfCategorical):
    """The logarithms of `RelaxedOneHotCategorical`: scores with Gumbel noise, divided by the temperature and normalised.
    https://pytorch.org/docs/stable/distributions.html#exprelaxedcategorical

    Args:
        temperature: a positive Tensor.
        probs, logits: as for `Categorical`.
        validate_args: as for `Distribution`.
    """

    support = constraints.real_vector
    has_rsample = True
    _expands = {"_categorical": 0}

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        self._init_categorical(probs, logits, validate_args)

    def rsample(self, sample_shape=()):
        u = clamp_probs(uniform(self._extended_shape(sample_shape), self.logits))
        scores = (self.logits - (-u.log()).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def _log_prob(self, value):
        count = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        log_scale = _api.full_like(self.temperature, float(count)).lgamma() + self.temperature.log().mul(count - 1)
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """K shares with sum 1 that approach those of OneHotCategorical for temperatures towards 0, with gradients.
    https://pytorch.org/docs/stable/distributions.html#relaxedonehotcategorical

    Args:
        As for `ExpRelaxedCategorical`.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    _expands = {}

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    temperature = RelaxedBernoulli.temperature
    logits = RelaxedBernoulli.logits
    probs = RelaxedBernoulli.probs
