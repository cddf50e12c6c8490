"""Normalisation within a sample. https://pytorch.org/docs/stable/nn.html#normalization-layers"""

import numbers

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules._parameters import new_parameter
from torchlike.nn.modules.module import Module

__all__ = ["GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class _Affine(Module):
    """A layer with an optional scale and an optional shift."""

    def _make_affine(self, shape, weight, bias, device, dtype):
        for name, wanted in (("weight", weight), ("bias", weight and bias)):
            made = new_parameter(*shape, device=device, dtype=dtype) if wanted else None
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self):
        """Sets the scale to 1 and the shift to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)


def _as_shape(normalized_shape):
    if isinstance(normalized_shape, numbers.Integral):
        return (normalized_shape,)
    return tuple(normalized_shape)


class LayerNorm(_Affine):
    """Normalises over the last dimensions: (x - mean) / sqrt(var + eps) weight + bias, with the biased variance.
    https://pytorch.org/docs/stable/generated/torch.nn.LayerNorm.html

    Args:
        normalized_shape: the extents of those dimensions; a sequence, or one number.
        eps: added to the variance.
        elementwise_affine: whether there are `weight` and `bias` of shape `normalized_shape`, 1 and 0 at first.
        bias: whether that includes `bias`.
        device, dtype: of the parameters.

    Shape:
        (*, *normalized_shape) to the same.
    """

    def __init__(self, normalized_shape, eps: float = 1e-5, elementwise_affine: bool = True,
                 bias: bool = True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make_affine(self.normalized_shape, elementwise_affine, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
                f"bias={self.bias is not None}")


class RMSNorm(Module):
    """Divides by the root mean square over the last dimensions: x / sqrt(mean(x^2) + eps) weight.
    https://pytorch.org/docs/stable/generated/torch.nn.RMSNorm.html

    Args:
        eps: added to the mean; None means the machine epsilon of the dtype.
        normalized_shape, elementwise_affine, device, dtype: as for `LayerNorm`; there is no `bias`.

    Shape:
        (*, *normalized_shape) to the same.
    """

    def __init__(self, normalized_shape, eps: float | None = None, elementwise_affine: bool = True,
                 device=None, dtype=None):
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = new_parameter(*self.normalized_shape, device=device, dtype=dtype)
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Sets the scale to 1."""
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class GroupNorm(_Affine):
    """Normalises each group of channels of each sample.
    https://pytorch.org/docs/stable/generated/torch.nn.GroupNorm.html

    Args:
        num_groups: how many groups; divides `num_channels`.
        num_channels: C.
        eps: added to the variance.
        affine: whether there are `weight` and `bias` (C), 1 and 0 at first.
        device, dtype: of the parameters.
        bias: whether `affine` includes `bias`.

    Shape:
        (N, C, *) to the same.

    Raises:
        ValueError: `num_groups` does not divide `num_channels`.
    """

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
                 device=None, dtype=None, *, bias: bool = True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        self._make_affine((num_channels,), affine, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
                f"bias={self.bias is not None}")


class LocalResponseNorm(Module):
    """x / (k + alpha mean(x^2 over neighbouring channels)) ** beta.
    https://pytorch.org/docs/stable/generated/torch.nn.LocalResponseNorm.html

    Args:
        As for `local_response_norm`.

    Shape:
        (N, C, *) to the same, with at least three dimensions.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
