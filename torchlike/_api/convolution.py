"""Convolutions, and transposed ones. https://pytorch.org/docs/stable/nn.functional.html#convolution-functions"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import index_tuple
from torchlike._api.generated import ops
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor
from torchlike._record.warning import warn_once


def _batchify(input, n, name):
    """The input with a batch dimension, and whether it had one."""
    if input.dim() not in (n + 1, n + 2):
        raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of size: "
                           f"{list(input.shape)}")
    return (input, True) if input.dim() == n + 2 else (input.unsqueeze(0), False)


def _same_padding(input, weight, stride, dilation, n):
    """Input and padding for padding="same"; an odd total is padded by hand on the right."""
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    if weight.dim() != n + 2:
        raise RuntimeError(f"Expected {weight.dim()}-dimensional input for {weight.dim()}-dimensional weight"
                           f"{list(weight.shape)}, but got {input.dim()}-dimensional input of size {list(input.shape)} "
                           "instead")
    dilation = dilation * n if len(dilation) == 1 else dilation
    totals = [d * (k - 1) for d, k in zip(dilation, weight.shape[2:], strict=True)]
    if any(t % 2 for t in totals):
        warn_once("Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
                  "input be created")
        extra = [v for t in reversed(totals) for v in (0, t % 2)]
        input = ops.constant_pad_nd(input, tuple(extra), 0)
    return input, tuple(t // 2 for t in totals)


def _convolution(input, weight, bias, *params):
    """The row; complex numbers by three real convolutions, as PyTorch does it."""
    if not input.is_complex():
        return ops.convolution(input, weight, bias, *params)
    bias_re, bias_im = (None, None) if bias is None else (bias.real, bias.imag)
    both = None if bias is None else bias_re + bias_im
    a = ops.convolution(input.real, weight.real, bias_re, *params)
    b = ops.convolution(input.imag, weight.imag, None, *params)
    c = ops.convolution(input.real + input.imag, weight.real + weight.imag, both, *params)
    return a - b + 1j * (c - a - b)


@composite("conv1d")
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1,
           padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """The convolution of a batch with a set of kernels, over 1 dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv1d.html"""
    return _conv(1, input, weight, bias, stride, padding, dilation, groups)


@composite("conv2d")
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1,
           padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """The convolution of a batch with a set of kernels, over 2 dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv2d.html"""
    return _conv(2, input, weight, bias, stride, padding, dilation, groups)


@composite("conv3d")
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1,
           padding: int | Sequence[int] | str = 0, dilation: int | Sequence[int] = 1, groups: int = 1) -> Tensor:
    """The convolution of a batch with a set of kernels, over 3 dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv3d.html"""
    return _conv(3, input, weight, bias, stride, padding, dilation, groups)


def _conv(n, input, weight, bias, stride, padding, dilation, groups):
    input, batched = _batchify(input, n, f"conv{n}d")
    if n == 1 and weight.dim() < 3:
        raise RuntimeError("weight should have at least three dimensions")
    stride, dilation = index_tuple(stride), index_tuple(dilation)
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise RuntimeError(f"Invalid padding string: '{padding}'")
        if padding == "same":
            input, padding = _same_padding(input, weight, stride, dilation, n)
        else:
            padding = (0,) * n
    out = _convolution(input, weight, bias, stride, index_tuple(padding), dilation, False, (0,) * n, groups)
    return out if batched else out.squeeze(0)


@composite("conv_transpose1d")
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1,
                     padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1,
                     dilation: int | Sequence[int] = 1) -> Tensor:
    """The transposed convolution of a batch with a set of kernels, over 1 dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose1d.html"""
    return _conv_transpose(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


@composite("conv_transpose2d")
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1,
                     padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1,
                     dilation: int | Sequence[int] = 1) -> Tensor:
    """The transposed convolution of a batch with a set of kernels, over 2 dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose2d.html"""
    return _conv_transpose(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


@composite("conv_transpose3d")
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: int | Sequence[int] = 1,
                     padding: int | Sequence[int] = 0, output_padding: int | Sequence[int] = 0, groups: int = 1,
                     dilation: int | Sequence[int] = 1) -> Tensor:
    """The transposed convolution of a batch with a set of kernels, over 3 dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_transpose3d.html"""
    return _conv_transpose(3, input, weight, bias, stride, padding, output_padding, groups, dilation)


def _conv_transpose(n, input, weight, bias, stride, padding, output_padding, groups, dilation):
    input, batched = _batchify(input, n, f"conv_transpose{n}d")
    out = _convolution(input, weight, bias, index_tuple(stride), index_tuple(padding), index_tuple(dilation), True,
                       index_tuple(output_padding), groups)
    return out if batched else out.squeeze(0)


FUNCTIONS: dict = {"conv1d": conv1d, "conv2d": conv2d, "conv3d": conv3d, "conv_transpose1d": conv_transpose1d,
                   "conv_transpose2d": conv_transpose2d, "conv_transpose3d": conv_transpose3d}
