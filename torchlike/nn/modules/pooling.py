"""Pooling layers. https://pytorch.org/docs/stable/nn.html#pooling-layers

1d layers take (N, C, L) or (C, L), 2d layers (N, C, H, W) or (C, H, W). `stride` is the kernel size
unless given.
"""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules.module import Module
from torchlike.nn.modules.utils import _ntuple, _single, _triple

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d",
    "LPPool2d", "LPPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
]


class _MaxPoolNd(Module):
    _function = ""  # of `torch.nn.functional`

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices: bool = False,
                 ceil_mode: bool = False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, ceil_mode={self.ceil_mode}")

    def forward(self, input: Tensor):
        return getattr(F, self._function)(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode,
                                          self.return_indices)


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window of a sequence.
    https://pytorch.org/docs/stable/generated/torch.nn.MaxPool1d.html

    Args:
        As for `max_pool1d`.

    Shape:
        (N, C, L) or (C, L), to (N, C, L_out) or (C, L_out), or a pair, as for `max_pool1d`.
    """

    _function = "max_pool1d"


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window of an image.
    https://pytorch.org/docs/stable/generated/torch.nn.MaxPool2d.html

    Args:
        As for `max_pool1d`.

    Shape:
        (N, C, H, W) or (C, H, W), to (N, C, H_out, W_out) or without N, or a pair.
    """

    _function = "max_pool2d"


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window of a volume.
    https://pytorch.org/docs/stable/generated/torch.nn.MaxPool3d.html

    Args:
        As for `max_pool1d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), to (N, C, D_out, H_out, W_out) or without N, or a pair.
    """

    _function = "max_pool3d"


class _MaxUnpoolNd(Module):
    _function = ""  # of `torch.nn.functional`
    ndim = 0

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        full = _ntuple(self.ndim)
        self.kernel_size = full(kernel_size)
        self.stride = full(kernel_size if stride is None else stride)
        self.padding = full(padding)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"

    def forward(self, input: Tensor, indices: Tensor, output_size=None) -> Tensor:
        return getattr(F, self._function)(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpoolNd):
    """Puts the maxima of `MaxPool1d` back in their places, and zeros elsewhere. The forward pass takes the maxima, their
    positions and `output_size`, which chooses among the extents that pool to the input's.
    https://pytorch.org/docs/stable/generated/torch.nn.MaxUnpool1d.html

    Args:
        kernel_size, stride, padding: those of the pooling; `stride` None means the kernel size.

    Shape:
        Two of (N, C, L) or (C, L) to (N, C, L_out) or (C, L_out).
    """

    _function = "max_unpool1d"
    ndim = 1


class MaxUnpool2d(_MaxUnpoolNd):
    """`MaxUnpool1d` of images.
    https://pytorch.org/docs/stable/generated/torch.nn.MaxUnpool2d.html

    Args:
        As for `MaxUnpool1d`.

    Shape:
        Two of (N, C, H, W) or (C, H, W) to (N, C, H_out, W_out) or without N.
    """

    _function = "max_unpool2d"
    ndim = 2


class MaxUnpool3d(_MaxUnpoolNd):
    """`MaxUnpool1d` of volumes.
    https://pytorch.org/docs/stable/generated/torch.nn.MaxUnpool3d.html

    Args:
        As for `MaxUnpool1d`.

    Shape:
        Two of (N, C, D, H, W) or (C, D, H, W) to (N, C, D_out, H_out, W_out) or without N.
    """

    _function = "max_unpool3d"
    ndim = 3


class _AvgPoolNd(Module):
    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of a sequence.
    https://pytorch.org/docs/stable/generated/torch.nn.AvgPool1d.html

    Args:
        As for `avg_pool1d`.

    Shape:
        (N, C, L) or (C, L), to (N, C, L_out) or (C, L_out), as for `avg_pool1d`.
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
                 count_include_pad: bool = True):
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(kernel_size if stride is None else stride)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad)


class _AvgPoolWithDivisor(_AvgPoolNd):
    """`AvgPool2d` and `AvgPool3d`, whose sums may be divided by another number."""

    _function = ""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
                 count_include_pad: bool = True, divisor_override: int | None = None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return getattr(F, self._function)(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                                          self.count_include_pad, self.divisor_override)


class AvgPool2d(_AvgPoolWithDivisor):
    """The mean of each window of an image.
    https://pytorch.org/docs/stable/generated/torch.nn.AvgPool2d.html

    Args:
        As for `avg_pool2d`.

    Shape:
        (N, C, H, W) or (C, H, W), to (N, C, H_out, W_out) or without N.
    """

    _function = "avg_pool2d"


class AvgPool3d(_AvgPoolWithDivisor):
    """The mean of each window of a volume.
    https://pytorch.org/docs/stable/generated/torch.nn.AvgPool3d.html

    Args:
        As for `avg_pool3d`.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), to (N, C, D_out, H_out, W_out) or without N.
    """

    _function = "avg_pool3d"


class _LPPoolNd(Module):
    _function = ""  # of `torch.nn.functional`

    def __init__(self, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False):
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
                f"ceil_mode={self.ceil_mode}")

    def forward(self, input: Tensor) -> Tensor:
        return getattr(F, self._function)(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPoolNd):
    """The p-norm of each window: (sum x^p) ** (1/p).
    https://pytorch.org/docs/stable/generated/torch.nn.LPPool1d.html

    Args:
        As for `lp_pool1d`.

    Shape:
        As for `AvgPool1d`.
    """

    _function = "lp_pool1d"


class LPPool2d(_LPPoolNd):
    """The p-norm of each window: (sum x^p) ** (1/p).
    https://pytorch.org/docs/stable/generated/torch.nn.LPPool2d.html

    Args:
        As for `lp_pool1d`.

    Shape:
        As for `AvgPool2d`.
    """

    _function = "lp_pool2d"


class LPPool3d(_LPPoolNd):
    """The p-norm of each window: (sum x^p) ** (1/p).
    https://pytorch.org/docs/stable/generated/torch.nn.LPPool3d.html

    Args:
        As for `lp_pool1d`.

    Shape:
        As for `AvgPool3d`.
    """

    _function = "lp_pool3d"


class _AdaptivePoolNd(Module):
    _function = ""  # of `torch.nn.functional`

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"

    def forward(self, input: Tensor) -> Tensor:
        return getattr(F, self._function)(input, self.output_size)


class _AdaptiveAvgPoolNd(_AdaptivePoolNd):
    pass


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Means over windows that divide the last dimension evenly.
    https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool1d.html

    Args:
        output_size: how many windows.

    Shape:
        (N, C, L) or (C, L), to (N, C, output_size) or (C, output_size).
    """

    _function = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Means over windows that divide the last two dimensions evenly.
    https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool2d.html

    Args:
        output_size: (H_out, W_out), or one number for both; None keeps that extent.

    Shape:
        (N, C, H, W) or (C, H, W), to (N, C, H_out, W_out) or without N.
    """

    _function = "adaptive_avg_pool2d"


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Means over windows that divide the last three dimensions evenly.
    https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveAvgPool3d.html

    Args:
        output_size: (D_out, H_out, W_out), or one number for all; None keeps that extent.

    Shape:
        (N, C, D, H, W) or (C, D, H, W), to (N, C, D_out, H_out, W_out) or without N.
    """

    _function = "adaptive_avg_pool3d"


class _AdaptiveMaxPoolNd(_AdaptivePoolNd):
    def __init__(self, output_size, return_indices: bool = False):
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor):
        return getattr(F, self._function)(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Maxima over windows that divide the last dimension evenly.
    https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool1d.html

    Args:
        output_size: how many windows.
        return_indices: whether to return the maxima's positions, too.

    Shape:
        As for `AdaptiveAvgPool1d`, or a pair.
    """

    _function = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Maxima over windows that divide the last two dimensions evenly.
    https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool2d.html

    Args:
        output_size: as for `AdaptiveAvgPool2d`.
        return_indices: whether to return the maxima's positions, too.

    Shape:
        As for `AdaptiveAvgPool2d`, or a pair.
    """

    _function = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Maxima over windows that divide the last three dimensions evenly.
    https://pytorch.org/docs/stable/generated/torch.nn.AdaptiveMaxPool3d.html

    Args:
        output_size: as for `AdaptiveAvgPool3d`.
        return_indices: whether to return the maxima's positions, too.

    Shape:
        As for `AdaptiveAvgPool3d`, or a pair.
    """

    _function = "adaptive_max_pool3d"


class _FractionalMaxPoolNd(Module):
    _function = ""  # of `torch.nn.functional`
    ndim = 0

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False,
                 _random_samples: Tensor | None = None):
        super().__init__()
        full = _ntuple(self.ndim)
        self.kernel_size = full(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else full(output_size)
        self.output_ratio = None if output_ratio is None else full(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{type(self).__name__} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor):
        return getattr(F, self._function)(input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
                                          _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The maxima of randomly placed windows, so that extents shrink by any ratio.
    https://pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool2d.html

    Args:
        As for `fractional_max_pool2d`.

    Shape:
        (N, C, H, W) or (C, H, W), to (N, C, H_out, W_out) or without N, or a pair.

    Raises:
        ValueError: both or none of `output_size` and `output_ratio`, or a ratio outside (0, 1).
    """

    _function = "fractional_max_pool2d"
    ndim = 2


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """`FractionalMaxPool2d` of volumes.
    https://pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool3d.html

    Args:
        As for `fractional_max_pool3d`.

    Shape:
        (N, C, T, H, W) or (C, T, H, W), to (N, C, T_out, H_out, W_out) or without N, or a pair.

    Raises:
        ValueError: a `kernel_size` that is not positive, or as for `FractionalMaxPool2d`.
    """

    _function = "fractional_max_pool3d"
    ndim = 3

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False,
                 _random_samples: Tensor | None = None):
        if any(k <= 0 for k in _triple(kernel_size)):
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        super().__init__(kernel_size, output_size, output_ratio, return_indices, _random_samples)
