"""Copies, casts, device moves and plain writes: to, copy_, fill_, zero_, set_, T_."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torchlike._api.arguments import varargs
from torchlike._api.in_place import become_view
from torchlike._api.sparse.conversions import moved
from torchlike._api.types import DeviceLike, Number
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._base.errors import UnsupportedError, type_name
from torchlike._base.settings import contiguous_format, memory_format, preserve_format, sparse_coo, strided
from torchlike._compile import avals
from torchlike._compile.avals import suggested_format
from torchlike._compile.backends.registry import backend_of
from torchlike._modes.vmap_levels import check_other
from torchlike._ops import promotion
from torchlike._ops.all import ROWS
from torchlike._ops.geometry import broadcast
from torchlike._record.bind import bind
from torchlike._record.cell import is_read_elsewhere, storage_of
from torchlike._record.inplace import check_shape, check_writable, inplace, renew, write, writing
from torchlike._record.tensor import Tensor
from torchlike._record.warning import warn_once
from torchlike._record.wrong_calls import checked, instead_of, judged
from torchlike.autograd.device_copy import to_device


def to(self: Tensor, *args: Any, dtype: dtype | None = None, device: DeviceLike | None = None, non_blocking: bool = False,
       copy: bool = False, memory_format: memory_format | None = None) -> Tensor:
    """Another dtype or device; the tensor itself where nothing changes.
    https://pytorch.org/docs/stable/generated/torch.Tensor.to.html"""
    for arg in args:
        if isinstance(arg, dt.dtype):
            dtype = arg
        elif isinstance(arg, Tensor):
            dtype, device = arg._cell.aval.dtype, arg._cell.aval.device
        elif isinstance(arg, str | dev.device) or arg.__class__ is int:
            device = arg
        elif arg is not None and not isinstance(arg, bool):
            raise TypeError(f"to() received an invalid combination of arguments - got ({type(arg).__name__})")
    aval = self._cell.aval
    out = self
    if device is not None:
        target = dev.canonical(dev.device(device))
        if target != aval.device:
            out = to_device(out, target) if out._cell.layout is strided else moved(out, target)
    if dtype is not None and dtype is not aval.dtype:
        out = _cast(out, dtype)
    out = _in_format(out, memory_format)
    return out.clone(memory_format=memory_format) if copy and out is self else out


def _in_format(x, memory_format):
    """`x` in a memory_format: itself where that is the one which its strides suggest."""
    if memory_format in (None, preserve_format) or memory_format is (suggested_format(x._cell.aval) or contiguous_format):
        return x
    out = bind(ROWS["clone"], (x,), (), (memory_format,))
    if out._edge is not None:
        out._edge[0].rename("ToCopyBackward0")
    return out


def _to_dtype(dtype):
    def convert(self: Tensor, memory_format: memory_format | None = None):
        try:
            return _in_format(self if self._cell.aval.dtype is dtype else _cast(self, dtype), memory_format)
        except (KeyError, TypeError) as error:
            raise instead_of(error) from None
    return convert


def _cast(self, dtype):
    _check_imaginary(self._cell.aval.dtype, dtype)
    return bind(ROWS["_to_copy"], (self,), (), (dtype,))


def _check_imaginary(old, new):
    if old.is_complex and not new.is_complex and new is not dt.bool_:
        warn_once("Casting complex values to real discards the imaginary part")


_OF_MODULE = {"torch": dev.CPU, "torch.cuda": dev.device("cuda")}  # where the old names of tensors are


def legacy_name(x) -> str:
    """What `type` says; RuntimeError for a compressed sparse tensor, whose type has no name."""
    aval, layout = x._cell.aval, x._cell.layout
    if layout not in (strided, sparse_coo):
        raise RuntimeError(f"Unimplemented backend SparseCsr{aval.device.type.upper()}")
    sparse = "" if layout is strided else ".sparse"
    return f"{backend_of(aval.device).legacy_module}{sparse}.{aval.dtype.scalar_name}Tensor"


@checked
def type_(self: Tensor, dtype: dtype | None = None, non_blocking=False):
    """The type's name, or the tensor in another dtype."""
    aval = self._cell.aval
    if dtype is None:
        return legacy_name(self)
    if isinstance(dtype, str):
        module, _, name = dtype.replace(".sparse.", ".").rpartition(".")
        found = next((d for d in dt.ALL if f"{d.scalar_name}Tensor" == name), None)
        if found is None or module not in _OF_MODULE:
            raise ValueError(f"invalid type: '{dtype}'")
        return self.to(aval.device if backend_of(aval.device).legacy_module == module else _OF_MODULE[module], found)
    elif isinstance(dtype, type):  # torch.FloatTensor; torch.sparse.FloatTensor changes no layout
        dtype, device = dtype.dtype, dtype.device
        return self.to(dtype=dtype, device=device)
    return self.to(dtype)


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """In the other's dtype and device."""
    return self.to(other)


