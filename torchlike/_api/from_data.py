"""Tensors from Python's and numpy's data: tensor, as_tensor, asarray, from_numpy.

https://pytorch.org/docs/stable/generated/torch.tensor.html. Which dtype and which error, in which
order, follows PyTorch: first the sizes along the first elements, then the dtype of all elements,
then the elements themselves.
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import jax
import numpy as np

from torchlike._api.options import check_options
from torchlike._api.types import DeviceLike, Number
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._base.errors import UnsupportedError, check_int64, type_name
from torchlike._modes import intercept
from torchlike._modes.torch_dispatch import lifted
from torchlike._ops import float8, promotion
from torchlike._ops.number_ranges import as_scalar
from torchlike._record.leaf import leaf, leaf_in, to_numpy
from torchlike._record.tensor import LEAF, Tensor
from torchlike._record.warning import warn, warn_once
from torchlike._record.wrong_calls import check_call, judged

PYTHON_DTYPES = {bool: dt.bool_, int: dt.int64, float: dt.float64, complex: dt.complex128}
_MAX_DIMS = 64
_READ_ONLY = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to this "
    "tensor will result in undefined behavior. You may want to copy the array to protect its data or make it writable "
    "before converting it to a tensor. This type of warning will be suppressed for the rest of this program.")
_READ_ONLY_BUFFER = (
    "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to the "
    "underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its data or "
    "make it writable before converting it to a tensor. This type of warning will be suppressed for the rest of this "
    "program.")
_SLOW = ("Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the "
         "list to a single numpy.ndarray with numpy.array() before converting to a tensor.")
_COPY = ("To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
         "sourceTensor.detach().clone().requires_grad_(True), rather than {}(sourceTensor).")
_ASARRAY = ("torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. "
            "Pass requires_grad=False explicitly to get the old behavior and silence this warning.")


def as_dtype(value, name: str):
    """A dtype argument: torchlike's, or Python's int, float, bool, complex. TypeError otherwise; UnsupportedError for a
    dtype that is a name only."""
    if value is None or isinstance(value, dt.dtype):
        if value in dt.NAMES_ONLY:
            raise UnsupportedError(f"{name}() of {value!r}: there are no such tensors")
        return value
    if value in PYTHON_DTYPES:
        return PYTHON_DTYPES[value]
    raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type(value).__name__}")


def check_grad(dtype, requires_grad) -> None:
    """RuntimeError where a tensor of this dtype cannot require gradients, TypeError for another true value than True."""
    if requires_grad:
        if requires_grad is not True:
            check_call()
            raise TypeError(f"argument 'requires_grad' must be bool, not {type_name(type(requires_grad))}")
        if dtype.category < dt.FLOAT:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")


# -- nested sequences

def _is_sequence(x) -> bool:
    if isinstance(x, list | tuple | range | np.ndarray | str | bytes):
        return True
    plain = isinstance(x, Tensor | dict | set | np.generic)
    return not plain and hasattr(x, "__getitem__") and hasattr(x, "__len__")


def _sizes(data) -> list:
    """The lengths along the first elements."""
    sizes = []
    while _is_sequence(data):
        sizes.append(len(data))
        if len(sizes) > _MAX_DIMS:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not sizes[-1]:
            break
        data = data[0]
    return sizes


def _flatten(data, sizes) -> list:
    """The elements in row-major order; the errors of lists that do not fit."""
    level = [data]
    for dim, size in enumerate(sizes):
        for item in level:
            if not _is_sequence(item):
                raise TypeError("not a sequence")
            if len(item) != size:
                raise ValueError(f"expected sequence of length {size} at dim {dim} (got {len(item)})")
        level = list(itertools.chain.from_iterable(level))
    return level


# -- dtypes

def _dtype_of(x):
    """The dtype of one element."""
    if isinstance(x, Tensor):
        return x._cell.aval.dtype
    if isinstance(x, np.generic | np.ndarray):
        return dt.from_np(x.dtype)
    if isinstance(x, bool | int | float | complex):
        return promotion.of_number(x)
    if isinstance(x, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(x).__name__}'")
    if _is_sequence(x):
        return _infer(x)
    raise RuntimeError(f"Could not infer dtype of {type(x).__name__}")


def _infer(data):
    """The dtype of nested data: that of all elements together."""
    if isinstance(data, np.ndarray | str | bytes) or not _is_sequence(data):
        return _dtype_of(data)
    if len(data) == 0:
        return promotion.default.dtype
    kinds = {type(x) for x in data}
    if kinds <= PYTHON_DTYPES.keys():
        found = [promotion.of_number(kind()) for kind in kinds]
    else:
        found = [_infer(x) for x in data]
    result = found[0]
    for other in found[1:]:
        result = promotion.promote_types(result, other)
    return result


# -- elements

def _element(x, dtype):
    """One element as a Python number that numpy can store as `dtype`."""
    if isinstance(x, Tensor):
        return _tensor_element(x, dtype)
    if isinstance(x, np.generic):
        x = x.item()
    if dtype.is_complex and isinstance(x, bool | int | float | complex):
        return x
    if dtype is dt.bool_ and isinstance(x, bool | int | float | complex):
        return bool(x)
    if dtype.is_floating_point:
        if isinstance(x, complex) or not hasattr(x, "__float__"):
            raise TypeError(f"must be real number, not {type(x).__name__}")
        return float(x)
    if isinstance(x, float):
        return _whole(x, dtype)
    if not hasattr(x, "__index__"):
        raise TypeError(f"'{type(x).__name__}' object cannot be interpreted as an integer")
    return int(x)


def _tensor_element(x, dtype):
    if dtype.category <= dt.INT and (x._cell.aval.numel != 1 or x._cell.aval.dtype.category > dt.INT):
        raise TypeError("only integer tensors of a single element can be converted to an index")
    if x._cell.aval.numel != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if x._edge is not None:
        warnings.warn("Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
                      "behavior.\n"
                      "Consider using tensor.detach() first.", UserWarning, stacklevel=6)
    return to_numpy(x).reshape(()).item()


def _whole(x, dtype):
    limits = np.iinfo(dtype.np)
    if not max(limits.min, -2.0**63) <= x <= limits.max:
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return int(x)


def _check_range(values, dtype) -> None:
    """PyTorch's overflow errors; negative numbers may wrap into unsigned dtypes."""
    low, high = min(values), max(values)
    limits = np.iinfo(dtype.np)
    if dtype is dt.uint64:
        if low < 0:
            raise OverflowError("can't convert negative int to unsigned")
        if high > limits.max:
            raise OverflowError("int too big to convert")
        return
    check_int64(low)
    check_int64(high)
    least = limits.min if dtype.is_signed else -limits.max
    if low < least or high > limits.max:
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")


