"""Which cases of a parametrized test are fast, which CI adds, and which only a whole run has.

Fast cases run with `pytest`; slow ones in CI (`pytest -m "slow and not exhaustive"`); exhaustive ones are much like a slow
one and run with `pytest -m slow` only. A test without parameters is marked ``@pytest.mark.slow``, or
also ``@pytest.mark.exhaustive``; one with them says here which of its cases are what::

    @pytest.mark.parametrize("name", sampled(NAMES, fast=4))                       # every fourth is fast, CI has all
    @pytest.mark.parametrize("name", sampled(NAMES, fast={"sgd"}, ci=3))           # CI has every third besides
    @pytest.mark.parametrize(("form", "mode"), sampled(FORMS, MODES, fast=lambda i, k: not k and i % 4 == 0, ci=2))

A rule is one of three things: a number n, every n-th case by the sum of its places along the axes; a collection of the
cases themselves; a function of the places.
"""

import itertools

import pytest

NONE = frozenset()


def every(n, first=0):
    """The rule of every n-th case, from the place `first` on."""
    return lambda *places: sum(places) % n == first


def case(*values, fast=False, ci=True, id=None, marks=()):
    """One case: fast, or else slow and in CI, or else exhaustive."""
    speed = [] if fast else [pytest.mark.slow] if ci else [pytest.mark.slow, pytest.mark.exhaustive]
    return pytest.param(*values, id=id, marks=[*speed, *marks])


def sampled(*axes, fast=NONE, ci=1) -> list:
    """The cases of the product of the axes, the last varying first, with marks by the rules `fast` and `ci`.

    Args:
        axes: iterables of values; a tuple among them is several arguments.
        fast: the rule of what is fast; nothing by default.
        ci: the rule of what CI has of the rest; all of it by default.
    """
    is_fast, is_in_ci = _rule(fast), _rule(ci)
    found = []
    for item in itertools.product(*map(enumerate, axes)):
        places, parts = zip(*item, strict=True)
        values = [value for part in parts for value in (part if isinstance(part, tuple) else (part,))]
        found.append(case(*values, fast=is_fast(places, values), ci=is_in_ci(places, values)))
    return found


def _rule(rule):
    """The rule as a function of places and values."""
    if isinstance(rule, int):
        rule = every(rule)
    if callable(rule):
        return lambda places, values: bool(rule(*places))
    return lambda places, values: len(values) == 1 and values[0] in rule
