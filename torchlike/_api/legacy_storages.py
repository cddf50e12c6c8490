"""``torch.FloatStorage`` and its like: a `TypedStorage` of one dtype, by the names from before PyTorch 0.4; `from_file`.

https://pytorch.org/docs/stable/storage.html#legacy-typed-storage
"""

from __future__ import annotations

import functools
from typing import Any

from torchlike._api.storage_memory import mapped
from torchlike._api.typed_storages import CLASSES, TypedStorage, contents_of
from torchlike._api.types import DeviceLike
from torchlike._api.untyped_storage import UntypedStorage
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._compile.backends.registry import backend_of
from torchlike._ops import promotion
from torchlike._record.leaf import leaf_in
from torchlike._record.tensor import Tensor

_HALVES = ("Float8", "UInt", "ComplexHalf")


class _LegacyStorageMeta(type):
    """The class of these classes: calling one makes a TypedStorage, `isinstance` asks for dtype and device.

    `dtype` and `device` are what its storages have.
    """

    dtype: dt.dtype
    device: dev.device

    def __call__(cls, *args, wrap_storage=None, dtype=None, device=None, _internal=False):
        """Of a number of elements, zeros; of a sequence, its elements; of an UntypedStorage, on its memory."""
        for name, value in (("device", device), ("dtype", dtype)):
            if value is not None:
                raise _wrong(cls, RuntimeError, f"Keyword argument '{name}' cannot be specified")
        if len(args) > 1 and wrap_storage is None:
            raise _wrong(cls, RuntimeError, "Too many positional arguments")
        if args and wrap_storage is not None:
            raise _wrong(cls, RuntimeError, "No positional arguments should be given when using 'wrap_storage'")
        if wrap_storage is not None and not isinstance(wrap_storage, UntypedStorage):
            raise _wrong(cls, TypeError, f"Argument 'wrap_storage' must be UntypedStorage, but got {type(wrap_storage)}")
        if backend_of(cls.device).is_accelerator:
            backend_of(cls.device).hardware()
        if wrap_storage is None:
            wrap_storage = contents_of(args[0] if args else 0, cls.dtype, cls.device, functools.partial(_wrong, cls))
        return TypedStorage(wrap_storage=wrap_storage, dtype=cls.dtype, _internal=True)

    def __instancecheck__(cls, instance):
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype and instance.device.type == cls.device.type


def _wrong(cls, kind, reason) -> Exception:
    return kind(f"{cls}.__new__ received an invalid combination of arguments. Expected one of:\n * no arguments\n "
                f"* (int size)\n * (Sequence data)\n * (*, UntypedStorage wrap_storage)\n{reason}")


class _LegacyStorage(TypedStorage, metaclass=_LegacyStorageMeta):
    """The class of these classes' common methods."""

    @classmethod
    def from_buffer(cls, *args, **options):
        """The elements of a buffer, see `UntypedStorage.from_buffer`.

        Args:
            args: the buffer, its byte order, a number of elements, and of bytes to leave out.
            options: the same by name.

        Returns:
            A TypedStorage.
        """
        return cls._from_buffer(*args, dtype=cls.dtype, **options)


def _types(module, device) -> dict:
    """{"FloatStorage": the class} of `device`, as classes of the namespace `module`."""
    names = {f"{d.scalar_name}Storage": d for d in dt.ALL if not d.scalar_name.startswith(_HALVES)}
    made = {name: _LegacyStorageMeta(name, (_LegacyStorage,), {"dtype": d, "device": device, "__module__": module})
            for name, d in names.items()}
    CLASSES.update(((d, device.type), made[name]) for name, d in names.items())
    return made


CPU_STORAGES = _types("torch", dev.CPU)
CUDA_STORAGES = _types("torch.cuda", dev.device("cuda"))


def storage_type(self: Tensor) -> Any:
    """The class of the storages of this dtype, ``torch.FloatStorage``.
    https://pytorch.org/docs/stable/generated/torch.Tensor.storage_type.html"""
    types = CUDA_STORAGES if backend_of(self._cell.aval.device).is_accelerator else CPU_STORAGES
    return types[f"{self._cell.aval.dtype.scalar_name}Storage"]


def from_file(filename, shared: bool | None = None, size: int = 0, *, dtype: dtype | None = None, layout=None,
              device: DeviceLike | None = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """A 1-D tensor on the memory of a file, which is read where the tensor is.

    Args:
        filename: its path.
        shared: whether what is written to the tensor goes to the file, which is then made, or made longer, if need be.
        size: the number of elements.
        dtype: that of the elements; None is the default one.
        layout, device, pin_memory: for PyTorch's signature: the tensor is on the CPU.
        requires_grad: whether the result is a leaf that requires grad.

    Returns: (size).

    Raises:
        RuntimeError: there is no such file, or it is shorter and not shared.

    https://pytorch.org/docs/stable/generated/torch.from_file.html
    """
    found = promotion.default.dtype if dtype is None else dtype
    made = leaf_in(mapped(filename, bool(shared), size * found.itemsize).view(found.np))
    return made.requires_grad_() if requires_grad else made


BoolStorage = CPU_STORAGES["BoolStorage"]
ByteStorage = CPU_STORAGES["ByteStorage"]
CharStorage = CPU_STORAGES["CharStorage"]
ShortStorage = CPU_STORAGES["ShortStorage"]
IntStorage = CPU_STORAGES["IntStorage"]
LongStorage = CPU_STORAGES["LongStorage"]
HalfStorage = CPU_STORAGES["HalfStorage"]
FloatStorage = CPU_STORAGES["FloatStorage"]
DoubleStorage = CPU_STORAGES["DoubleStorage"]
BFloat16Storage = CPU_STORAGES["BFloat16Storage"]
ComplexFloatStorage = CPU_STORAGES["ComplexFloatStorage"]
ComplexDoubleStorage = CPU_STORAGES["ComplexDoubleStorage"]
Storage = FloatStorage
METHODS: dict = {"storage_type": storage_type}
FUNCTIONS: dict = {
    "Storage": Storage, "from_file": from_file,
    "BoolStorage": BoolStorage, "ByteStorage": ByteStorage, "CharStorage": CharStorage, "ShortStorage": ShortStorage,
    "IntStorage": IntStorage, "LongStorage": LongStorage, "HalfStorage": HalfStorage, "FloatStorage": FloatStorage,
    "DoubleStorage": DoubleStorage, "BFloat16Storage": BFloat16Storage, "ComplexFloatStorage": ComplexFloatStorage,
    "ComplexDoubleStorage": ComplexDoubleStorage,
}