def copy_(self: Tensor, other: Tensor, non_blocking: bool = False) -> Tensor:
    """Overwrite with `other`, broadcast and cast.
    https://pytorch.org/docs/stable/generated/torch.Tensor.copy_.html"""
    if isinstance(other, int | float | complex):
        other = self.new_tensor(other)
    if not isinstance(other, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type_name(type(other))}")
    mine, theirs = self._cell.aval, other._cell.aval
    if theirs.device != mine.device:
        other = to_device(other, mine.device)
    if mine.shape != theirs.shape:
        check_writable(self, False)
        check_shape(mine.shape, broadcast(mine.shape, theirs.shape))
    _check_imaginary(theirs.dtype, mine.dtype)
    return inplace(ROWS["copy"], (self, other))


def fill_(input: Tensor, value: Number | Tensor) -> Tensor:
    """Every element becomes `value`."""
    if isinstance(value, Tensor):
        if value._cell.aval.ndim:
            raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                               f"{value._cell.aval.ndim} dimensions.")
        return inplace(ROWS["_fill_tensor"], (input, value))
    return inplace(ROWS["_fill"], (input, value))


def zero_(input: Tensor) -> Tensor:
    """Every element becomes 0."""
    return inplace(ROWS["_zero"], (input,))


def overwrite(self, value, name) -> None:
    """Give `self` the value of a fresh tensor of its shape (random fills). No gradient passes its Node, `name`."""
    check_writable(self, False)
    if value._cell.aval.dtype is not self._cell.aval.dtype:
        value = bind(ROWS["_to_copy"], (value,), (), (self._cell.aval.dtype,))
    edge = bind(ROWS["_zero"], (self,))._edge if self._edge is not None else None
    if edge is not None:
        edge[0].rename(name)
    with writing():
        write(self, value, None if edge is None else edge[0])


def cpu(self: Tensor, memory_format: memory_format | None = None) -> Tensor:
    """On the CPU."""
    return self.to(dev.CPU, memory_format=memory_format)


def cuda(self: Tensor, device: DeviceLike | None = None, non_blocking=False,
         memory_format: memory_format | None = None) -> Tensor:
    """On a GPU."""
    return self.to("cuda" if device is None else dev.device(device), memory_format=memory_format)


def xpu(self: Tensor, device: DeviceLike | None = None, non_blocking=False,
        memory_format: memory_format | None = None) -> Tensor:
    """On a device that JAX has not: PyTorch's error."""
    return self.to("xpu")


def ipu(self: Tensor, device: DeviceLike | None = None, non_blocking=False,
        memory_format: memory_format | None = None) -> Tensor:
    """On a device that JAX has not: PyTorch's error."""
    return self.to("ipu")


def mtia(self: Tensor, device: DeviceLike | None = None, non_blocking=False,
         memory_format: memory_format | None = None) -> Tensor:
    """On a device that JAX has not: PyTorch's error."""
    return self.to("mtia")


def dequantize(self: Tensor) -> Tensor:
    """As float32: no tensor is quantized. https://pytorch.org/docs/stable/generated/torch.Tensor.dequantize.html"""
    return self.to(dt.float32)


def resize_(self: Tensor, *given: Any, size: Sequence[int] | None = None,
            memory_format: memory_format | None = None) -> Tensor:
    """Another shape on the same memory, which is made larger where it must be; its new elements are zeros.
    https://pytorch.org/docs/stable/generated/torch.Tensor.resize_.html"""
    size, cell = varargs(given, size), self._cell
    if size == tuple(cell.aval.shape) and memory_format is None:
        return self
    if self._edge is not None:
        raise RuntimeError("cannot resize variables that require grad")
    count = math.prod(size)
    if min(size, default=0) < 0 or count >= 1 << 63:
        raise RuntimeError("numel: integer multiplication overflow")
    wanted = avals.in_format(size, cell.aval.dtype, cell.aval.device, memory_format)
    avals.check_memory(wanted)
    end, room = cell.aval.offset + count, avals.span(storage_of(cell).aval)
    if end > room:
        _grow(self, wanted, end, room)
        return self
    return become_view(ROWS["as_strided"], self, "as_strided", size, wanted.strides, cell.aval.offset)


