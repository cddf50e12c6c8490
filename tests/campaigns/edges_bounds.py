"""Arrays beside PyTorch's and exact ones, for `edges.py`, and what must hold where compat/gaps.toml has a reason."""

import functools
import re

import numpy as np
import torch

from compat import gaps
from tests.campaigns.edges_sides import CANCELLING, INTEGERS, Case, Side, limits_of, operands_of, values_of

WIDE = {"complex64": "complex128", "complex128": None, "float64": None}  # what is exact beside a dtype; else float64
PLACES, SIGNS, VALUES = "where infinite or nan", "signs of zeros", "values"  # what compat/gaps.toml has reasons for


def _classes(values):
    """0 for a finite number, 1 and -1 for infinities, 2 for nan; of complex numbers any nan, any infinity."""
    if values.dtype.kind == "c":
        return np.where(np.isnan(values), 2, np.isinf(values))
    return np.where(np.isnan(values), 2, np.isinf(values) * np.sign(values))


def wrong(want, got, exact, case, known, largest) -> str:
    """What is wrong with one array beside PyTorch's and the exact one; "" if nothing.

    Args:
        want, got: the arrays.
        exact: returns the exact one, None where it is not known. Called if there is a difference.
        case: where they come from.
        known: what is known to differ, and what must hold nevertheless (`BOUNDS`), by compat/gaps.toml.
        largest: returns the largest finite number among the operands and what PyTorch makes of them.
    """
    if want is None or got is None:
        other = got if want is None else want
        return "" if other is None or not np.any(other) else "a gradient on one side only"
    if want.shape != got.shape or want.dtype != got.dtype:
        return f"{got.dtype}{list(got.shape)} for {want.dtype}{list(want.shape)}"
    if same_bits(want, got):
        return ""
    with np.errstate(all="ignore"):
        for what, differ in _differences(want, got, case):
            if not differ.any():
                continue
            given = (want, got, exact(), case, largest())
            enough = [BOUNDS[name] for name in known.get(what, ())]
            if what == VALUES and want.dtype.kind in "fc":
                enough.append(_as_exact)
            if not any(bound(*given) for bound in enough):
                return _told(what, want, got, given[2], differ)
    return ""


def same_bits(want, got) -> bool:
    """Whether two arrays of one dtype are the same, signs of zeros and nan included. This is the quickest to find out."""
    bits = [np.ascontiguousarray(x).reshape(-1).view(np.uint8) for x in (want, got)]
    return np.array_equal(*bits)


def _differences(want, got, case):
    """What differs, and where."""
    limits = limits_of(case.dtype)
    if want.dtype.kind not in "fc":
        yield VALUES, want != got
        return
    yield PLACES, _classes(want) != _classes(got)
    if want.dtype.kind == "f":
        yield SIGNS, (want == 0) & (got == 0) & (np.signbit(want) != np.signbit(got))
    yield VALUES, np.isfinite(want) & np.isfinite(got) & (
        np.abs(got - want) > 40 * limits["eps"] * np.abs(want) + 4 * limits["tiny"])


def _as_exact(want, got, exact, case, largest, more=0.0) -> bool:
    """Whether the largest error is not larger than PyTorch's and one rounding, or than a few roundings of the largest
    element, or than `more`; and nothing is infinite or nan that PyTorch has a number for."""
    if want.dtype.kind not in "fc":
        return True
    limits, usual = limits_of(case.dtype), np.isfinite(want)
    if not np.isfinite(got[usual]).all():
        return False
    if exact is None:  # then two that are as exact as each other, where much cancels in a few digits
        most = 2.0**30 * largest if case.kind in CANCELLING else 100 * np.abs(want[usual]).max(initial=0)
        return bool(np.abs(got - want)[usual].max(initial=0) <= max(limits["eps"] * most, more))
    usual = usual & (np.abs(exact) <= limits["max"])
    exact, want, got = exact[usual], want[usual].astype(exact.dtype), got[usual].astype(exact.dtype)
    rounding = 8 * limits["eps"] * np.abs(exact).max(initial=0) + 4 * limits["tiny"]
    theirs = np.abs(want - exact).max(initial=0) + limits["eps"] * np.abs(want).max(initial=0)
    return bool(np.abs(got - exact).max(initial=0) <= max(theirs, rounding, more))


def _where_finite(want, got, exact, case, largest) -> bool:
    """Whether what is finite here is as exact as PyTorch's."""
    finite = np.isfinite(got)
    return _as_exact(want[finite], got[finite], None if exact is None else exact[finite], case, largest)


def _where_not_zero(want, got, exact, case, largest) -> bool:
    """Whether what is finite and not 0 here is as exact as PyTorch's."""
    some = np.isfinite(got) & (got != 0)
    return _as_exact(want[some], got[some], None if exact is None else exact[some], case, largest)


def _error_of(want, exact) -> float:
    """PyTorch's largest error, 0 where it is not known."""
    both = () if exact is None else np.isfinite(want) & np.isfinite(exact)
    return float(np.abs(want - exact)[both].max(initial=0)) if exact is not None else 0.0


