"""`install()`: ``import torch`` gives torchlike, in this process, until `uninstall()`.

One finder at the head of `sys.meta_path` answers for ``torch`` and everything below it, and for ``functorch``. A module
``torch.a.b`` *is* the module ``torchlike.a.b``: the same object under a second name in `sys.modules`, so a
class or a mode has one identity however it was imported. Meanwhile public functions and classes go by PyTorch's names
(`_api/homes.py`), for what is pickled and for packages that look at ``__module__``. The finder has torch's metadata as
well: packages ask `importlib.metadata` which version there is before they import it.

Processes that `multiprocessing` starts anew install torchlike before anything else: what they are sent is of torch's names.
"""

import functools
import importlib
import multiprocessing.spawn
import pathlib
import sys
from collections.abc import Iterable
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.metadata import Distribution, DistributionFinder
from types import ModuleType

from torchlike import version
from torchlike._api import homes
from torchlike._base import unknown_names

ALIAS = "torch"
TARGET = "torchlike"
_OLD_ALIAS, _OLD_TARGET = "functorch", "torchlike._functorch"  # another package of PyTorch's
METADATA = f"Metadata-Version: 2.1\nName: {ALIAS}\nVersion: {version.full}\n"
_ALL = DistributionFinder.Context()  # asks for the metadata of all packages


def _is_alias(name: str) -> bool:
    return name.partition(".")[0] in (ALIAS, _OLD_ALIAS)


def _target(name: str) -> str:
    root, dot, rest = name.partition(".")
    return (TARGET if root == ALIAS else _OLD_TARGET) + dot + rest


class _AliasLoader(Loader):
    """Loads ``torch.a.b`` by importing ``torchlike.a.b``; both names give the same module."""

    def __init__(self, finder: "_AliasFinder"):
        self.finder = finder
        self.specs: dict[str, ModuleSpec | None] = {}

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = importlib.import_module(_target(spec.name))
        self.specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has just written the alias's spec into the module. Put the module's own spec back,
        # or reload and relative imports would take torchlike's modules for torch's.
        alias = module.__spec__.name if module.__spec__ else ALIAS
        module.__spec__ = self.specs.pop(alias, module.__spec__)
        if alias == ALIAS:  # as in PyTorch ``torch.optim.x`` works without importing torch.optim
            self.finder.rename(module)
            for name in [name for name in sys.modules if name.startswith(TARGET + ".") and "._" not in name]:
                self.finder.serve(ALIAS + name[len(TARGET):], sys.modules[name])
        self.finder.serve(alias, module)
        _keep_apart(_target(alias))


def _keep_apart(package: str) -> None:
    """Import by torch's name the modules of a package whose names it has for something else, ``torch.nn.utils.weight_norm``
    for one: the import system would put the module in the place of that function when it is imported first.
    """
    for name in [name for name in sys.modules if name.startswith(f"{package}.")]:
        parent, _, last = name.rpartition(".")
        module = sys.modules[name]
        if parent in sys.modules and vars(sys.modules[parent]).get(last, module) is not module:
            sys.modules[ALIAS + name[len(TARGET):]] = module


class _OwnLoader(SourceFileLoader):
    """Loads a module of torchlike's that is imported while it is installed."""

    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        homes.name_in(module.__name__[len(TARGET):])


class _AliasDistribution(Distribution):
    """What `importlib.metadata` tells of torch. It has no files: they are torchlike's."""

    def read_text(self, filename: str) -> str | None:
        """The name and the version; other files of metadata there are none."""
        return METADATA if filename == "METADATA" else None

    def locate_file(self, path) -> pathlib.Path:
        """Where `path` would be if torch were a folder of its own."""
        return pathlib.Path(__file__).parent.parent / path


