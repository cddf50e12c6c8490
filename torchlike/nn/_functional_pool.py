"""Pooling over windows of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html#pooling-functions. Channels are dimension 1 of a batch;
a pooling's `stride` is its kernel size unless given.
"""

import math

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.nn._sizes import _pair, _single, _triple


def _stride(stride):
    """How operators say "as the kernel"."""
    return () if stride is None else stride


def max_pool1d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: bool = False,
               return_indices: bool = False):
    """The maximum of each window of (N, C, L) or (C, L), with its positions if `return_indices`."""
    pool = _api.max_pool1d_with_indices if return_indices else _api.max_pool1d
    return pool(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)


def max_pool2d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: bool = False,
               return_indices: bool = False):
    """The maximum of each window of (N, C, H, W) or (C, H, W), with positions if `return_indices`."""
    pool = _api.max_pool2d_with_indices if return_indices else _api.max_pool2d
    return pool(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)


def max_pool3d(input: Tensor, kernel_size, stride=None, padding=0, dilation=1, ceil_mode: bool = False,
               return_indices: bool = False):
    """The maximum of each window of (N, C, D, H, W) or (C, D, H, W), with positions if `return_indices`."""
    pool = _api.max_pool3d_with_indices if return_indices else _api.max_pool3d
    return pool(input, kernel_size, _stride(stride), padding, dilation, ceil_mode)


def max_pool1d_with_indices(input: Tensor, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode: bool = False, return_indices: bool = False):
    """`max_pool1d` with its positions."""
    return max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool2d_with_indices(input: Tensor, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode: bool = False, return_indices: bool = False):
    """`max_pool2d` with its positions."""
    return max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def max_pool3d_with_indices(input: Tensor, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode: bool = False, return_indices: bool = False):
    """`max_pool3d` with its positions."""
    return max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)


def avg_pool1d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True) -> Tensor:
    """The mean of each window of (N, C, L) or (C, L)."""
    return _api.avg_pool1d(input, kernel_size, _stride(stride), padding, ceil_mode, count_include_pad)


def avg_pool2d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None, *, out=None) -> Tensor:
    """The mean of each window of (N, C, H, W) or (C, H, W)."""
    return _api.avg_pool2d(input, kernel_size, _stride(stride), padding, ceil_mode, count_include_pad,
                           divisor_override, out=out)


def avg_pool3d(input: Tensor, kernel_size, stride=None, padding=0, ceil_mode: bool = False,
               count_include_pad: bool = True, divisor_override: int | None = None, *, out=None) -> Tensor:
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W)."""
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
    """Means over windows chosen so that the last dimension becomes `output_size`."""
    return _api.adaptive_avg_pool1d(input, output_size)


def adaptive_avg_pool2d(input: Tensor, output_size) -> Tensor:
    """Means over windows chosen so that the last two dimensions become `output_size`."""
    return _api.adaptive_avg_pool2d(input, _fill_in(output_size, input.size()))


def adaptive_avg_pool3d(input: Tensor, output_size) -> Tensor:
    """Means over windows chosen so that the last three dimensions become `output_size`."""
    return _api.adaptive_avg_pool3d(input, _fill_in(output_size, input.size()))


def adaptive_max_pool1d(input: Tensor, output_size, return_indices: bool = False):
    """Maxima over windows chosen so that the last dimension becomes `output_size`."""
    out = _api.adaptive_max_pool1d(input, output_size)
    return out if return_indices else out[0]


def adaptive_max_pool2d(input: Tensor, output_size, return_indices: bool = False):
    """Maxima over windows chosen so that the last two dimensions become `output_size`."""
    out = _api.adaptive_max_pool2d(input, _fill_in(output_size, input.size()))
    return out if return_indices else out[0]


def adaptive_max_pool3d(input: Tensor, output_size, return_indices: bool = False):
    """Maxima over windows chosen so that the last three dimensions become `output_size`."""
    out = _api.adaptive_max_pool3d(input, _fill_in(output_size, input.size()))
    return out if return_indices else out[0]


def adaptive_max_pool1d_with_indices(input: Tensor, output_size, return_indices: bool = False):
    """`adaptive_max_pool1d` with its positions."""
    return adaptive_max_pool1d(input, output_size, True)


def adaptive_max_pool2d_with_indices(input: Tensor, output_size, return_indices: bool = False):
    """`adaptive_max_pool2d` with its positions."""
    return adaptive_max_pool2d(input, output_size, True)


def adaptive_max_pool3d_with_indices(input: Tensor, output_size, return_indices: bool = False):
    """`adaptive_max_pool3d` with its positions."""
    return adaptive_max_pool3d(input, output_size, True)


def lp_pool1d(input: Tensor, norm_type: float, kernel_size: int, stride=None,
              ceil_mode: bool = False) -> Tensor:
    """The power-average of each window: (sum x^p) ** (1/p)."""
    if abs(norm_type) == float("inf"):
        return _infinite_lp(max_pool1d, input, norm_type, kernel_size, stride, ceil_mode)
    out = avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (_api.sign(out) * _relu_of_abs(out)).mul(kernel_size).pow(1.0 / norm_type)


def lp_pool2d(input: Tensor, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False) -> Tensor:
    """The power-average of each window: (sum x^p) ** (1/p)."""
    if abs(norm_type) == float("inf"):
        return _infinite_lp(max_pool2d, input, norm_type, kernel_size, stride, ceil_mode)
    kh, kw = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
    out = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return (_api.sign(out) * _relu_of_abs(out)).mul(kh * kw).pow(1.0 / norm_type)


def lp_pool3d(input: Tensor, norm_type: float, kernel_size, stride=None, ceil_mode: bool = False) -> Tensor:
    """The power-average of each window: (sum x^p) ** (1/p)."""
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
    """The extents to unpool to: `output_size`, or what the pooling would have come from."""
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
    """The inverse of `max_pool1d` at the maxima, zeros elsewhere."""
    kernel, padding = _single(kernel_size), _single(padding)
    stride = kernel if stride is None else _single(stride)
    size = _unpool_size(input, kernel, stride, padding, output_size)
    return _api.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), [*size, 1]).squeeze(-1)


def max_unpool2d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """The inverse of `max_pool2d` at the maxima, zeros elsewhere."""
    kernel, padding = _pair(kernel_size), _pair(padding)
    stride = kernel if stride is None else _pair(stride)
    return _api.max_unpool2d(input, indices, _unpool_size(input, kernel, stride, padding, output_size))


def max_unpool3d(input: Tensor, indices: Tensor, kernel_size, stride=None, padding=0, output_size=None) -> Tensor:
    """The inverse of `max_pool3d` at the maxima, zeros elsewhere."""
    kernel, padding = _triple(kernel_size), _triple(padding)
    stride = kernel if stride is None else _triple(stride)
    return _api.max_unpool3d(input, indices, _unpool_size(input, kernel, stride, padding, output_size))
