"""Compares records of one program under several engines: the tape is held against each of the others."""

import dataclasses
import itertools
import re

import numpy as np

from torchlike._diff.program_run import CUT

REFERENCES = ("torch", "functional")
# (rtol, atol) by dtype: the rounding of a whole program of some steps, not of one operation.
TOLERANCES = {
    "float64": (1e-7, 1e-9), "complex128": (1e-7, 1e-9),
    "float32": (1e-3, 1e-5), "complex64": (1e-3, 1e-5),
    "float16": (2e-2, 1e-3), "bfloat16": (1e-1, 1e-2),
    "float": (1e-3, 1e-5), "complex": (1e-3, 1e-5),
}
EXACT = (0.0, 0.0)
PRINTED = (5e-3, 1e-5)  # printed numbers are rounded: 3 significant digits agree
UNCONFIRMED = "the program raised, and there is no PyTorch to say whether it should"
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|\b(?:nan|inf)\b)")


@dataclasses.dataclass
class Gap:
    """How far an entry is from that of a reference engine: the largest differences, what is wrong if it disagrees, and why
    it differs if the program says that it does."""

    absolute: float | None
    relative: float | None
    problem: str | None = None
    reason: str | None = None

    @property
    def agree(self) -> bool:
        return self.problem is None


@dataclasses.dataclass
class Row:
    """One entry of a program, with its gap to each reference engine that ran."""

    name: str
    kind: str  # output, parameter, buffer, grad, number, printed, raised
    dtype: str
    shape: tuple
    gaps: dict[str, Gap]

    @property
    def agree(self) -> bool:
        return all(gap.agree for gap in self.gaps.values())


@dataclasses.dataclass
class Tolerance:
    """What counts as equal; None means the default of the dtype."""

    rtol: float | None = None
    atol: float | None = None

    def of(self, dtype: str) -> tuple[float, float]:
        rtol, atol = TOLERANCES.get(dtype, EXACT)
        return (rtol if self.rtol is None else self.rtol), (atol if self.atol is None else self.atol)


def compare(records: dict[str, tuple[dict, dict]], tolerance: Tolerance) -> list[Row]:
    """Rows of the program for the engines in `records` (engine -> (facts, arrays)), "tape" among them.

    An entry that the tape has and a reference has not, or the reverse, is a row that disagrees. An engine
    whose run ended in an exception is compared by that and by what it printed; without PyTorch nobody can
    say whether the exception is right, so that counts as disagreement.
    """
    finished = {engine: record for engine, record in records.items() if has_ended(record[0]["error"])}
    rows = _entry_rows(finished, tolerance)
    references = [engine for engine in REFERENCES if engine in records]
    ends = [("printed", "stdout", printed_gap), ("raised", "error", error_gap)]
    for kind, key, gap in ends:
        if any(facts[key] for facts, _ in records.values()):
            mine = records["tape"][0][key]
            gaps = {engine: gap(records[engine][0][key], mine) for engine in references}
            rows.append(Row(kind, kind, "", (), gaps))
    if rows and rows[-1].kind == "raised" and "torch" not in records:
        rows[-1].gaps = {engine: Gap(None, None, gap.problem or UNCONFIRMED)
                         for engine, gap in rows[-1].gaps.items()}
    return rows


def has_ended(error: dict | None) -> bool:
    """Whether a program came to its end, or left by itself."""
    return error is None or error["type"] == "SystemExit"


def _entry_rows(records: dict[str, tuple[dict, dict]], tolerance: Tolerance) -> list[Row]:
    if "tape" not in records:
        return []
    tables = {engine: by_name(*record) for engine, record in records.items()}
    mine = tables.pop("tape")
    rows = []
    for name in dict.fromkeys(itertools.chain(mine, *tables.values())):
        own = mine.get(name)
        others = {engine: table.get(name) for engine, table in tables.items()}
        entry, array = own or next(item for item in others.values() if item is not None)
        gaps = {engine: entry_gap(other, own, tolerance) for engine, other in others.items() if other or own}
        rows.append(Row(name, entry["kind"], entry["dtype"], array.shape, gaps))
    return rows


