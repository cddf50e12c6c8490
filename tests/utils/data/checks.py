"""The same function with torch and with torchlike: values with their types, errors, warnings, and the random state after it."""

import random

import numpy as np

from compat import compare
from compat.compare.tolerances import EXACT

FACTS = ("contiguous", "requires_grad")


def outcome(package, function) -> dict:
    """What happens when `function` is called with the package, all generators at 7."""
    random.seed(7)
    np.random.seed(7)
    value, warned = compare.outcome(function, package, seed=7, facts=FACTS, types=True)
    return {"value": value, "warnings": warned, "state": package.get_rng_state().tolist()}


def check(function) -> dict:
    """Both outcomes are the same; returns it."""
    theirs, mine = (outcome(package, function) for package in compare.PACKAGES)
    found = compare.difference(theirs, mine, EXACT)
    assert not found, found
    return theirs