def _stored(values, dtype) -> np.ndarray:
    if not all(type(x) in PYTHON_DTYPES for x in values) or dtype.category <= dt.INT or \
            (dtype.is_floating_point and any(type(x) is complex for x in values)):
        values = [_element(x, dtype) for x in values]
    if dtype.category == dt.INT and values:
        _check_range(values, dtype)
        return np.array(values, np.uint64 if dtype is dt.uint64 else np.int64).astype(dtype.np)
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype.category < dt.FLOAT:
            return np.array(values, dtype.np)
        if dtype.is_complex:
            return np.array(values, np.complex128).astype(dtype.np)
        array = np.array([float(x) for x in values] if any(type(x) is int for x in values) else values,
                        np.float64)
        return float8.rounded(array, dtype, np) if dtype in dt.FLOAT8 else array.astype(dtype.np)


def parse(data, dtype=None) -> np.ndarray:
    """Nested sequences, numbers, numpy arrays or tensors as a numpy array, by the rules of torch.tensor.

    TypeError, ValueError, RuntimeError or OverflowError, with PyTorch's texts, for what is none.
    """
    if isinstance(data, str | bytes):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if isinstance(data, Tensor):
        data = to_numpy(data)
    if isinstance(data, np.ndarray):
        _check_layout(data)
    if isinstance(data, np.ndarray | jax.Array):
        return _cast_array(np.asarray(data), dtype)
    if isinstance(data, np.generic):
        dtype = dt.from_np(data.dtype) if dtype is None else dtype
    sizes = _sizes(data)
    if isinstance(data, list | tuple) and data and isinstance(data[0], np.ndarray) and data[0].ndim:
        warnings.warn(_SLOW, UserWarning, stacklevel=3)
    dtype = _infer(data) if dtype is None else dtype
    if 0 in sizes:
        return np.zeros(sizes, dtype.np)
    return _stored(_flatten(data, sizes), dtype).reshape(sizes)


