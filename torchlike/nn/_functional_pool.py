"""Pooling over windows of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html#pooling-functions. Channels are dimension 1 of a batch;
a pooling's `stride` is its kernel size unless given.
"""

import math

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked
from torchlike.nn._sizes import _pair, _single, _triple


def _stride(stride):
    """The stride as operators take it: () means the kernel size."""
    return () if stride is None else stride


def max_pool1d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: bool = False,
               return_indices: bool = False):
    """The maximum of each window of a sequence.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool1d.html

    Args:
        input: (N, C, L) or (C, L).
        kernel_size: the extent of a window; a number, or a tuple with one for each spatial dimension.
        stride: the distance between windows; None means the kernel size.
        padding: how many positions of minus infinity to add on both sides; at most half the kernel.
        dilation: the distance between the elements of a window.
        ceil_mode: whether to round the output size up, so that windows may reach over the end.
        return_indices: whether to return positions, too.

    Returns:
        (N, C, L_out) with L_out = (L + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1, rounded down (up with
        `ceil_mode`). With `return_indices` a pair of it and the maxima's positions in the flattened spatial dimensions,
        int64.
    """
    pool = _api.max_pool1d_with_indices if return_indices else _api.max_pool1d
    return pool(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)


def max_pool2d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: bool = False,
               return_indices: bool = False):
    """The maximum of each window of an image.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool2d.html

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size, stride, padding, dilation, ceil_mode, return_indices: as for `max_pool1d`.

    Returns:
        (N, C, H_out, W_out), or a pair; extents as for `max_pool1d`.
    """
    pool = _api.max_pool2d_with_indices if return_indices else _api.max_pool2d
    return pool(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)


def max_pool3d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: bool = False,
               return_indices: bool = False):
    """The maximum of each window of a volume.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool3d.html

    Args:
        input: (N, C, D, H, W) or (C, D, H, W).
        kernel_size, stride, padding, dilation, ceil_mode, return_indices: as for `max_pool1d`.

    Returns:
        (N, C, D_out, H_out, W_out), or a pair; extents as for `max_pool1d`.
    """
    pool = _api.max_pool3d_with_indices if return_indices else _api.max_pool3d
    return pool(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)


def max_pool1d_with_indices(input: Tensor, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode: bool = False, return_indices: bool = False):
    """`max_pool1d` with `return_indices`.

    Args:
        As for `max_pool1d`.

    Returns:
        (maxima, positions), as for `max_pool1d`.
    """
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(input: Tensor, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode: bool = False, return_indices: bool = False):
    """`max_pool2d` with `return_indices`.

    Args:
        As for `max_pool2d`.

    Returns:
        (maxima, positions), as for `max_pool2d`.
    """
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(input: Tensor, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode: bool = False, return_indices: bool = False):
    """`max_pool3d` with `return_indices`.

    Args:
        As for `max_pool3d`.

    Returns:
        (maxima, positions), as for `max_pool3d`.
    """
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def avg_pool1d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True) -> Tensor:
    """The mean of each window of a sequence.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool1d.html

    Args:
        input: (N, C, L) or (C, L).
        kernel_size: the extent of a window; a number, or a tuple with one for each spatial dimension.
        stride: the distance between windows; None means the kernel size.
        padding: how many zeros to add on both sides; at most half the kernel.
        ceil_mode: whether to round the output size up, so that windows may reach over the end.
        count_include_pad: whether the divisor counts the zeros of `padding`.

    Returns:
        (N, C, L_out) with L_out = (L + 2 padding - kernel_size) / stride + 1, rounded down (up with `ceil_mode`).
    """
    return _api.avg_pool1d(input, kernel_size, _stride(stride), padding, ceil_mode, count_include_pad)


def avg_pool2d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None, *, out=None) -> Tensor:
    """The mean of each window of an image.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool2d.html

    Args:
        input: (N, C, H, W) or (C, H, W).
        divisor_override: a number to divide the sums by instead of the window's size; not 0.
        out: a tensor that takes the result.
        kernel_size, stride, padding, ceil_mode, count_include_pad: as for `avg_pool1d`.

    Returns:
        (N, C, H_out, W_out); extents as for `avg_pool1d`.
    """
    return _api.avg_pool2d(input, kernel_size, _stride(stride), padding, ceil_mode, count_include_pad,
                           divisor_override, out=out)


def avg_pool3d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None, *, out=None) -> Tensor:
    """The mean of each window of a volume.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool3d.html

    Args:
        input: (N, C, D, H, W) or (C, D, H, W).
        The others as for `avg_pool2d`.

    Returns:
        (N, C, D_out, H_out, W_out); extents as for `avg_pool1d`.
    """
    return _api.avg_pool3d(input, kernel_size, _stride(stride), padding, ceil_mode, count_include_pad,
                           divisor_override, out=out)


