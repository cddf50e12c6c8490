"""Where the bytes of a storage are: behind a tensor, or in memory that belongs to no tensor."""

import operator
import os
import sys
from collections.abc import Sequence

import numpy as np

from torchlike._api.addresses import address_of, memory_of
from torchlike._api.tensor_copies import flat_memory
from torchlike._base import device as _dev
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError, type_name
from torchlike._compile.avals import span
from torchlike._record.leaf import leaf, leaf_in, on_shared_memory
from torchlike._record.tensor import wrap

_BEYOND = 1 << 63


def mapped(filename, shared, nbytes) -> np.ndarray:
    """The first bytes of a file as they are in it, or, not `shared`, where writing leaves the file alone."""
    try:
        with open(filename, "a+b" if shared else "rb") as file:
            there = file.seek(0, os.SEEK_END)
            if shared and there < nbytes:
                file.truncate(nbytes)
    except OSError as error:
        mode = "read-write" if shared else "read-only"
        raise RuntimeError(f"unable to open file <{filename}> in {mode} mode: {error.strerror} ({error.errno})") from None
    if there < nbytes and not shared:
        raise RuntimeError(f"file <{filename}> size <{there}> is smaller than the required mapping size <{nbytes}>")
    return np.memmap(filename, np.uint8, "r+" if shared else "c", shape=(nbytes,)) if nbytes else np.zeros(0, np.uint8)


class OfTensor:
    """The bytes of a tensor and of all its views."""

    def __init__(self, storage):
        self.storage = storage
        self.device = storage.aval.device
        self.nbytes = span(storage.aval) * storage.aval.dtype.itemsize

    def address(self):
        return address_of(self.storage)

    def memory(self):
        return memory_of(self.storage)

    def writable(self):
        """The bytes themselves: what is written there is in the tensor."""
        shared = on_shared_memory(wrap(self.storage)) if self.nbytes else np.empty(0, np.uint8)
        if shared is None:
            raise UnsupportedError("writing to the storage of a tensor on another device, or whose strides are not those of "
                                   "its shape: write to the tensor")
        return shared.reshape(-1).view(np.uint8)

    def contents(self):
        """The bytes of today."""
        return np.ascontiguousarray(flat_memory(self.storage)).view(np.uint8)

    identity = property(lambda self: self.storage)

    def tensor(self, dtype):
        """The memory as one vector, without history."""
        return wrap(self.storage).as_strided((self.storage.aval.numel,), (1,), 0).view(dtype)


class OfMemory:
    """Bytes that belong to no tensor: those of a file, or a part of others. `is_alone`: nobody else has the memory. On
    another device than the host they are what a tensor on them will hold."""

    def __init__(self, memory, device=_dev.CPU, is_alone=False):
        self.bytes, self.nbytes, self.device, self.is_alone = memory, memory.size, device, is_alone

    def address(self):
        return self.bytes.ctypes.data if self.nbytes else 0

    def memory(self):
        return self.bytes

    writable = contents = memory
    identity = property(lambda self: self.bytes)

    def tensor(self, dtype, shape=(-1,)):
        """The memory as one vector, or of a shape that takes all of it."""
        values = self.bytes[:self.nbytes // dtype.itemsize * dtype.itemsize].view(dtype.np).reshape(shape)
        if self.device != _dev.CPU:
            return leaf(values, self.device)
        return leaf_in(values, is_alone=self.is_alone)


def given(size) -> np.ndarray:
    """The bytes that a number of them or a sequence stands for."""
    if hasattr(size, "__index__") and not isinstance(size, bool):
        count = operator.index(size)
        if not -_BEYOND <= count < _BEYOND:
            raise ValueError("Overflow when unpacking long long")
        if count < 0:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. alloc_cpu() seems to have been "
                               f"called with negative number: {count + 2 * _BEYOND}")
        return np.zeros(count, np.uint8)
    if not isinstance(size, Sequence):
        raise RuntimeError(f"torch.UntypedStorage(): Expected a sequence type, but got {type_name(type(size))}")
    wrong = [x for x in size if not isinstance(x, int)]
    if wrong:
        raise RuntimeError(
            f"torch.UntypedStorage(): tried to construct a storage from a sequence ({type_name(type(size))}), "
            f"but one of the items was of type {type_name(type(wrong[0]))} instead of int"
        )
    return np.array([x & 0xFF for x in size], np.uint8)


def from_buffer(buffer, byte_order, count, offset, dtype) -> np.ndarray:
    """The bytes of elements in a buffer, see `UntypedStorage.from_buffer`."""
    if dtype is None:
        raise RuntimeError("argument 'dtype' cannot be None")
    if byte_order is None and dtype.itemsize > 1:
        raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
    if byte_order not in (None, "big", "little", "native"):
        raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
    found = np.frombuffer(buffer, np.uint8)
    size = dtype.itemsize
    if not 0 <= offset <= found.size:  # the two numbers are in PyTorch's order
        raise ValueError(f"offset must be non-negative and no greater than buffer length ({offset}) , but got {found.size}")
    if count < 0:
        if (found.size - offset) % size:
            raise ValueError(f"buffer size ({found.size}) must be a multiple of element size ({size})")
        count = (found.size - offset) // size
    if offset + count * size > found.size:
        raise ValueError(f"buffer has only {found.size - offset} elements after offset {offset}, but specified a size of "
                         f"{count}")
    found = found[offset:offset + count * size].copy()
    if byte_order not in (None, "native", sys.byteorder):
        part = size // (2 if dtype.is_complex else 1)
        found = found.reshape(-1, part)[:, ::-1].copy().reshape(-1)
    return (found != 0).view(np.uint8) if dtype is dt.bool_ else found
