"""Where the command ``torchlike`` begins. `_entry.py` runs it as a file, before anything of the package is imported: the
launcher of many processes does not wait for JAX.
"""

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from types import ModuleType

_PACKAGES = ("torchlike", "torchlike.distributed")


def asks_for_ranks(arguments: Sequence[str]) -> bool:
    """Whether a command line is ``torchlike run`` with arguments of the launcher, or with its variables in the environment.
    A program that the launcher has started runs others without it.
    """
    if list(arguments[:1]) != ["run"] or list(arguments[1:2]) in (["-h"], ["--help"], []):
        return False
    is_asked = any(name.startswith("PET_") for name in os.environ) and "TORCHELASTIC_RUN_ID" not in os.environ
    return is_asked or arguments[1].startswith("-")


def main() -> int:
    """The command.

    Returns:
        The exit status.
    """
    arguments = sys.argv[1:]
    if not asks_for_ranks(arguments):
        return importlib.import_module("torchlike.cli").main()
    spec = importlib.util.find_spec(_PACKAGES[0])
    folders = [] if spec is None else list(spec.submodule_search_locations or [])
    for name in _PACKAGES:  # packages whose own files are not run
        module = ModuleType(name)
        module.__path__ = [os.path.join(folder, *name.split(".")[1:]) for folder in folders]
        sys.modules[name] = module
    return importlib.import_module("torchlike.distributed.run").main(arguments[1:])


if __name__ == "__main__":
    sys.exit(main())
