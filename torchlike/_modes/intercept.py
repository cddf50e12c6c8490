"""Interceptors: functions that get each operation of a thread in the recorder's place (selective checkpoints)."""

import contextlib
import functools
from collections.abc import Callable
from typing import cast

from torchlike._base.typed import F
from torchlike._record.dispatch import Call, Handler, Operation, dispatch, installed, removed, trace_for
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.wrong_calls import instead_of


class Interceptor(Handler):
    """Hands each operation to ``function(operation)``, whose result is the operation's."""

    keeps_results = True

    def __init__(self, function: Callable[[Operation], object]):
        self.function = function

    def handle(self, operation: Operation):
        """What the function returns. Around its call there are only the outer interceptors."""
        with removed(self):
            return self.function(operation)


def intercepting(function: Callable[[Operation], object]) -> contextlib.AbstractContextManager:
    """A context inside which ``function(operation)`` is called for each Operation; what it returns is the result."""
    return installed(Interceptor(function))


def unintercepted() -> contextlib.AbstractContextManager:
    """A context without interceptors: for what is no operation of the user."""
    return removed(*(handler for handler in state.thread.handlers if isinstance(handler, Interceptor)))


def named(name: str, rewrite: Callable | None = None) -> Callable[[F], F]:
    """Decorates a function that makes a tensor without a row: interceptors see it as the operation `name`.

    Args:
        name: PyTorch's name of the operator and overload.
        rewrite: ``rewrite(self, value)``: how a function that writes to its first argument gives it a recalled value.
    """
    def decorate(function):
        @functools.wraps(function)
        def face(*args, **kwargs):
            if state.open is not None or trace_for(None) is not None:
                brought = args[0]._cell.handler if args and isinstance(args[0], Tensor) else None
                if brought is not None and brought.sees_all:
                    return brought.handle(Call(name, face, args, kwargs))
                try:
                    return function(*args, **kwargs)
                except Exception as error:  # noqa: BLE001 - any may come of wrong arguments
                    raise instead_of(error) from None
            return dispatch(Call(name, face, args, kwargs, rewrite))

        return cast("F", face)

    return decorate
