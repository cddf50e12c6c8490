"""A stand-in for torchvision, which timm imports for its data and these programs never use, for either engine: its wheels
need PyTorch's libraries.

Once installed, a name of `ABSENT` is a class that stands for nothing: it is false, takes any attribute, can be a base class,
and as a decorator leaves a function as it is.
"""

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

ABSENT = ("torchvision",)  # packages that are stood in for as a whole, under torch, too: the processes do the same work


class _Kind(type):
    """The class of stand-ins."""

    def __getattr__(cls, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        made = _Kind(name, (Nothing,), {"__module__": __name__})
        setattr(cls, name, made)
        return made

    def __bool__(cls) -> bool:
        return False

    def __or__(cls, other) -> type:
        return object

    __ror__ = __or__

    def __getitem__(cls, key):
        return cls

    def __call__(cls, *args, **kwargs):
        if cls.__module__ != __name__:  # a class of the package's own, with a stand-in as its base
            return super().__call__(*args, **kwargs)
        if cls.__name__.startswith("is_"):
            return False
        return args[0] if len(args) == 1 and callable(args[0]) else cls


class Nothing(metaclass=_Kind):
    """What stands in for a name."""


class _Module(ModuleType):
    """What stands in for a module."""

    def __getattr__(self, name: str):
        return getattr(Nothing, name)


class _Finder(MetaPathFinder, Loader):
    """Finds a stand-in for `ABSENT`."""

    def find_spec(self, fullname, path=None, target=None):
        return ModuleSpec(fullname, self, is_package=True) if fullname.partition(".")[0] in ABSENT else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def install() -> None:
    """Stand in for `ABSENT`, for the rest of this process."""
    sys.meta_path.insert(0, _Finder())
