"""The same function with torch and with torchlike: what each returns, raises and warns of."""

import contextlib
import re
import typing
import warnings

import torch

import torchlike
from compat.compare.describing import clean, describe
from compat.compare.differing import difference
from compat.compare.tolerances import Tolerance

PACKAGES = (torch, torchlike)
# Warnings about how torch itself is made, and of CPython about forks beside its threads.
_INTERNAL = re.compile(r"torch\.jit|GraphModule|oneDNN|is multi-threaded, use of fork")
_NO_KERNEL = "could not create a primitive"  # this CPU lacks what oneDNN wants


class Raised(typing.NamedTuple):
    """An exception as a result."""

    kind: str
    text: str


def raised(error: Exception) -> Raised:
    """The description of an exception."""
    return Raised(type(error).__name__, clean(str(error)))


@contextlib.contextmanager
def caught(*kinds):
    """A list that has, after the block, (category, text) of each warning of these kinds, or of all."""
    found: list = []
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        yield found
    found.extend((w.category.__name__, clean(str(w.message))) for w in given
                 if issubclass(w.category, kinds or Warning) and not _INTERNAL.search(str(w.message)))


def outcome(function, package, *args, seed=0, facts=(), types=False, kinds=()) -> tuple:
    """What ``function(package, *args)`` does, from this seed.

    Args:
        function: called with the package, torch or torchlike, and the arguments.
        seed: what both generators start from.
        facts, types: see `describe`.
        kinds: the classes of warnings that count; all by default.

    Returns:
        (the described result or a Raised, the warnings).
    """
    package.manual_seed(seed)
    with caught(*kinds) as told:
        try:
            result = describe(function(package, *args), *facts, types=types)
        except Exception as error:  # noqa: BLE001 - whatever it raises is the result
            result = raised(error)
    if isinstance(result, Raised) and _NO_KERNEL in result.text and torch.backends.mkldnn.enabled:
        with warnings.catch_warnings(action="ignore"), torch.backends.mkldnn.flags(enabled=False):
            return outcome(function, package, *args, seed=seed, facts=facts, types=types, kinds=kinds)
    return result, told


def check(function, *args, tolerance: Tolerance, where="", **how):
    """AssertionError unless the function does the same with both packages; returns what torch gave. See `outcome`."""
    want, got = (outcome(function, package, *args, **how) for package in PACKAGES)
    found = difference(want[0], got[0], tolerance, where) or difference(want[1], got[1], tolerance, f"{where} warnings")
    assert not found, found
    return want[0]