def by_name(facts: dict, arrays: dict) -> dict[str, tuple[dict, np.ndarray]]:
    """The (entry, array) of a record, by its name."""
    return {entry["name"]: (entry, arrays[f"a{i}"]) for i, entry in enumerate(facts["entries"])}


def entry_gap(reference, mine, tolerance: Tolerance) -> Gap:
    """The gap between two (entry, array), one of which may be None."""
    if reference is None or mine is None:
        who = "the reference" if reference is None else "the tape"
        return Gap(None, None, f"{who} has no such entry")
    (entry, expected), (own, got) = reference, mine
    for fact in ("kind", "dtype", "requires_grad"):
        if entry.get(fact) != own.get(fact):
            return Gap(None, None, f"{fact}: expected {entry.get(fact)}, got {own.get(fact)}")
    if expected.shape != got.shape:
        return Gap(None, None, f"shape: expected {expected.shape}, got {got.shape}")
    rtol, atol = tolerance.of(entry["dtype"])
    return array_gap(expected, got, rtol, atol)


def array_gap(expected: np.ndarray, got: np.ndarray, rtol: float, atol: float) -> Gap:
    """Largest absolute and relative difference of two arrays of one shape.

    The relative one is taken where `expected` is larger than `atol`: beside zero it says nothing. nan
    agrees with nan, an infinity with itself. They agree if ``|got - expected| <= atol + rtol |expected|``.
    """
    if expected.dtype.kind not in "fc":
        expected, got = expected.astype(np.float64), got.astype(np.float64)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    expected, got = expected.astype(wide), got.astype(wide)
    same = (expected == got) | (np.isnan(expected) & np.isnan(got))
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.where(same, 0.0, np.abs(got - expected))
    gap = np.where(np.isnan(gap), np.inf, gap)
    size = np.abs(expected)
    with np.errstate(invalid="ignore"):
        wrong = ~same & ~(gap <= atol + rtol * np.where(np.isfinite(size), size, 0.0))
    counted = (size > atol) & np.isfinite(size)
    relative = np.divide(gap, size, out=np.where(gap > 0, np.nan, 0.0), where=counted)
    worst = np.nanmax(relative, initial=0.0) if relative.size else 0.0
    problem = f"{int(wrong.sum())} of {wrong.size} elements differ" if wrong.any() else None
    return Gap(float(gap.max(initial=0.0)), float(worst), problem)


def printed_gap(expected: str, got: str) -> Gap:
    """Printed text line by line: numbers to 3 significant digits, all else exactly. Of texts that are cut, what both
    have.
    """
    lines, own_lines = expected.splitlines(), got.splitlines()
    if expected.endswith(CUT) and got.endswith(CUT):
        least = min(len(lines), len(own_lines)) - 1
        lines, own_lines = lines[:least], own_lines[:least]
    for number, (line, own) in enumerate(itertools.zip_longest(lines, own_lines), 1):
        if line == own:
            continue
        if line is None or own is None or not same_line(line, own):
            return Gap(None, None, f"line {number}: expected {line!r}, got {own!r}")
    return Gap(None, None)


def same_line(expected: str, got: str) -> bool:
    """Whether two printed lines agree."""
    if NUMBER.sub("#", expected) != NUMBER.sub("#", got):
        return False
    rtol, atol = PRINTED
    return array_gap(_numbers(expected), _numbers(got), rtol, atol).agree


def _numbers(line: str) -> np.ndarray:
    return np.array([float(text) for text in NUMBER.findall(line)])


def error_gap(expected: dict | None, got: dict | None) -> Gap:
    """How two runs ended: the same exception at the same line, or none in both."""
    ends = [_ending(error) for error in (expected, got)]
    return Gap(None, None, None if ends[0] == ends[1] else f"expected {ends[0]}, got {ends[1]}")


def _ending(error: dict | None) -> str:
    if error is None:
        return "no exception"
    return f"{error['type']} at line {error['line']}: {error['text']}"