def _grow(self, form: avals.Aval, count: int, room: int) -> None:
    """It becomes of this form, on memory of `count` elements, zeros after those that are there: in one write, so that an
    interruption finds it as before or as afterwards."""
    cell, offset = self._cell, self._cell.aval.offset
    if is_read_elsewhere(cell):
        raise UnsupportedError("resize_ of a tensor that has views, to more elements than its memory has")
    memory = bind(ROWS["cat"], ((self.as_strided((room,), (1,), 0), self.new_zeros(count - room)),), (), (0,))
    value = memory.as_strided(form.shape, form.strides, offset)
    if offset:
        renew(self, value)
        return
    value = bind(ROWS["clone"], (value,), (), (None,))
    if cell.base is not None:
        value._cell.aval = form
        renew(self, value)
    else:
        write(self, value, None, form=form)


def as_strided_(self: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """`as_strided` in place. https://pytorch.org/docs/stable/generated/torch.as_strided.html"""
    try:
        return become_view(ROWS["as_strided"], self, "as_strided", size, stride, storage_offset)
    except AttributeError as error:
        raise instead_of(error) from None


def swapaxes_(self: Tensor, axis0: int, axis1: int) -> Tensor:
    """`swapaxes` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.swapaxes_.html"""
    return become_view(ROWS["transpose.int"], self, "transpose", axis0, axis1)


@checked
def resize_as_(input: Tensor, the_template: Tensor, memory_format: memory_format | None = None) -> Tensor:
    """`resize_` to the shape of another tensor."""
    check_other("resize_as_", input, the_template)
    return resize_(input, the_template.shape, memory_format=memory_format)


to_float = _to_dtype(dt.float32)
to_double = _to_dtype(dt.float64)
to_half = _to_dtype(dt.float16)
to_bfloat16 = _to_dtype(dt.bfloat16)
to_int = _to_dtype(dt.int32)
to_long = _to_dtype(dt.int64)
to_short = _to_dtype(dt.int16)
to_char = _to_dtype(dt.int8)
to_byte = _to_dtype(dt.uint8)
to_bool = _to_dtype(dt.bool_)
to_cfloat = _to_dtype(dt.complex64)
to_cdouble = _to_dtype(dt.complex128)
METHODS: dict = {
    "to": to, "type": type_, "type_as": type_as, "copy_": copy_, "fill_": fill_, "zero_": zero_,
    "cpu": cpu, "cuda": cuda, "ipu": ipu, "xpu": xpu, "mtia": mtia, "dequantize": dequantize,
    "resize_": resize_, "resize_as_": resize_as_, "as_strided_": as_strided_,
    "swapaxes_": swapaxes_,
    "float": to_float, "double": to_double, "half": to_half, "bfloat16": to_bfloat16, "int": to_int, "long": to_long,
    "short": to_short, "char": to_char, "byte": to_byte, "bool": to_bool, "cfloat": to_cfloat, "cdouble": to_cdouble,
}


def fill(input: Tensor, value: Number | Tensor) -> Tensor:
    """`torch.fill`: a new tensor of that value."""
    if isinstance(value, Tensor) and value._cell.aval.ndim:
        return fill_(input.clone(), value)  # which refuses it
    return bind(ROWS["_fill_tensor" if isinstance(value, Tensor) else "_fill"], (input, value))


@judged
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """`torch.promote_types`."""
    return promotion.promote_types(type1, type2)


@judged
def can_cast(from_: dtype, to: dtype) -> bool:
    """`torch.can_cast`."""
    return promotion.can_cast(from_, to)


def result_type(*operands: Tensor | Number, **named: Tensor | Number) -> dtype:
    """The dtype of an operation on two tensors or numbers. PyTorch has four overloads, with other names each: here the two
    are taken by any names. https://pytorch.org/docs/stable/generated/torch.result_type.html"""
    try:
        given = (*operands, *named.values())
        if len(given) != 2:
            raise TypeError(f"result_type() takes 2 arguments but {len(given)} were given")
        found = []
        for x in given:
            if isinstance(x, Tensor):
                found.append(promotion.Operand(x._cell.aval.dtype, 2 if x._cell.aval.ndim else 1))
            else:
                found.append(promotion.Operand(promotion.of_number(x), 0))
        return promotion.result_type(found)
    except AttributeError as error:
        raise instead_of(error) from None


FUNCTIONS: dict = {"fill": fill, "promote_types": promote_types, "can_cast": can_cast, "result_type": result_type,
                   "resize_as_": resize_as_}