def _fill_in(output_size, size):
    """`output_size` with None replaced by the input's extent."""
    if isinstance(output_size, int):
        return output_size
    if len(size) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    extents = size[len(size) - len(output_size):]
    return [e if v is None else v for v, e in zip(output_size, extents, strict=True)]


def adaptive_avg_pool1d(input: Tensor, output_size) -> Tensor:
    """Means over windows that divide the last dimension evenly; neighbours may overlap by one element.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool1d.html

    Args:
        input: (N, C, L) or (C, L).
        output_size: how many windows.

    Returns:
        (N, C, output_size).
    """
    return _api.adaptive_avg_pool1d(input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size) -> Tensor:
    """`adaptive_avg_pool1d` along the last two dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool2d.html

    Args:
        input: (N, C, H, W) or (C, H, W).
        output_size: (H_out, W_out), or one number for both; None keeps that extent.

    Returns:
        (N, C, H_out, W_out).
    """
    return _api.adaptive_avg_pool2d(input, _fill_in(output_size, input.size()))


def adaptive_avg_pool3d(input: Tensor, output_size) -> Tensor:
    """`adaptive_avg_pool1d` along the last three dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool3d.html

    Args:
        input: (N, C, D, H, W) or (C, D, H, W).
        output_size: (D_out, H_out, W_out), or one number for all; None keeps that extent.

    Returns:
        (N, C, D_out, H_out, W_out).
    """
    return _api.adaptive_avg_pool3d(input, _fill_in(output_size, input.size()))


def adaptive_max_pool1d(input: Tensor, output_size, return_indices: bool = False):
    """Maxima over windows that divide the last dimension evenly; neighbours may overlap by one element.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool1d.html

    Args:
        input: (N, C, L) or (C, L).
        output_size: how many windows.
        return_indices: whether to return positions, too.

    Returns:
        (N, C, output_size). With `return_indices` a pair of it and the maxima's positions in the flattened spatial
        dimensions, int64.
    """
    out = _api.adaptive_max_pool1d(input, output_size)
    return out if return_indices else out[0]


def adaptive_max_pool2d(input: Tensor, output_size, return_indices: bool = False):
    """`adaptive_max_pool1d` along the last two dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool2d.html

    Args:
        return_indices: as for `adaptive_max_pool1d`; the others as for `adaptive_avg_pool2d`.

    Returns:
        (N, C, H_out, W_out), or a pair as for `adaptive_max_pool1d`.
    """
    out = _api.adaptive_max_pool2d(input, _fill_in(output_size, input.size()))
    return out if return_indices else out[0]


def adaptive_max_pool3d(input: Tensor, output_size, return_indices: bool = False):
    """`adaptive_max_pool1d` along the last three dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool3d.html

    Args:
        return_indices: as for `adaptive_max_pool1d`; the others as for `adaptive_avg_pool3d`.

    Returns:
        (N, C, D_out, H_out, W_out), or a pair as for `adaptive_max_pool1d`.
    """
    out = _api.adaptive_max_pool3d(input, _fill_in(output_size, input.size()))
    return out if return_indices else out[0]


def adaptive_max_pool1d_with_indices(input: Tensor, output_size, return_indices: bool = False):
    """`adaptive_max_pool1d` with `return_indices`.

    Args:
        As for `adaptive_max_pool1d`.

    Returns:
        (maxima, positions), as for `adaptive_max_pool1d`.
    """
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size, return_indices: bool = False):
    """`adaptive_max_pool2d` with `return_indices`.

    Args:
        As for `adaptive_max_pool2d`.

    Returns:
        (maxima, positions), as for `adaptive_max_pool2d`.
    """
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(input: Tensor, output_size, return_indices: bool = False):
    """`adaptive_max_pool3d` with `return_indices`.

    Args:
        As for `adaptive_max_pool3d`.

    Returns:
        (maxima, positions), as for `adaptive_max_pool3d`.
    """
    return adaptive_max_pool3d(input, output_size, True)


