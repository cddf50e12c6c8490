"""Tensors from Python data, and constants: tensor, zeros, arange, *_like, new_*.

https://pytorch.org/docs/stable/torch.html#creation-ops. Constants are recorded as rows without
operands, so they are computed where they are used.
"""

import math

import jax
import numpy as np

from torchlike import device as dev
from torchlike import dtypes as dt
from torchlike._faces.generate import int_list, varargs
from torchlike._lower import avals
from torchlike._ops import promotion
from torchlike._ops.all import ROWS
from torchlike._storage import Storage
from torchlike._tensor import LEAF, Tensor, wrap
from torchlike._trace.bind import bind
from torchlike._trace.leaf import leaf, to_numpy


def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A new leaf from nested lists, numbers, arrays or a tensor (copied).
    https://pytorch.org/docs/stable/generated/torch.tensor.html"""
    array, found = _to_array(data, dtype)
    return _leaf(array, found, device, requires_grad)


def _leaf(array, dtype, device, requires_grad):
    if requires_grad and dtype.category < dt.FLOAT:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return leaf(array, dev.CPU if device is None else dev.device(device), requires_grad)


def _to_array(data, dtype):
    """(numpy array, dtype) as torch.tensor infers them."""
    if isinstance(data, Tensor):
        array = to_numpy(data)
    elif isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
        dt.from_np(array.dtype)
    elif isinstance(data, jax.Array):
        array = np.asarray(data)
    else:
        return _from_python(data, dtype)
    wanted = dt.from_np(array.dtype) if dtype is None else dtype
    return array.astype(wanted.np), wanted


def _from_python(data, dtype):
    shape = _shape(data)
    flat: list = []
    _flatten(data, shape, 0, flat)
    wanted = _inferred(flat) if dtype is None else dtype
    values = np.empty(len(flat), wanted.np)
    for i, value in enumerate(flat):
        values[i] = _element(value, wanted)
    return values.reshape(shape), wanted


def _shape(data) -> tuple:
    shape = []
    while isinstance(data, list | tuple | range) or (hasattr(data, "__len__") and hasattr(data, "__getitem__")
                                                    and not isinstance(data, str | bytes | dict | Tensor)):
        shape.append(len(data))
        if not data:
            break
        data = data[0]
    if isinstance(data, Tensor) and data.ndim:
        shape.extend(data.shape)
    if isinstance(data, str) and shape:
        raise ValueError(f"too many dimensions '{type(data).__name__}'")
    return tuple(shape)


def _flatten(data, shape, dim, flat):
    if dim == len(shape):
        if isinstance(data, list | tuple):
            raise TypeError(f"not a sequence at dim {dim}")
        flat.append(data.item() if isinstance(data, Tensor | np.generic | np.ndarray | jax.Array) else data)
        return
    if not hasattr(data, "__len__"):
        raise TypeError("not a sequence")
    if isinstance(data, Tensor):
        data = data.tolist()
    if len(data) != shape[dim]:
        raise ValueError(f"expected sequence of length {shape[dim]} at dim {dim} (got {len(data)})")
    for item in data:
        _flatten(item, shape, dim + 1, flat)


def _inferred(flat):
    found = None
    for value in flat:
        if isinstance(value, bool):
            mine = dt.bool_
        elif isinstance(value, int):
            mine = dt.int64
        elif isinstance(value, float):
            mine = promotion.default_float[0]
        elif isinstance(value, complex):
            mine = promotion.default_float[0].to_complex()
        elif value is None:
            raise RuntimeError("Could not infer dtype of NoneType")
        else:
            raise RuntimeError(f"Could not infer dtype of {type(value).__name__}")
        if found is None or mine.category > found.category:
            found = mine
    return promotion.default_float[0] if found is None else found


