"""Invertible maps with the logarithms of their derivatives. https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.transforms

``y = t(x)``, ``x = t.inv(y)``, ``t.log_abs_det_jacobian(x, y)``; shapes by ``forward_shape`` and ``inverse_shape``.
"""

import math

from torchlike import _api
from torchlike._base.size import Size
from torchlike.distributions import constraints
from torchlike.distributions._transform import (
    CatTransform,
    ComposeTransform,
    IndependentTransform,
    StackTransform,
    Transform,
    _InverseTransform,  # noqa: F401 - zuko names it
)
from torchlike.distributions.utils import (
    _Number,
    broadcast_all,
    finfo,
    lazy_property,
    tril_matrix_to_vec,
    vec_to_tril_matrix,
)
from torchlike.nn import functional as F

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform", "LowerCholeskyTransform",
    "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform", "SigmoidTransform", "SoftmaxTransform",
    "SoftplusTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]

identity_transform = ComposeTransform([])
_FEW = "Too few dimensions on input"


# -- of numbers

class _OfNumbers(Transform):
    """An increasing map of the real line, without parameters."""

    domain = constraints.real
    bijective = True
    sign = +1
    _by_type = True


class ExpTransform(_OfNumbers):
    """y = exp(x)."""

    codomain = constraints.positive

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class SigmoidTransform(_OfNumbers):
    """y = 1 / (1 + exp(-x)), kept off 0 and 1."""

    codomain = constraints.unit_interval

    def _call(self, x):
        return _clipped_sigmoid(x)

    def _inverse(self, y):
        y = _inside(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -F.softplus(-x) - F.softplus(x)


class SoftplusTransform(_OfNumbers):
    """y = log(1 + exp(x)), and y = x for x > 20."""

    codomain = constraints.positive

    def _call(self, x):
        return F.softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -F.softplus(-x)


class TanhTransform(_OfNumbers):
    """y = tanh(x)."""

    codomain = constraints.interval(-1.0, 1.0)

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return y.atanh()

    def log_abs_det_jacobian(self, x, y):
        return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))


class AbsTransform(Transform):
    """y = |x|; the inverse gives y."""

    domain = constraints.real
    codomain = constraints.positive
    _by_type = True

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


class PowerTransform(Transform):
    """y = x ** exponent, of positive numbers.

    Args:
        exponent: a number or a tensor.
        cache_size: as for `Transform`.
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True

    def __init__(self, exponent, cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    def _arguments(self):
        return (self.exponent,)

    @lazy_property
    def sign(self):
        return self.exponent.sign()

    def __eq__(self, other):
        return isinstance(other, PowerTransform) and self.exponent.eq(other.exponent).all().item()

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape):
        return _api.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


class AffineTransform(Transform):
    """y = loc + scale x.

    Args:
        loc, scale: numbers or tensors.
        event_dim: how many dimensions one argument has.
        cache_size: as for `Transform`.
    """

    bijective = True

    def __init__(self, loc, scale, event_dim: int = 0, cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    def _arguments(self):
        return self.loc, self.scale, self._event_dim

    event_dim = property(lambda self: self._event_dim)

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """What arguments must be."""
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    codomain = domain

    def __eq__(self, other):
        return isinstance(other, AffineTransform) and _equal(self.loc, other.loc) and _equal(self.scale, other.scale)

    @property
    def sign(self):
        if isinstance(self.scale, _Number):
            return (self.scale > 0) - (self.scale < 0)
        return self.scale.sign()

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        is_number = isinstance(self.scale, _Number)
        result = _api.full_like(x, math.log(abs(self.scale))) if is_number else self.scale.abs().log()
        if not self._event_dim:
            return result.expand(x.shape)
        result = result.view(*result.size()[:-self._event_dim], -1).sum(-1)
        return result.expand(x.shape[:-self._event_dim])

    def forward_shape(self, shape):
        return _api.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


def _equal(a, b) -> bool:
    same = a == b
    return same if isinstance(a, _Number) and isinstance(b, _Number) else same.all().item()


class CumulativeDistributionTransform(Transform):
    """y = distribution.cdf(x); the inverse is its `icdf`.

    Args:
        distribution: the distribution.
        cache_size: as for `Transform`.
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1

    def __init__(self, distribution, cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    def _arguments(self):
        return (self.distribution,)

    domain = property(lambda self: self.distribution.support)

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)