def _cast_array(array, dtype):
    found = dt.from_np(array.dtype)
    if dtype is None or dtype is found:
        return array
    if found.is_complex and not dtype.is_complex:
        array = array.real
    with np.errstate(invalid="ignore", over="ignore"):
        if dtype in dt.FLOAT8:
            return float8.rounded(array, dtype, np)
        return array != 0 if dtype is dt.bool_ else array.astype(dtype.np)


# -- faces

def _device_of(data, device):
    if device is not None:
        return dev.device(device)
    return data._cell.aval.device if isinstance(data, Tensor) else dev.get_default_device()


def tensor(data, *, dtype: dtype | None = None, device: DeviceLike | None = None, requires_grad: bool = False,
           pin_memory=False) -> Tensor:
    """A new leaf tensor of the data, copied.
    https://pytorch.org/docs/stable/generated/torch.tensor.html"""
    if pin_memory is not False or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    dtype = as_dtype(dtype, "tensor")
    if isinstance(data, Tensor):
        warnings.warn(_COPY.format("torch.tensor"), UserWarning, stacklevel=2)
    array = parse(data, dtype)
    check_grad(dt.from_np(array.dtype), requires_grad)
    place = _device_of(data, device)
    if data.__class__ is np.ndarray and place == dev.CPU and not array.flags.c_contiguous and 0 not in data.strides:
        made = lifted(leaf_in(np.copy(array), is_alone=True))  # the copy lies as the original
        return made.requires_grad_() if requires_grad else made
    made = lifted(leaf(array, place))
    return made.requires_grad_() if requires_grad else made


def as_tensor(data, dtype: dtype | None = None, device: DeviceLike | None = None) -> Tensor:
    """The tensor itself, cast and moved if need be, or a tensor of the data: on the memory of a numpy array, if it need
    not be cast or moved. https://pytorch.org/docs/stable/generated/torch.as_tensor.html"""
    if isinstance(data, Tensor):
        return data.to(device=device, dtype=as_dtype(dtype, "as_tensor"))
    return _on_memory_of(data, parse(data, as_dtype(dtype, "as_tensor")), _device_of(data, device))


def _on_memory_of(data, array, device) -> Tensor:
    """A leaf of `array`, which was made of `data`: on the memory of `data` where it is that."""
    return lifted(_on(array) if array is data and device == dev.CPU else leaf(array, device))


def asarray(obj, *, dtype: dtype | None = None, device: DeviceLike | None = None, copy=None,
            requires_grad: bool | None = None):
    """A tensor of the object. https://pytorch.org/docs/stable/generated/torch.asarray.html"""
    dtype = as_dtype(dtype, "asarray")
    if isinstance(obj, Tensor):
        out = obj.to(device=device, dtype=dtype, copy=bool(copy))
        wanted = obj._edge is not None if requires_grad is None else requires_grad
        if wanted and requires_grad is None:
            warnings.warn(_ASARRAY, UserWarning, stacklevel=2)
        return out if wanted else out.detach()
    if not isinstance(obj, np.generic | np.ndarray | jax.Array) and hasattr(obj, "__array__"):
        obj = obj.__array__()
    array = isinstance(obj, np.ndarray | np.generic | jax.Array)
    if copy is False and not array:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    place, values = _device_of(obj, device), parse(obj, dtype)
    made = leaf(values, place) if copy else _on_memory_of(obj, values, place)
    if requires_grad:
        check_grad(made._cell.aval.dtype, requires_grad)
        made._edge = LEAF
    return made


