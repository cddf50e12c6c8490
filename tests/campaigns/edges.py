"""Reductions, scans, norms, softmaxes and losses at the edges of what numbers can be, in every tier, against PyTorch.

The expressions are those of tests/ops that reach a row of `HOMES`, whatever function they call. Their operands are the
largest and the smallest numbers of the dtype, far from 0, infinite, nan, zeros of both signs, very many or none; results
and gradients must be infinite and nan where PyTorch's are, and as near to float64's as PyTorch's.
"""

import collections
import dataclasses
import functools
import itertools
import math
import random
import re
import time
import warnings

import numpy as np
import torch

import torchlike
from compat import compare, gaps
from tests.campaigns.processes import Asked
from tests.campaigns.report import Failure, Report
from tests.ops import cases
from torchlike._ops.all import ROWS
from torchlike._record.dispatch import Handler, installed

HOMES = ("torchlike._ops.reduction.", "torchlike._ops.nn.normalization", "torchlike._ops.nn.loss",
         "torchlike._ops.nn.linear_loss")
SOFTMAXES = ("_softmax", "_log_softmax", "_safe_softmax")  # beside the functions of one element in nn.activation
TIERS = {"numpy": "off", "kernels": "kernels", "program": "now"}
DTYPES = ("float32", "float16", "bfloat16", "float64", "complex64", "complex128", "int64", "int32", "uint8")
WIDE = {"complex64": "complex128", "complex128": None, "float64": None}  # what is exact beside a dtype; else float64
LONG = {"float16": 70_000, "bfloat16": 70_000, "float32": 2**24 + 2}
INTEGERS = (torch.int64, torch.int32, torch.uint8)
AT_LENGTH = ("long", "long columns")
LENGTHS = ("empty", *AT_LENGTH)
LIMIT = 120  # seconds for a case in a process of its own
OPERANDS = (0, 1, None)  # which of the tensors of an expression stands at the edge; None: all


# --- the numbers ---------------------------------------------------------------------------------

