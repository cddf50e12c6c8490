"""Errors for names that do not exist: they name what was asked for and what is nearest to it."""

import difflib
from collections.abc import Iterable

HOW_MANY = 3  # suggestions in one error


def nearest(name: str, candidates: Iterable[str]) -> list[str]:
    """The public names among `candidates` closest to `name`, best first; spelling case does not count."""
    by_lower: dict[str, str] = {}
    for candidate in candidates:
        if not candidate.startswith("_"):
            by_lower.setdefault(candidate.lower(), candidate)
    found = difflib.get_close_matches(name.lower(), by_lower, n=HOW_MANY, cutoff=0.6)
    return [by_lower[match] for match in found]


def hint(name: str, candidates: Iterable[str]) -> str:
    """The end of an error text: what is nearest, or that nothing is."""
    found = nearest(name, candidates)
    if not found:
        return "torchlike has nothing near that name"
    return "nearest: " + ", ".join(f"'{match}'" for match in found)


def missing(module_name: str, name: str, candidates: Iterable[str]) -> AttributeError:
    """The AttributeError for `module_name.name`: Python's text for a module, and the nearest names.

    Special names (``__wrapped__``, ``__path__``...) are asked for by Python's own machinery in great
    number and get the plain text without a search.
    """
    text = f"module '{module_name}' has no attribute '{name}'"
    if not (name.startswith("__") and name.endswith("__")):
        text += f"; {hint(name, candidates)}"
    return AttributeError(text)


def missing_module(full_name: str, candidates: Iterable[str]) -> ModuleNotFoundError:
    """The error for ``import torch.x`` and ``from torch import x`` where torchlike has no such x.

    Its ``name`` stays unset: with it, ``from torch import x`` would drop this error and raise Python's
    own, which does not tell what is nearest.
    """
    last = full_name.rpartition(".")[2]
    return ModuleNotFoundError(f"No module named '{full_name}' and no such name; {hint(last, candidates)}")
