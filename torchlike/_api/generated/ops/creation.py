"""Creating tensors: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import int_list, integer
from torchlike._api.types import DeviceLike, Number
from torchlike._base.dtypes import dtype
from torchlike._base.settings import memory_format
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind, unary
from torchlike._record.tensor import Tensor

_CLONE = ROWS["clone"]
__TO_COPY = ROWS["_to_copy"]
__ONES = ROWS["_ones"]
__ZEROS = ROWS["_zeros"]
__FULL = ROWS["_full"]
__FULL_LIKE = ROWS["_full_like"]
__ARANGE = ROWS["_arange"]
__LINSPACE = ROWS["_linspace"]
__LOGSPACE = ROWS["_logspace"]
_record_copy = binary(ROWS["copy"])
_record__contiguous = unary(ROWS["_contiguous"])
_record__constant = unary(ROWS["_constant"])
_record__fill = binary(ROWS["_fill"])
_record__fill_tensor = binary(ROWS["_fill_tensor"])
_record__zero = unary(ROWS["_zero"])
_record_complex = binary(ROWS["complex"])
_record_polar = binary(ROWS["polar"])


def clone(self: Tensor, *, memory_format: memory_format | None = None) -> Tensor:
    """A copy with memory of its own."""
    return bind(_CLONE, (self,), (), (memory_format,))


def _to_copy(self: Tensor, dtype: dtype) -> Tensor:
    """PyTorch's operator `aten::_to_copy`."""
    return bind(__TO_COPY, (self,), (), (dtype,))


def copy(self: Tensor, src: Tensor) -> Tensor:
    """`src`, broadcast and cast to the form of `self`."""
    return _record_copy(self, src)


def _ones(size: Sequence[int], *, dtype: dtype, device: DeviceLike) -> Tensor:
    """PyTorch's operator `aten::_ones`."""
    return bind(__ONES, (), (), (int_list(size), dtype, device))


def _zeros(size: Sequence[int], *, dtype: dtype, device: DeviceLike) -> Tensor:
    """PyTorch's operator `aten::_zeros`."""
    return bind(__ZEROS, (), (), (int_list(size), dtype, device))


def _contiguous(self: Tensor) -> Tensor:
    """PyTorch's operator `aten::_contiguous`."""
    return _record__contiguous(self)


def _constant(self: Tensor) -> Tensor:
    """The value without history and without tangent, where PyTorch marks a result as not differentiable."""
    return _record__constant(self)


def _fill(self: Tensor, value: Tensor | Number) -> Tensor:
    """PyTorch's operator `aten::_fill`."""
    return _record__fill(self, value)


def _fill_tensor(self: Tensor, value: Tensor) -> Tensor:
    """PyTorch's operator `aten::_fill_tensor`."""
    return _record__fill_tensor(self, value)


def _zero(self: Tensor) -> Tensor:
    """PyTorch's operator `aten::_zero`."""
    return _record__zero(self)


def _full(size: Sequence[int], fill_value: Number, *, dtype: dtype, device: DeviceLike) -> Tensor:
    """PyTorch's operator `aten::_full`."""
    return bind(__FULL, (), (fill_value,), (int_list(size), dtype, device))


def _full_like(self: Tensor, fill_value: Number, *, dtype: dtype) -> Tensor:
    """The operand lends its shape and strides only."""
    return bind(__FULL_LIKE, (self,), (fill_value,), (dtype,))


def _arange(count: int, start: Number, step: Number, *, dtype: dtype, device: DeviceLike) -> Tensor:
    """PyTorch's operator `aten::_arange`."""
    return bind(__ARANGE, (), (start, step), (integer(count), dtype, device))


def _linspace(steps: int, start: Number, end: Number, *, dtype: dtype, device: DeviceLike) -> Tensor:
    """PyTorch's operator `aten::_linspace`."""
    return bind(__LINSPACE, (), (start, end), (integer(steps), dtype, device))


def _logspace(steps: int, start: Number, end: Number, base: Number, *, dtype: dtype, device: DeviceLike) -> Tensor:
    """PyTorch's operator `aten::_logspace`."""
    return bind(__LOGSPACE, (), (start, end, base), (integer(steps), dtype, device))


def complex(real: Tensor, imag: Tensor) -> Tensor:
    """Complex numbers from their real and imaginary parts."""
    return _record_complex(real, imag)


def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers from their absolute values and angles."""
    return _record_polar(abs, angle)


__all__ = [
    "clone",
    "_to_copy",
    "copy",
    "_ones",
    "_zeros",
    "_contiguous",
    "_constant",
    "_fill",
    "_fill_tensor",
    "_zero",
    "_full",
    "_full_like",
    "_arange",
    "_linspace",
    "_logspace",
    "complex",
    "polar",
]