def _element(value, dtype):
    if isinstance(value, str) or value is None:
        raise TypeError(f"new(): invalid data type '{type(value).__name__}'")
    if dtype is dt.bool_:
        return bool(value)
    if dtype.category == dt.INT:
        if isinstance(value, complex):
            raise RuntimeError("value cannot be converted to type int64_t without overflow")
        whole = int(value)
        info = np.iinfo(dtype.np)
        if not info.min <= whole <= info.max:
            if dtype.is_signed and -(1 << 63) <= whole < 1 << 63 or not dtype.is_signed and whole < 0:
                return np.int64(whole).astype(dtype.np)
            raise RuntimeError(f"value cannot be converted to type {dtype.np.name}_t without overflow")
        return whole
    if dtype.category == dt.FLOAT and isinstance(value, complex):
        raise RuntimeError("value cannot be converted to type float without overflow")
    return value


def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor; a tensor of the right kind is returned as it is."""
    if isinstance(data, Tensor):
        return data.to(dtype=dtype, device=device)
    return tensor(data, dtype=dtype, device=device)


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """As `as_tensor`, with ``copy`` and ``requires_grad``."""
    out = as_tensor(obj, dtype, device)
    out = out.detach().clone() if copy and out is obj else out
    return out.requires_grad_() if requires_grad else out


def from_numpy(ndarray):
    """A tensor of an array's values. A copy: unlike PyTorch, the memory is not shared."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dt.from_np(ndarray.dtype)
    return leaf(ndarray)


def from_dlpack(ext_tensor):
    """A tensor of another library's array."""
    return leaf(jax.dlpack.from_dlpack(ext_tensor))


def scalar_tensor(s, *, dtype=None, device=None, requires_grad=False):
    """A 0-d tensor in the default dtype."""
    return tensor(s, dtype=dtype or promotion.default_float[0], device=device, requires_grad=requires_grad)


# -- constants

def _constant(shape, value, dtype, device, requires_grad):
    for size in shape:
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {size}: {list(shape)}")
    if requires_grad and dtype.category < dt.FLOAT:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    where = dev.CPU if device is None else dev.canonical(dev.device(device))
    if where.type == "meta":
        return wrap(Storage(None, -1, avals.aval(tuple(shape), dtype, where)))
    name = "_zeros" if value == 0 and value.__class__ is not bool else "_ones" if value.__class__ is int and value == 1 \
        else "_full"
    params = (tuple(shape), dtype, where)
    out = bind(ROWS[name], (), (), params) if name != "_full" else bind(ROWS[name], (), (value,), params)
    if requires_grad:
        out._edge = LEAF
    return out


def _filled(value):
    def face(*size, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False,
             memory_format=None):
        size = varargs(size)
        made = _constant(size, value, promotion.default_float[0] if dtype is None else dtype, device, requires_grad)
        return made if out is None else out.copy_(made)
    return face


