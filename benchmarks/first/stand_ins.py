"""Stand-ins for what large packages import and these programs never use, so that they can be timed at all.

transformers and timm import modules and names that torchlike does not have (``torch.fx``, quantized dtypes, ...), and timm
imports torchvision's transforms. Inside `installed` an unknown name is a class that stands for nothing: it is false, takes
any attribute, can be a base class, and as a decorator leaves a function as it is. `asked` lists what was stood in for.
"""

import functools
import importlib
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

ABSENT = ("torchvision",)  # packages that are stood in for as a whole, under torch, too: the processes do the same work
asked: set[str] = set()


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
    """Finds a stand-in for `ABSENT` and, if `torch` is torchlike, for the modules that it lacks."""

    def __init__(self, lacking: bool):
        self.lacking = lacking

    def find_spec(self, fullname, path=None, target=None):
        root, _, rest = fullname.partition(".")
        if root not in ABSENT and not (self.lacking and root == "torch" and rest and not _has(rest)):
            return None
        asked.add(fullname)
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def _has(rest: str) -> bool:
    """Whether ``torch.rest`` is a module of the engine in use."""
    parent, _, _ = ("torch." + rest).rpartition(".")
    engine = importlib.import_module(parent)
    if isinstance(engine, _Module):
        return False
    own = f"{engine.__name__}.{rest.rpartition('.')[2]}"
    return own in sys.modules or PathFinder.find_spec(own, getattr(engine, "__path__", [])) is not None


def install(torch: ModuleType) -> None:
    """Stand in, for the rest of this process, for `ABSENT` and for what `torch` lacks if it is torchlike."""
    lacking = torch.__name__ == "torchlike"
    sys.meta_path.insert(0, _Finder(lacking))
    if not lacking:
        return

    def answer(space: str, names: dict, name: str) -> object:
        """In the place of the function that raises torchlike's error for an unknown name."""
        if name.startswith("__"):
            raise AttributeError(name)
        asked.add(f"{space}.{name}")
        # Of the smallest floats packages ask for the finfo while they are imported.
        return torch.bfloat16 if name.startswith(("float8", "float4")) else getattr(Nothing, name)

    unknown_names = importlib.import_module("torchlike._base.unknown_names")
    unknown_names._raise_missing = answer  # for modules that are imported later
    for module in list(sys.modules.values()):
        own = getattr(module, "__dict__", {}).get("__getattr__")
        if isinstance(own, functools.partial) and own.func.__module__ == unknown_names.__name__:
            module.__dict__["__getattr__"] = functools.partial(answer, *own.args)
