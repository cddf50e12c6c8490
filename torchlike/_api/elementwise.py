"""In-place methods that are made of other operators, and those that call a Python function for each element."""

from __future__ import annotations

from torchlike._api import from_data, pointwise
from torchlike._api.arguments import integer
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._ops.all import ROWS
from torchlike._record.inplace import inplace
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor


def fill_diagonal_(self: Tensor, fill_value: Number, wrap: bool = False) -> Tensor:
    """Write `fill_value` to where all indices are equal; with `wrap` a tall matrix has a further diagonal below.
    RuntimeError below two dimensions, and for more than two that differ.
    https://pytorch.org/docs/stable/generated/torch.Tensor.fill_diagonal_.html"""
    shape = self.shape
    if len(shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(shape) > 2:
        if len(set(shape)) > 1:
            raise RuntimeError("all dimensions of input must be of equal length")
        self.as_strided((shape[0],), (sum(self.stride()),), self.storage_offset()).fill_(fill_value)
        return self
    rows, columns = shape
    for start in range(0, rows if wrap else 1, columns + 1):
        self.narrow(0, start, rows - start).diagonal().fill_(fill_value)
    return self


def float_power_(self: Tensor, exponent: Tensor | Number) -> Tensor:
    """`float_power` in place: of float64, or of complex128 where either is complex; RuntimeError for other dtypes.
    https://pytorch.org/docs/stable/generated/torch.Tensor.float_power_.html"""
    wanted = pointwise.float_power_dtype(self, exponent)
    if self.dtype is not wanted:
        raise RuntimeError(f"the base given to float_power_ has dtype {self.dtype.scalar_name} but the operation's result "
                           f"requires dtype {wanted.scalar_name}")
    if isinstance(exponent, Tensor):
        exponent = exponent.to(wanted)
    return pointwise.pow_(self, exponent)


def polygamma_(self: Tensor, n: int) -> Tensor:
    """`polygamma` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.polygamma_.html"""
    return inplace(ROWS["polygamma"], (self,), (), (integer(n),))


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
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type(other).__name__}")
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


METHODS: dict = {"fill_diagonal_": fill_diagonal_, "float_power_": float_power_,
                 "polygamma_": polygamma_, "apply_": apply_, "map_": map_, "map2_": map2_}
