"""Maxima and means of windows. https://pytorch.org/docs/stable/nn.functional.html#pooling-functions"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import index_tuple
from torchlike._api.generated import ops
from torchlike._api.index_checks import check_places, expect
from torchlike._api.out import written
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, judged


def _one(v, word, name):
    v = index_tuple(v)
    if len(v) != 1:
        raise RuntimeError(f"{name}() argument '{word}' should contain one int (got {len(v)})")
    return v[0]


def _max_pool1d_all(input, kernel_size, stride, padding, dilation, ceil_mode):
    if input.dim() not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError("max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, "
                           f"but got:{list(input.shape)}")
    stride = kernel_size if stride in (None, (), []) else stride
    k, s, p, d = (_one(v, w, "max_pool1d") for v, w in (
        (kernel_size, "kernel_size"), (stride, "stride"), (padding, "padding"), (dilation, "dilation")))
    if k <= 0:
        raise RuntimeError(f"max_pool1d() kernel_size must be greater than zero, but got {k}")
    if s <= 0:
        raise RuntimeError(f"max_pool1d() stride must be greater than zero, but got {s}")
    if d <= 0:
        raise RuntimeError(f"max_pool1d() dilation must be greater than zero, but got {d}")
    out = (input.shape[-1] + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
    if out <= 0 and p >= 0:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {out}")
    value, index = ops.max_pool2d_with_indices(input.unsqueeze(-2), (1, k), (1, s), (0, p), (1, d), ceil_mode)
    return value.squeeze(-2), index.squeeze(-2)


def max_pool1d(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
               padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool1d.html"""
    if not input.is_floating_point():
        raise NotImplementedError(f"\"max_pool1d_impl\" not implemented for '{input.dtype.scalar_name}'")
    return _max_pool1d_all(input, kernel_size, stride, padding, dilation, ceil_mode)[0]


@judged
def max_pool1d_with_indices(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
                            padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1,
                            ceil_mode: bool = False) -> tuple[Tensor, Tensor]:
    """`max_pool1d` and the positions of the maxima."""
    return _max_pool1d_all(input, kernel_size, stride, padding, dilation, ceil_mode)


def max_pool2d(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
               padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor:
    """The maxima of windows over the last 2 dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool2d.html"""
    return ops.max_pool2d_with_indices(input, index_tuple(kernel_size), () if stride is None else index_tuple(stride),
                                       index_tuple(padding), index_tuple(dilation), ceil_mode)[0]


@judged
@composite("max_pool3d")
def max_pool3d(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
               padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False) -> Tensor:
    """The maxima of windows over the last 3 dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.max_pool3d.html"""
    return ops.max_pool3d_with_indices(input, index_tuple(kernel_size), () if stride is None else index_tuple(stride),
                                       index_tuple(padding), index_tuple(dilation), ceil_mode)[0]


@checked
def avg_pool1d(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
               padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.avg_pool1d.html"""
    _check_1d(input, "avg_pool1d")
    stride = kernel_size if stride in (None, (), []) else stride
    k, s, p = (_one(v, w, "avg_pool1d") for v, w in (
        (kernel_size, "kernel_size"), (stride, "stride"), (padding, "padding")))
    return ops.avg_pool2d(input.unsqueeze(-2), (1, k), (1, s), (0, p), ceil_mode, count_include_pad).squeeze(-2)


def _check_1d(input, name):
    if input.dim() not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input.dim()}-dimensional tensor for argument #1 'self' "
                           f"(while checking arguments for {name})")


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """The means of as many windows as `output_size` says, over the last 2 dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool2d.html"""
    return _adaptive_mean(2, ops._adaptive_avg_pool2d, input, output_size)


@composite("adaptive_avg_pool3d")
def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """The means of as many windows as `output_size` says, over the last 3 dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool3d.html"""
    return _adaptive_mean(3, ops._adaptive_avg_pool3d, input, output_size)


def _adaptive_mean(n, row, input, output_size):
    size = index_tuple(output_size)
    size = size * n if len(size) == 1 else size
    if size == (1,) * n:  # whatever else it has, none of it included
        return input.mean(tuple(range(-n, 0)), keepdim=True)
    return row(input, size)


@judged
def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_avg_pool1d.html"""
    _check_1d(input, "adaptive_avg_pool1d")
    size = _one(output_size, "output_size", "adaptive_avg_pool1d")
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size)).squeeze(-2)


@judged
def adaptive_max_pool1d(input: Tensor, output_size: int | Sequence[int]) -> tuple[Tensor, Tensor]:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.adaptive_max_pool1d.html"""
    _check_1d(input, "adaptive_max_pool1d")
    size = _one(output_size, "output_size", "adaptive_max_pool1d")
    value, index = ops.adaptive_max_pool2d(input.unsqueeze(-2), (1, size))
    return value.squeeze(-2), index.squeeze(-2)


def max_unpool2d(input: Tensor, indices: Tensor, output_size: int | Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """Each value at its flat position in a block of zeros of `output_size`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool2d.html"""
    return _unpooled(max_unpool2d, ops.max_unpool2d, input, indices, output_size, out)


def max_unpool3d(input: Tensor, indices: Tensor, output_size: int | Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """Each value at its flat position in a block of zeros of `output_size`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.max_unpool3d.html"""
    return _unpooled(max_unpool3d, ops.max_unpool3d, input, indices, output_size, out)


def _unpooled(function, row, input, indices, output_size, out):
    if out is not None:
        return written(out, function.__name__, (), function, input, indices, output_size)
    made = row(input, indices, output_size)  # what is wrong with the shapes comes first
    expect(check_places(index_tuple(output_size), indices))
    return made


FUNCTIONS: dict = {"max_pool1d": max_pool1d, "max_pool2d": max_pool2d, "max_pool3d": max_pool3d,
                   "max_pool1d_with_indices": max_pool1d_with_indices, "avg_pool1d": avg_pool1d,
                   "adaptive_avg_pool1d": adaptive_avg_pool1d, "adaptive_max_pool1d": adaptive_max_pool1d}
NN: dict = {"max_unpool2d": max_unpool2d, "max_unpool3d": max_unpool3d,
            "adaptive_avg_pool2d": adaptive_avg_pool2d, "adaptive_avg_pool3d": adaptive_avg_pool3d}
