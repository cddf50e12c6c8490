"""Which module's name a public function or class goes by: what pickle looks it up by, packages compare, and ``repr`` shows.

Where it is defined is torchlike's own affair: it goes by the module that is its home in PyTorch, with ``torchlike`` instead
of ``torch`` as long as ``import torch`` gives something else. So a pickle finds its classes again, beside a PyTorch, too.
`torchlike.install` has them go by PyTorch's names themselves.
"""

import sys
from types import FunctionType

from torchlike._api.generated.homes import HOMES

_PACKAGE = __name__.partition(".")[0]
_root = _PACKAGE  # what everything goes by now


def name_all(root: str) -> None:
    """Has everything public go by the names of its home, and what is imported later, too.

    Args:
        root: "torchlike" or "torch".
    """
    global _root
    _root = root
    for home in HOMES:
        name_in(home)


def name_below(package: str) -> None:
    """Name everything in a package, and in the modules below it that are imported.

    A package that ``import torchlike`` leaves out calls it at its end: its functions and classes may be defined elsewhere.

    Args:
        package: the package's name behind ``torchlike``.
    """
    for home in HOMES:
        if home == package or home.startswith(f"{package}."):
            name_in(home)


def name_in(home: str) -> None:
    """Name what is at home in one module, if that module is imported and known.

    Args:
        home: the module's name behind ``torchlike``.
    """
    module = sys.modules.get(_PACKAGE + home)
    if module is None or home not in HOMES:
        return
    names, full = vars(module), _root + home
    for path in HOMES[home].split():
        found = names.get(path) if "." not in path else _member(names, path)
        if isinstance(found, type):
            _name_class(found, full)
        elif isinstance(found, FunctionType):
            found.__module__ = full
        else:
            continue  # a module of the same name, if that has been imported
        if found.__qualname__ != path:
            found.__qualname__, found.__name__ = path, path.rpartition(".")[2]


def _member(names: dict, path: str):
    owner, _, name = path.rpartition(".")
    found = getattr(names.get(owner), name, None)
    return getattr(found, "__func__", found)  # of a class method


def _name_class(kind: type, module: str) -> None:
    """The class, and the functions that are defined in it."""
    if kind.__module__ == module:
        return
    kind.__module__ = module
    prefix = f"{kind.__qualname__}."
    for member in vars(kind).values():
        if isinstance(member, (staticmethod, classmethod)):
            member = member.__func__
        if isinstance(member, FunctionType) and member.__qualname__.startswith(prefix):
            member.__module__ = module
