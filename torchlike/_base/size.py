"""`torch.Size`: a tuple that prints as PyTorch's and multiplies out."""

import functools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, SupportsIndex, overload

import numpy as np

from torchlike._base.errors import type_name
from torchlike._base.symbolic import SymInt


class Size(tuple[int, ...]):
    """The shape of a tensor, a tuple of its extents.
    https://pytorch.org/docs/stable/size.html

    Args:
        values: integers.

    Raises:
        TypeError: one is no integer.
    """

    __slots__ = ()

    def __getattr__(self, name):
        raise AttributeError(f"'torch.Size' object has no attribute '{name}'")

    def __new__(cls, values: Iterable = ()):
        made: Any = super().__new__(cls, values)
        for i, n in enumerate(made):
            if type(n) is not int:
                return super().__new__(cls, [_checked(i, n) for i, n in enumerate(made)])
        return made

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(repr, self))}])"

    __str__ = __repr__

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> "Size": ...

    def __getitem__(self, index: Any):
        got = tuple.__getitem__(self, index)
        return plain(got) if isinstance(index, slice) else got

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))

    def __mul__(self, count):
        return plain(tuple.__mul__(self, count))

    __rmul__ = __mul__


def _checked(i: int, n) -> Any:
    """An extent as an int; numbers of numpy and those that are not known yet stay what they are, as in PyTorch."""
    if isinstance(n, SymInt):
        return n
    try:
        found = operator.index(n)
    except Exception:  # noqa: BLE001 - of tensors that hold no integer, or more than one
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type_name(type(n))}')") from None
    return n if isinstance(n, np.generic) else found


_new: Any = tuple.__new__
plain: Callable[[Iterable], Size] = functools.partial(_new, Size)  # for what is known to be integers
