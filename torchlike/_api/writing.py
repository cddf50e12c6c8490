"""Copies, casts, device moves and plain writes: to, copy_, fill_, zero_, set_, T_."""

import math
import weakref

from torchlike._api.generate import varargs
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError, warn_once
from torchlike._base.settings import preserve_format
from torchlike._compile.backends.registry import backend_of
from torchlike._modes.dual import parts
from torchlike._ops import promotion
from torchlike._ops.all import ROWS
from torchlike._ops.geometry import broadcast
from torchlike._ops.table import node_name
from torchlike._record.bind import bind
from torchlike._record.cell import counter_of, storage_of
from torchlike._record.inplace import check_inference, check_shape, check_writable, inplace, rebase, write
from torchlike._record.node_factory import nodes
from torchlike._record.site import count_write
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.views import mark_stale
from torchlike.autograd.device_copy import to_device
from torchlike.autograd.special_nodes import ReshapedInPlace

_T = ROWS["t"]


def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False, memory_format=None):
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
            out = to_device(out, target)
    if dtype is not None and dtype is not aval.dtype:
        out = _cast(out, dtype)
    if memory_format is not None and memory_format is not preserve_format:
        out = out.contiguous(memory_format=memory_format)
    return out.clone(memory_format=memory_format) if copy and out is self else out


def _to_dtype(dtype):
    def convert(self, memory_format=None):
        out = self if self._cell.aval.dtype is dtype else _cast(self, dtype)
        return out if memory_format in (None, preserve_format) else out.contiguous(memory_format=memory_format)
    return convert


def _cast(self, dtype):
    _check_imaginary(self._cell.aval.dtype, dtype)
    return bind(ROWS["_to_copy"], (self,), (), (dtype,))


def _check_imaginary(old, new):
    if old.is_complex and not new.is_complex and new is not dt.bool_:
        warn_once("Casting complex values to real discards the imaginary part", 4)


def type_(self, dtype=None, non_blocking=False):
    """The type's name, or the tensor in another dtype."""
    aval = self._cell.aval
    if dtype is None:
        return f"{backend_of(aval.device).legacy_module}.{aval.dtype.scalar_name}Tensor"
    if isinstance(dtype, str):
        name = dtype.removeprefix("torch.").removeprefix("cuda.").removesuffix("Tensor")
        found = next((d for d in dt.ALL if d.scalar_name == name), None)
        if found is None:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = found
    elif isinstance(dtype, type):  # torch.FloatTensor
        dtype, device = dtype.dtype, dtype.device
        return self.to(dtype=dtype, device=device)
    return self.to(dtype)


def type_as(self, other):
    """In the other's dtype and device."""
    return self.to(other)


def copy_(self, src, non_blocking=False):
    """Overwrite with `src`, broadcast and cast.
    https://pytorch.org/docs/stable/generated/torch.Tensor.copy_.html"""
    if isinstance(src, int | float | complex):
        src = self.new_tensor(src)
    if not isinstance(src, Tensor):
        raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}")
    mine, theirs = self._cell.aval, src._cell.aval
    if theirs.device != mine.device:
        src = to_device(src, mine.device)
    if mine.shape != theirs.shape:
        check_shape(mine.shape, broadcast(mine.shape, theirs.shape))
    _check_imaginary(theirs.dtype, mine.dtype)
    return inplace(ROWS["copy"], (self, src))


def fill_(self, value):
    """Every element becomes `value`."""
    if isinstance(value, Tensor):
        if value._cell.aval.ndim:
            raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                               f"{value._cell.aval.ndim} dimensions.")
        return inplace(ROWS["_fill_tensor"], (self, value))
    return inplace(ROWS["_fill"], (self, value))


def zero_(self):
    """Every element becomes 0."""
    return inplace(ROWS["_zero"], (self,))


def overwrite(self, value, name) -> None:
    """Give `self` the value of a fresh tensor of its shape (random fills). No gradient passes its Node, `name`."""
    check_writable(self, False)
    if value._cell.aval.dtype is not self._cell.aval.dtype:
        value = bind(ROWS["_to_copy"], (value,), (), (self._cell.aval.dtype,))
    edge = bind(ROWS["_zero"], (self,))._edge if self._edge is not None else None
    if edge is not None:
        edge[0].rename(name)
    write(self, value, None if edge is None else edge[0])


def set_data(self, other):
    """`set_`: this tensor becomes another's memory."""
    self._cell = other._cell
    self._view = other._view
    return self


def cpu(self, memory_format=None):
    """On the CPU."""
    return self.to(dev.CPU)


def cuda(self, device=None, non_blocking=False, memory_format=None):
    """On a GPU."""
    return self.to("cuda" if device is None else dev.device(device))


