"""Gradient modes: contexts, decorators (also of generators) and plain calls, one thread each.

https://pytorch.org/docs/stable/autograd.html#locally-disabling-gradient-computation
"""

import functools
import inspect
from typing import Any

from torchlike._trace.trace import state


class _Mode:
    """A context that can also decorate a function, a generator function or a class's methods."""

    def clone(self) -> Any:
        """A fresh context of the same kind: contexts are entered once each."""
        return type(self)()

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):
            return _around_generator(self.clone, function)

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with self.clone():
                return function(*args, **kwargs)

        return wrapped


def _around_generator(make, function):
    """The mode holds while the generator runs, and not between its values."""

    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        generator = function(*args, **kwargs)
        with make():
            try:
                value = generator.send(None)
            except StopIteration as done:
                return done.value
        while True:
            try:
                sent = yield value
            except GeneratorExit:
                with make():
                    generator.close()
                raise
            except BaseException as error:  # noqa: BLE001 - the generator sees whatever is thrown in
                with make():
                    try:
                        value = generator.throw(error)
                    except StopIteration as done:
                        return done.value
            else:
                with make():
                    try:
                        value = generator.send(sent)
                    except StopIteration as done:
                        return done.value

    return wrapped


class _Fixed(_Mode):
    wanted = False

    def __new__(cls, function=None):
        made = object.__new__(cls)
        return made if function is None else made(function)

    def __enter__(self):
        trace = state.trace
        self.before, trace.grad = trace.grad, self.wanted and not trace.inference

    def __exit__(self, *exc):
        state.trace.grad = self.before


class no_grad(_Fixed):  # noqa: N801 - PyTorch's name
    """Results made inside do not require gradients.
    https://pytorch.org/docs/stable/generated/torch.no_grad.html"""


class enable_grad(_Fixed):  # noqa: N801
    """Switch gradients on again inside no_grad.
    https://pytorch.org/docs/stable/generated/torch.enable_grad.html"""

    wanted = True


class set_grad_enabled(_Mode):  # noqa: N801
    """``set_grad_enabled(mode)`` acts at once, and as a context until its end.
    https://pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_grad_enabled.html"""

    def __init__(self, mode: bool):
        self.mode = bool(mode)
        self.before = state.trace.grad
        state.trace.grad = self.mode

    def __call__(self, function):
        state.trace.grad = self.before
        return super().__call__(function)

    def clone(self):
        return set_grad_enabled(self.mode)

    def __enter__(self):
        state.trace.grad = self.mode

    def __exit__(self, *exc):
        state.trace.grad = self.before


class inference_mode(_Mode):  # noqa: N801
    """No gradients, no version counting for tensors made inside.
    https://pytorch.org/docs/stable/generated/torch.autograd.grad_mode.inference_mode.html"""

    def __new__(cls, mode=True):
        made = object.__new__(cls)
        made.mode = True if callable(mode) else mode
        return made(mode) if callable(mode) else made

    def clone(self):
        return inference_mode(self.mode)

    def __enter__(self):
        trace = state.trace
        self.before = trace.grad, trace.inference
        trace.inference = self.mode
        trace.grad = not self.mode if self.mode else self.before[0]

    def __exit__(self, *exc):
        state.trace.grad, state.trace.inference = self.before


def is_grad_enabled() -> bool:
    """Whether operations are recorded for backward on this thread."""
    return state.trace.grad


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on, on this thread."""
    return state.trace.inference
