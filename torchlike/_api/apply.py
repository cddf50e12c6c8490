"""Methods that call a Python function for each element: apply_, map_, map2_.

https://pytorch.org/docs/stable/generated/torch.Tensor.apply_.html
"""

from __future__ import annotations

from torchlike._api import from_data
from torchlike._base import dtypes as dt
from torchlike._base.errors import type_name
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor


def _values(name, *tensors):
    if any(t.requires_grad for t in tensors):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    shape = tensors[0].shape
    return zip(*(host(t.expand(shape)._cell).reshape(-1).tolist() for t in tensors), strict=True)


def _write(self, values):
    cast = int if self.dtype.category == dt.INT else lambda value: value
    made = from_data.tensor([cast(value) for value in values], dtype=self.dtype, device=self.device)
    return self.copy_(made.view(self.shape))


def apply_(self: Tensor, callable) -> Tensor:
    """Every element by a function of Python numbers. On the host, one by one; not for what requires grad.
    https://pytorch.org/docs/stable/generated/torch.Tensor.apply_.html"""
    return _write(self, [callable(value) for value, in _values("apply_", self)])


def _check_type(name, argument, position, self, other):
    if not isinstance(other, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not "
                        f"{type_name(type(other))}")
    if self.dtype is not other.dtype:
        raise TypeError(f"{name}: expected {self.type()} for '{argument}' (got {other.type()})")


def map_(self: Tensor, tensor, callable) -> Tensor:
    """Every element by a function of it and of that of `tensor`, which is broadcast.
    https://pytorch.org/docs/stable/generated/torch.Tensor.map_.html"""
    _check_type("map_", "other", 1, self, tensor)
    return _write(self, [callable(*pair) for pair in _values("map_", self, tensor)])


def map2_(self: Tensor, x, y, callable) -> Tensor:
    """`map_` with two further tensors."""
    _check_type("map2_", "x", 1, self, x)
    _check_type("map2_", "y", 2, self, y)
    return _write(self, [callable(*three) for three in _values("map2_", self, x, y)])


METHODS: dict = {"apply_": apply_, "map_": map_, "map2_": map2_}
