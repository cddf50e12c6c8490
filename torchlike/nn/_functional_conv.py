"""Convolutions of `torch.nn.functional`, and the sliding blocks that they are made of.

https://pytorch.org/docs/stable/nn.functional.html#convolution-functions. Channels are dimension 1 of a batch.
"""

from torchlike import _api
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor
from torchlike.nn._sizes import _pair


def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1,
           groups: int = 1) -> Tensor:
    """Cross-correlation of a sequence.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv1d.html

    Args:
        input: (N, C, L) or (C, L).
        weight: (O, C / groups, K), of the dtype of `input`.
        bias: (O).
        stride: the distance between windows; a number, or a tuple with one for each spatial dimension.
        padding: how many zeros to add on both sides, "valid" for none, or "same" for an output as long as the input,
            which needs stride 1.
        dilation: the distance between the elements of a window.
        groups: how many groups of channels are convolved apart; divides C and O.

    Returns:
        (N, O, L_out) or (O, L_out) with L_out = floor((L + 2 padding - dilation (K - 1) - 1) / stride) + 1.
    """
    return _api.conv1d(input, weight, bias, stride, padding, dilation, groups)


def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1,
           groups: int = 1) -> Tensor:
    """Cross-correlation of an image.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html

    Args:
        input: (N, C, H, W) or (C, H, W).
        weight: (O, C / groups, KH, KW), of the dtype of `input`.
        The others as for `conv1d`.

    Returns:
        (N, O, H_out, W_out) or (O, H_out, W_out); extents as for `conv1d`.
    """
    return _api.conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1,
           groups: int = 1) -> Tensor:
    """Cross-correlation of a volume.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv3d.html

    Args:
        input: (N, C, D, H, W) or (C, D, H, W).
        weight: (O, C / groups, KD, KH, KW), of the dtype of `input`.
        The others as for `conv1d`.

    Returns:
        (N, O, D_out, H_out, W_out) or without N; extents as for `conv1d`.
    """
    return _api.conv3d(input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1) -> Tensor:
    """The transpose of `conv1d`: the gradient of a convolution with respect to its input.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose1d.html

    Args:
        input: (N, C, L) or (C, L).
        weight: (C, O / groups, K), of the dtype of `input`.
        bias: (O).
        stride: the distance between windows of the output; a number, or a tuple with one for each spatial dimension.
        padding: how many positions to cut off on both sides of the output.
        output_padding: how many positions to add at its end; less than the stride or the dilation.
        groups: how many groups of channels are convolved apart; divides C and O.
        dilation: the distance between the elements of a window.

    Returns:
        (N, O, L_out) or (O, L_out) with L_out = (L - 1) stride - 2 padding + dilation (K - 1) + output_padding + 1.
    """
    return _api.conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1) -> Tensor:
    """The transpose of `conv2d`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose2d.html

    Args:
        input: (N, C, H, W) or (C, H, W).
        weight: (C, O / groups, KH, KW), of the dtype of `input`.
        The others as for `conv_transpose1d`.

    Returns:
        (N, O, H_out, W_out) or (O, H_out, W_out); extents as for `conv_transpose1d`.
    """
    return _api.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1) -> Tensor:
    """The transpose of `conv3d`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose3d.html

    Args:
        input: (N, C, D, H, W) or (C, D, H, W).
        weight: (C, O / groups, KD, KH, KW), of the dtype of `input`.
        The others as for `conv_transpose1d`.

    Returns:
        (N, O, D_out, H_out, W_out) or without N; extents as for `conv_transpose1d`.
    """
    return _api.conv_transpose3d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def unfold(input: Tensor, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """The sliding blocks of an image as columns.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.unfold.html

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: (KH, KW), or one number for both.
        dilation, padding, stride: as for `conv2d`, but no words.

    Returns:
        (N, C KH KW, L), with one column for each of the L blocks.
    """
    return _api.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(input: Tensor, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """The sum of sliding blocks in their places: the transpose of `unfold`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.fold.html

    Args:
        input: (N, C KH KW, L) or (C KH KW, L).
        output_size: (H, W), or one number for both.
        kernel_size, dilation, padding, stride: as for `unfold`.

    Returns:
        (N, C, H, W) or (C, H, W); overlapping blocks add up.
    """
    return _api.col2im(input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


@composite("conv_tbc")
def conv_tbc(input, weight, bias, pad=0):
    """A convolution over time, with the batch in the middle.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_tbc.html

    Args:
        input: (T, N, C_in).
        weight: (K, C_in, C_out).
        bias: (C_out).
        pad: how many zeros to add at both ends of time.

    Returns:
        (T + 2 pad - K + 1, N, C_out).

    Raises:
        RuntimeError: dimensions or channels do not fit.
    """
    if input.dim() != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.dim() != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.dim() != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.size(2) != weight.size(1):
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.size(2) != bias.size(0):
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    return conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)
