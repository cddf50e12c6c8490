"""`HalfCauchy`."""

import math

from torchlike import _api
from torchlike.distributions.cauchy import Cauchy
from torchlike.distributions.half_normal import Half
from torchlike.distributions.transforms import AbsTransform
from torchlike.distributions.utils import filled

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """|X| for X of Cauchy(0, scale).
    https://pytorch.org/docs/stable/distributions.html#halfcauchy

    Args:
        scale: a positive number or tensor, whose shape is the batch shape.
        validate_args: as for `Distribution`.
    """

    _expands = {}

    def __init__(self, scale, validate_args=None):
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def mean(self):
        return filled(self._extended_shape(), math.inf, self.scale)

    @property
    def variance(self):
        return self.base_dist.variance

    def _log_prob(self, value):
        return super()._log_prob(_api.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device))