def full(size, fill_value, *, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """https://pytorch.org/docs/stable/generated/torch.full.html"""
    if isinstance(fill_value, Tensor):
        fill_value = fill_value.item()
    dtype = promotion.of_number(fill_value) if dtype is None else dtype
    return _constant(int_list(size), fill_value, dtype, device, requires_grad)


def _like(value):
    def face(input, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None, pin_memory=False):
        aval = input._cell.aval
        dtype = aval.dtype if dtype is None else dtype
        if aval.contiguous or device is not None:
            return _constant(tuple(aval.shape), value, dtype, aval.device if device is None else device, requires_grad)
        made = bind(ROWS["_full_like"], (input.detach(),), (value,), (dtype,))  # keeps the strides
        return made.requires_grad_() if requires_grad else made
    return face


def full_like(input, fill_value, *, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None):
    """https://pytorch.org/docs/stable/generated/torch.full_like.html"""
    fill_value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    return _like(fill_value)(input, dtype=dtype, device=device, requires_grad=requires_grad)


def _new(value):
    def face(self, *size, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
        aval = self._cell.aval
        return _constant(varargs(size), value, aval.dtype if dtype is None else dtype,
                         aval.device if device is None else device, requires_grad)
    return face


def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """`full` with this tensor's dtype and device."""
    aval = self._cell.aval
    return _constant(int_list(size), fill_value, aval.dtype if dtype is None else dtype,
                     aval.device if device is None else device, requires_grad)


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """`tensor` with this tensor's dtype and device."""
    aval = self._cell.aval
    return tensor(data, dtype=aval.dtype if dtype is None else dtype, device=aval.device if device is None else device,
                  requires_grad=requires_grad)


def empty_strided(size, stride, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """Zeros with the given strides."""
    size, stride = int_list(size), int_list(stride)
    span = 1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) if math.prod(size) else 0
    flat = _constant((span,), 0, promotion.default_float[0] if dtype is None else dtype, device, False)
    out = flat.as_strided(size, stride)
    out._view = None
    return out.requires_grad_() if requires_grad else out


# -- ranges

def arange(start, end=None, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False,
           pin_memory=False):
    """https://pytorch.org/docs/stable/generated/torch.arange.html"""
    if end is None:
        start, end = 0, start
    start, end, step = (v.item() if isinstance(v, Tensor) else v for v in (start, end, step))
    if dtype is None:
        whole = all(isinstance(v, int) for v in (start, end, step))
        dtype = dt.int64 if whole else promotion.default_float[0]
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = max(math.ceil((end - start) / step), 0)
    wide = np.int64 if dtype.category == dt.INT and all(isinstance(v, int) for v in (start, step)) else np.float64
    values = wide(start) + np.arange(count, dtype=wide) * wide(step)
    return _leaf(values.astype(dtype.np), dtype, device, requires_grad)


def linspace(start, end, steps, *, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False):
    """https://pytorch.org/docs/stable/generated/torch.linspace.html"""
    start, end = (v.item() if isinstance(v, Tensor) else v for v in (start, end))
    dtype = promotion.default_float[0] if dtype is None else dtype
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return _leaf(_spaced(start, end, steps, dtype), dtype, device, requires_grad)


def _spaced(start, end, steps, dtype):
    """From both ends towards the middle, in the dtype's own arithmetic, as PyTorch's kernel does."""
    work = dtype.np if dtype.category >= dt.FLOAT and dtype.itemsize >= 4 else np.dtype(np.float32)
    if dtype.category == dt.INT:
        work = np.dtype(np.float64)
    if steps == 1:
        return np.asarray([start], work).astype(dtype.np)
    each = (work.type(end) - work.type(start)) / work.type(max(steps - 1, 1))
    i = np.arange(steps)
    low = work.type(start) + each * i.astype(work)
    high = work.type(end) - each * (steps - 1 - i).astype(work)
    return np.where(i < steps // 2, low, high).astype(dtype.np)


def logspace(start, end, steps, base=10.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False,
             pin_memory=False):
    """https://pytorch.org/docs/stable/generated/torch.logspace.html"""
    dtype = promotion.default_float[0] if dtype is None else dtype
    values = np.power(float(base), _spaced(start, end, steps, dt.float64))
    return _leaf(values.astype(dtype.np), dtype, device, requires_grad)


def eye(n, m=None, *, out=None, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    """https://pytorch.org/docs/stable/generated/torch.eye.html"""
    dtype = promotion.default_float[0] if dtype is None else dtype
    return _leaf(np.eye(n, n if m is None else m, dtype=dtype.np), dtype, device, requires_grad)


zeros, ones, empty = _filled(0), _filled(1), _filled(0)
FUNCTIONS = {
    "tensor": tensor, "as_tensor": as_tensor, "asarray": asarray, "from_numpy": from_numpy, "from_dlpack": from_dlpack,
    "scalar_tensor": scalar_tensor, "zeros": zeros, "ones": ones, "empty": empty, "full": full,
    "zeros_like": _like(0), "ones_like": _like(1), "empty_like": _like(0), "full_like": full_like,
    "empty_strided": empty_strided, "arange": arange, "linspace": linspace, "logspace": logspace, "eye": eye,
}
METHODS = {
    "new_zeros": _new(0), "new_ones": _new(1), "new_empty": _new(0), "new_full": new_full, "new_tensor": new_tensor,
}