def _inside(y):
    """Numbers clamped to the open interval (0, 1)."""
    limits = finfo(y)
    return y.clamp(min=limits.tiny, max=1.0 - limits.eps)


def _clipped_sigmoid(x):
    return _inside(x.sigmoid())


# -- of vectors and matrices

class ReshapeTransform(Transform):
    """Another shape of the last dimensions.

    Args:
        in_shape, out_shape: those dimensions of arguments and results.
        cache_size: as for `Transform`.

    Raises:
        ValueError: the numbers of elements differ.
    """

    bijective = True

    def __init__(self, in_shape, out_shape, cache_size: int = 0):
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)

    def _arguments(self):
        return self.in_shape, self.out_shape

    domain = constraints.dependent_property(lambda self: constraints.independent(constraints.real, len(self.in_shape)))
    codomain = constraints.dependent_property(lambda self: constraints.independent(constraints.real, len(self.out_shape)))

    def _call(self, x):
        return x.reshape(x.shape[:x.dim() - len(self.in_shape)] + self.out_shape)

    def _inverse(self, y):
        return y.reshape(y.shape[:y.dim() - len(self.out_shape)] + self.in_shape)

    def log_abs_det_jacobian(self, x, y):
        return x.new_zeros(x.shape[:x.dim() - len(self.in_shape)])

    def forward_shape(self, shape):
        return _replaced(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape):
        return _replaced(shape, self.out_shape, self.in_shape)


def _replaced(shape, old, new):
    cut = len(shape) - len(old)
    if cut < 0:
        raise ValueError(_FEW)
    if shape[cut:] != old:
        raise ValueError(f"Shape mismatch: expected {shape[cut:]} but got {old}")
    return shape[:cut] + new


class SoftmaxTransform(Transform):
    """y = exp(x) / sum(exp(x)); the inverse gives log(y)."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    _by_type = True

    def _call(self, x):
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        return _longer(shape, 0)

    inverse_shape = forward_shape


def _longer(shape, by):
    """The shape with another last dimension."""
    if len(shape) < 1:
        raise ValueError(_FEW)
    return (*shape[:-1], shape[-1] + by) if by else shape


class StickBreakingTransform(Transform):
    """Vectors of n numbers to n + 1 parts of a stick: each sigmoid takes its share of what the ones before left."""

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True
    _by_type = True

    @staticmethod
    def _offsets(x, n):
        """log(n), ..., log(1): with them, x = 0 gives equal parts."""
        return (n + 1 - x.new_ones(n).cumsum(-1)).log()

    def _call(self, x):
        share = _clipped_sigmoid(x - self._offsets(x, x.shape[-1]))
        left = (1 - share).cumprod(-1)
        return F.pad(share, [0, 1], value=1) * F.pad(left, [1, 0], value=1)

    def _inverse(self, y):
        parts = y[..., :-1]
        left = (1 - parts.cumsum(-1)).clamp(min=finfo(y).tiny)  # rounding may make it negative
        return parts.log() - left.log() + self._offsets(y, parts.shape[-1])

    def log_abs_det_jacobian(self, x, y):
        x = x - self._offsets(x, x.shape[-1])
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        return Size(_longer(shape, 1))

    def inverse_shape(self, shape):
        return Size(_longer(shape, -1))


class CorrCholeskyTransform(Transform):
    """Vectors of D (D - 1) / 2 numbers to Cholesky factors of D x D correlation matrices.

    Each row of the lower triangle is a stick-breaking of its squares, with the signs of tanh(x).
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        eps = finfo(x).eps
        r = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + _api.eye(r.shape[-1], dtype=r.dtype, device=r.device)
        return r * F.pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        left = F.pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        t = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        return 0.5 * left.log().sum(-1) - 2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(-1)

    def forward_shape(self, shape):
        if len(shape) < 1:
            raise ValueError(_FEW)
        count = shape[-1]
        side = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if side * (side - 1) // 2 != count:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size((*shape[:-1], side, side))

    def inverse_shape(self, shape):
        if len(shape) < 2:
            raise ValueError(_FEW)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


class LowerCholeskyTransform(Transform):
    """Matrices to lower triangular ones with a positive diagonal, exp(diagonal)."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky
    _by_type = True

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Transform):
    """Matrices to positive definite ones: L L^T of `LowerCholeskyTransform`."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite
    _by_type = True

    def _call(self, x):
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(_api.linalg_cholesky(y))
