"""Tensors of classes that users derive from Tensor. https://pytorch.org/docs/stable/notes/extending.html

An operation on one gives one, by `Tensor.__torch_function__`, which a class may override: see
`torchlike._record.torch_function`.
"""

from __future__ import annotations

from typing import Any

from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.errors import type_name
from torchlike._compile import avals
from torchlike._modes.torch_dispatch import WrapperCell, without_dispatch
from torchlike._ops import promotion
from torchlike._ops.all import ROWS
from torchlike._record.parameter import check_flag
from torchlike._record.tensor import LEAF, Tensor, wrap
from torchlike._record.torch_function import met, torch_function
from torchlike._record.views import detach, view

_NO_TENSOR = ("Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your "
              "class inherits from Tensor.")


def become(x, cls):
    """Make the Tensor `x` an instance of the subclass `cls`. TypeError if that is none."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise TypeError(_NO_TENSOR)
    met(cls)
    x.__class__ = cls
    if dispatches(cls):
        x._cell = WrapperCell(x._cell.aval, x, wrap(x._cell))
    return x


def as_subclass(self: Tensor, cls):
    """An instance of the subclass `cls` on the same memory, with history.
    https://pytorch.org/docs/stable/generated/torch.Tensor.as_subclass.html"""
    return become(view(ROWS["alias"], self, ()), cls)


def make_subclass(cls, data, require_grad=False, **ignored: Any):
    """An instance of the subclass `cls` on the memory of `data`, without its history."""
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {type_name(type(data))}")
    check_flag(require_grad)
    if require_grad and data._cell.aval.dtype.category < dt.FLOAT:
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return become(detach(data), cls).requires_grad_(require_grad)


def make_wrapper_subclass(cls, size, strides=None, storage_offset=None, memory_format=None, dtype=None, layout=None,
                          device=None, pin_memory=False, requires_grad=False, **ignored: Any):
    """An instance of a subclass with ``__torch_dispatch__`` that has these sizes and no memory."""
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(_NO_TENSOR)
    if not dispatches(cls):
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    where = dev.get_default_device() if device is None else dev.device(device)
    form = avals.aval(tuple(size), dtype or promotion.default.dtype, where, None if strides is None else tuple(strides),
                      storage_offset or 0)
    made = object.__new__(cls)
    made._cell = WrapperCell(form, made)
    made._edge = LEAF if requires_grad else None
    met(cls)
    return made


def disabled_torch_dispatch(func, types, args=(), kwargs=None):
    """``Tensor.__torch_dispatch__``: the call as with Tensors that hold what these do."""
    with without_dispatch():
        return func(*args, **(kwargs or {}))


def dispatches(cls) -> bool:
    """Whether a class has a ``__torch_dispatch__`` of its own."""
    return getattr(cls, "__torch_dispatch__", disabled_torch_dispatch) is not disabled_torch_dispatch


torch_function_operator = classmethod(torch_function)
_make_subclass = staticmethod(make_subclass)
__torch_dispatch__ = staticmethod(disabled_torch_dispatch)
_make_wrapper_subclass = staticmethod(make_wrapper_subclass)
METHODS: dict = {"__torch_function__": torch_function_operator, "as_subclass": as_subclass,
                 "__torch_dispatch__": __torch_dispatch__, "_make_subclass": _make_subclass,
                 "_make_wrapper_subclass": _make_wrapper_subclass}
