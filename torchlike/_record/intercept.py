"""Watchers: functions that get each operation instead of the recorder (selective checkpoints).

While a thread has one, its Trace is a WatchedTrace, whose look-ups raise `Watching`. The recorder's short
forms then fall back to `bind`, as they do for tracers and dual tensors, and `bind` hands the operation to
the innermost watcher. So nobody else pays for watchers.
"""

import contextlib
import functools
import threading

from torchlike._ops import overloads
from torchlike._record.tensor import Tensor
from torchlike._record.trace import DirectMode, Trace, state

_NODE = Trace.__dict__["node"]


class Watching(DirectMode):
    """Raised inside the recorder where a watcher comes first."""


class Operation:
    """An operation under PyTorch's name for it (``mul_.Tensor``), with the arguments that PyTorch passes.

    ``run()`` records it and returns its result. ``recall(values)`` returns these values as its result, with
    the history it would have, and does not compute them.
    """

    __slots__ = ("args", "kwargs", "name", "recall", "run")

    def __init__(self, name, args, kwargs, run, recall):
        self.name, self.args, self.kwargs, self.run, self.recall = name, args, kwargs, run, recall


def of_row(row, operands, numbers, params, run, recall, in_place=False) -> Operation:
    """The Operation of a row."""
    name = overloads.name_of(row.name, tuple(isinstance(x, Tensor) for x in operands), params, in_place)
    args, kwargs = overloads.arguments(row, operands, numbers, params)
    return Operation(name, args, kwargs, run, recall)


class _Gate:
    """A tree node at which nothing can be looked up."""

    __slots__ = ("node",)

    def __init__(self, node):
        self.node = node

    def get(self, key):
        raise Watching

    def __getattr__(self, name):
        return getattr(self.node, name)


class WatchedTrace(Trace):
    """A Trace whose thread has a watcher."""

    __slots__ = ()
    node = property(lambda self: _Gate(_NODE.__get__(self)), lambda self, node: _NODE.__set__(self, node))

    def enter(self, cell) -> int:
        self.__class__ = Trace
        try:
            return Trace.enter(self, cell)
        except DirectMode:
            raise Watching from None
        finally:
            self.__class__ = WatchedTrace


class _Stack(threading.local):
    """This thread's watchers, the innermost last."""

    watchers: tuple = ()


_stack = _Stack()


def watched() -> bool:
    """Whether this thread has a watcher."""
    return state.trace.__class__ is not Trace and has_watchers()


def has_watchers() -> bool:
    """The same where it is known that the Trace is a special one."""
    return bool(_stack.watchers)


def plain_class() -> type:
    """The class of this thread's Trace outside of autocast."""
    return WatchedTrace if _stack.watchers else Trace


def _adjust(trace) -> None:
    """A trace that casts has its class from autocast.py."""
    if trace.__class__ is Trace or trace.__class__ is WatchedTrace:
        trace.__class__ = plain_class()


@contextlib.contextmanager
def _having(watchers):
    before, trace = _stack.watchers, state.trace
    _stack.watchers = watchers
    _adjust(trace)
    try:
        yield
    finally:
        _stack.watchers = before
        _adjust(trace)


def watching(watcher):
    """A context inside which ``watcher(operation)`` is called for each Operation; what it returns is the result."""
    return _having((*_stack.watchers, watcher))


def unwatched():
    """A context without watchers: for what is no operation of the user."""
    return _having(())


def intercept(operation):
    """What the innermost watcher returns. Around its call there are only the outer ones."""
    *outer, innermost = _stack.watchers
    with _having(tuple(outer)):
        return innermost(operation)


def named(name, rewrite=None):
    """Decorates a function that makes a tensor without a row: watchers see it as the operation `name`.

    ``rewrite(self, value)``: how a function that writes to its first argument gives it a recalled value.
    """
    def decorate(function):
        @functools.wraps(function)
        def face(*args, **kwargs):
            if not watched():
                return function(*args, **kwargs)

            def recall(values):
                return values[0] if rewrite is None else rewrite(args[0], values[0])

            return intercept(Operation(name, args, kwargs, lambda: face(*args, **kwargs), recall))

        return face

    return decorate
