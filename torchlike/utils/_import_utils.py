"""Which optional packages there are. PyTorch's module of this name is private; packages use it."""

import functools
import importlib
import importlib.util
from types import ModuleType


def _check_module_exists(name: str) -> bool:
    """Whether a module of that name is installed. It is not imported."""
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


@functools.cache
def dill_available() -> bool:
    """Whether ``dill`` is installed, which pickles lambdas and local functions."""
    return _check_module_exists("dill")


@functools.cache
def import_dill() -> ModuleType | None:
    """``dill``, None without it. The standard pickler stays as it is: dill adds its own rules to it when it is imported."""
    if not dill_available():
        return None
    dill = importlib.import_module("dill")
    dill.extend(use_dill=False)
    return dill
