"""Arguments in the forms that the recorder keys on: hashable, of plain ints."""

from __future__ import annotations

import operator
from typing import Any

from torchlike._record.bind import number_of
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import by_both_names, check_call, instead_of

_BEYOND = 1 << 63
ONE = 1  # a number's default, told from 1.0 and True by identity: Python has one object of each small int


def ints(value):
    """An int, a list of ints or None as a parameter: hashable, of plain ints."""
    if value is None or value.__class__ is int:
        return value
    try:
        if isinstance(value, tuple | list):
            if value and value[0].__class__ is bool:
                raise _no_int()
            return tuple([v if v.__class__ is int else operator.index(v) for v in value])
        return _index(value)
    except TypeError as error:
        raise instead_of(error) from None


def _index(value) -> int:
    """An int of another class than int; TypeError for a bool, which is none to PyTorch's parser, but for later ones of a
    list."""
    if value.__class__ is bool:
        raise _no_int()
    return operator.index(value)


def _no_int() -> TypeError:
    return TypeError("expected an int, not bool")


def int_list(value):
    """A list of ints given as one: ``size=(2, 3)`` or ``size=3``."""
    found = ints(value)
    return (found,) if found.__class__ is int else found


def sizes_of(given) -> tuple:
    """A list of ints that cannot be one int, such as sizes that come from a file. TypeError for anything else, for a bool
    that comes first, and for more than 64 bits."""
    if not isinstance(given, tuple | list):
        raise TypeError("sizes and strides are tuples")
    if not all(isinstance(n, int) and -_BEYOND <= n < _BEYOND for n in given) or isinstance(next(iter(given), 0), bool):
        raise TypeError("sizes, strides and offsets are integers of 64 bits")
    return tuple(map(int, given))


def varargs(values, named=None) -> tuple:
    """A list of ints given as one list, as separate arguments or by its name."""
    if named is not None:
        if hasattr(named, "__index__"):
            check_call()  # a list that is given by its name is one
        values = (named,)
    if len(values) == 1 and not hasattr(values[0], "__index__"):
        values = values[0]
    try:
        if values and values[0].__class__ is bool:
            raise _no_int()
        return tuple([v if v.__class__ is int else operator.index(v) for v in values])
    except TypeError as error:
        raise instead_of(error) from None


def by_axis(name, dim, axis, **needed) -> Any:
    """A `dim` that must be given, perhaps by numpy's name; TypeError with PyTorch's text if it or another is not."""
    dim = dim if axis is None else numpys("axis", dim, axis)
    absent = [f'"{argument}"' for argument, value in {"dim": dim, **needed}.items() if value is None]
    if absent:
        raise TypeError(f"{name}() missing {len(absent)} required positional arguments: {', '.join(absent)}")
    return dim


def numpys(name, ours, theirs, default=None):
    """An argument that is given by numpy's `name`. TypeError with PyTorch's text if it is given by PyTorch's name, too, but
    for what is its `default`: that cannot be told from one that is not given."""
    if ours != default:
        raise by_both_names(name)
    return theirs


def tensor_list(name, tensors, argument="tensors", position=0) -> tuple:
    """A list of tensors; TypeError with PyTorch's text if it is none."""
    if not isinstance(tensors, tuple | list):
        raise TypeError(f"{name}(): argument '{argument}' (position {position + 1}) must be tuple of Tensors, not "
                        f"{type(tensors).__name__}")
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument {position}, but got {type(x).__name__}")
    return tuple(tensors)


def integer(value):
    """One int; anything with ``__index__``; None stays."""
    try:
        return value if value.__class__ is int or value is None else _index(value)
    except TypeError as error:
        raise instead_of(error) from None


def as_tuple(results) -> tuple:
    """The results of a row that returns a list, which may have one element."""
    return results if results.__class__ is tuple else (results,)


def static_number(value):
    """A number whose value shapes the code: 2 and 2.0 must differ as keys."""
    if value is None or isinstance(value, str):
        return value
    value = number_of(value)
    return (value.__class__, value)


def shown(self) -> str:
    """The ``repr`` of a named tuple of results."""
    inside = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
    return f"torch.return_types.{type(self).__name__}(\n{inside})"


def index_tuple(v) -> tuple:
    """An int, or any collection of them, as a tuple of plain ints."""
    return tuple(operator.index(i) for i in v) if hasattr(v, "__iter__") else (operator.index(v),)