def _at(place, value):
    def changed(values, limits):
        changed = values.copy().reshape(-1)
        if changed.size:
            changed[{"first": 0, "middle": changed.size // 2, "last": -1, "all": slice(None)}[place]] = value
        return changed.reshape(values.shape)

    return changed


def _signs(values):
    return np.where(values.real < 0, -1.0, 1.0)


def _scattered(*numbers):
    """Some of the numbers, by what was drawn; elements that are none of them stay."""
    def changed(values, limits):
        known = [limits.get(number, number) for number in numbers]
        picks = (np.abs(values.real) * 1000).astype(np.int64) % len(known)
        return np.asarray(known)[picks] + 0 * values.real if values.dtype.kind == "c" else np.asarray(known)[picks]

    return changed


KINDS = {
    "plain": lambda x, limits: x,
    "largest": lambda x, limits: limits["max"] * (1 - np.abs(x.real) % 1 / 2),
    "of both signs": lambda x, limits: limits["max"] * (1 - np.abs(x.real) % 1 / 2) * _signs(x),
    "roots of the largest": lambda x, limits: math.sqrt(limits["max"]) * (0.5 + np.abs(x.real) % 1) * _signs(x),
    "smallest": lambda x, limits: limits["tiny"] * (1 + np.abs(x.real)) * _signs(x),
    "subnormal": lambda x, limits: limits["tiny"] * (np.abs(x.real) % 1) * _signs(x),
    "offset": lambda x, limits: limits["offset"] + x,
    "zeros": _scattered(0.0, -0.0), "-0.0": _at("all", -0.0), "equal": _at("all", 1.1),
    **{f"{value} {place}": _at(place, value) for value in (math.inf, -math.inf, math.nan)
       for place in ("first", "middle", "last", "all")},
    "infinities": _scattered(math.inf, -math.inf), "infinities and numbers": _scattered(math.inf, -math.inf, 1.0, -2.0),
    "anything": _scattered(0.0, -0.0, math.inf, -math.inf, math.nan, "max", "min", "tiny", 1.0, -1.0),
    **dict.fromkeys(LENGTHS, lambda x, limits: x),
}
CANCELLING = ("offset", "equal")  # what is left of numbers of 64 bits nobody knows better
OF_INTEGERS = ("plain", "largest", "of both signs", "empty")


@functools.cache
def limits_of(dtype: str) -> dict:
    """The numbers of a dtype that kinds are made of."""
    kind = getattr(torch, dtype)
    if not (kind.is_floating_point or kind.is_complex):
        return limits_of("float32") | {"max": torch.iinfo(kind).max, "min": torch.iinfo(kind).min}
    info = torch.finfo(kind)
    return {"max": info.max, "min": info.min, "tiny": info.tiny, "eps": info.eps,
            "offset": 1e8 if info.eps < 1e-4 else 0.125 / info.eps}


@dataclasses.dataclass(frozen=True)
class Case:
    """One expression of tests/ops with one kind of numbers in one of its operands."""

    expression: str
    dtype: str
    kind: str
    operand: int | None = 0


class Side(cases.Side):
    """An expression's inputs for a case, in the dtype `within`."""

    def __init__(self, library, case: Case, within: str = ""):
        super().__init__(library, within or case.dtype)
        self.case, self.drawn = case, 0
        self.rounded_to = getattr(torch, case.dtype)
        self.limits = limits_of(case.dtype)

    def _draw(self, shape, low=None, high=None):
        shape, chosen = self._shape(shape), self.case.operand in (None, self.drawn)
        self.drawn += 1
        if self.case.kind in AT_LENGTH:
            return np.ones(shape)
        values = super()._draw(shape, low, high)
        if self.dtype.is_complex and low is None:
            values = values * np.exp(1j)
        if not chosen or values.dtype.kind == "b":
            return values
        changed = KINDS[self.case.kind](values, self.limits)
        return np.abs(changed) if low is not None and self.dtype.is_floating_point else changed

    def _shape(self, shape):
        if self.case.kind == "empty" and shape:
            return (*shape[:-1], 0)
        if self.case.kind == "long" and shape:
            return (*(1 for _ in shape[1:]), LONG[self.case.dtype])
        if self.case.kind == "long columns" and shape:
            return (LONG[self.case.dtype], *(1 for _ in shape[1:]))
        return shape

    def _make(self, values, dtype=None, grad=True):
        dtype = dtype or self.dtype
        made = self._tensor(np.asarray(values, order="C"), dtype)
        if grad and (dtype.is_floating_point or dtype.is_complex):
            made.requires_grad_(True)
            self.inputs.append(made)
        return made

    def _tensor(self, values, dtype):
        """Rounded to the dtype of the case by PyTorch, whichever library makes it."""
        exact = torch.from_numpy(values)
        if dtype == self.dtype:
            exact = exact.to(self.rounded_to)
        kind = getattr(torch, str(dtype).removeprefix("torch."))
        return exact.to(kind) if self.torch is torch else torchlike.from_numpy(compare.array(exact.to(kind))).to(dtype)

    def cotangent(self, out):
        """A fixed gradient of a result."""
        rng = np.random.default_rng(1)
        values = rng.standard_normal(tuple(out.shape))
        if out.dtype.is_complex:
            values = values + 1j * rng.standard_normal(tuple(out.shape))
        rounded_to = self.rounded_to.to_complex() if out.dtype.is_complex else self.rounded_to
        made = self.torch.from_numpy(np.asarray(values)).to(rounded_to if self.torch is torch else out.dtype)
        return made.to(out.dtype)

    def outcome(self) -> list | Exception:
        """Arrays of the results and of the gradients, None for those that are not there; or the error."""
        with compare.caught(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                results = [r for r in self.evaluate(self.case.expression) if hasattr(r, "detach")]
                outs, grads = [r for r in results if r.requires_grad], []
                if outs and self.inputs:
                    grads = self.torch.autograd.grad(outs, self.inputs, [*map(self.cotangent, outs)], allow_unused=True)
                return [None if r is None else compare.array(r) for r in (*results, *grads)]
            except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
                return error


# --- what is compared ----------------------------------------------------------------------------

PLACES, SIGNS, VALUES = "where infinite or nan", "signs of zeros", "values"  # what compat/gaps.toml has reasons for


def _classes(values):
    """0 for a finite number, 1 and -1 for infinities, 2 for nan; of complex numbers any nan, any infinity."""
    if values.dtype.kind == "c":
        return np.where(np.isnan(values), 2, np.isinf(values))
    return np.where(np.isnan(values), 2, np.isinf(values) * np.sign(values))


def wrong(want, got, exact, case, known, largest=math.nan) -> str:
    """What is wrong with one array beside PyTorch's and the exact one (None: not known); "" if nothing.

    Args:
        want, got, exact: the arrays.
        case: where they come from.
        known: what is known to differ, and what must hold nevertheless (`BOUNDS`), by compat/gaps.toml.
        largest: the largest finite number among the operands and what PyTorch makes of them.
    """
    if want is None or got is None:
        other = got if want is None else want
        return "" if other is None or not np.any(other) else "a gradient on one side only"
    if want.shape != got.shape or want.dtype != got.dtype:
        return f"{got.dtype}{list(got.shape)} for {want.dtype}{list(want.shape)}"
    with np.errstate(all="ignore"):
        for what, differ in _differences(want, got, exact, case, largest):
            bounds = [BOUNDS[name] for name in known.get(what, ())]
            if differ.any() and not any(bound(want, got, exact, case, largest) for bound in bounds):
                return _told(what, want, got, exact, differ)
    return ""


def _differences(want, got, exact, case, largest):
    """What differs, and where."""
    limits = limits_of(case.dtype)
    if want.dtype.kind not in "fc":
        yield VALUES, want != got
        return
    yield PLACES, _classes(want) != _classes(got)
    if want.dtype.kind == "f":
        yield SIGNS, (want == 0) & (got == 0) & (np.signbit(want) != np.signbit(got))
    far = np.isfinite(want) & np.isfinite(got) & (
        np.abs(got - want) > 40 * limits["eps"] * np.abs(want) + 4 * limits["tiny"])
    yield VALUES, far & (not _as_exact(want, got, exact, case, largest))


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


def _permuted(want, got, exact, case, largest) -> bool:
    """Whether it is PyTorch's numbers at other places, or what tells places."""
    return want.dtype.kind not in "fc" or np.array_equal(*(np.sort(x, axis=None) for x in (want, got)), equal_nan=True)


# What must hold where something is known to differ: what compat/gaps.toml calls `within`.
BOUNDS = {
    "exact": _as_exact, "where finite": _where_finite, "where not 0": _where_not_zero,
    "other places": _permuted, "nothing": lambda *given: True,
    "products": lambda *given: BOUNDS["operands"](*given) or _as_exact(*given, more=8 * _error_of(*given[::2][:2])),
    "subnormal parts": lambda *given: _as_exact(*given, more=2.0**20 * limits_of(given[3].dtype)["tiny"]),
    "operands": lambda *given: _as_exact(*given, more=16 * limits_of(given[3].dtype)["eps"] * given[4]),
}


def _told(what, want, got, exact, where) -> str:
    place = int(np.flatnonzero(where.reshape(-1))[0])
    known = "" if exact is None else f", exactly {exact.reshape(-1)[place]}"
    sides = [x.reshape(-1)[place] for x in (want, got)]
    return f"{what}: element {place} of {want.size} is {sides[0]} in PyTorch, {sides[1]} here{known}"


def _without_subnormals(case: Case):
    torch.set_flush_denormal(True)
    try:
        return Side(torch, case).outcome()
    finally:
        torch.set_flush_denormal(False)


def _first_wrong(want, got, exact, case, known, largest) -> str:
    found = (wrong(*arrays, case, known, largest) for arrays in zip(want, got, exact, strict=True))
    return next(filter(None, found), "")


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


def examined(case: Case, tiers=tuple(TIERS), told=lambda tier: None) -> tuple:
    """Failures of one case, one a tier at most, and whether PyTorch computes it. `told` is called as each tier begins."""
    theirs = Side(torch, case)
    want, failures, known = theirs.outcome(), [], known_of(case)
    without = _without_subnormals(case)
    if isinstance(want, Exception) or (case.operand or 0) >= theirs.drawn or (case.operand is None and theirs.drawn < 2):
        return failures, False
    largest = _largest([*want, *map(compare.array, theirs.inputs)])
    within = None if theirs.rounded_to in INTEGERS else WIDE.get(case.dtype, "float64")
    exact = Side(torch, case, within).outcome() if within else None
    if exact is None or isinstance(exact, Exception) or len(exact) != len(want):
        exact = [None] * len(want)
    for tier in tiers:
        told(tier)
        with torchlike.configure(compile=TIERS[tier]):
            got = Side(torchlike, case).outcome()
        found = repr(got) if isinstance(got, Exception) else f"{len(got)} results for {len(want)}"
        if not isinstance(got, Exception) and len(got) == len(want):
            found = _first_wrong(want, got, exact, case, known, largest)
            if found:  # as compat/gaps.toml has it, XLA has no subnormal numbers, and numpy leaves some kernels to it
                found = _first_wrong(without, got, exact, case, known, largest) and found
        if found:
            failures.append(Failure(f"{case.expression} [{tier}] {found.partition(':')[0]}", found,
                                    f"examined({case!r}, ({tier!r},))", sum(x.numel() for x in theirs.inputs)))
    return failures, True


# --- which cases there are -----------------------------------------------------------------------

class Seen(Handler):
    """Notes the rows that are recorded."""

    def __init__(self):
        self.rows = set()

    def handle(self, operation):
        if operation.row is not None:
            self.rows.add(operation.row.name)
        return NotImplemented


@functools.cache
def expressions() -> dict:
    """Expression -> the rows of `HOMES` that it records."""
    chosen = {row.name for row in ROWS.values() if row.home.startswith(HOMES) or row.name in SOFTMAXES}
    found = {}
    for expression in itertools.chain(*cases.tables("CASES").values()):
        for dtype in ("float32", "int64"):
            seen = Seen()
            with installed(seen):
                Side(torchlike, Case(expression, dtype, "plain")).outcome()
            if seen.rows & chosen:
                found[expression] = seen.rows & chosen
                break
    return found


def kinds_of(dtype: str) -> tuple:
    """The kinds of numbers that a dtype has."""
    if getattr(torch, dtype) in INTEGERS:
        return OF_INTEGERS
    return tuple(kind for kind in KINDS if not kind.startswith("long") or dtype in LONG)


def drawn(seed: int, chosen=None, dtypes=DTYPES, at_length=True) -> list:
    """Cases in an order drawn by chance, the cheap ones first: of an expression in a dtype all kinds one after the other;
    then those of very many elements, the fewest first.

    Args:
        seed: of the order.
        chosen: which expressions; None: all.
        dtypes: in which.
        at_length: whether with very many elements, too, which takes most of the time.
    """
    groups = [*itertools.product(chosen or expressions(), dtypes)]
    random.Random(seed).shuffle(groups)
    cases_of = [Case(expression, dtype, kind, operand) for expression, dtype in groups for kind in kinds_of(dtype)
                for operand in ((0, 1) if kind in (*LENGTHS, "plain") else OPERANDS)]
    many = sorted((case for case in cases_of if case.kind in AT_LENGTH), key=lambda case: LONG[case.dtype])
    return [case for case in cases_of if case.kind not in AT_LENGTH] + many * at_length


def reported(cases_in_order: list, examine, deadline: float = math.inf) -> Report:
    """Cases one after the other, until the time is over.

    Args:
        cases_in_order: which.
        examine: as `examined`; None from it: nothing is known of the case.
        deadline: until when, by `time.monotonic`.
    """
    report, done, passed = Report(), collections.Counter(), collections.Counter()
    for case in cases_in_order:
        if time.monotonic() > deadline:
            break
        found = examine(case)
        passed[_part(case)] += found is None
        failures, counts = found or ([], False)
        done[_part(case)] += 1
        report.cases += counts
        if counts:
            report.points.add(case)
        report.failures += failures
    there = collections.Counter(map(_part, cases_in_order))
    report.notes = [f"{part}: {done[part]} of {there[part]} looked at, {passed[part]} passed over, PyTorch takes too much"
                    for part in there]
    return report


def _part(case) -> str:
    return f"{case.dtype}, very many elements" if case.kind in AT_LENGTH else case.dtype


class Apart(Asked):
    """Cases are examined in a process of its own, with bounds to its time and memory. Use it in a ``with`` block."""

    def __init__(self):
        super().__init__("tests.campaigns.edges_apart")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.end()

    def examined(self, case: Case) -> tuple | None:
        """As `examined`. None where PyTorch alone takes more than the bounds."""
        self.ask(dataclasses.astuple(case))
        until, stage = time.monotonic() + LIMIT, {}
        while "failures" not in stage and "ended" not in stage:
            before, stage = stage, self.answer(max(until - time.monotonic(), 0))
        if "failures" in stage:
            return [Failure(**failure) for failure in stage["failures"]], stage["counts"]
        if before.get("stage") != "torchlike":
            return None
        where = f"{case.expression} [{before['tier']}] ends"
        return [Failure(where, stage["ended"], f"examined({case!r}, ({before['tier']!r},))", LONG.get(case.dtype, 1))], True


def run(seed: int, deadline: float) -> Report:
    """All cases, until the time is over."""
    with Apart() as process:
        return reported(drawn(seed), process.examined, deadline)
