"""Tensors in what modules are given and return."""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

from torchlike._record.tensor import Tensor
from torchlike.nn.utils.rnn import PackedSequence


def mapped(function: Callable, x) -> Any:
    """The same structure with a function applied to each tensor.

    Args:
        function: from a tensor to a tensor.
        x: tensors in lists, tuples, sets, dicts, dataclasses and PackedSequences.

    Returns:
        a structure of the same kind; `x` itself where it has no tensors.
    """
    if isinstance(x, Tensor):
        return function(x)
    if isinstance(x, PackedSequence):
        return PackedSequence(function(x.data), *x[1:])
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        return dataclasses.replace(x, **{field.name: mapped(function, getattr(x, field.name))
                                         for field in dataclasses.fields(x) if field.init})
    if isinstance(x, dict):
        new = {name: mapped(function, value) for name, value in x.items()}
        return new if type(x) is dict else _like(x, new)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(mapped(function, y) for y in x))
    if isinstance(x, list | tuple | set):
        return type(x)(mapped(function, y) for y in x)
    return x


def _like(x, new):
    """A dict of a class of the user's."""
    try:
        return type(x)(new)
    except TypeError:
        return new


def tensors_in(x) -> Iterator[Tensor]:
    """The tensors of such a structure, in order.

    Args:
        x: as for `mapped`.

    Yields:
        each tensor.
    """
    found: list = []

    def noted(tensor):
        found.append(tensor)
        return tensor

    mapped(noted, x)
    yield from found


def cast(dtype, x) -> Any:
    """The same with floating tensors of another dtype.

    Args:
        dtype: the dtype; None changes nothing.
        x: as for `mapped`.

    Returns:
        as `mapped`.
    """
    if dtype is None:
        return x
    return mapped(lambda t: t.to(dtype) if t.is_floating_point() and t.dtype is not dtype else t, x)
