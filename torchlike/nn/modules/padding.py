"""Padding layers. https://pytorch.org/docs/stable/nn.html#padding-layers

`padding` is one width for every side, or (before, after) of the last dimension, then of the one before it.
"""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module
from torchlike.nn.modules.utils import _ntuple

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]


class _Pad(Module):
    """`ndim` spatial dimensions padded in `mode`."""

    ndim = 0
    mode = "constant"

    def __init__(self, padding):
        super().__init__()
        self.padding = _ntuple(2 * self.ndim)(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _CircularPadNd(_Pad):
    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        low = self.ndim + 1
        if input.dim() not in (low, low + 1):
            raise ValueError(f"expected {low}D or {low + 1}D input (got {input.dim()}D input)")
        return super().forward(input)


class _ConstantPadNd(_Pad):
    def __init__(self, padding, value: float):
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ReflectionPadNd(_Pad):
    mode = "reflect"


class _ReplicationPadNd(_Pad):
    mode = "replicate"


class CircularPad1d(_CircularPadNd):
    """Wraps the last dimension around.
    https://pytorch.org/docs/stable/generated/torch.nn.CircularPad1d.html

    Args:
        padding: one width for all sides, or (before, after) of the last dimension, then of the one before it; negative
            widths cut off.

    Shape:
        (N, C, L) or (C, L), each padded extent longer by its two widths; ValueError for other numbers of dimensions.
    """

    ndim = 1


class CircularPad2d(_CircularPadNd):
    """Wraps the last two dimensions around.
    https://pytorch.org/docs/stable/generated/torch.nn.CircularPad2d.html

    Args:
        As for `CircularPad1d`.

    Shape:
        (N, C, H, W) or (C, H, W), as for `CircularPad1d`.
    """

    ndim = 2


class CircularPad3d(_CircularPadNd):
    """Wraps the last three dimensions around.
    https://pytorch.org/docs/stable/generated/torch.nn.CircularPad3d.html

    Args:
        As for `CircularPad1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), as for `CircularPad1d`.
    """

    ndim = 3


class ConstantPad1d(_ConstantPadNd):
    """Adds a number to both ends of the last dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.ConstantPad1d.html

    Args:
        value: the number.
        padding: as for `CircularPad1d`.

    Shape:
        (N, C, L) or (C, L), each padded extent longer by its two widths.
    """

    ndim = 1


class ConstantPad2d(_ConstantPadNd):
    """Adds a number to both ends of the last two dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.ConstantPad2d.html

    Args:
        As for `ConstantPad1d`.

    Shape:
        (N, C, H, W) or (C, H, W), as for `ConstantPad1d`.
    """

    ndim = 2


class ConstantPad3d(_ConstantPadNd):
    """Adds a number to both ends of the last three dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.ConstantPad3d.html

    Args:
        As for `ConstantPad1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), as for `ConstantPad1d`.
    """

    ndim = 3


class ReflectionPad1d(_ReflectionPadNd):
    """Mirrors the last dimension at its ends, without repeating them.
    https://pytorch.org/docs/stable/generated/torch.nn.ReflectionPad1d.html

    Args:
        As for `CircularPad1d`; widths less than the extent.

    Shape:
        (N, C, L) or (C, L), each padded extent longer by its two widths.
    """

    ndim = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Mirrors the last two dimensions at their ends, without repeating them.
    https://pytorch.org/docs/stable/generated/torch.nn.ReflectionPad2d.html

    Args:
        As for `ReflectionPad1d`.

    Shape:
        (N, C, H, W) or (C, H, W), as for `ReflectionPad1d`.
    """

    ndim = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Mirrors the last three dimensions at their ends, without repeating them.
    https://pytorch.org/docs/stable/generated/torch.nn.ReflectionPad3d.html

    Args:
        As for `ReflectionPad1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), as for `ReflectionPad1d`.
    """

    ndim = 3


class ReplicationPad1d(_ReplicationPadNd):
    """Repeats the ends of the last dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.ReplicationPad1d.html

    Args:
        As for `CircularPad1d`.

    Shape:
        (N, C, L) or (C, L), each padded extent longer by its two widths.
    """

    ndim = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Repeats the ends of the last two dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.ReplicationPad2d.html

    Args:
        As for `CircularPad1d`.

    Shape:
        (N, C, H, W) or (C, H, W), as for `ReplicationPad1d`.
    """

    ndim = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Repeats the ends of the last three dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.ReplicationPad3d.html

    Args:
        As for `CircularPad1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), as for `ReplicationPad1d`.
    """

    ndim = 3


class _ZeroPad(_ConstantPadNd):
    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Adds zeros to both ends of the last dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.ZeroPad1d.html

    Args:
        As for `CircularPad1d`.

    Shape:
        As for `ConstantPad1d`.
    """


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Adds zeros to both ends of the last two dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.ZeroPad2d.html

    Args:
        As for `CircularPad1d`.

    Shape:
        As for `ConstantPad2d`.
    """


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Adds zeros to both ends of the last three dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.ZeroPad3d.html

    Args:
        As for `CircularPad1d`.

    Shape:
        As for `ConstantPad3d`.
    """