class _AliasFinder(DistributionFinder):
    """Finds ``torch`` and ``torch.*`` in torchlike. The error for an unknown module names the nearest ones."""

    def __init__(self) -> None:
        self.loader = _AliasLoader(self)
        self.added: list[tuple[ModuleType, str]] = []
        self.renamed: list[tuple[ModuleType, str]] = []
        self.shadowed: dict[str, ModuleType] = {}

    def find_spec(self, fullname, path=None, target=None):
        """A spec for every torch module that torchlike has; None for other packages.

        It also looks after torchlike's own names, since ``from torch.x import y`` asks for them: a module
        goes by its ``__name__`` there.
        """
        if not _is_alias(fullname) and not fullname.startswith(TARGET + "."):
            return None
        own = _target(fullname) if _is_alias(fullname) else fullname
        found = _find(own)
        if found is None:
            parent, _, _ = own.rpartition(".")
            raise unknown_names.missing_module(ALIAS + own[len(TARGET):], vars(importlib.import_module(parent)))
        if own == fullname:
            if type(found.loader) is SourceFileLoader:
                found.loader = _OwnLoader(found.loader.name, found.loader.path)
            return found
        return ModuleSpec(fullname, self.loader, origin=found.origin,
                          is_package=found.submodule_search_locations is not None)

    def find_distributions(self, context: DistributionFinder.Context = _ALL) -> Iterable[Distribution]:
        """torch's metadata, if `context` asks for it or for all there is."""
        return [_AliasDistribution()] if context.name in (None, ALIAS) else []

    def serve(self, alias: str, module: ModuleType) -> None:
        """Make unknown names of `module` errors that say what is nearest, until `uninstall`."""
        names = vars(module)
        if "__getattr__" not in names:
            unknown_names.answer_for(alias, module)
            self.added.append((module, "__getattr__"))
        if "__path__" not in names:
            # ``from torch.x import y`` asks a finder for y, and so gets our error, only if torch.x is a package.
            self._add(module, "__path__", [])

    def rename(self, module: ModuleType) -> None:
        """Have the package go by torch's name, until `uninstall`: packages look for it in texts such as ``torch.x``."""
        self.renamed.append((module, module.__name__))
        module.__name__ = ALIAS

    def _add(self, module: ModuleType, name: str, value: object) -> None:
        setattr(module, name, value)
        self.added.append((module, name))

    def withdraw(self) -> None:
        """Take back what `serve` and `rename` changed."""
        for module, name in self.added:
            delattr(module, name)
        self.added.clear()
        for module, name in self.renamed:
            module.__name__ = name
        self.renamed.clear()


def _find(name: str) -> ModuleSpec | None:
    """The spec of torchlike's module `name`; None if there is none."""
    if name in sys.modules:
        return sys.modules[name].__spec__
    parent, _, _ = name.rpartition(".")
    return PathFinder.find_spec(name, getattr(importlib.import_module(parent), "__path__", []))


@functools.cache
def has_pytorch() -> bool:
    """Whether there is a real PyTorch, whoever has its name just now: a folder with a compiled extension."""
    spec = PathFinder.find_spec(ALIAS)
    places = spec.submodule_search_locations if spec is not None else None
    return PathFinder.find_spec("_C", list(places or ())) is not None


class Installed:
    """What `install` returns. As a context manager it uninstalls at the end of the block, unless torchlike was installed
    before.

    Args:
        fresh: whether it was not.
    """

    def __init__(self, fresh: bool):
        self.fresh = fresh

    def __enter__(self) -> "Installed":
        return self

    def __exit__(self, *exception) -> None:
        if self.fresh:
            uninstall()


class _Installs:
    """Unpickled, it installs torchlike."""

    def __reduce__(self):
        return install, ()


def _preparation_data(name: str) -> dict:
    """What a new process is told before all else."""
    return {TARGET: _Installs(), **_plain_preparation_data(name)}


_plain_preparation_data = multiprocessing.spawn.get_preparation_data


def _installed() -> _AliasFinder | None:
    return next((finder for finder in sys.meta_path if isinstance(finder, _AliasFinder)), None)


def _pop_aliases() -> dict[str, ModuleType]:
    return {name: sys.modules.pop(name) for name in list(sys.modules) if _is_alias(name)}


def install(*, force: bool = False) -> Installed:
    """Makes ``import torch``, and everything below it, give torchlike in the whole process. Doing it twice changes
    nothing.

    Args:
        force: whether to set a PyTorch aside that is imported already; `uninstall` brings it back.

    Returns:
        an `Installed`, which can be used as a context manager.

    Raises:
        RuntimeError: PyTorch is imported already, and modules that hold it would go on using it.
    """
    if _installed() is not None:
        return Installed(fresh=False)
    if ALIAS in sys.modules and not force:
        raise RuntimeError(
            "torch is already imported in this process; call torchlike.install() before the first "
            "'import torch', or install(force=True) to set the imported torch aside")
    finder = _AliasFinder()
    finder.shadowed = _pop_aliases()
    sys.meta_path.insert(0, finder)
    homes.name_all(ALIAS)
    multiprocessing.spawn.get_preparation_data = _preparation_data
    return Installed(fresh=True)


def uninstall() -> None:
    """Undoes `install`: the next ``import torch`` finds PyTorch, or nothing. Modules that were imported under the name
    torch meanwhile stay what they are.
    """
    finder = _installed()
    if finder is None:
        return
    sys.meta_path.remove(finder)
    _pop_aliases()
    finder.withdraw()
    homes.name_all(TARGET)
    multiprocessing.spawn.get_preparation_data = _plain_preparation_data
    sys.modules.update(finder.shadowed)
