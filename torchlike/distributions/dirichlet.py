"""`Dirichlet`."""

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions.exp_family import ExponentialFamily
from torchlike.nn.functional import one_hot

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """K shares with sum 1, density proportional to the product of x_i**(concentration_i - 1). Samples have pathwise
    gradients.
    https://pytorch.org/docs/stable/distributions.html#dirichlet

    Args:
        concentration: (*, K), positive; * is the batch shape.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: a tensor without dimensions.
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _expands = {}

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self):
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        corner = one_hot(mode.argmax(dim=-1), above.shape[-1]).to(mode)
        return _api.where((self.concentration < 1).all(dim=-1, keepdim=True), corner, mode)

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape=()):
        return _api._sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def _log_prob(self, value):
        a = self.concentration
        return _api.xlogy(a - 1.0, value).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self):
        a, count = self.concentration, self.concentration.size(-1)
        total = a.sum(-1)
        return (a.lgamma().sum(-1) - total.lgamma() - (count - total) * total.digamma()
                - ((a - 1.0) * a.digamma()).sum(-1))

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - x.sum(-1).lgamma()
