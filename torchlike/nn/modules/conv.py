"""Convolutions. https://pytorch.org/docs/stable/nn.html#convolution-layers"""

import warnings

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn.modules._parameters import draw_weight_and_bias, new_parameter
from torchlike.nn.modules.lazy import LazyLayer
from torchlike.nn.modules.module import Module
from torchlike.nn.modules.utils import _ntuple, _reverse_repeat_tuple

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d",
           "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d"]

_PADDINGS = {"same", "valid"}
_PADDING_MODES = {"zeros", "reflect", "replicate", "circular"}


class _ConvNd(Module):
    """What all convolutions share: the arguments' checks, the parameters and the `repr`."""

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, transposed,
                 output_padding, groups, bias, padding_mode, device=None, dtype=None):
        super().__init__()
        _check_groups(in_channels, out_channels, groups)
        _check_padding(padding, stride, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _pad_widths(padding, dilation, kernel_size)
        self.weight = new_parameter(*self._weight_shape(), device=device, dtype=dtype)
        self.register_parameter("bias", new_parameter(out_channels, device=device, dtype=dtype) if bias else None)
        self.reset_parameters()

    def _weight_shape(self) -> tuple:
        ways = self.out_channels, self.in_channels
        first, second = reversed(ways) if self.transposed else ways
        return first, second // self.groups, *self.kernel_size

    def reset_parameters(self):
        """Draws the parameters anew."""
        draw_weight_and_bias(self.weight, self.bias)

    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
                 f"stride={self.stride}"]
        for name, plain in (("padding", (0,)), ("dilation", (1,)), ("output_padding", (0,))):
            value = getattr(self, name)
            if value != plain * len(value):
                parts.append(f"{name}={value}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


def _check_groups(in_channels, out_channels, groups):
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")


def _check_padding(padding, stride, padding_mode):
    if isinstance(padding, str):
        if padding not in _PADDINGS:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {_PADDINGS}")
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if padding_mode not in _PADDING_MODES:
        raise ValueError(f"padding_mode must be one of {_PADDING_MODES}, but got "
                         f"padding_mode='{padding_mode}'")


def _pad_widths(padding, dilation, kernel_size):
    """The padding as `F.pad` wants it: last dimension first, before and after."""
    if not isinstance(padding, str):
        return _reverse_repeat_tuple(padding, 2)
    widths = []
    for d, k in zip(reversed(dilation), reversed(kernel_size), strict=True):
        total = d * (k - 1) if padding == "same" else 0
        widths += [total // 2, total - total // 2]
    return widths


class _Conv(_ConvNd):
    """A convolution over `ndim` spatial dimensions."""

    ndim = 0
    _function = ""

    def __init__(self, in_channels: int, out_channels: int, kernel_size, stride=1, padding=0, dilation=1,
                 groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device=None, dtype=None):
        spread = _ntuple(self.ndim)
        super().__init__(in_channels, out_channels, spread(kernel_size), spread(stride),
                         padding if isinstance(padding, str) else spread(padding), spread(dilation), False,
                         spread(0), groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input, weight, bias):
        conv = getattr(F, self._function)
        if self.padding_mode == "zeros":
            return conv(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
        padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
        return conv(padded, weight, bias, self.stride, (0,) * self.ndim, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Cross-correlation of a sequence with learned windows.
    https://pytorch.org/docs/stable/generated/torch.nn.Conv1d.html

    Args:
        in_channels, out_channels: C_in and C_out.
        kernel_size: the extent of a window; a number, or a tuple with one for each spatial dimension.
        stride: the distance between windows.
        padding: how many positions to add on both sides, "valid" for none, or "same" for an output as long as the input.
        dilation: the distance between the elements of a window.
        groups: how many groups of channels are convolved apart.
        bias: whether there is a `bias`.
        padding_mode: what is added: "zeros", "reflect", "replicate" or "circular".
        device, dtype: of `weight` (C_out, C_in / groups, *kernel_size) and `bias` (C_out). Both start uniform in +-1 /
            sqrt(C_in / groups * the kernel's size).

    Shape:
        (N, C_in, L) or (C_in, L), to (N, C_out, L_out) or (C_out, L_out); L_out as for `conv1d`.

    Raises:
        ValueError: `groups` is not positive or does not divide the channels, "same" with a stride, or an unknown word.
    """

    ndim = 1
    _function = "conv1d"


class Conv2d(_Conv):
    """`Conv1d` of images.
    https://pytorch.org/docs/stable/generated/torch.nn.Conv2d.html

    Args:
        As for `Conv1d`.

    Shape:
        (N, C_in, H, W) or (C_in, H, W), to (N, C_out, H_out, W_out) or (C_out, H_out, W_out).

    Raises:
        As for `Conv1d`.
    """

    ndim = 2
    _function = "conv2d"


class Conv3d(_Conv):
    """`Conv1d` of volumes.
    https://pytorch.org/docs/stable/generated/torch.nn.Conv3d.html

    Args:
        As for `Conv1d`.

    Shape:
        (N, C_in, D, H, W) or (C_in, D, H, W), to (N, C_out, D_out, H_out, W_out) or without N.

    Raises:
        As for `Conv1d`.
    """

    ndim = 3
    _function = "conv3d"


class _ConvTransposeNd(_ConvNd):
    ndim = 0
    _function = ""

    def __init__(self, in_channels: int, out_channels: int, kernel_size, stride=1, padding=0,
                 output_padding=0, groups: int = 1, bias: bool = True, dilation=1,
                 padding_mode: str = "zeros", device=None, dtype=None):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        spread = _ntuple(self.ndim)
        super().__init__(in_channels, out_channels, spread(kernel_size), spread(stride), spread(padding),
                         spread(dilation), True, spread(output_padding), groups, bias, padding_mode, device,
                         dtype)

    def _output_padding(self, input, output_size):
        """How much to add to one side so that the output gets `output_size`."""
        if output_size is None:
            return self.output_padding
        n = self.ndim
        leading = 2 if input.dim() == n + 2 else 1
        if len(output_size) == leading + n:
            output_size = output_size[leading:]
        if len(output_size) != n:
            raise ValueError(f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or "
                             f"{leading + n} elements (got {len(output_size)})")
        low = [(input.size(d + leading) - 1) * self.stride[d] - 2 * self.padding[d]
               + self.dilation[d] * (self.kernel_size[d] - 1) + 1 for d in range(n)]
        high = [lo + stride - 1 for lo, stride in zip(low, self.stride, strict=True)]
        if any(not lo <= size <= hi for lo, size, hi in zip(low, output_size, high, strict=True)):
            raise ValueError(f"requested an output size of {output_size}, but valid sizes range from {low} "
                             f"to {high} (for an input of {input.size()[2:]})")
        return [size - lo for size, lo in zip(output_size, low, strict=True)]

    def forward(self, input: Tensor, output_size=None) -> Tensor:
        extra = self._output_padding(input, output_size)
        return getattr(F, self._function)(input, self.weight, self.bias, self.stride, self.padding, extra,
                                          self.groups, self.dilation)


class _ConvTransposeMixin(_ConvTransposeNd):
    def __init__(self, *args, **kwargs):
        warnings.warn("`_ConvTransposeMixin` is a deprecated internal class. Please consider using public APIs.",
                      FutureWarning, stacklevel=2)
        super().__init__(*args, **kwargs)


class ConvTranspose1d(_ConvTransposeNd):
    """The transpose of `Conv1d`. The forward pass takes `output_size`, too, which chooses among the lengths that a
    strided convolution maps to the input's.
    https://pytorch.org/docs/stable/generated/torch.nn.ConvTranspose1d.html

    Args:
        in_channels, out_channels: C_in and C_out.
        kernel_size: the extent of a window; a number, or a tuple with one for each spatial dimension.
        stride: the distance between windows of the output.
        padding: how many positions to cut off on both sides of the output.
        output_padding: how many positions to add at its end.
        groups: how many groups of channels are convolved apart.
        bias: whether there is a `bias`.
        dilation: the distance between the elements of a window.
        padding_mode: only "zeros".
        device, dtype: of `weight` (C_in, C_out / groups, *kernel_size) and `bias` (C_out).

    Shape:
        (N, C_in, L) or (C_in, L), to (N, C_out, L_out) or (C_out, L_out); L_out as for `conv_transpose1d`.

    Raises:
        ValueError: another `padding_mode`, `groups` that do not divide the channels, or an `output_size` that is
            impossible.
    """

    ndim = 1
    _function = "conv_transpose1d"


class ConvTranspose2d(_ConvTransposeNd):
    """`ConvTranspose1d` of images.
    https://pytorch.org/docs/stable/generated/torch.nn.ConvTranspose2d.html

    Args:
        As for `ConvTranspose1d`.

    Shape:
        (N, C_in, H, W) or (C_in, H, W), to (N, C_out, H_out, W_out) or (C_out, H_out, W_out).

    Raises:
        As for `ConvTranspose1d`.
    """

    ndim = 2
    _function = "conv_transpose2d"


class ConvTranspose3d(_ConvTransposeNd):
    """`ConvTranspose1d` of volumes.
    https://pytorch.org/docs/stable/generated/torch.nn.ConvTranspose3d.html

    Args:
        As for `ConvTranspose1d`.

    Shape:
        (N, C_in, D, H, W) or (C_in, D, H, W), to (N, C_out, D_out, H_out, W_out) or without N.

    Raises:
        As for `ConvTranspose1d`.
    """

    ndim = 3
    _function = "conv_transpose3d"


class _LazyConvXdMixin(LazyLayer):
    """Takes `in_channels` from the first input."""

    _inferred = "in_channels"
    ndim: int
    groups: int
    out_channels: int

    def _start(self, out_channels, bias, device, dtype):
        self.out_channels = out_channels
        self._await(("weight", "bias") if bias else ("weight",), device, dtype)

    def initialize_parameters(self, input, *args, **kwargs):
        """Gives the parameters their shapes. RuntimeError, ValueError for an input of other dimensions or channels."""
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        self.weight.materialize(self._weight_shape())
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _channels(self, input):
        if input.dim() not in (self.ndim + 1, self.ndim + 2):
            raise RuntimeError(f"Expected {self.ndim + 1}D (unbatched) or {self.ndim + 2}D (batched) input to "
                               f"{type(self).__name__}, but got input of size: {input.shape}")
        return input.shape[1] if input.dim() == self.ndim + 2 else input.shape[0]


class _LazyConv(_LazyConvXdMixin):
    def __init__(self, out_channels: int, kernel_size, stride=1, padding=0, dilation=1, groups: int = 1, bias: bool = True,
                 padding_mode: str = "zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._start(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(self, out_channels: int, kernel_size, stride=1, padding=0, output_padding=0, groups: int = 1,
                 bias: bool = True, dilation=1, padding_mode: str = "zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device,
                         dtype)
        self._start(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """`Conv1d` that takes `in_channels` from its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyConv1d.html

    Args:
        As for `Conv1d`.
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """`Conv2d` that takes `in_channels` from its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyConv2d.html

    Args:
        As for `Conv1d`.
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """`Conv3d` that takes `in_channels` from its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyConv3d.html

    Args:
        As for `Conv1d`.
    """

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """`ConvTranspose1d` that takes `in_channels` from its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyConvTranspose1d.html

    Args:
        As for `ConvTranspose1d`.
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """`ConvTranspose2d` that takes `in_channels` from its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyConvTranspose2d.html

    Args:
        As for `ConvTranspose1d`.
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """`ConvTranspose3d` that takes `in_channels` from its first input.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyConvTranspose3d.html

    Args:
        As for `ConvTranspose1d`.
    """

    cls_to_become = ConvTranspose3d
