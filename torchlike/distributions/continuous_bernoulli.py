"""`ContinuousBernoulli`."""

import math

from torchlike import _api
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions._probs_or_logits import Odds
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.exp_family import ExponentialFamily
from torchlike.distributions.utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs, uniform
from torchlike.nn.functional import binary_cross_entropy_with_logits

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(Odds, ExponentialFamily):
    """Density on [0, 1] proportional to probs**x (1 - probs)**(1 - x) (Loaiza-Ganem and Cunningham 2019).
    https://pytorch.org/docs/stable/distributions.html#continuousbernoulli

    Args:
        probs, logits: as for `Bernoulli`.
        lims: the interval around 1/2 in which the formulas are 0/0 and Taylor series take their place.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: both or none of `probs` and `logits` are given, or a probability outside [0, 1].
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _expands = {}
    _mean_carrier_measure = 0

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        self._set_odds(probs, logits)
        if probs is not None:
            if validate_args is not None and not self.arg_constraints["probs"].check(self.probs).all():
                raise ValueError("The parameter probs has invalid values")
            setattr(self, self._given, clamp_probs(self.probs))
        self._lims = lims
        Distribution.__init__(self, self._param.size(), validate_args=validate_args)

    @lazy_property
    def probs(self):
        """The parameter, kept off 0 and 1."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _stable(self):
        """Where the formulas can be used."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self):
        """The probabilities where the formulas are used; elsewhere a value at which they are finite."""
        return _api.where(self._stable(), self.probs, self._lims[0] * _api.ones_like(self.probs))

    def _either(self, formula, taylor):
        return _api.where(self._stable(), formula, taylor)

    def _cont_bern_log_norm(self):
        """The logarithm of the normalizing constant."""
        p, x = self._cut_probs(), (self.probs - 0.5).pow(2)
        below = p <= 0.5
        low = _api.where(below, p, _api.zeros_like(p))
        high = _api.where(p >= 0.5, p, _api.ones_like(p))
        formula = ((-p).log1p() - p.log()).abs().log() - _api.where(below, (-2.0 * low).log1p(), (2.0 * high - 1.0).log())
        return self._either(formula, math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self):
        p, x = self._cut_probs(), self.probs - 0.5
        formula = p / (2.0 * p - 1.0) + 1.0 / ((-p).log1p() - p.log())
        return self._either(formula, 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x)

    @property
    def variance(self):
        p, x = self._cut_probs(), (self.probs - 0.5).pow(2)
        formula = p * (p - 1.0) / (1.0 - 2.0 * p).pow(2) + 1.0 / ((-p).log1p() - p.log()).pow(2)
        return self._either(formula, 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x)

    def sample(self, sample_shape=()):
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.icdf(uniform(self._extended_shape(sample_shape), self.probs))

    def _log_prob(self, value):
        logits, value = broadcast_all(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none") + self._cont_bern_log_norm()

    def _cdf(self, value):
        p = self._cut_probs()
        formula = (p.pow(value) * (1.0 - p).pow(1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inside = self._either(formula, value)
        above = _api.where(value >= 1.0, _api.ones_like(value), inside)
        return _api.where(value <= 0.0, _api.zeros_like(value), above)

    def icdf(self, value):
        p = self._cut_probs()
        log_q = (-p).log1p()
        return self._either(((-p + value * (2.0 * p - 1.0)).log1p() - log_q) / (p.log() - log_q), value)

    def entropy(self):
        log_q, log_p = (-self.probs).log1p(), self.probs.log()
        return self.mean * (log_q - log_p) - self._cont_bern_log_norm() - log_q

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        stable = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = _api.where(stable, x, (self._lims[0] - 0.5) * _api.ones_like(x))
        formula = cut.expm1().abs().log() - cut.abs().log()
        return _api.where(stable, formula, 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0)
