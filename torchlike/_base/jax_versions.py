"""Holds the JAX and the Python that are there against those that torchlike supports, before either is needed."""

import contextlib
import importlib.metadata
import re
import sys
import warnings
from collections.abc import Iterator

_NEEDS_LOCK = ("torchlike needs Python's global interpreter lock, which this free-threaded Python {} runs without: start it "
               "with PYTHON_GIL=1, or use the usual build")


def numbers(text: str) -> tuple[int, ...]:
    """The numbers that a version begins with: (0, 12, 0, 1) of "0.12.0.1", (0, 13, 0) of "0.13.0.dev20261101"."""
    found = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def complaint(found: str, oldest: str, beyond: str) -> str:
    """A sentence about a JAX that is not supported.

    Args:
        found: its version.
        oldest: the oldest that is supported.
        beyond: the first that is not, because it is too new.

    Returns:
        the sentence, "" where it is supported.
    """
    if numbers(oldest) <= numbers(found) < numbers(beyond):
        return ""
    return (f"torchlike supports jax from {oldest} to below {beyond}, and found jax {found}; "
            f"pip install 'jax>={oldest},<{beyond}' installs a supported one")


def _installed() -> str:
    """The version of the JAX that an import would find, "" where there is none."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version("jax")
    return ""


@contextlib.contextmanager
def checked(oldest: str, beyond: str) -> Iterator[None]:
    """A block that imports JAX. With one that is not supported it warns, and goes on as far as that JAX allows.

    Args:
        oldest, beyond: as for `complaint`.

    Raises:
        ImportError: that JAX lacks a name that torchlike needs: its text is the sentence; or Python has no lock.
    """
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise ImportError(_NEEDS_LOCK.format(sys.version.split()[0]), name="python")
    found = _installed()
    told = complaint(found, oldest, beyond) if found else ""
    if told:
        warnings.warn(told, stacklevel=5)  # behind this, contextlib, `_boot` and `__init__`: the user's line
    try:
        yield
    except (ImportError, AttributeError) as error:
        if told:
            raise ImportError(told, name="jax") from error
        raise
