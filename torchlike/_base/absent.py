"""Functions and classes of what is not there, such as other devices: they have names, and answer or refuse when called."""

from collections.abc import Callable


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


def uninstantiable(name: str, module: str, error: type[Exception], text: str) -> type:
    """A class for annotations and ``isinstance`` that cannot be instantiated.

    Args:
        name, module: its own name and that of its module.
        error, text: what an attempt raises.

    Returns:
        the class.
    """
    return type(name, (), {"__module__": module, "__new__": failing("__new__", module, error, text)})


def _named(function, name: str, module: str):
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    return function
