"""`LKJCholesky`."""

import math

from torchlike import _api
from torchlike._base.size import Size
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions.beta import Beta
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.utils import broadcast_all, finfo

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices M, density proportional to det(M)**(concentration - 1); sampled by the
    onion method (Lewandowski, Kurowicka and Joe 2009).
    https://pytorch.org/docs/stable/distributions.html#lkjcholesky

    Args:
        dim: the matrices are (dim, dim); at least 2.
        concentration: a positive number or tensor, whose shape is the batch shape.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: `dim` is less than 2.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _expands = {"_beta": 1}

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # Row i lies on a sphere; its squared distance from the diagonal has a Beta distribution. Row 0 takes no part.
        row = _api.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        row = _api.cat([row.new_zeros(1), row])
        marginal = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(row + 0.5, marginal.unsqueeze(-1) - 0.5 * row)
        super().__init__(self.concentration.size(), Size((dim, dim)), validate_args)

    def sample(self, sample_shape=()):
        with no_grad():
            radius = self._beta.sample(sample_shape).unsqueeze(-1)
            normal = _api.randn(self._extended_shape(sample_shape), dtype=radius.dtype, device=radius.device).tril(-1)
            direction = normal / normal.norm(dim=-1, keepdim=True)
            direction[..., 0, :].fill_(0.0)
            rows = radius.sqrt() * direction
            rest = (1 - (rows**2).sum(-1)).clamp(min=finfo(rows).tiny).sqrt()
            return rows + rest.diag_embed()

    def _log_prob(self, value):
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = _api.arange(2, self.dim + 1, device=self.concentration.device)
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - order
        below = self.dim - 1
        alpha = self.concentration + 0.5 * below
        # With the constant of mvlgamma and what the normalizer of the 2009 paper (page 1999) has beyond it.
        normalizer = 0.5 * below * math.log(math.pi) + _api.mvlgamma(alpha - 0.5, below) - alpha.lgamma() * below
        return (order * diagonal.log()).sum(-1) - normalizer
