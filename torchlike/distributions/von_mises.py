"""`VonMises`."""

import math

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.utils import lazy_property

__all__ = ["VonMises"]

# Abramowitz and Stegun, Handbook of Mathematical Functions, 9.8.1 to 9.8.4: I0 and I1 up to 3.75, and beyond.
_SMALL = ((1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
          (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3))
_LARGE = ((0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1,
           0.392377e-2),
          (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1,
           -0.420059e-2))


def _polynomial(y, coefficients):
    total = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = c + y * total
    return total


def _log_bessel(x, order):
    """log(I_order(x)) for x > 0."""
    small = _polynomial((x / 3.75) ** 2, _SMALL[order])
    small = (x.abs() * small if order else small).log()
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, _LARGE[order]).log()
    return _api.where(x < 3.75, small, large)


class VonMises(Distribution):
    """Angles in [-pi, pi), density proportional to exp(concentration cos(x - loc)). Sampled in float64 by rejection (Best
    and Fisher 1979); `variance` is the circular one.
    https://pytorch.org/docs/stable/distributions.html#vonmises

    Args:
        loc, concentration: numbers or tensors, whose broadcast shape is the batch shape; `concentration` positive.
        validate_args: as for `Distribution`.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    _expands = {}

    def __init__(self, loc, concentration, validate_args=None):
        self._init_broadcast(validate_args, loc=loc, concentration=concentration)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()

    def _log_prob(self, value):
        return (self.concentration * (value - self.loc).cos() - math.log(2 * math.pi)
                - _log_bessel(self.concentration, 0))

    @lazy_property
    def _proposal_r(self):
        kappa = self.concentration.to(dt.float64)
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return _api.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))

    def sample(self, sample_shape=()):
        with no_grad():
            shape = self._extended_shape(sample_shape)
            loc, kappa = self.loc.to(dt.float64), self.concentration.to(dt.float64)
            x = self._rejected(_api.zeros(shape, dtype=dt.float64, device=loc.device), kappa)
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def _rejected(self, x, kappa):
        """Angles around 0, in the place of `x`: all are drawn until each was accepted, and the last one stays."""
        r, done = self._proposal_r, _api.zeros(x.shape, dtype=dt.bool_, device=x.device)
        while not done.all():
            u1, u2, u3 = _api.rand(3, *x.shape, dtype=dt.float64, device=x.device).unbind()
            z = (math.pi * u1).cos()
            f = (1 + r * z) / (r + z)
            c = kappa * (r - f)
            accepted = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
            x = _api.where(accepted, (u3 - 0.5).sign() * f.acos(), x)
            done = done | accepted
        return x
