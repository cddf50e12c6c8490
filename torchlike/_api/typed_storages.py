"""`TypedStorage`: an `UntypedStorage` counted in elements, which PyTorch has deprecated; the storages of tensors.

https://pytorch.org/docs/stable/storage.html#torch.TypedStorage
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence

import numpy as np

from torchlike._api.arguments import sizes_of
from torchlike._api.from_data import parse
from torchlike._api.storage_base import StorageBase
from torchlike._api.storage_memory import OfMemory, OfTensor
from torchlike._api.untyped_storage import UntypedStorage
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.errors import type_name
from torchlike._base.settings import strided
from torchlike._compile.avals import row_major
from torchlike._ops import promotion
from torchlike._record.cell import storage_of
from torchlike._record.inplace import check_history
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked

_DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. This "
    "should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()")


@dataclasses.dataclass(slots=True)
class _Process:
    """Whether the deprecation was told; PyTorch warns once."""

    warned: bool = False


_process = _Process()
_FORMS = (
    "TypedStorage.__init__ received an invalid combination of arguments. Expected one of:\n"
    " * (*, torch.device device, torch.dtype dtype)\n * (int size, *, torch.device device, torch.dtype dtype)\n"
    " * (Sequence data, *, torch.device device, torch.dtype dtype)\n"
    " * (*, UntypedStorage wrap_storage, torch.dtype dtype)\n{}")
CLASSES: dict = {}  # {(dtype, type of device): ``torch.FloatStorage`` and its like}, see legacy_storages.py


@dataclasses.dataclass(slots=True)
class _Process:
    """Whether the deprecation was told; PyTorch warns once."""

    warned: bool = False


_process = _Process()


def _warn() -> None:
    if not _process.warned:
        _process.warned = True
        warnings.warn(_DEPRECATED, UserWarning, stacklevel=3)


def contents_of(data, dtype, device, wrong) -> UntypedStorage:
    """The bytes of a number of elements, all of them zero, or of the elements of a sequence.

    Args:
        data: an int, or a sequence.
        dtype: that of the elements.
        device: where a tensor on them will be.
        wrong: what makes the TypeError for anything else of a reason.

    Returns:
        An UntypedStorage.
    """
    if isinstance(data, int):
        return UntypedStorage(data * dtype.itemsize, device=device)
    if not isinstance(data, Sequence):
        raise wrong(TypeError, f"Argument type not recognized: {type(data)}")
    values = np.ascontiguousarray(parse(data, dtype))
    return UntypedStorage._on(OfMemory(values.reshape(-1).view(np.uint8), device, is_alone=True))


class TypedStorage(StorageBase):
    """An `UntypedStorage` counted in elements of a dtype.

    Args:
        args: none, a number of elements, or a sequence of them.
        device: where a tensor on it will be; None means the CPU.
        dtype: that of the elements; None means the default one.
        wrap_storage: the UntypedStorage, which needs `dtype` and nothing else.

    Raises:
        RuntimeError: arguments that exclude each other, or no dtype.
        TypeError: arguments of other kinds.
    """

    def __init__(self, *args, device=None, dtype=None, wrap_storage=None, _internal=False):
        if not _internal:
            _warn()

        def wrong(kind, reason):
            return kind(_FORMS.format(reason))

        if wrap_storage is None:
            if len(args) > 1:
                raise wrong(RuntimeError, "Too many positional arguments")
            dtype = promotion.default.dtype if dtype is None else dtype
            if not isinstance(dtype, dt.dtype):
                raise RuntimeError(f"expected torch.dtype, but got {type(dtype)}")
            where = dev.CPU if device is None else dev.device(device)
            wrap_storage = contents_of(args[0] if args else 0, dtype, where, wrong)
        elif args:
            raise wrong(RuntimeError, "No positional arguments should be given when using 'wrap_storage'")
        elif dtype is None:
            raise wrong(RuntimeError, "Argument 'dtype' must be specified")
        elif not isinstance(dtype, dt.dtype):
            raise wrong(TypeError, f"Argument 'dtype' must be torch.dtype, not {type(dtype)}")
        elif device is not None:
            raise wrong(RuntimeError, "Argument 'device' should not be specified when 'wrap_storage' is given")
        elif not isinstance(wrap_storage, UntypedStorage):
            raise wrong(TypeError, f"Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
        self._untyped_storage, self.dtype = wrap_storage, dtype

    @classmethod
    def _from_buffer(cls, *args, dtype=None, **options):
        dtype = promotion.default.dtype if dtype is None else dtype
        made = UntypedStorage.from_buffer(*args, dtype=dtype, **options)
        return TypedStorage(wrap_storage=made, dtype=dtype, _internal=True)

    @classmethod
    def from_buffer(cls, *args, dtype=None, device=None, **options):
        """The elements of a buffer, see `UntypedStorage.from_buffer`.

        Args:
            args: the buffer, its byte order, a number of elements, and of bytes to leave out.
            dtype: that of the elements; None means the default one.
            device: for PyTorch's signature.
            options: the same by name.

        Returns:
            A TypedStorage.
        """
        _warn()
        return cls._from_buffer(*args, dtype=dtype, **options)

    @classmethod
    def from_file(cls, filename, shared=False, size=0):
        """The first elements of a file, see `UntypedStorage.from_file`. A class of one dtype has them of that.

        Args:
            filename: its path.
            shared: whether what is written goes to the file.
            size: how many elements.

        Returns:
            A TypedStorage.

        Raises:
            RuntimeError: this is the class of all dtypes, or there is no such file.
        """
        _warn()
        if cls is TypedStorage:
            raise RuntimeError("from_file can only be called on derived classes")
        made = UntypedStorage.from_file(filename, shared, size * cls.dtype.itemsize)
        return TypedStorage(wrap_storage=made, dtype=cls.dtype, _internal=True)

    @property
    def _dtype(self):
        return self.dtype

    @property
    def _cdata(self):
        return self._untyped_storage._cdata

    @property
    def device(self):
        """Where the tensor is."""
        return self._untyped_storage.device

    def _of(self, untyped, dtype=None):
        return TypedStorage(wrap_storage=untyped, dtype=dtype or self.dtype, _internal=True)

    _new_wrapped_storage = _of

    def _vector(self):
        """The elements as a tensor on the same memory."""
        return self._untyped_storage._bytes.tensor(self.dtype)

    def _to(self, dtype):
        return self._vector().to(dtype, copy=True)._typed_storage()

    def untyped(self):
        """The bytes."""
        _warn()
        return self._untyped_storage

    def to(self, *, device, non_blocking=False):
        """Itself where it is there, else a copy, see `UntypedStorage.to`.

        Args:
            device: where to.
            non_blocking: for PyTorch's signature.

        Returns:
            A TypedStorage.
        """
        _warn()
        return self._of(self._untyped_storage.to(device=device))

    def type(self, dtype=None, non_blocking=False):
        """The name of the class of such storages; for a class or its name, the elements as such.

        Args:
            dtype: ``torch.IntStorage``, or its name; None asks for the name.
            non_blocking: for PyTorch's signature.

        Returns:
            A str, or a TypedStorage. (PyTorch's own conversion raises a RuntimeError, for it counts bytes as elements.)
        """
        _warn()
        mine = self._get_legacy_storage_class()
        if dtype is None:
            return f"{mine.__module__}.{mine.__name__}"
        if isinstance(dtype, str):
            dtype = {kind.__name__: kind for kind in CLASSES.values()}[dtype.rpartition(".")[2]]
        return self._to(dtype.dtype)

    def _get_legacy_storage_class(self):
        return CLASSES.get((self.dtype, self.device.type))

    def clone(self):
        """A copy."""
        _warn()
        return self._of(self._untyped_storage.clone())

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self._deepcopy(memo)

    def _deepcopy(self, memo):
        known = memo.get(self._cdata)
        if known is None:
            known = memo[self._cdata] = self.clone()
        return known

    def nbytes(self):
        """The number of bytes."""
        _warn()
        return self._nbytes()

    def _nbytes(self):
        return self._untyped_storage.nbytes()

    def element_size(self):
        """Bytes in an element."""
        _warn()
        return self.dtype.itemsize

    def _element_size(self):
        return self.dtype.itemsize

    def size(self):
        """The number of elements."""
        _warn()
        return self._size()

    def _size(self):
        return self._nbytes() // self.dtype.itemsize

    __len__ = size

    def data_ptr(self):
        """As `UntypedStorage.data_ptr`."""
        _warn()
        return self._data_ptr()

    def _data_ptr(self):
        return self._untyped_storage.data_ptr()

    def resizable(self):
        """Whether it can have another number of elements."""
        _warn()
        return self._untyped_storage.resizable()

    def resize_(self, size):
        """Another number of elements, see `UntypedStorage.resize_`.

        Args:
            size: the number.
        """
        _warn()
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def pickle_storage_type(self):
        """The name of the class of such storages."""
        _warn()
        return self._pickle_storage_type()

    def _pickle_storage_type(self):
        return f"{self.dtype.scalar_name}Storage"

    def _is_shared(self):
        return False

    def _place(self, index):
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -self._size() <= index < self._size():
            raise IndexError(f"index {index} out of range for storage of size {self._size()}")
        return index % self._size()

    def __getitem__(self, index):
        _warn()
        return self._values()[self._place(index)].item()

    def __setitem__(self, index, value):
        _warn()
        self._setitem(index, value)

    def _setitem(self, index, value):
        if not isinstance(index, int | slice):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if isinstance(index, int) and not -self._size() <= index < self._size():
            raise IndexError(f"index {index} is out of bounds for dimension 0 with size {self._size()}")
        if isinstance(value, TypedStorage):
            value = value._values()
        self._untyped_storage._bytes.writable().view(self.dtype.np)[index] = parse(value, self.dtype)

    def copy_(self, source, non_blocking=None):
        """Takes over the bytes of another storage, whatever its dtype, see `UntypedStorage.copy_`.

        Args:
            source: of as many bytes.
            non_blocking: for PyTorch's signature.

        Returns:
            The storage.
        """
        _warn()
        self._untyped_storage.copy_(source)
        return self

    def fill_(self, value):
        """Every element becomes `value`.

        Args:
            value: a number.

        Returns:
            The storage.
        """
        _warn()
        self._setitem(slice(0, self._size()), value)
        return self

    def tolist(self):
        """The elements."""
        _warn()
        return self._values().tolist()

    def __iter__(self):
        _warn()
        return iter(self._values().tolist())

    def _values(self):
        return self._untyped_storage._bytes.memory()[:self._size() * self.dtype.itemsize].view(self.dtype.np)

    def __repr__(self):
        _warn()
        where = f"[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {self._size()}]"
        if self.device == dev.device("meta"):
            return "...\n" + where
        return " " + "\n ".join(map(str, self._values().tolist())) + "\n" + where


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that this tensor shares with its views.
    https://pytorch.org/docs/stable/generated/torch.Tensor.untyped_storage.html"""
    if self._cell.layout is not strided:
        kind = "SparseTensorImpl" if self.is_sparse else "SparseCsrTensorImpl"
        raise NotImplementedError(f"Cannot access storage of {kind}")
    return UntypedStorage._on(OfTensor(storage_of(self._cell)))


def storage(self: Tensor) -> TypedStorage:
    """`untyped_storage` counted in elements; deprecated.
    https://pytorch.org/docs/stable/generated/torch.Tensor.storage.html"""
    _warn()
    return _typed_storage(self)


def _typed_storage(self: Tensor) -> TypedStorage:
    """`storage` without its warning."""
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
        made = source if size is None else OfTensor(storage_of(source._cell)).tensor(mine)
    else:
        made = source._untyped_storage._bytes.tensor(mine)
    if size is not None:
        sizes, steps = sizes_of(size), () if stride is None else sizes_of(stride)
        made = made.as_strided(sizes, steps or row_major(sizes), storage_offset)
    self._cell, self._view = made._cell, made._view if made is source else None
    return self


METHODS: dict = {"untyped_storage": untyped_storage, "storage": storage, "_typed_storage": _typed_storage, "set_": set_}
FUNCTIONS: dict = {"is_storage": is_storage}
