"""Types of samples, for the checks of `_decorator.py`, and the metaclasses of pipes."""

import functools
import numbers
from abc import ABCMeta
from typing import Any, Generic, TypeVar, Union, get_args, get_origin

from torchlike.utils.data.datapipes._hook_iterator import _SnapshotState, hook_iterator


class GenericMeta(ABCMeta):
    """The metaclass that all pipes share."""


class Integer(numbers.Integral):
    """Stands for int where a type is compared, so that bool is none."""


class Boolean(numbers.Integral):
    """Stands for bool where a type is compared."""


TYPE2ABC = {bool: Boolean, int: Integer, float: numbers.Real, complex: numbers.Complex, dict: dict, list: list, set: set,
            tuple: tuple, None: type(None)}


def _alternatives(kind) -> list | None:
    """The members of a Union, the bound or the constraints of a TypeVar; None for what is one type."""
    if isinstance(kind, TypeVar):
        found = list(kind.__constraints__) if kind.__bound__ is None else [kind.__bound__]
    elif getattr(kind, "__origin__", None) == Union:
        found = list(get_args(kind))
    else:
        return None
    return [TYPE2ABC.get(each, each) for each in found]


def _is_bare_generic(kind) -> bool:
    return getattr(kind, "__origin__", None) is Generic


def issubtype(left, right, recursive=True) -> bool:
    """Whether each type that `left` can be is one that `right` can be.

    Args:
        left, right: a class, a type of `typing`, or a TypeVar.
        recursive: whether the types in brackets count.

    Returns: a bool.
    """
    left, right = TYPE2ABC.get(left, left), TYPE2ABC.get(right, right)
    if right is Any or left == right or _is_bare_generic(right):
        return True
    if right is type(None):
        return False
    wanted = _alternatives(right)
    wanted = [right] if wanted is None else wanted
    if not wanted or Any in wanted:
        return True
    if left is Any:
        return False
    given = _alternatives(left)
    given = [left] if given is None else given
    return bool(given) and all(_is_one_of(each, wanted, recursive) for each in given)


def _is_one_of(kind, wanted, recursive) -> bool:
    """Whether a type, or each that it can be, is one of those wanted, or of those that they can be."""
    if kind in wanted:
        return True
    given = _alternatives(kind)
    if given is not None:
        return all(_is_one_of(each, wanted, recursive) for each in given)
    return any(_matches(kind, each, recursive) for each in wanted)


def _matches(kind, wanted, recursive) -> bool:
    alternatives = _alternatives(wanted)
    if alternatives is not None:
        return _is_one_of(kind, alternatives, recursive)
    origin = getattr(kind, "__origin__", None)
    origin, args = (kind, ()) if origin is None else (origin, get_args(kind))
    wanted_origin = getattr(wanted, "__origin__", None)
    if wanted_origin is None:
        return origin == wanted
    if origin != wanted_origin:
        return False
    wanted_args = get_args(wanted)
    return not recursive or not wanted_args or (len(args) == len(wanted_args) and all(map(issubtype, args, wanted_args)))


def issubinstance(data, data_type) -> bool:
    """Whether a value, and what is in it, is of a type.

    Args:
        data: the value.
        data_type: as for `issubtype`.

    Returns: a bool.
    """
    if not issubtype(type(data), data_type, recursive=False):
        return False
    args = get_args(data_type)
    if not args:
        return True
    if isinstance(data, tuple):
        return len(args) == len(data) and all(map(issubinstance, data, args))
    if isinstance(data, list | set):
        return all(issubinstance(each, args[0]) for each in data)
    if isinstance(data, dict):
        key, value = args
        return all(issubinstance(k, key) and issubinstance(v, value) for k, v in data.items())
    return True


class _DataPipeType:
    """The type of a pipe's samples.

    Args:
        param: as for `issubtype`.
    """

    def __init__(self, param):
        self.param = param

    def __repr__(self):
        kind = self.param
        if not isinstance(kind, type) or get_origin(kind) is not None:
            return repr(kind)
        return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"

    def __eq__(self, other):
        return self.param == other.param if isinstance(other, _DataPipeType) else NotImplemented

    def __hash__(self):
        return hash(self.param)

    def issubtype(self, other) -> bool:
        """Whether this is a subtype of another one; TypeError for what is no type."""
        if _is_bare_generic(other.param):
            return True
        if isinstance(other, _DataPipeType):
            return issubtype(self.param, other.param)
        if isinstance(other, type):
            return issubtype(self.param, other)
        raise TypeError(f"Expected '_DataPipeType' or 'type', but found {type(other)}")

    def issubtype_of_instance(self, other) -> bool:
        """Whether a value is of this type."""
        return issubinstance(other, self.param)


class _DataPipeMeta(GenericMeta):
    """The metaclass of MapDataPipe. Where a class has a `type`, the decorators of `_decorator.py` check it."""

    type: _DataPipeType


class _IterDataPipeMeta(_DataPipeMeta):
    """The metaclass of IterDataPipe: wraps ``__iter__``, ``__next__`` and ``reset`` of each class."""

    def __new__(cls, name, bases, namespace, **kwargs):
        if "reset" in namespace:
            namespace["reset"] = _conditional(namespace["reset"])
        if "__iter__" in namespace:
            hook_iterator(namespace)
        return super().__new__(cls, name, bases, namespace, **kwargs)


def _conditional(function):
    """`reset` that leaves a pipe alone which has just been restored from a snapshot."""
    @functools.wraps(function)
    def reset(*args, **kwargs):
        datapipe = args[0]
        if datapipe._snapshot_state is not _SnapshotState.Restored:
            datapipe._number_of_samples_yielded = 0
            datapipe._fast_forward_iterator = None
            function(*args, **kwargs)
        datapipe._snapshot_state = _SnapshotState.Iterating

    return reset
