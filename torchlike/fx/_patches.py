"""What is replaced while a program is recorded: calls and parameters of Modules, and functions that are recorded whole.

All of it answers as before in other threads, and for calls without Proxies.
"""

import builtins
import functools
import inspect
import sys
import threading
import types
from collections.abc import Callable

from torchlike._base.block import Block
from torchlike._base.forkable import forkable
from torchlike.fx.node import map_aggregate
from torchlike.fx.proxy import Proxy

_WRAPPED = "__torch_fx_wrapped__"  # a global of modules: the names of their functions that are recorded whole
tracing = forkable(threading.RLock())  # held outside of `Patches`: one program is recorded at a time


def wrap(fn_or_name: str | Callable):
    """Says that calls of a function are recorded as one Node, whatever is inside. At the top of a module, or as a decorator
    there. https://pytorch.org/docs/stable/fx.html#torch.fx.wrap

    Args:
        fn_or_name: the function, or its name among the globals of the module.

    Returns:
        The same.

    Raises:
        RuntimeError: it is neither.
        NotImplementedError: the call is not at the top of a module.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = sys._getframe(1)
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    frame.f_globals.setdefault(_WRAPPED, {}).setdefault(name)
    return fn_or_name


class Patches(Block):
    """``with``: replaced names, which are put back at the end.

    Args:
        functions: ids of functions that are recorded whole wherever a module has them.
    """

    def __init__(self, functions: set):
        self.functions = functions
        self.undo: list = []

    def _begin(self) -> "Patches":
        for module in list(sys.modules.values()):
            if isinstance(module, types.ModuleType):
                self.add_globals(vars(module))
        return self

    def _end(self) -> None:
        for put_back in reversed(self.undo):
            put_back()

    def method(self, owner: type, name: str, made: Callable) -> None:
        """Replaces a method.

        Args:
            owner, name: the class and the method's name.
            made: gets the method and gives what replaces it in this thread.
        """
        old = vars(owner)[name]
        new, thread = made(old), threading.get_ident()

        @functools.wraps(old)
        def method(*args, **kwargs):
            return (new if threading.get_ident() == thread else old)(*args, **kwargs)

        self.undo.append(lambda: setattr(owner, name, old))
        setattr(owner, name, method)

    def add_globals(self, names: dict) -> None:
        """Replaces the functions that are recorded whole among the globals of a module.

        Args:
            names: the globals.
        """
        for name in names.get(_WRAPPED, ()):
            if name in names or hasattr(builtins, name):
                self._record_whole(names, name, names.get(name, getattr(builtins, name, None)))

    def add_functions(self, names: dict) -> None:
        """The same for those whose ids were given.

        Args:
            names: the globals.
        """
        self.add_globals(names)
        for name, value in list(names.items()):
            if not name.startswith("_") and callable(value) and id(value) in self.functions:
                self._record_whole(names, name, value)

    def _record_whole(self, names, name, function) -> None:
        if getattr(function, "__torch_fx_original__", None) is not None:
            return
        had = name in names
        new = _recorded_whole(function)
        self.undo.append(lambda: names.__setitem__(name, function) if had else names.pop(name, None))
        names[name] = new


def _recorded_whole(function):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        found: list = []
        map_aggregate((args, kwargs), lambda a: found.append(a) if isinstance(a, Proxy) else None)
        if not found:
            return function(*args, **kwargs)
        made = found[0].tracer.create_proxy("call_function", function, args, kwargs)
        made.node.meta["is_wrapped"] = True
        return made

    vars(wrapped)["__torch_fx_original__"] = function
    return wrapped


def functions_of(modules, functions) -> set:
    """The ids of functions, and of all public functions of modules.

    Args:
        modules, functions: both.

    Returns:
        A set.
    """
    found = {id(value) for module in modules for name, value in vars(module).items()
             if not name.startswith("_") and callable(value)}
    return found | {id(function) for function in functions}


def by_position(function: types.FunctionType, count: int) -> types.FunctionType:
    """A function that takes all of its parameters by position, ``*args`` as one tuple and ``**kwargs`` as one dict.

    Args:
        function: the function.
        count: how many they are.

    Returns:
        The new function.
    """
    code = function.__code__
    several = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    made = code.replace(co_flags=code.co_flags & ~several, co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0)
    return types.FunctionType(made, function.__globals__, function.__name__, None, function.__closure__)
