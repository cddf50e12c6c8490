"""Tensors of classes that users derive from Tensor. https://pytorch.org/docs/stable/notes/extending.html

An operation on one gives one, by `Tensor.__torch_function__`, which a class may override: see
`torchlike._record.torch_function`.
"""

from __future__ import annotations

from typing import Any

from torchlike._base.errors import UnsupportedError
from torchlike._ops.all import ROWS
from torchlike._record.tensor import Tensor
from torchlike._record.torch_function import met, torch_function
from torchlike._record.views import detach, view

_NO_TENSOR = ("Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your "
              "class inherits from Tensor.")


def become(x, cls):
    """Make the Tensor `x` an instance of the subclass `cls`. TypeError if that is none; UnsupportedError if it has
    ``__torch_dispatch__``."""
    if not isinstance(cls, type):
        raise TypeError(f"cls must be a type (got {type(cls).__name__})")
    if not issubclass(cls, Tensor):
        raise TypeError(_NO_TENSOR)
    if hasattr(cls, "__torch_dispatch__"):
        raise UnsupportedError(f"__torch_dispatch__ (of {cls.__qualname__}) is not supported by torchlike: operators are "
                               "recorded as a trace of JAX's; __torch_function__ is supported")
    met(cls)
    x.__class__ = cls
    return x


def as_subclass(self: Tensor, cls):
    """An instance of the subclass `cls` on the same memory, with history.
    https://pytorch.org/docs/stable/generated/torch.Tensor.as_subclass.html"""
    return become(view(ROWS["alias"], self, ()), cls)


def make_subclass(cls, data, require_grad=False, **ignored: Any):
    """An instance of the subclass `cls` on the memory of `data`, without its history."""
    if not isinstance(data, Tensor):
        raise TypeError(f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {type(data).__name__}")
    return become(detach(data), cls).requires_grad_(require_grad)


def make_wrapper_subclass(cls, size, **options: Any):
    """UnsupportedError."""
    raise UnsupportedError("Tensor._make_wrapper_subclass is not supported by torchlike: it needs __torch_dispatch__")


torch_function_operator = classmethod(torch_function)
_make_subclass = staticmethod(make_subclass)
_make_wrapper_subclass = staticmethod(make_wrapper_subclass)
METHODS: dict = {"__torch_function__": torch_function_operator, "as_subclass": as_subclass,
                 "_make_subclass": _make_subclass,
                 "_make_wrapper_subclass": _make_wrapper_subclass}
