"""Tensors from nothing: zeros, ones, full, arange, linspace, eye and their ``_like`` and ``new_`` forms.

Each records a row without operands, so constants are made inside the compiled program.
https://pytorch.org/docs/stable/torch.html#creation-ops
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchlike._api.arguments import int_list
from torchlike._api.from_data import as_dtype, check_grad
from torchlike._api.options import check_options
from torchlike._api.out import made_into
from torchlike._api.sparse.cell import is_coo, sparse_dims
from torchlike._api.sparse.conversions import empty as empty_sparse
from torchlike._api.sparse.rules import not_there
from torchlike._api.types import DeviceLike, Number
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._base.errors import type_name
from torchlike._base.settings import contiguous_format, memory_format, preserve_format, strided
from torchlike._compile import avals
from torchlike._compile.avals import is_dense
from torchlike._modes import intercept, vmap_levels
from torchlike._modes.torch_dispatch import made_like
from torchlike._ops import promotion
from torchlike._ops.all import ROWS
from torchlike._ops.indexing.triangles import triangle_indices, triangle_rows
from torchlike._ops.number_ranges import as_result
from torchlike._record.bind import bind, number_of
from torchlike._record.leaf import leaf
from torchlike._record.tensor import LEAF, Tensor
from torchlike._record.trace import state
from torchlike._record.wrong_calls import checked, judged

_ZEROS, _ONES, _FULL, _FULL_LIKE = ROWS["_zeros"], ROWS["_ones"], ROWS["_full"], ROWS["_full_like"]


# -- arguments

def chosen_device(device):
    """The device that a ``device`` argument means; None is the default one."""
    return dev.get_default_device() if device is None else dev.canonical(dev.device(device))


def _size(name, args, size):
    """The ``size`` argument, given as a list, as separate ints or by keyword."""
    if size is None:
        if not args:
            raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
        size = args[0] if len(args) == 1 and not hasattr(args[0], "__index__") else args
    if isinstance(size, int):
        return (size,)
    if not isinstance(size, tuple | list):
        raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not "
                        f"{type(size).__name__}")
    return tuple(_one_size(name, s, i) for i, s in enumerate(size))


def _one_size(name, s, i):
    if s.__class__ is int:
        return s
    floating = isinstance(s, Tensor) and s._cell.aval.dtype.category > dt.INT
    if floating or not hasattr(s, "__index__"):
        raise TypeError(f"{name}(): argument 'size' failed to unpack the object at pos {i + 1} with error "
                        f"\"type must be tuple of ints,but got {type(s).__name__}\"")
    return s.__index__()


def _list_size(name, size):
    """A ``size`` that must be a list (full, new_full)."""
    if not isinstance(size, tuple | list):
        raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not "
                        f"{type(size).__name__}")
    return int_list(size)


def _check_size(size, name="") -> tuple:
    for s in size:
        if s < 0 and name == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        if s < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {s}: {list(size)}")
    return size


def finished(made, requires_grad=False):
    """What a function returns that made a tensor: as a leaf that may require grad."""
    if requires_grad:
        check_grad(made._cell.aval.dtype, requires_grad)
        made._edge = LEAF
    return made


def number(name, value, position, word="fill_value"):
    """A Python number out of a number, a numpy scalar or a 0-d tensor."""
    value = value.item() if isinstance(value, np.generic) else number_of(value)
    if not isinstance(value, bool | int | float | complex):
        raise TypeError(f"{name}(): argument '{word}' (position {position}) must be Number, not "
                        f"{type(value).__name__}")
    return value


# -- constants

def zeros(*args: Any, size: int | Sequence[int] | None = None, out: Tensor | None = None, dtype: dtype | None = None,
          layout=None, device: DeviceLike | None = None, pin_memory=False, requires_grad: bool = False) -> Tensor:
    """Zeros. https://pytorch.org/docs/stable/generated/torch.zeros.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if out is not None:
        return made_into(out, "zeros", zeros, *args, size=size, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    shape = _check_size(_size("zeros", args, size), "zeros")
    if dtype.__class__ is not dt.dtype:
        dtype = promotion.default.dtype if dtype is None else as_dtype(dtype, "zeros")
    if layout is not None and layout is not strided:
        return finished(_none_of(layout, shape, dtype, chosen_device(device)), requires_grad)
    made = bind(_ZEROS, (), (), (shape, dtype, chosen_device(device)))
    return finished(made, requires_grad) if requires_grad else made


def ones(*args: Any, size: int | Sequence[int] | None = None, out: Tensor | None = None, dtype: dtype | None = None,
         layout=None, device: DeviceLike | None = None, pin_memory=False, requires_grad: bool = False) -> Tensor:
    """Ones. https://pytorch.org/docs/stable/generated/torch.ones.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if out is not None:
        return made_into(out, "ones", ones, *args, size=size, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    shape = _check_size(_size("ones", args, size), "ones")
    if dtype.__class__ is not dt.dtype:
        dtype = promotion.default.dtype if dtype is None else as_dtype(dtype, "ones")
    made = bind(_ONES, (), (), (shape, dtype, chosen_device(device)))
    return finished(made, requires_grad) if requires_grad else made


def empty(*args: Any, size: int | Sequence[int] | None = None, out: Tensor | None = None, dtype: dtype | None = None,
          layout=None, device: DeviceLike | None = None, pin_memory=False, requires_grad: bool = False,
          memory_format: memory_format | None = None) -> Tensor:
    """A tensor of any values, which are zeros here. https://pytorch.org/docs/stable/generated/torch.empty.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if out is not None:
        return made_into(out, "empty", empty, *args, size=size, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    shape = _check_size(_size("empty", args, size), "empty")
    if dtype.__class__ is not dt.dtype:
        dtype = promotion.default.dtype if dtype is None else as_dtype(dtype, "empty")
    if layout is not None and layout is not strided:
        return finished(_none_of(layout, shape, dtype, chosen_device(device)), requires_grad)
    made = bind(_ZEROS, (), (), (shape, dtype, chosen_device(device)))
    if memory_format is not None:
        if memory_format is preserve_format:
            raise RuntimeError("unsupported memory format Preserve")
        made = _in_format(made, memory_format)
    return finished(made, requires_grad) if requires_grad else made


def _filled(shape, value, dtype, device):
    """A tensor of one value; complex numbers keep their real part in a real dtype as PyTorch's do."""
    _check_size(shape)
    as_result(dtype).check(value)
    if dtype is dt.bool_:
        value = bool(value)
    if isinstance(value, int) and value >= 1 << 63:  # numbers travel as int64
        if dtype is dt.uint64:
            return leaf(np.full(shape, value, np.uint64), device)
        value = float(value)
    return bind(_FULL, (), (value,), (shape, dtype, device))


def full(size: int | Sequence[int], fill_value: Number, *, out: Tensor | None = None, dtype: dtype | None = None,
         layout=None, device: DeviceLike | None = None, pin_memory=False, requires_grad: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.full.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if out is not None:
        return made_into(out, "full", full, size, fill_value, dtype=dtype, layout=layout, device=device,
                         requires_grad=requires_grad)
    shape = _list_size("full", size)
    value = number("full", fill_value, 2)
    dtype = promotion.of_number(value) if dtype is None else as_dtype(dtype, "full")
    if value.__class__ is int and not -(1 << 63) <= value < 1 << 64:
        raise OverflowError("int too big to convert")
    return finished(_filled(shape, value, dtype, chosen_device(device)), requires_grad)


def zeros_like(input: Tensor, *, dtype: dtype | None = None, layout=None, device: DeviceLike | None = None,
               requires_grad: bool = False, memory_format: memory_format | None = None, pin_memory=False) -> Tensor:
    """Zeros in the shape, dtype and device of `input`.
    https://pytorch.org/docs/stable/generated/torch.zeros_like.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _like("zeros_like", _ZEROS, 0, input, dtype, device, requires_grad, memory_format, layout)


def ones_like(input: Tensor, *, dtype: dtype | None = None, layout=None, device: DeviceLike | None = None,
              requires_grad: bool = False, memory_format: memory_format | None = None, pin_memory=False) -> Tensor:
    """Ones in the shape, dtype and device of `input`.
    https://pytorch.org/docs/stable/generated/torch.ones_like.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _like("ones_like", _ONES, 1, input, dtype, device, requires_grad, memory_format, layout)


def empty_like(input: Tensor, *, dtype: dtype | None = None, layout=None, device: DeviceLike | None = None,
               requires_grad: bool = False, memory_format: memory_format | None = None, pin_memory=False) -> Tensor:
    """Any values, which are zeros here, in the shape, dtype and device of `input`.
    https://pytorch.org/docs/stable/generated/torch.empty_like.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _like("empty_like", _ZEROS, 0, input, dtype, device, requires_grad, memory_format, layout)


def _like(name, row, value, input, dtype, device, requires_grad, memory_format, layout):
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(type(input))}")
    if state.open is None or input._cell.handler is not None:
        made = made_like(f"{name}.default", input, dtype=dtype, device=device, memory_format=memory_format, pin_memory=False)
        if made is not None:
            return finished(made, requires_grad)
    aval = input._cell.aval
    dtype = aval.dtype if dtype is None else as_dtype(dtype, name)
    target = aval.device if device is None else chosen_device(device)
    layout = input._cell.layout if layout is None else layout
    if layout is not strided:
        return finished(_sparse_like(value, input, layout, dtype, target), requires_grad)
    if aval.strides == aval.plain.strides or target is not aval.device or memory_format not in (None, preserve_format):
        made = _in_format(bind(row, (), (), (tuple(aval.shape), dtype, target)), memory_format)
    else:
        made = bind(_FULL_LIKE, (input.detach(),), (value,), (dtype,))
    made = vmap_levels.like(made, input)
    return finished(made, requires_grad) if requires_grad else made


def _none_of(layout, shape, dtype, device, count=None):
    """A sparse tensor without elements, with `count` sparse dimensions."""
    return empty_sparse(layout, shape, bind(_ZEROS, (), (), ((0,), dtype, device)), count)


def _sparse_like(value, input, layout, dtype, device):
    """Zeros; PyTorch has no other sparse tensors that are full of one value."""
    if value:
        raise not_there("fill_.Scalar", input)
    return _none_of(layout, tuple(input.shape), dtype, device, sparse_dims(input) if is_coo(input) else None)


def _in_format(made, memory_format):
    """`made`, which is contiguous, in a memory_format."""
    return made if memory_format in (None, preserve_format, contiguous_format) \
        else bind(ROWS["clone"], (made,), (), (memory_format,))


@checked
def full_like(input: Tensor, fill_value: Number, *, dtype: dtype | None = None, layout=None,
              device: DeviceLike | None = None, requires_grad: bool = False, memory_format: memory_format | None = None,
              pin_memory=False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.full_like.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    aval = input._cell.aval
    value = number("full_like", fill_value, 2)
    if state.open is None or input._cell.handler is not None:
        made = made_like("full_like.default", input, value, dtype=dtype, device=device, memory_format=memory_format,
                         pin_memory=False)
        if made is not None:
            return finished(made, requires_grad)
    dtype = aval.dtype if dtype is None else as_dtype(dtype, "full_like")
    target = aval.device if device is None else chosen_device(device)
    if aval.contiguous or target is not aval.device or memory_format not in (None, preserve_format):
        made = _in_format(_filled(tuple(aval.shape), value, dtype, target), memory_format)
        return finished(vmap_levels.like(made, input), requires_grad)
    as_result(dtype).check(value)
    return finished(vmap_levels.like(bind(_FULL_LIKE, (input.detach(),), (value,), (dtype,)), input), requires_grad)


def new_zeros(self: Tensor, *args: Any, size: int | Sequence[int] | None = None, dtype: dtype | None = None,
              device: DeviceLike | None = None, requires_grad: bool = False, layout=None, pin_memory=False) -> Tensor:
    """Zeros in the dtype and on the device of this tensor.
    https://pytorch.org/docs/stable/generated/torch.Tensor.new_zeros.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _new("new_zeros", _ZEROS, self, _size("new_zeros", args, size), dtype, device, requires_grad)


def new_ones(self: Tensor, *args: Any, size: int | Sequence[int] | None = None, dtype: dtype | None = None,
             device: DeviceLike | None = None, requires_grad: bool = False, layout=None, pin_memory=False) -> Tensor:
    """Ones in the dtype and on the device of this tensor.
    https://pytorch.org/docs/stable/generated/torch.Tensor.new_ones.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _new("new_ones", _ONES, self, _size("new_ones", args, size), dtype, device, requires_grad)


def new_empty(self: Tensor, *args: Any, size: int | Sequence[int] | None = None, dtype: dtype | None = None,
              device: DeviceLike | None = None, requires_grad: bool = False, layout=None, pin_memory=False) -> Tensor:
    """Any values, which are zeros here, in the dtype and on the device of this tensor.
    https://pytorch.org/docs/stable/generated/torch.Tensor.new_empty.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _new("new_empty", _ZEROS, self, _size("new_empty", args, size), dtype, device, requires_grad)


def _new(name, row, self, shape, dtype, device, requires_grad):
    _check_size(shape)
    if state.open is None or self._cell.handler is not None:
        made = made_like(f"{name}.default", self, list(shape), dtype=dtype, device=device)
        if made is not None:
            return finished(made, requires_grad)
    aval = self._cell.aval
    dtype = aval.dtype if dtype is None else as_dtype(dtype, name)
    device = aval.device if device is None else chosen_device(device)
    if self._cell.layout is not strided and row is _ZEROS:
        return finished(_none_of(self._cell.layout, shape, dtype, device), requires_grad)
    made = bind(row, (), (), (shape, dtype, device))
    return finished(vmap_levels.like(made, self), requires_grad)


def new_full(self: Tensor, size: int | Sequence[int], fill_value: Number, *, dtype: dtype | None = None,
             device: DeviceLike | None = None, requires_grad: bool = False, layout=None, pin_memory=False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.Tensor.new_full.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    aval = self._cell.aval
    dtype = aval.dtype if dtype is None else as_dtype(dtype, "new_full")
    value = number("new_full", fill_value, 2)
    if state.open is None or self._cell.handler is not None:
        made = made_like("new_full.default", self, list(_list_size("new_full", size)), value, dtype=dtype, device=device)
        if made is not None:
            return finished(made, requires_grad)
    device = aval.device if device is None else chosen_device(device)
    return finished(vmap_levels.like(_filled(_list_size("new_full", size), value, dtype, device), self), requires_grad)


def empty_strided(size: int | Sequence[int], stride: int | Sequence[int], *, dtype: dtype | None = None, layout=None,
                  device: DeviceLike | None = None, requires_grad: bool = False, pin_memory=False) -> Tensor:
    """A tensor of zeros with these strides: a view of a flat one.
    https://pytorch.org/docs/stable/generated/torch.empty_strided.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    size, stride = int_list(size), int_list(stride)
    span = 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if math.prod(size) else 0
    dtype = promotion.default.dtype if dtype is None else as_dtype(dtype, "empty_strided")
    flat = bind(_ZEROS, (), (), ((span,), dtype, chosen_device(device)))
    return finished(_strided(flat, size, stride).detach(), requires_grad)


def _strided(flat, size, stride) -> Tensor:
    """`as_strided`; of dense strides without an index of each element."""
    if math.prod(size) and is_dense(size, stride):
        order = sorted(range(len(size)), key=lambda dim: (-stride[dim], -size[dim]))
        found = flat.view([size[dim] for dim in order]).permute([order.index(dim) for dim in range(len(size))])
        if found.stride() == tuple(stride):
            return found
    return flat.as_strided(size, stride)


@judged
def empty_permuted(size: int | Sequence[int], physical_layout: int | Sequence[int], *, dtype: dtype | None = None,
                   layout=None, device: DeviceLike | None = None, requires_grad: bool = False, pin_memory=False) -> Tensor:
    """Zeros whose dimensions lie in memory in the order `physical_layout`, the outermost first.
    https://pytorch.org/docs/stable/generated/torch.empty_permuted.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    size, order = int_list(size), int_list(physical_layout)
    if len(order) != len(size):
        raise RuntimeError("Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
                           f"{len(size)} is not equal to len(physical_layout) = {len(order)}")
    if sorted(order) != list(range(len(size))):
        raise RuntimeError("Duplicate dim not allowed" if len(set(order)) < len(order) else
                           f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got "
                           f"{next(d for d in order if not 0 <= d < len(size))} at index "
                           f"{next(i for i, d in enumerate(order) if not 0 <= d < len(size))}).  NB: negative dims not "
                           "currently supported; file an issue if you want it.")
    strides, step = [0] * len(size), 1
    for dim in reversed(order):
        strides[dim], step = step, step * size[dim]
    return empty_strided(size, strides, dtype=dtype, device=device, requires_grad=requires_grad)


def new_empty_strided(self: Tensor, size: int | Sequence[int], stride: int | Sequence[int], dtype: dtype | None = None,
                      device: DeviceLike | None = None, requires_grad: bool = False, layout=None,
                      pin_memory=False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.Tensor.new_empty_strided.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return empty_strided(size, stride, dtype=self.dtype if dtype is None else dtype,
                         device=self.device if device is None else device, requires_grad=requires_grad)


# -- matrices

@judged
@intercept.named("eye.default")
def eye(n: int, m: int | None = None, *, out: Tensor | None = None, dtype: dtype | None = None, layout=None,
        device: DeviceLike | None = None, pin_memory=False, requires_grad: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.eye.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    if out is not None:
        return made_into(out, "eye", eye, n, m, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad)
    for word, value in (("n", n), ("m", n if m is None else m)):
        if not hasattr(value, "__index__"):
            raise TypeError(f"eye(): argument '{word}' (position 1) must be int, not {type(value).__name__}")
        if value < 0:
            raise RuntimeError(f"{word} must be greater or equal to 0, got {value}")
    dtype = promotion.default.dtype if dtype is None else as_dtype(dtype, "eye")
    made = bind(ROWS["_eye"], (), (), (int(n), int(n if m is None else m), dtype, chosen_device(device)))
    return finished(made, requires_grad)


@judged
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: dtype | None = dt.int64,
                 device: DeviceLike | None = None, layout=None, pin_memory: bool = False,
                 requires_grad: bool = False) -> Tensor:
    """The places in the lower triangle of a matrix, as (2, count).
    https://pytorch.org/docs/stable/generated/torch.tril_indices.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _triangle("tril_indices", row, col, offset, dtype, device).requires_grad_(requires_grad)


@judged
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: dtype | None = dt.int64,
                 device: DeviceLike | None = None, layout=None, pin_memory: bool = False,
                 requires_grad: bool = False) -> Tensor:
    """The places in the upper triangle of a matrix, as (2, count).
    https://pytorch.org/docs/stable/generated/torch.triu_indices.html"""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    return _triangle("triu_indices", row, col, offset, dtype, device).requires_grad_(requires_grad)


def _triangle(name, row, col, offset, dtype, device):
    dtype = as_dtype(dt.int64 if dtype is None else dtype, name)
    count = int(triangle_rows(name, row, col, offset)[1].sum())
    avals.check_memory(avals.aval((2, count), dtype, dev.CPU))  # pyrefly: ignore[bad-argument-type] - it is none
    return leaf(triangle_indices(name, row, col, offset, dtype), chosen_device(device))


@judged
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:  # noqa: N803 - PyTorch's name
    """Powers of a vector. https://pytorch.org/docs/stable/generated/torch.vander.html"""
    aval = x._cell.aval
    if aval.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = aval.shape[0] if N is None else N
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    result = x.new_ones((aval.shape[0], count), dtype=promotion.promote_types(aval.dtype, dt.int64)
                        if aval.dtype.category <= dt.INT else aval.dtype)
    if count > 1:
        powers = x.unsqueeze(1).expand(aval.shape[0], count - 1).cumprod(1)
        result = bind(ROWS["cat"], ((result[:, :1], powers),), (), (1,))
    return result if increasing else bind(ROWS["flip"], (result,), (), ((1,),))


FUNCTIONS: dict = {"zeros": zeros, "ones": ones, "empty": empty, "full": full, "zeros_like": zeros_like,
                   "ones_like": ones_like, "empty_like": empty_like, "empty_permuted": empty_permuted,
                   "full_like": full_like, "empty_strided": empty_strided, "eye": eye, "tril_indices": tril_indices,
                   "triu_indices": triu_indices, "vander": vander}
METHODS: dict = {"new_zeros": new_zeros, "new_ones": new_ones, "new_empty": new_empty, "new_full": new_full,
                 "new_empty_strided": new_empty_strided}
