"""`UntypedStorage`: the memory of a tensor, as bytes. https://pytorch.org/docs/stable/storage.html

The storage of a tensor cannot be resized. `TypedStorage`, which PyTorch has deprecated, is the same counted in elements.
"""

from __future__ import annotations

import dataclasses
import operator
import os
import warnings
from collections.abc import Sequence

import numpy as np

from torchlike._api.addresses import address_of, memory_of
from torchlike._api.arguments import sizes_of
from torchlike._api.tensor_copies import flat_memory
from torchlike._base import device as _dev
from torchlike._base.errors import UnsupportedError, type_name
from torchlike._base.settings import strided
from torchlike._compile.avals import row_major, span
from torchlike._compile.backends.registry import backend_of as _backend_of
from torchlike._record.cell import storage_of
from torchlike._record.inplace import check_history
from torchlike._record.leaf import leaf, leaf_in, on_shared_memory
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.wrong_calls import checked

_BEYOND = 1 << 63
_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This "
    "should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()")


@dataclasses.dataclass(slots=True)
class _Process:
    """Whether the deprecation was told; PyTorch warns once."""

    warned: bool = False


_process = _Process()


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


class _OfTensor:
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


class _OfMemory:
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


def _given(size) -> np.ndarray:
    """The bytes that a number of them or a sequence stands for."""
    if hasattr(size, "__index__") and not isinstance(size, bool):
        count = operator.index(size)
        if not -_BEYOND <= count < _BEYOND:
            raise ValueError("Overflow when unpacking long long")
        if count < 0:
            raise RuntimeError(f"a storage cannot have a negative number of bytes: {count}")
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


