"""What is from before PyTorch 0.4 and programs still use: ``torch.Tensor(2, 3)``, ``torch.FloatTensor``, `Tensor.new`.

https://pytorch.org/docs/stable/tensors.html
"""

from __future__ import annotations

from typing import Any

from torchlike._api import creation, from_data
from torchlike._api.subclasses import as_subclass, become
from torchlike._api.type_info import set_default_dtype
from torchlike._api.types import DeviceLike
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.settings import strided
from torchlike._base.size import Size
from torchlike._compile.backends.registry import backend_of
from torchlike._ops import promotion
from torchlike._record.tensor import Tensor
from torchlike._record.warning import warn_once

_ONLY_FLOAT = "only floating-point types are supported as the default type"


def _construct(args, dtype, device):
    """A tensor of the sizes given (ints or a Size), without values, or of data; the tensor itself."""
    if len(args) == 1 and not isinstance(args[0], int | Size):
        if isinstance(args[0], Tensor):
            return args[0].detach()
        if isinstance(args[0], str):
            raise TypeError("new(): invalid data type 'str'")
        if not hasattr(args[0], "__len__"):
            raise TypeError(f"new(): data must be a sequence (got {type(args[0]).__name__})")
        return from_data.tensor(args[0], dtype=dtype, device=device)
    sizes = args[0] if len(args) == 1 and isinstance(args[0], Size) else args or (0,)
    return creation.empty(tuple(sizes), dtype=dtype, device=device)


def new(self: Tensor, *given: Any, size: Any = None, other: Tensor | None = None, data: Any = None,
        device: DeviceLike | None = None):
    """A tensor with the dtype of this one: of the sizes given (ints or a Size), without values, or of data.
    https://pytorch.org/docs/stable/generated/torch.Tensor.new_tensor.html is the present form."""
    named = [value for value in (Size(size) if size is not None else None, other, data) if value is not None]
    return _construct((*given, *named), self.dtype, self.device if device is None else device)


class tensortype(type):  # noqa: N801 - PyTorch's name
    """The class of ``torch.FloatTensor`` and the like: calling one makes a Tensor, `isinstance` asks for dtype and device.

    `dtype` and `device` are what its tensors have. TypeError for a tensor of another dtype, for numbers and for words.
    """

    dtype: dt.dtype
    device: dev.device
    layout = strided
    is_sparse = False

    def __call__(cls, *args, device=None):
        if len(args) == 1 and isinstance(args[0], Tensor) and args[0].dtype is not cls.dtype:
            raise TypeError(f"expected {_options(cls.dtype, cls.device)} (got {_options(args[0].dtype, args[0].device)})")
        return _construct(args, cls.dtype, cls.device if device is None else device)

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(f"type object '{cls.__name__}' has no attribute '{name}'")
        return backend_of(cls.device).is_accelerator if name == "is_cuda" else getattr(Tensor, name)

    def __instancecheck__(cls, instance):
        return (isinstance(instance, Tensor) and instance.dtype is cls.dtype and instance.layout is cls.layout
                and instance.device.type == cls.device.type)


def _options(dtype, device) -> str:
    return (f"TensorOptions(dtype={dtype.cpp_name}, "
            f"device={device}, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
            "memory_format=(nullopt))")


def tensor_types(module, device, kind=tensortype) -> dict:
    """``FloatTensor`` and the others of `device`, as classes of the namespace `module`; `kind` is their class."""
    names = {f"{d.scalar_name}Tensor": d for d in dt.ALL if not d.is_complex and not d.scalar_name.startswith("UInt")}
    return {name: kind(name, (), {"dtype": d, "device": device, "__module__": module}) for name, d in names.items()}


CPU_TYPES = tensor_types("torch", dev.CPU)
CUDA_TYPES = tensor_types("torch.cuda", dev.device("cuda"))


def set_default_tensor_type(t, /) -> None:
    """The dtype of Python floats and the device of new tensors, by a type such as torch.DoubleTensor or its name.
    TypeError unless it is floating. https://pytorch.org/docs/stable/generated/torch.set_default_tensor_type.html"""
    warn_once("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
              "torch.set_default_device() as alternatives.")
    if isinstance(t, str):
        module, _, name = t.rpartition(".")
        t = {"torch": CPU_TYPES, "torch.cuda": CUDA_TYPES}.get(module, {}).get(name)
    if not isinstance(t, tensortype):
        raise TypeError("invalid type object: " + _ONLY_FLOAT)
    if not t.dtype.is_floating_point:
        raise TypeError(_ONLY_FLOAT)
    set_default_dtype(t.dtype)
    dev.set_default_device(None if t.device == dev.CPU else t.device)


def _new_tensor(cls, *args: Any, device: DeviceLike | None = None):
    made = _construct(args, promotion.default.dtype, device)
    if cls is Tensor:
        return made
    return as_subclass(args[0], cls) if isinstance(args[0] if args else None, Tensor) else become(made, cls)


BoolTensor = CPU_TYPES["BoolTensor"]
ByteTensor = CPU_TYPES["ByteTensor"]
CharTensor = CPU_TYPES["CharTensor"]
ShortTensor = CPU_TYPES["ShortTensor"]
IntTensor = CPU_TYPES["IntTensor"]
LongTensor = CPU_TYPES["LongTensor"]
HalfTensor = CPU_TYPES["HalfTensor"]
FloatTensor = CPU_TYPES["FloatTensor"]
DoubleTensor = CPU_TYPES["DoubleTensor"]
BFloat16Tensor = CPU_TYPES["BFloat16Tensor"]
METHODS: dict = {"new": new, "__new__": _new_tensor}
FUNCTIONS: dict = {
    "BoolTensor": BoolTensor, "ByteTensor": ByteTensor, "CharTensor": CharTensor, "ShortTensor": ShortTensor,
    "IntTensor": IntTensor, "LongTensor": LongTensor, "HalfTensor": HalfTensor, "FloatTensor": FloatTensor,
    "DoubleTensor": DoubleTensor, "BFloat16Tensor": BFloat16Tensor,
    "set_default_tensor_type": set_default_tensor_type,
}