def from_numpy(ndarray):
    """A CPU tensor on the array's memory: what is written to one is seen in the other.
    https://pytorch.org/docs/stable/generated/torch.from_numpy.html"""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    _warn_of_constants(ndarray)
    _check_layout(ndarray)
    return leaf_in(ndarray)


def _on(array) -> Tensor:
    """A leaf on the memory of a numpy array."""
    _warn_of_constants(array)
    return leaf_in(array)


def _warn_of_constants(array) -> None:
    if not array.flags.writeable:
        warn_once(_READ_ONLY)


def _check_layout(array) -> None:
    """What PyTorch says of numpy arrays whose memory it cannot take as it is."""
    if not array.dtype.isnative:
        raise ValueError("given numpy array has byte order different from the native byte order. Conversion "
                         "between byte orders is currently not supported.")
    dt.from_np(array.dtype)
    if any(s % array.itemsize for s in array.strides):
        raise ValueError("given numpy array strides not a multiple of the element byte size. Copy the numpy array to "
                         "reallocate the memory.")
    if any(s < 0 for s in array.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with "
                         "negative strides are not currently supported. (You can probably work around this "
                         "by making a copy of your array  with array.copy().) ")


def _check_buffer(length, size, count, offset) -> None:
    """ValueError unless a buffer of so many bytes has `count` elements of `size` bytes from `offset` on."""
    if not length or not count:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) "
                         "minus 1")
    rest = length - offset
    if count < 0 and rest % size:
        raise ValueError(f"buffer length ({rest} bytes) after offset ({offset} bytes) must be a multiple of element size "
                         f"({size})")
    if count > 0 and count * size > rest:
        raise ValueError(f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be "
                         f"greater than actual buffer length ({length} bytes)")


def frombuffer(buffer, *, dtype: dtype, count=-1, offset=0, requires_grad: bool = False):
    """A 1-D tensor on a buffer's memory: what is written to one is seen in the other.
    https://pytorch.org/docs/stable/generated/torch.frombuffer.html"""
    kind: Any = as_dtype(dtype, "frombuffer")
    check_grad(kind, requires_grad)
    try:
        memory = memoryview(buffer)
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if not memory.c_contiguous:
        raise RuntimeError("could not retrieve buffer from object")
    if memory.readonly:
        warn_once(_READ_ONLY_BUFFER)
    _check_buffer(memory.nbytes, kind.itemsize, count, offset)
    made = leaf_in(np.frombuffer(buffer, kind.np, max(count, -1), offset))
    return made.requires_grad_() if requires_grad else made


@judged
@intercept.named("scalar_tensor.default")
def scalar_tensor(s: Number, *, dtype: dtype | None = None, layout=None, device: DeviceLike | None = None,
                  pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """A 0-d tensor of a number, of the default dtype."""
    if pin_memory is not False or layout is not None or requires_grad.__class__ is not bool:
        check_options(pin_memory)
    dtype = promotion.default.dtype if dtype is None else dtype
    if isinstance(s, int | float | complex):
        as_scalar(dtype).check(s)
    s = s.real if isinstance(s, complex) and not dtype.is_complex else s
    return tensor(s, dtype=dtype, device=device, requires_grad=requires_grad)


def new_tensor(self: Tensor, data, *, dtype: dtype | None = None, device: DeviceLike | None = None,
               requires_grad: bool = False):
    """`torch.tensor` with this tensor's dtype and device.
    https://pytorch.org/docs/stable/generated/torch.Tensor.new_tensor.html"""
    aval = self._cell.aval
    dtype = aval.dtype if dtype is None else as_dtype(dtype, "new_tensor")
    if isinstance(data, Tensor):
        warn(_COPY.format("tensor.new_tensor"))
    array = parse(data, dtype)
    check_grad(dt.from_np(array.dtype), requires_grad)
    return leaf(array, aval.device if device is None else dev.device(device), requires_grad)


FUNCTIONS: dict = {"tensor": tensor, "as_tensor": as_tensor, "asarray": asarray, "from_numpy": from_numpy,
             "frombuffer": frombuffer, "scalar_tensor": scalar_tensor}
METHODS: dict = {"new_tensor": new_tensor}