def _most(want, got, exact, case, largest) -> bool:
    """Whether half of the numbers and more are PyTorch's, but for rounding, and none is larger than its largest."""
    top = np.abs(want[np.isfinite(want)]).max(initial=0)
    agrees = (_classes(want) == _classes(got)) & ~(np.abs(got - want) > 40 * limits_of(case.dtype)["eps"] * top)
    return bool(2 * agrees.sum() >= want.size and not (np.abs(got[np.isfinite(got)]) > 1.01 * top).any())


def _permuted(want, got, exact, case, largest) -> bool:
    """Whether it is PyTorch's numbers at other places, or what tells places."""
    return want.dtype.kind not in "fc" or np.array_equal(*(np.sort(x, axis=None) for x in (want, got)), equal_nan=True)


# What must hold where something is known to differ: what compat/gaps.toml calls `within`.
BOUNDS = {
    "exact": _as_exact, "where finite": _where_finite, "where not 0": _where_not_zero,
    "other places": _permuted, "most": _most,
    "products": lambda *given: BOUNDS["operands"](*given) or _as_exact(*given, more=8 * _error_of(*given[::2][:2])),
    "roundings": lambda *given: _as_exact(*given, more=16 * limits_of(given[3].dtype)["eps"] * _largest(given[:1])),
    "subnormal parts": lambda *given: _as_exact(*given, more=2.0**20 * limits_of(given[3].dtype)["tiny"]),
    "squares": lambda *given: _as_exact(*given, more=limits_of(given[3].dtype)["eps"] * given[4] ** 2),
    "operands": lambda *given: _as_exact(*given, more=16 * limits_of(given[3].dtype)["eps"] * given[4]),
}


def _told(what, want, got, exact, where) -> str:
    place = int(np.flatnonzero(where.reshape(-1))[0])
    known = "" if exact is None else f", exactly {exact.reshape(-1)[place]}"
    sides = [x.reshape(-1)[place] for x in (want, got)]
    return f"{what}: element {place} of {want.size} is {sides[0]} in PyTorch, {sides[1]} here{known}"


class Theirs:
    """What PyTorch makes of a case: an error, or arrays, beside them what is exact and what it makes without subnormal
    numbers, which are computed where they are needed."""

    def __init__(self, case: Case):
        self.case, self.side = case, Side(torch, case)
        self.outcome = self.side.outcome()

    @property
    def counts(self) -> bool:
        """Whether there are numbers, and the operand that stands at the edge."""
        return not isinstance(self.outcome, Exception) and self.case.operand in operands_of(self.side.drawn, self.case.kind)

    @functools.cached_property
    def without_subnormals(self) -> list:
        """The arrays with the processor's flag for it."""
        torch.set_flush_denormal(True)
        try:
            return Side(torch, self.case).outcome()
        finally:
            torch.set_flush_denormal(False)

    @functools.cached_property
    def exact(self) -> list:
        """The arrays in a wider dtype, None where none is."""
        within = None if self.side.rounded_to in INTEGERS else WIDE.get(self.case.dtype, "float64")
        found = Side(torch, self.case, within).outcome() if within else None
        same = isinstance(found, list) and len(found) == len(self.outcome)
        return found if same else [None] * len(self.outcome)

    @functools.cached_property
    def largest(self) -> float:
        """The largest finite number of the operands and the arrays."""
        return _largest([*self.outcome, *map(values_of, self.side.inputs)])

    def differ(self, got: list, known: dict) -> str:
        """What is wrong with these arrays; "" if nothing."""
        found = self._first_wrong(self.outcome, got, known, self._exact)
        # As compat/gaps.toml has it, XLA has no subnormal numbers, and numpy leaves some kernels to it.
        return found and self._first_wrong(self.without_subnormals, got, known, self._with_subnormals) and found

    def _first_wrong(self, want, got, known, exact) -> str:
        found = (wrong(*arrays, functools.partial(exact, place), self.case, known, lambda: self.largest)
                 for place, arrays in enumerate(zip(want, got, strict=True)))
        return next(filter(None, found), "")

    def _exact(self, place: int):
        return self.exact[place]

    def _with_subnormals(self, place: int):
        """What is exact, or where that is not known what PyTorch makes with subnormal numbers."""
        return self.outcome[place] if self.exact[place] is None else self.exact[place]


def _largest(arrays) -> float:
    """The largest finite number of these arrays."""
    sizes = [np.abs(x) for x in arrays if x is not None and x.dtype.kind in "fc"]
    return max((float(size[np.isfinite(size)].max(initial=0)) for size in sizes), default=0.0)


def known_of(case: Case) -> dict:
    """What compat/gaps.toml says of the case: what differs, and the names of `BOUNDS` of which one must hold."""
    def applies(row):
        given = all(own in row.get(field, (own,)) for field, own in (("dtypes", case.dtype), ("kinds", case.kind)))
        return given and any(re.search(rf"\b{name}\b", case.expression) for name in row["names"])

    found: dict = {}
    for row in filter(applies, gaps.edges()):
        for what in row["differs"]:
            found.setdefault(what, []).append(row.get("within", "exact"))
    return found