def reorder(row, name):
    """The in-place form of the view `row` (t_, squeeze_) under a name of its: the tensor becomes the view."""

    def face(self, *args, **kwargs):
        if self._cell.handler is not None:
            for part in parts(self):
                if part is not None:
                    face(part, *args, **kwargs)
            return self
        check_writable(self, False, uniform=True)
        if row is _T and self._cell.aval.ndim > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._cell.aval.ndim}D")
        out = getattr(self, name)(*args, **kwargs)
        edge = out._edge if self._edge is not None and state.thread.grad else None
        if edge is not None:
            nodes.in_place(edge[0], row, False)
        elif self._edge is not None and len(self._edge) == 2 and self._cell.aval.shape != out._cell.aval.shape:
            self._edge = (ReshapedInPlace(self._edge, out._cell.aval), self._edge[1])
        self._cell = out._cell
        count_write(self._cell)
        if self._view is not None:
            self._cell.owner = weakref.ref(self)
        mark_stale(storage_of(self._cell), counter_of(self._cell))
        if edge is not None:
            self._edge = edge
        check_inference(self._cell)
        return self

    return face


def resize_(self, *size, memory_format=None):
    """Another shape: the first elements stay, further ones are zeros. Not for memory that several tensors read.
    https://pytorch.org/docs/stable/generated/torch.Tensor.resize_.html"""
    size, cell = varargs(size), self._cell
    if size == tuple(cell.aval.shape):
        return self
    if self._edge is not None:
        raise RuntimeError("cannot resize variables that require grad")
    if cell.base is not None or _has_views(cell):
        raise UnsupportedError("resize_ of a view, or of a tensor that has views")
    count = math.prod(size)
    value = bind(ROWS["_contiguous"], (self,)).view(-1)[:count]
    if count > cell.aval.numel:
        value = bind(ROWS["cat"], ((value, value.new_zeros(count - cell.aval.numel)),), (), (0,))
    value = bind(ROWS["_contiguous"], (value.view(size),))
    cell.aval = value._cell.aval
    write(self, value, None)
    return self


def _has_views(storage) -> bool:
    cells = [reference() for reference in storage.views or ()]
    return any(cell is not None and (cell.owner is None or cell.owner() is not None) for cell in cells)


def resize_as_(self, the_template, memory_format=None):
    """`resize_` to the shape of another tensor."""
    return resize_(self, *the_template.shape)


def compare_(row):
    """`eq_` and the like: the answers as 0 and 1, whose gradient is zero."""
    stand_in, kind = ROWS[row.write.stand_in], node_name(row.name).removesuffix("0")

    def face(self, other):
        t = state.trace
        if not t.thread.grad or (self._edge is None and getattr(other, "_edge", None) is None):
            return inplace(row, (self, other))
        check_writable(self, True)
        node = bind(stand_in, (self, other))._edge[0]
        node.rename(kind + ("1" if isinstance(other, Tensor) else "0"))
        t.thread.grad = False
        try:
            inplace(row, (self, other))
        finally:
            t.thread.grad = True
        rebase(self, node)
        mark_stale(storage_of(self._cell))
        return self

    return face


METHODS: dict = {
    **{f"{name}_": compare_(row) for row in ROWS.values() if row.write.stand_in for name in (row.face, *row.aliases)},
    **{f"{name}_": reorder(row, name) for row in ROWS.values() if row.view is not None and row.inplace
       for name in (row.face, *row.aliases)},
    "to": to, "type": type_, "type_as": type_as, "copy_": copy_, "fill_": fill_, "zero_": zero_, "cpu": cpu,
    "cuda": cuda, "set_": set_data, "resize_": resize_, "resize_as_": resize_as_,
    **{name: _to_dtype(d) for name, d in {
        "float": dt.float32, "double": dt.float64, "half": dt.float16, "bfloat16": dt.bfloat16, "int": dt.int32,
        "long": dt.int64, "short": dt.int16, "char": dt.int8, "byte": dt.uint8, "bool": dt.bool_,
        "cfloat": dt.complex64, "cdouble": dt.complex128}.items()},
}


def fill(input, value):
    """`torch.fill`: a new tensor of that value."""
    if isinstance(value, Tensor) and value._cell.aval.ndim:
        return fill_(input.clone(), value)  # which refuses it
    return bind(ROWS["_fill_tensor" if isinstance(value, Tensor) else "_fill"], (input, value))


def promote_types(type1, type2):
    """`torch.promote_types`."""
    return promotion.promote_types(type1, type2)


def can_cast(from_, to):
    """`torch.can_cast`."""
    return promotion.can_cast(from_, to)


def result_type(tensor1, tensor2):
    """`torch.result_type`."""
    found = []
    for x in (tensor1, tensor2):
        if isinstance(x, Tensor):
            found.append(promotion.Operand(x._cell.aval.dtype, 2 if x._cell.aval.ndim else 1))
        else:
            found.append(promotion.Operand(promotion.of_number(x), 0))
    return promotion.result_type(found)


FUNCTIONS: dict = {"fill": fill, "promote_types": promote_types, "can_cast": can_cast, "result_type": result_type,
                   "resize_as_": resize_as_}