class UntypedStorage:
    """The bytes behind a tensor (``x.untyped_storage()``), in a file (`from_file`) or in memory of its own.

    Two are equal if they are the same memory. What is written to one is in the tensor, which does not count it as a write.
    https://pytorch.org/docs/stable/storage.html#torch.UntypedStorage

    Args:
        size: how many bytes, all of them zero; or a sequence of the bytes.
        device: where a tensor on them will be.
    """

    _bytes: _OfMemory | _OfTensor

    def __new__(cls, size=0, *, device=None):
        where = _dev.CPU if device is None else _dev.device(device)
        return cls._on(_OfMemory(_given(size), where))

    @classmethod
    def _on(cls, what):
        made = object.__new__(cls)
        made._bytes = what
        return made

    def first_tensor(self, dtype, shape):
        """A tensor on the memory, which from then on is the tensor's.

        Args:
            dtype: that of the tensor.
            shape: that of the tensor, unless the memory is one's by now: then that one's, a vector for another dtype.

        Returns: (shape).
        """
        if isinstance(self._bytes, _OfTensor):
            stored = self._bytes.storage
            return wrap(stored) if stored.aval.dtype is dtype else self._bytes.tensor(dtype)
        made = self._bytes.tensor(dtype, shape)
        if self.nbytes() % dtype.itemsize == 0:
            self._bytes = _OfTensor(storage_of(made._cell))
        return made

    @property
    def _cdata(self) -> int:
        """A number that storages of the same memory share."""
        return id(self._bytes.identity)

    @classmethod
    def on_memory(cls, memory, is_alone=False):
        """A storage of the bytes in a numpy array.

        Args:
            memory: the array, of uint8.
            is_alone: whether nobody else will use it.

        Returns:
            An UntypedStorage.
        """
        return cls._on(_OfMemory(memory, is_alone=is_alone))

    @classmethod
    def from_file(cls, filename, shared=False, nbytes=0):
        """The first bytes of a file, read when they are looked at.

        Args:
            filename: its path.
            shared: whether what is written goes to the file, which is made, or made longer, if need be.
            nbytes: how many bytes.

        Returns:
            An UntypedStorage.

        Raises:
            RuntimeError: there is no such file, or it has fewer bytes and is not shared.
        """
        return cls._on(_OfMemory(mapped(filename, shared, nbytes)))

    @property
    def device(self):
        """Where the tensor is."""
        return self._bytes.device

    @property
    def is_cuda(self) -> bool:
        """Whether that is a GPU."""
        return _backend_of(self.device).is_accelerator

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._bytes.nbytes

    size = __len__ = nbytes

    def element_size(self) -> int:
        """Bytes in an element: one."""
        return 1

    def data_ptr(self) -> int:
        """The address of the first byte, see `Tensor.data_ptr`."""
        return self._bytes.address()

    def untyped(self):
        """The storage itself."""
        return self

    def is_shared(self) -> bool:
        """False: no memory is shared between processes."""
        return False

    def is_pinned(self, device="cuda") -> bool:
        """False: no memory is pinned.

        Args:
            device: for PyTorch's signature.

        Returns:
            False.
        """
        return False

    def __array__(self, dtype=None, copy=None):
        return np.array(self._bytes.memory(), dtype, copy=copy)

    def __getitem__(self, index):
        """The byte, or a storage of the bytes of a slice."""
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise RuntimeError(f"Trying to slice with a step of {index.step}, but only a step of 1 is supported")
            return UntypedStorage._on(_OfMemory(self._bytes.memory()[index]))
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return int(self._bytes.memory()[index])

    def __iter__(self):
        return iter(self.tolist())

    def tolist(self) -> list:
        """The bytes as numbers."""
        return self._bytes.memory().tolist()

    def clone(self):
        """A copy."""
        return UntypedStorage._on(_OfMemory(np.array(self._bytes.memory())))

    def to(self, *, device, non_blocking=False):
        """Itself where it is there, else a copy.

        Args:
            device: where to.
            non_blocking: for PyTorch's signature.

        Returns:
            An UntypedStorage.

        Raises:
            RuntimeError: there is no such device.
        """
        where = _dev.canonical(_dev.device(device))
        if where == self.device:
            return self
        if _backend_of(where).has_values:
            _backend_of(where).hardware()
        return UntypedStorage._on(_OfMemory(np.array(self._bytes.contents()), where))

    def cpu(self):
        """Itself on the CPU."""
        return self.to(device=_dev.CPU)

    def cuda(self, device=None, non_blocking=False):
        """Itself on a GPU, see `to`.

        Args:
            device: a GPU, or its number; None means the first one.
            non_blocking: for PyTorch's signature.

        Returns:
            An UntypedStorage.
        """
        return self.to(device=_dev.device("cuda", device or 0) if not isinstance(device, _dev.device) else device)

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and (self.data_ptr(), len(self)) == (other.data_ptr(), len(other))

    def __hash__(self):
        return hash(self.data_ptr())

    def __repr__(self):
        rows = "".join(f" {x}\n" for x in self)
        return f"{rows}[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"

    def __setitem__(self, index, value):
        self._bytes.writable()[index] = value

    def resize_(self, size):
        """Another number of bytes; new ones are zero.

        Args:
            size: the number.

        Returns:
            The storage.

        Raises:
            UnsupportedError: the storage is a tensor's.
        """
        if isinstance(self._bytes, _OfTensor):
            raise UnsupportedError("torch.UntypedStorage.resize_ of the storage of a tensor")
        kept = self._bytes.memory()[:size]
        self._bytes = _OfMemory(np.concatenate([kept, np.zeros(size - kept.size, np.uint8)]))
        return self

    def copy_(self, source, non_blocking=None):
        """Takes over the bytes of another storage.

        Args:
            source: of as many bytes.
            non_blocking: for PyTorch's signature.

        Returns:
            The storage.

        Raises:
            RuntimeError: it has more or fewer bytes.
        """
        if source.nbytes() != self.nbytes():
            raise RuntimeError(f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes")
        self._bytes.writable()[:] = source.untyped()._bytes.memory()
        return self

    def fill_(self, value):
        """Every byte becomes `value`.

        Args:
            value: a byte.

        Returns:
            The storage.
        """
        self._bytes.writable()[:] = value
        return self


class TypedStorage:
    """An `UntypedStorage` counted in elements of a dtype; deprecated, as in PyTorch.
    https://pytorch.org/docs/stable/storage.html#torch.TypedStorage

    Args:
        wrap_storage: the UntypedStorage.
        dtype: that of the elements.
    """

    def __init__(self, *, wrap_storage, dtype, _internal=False):
        if not _internal:
            _warn()
        self._untyped_storage, self.dtype = wrap_storage, dtype

    @property
    def device(self):
        """Where the tensor is."""
        return self._untyped_storage.device

    def untyped(self):
        """The bytes."""
        return self._untyped_storage

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._untyped_storage.nbytes()

    def element_size(self) -> int:
        """Bytes in an element."""
        return self.dtype.itemsize

    def size(self) -> int:
        """The number of elements."""
        return self.nbytes() // self.dtype.itemsize

    __len__ = size

    def data_ptr(self) -> int:
        """As `UntypedStorage.data_ptr`."""
        return self._untyped_storage.data_ptr()

    def _values(self):
        return self._untyped_storage._bytes.memory().view(self.dtype.np)

    def __getitem__(self, index):
        return self._values()[index].item()

    def __setitem__(self, index, value):
        self._untyped_storage._bytes.writable().view(self.dtype.np)[index] = value

    def fill_(self, value):
        """Every element becomes `value`.

        Args:
            value: a number.

        Returns:
            The storage.
        """
        self[:] = value
        return self

    def tolist(self) -> list:
        """The elements."""
        return self._values().tolist()


def _warn() -> None:
    if not _process.warned:
        _process.warned = True
        warnings.warn(_DEPRECATED, UserWarning, stacklevel=3)


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that this tensor shares with its views.
    https://pytorch.org/docs/stable/generated/torch.Tensor.untyped_storage.html"""
    if self._cell.layout is not strided:
        kind = "SparseTensorImpl" if self.is_sparse else "SparseCsrTensorImpl"
        raise NotImplementedError(f"Cannot access storage of {kind}")
    return UntypedStorage._on(_OfTensor(storage_of(self._cell)))


def storage(self: Tensor) -> TypedStorage:
    """`untyped_storage` counted in elements; deprecated.
    https://pytorch.org/docs/stable/generated/torch.Tensor.storage.html"""
    _warn()
    return TypedStorage(wrap_storage=untyped_storage(self), dtype=self.dtype, _internal=True)


def is_storage(obj, /) -> bool:
    """Whether it is one of the two. https://pytorch.org/docs/stable/generated/torch.is_storage.html"""
    return isinstance(obj, UntypedStorage | TypedStorage)


@checked
def set_(self: Tensor, source: Tensor | UntypedStorage | TypedStorage | None = None, storage_offset: int = 0,
         size: Sequence[int] | None = None, stride: Sequence[int] | None = None) -> Tensor:
    """This tensor becomes another's memory, or a window on it; without a source it becomes empty.

    Args:
        source: a tensor of the same dtype, or a storage.
        storage_offset: where the window begins, in elements.
        size: its shape; None means all of the source.
        stride: its strides in elements; None means those of a contiguous tensor.

    Returns:
        The tensor.

    Raises:
        RuntimeError: the tensor has another dtype, the window is larger than the memory of a tensor, or this is a leaf
            that requires grad.

    https://pytorch.org/docs/stable/generated/torch.Tensor.set_.html
    """
    if not isinstance(storage_offset, int) or isinstance(storage_offset, bool):
        raise TypeError(f"set_(): argument 'storage_offset' must be int, not {type_name(type(storage_offset))}")
    check_history(self, False)
    mine = self._cell.aval.dtype
    if source is not None and source.device != self.device:
        raise RuntimeError(f'Attempted to set the storage of a tensor on device "{self.device}" to a storage on different '
                           f'device "{source.device}".  This is no longer allowed; the devices must match.')
    if source is None:
        made = self.new_empty(0)
    elif isinstance(source, Tensor):
        theirs = source._cell.aval.dtype
        if size is None and mine is not theirs:
            raise RuntimeError(f"Could not set tensor of type {theirs.cpp_name} to a tensor of type {mine.cpp_name}")
        made = source if size is None else _OfTensor(storage_of(source._cell)).tensor(mine)
    else:
        made = source.untyped()._bytes.tensor(mine)
    if size is not None:
        sizes, steps = sizes_of(size), () if stride is None else sizes_of(stride)
        made = made.as_strided(sizes, steps or row_major(sizes), storage_offset)
    self._cell, self._view = made._cell, made._view if made is source else None
    return self


METHODS: dict = {"untyped_storage": untyped_storage, "storage": storage, "set_": set_}
FUNCTIONS: dict = {"is_storage": is_storage}
