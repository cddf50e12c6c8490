"""`torch.jit` for programs that use it to be faster. https://pytorch.org/docs/stable/jit.html

Every operation is compiled anyway, so functions and modules stay what they are: `script`, `trace` and the decorators
return their argument. There is no TorchScript; its files cannot be read or written and raise UnsupportedError.

`annotations.py` has names for signatures, and this file all else. Programs import it, nothing inside torchlike does.
"""

import builtins
from typing import Final as Final

from torchlike import nn
from torchlike._base import absent
from torchlike._base.errors import UnsupportedError
from torchlike.jit import annotations as annotations


class ScriptModule(nn.Module):
    """A Module: a class can be derived from it. `script` makes none, so `isinstance` answers False for other Modules.
    https://pytorch.org/docs/stable/generated/torch.jit.ScriptModule.html
    """


_DISABLED = "{} of TorchScript are not supported: torch.jit.script returns its argument"
ScriptFunction, TopLevelTracedModule, RecursiveScriptModule = (
    absent.uninstantiable(name, __name__, UnsupportedError, _DISABLED.format(f"The {name}s"))
    for name in ("ScriptFunction", "TopLevelTracedModule", "RecursiveScriptModule"))


class TracerWarning(Warning):
    """What PyTorch warns of while it traces; nothing here gives it."""

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Nothing: there are no such warnings."""


class Error(RuntimeError):
    """What TorchScript raises; nothing here does."""


Attribute = lambda value, type: value  # noqa: E731 - a class in PyTorch; in a module that is not scripted it is its value


def script(obj, optimize=None, _frames_up=0, _rcb=None, example_inputs=None):
    """The function, class or module itself: everything is compiled anyway.
    https://pytorch.org/docs/stable/generated/torch.jit.script.html

    Args:
        obj: a function, class or module.
        optimize, example_inputs: without effect.

    Returns:
        `obj`.
    """
    return obj


def trace(func, example_inputs=None, *args, **kwargs):
    """The function or module itself. It is not called, and what depends on values goes on to do so.
    https://pytorch.org/docs/stable/generated/torch.jit.trace.html

    Args:
        func: a function or module.
        example_inputs, args, kwargs: without effect.

    Returns:
        `func`.
    """
    return func


def trace_module(mod, inputs=None, *args, **kwargs):
    """The module itself, as `trace`.
    https://pytorch.org/docs/stable/generated/torch.jit.trace_module.html

    Args:
        mod: a module.
        inputs, args, kwargs: without effect.

    Returns:
        `mod`.
    """
    return mod


def _unchanged(name):
    def decorator(fn):
        return fn

    decorator.__name__ = decorator.__qualname__ = name
    decorator.__doc__ = f"The function itself. https://pytorch.org/docs/stable/generated/torch.jit.{name}.html"
    return decorator


script_method = _unchanged("script_method")
export = _unchanged("export")
interface = _unchanged("interface")
script_if_tracing = _unchanged("script_if_tracing")
_script_if_tracing = script_if_tracing
_overload = _unchanged("_overload")
_overload_method = _unchanged("_overload_method")


def _with_reason(name):
    def mark(given=None, **kwargs):
        return given if callable(given) else _unchanged(name)

    mark.__name__ = mark.__qualname__ = name
    mark.__doc__ = f"As a decorator, also with arguments. https://pytorch.org/docs/stable/generated/torch.jit.{name}.html"
    return mark


ignore = _with_reason("ignore")
unused = _with_reason("unused")


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """The module itself.

    Args:
        mod: the module.
        preserved_attrs, optimize_numerics: without effect.

    Returns:
        `mod`.
    """
    return mod


optimize_for_inference = freeze


def annotate(the_type, the_value):
    """The value itself.

    Args:
        the_type: without effect.
        the_value: any object.

    Returns:
        `the_value`.
    """
    return the_value


def isinstance(obj, target_type):
    """Python's `isinstance`.

    Args:
        obj: any object.
        target_type: a class, or a tuple of classes.

    Returns:
        a bool.
    """
    return builtins.isinstance(obj, target_type)


def is_scripting() -> bool:
    """False: there is no TorchScript."""
    return False


def is_tracing() -> bool:
    """False: nothing is traced."""
    return False


def fork(func, *args, **kwargs):
    """Calls a function at once.
    https://pytorch.org/docs/stable/generated/torch.jit.fork.html

    Args:
        func: the function.
        args, kwargs: its arguments.

    Returns:
        its result, which `wait` returns.
    """
    return func(*args, **kwargs)


def wait(future):
    """The result of a function that `fork` called.

    Args:
        future: what `fork` returned.

    Returns:
        The same.
    """
    return future


def save(m, f, _extra_files=None):
    """Refused: torchlike writes no TorchScript. ``torch.save(m.state_dict(), f)`` saves the parameters.

    Args:
        m, f: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError("torch.jit.save is not supported: torchlike writes no TorchScript; torch.save saves a state_dict")


def load(f, map_location=None, _extra_files=None, _restore_shapes=False):
    """Refused: torchlike reads no TorchScript.

    Args:
        f, map_location: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError("torch.jit.load is not supported: torchlike reads no TorchScript")
