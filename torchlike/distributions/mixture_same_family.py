"""`MixtureSameFamily`."""

from torchlike._base.size import Size
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions.categorical import Categorical
from torchlike.distributions.constraints import MixtureSameFamilyConstraint
from torchlike.distributions.distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """A mixture of k components of one type.
    https://pytorch.org/docs/stable/distributions.html#mixturesamefamily

    Args:
        mixture_distribution: the weights, a Categorical over k values.
        component_distribution: a distribution whose last batch dimension numbers the components.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: other types, or batch shapes that do not fit.
    """

    arg_constraints = {}
    _expands = {"_mixture_distribution": 0, "_component_distribution": 1}

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of torch.distributions.Distribution")
        mixture, components = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if any(a != 1 and b != 1 and a != b for a, b in zip(reversed(mixture), reversed(components), strict=False)):
            raise ValueError(f"`mixture_distribution.batch_shape` ({mixture}) is not compatible with "
                             f"`component_distribution.batch_shape`({components})")
        weights, count = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if weights != count:
            raise ValueError(f"`mixture_distribution component` ({weights}) does not equal "
                             f"`component_distribution.batch_shape[-1]` ({count})")
        self._num_component, self._event_ndims = weights, len(component_distribution.event_shape)
        super().__init__(components, component_distribution.event_shape, validate_args=validate_args)

    @constraints.dependent_property
    def support(self):
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self):
        """The weights, a Categorical."""
        return self._mixture_distribution

    @property
    def component_distribution(self):
        """The components, along the last batch dimension."""
        return self._component_distribution

    def _pad(self, x):
        """With a dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _weights(self):
        """Probabilities in a shape that broadcasts against component values."""
        probs, dims = self._mixture_distribution.probs, len(self._mixture_distribution.batch_shape)
        missing = 0 if dims == 1 else len(self.batch_shape) - dims
        return probs.reshape(*probs.shape[:-1], *(1,) * missing, probs.shape[-1], *(1,) * self._event_ndims)

    def _expected(self, values):
        return (self._weights() * values).sum(-1 - self._event_ndims)

    @property
    def mean(self):
        return self._expected(self._component_distribution.mean)

    @property
    def variance(self):
        within = self._expected(self._component_distribution.variance)
        return within + self._expected((self._component_distribution.mean - self._pad(self.mean)).pow(2.0))

    def cdf(self, x):
        return (self._component_distribution.cdf(self._pad(x)) * self._mixture_distribution.probs).sum(-1)

    def _log_prob(self, value):
        log_probs = self._component_distribution.log_prob(self._pad(value))
        return (log_probs + self._mixture_distribution.logits.log_softmax(-1)).logsumexp(-1)

    def sample(self, sample_shape=()):
        with no_grad():
            at = len(sample_shape) + len(self.batch_shape)
            chosen = self._mixture_distribution.sample(sample_shape)
            samples = self._component_distribution.sample(sample_shape)
            index = chosen.reshape(*chosen.shape, *(1,) * (len(self.event_shape) + 1))
            index = index.repeat(Size([1] * (chosen.dim() + 1)) + self.event_shape)
            return samples.gather(at, index).squeeze(at)

    def __repr__(self):
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
