"""Spectral operations: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import by_axis, int_list, integer
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.tensor import Tensor

__FFT_C2C = ROWS["_fft_c2c"]
__FFT_R2C = ROWS["_fft_r2c"]
__FFT_C2R = ROWS["_fft_c2r"]
_UNFOLD_BACKWARD = ROWS["unfold_backward"]


def _fft_c2c(self: Tensor, dim: Sequence[int], normalization: int, forward: bool) -> Tensor:
    """PyTorch's operator `aten::_fft_c2c`."""
    return bind(__FFT_C2C, (self,), (), (int_list(dim), integer(normalization), forward))


def _fft_r2c(self: Tensor, dim: Sequence[int], normalization: int, onesided: bool) -> Tensor:
    """PyTorch's operator `aten::_fft_r2c`."""
    return bind(__FFT_R2C, (self,), (), (int_list(dim), integer(normalization), onesided))


def _fft_c2r(self: Tensor, dim: Sequence[int], normalization: int, last_dim_size: int) -> Tensor:
    """PyTorch's operator `aten::_fft_c2r`."""
    return bind(__FFT_C2R, (self,), (), (int_list(dim), integer(normalization), integer(last_dim_size)))


def unfold_backward(grad_in: Tensor, input_sizes: Sequence[int], dim: int | None = None, size: int | None = None,
                    step: int | None = None, *, axis: int | None = None) -> Tensor:
    """Frames (*, number, *, size), `step` apart along `dim`, summed where they overlap, in a tensor of `input_sizes`."""
    if dim is None or step is None or axis is not None:
        dim = by_axis("unfold_backward", dim, axis, size=size, step=step)
    return bind(_UNFOLD_BACKWARD, (grad_in,), (), (int_list(input_sizes), integer(dim), integer(size), integer(step)))


__all__ = [
    "_fft_c2c",
    "_fft_r2c",
    "_fft_c2r",
    "unfold_backward",
]
