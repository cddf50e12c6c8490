"""`TransformedDistribution`: samples of one distribution after transforms."""

import functools
import operator
from typing import Any

from torchlike._base.size import Size
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.independent import Independent
from torchlike.distributions.transforms import ComposeTransform, Transform
from torchlike.distributions.utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """Samples of one distribution after transforms.
    https://pytorch.org/docs/stable/distributions.html#transformeddistribution

    Args:
        base_distribution: the distribution, which is expanded where the transforms need it.
        transforms: a `Transform`, or a list of them, applied in order.
        validate_args: as for `Distribution`.

    Raises:
        ValueError: other objects as `transforms`, or a distribution with too few dimensions.
        AssertionError: transforms that contradict their own shapes.
    """

    arg_constraints: Any = {}
    _expands: dict = {}

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = _listed(transforms)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_event_dim = len(base_distribution.event_shape)
        whole = ComposeTransform(self.transforms)
        event_dim = whole.domain.event_dim
        if len(base_shape) < event_dim:
            raise ValueError(f"base_distribution needs to have shape with size at least {event_dim}, but got {base_shape}.")
        shape = whole.forward_shape(base_shape)
        wanted = whole.inverse_shape(shape)
        if base_shape != wanted:
            base_distribution = base_distribution.expand(wanted[:len(wanted) - base_event_dim])
        if event_dim > base_event_dim:
            base_distribution = Independent(base_distribution, event_dim - base_event_dim)
        self.base_dist = base_distribution
        # As many event dimensions as the transforms make, or as are left of the base's.
        event_dim = max(whole.codomain.event_dim, base_event_dim + whole.codomain.event_dim - event_dim)
        if len(shape) < event_dim:
            raise AssertionError(f"forward_shape length {len(shape)} must be >= event_dim {event_dim}")
        cut = len(shape) - event_dim
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape, _instance)
        shape = Size(batch_shape) + self.event_shape
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        return new

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        extra = len(self.event_shape) - support.event_dim
        return constraints.independent(support, extra) if extra > 0 else support

    @property
    def has_rsample(self) -> Any:
        """Whether the base distribution has `rsample`."""
        return self.base_dist.has_rsample

    def _forward(self, value):
        for transform in self.transforms:
            value = transform(value)
        return value

    def sample(self, sample_shape=()):
        with no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._forward(self.base_dist.rsample(sample_shape))

    def _log_prob(self, value):
        event_dim, total = len(self.event_shape), 0.0
        for transform in reversed(self.transforms):
            before = transform.inv(value)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            total = total - _sum_rightmost(
                transform.log_abs_det_jacobian(before, value), event_dim - transform.domain.event_dim)
            value = before
        return total + _sum_rightmost(self.base_dist.log_prob(value), event_dim - len(self.base_dist.event_shape))

    def _increasing(self, probability):
        """The probability, or 1 minus it where the transforms together are decreasing."""
        sign = functools.reduce(operator.mul, (transform.sign for transform in self.transforms), 1)
        return probability if isinstance(sign, int) and sign == 1 else sign * (probability - 0.5) + 0.5

    def cdf(self, value):
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._increasing(self.base_dist.cdf(value))

    def icdf(self, value):
        return self._forward(self.base_dist.icdf(self._increasing(value)))


def _listed(transforms) -> list:
    if isinstance(transforms, Transform):
        return [transforms]
    if not isinstance(transforms, list):
        raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
    if not all(isinstance(t, Transform) for t in transforms):
        raise ValueError("transforms must be a Transform or a list of Transforms")
    return transforms
