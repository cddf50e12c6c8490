"""Names that do not exist: those of PyTorch refuse when they are called, for others an error says what is nearest."""

import difflib
import functools
import warnings
from collections.abc import Iterable
from types import ModuleType

from torchlike._base import absent
from torchlike._base.refused import REFUSED

HOW_MANY = 3  # suggestions in one error
_DEPRECATED = {"torch": ("set_vital",)}  # they are there when they are asked for, and do nothing


def nearest(name: str, candidates: Iterable[str]) -> list[str]:
    """The public names among `candidates` that are most like `name`, best first, whatever their case."""
    by_lower: dict[str, str] = {}
    for candidate in candidates:
        if not candidate.startswith("_"):
            by_lower.setdefault(candidate.lower(), candidate)
    found = difflib.get_close_matches(name.lower(), by_lower, n=HOW_MANY, cutoff=0.6)
    return [by_lower[match] for match in found]


def hinted(error, name: str, candidates: Iterable[str]):
    """An error with a note (PEP 678) of what is nearest, or that nothing is: its text stays PyTorch's."""
    found = nearest(name, candidates)
    error.add_note("nearest: " + ", ".join(f"'{match}'" for match in found) if found else
                   "torchlike has nothing near that name")
    return error


@functools.cache
def _reasons(space: str) -> dict[str, str]:
    return {name: reason for reason, names in REFUSED.get(space, {}).items() for name in names.replace("?", "").split()}


@functools.cache
def _questions(space: str) -> list[str]:
    return [name[:-1] for names in REFUSED.get(space, {}).values() for name in names.split() if name.endswith("?")]


def refusal(space: str, name: str) -> str | None:
    """The error text for a public name of PyTorch that torchlike does not have: ``torch.save is not supported: ...``."""
    reason = _reasons(space).get(name)
    return None if reason is None else f"{space}.{name} is not supported: {reason}"


def missing(module_name: str, name: str, candidates: Iterable[str]) -> AttributeError:
    """The AttributeError for `module_name.name`: Python's text for a module, and a note of the nearest names.

    Special names (``__wrapped__``, ``__path__``...) are asked for by Python's own machinery in great
    number and get the plain text without a search.
    """
    error = AttributeError(f"module '{module_name}' has no attribute '{name}'")
    return error if name.startswith("__") and name.endswith("__") else hinted(error, name, candidates)


@functools.cache  # each is one object, and not in the module: who lists what there is does not see it
def _refused(space: str, name: str, reason: str):
    return absent.answering(name, space, bool) if name in _questions(space) else absent.refusing(name, space, reason)


def _without_effect(*args) -> None:
    """What PyTorch's deprecated functions are that do nothing."""


def answer(space: str, names: dict, name: str, depth: int = 1):
    """The function or class of PyTorch's that is refused under a name.

    Args:
        space: PyTorch's name of the module.
        names: the module's own names, for the note of the nearest.
        name: the name that the module lacks.
        depth: how many calls below the user's line this one is, for a warning.

    Raises:
        AttributeError: the name is not one of PyTorch's that torchlike refuses.
    """
    if name in _DEPRECATED.get(space, ()):
        warnings.warn(f"'{name}' is deprecated, please do not call", stacklevel=depth + 1)
        return _without_effect
    reason = refusal(space, name)
    if reason is None:
        raise missing(space, name, names)
    return _refused(space, name, reason)


def answer_for(space: str, module: ModuleType) -> None:
    """Lets `module` have the names of PyTorch's that are refused, and raise the errors of `missing` for others."""
    if "__getattr__" not in vars(module):
        setattr(module, "__getattr__", functools.partial(answer, space, vars(module)))  # noqa: B010 - no module attribute


def missing_module(full_name: str, candidates: Iterable[str]) -> ModuleNotFoundError:
    """The error for ``import torch.x`` and ``from torch import x`` where torchlike has no such x.

    Its ``name`` stays unset: with it, ``from torch import x`` would drop this error and raise Python's
    own, which does not tell what is nearest.
    """
    space, _, last = full_name.rpartition(".")
    refused = refusal(space, last)
    return ModuleNotFoundError(refused) if refused else \
        hinted(ModuleNotFoundError(f"No module named '{full_name}'"), last, candidates)
