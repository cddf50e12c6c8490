"""Digests that are the same in every process, of what kernels and programs are made of: nothing is traced for them.

A row of the table, avals, parameters, a kernel whose gradient another one is: all of these have names or are plain values.
What they mean is in the source of this package, which has a digest, too. Something that only this process knows, a function
of the user's for one, has none.
"""

import functools
import hashlib
import os
import pathlib
from typing import Any

import numpy as np

from torchlike import version
from torchlike._base.size import Size
from torchlike._ops.all import ROWS
from torchlike._ops.table import Row

# The folders of the package with code that kernels are made of.
SOURCES = ("_base", "_c10d", "_compile", "_ops", "optim", "utils")
_PACKAGE = pathlib.Path(__file__).parents[1]
_SHIPPED = dict(ROWS)
_SEQUENCES = frozenset({tuple, list, Size})
_PLAIN = frozenset({str, bytes, int, float, bool, complex, type(None), type(...), range})


class Unknown(Exception):
    """Something that other processes do not know by this name."""


def of_texts(*parts: str) -> str:
    """The digest of these texts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@functools.lru_cache(maxsize=1)
def of_sources() -> str:
    """The digest of the package's version and of the source of its kernels.

    Raises:
        Unknown: there are no files to read, as in an archive.
    """
    found = hashlib.sha256(version.full.encode())
    files = sorted(path for folder in SOURCES for path in (_PACKAGE / folder).rglob("*.py"))
    if not files:
        raise Unknown(os.fspath(_PACKAGE))
    for path in files:
        found.update(path.read_bytes())
    return found.hexdigest()


def text(x: Any) -> str:
    """A text that equal values have in every process, and no others. An object with a ``digest`` has that one.

    Raises:
        Unknown: `x` has a part of which nothing is known.
    """
    kind = x.__class__
    if kind in _PLAIN:
        return f"{kind.__name__} {x!r}"
    if kind in _SEQUENCES:
        return f"{kind.__name__}({','.join(map(text, x))})"
    if _is_ours(kind):
        return x.digest if hasattr(kind, "digest") else _of_ours(x)
    if kind is type and x.__module__ == "builtins":
        return f"type {x.__name__}"
    if isinstance(x, np.generic | np.dtype | slice):
        return _reduced(x)
    raise Unknown(repr(kind))


@functools.lru_cache(maxsize=16384)
def _of_ours(x) -> str:
    kind = x.__class__
    if (kind is Row and _SHIPPED.get(x.name) is not x) or kind.__reduce__ is object.__reduce__:
        raise Unknown(repr(x))
    return _reduced(x)


def _reduced(x) -> str:
    """What pickle would make `x` of: a name, or a function of this package or of numpy's, and its arguments."""
    found = x.__reduce__()
    if isinstance(found, str):
        return f"{x.__class__.__name__} {found}"
    function, arguments, *state = found
    root, dot, rest = function.__module__.partition(".")
    home = ("torch" if root == "torchlike" else root) + dot + rest  # one text, whether or not torchlike goes by torch's name
    return f"{x.__class__.__name__}:{home}.{function.__qualname__}{text((*arguments, *state))}"


def _is_ours(kind) -> bool:
    return kind.__module__.partition(".")[0] in ("torchlike", "torch")