@checked
def lp_pool1d(input: Tensor, norm_type: float, kernel_size: int, stride=None,
              ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window: (sum x^p) ** (1/p).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool1d.html

    Args:
        norm_type: p; infinity is the maximum of |x|, minus infinity the minimum.
        input, kernel_size, stride, ceil_mode: as for `avg_pool1d`.

    Returns:
        As for `avg_pool1d`.
    """
    if abs(norm_type) == float("inf"):
        return _infinite_lp(max_pool1d, input, norm_type, kernel_size, stride, ceil_mode)
    out = avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (_api.sign(out) * _relu_of_abs(out)).mul(kernel_size).pow(1.0 / norm_type)


@checked
def lp_pool2d(input: Tensor, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window: (sum x^p) ** (1/p).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool2d.html

    Args:
        norm_type: as for `lp_pool1d`.
        input, kernel_size, stride, ceil_mode: as for `avg_pool2d`.

    Returns:
        As for `avg_pool2d`.
    """
    if abs(norm_type) == float("inf"):
        return _infinite_lp(max_pool2d, input, norm_type, kernel_size, stride, ceil_mode)
    kh, kw = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
    out = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (_api.sign(out) * _relu_of_abs(out)).mul(kh * kw).pow(1.0 / norm_type)


@checked
def lp_pool3d(input: Tensor, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window: (sum x^p) ** (1/p).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.lp_pool3d.html

    Args:
        norm_type: as for `lp_pool1d`.
        input, kernel_size, stride, ceil_mode: as for `avg_pool3d`.

    Returns:
        As for `avg_pool3d`.
    """
    if abs(norm_type) == float("inf"):
        return _infinite_lp(max_pool3d, input, norm_type, kernel_size, stride, ceil_mode)
    kernel = (kernel_size,) * 3 if isinstance(kernel_size, int) else kernel_size
    out = avg_pool3d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (_api.sign(out) * _relu_of_abs(out)).mul(math.prod(kernel)).pow(1.0 / norm_type)


def _infinite_lp(pool, input, norm_type, kernel_size, stride, ceil_mode):
    sign = 1 if norm_type > 0 else -1
    return sign * pool(sign * input.abs(), kernel_size, stride, 0, 1, ceil_mode)


def _relu_of_abs(x: Tensor) -> Tensor:
    """relu(|x|): |x| with relu's gradient (0) at 0."""
    return _api.relu(_api.abs(x))


def _unpool_size(input, kernel, stride, padding, output_size):
    """The extents to unpool to: `output_size`, or those from which the pooling most likely came."""
    n = len(kernel)
    default = [(size - 1) * s + k - 2 * p
               for size, k, s, p in zip(input.size()[input.dim() - n:], kernel, stride, padding, strict=True)]
    if output_size is None:
        return default
    if len(output_size) == n + 2:
        output_size = output_size[2:]
    if len(output_size) != n:
        raise ValueError(f"output_size should be a sequence containing {n} or {n + 2} elements, but it has a length of "
                         f"'{len(output_size)}'")
    for d in range(n):
        low, high = default[d] - stride[d], default[d] + stride[d]
        if not low < output_size[d] < high:
            raise ValueError(f'invalid output_size "{output_size}" (dim {d} must be between {low} and {high})')
    return output_size


def max_unpool1d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """Puts the maxima of `max_pool1d` back in their places, and zeros elsewhere.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool1d.html

    Args:
        input: (N, C, L) or (C, L), the maxima.
        indices: their positions, as `max_pool1d` returns them.
        kernel_size, stride, padding: those of the pooling; `stride` None means the kernel size.
        output_size: the extents to restore, with or without N and C. None means (L - 1) stride - 2 padding + kernel_size.

    Returns:
        (N, C, L_out) or (C, L_out).

    Raises:
        ValueError: `output_size` has a wrong length, or differs from the default by a stride or more.
    """
    kernel, padding = _single(kernel_size), _single(padding)
    stride = kernel if stride is None else _single(stride)
    size = _unpool_size(input, kernel, stride, padding, output_size)
    return _api.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


def max_unpool2d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """`max_unpool1d` of images.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool2d.html

    Args:
        input: (N, C, H, W) or (C, H, W), the maxima.
        The others as for `max_unpool1d`.

    Returns:
        (N, C, H_out, W_out) or (C, H_out, W_out).

    Raises:
        As for `max_unpool1d`.
    """
    kernel, padding = _pair(kernel_size), _pair(padding)
    stride = kernel if stride is None else _pair(stride)
    return _api.max_unpool2d(input, indices, _unpool_size(input, kernel, stride, padding, output_size))


def max_unpool3d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """`max_unpool1d` of volumes.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool3d.html

    Args:
        input: (N, C, D, H, W) or (C, D, H, W), the maxima.
        The others as for `max_unpool1d`.

    Returns:
        (N, C, D_out, H_out, W_out) or without N.

    Raises:
        As for `max_unpool1d`.
    """
    kernel, padding = _triple(kernel_size), _triple(padding)
    stride = kernel if stride is None else _triple(stride)
    return _api.max_unpool3d(input, indices, _unpool_size(input, kernel, stride, padding, output_size))
