"""Functions and classes of what is not there, such as other devices: they have names, and answer or refuse when called."""

import enum
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace

from torchlike._base.errors import UnsupportedError
from torchlike._base.patching import patched


def answering(name: str, module: str, answer: Callable):
    """A function that looks at no argument.

    Args:
        name, module: its own name and that of its module.
        answer: gives what it returns.

    Returns:
        the function.
    """
    def absent(*args, **kwargs):
        return answer()

    return _named(absent, name, module)


def failing(name: str, module: str, error: type[Exception], text: str):
    """A function that fails whatever it is given.

    Args:
        name, module: its own name and that of its module.
        error, text: what it raises.

    Returns:
        the function.
    """
    def absent(*args, **kwargs):
        raise error(text)

    return _named(absent, name, module)


def uninstantiable(name: str, module: str, error: type[Exception], text: str, methods: Iterable[str] = ()) -> type:
    """A class for annotations and ``isinstance`` that cannot be instantiated.

    Args:
        name, module: its own name and that of its module.
        error, text: what an attempt raises.
        methods: names of functions of the class that fail in the same way.

    Returns:
        the class.
    """
    failures = {method: staticmethod(failing(method, module, error, text)) for method in ("__new__", *methods)}
    return type(name, (), {"__module__": module, **failures})


def refusing(name: str, module: str, text: str, methods: Iterable[str] = ()):
    """What raises UnsupportedError when it is called: a class where the name has a capital letter, else a function. `text`
    stands in its attribute ``refusal`` as well.

    Args:
        name, module: its own name and that of its module.
        text: what it raises.
        methods: names of functions of the class that refuse, too.

    Returns:
        the class or function.
    """
    is_class = name.lstrip("_")[:1].isupper()
    made = uninstantiable(name, module, UnsupportedError, text, methods) if is_class else \
        failing(name, module, UnsupportedError, text)
    made.refusal = text
    return made


def _named(function, name: str, module: str):
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    return function


def unchanged(x):
    """What it is given."""
    return x


class Module(ModuleType):
    """A module of PyTorch's that torchlike names and does not have: what is in it refuses when it is called.

    Args:
        name: the module's full name below torchlike.
        reason: why it is refused.
        names: what is in it, separated by spaces. A capital letter makes a class, ``Class.name`` a method of it, a question
            mark a function that answers False, an at sign one that gives a decorator, for registrations with what is not
            there.
        enums: the names of enumerations, and their members separated by spaces.
        settings: what programs set there, by name; it is kept, without effect. A dict is a group of them.
    """

    def __init__(self, name: str, reason: str, names: str, enums: dict[str, str], settings: dict):
        super().__init__(name, f"Not supported: {reason}.")
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        self.__path__ = []
        given = names.split()
        self._reason, self._names, self._enums = reason, [each.rstrip("?@") for each in given], enums
        self._questions, self._registrations = ([each[:-1] for each in given if each.endswith(mark)] for mark in "?@")
        self.__all__ = [*(each for each in self._names if "." not in each), *enums]
        for setting, value in settings.items():
            vars(self)[setting] = SimpleNamespace(**value) if isinstance(value, dict) else value
        if settings:
            vars(self)["patch"] = self._patch

    def __getattr__(self, name: str):
        if name not in self.__all__:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        members = self._enums.get(name)
        made = self._refusing(name) if members is None else enum.Enum(name, members, module=self.__name__)
        setattr(self, name, made)
        return made

    def _patch(self, arg1=None, arg2=None, **changes):
        """A block, or a function that it decorates, with other settings."""
        return patched(self, arg1, arg2, changes)

    def __dir__(self):
        return [*super().__dir__(), *self.__all__]

    def _refusing(self, name: str):
        if name in self._questions:
            return answering(name, self.__name__, bool)
        if name in self._registrations:
            return answering(name, self.__name__, lambda: unchanged)
        text = f"torch.{self.__name__.partition('.')[2]}.{name} is not supported: {self._reason}"
        methods = (each.removeprefix(f"{name}.") for each in self._names if each.startswith(f"{name}."))
        return refusing(name, self.__name__, text, methods)
