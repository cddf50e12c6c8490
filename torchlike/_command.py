"""The beginning of the command ``torchlike``. `_entry.py` runs this file before anything of the package is imported, so that
help, lists, errors of arguments and the launcher of many processes do not wait for JAX.
"""

import contextlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType

_PACKAGES = ("torchlike", "torchlike.distributed")  # whose own files import JAX
_NEEDED = ("jax", "jaxlib", "python")  # what is missing, or not supported: the error says so in one sentence


def asks_for_ranks(arguments: Sequence[str]) -> bool:
    """Whether a command line is ``torchlike run`` with arguments of the launcher, or with its variables in the environment.
    A program that the launcher has started runs others without it.
    """
    if list(arguments[:1]) != ["run"] or list(arguments[1:2]) in (["-h"], ["--help"], []):
        return False
    is_asked = any(name.startswith("PET_") for name in os.environ) and "TORCHELASTIC_RUN_ID" not in os.environ
    return is_asked or (arguments[1].startswith("-") and arguments[1] != "--")


@contextlib.contextmanager
def stand_ins() -> Iterator[None]:
    """A block in which parts of the package are imported without it: packages stand for those whose own files are not to
    be run. Afterwards nothing of this is left, and the package may be imported. Where it has been, it is used.
    """
    if _PACKAGES[0] in sys.modules:
        yield
        return
    spec = importlib.util.find_spec(_PACKAGES[0])
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    for name in _PACKAGES:
        module = ModuleType(name)
        module.__path__ = [os.path.join(folder, *name.split(".")[1:]) for folder in folders]
        sys.modules[name] = module
    try:
        yield
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == _PACKAGES[0]]:
            del sys.modules[name]


def main() -> int:
    """The command.

    Returns:
        The exit status.
    """
    given = sys.argv[1:]
    with stand_ins():
        if asks_for_ranks(given):
            return importlib.import_module("torchlike.distributed.run").main(given[1:])
        arguments = importlib.import_module("torchlike._arguments")
        options = arguments.read(given)
        if arguments.alone(options):
            return importlib.import_module(arguments.alone(options)).run(options)
    try:
        cli = importlib.import_module("torchlike.cli")
    except ImportError as error:
        if error.name not in _NEEDED:
            raise
        print(f"torchlike: {error}", file=sys.stderr)
        return 1
    return cli.act(options)


if __name__ == "__main__":
    sys.exit(main())
