"""Gradient modes: contexts, decorators (also of generators) and plain calls, one thread each.

https://pytorch.org/docs/stable/autograd.html#locally-disabling-gradient-computation
"""

import functools
import inspect
import threading
from typing import Any

from torchlike._record import explain_log
from torchlike._record.trace import state


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


class _GradMode(_Mode):
    """Sets the grad mode to `mode` and back to what it was `before`: when entered, or when it was made (`is_set`). Under
    inference mode nothing is recorded, whatever the grad mode says.

    What sets the mode calls nothing in between, and on entering it is the last thing that happens: Python looks for signals
    where functions are called, so that an interruption finds it set inside or not at all.
    """

    mode = False
    is_set = False

    def __call__(self, function):
        if inspect.isgeneratorfunction(function):
            return super().__call__(function)

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            thread, frames = state.thread, state.thread.frames
            before = thread.grad, thread.asked, thread.inference, frames and frames[-1].stopped
            try:
                self.clone().__enter__()
                return function(*args, **kwargs)
            finally:
                thread.grad, thread.asked, thread.inference, stopped = before
                if frames:
                    frames[-1].stopped = stopped
                explain_log.note_grad(state.trace, is_grad_enabled())

        return wrapped

    def __enter__(self):
        if not self.is_set:
            self.before = is_grad_enabled()
        explain_log.note_grad(state.trace, self.mode)
        thread = state.thread
        if thread.frames:
            thread.frames[-1].stopped = not self.mode
        if thread.inference:
            thread.asked = self.mode
        else:
            thread.grad = self.mode

    def __exit__(self, *exc):
        thread = state.thread
        if thread.inference:
            thread.asked = self.before
        else:
            thread.grad = self.before
        if thread.frames:
            thread.frames[-1].stopped = not self.before
        explain_log.note_grad(state.trace, self.before)


class _Fixed(_GradMode):
    def __new__(cls, orig_func=None):
        made = object.__new__(cls)
        return made if orig_func is None else made(orig_func)


class no_grad(_Fixed):  # noqa: N801 - PyTorch's name
    """Results made inside do not require gradients. A context, or a decorator of functions and generator functions.
    https://pytorch.org/docs/stable/generated/torch.no_grad.html

    Args:
        orig_func: the function, where it decorates one without parentheses.
    """


class enable_grad(_Fixed):  # noqa: N801
    """Switches gradients on again inside `no_grad`. A context, or a decorator of functions and generator functions.
    https://pytorch.org/docs/stable/generated/torch.enable_grad.html

    Args:
        orig_func: as for `no_grad`.
    """

    mode = True


class set_grad_enabled(_GradMode):  # noqa: N801
    """Switches gradients on or off at once, and as a context until its end; also a decorator.
    https://pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_grad_enabled.html

    Args:
        mode: whether results require gradients.

    Raises:
        TypeError: it is no bool.
    """

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}")
        self.mode, self.before = mode, is_grad_enabled()
        try:
            self.__enter__()
        except BaseException:  # Ctrl-C, say: nobody has what would put it back
            self.__exit__()
            raise
        self.is_set = True

    def __call__(self, function):
        self.__exit__()
        return super().__call__(function)

    def clone(self):
        """A new one with the same mode."""
        return set_grad_enabled(self.mode)


class inference_mode(_GradMode):  # noqa: N801
    """No gradients, and no version counting for tensors made inside, which cannot be saved for backward afterwards. A
    context, or a decorator of functions and generator functions.
    https://pytorch.org/docs/stable/generated/torch.autograd.grad_mode.inference_mode.html

    Args:
        mode: whether it is on; or the function, where it decorates one without parentheses.
    """

    def __new__(cls, mode=True):
        made = object.__new__(cls)
        made.mode = True if callable(mode) else mode
        return made(mode) if callable(mode) else made

    def clone(self):
        """A new one with the same mode."""
        return inference_mode(self.mode)

    def __enter__(self):
        trace = state.trace
        self.outer = trace.thread.grad, trace.thread.asked, trace.thread.inference
        explain_log.note_grad(trace, not self.mode)
        trace.thread.grad, trace.thread.asked, trace.thread.inference = not self.mode, False, self.mode

    def __exit__(self, *exc):
        trace = state.trace
        trace.thread.grad, trace.thread.asked, trace.thread.inference = self.outer
        explain_log.note_grad(trace, trace.thread.grad)


# -- settings of the engine: kept and reported, one thread each

class _Settings(threading.local):
    multithreading = True
    grad_layout_enforcement = True
    view_replay = False


_settings = _Settings()


class _Setting(_Mode):
    """Sets ``name`` at once, and as a context until its end."""

    name = ""

    def __init__(self, mode):
        self.mode = mode
        self.prev = getattr(_settings, self.name)
        if not isinstance(mode, bool):
            raise TypeError(f"set_{self.name}_enabled(): argument 'enabled' (position 1) must be bool, not "
                            f"{type(mode).__name__}")
        try:
            setattr(_settings, self.name, mode)
        except BaseException:
            setattr(_settings, self.name, self.prev)
            raise

    def clone(self):
        return type(self)(self.mode)

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        setattr(_settings, self.name, self.prev)


class set_multithreading_enabled(_Setting):  # noqa: N801
    """Whether backward may use threads of its own, at once, and as a context until its end. It uses none here: the value is
    only reported.
    https://pytorch.org/docs/stable/generated/torch.autograd.grad_mode.set_multithreading_enabled.html

    Args:
        mode: whether it may.

    Raises:
        TypeError: it is no bool.
    """

    name = "multithreading"


class enforce_grad_layout_policy(_Setting):  # noqa: N801
    """Whether ``.grad`` must have the strides of its leaf. Accepted without effect: the strides are those that backward's
    kernels give.
    https://pytorch.org/docs/stable/autograd.html#default-gradient-layouts

    Args:
        enable: whether it must; anything but a bool is a TypeError.
    """

    name = "grad_layout_enforcement"

    def __init__(self, enable=True):
        super().__init__(enable)

    def __call__(self, function):
        _settings.grad_layout_enforcement = self.prev
        return super().__call__(function)

    def __enter__(self):
        _settings.grad_layout_enforcement = self.mode


class _force_original_view_tracking(_Setting):  # noqa: N801
    """Whether PyTorch finds a view again by doing its steps again instead of by its strides, at once, and as a context until
    its end. Steps are done again here in any case: the value is only reported.

    Args:
        mode: whether it does.

    Raises:
        TypeError: it is no bool.
    """

    name = "view_replay"


def is_view_replay_enabled() -> bool:
    """What `_force_original_view_tracking` has set on this thread; False to begin with."""
    return _settings.view_replay


def is_multithreading_enabled() -> bool:
    """What `set_multithreading_enabled` has set on this thread; True to begin with."""
    return _settings.multithreading


def is_grad_enabled() -> bool:
    """Whether operations are recorded for backward on this thread."""
    thread = state.thread
    return thread.asked if thread.inference else thread.grad


def is_inference_mode_enabled() -> bool:
    """Whether inference mode is on, on this thread."""
    return state.thread.inference
