"""`UntypedStorage`: the memory of a tensor, as bytes. https://pytorch.org/docs/stable/storage.html

The storage of a tensor cannot be resized.
"""

from __future__ import annotations

import numpy as np

from torchlike._api.storage_base import StorageBase
from torchlike._api.storage_memory import OfMemory, OfTensor, from_buffer, given, mapped
from torchlike._base import device as _dev
from torchlike._base import dtypes as _dt
from torchlike._base.errors import UnsupportedError, type_name
from torchlike._compile.backends.registry import backend_of as _backend_of
from torchlike._record.cell import storage_of
from torchlike._record.tensor import wrap


class _StorageBase(StorageBase):
    """The class of storages that are no typed ones."""


class UntypedStorage(_StorageBase):
    """The bytes behind a tensor (``x.untyped_storage()``), in a file (`from_file`) or in memory of its own.

    Two are equal if they are the same memory. What is written to one is in the tensor, which does not count it as a write.
    https://pytorch.org/docs/stable/storage.html#torch.UntypedStorage

    Args:
        size: how many bytes, all of them zero; or a sequence of the bytes.
        device: where a tensor on them will be.
    """

    _bytes: OfMemory | OfTensor

    def __new__(cls, size=0, *, device=None):
        where = _dev.CPU if device is None else _dev.device(device)
        return cls._on(OfMemory(given(size), where))

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
        if isinstance(self._bytes, OfTensor):
            stored = self._bytes.storage
            return wrap(stored) if stored.aval.dtype is dtype else self._bytes.tensor(dtype)
        made = self._bytes.tensor(dtype, shape)
        if self.nbytes() % dtype.itemsize == 0:
            self._bytes = OfTensor(storage_of(made._cell))
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
        return cls._on(OfMemory(memory, is_alone=is_alone))

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
        return cls._on(OfMemory(mapped(filename, shared, nbytes)))

    @classmethod
    def from_buffer(cls, buffer, byte_order=None, count=-1, offset=0, *, dtype=None):
        """The elements of a buffer, copied.

        Args:
            buffer: an object of Python's buffer protocol.
            byte_order: "big", "little" or "native"; elements of one byte need none.
            count: how many elements; -1 means all.
            offset: how many bytes to leave out at the start.
            dtype: that of the elements.

        Returns:
            An UntypedStorage of their bytes, in the machine's order.

        Raises:
            RuntimeError: no dtype, or no byte order for elements of several bytes.
            ValueError: the buffer has not so many bytes, or another byte order is named.
        """
        return cls._on(OfMemory(from_buffer(buffer, byte_order, count, offset, dtype), is_alone=True))

    @property
    def device(self):
        """Where the tensor is."""
        return self._bytes.device

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

    def new(self):
        """An empty storage."""
        return UntypedStorage()

    def type(self, dtype=None, non_blocking=False):
        """Its name; for a name or class of storages, the elements as such.

        Args:
            dtype: ``torch.FloatStorage``, or its name; None asks for the name.
            non_blocking: for PyTorch's signature.

        Returns:
            A str, or a storage.
        """
        if dtype is None:
            return "torch.storage.UntypedStorage"
        return self if dtype is UntypedStorage else dtype(self.tolist())

    def resizable(self):
        """Whether it can have another number of bytes: one of a tensor cannot."""
        return not isinstance(self._bytes, OfTensor)

    def byteswap(self, dtype):
        """Turns the bytes of each element around, of complex ones those of each part.

        Args:
            dtype: that of the elements.
        """
        size = dtype.itemsize // (2 if dtype.is_complex else 1)
        whole = self._bytes.writable()[:self.nbytes() // size * size].reshape(-1, size)
        whole[:] = whole[:, ::-1].copy()

    def _to(self, dtype):
        return self._bytes.tensor(_dt.uint8).to(dtype, copy=True)._typed_storage()

    def untyped(self):
        """The storage itself."""
        return self

    _untyped_storage = property(untyped)

    def __array__(self, dtype=None, copy=None):
        return np.array(self._bytes.memory(), dtype, copy=copy)

    def __getitem__(self, index):
        """The byte, or a storage of the bytes of a slice."""
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise RuntimeError(f"Trying to slice with a step of {index.step}, but only a step of 1 is supported")
            return UntypedStorage._on(OfMemory(self._bytes.memory()[index]))
        if not isinstance(index, int):
            raise TypeError(f"can't index a torch.UntypedStorage with {type_name(type(index))}")
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
        return UntypedStorage._on(OfMemory(np.array(self._bytes.memory())))

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
        return UntypedStorage._on(OfMemory(np.array(self._bytes.contents()), where))

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and (self.data_ptr(), len(self)) == (other.data_ptr(), len(other))

    def __hash__(self):
        return hash(self.data_ptr())

    def __repr__(self):
        rows = "\n ".join(map(str, self))
        return f" {rows}\n[torch.storage.UntypedStorage(device={self.device}) of size {len(self)}]"

    def __setitem__(self, index, value):
        if not isinstance(value, int):
            raise RuntimeError(f"can only set storage content with a int types, but got {type_name(type(value))} instead")
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise RuntimeError(f"Trying to slice with a step of {index.step}, but only a step of 1 is supported")
        elif not isinstance(index, int):
            raise TypeError(f"can't index a torch.UntypedStorage with {type_name(type(index))}")
        elif not -len(self) <= index < len(self):
            raise RuntimeError("out of bounds")
        self._bytes.writable()[index] = value & 0xFF

    def resize_(self, size):
        """Another number of bytes; new ones are zero.

        Args:
            size: the number.

        Returns:
            The storage.

        Raises:
            UnsupportedError: the storage is a tensor's.
        """
        if isinstance(self._bytes, OfTensor):
            raise UnsupportedError("torch.UntypedStorage.resize_ of the storage of a tensor")
        kept = self._bytes.memory()[:size]
        self._bytes = OfMemory(np.concatenate([kept, np.zeros(size - kept.size, np.uint8)]))
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
        self._bytes.writable()[:] = source._untyped_storage._bytes.memory()
        return self

    def fill_(self, value):
        """Every byte becomes `value`.

        Args:
            value: a byte.

        Returns:
            The storage.
        """
        self._bytes.writable()[:] = value & 0xFF
        return self
