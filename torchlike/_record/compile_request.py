"""What `torch.compile` is here: calls whose trace is compiled at its first run, and the checks of its arguments.

Everything that is recorded is compiled: a trace runs kernel by kernel at first, while its program is compiled in the
background. A call of a compiled function asks for its trace to be compiled before it runs. Python runs in each call, so
nothing can be stale: no value of Python's is built into a program but as part of what was recorded, which is looked up anew
in each call. That is why there are no guards, graph breaks and recompilations here.

The wish is kept on the thread's Trace, which ends after the call as a rule: with a setting of the process other threads
would wait, and with one of the call nearly nothing would run in it. It costs 0.5 us a call.
"""

import dataclasses
import functools
from collections.abc import Callable

from torchlike._base.errors import UnsupportedError
from torchlike._record.trace import state

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
BACKENDS = ("cudagraphs", "inductor", "openxla")
PLAIN_BACKENDS = ("aot_eager", "eager")  # for debugging in PyTorch: here the tiers decide as always
_OTHERS = ("onnxrt", "tvm")


@dataclasses.dataclass(frozen=True)
class DynamoStance:
    """What `torch.compiler.set_stance` has said of all compiled functions."""

    stance: str = "default"
    skip_guard_eval_unsafe: bool = False
    backend: str | Callable | None = None


AS_COMPILED = DynamoStance()


class _Stance:
    """The stance ``now``, of all threads."""

    def __init__(self):
        self.now = AS_COMPILED


_stance = _Stance()


def set_stance(stance: DynamoStance) -> DynamoStance:
    """Change it; what it was before."""
    if state.trace.thread.compiled_calls:
        raise RuntimeError("attempted to set_stance in a torch.compile region")
    before, _stance.now = _stance.now, stance
    return before


def _waits(plain: bool, first: bool) -> bool:
    """Whether a call waits for its program under a stance that is not the default: `plain` as of `at_once`, `first` of the
    function's calls.
    """
    stance, backend = _stance.now.stance, _stance.now.backend
    if stance in _LATER:
        return not plain and not first
    if stance in _NEVER:
        return False
    if stance != AS_COMPILED.stance:
        raise RuntimeError(f"invalid torch.compile stance '{_stance.now}'")
    if backend is None:
        return not plain
    check_backend(backend)
    return backend not in PLAIN_BACKENDS


_NEVER = ("force_eager", "eager_on_recompile")  # a program that is there already is used all the same
_LATER = ("eager_then_compile", "aot_eager_then_compile")


@dataclasses.dataclass(slots=True)
class _Default:
    """What ``backend=None`` means, for all threads."""

    backend: str = "inductor"


_default = _Default()


class TorchDynamoException(RuntimeError):
    """`torch._dynamo.exc.TorchDynamoException`: what the errors of its compiler have in common."""


class InvalidBackend(TorchDynamoException):
    """`torch._dynamo.exc.InvalidBackend`: no such backend."""


def default_backend():
    """What ``backend=None`` means."""
    return _default.backend


def set_default_backend(backend) -> None:
    """Change it; None: back to "inductor"."""
    if backend is not None:
        check_backend(backend)
    _default.backend = "inductor" if backend is None else backend


def check_backend(backend) -> None:
    """InvalidBackend for an unknown name; UnsupportedError for one that torchlike has no part of, and for functions."""
    if callable(backend):
        raise UnsupportedError("torch.compile(backend=...): there are no FX graphs that a function could compile")
    if backend in _OTHERS:
        raise UnsupportedError(f"torch.compile(backend={backend!r}): XLA compiles what torchlike records")
    if backend not in BACKENDS and backend not in PLAIN_BACKENDS:
        raise InvalidBackend(f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends.")


def check(backend, mode, options) -> None:
    """Raise what PyTorch raises for these arguments of `torch.compile`."""
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    check_backend(backend)
    if backend == "inductor" and mode and mode not in MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")


def check_callable(function) -> None:
    """AssertionError for what cannot be called."""
    if not callable(function):
        raise AssertionError(f"A callable function is expected, but {type(function)} is provided.")


def at_once(function: Callable, plain: bool = False) -> Callable:
    """The function, with its traces compiled before they run; `plain`: as always, for a backend for debugging. The stance
    may say otherwise.
    """
    first = True

    @functools.wraps(function)
    def called(*args, **kwargs):
        nonlocal first
        waits = not plain if _stance.now is AS_COMPILED else _waits(plain, first)
        first = False
        if not waits:
            return function(*args, **kwargs)
        trace = state.trace
        trace.thread.compiled_calls += 1
        trace.at_once = True
        try:
            return function(*args, **kwargs)
        finally:
            trace.thread.compiled_calls -= 1

    setattr(called, "_torchdynamo_orig_callable", function)  # noqa: B010 - under PyTorch's name
    return called


def compile(model, *, fullgraph=False, dynamic=None, backend=None, mode=None, options=None, name=None, disable=False,
            recompile_limit=None, isolate_recompiles=False, shapes_spec=None, dynamic_shapes=None) -> Callable:
    """`torch.compile` of a function."""
    backend = _default.backend if backend is None else backend
    check(backend, mode, options)
    check_callable(model)
    return model if disable else at_once(model, backend in PLAIN_BACKENDS)
