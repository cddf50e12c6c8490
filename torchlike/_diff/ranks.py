"""Compares what several ranks leave: with PyTorch's ranks, with one another, and with one process that has everything.

The functional form of ranks that average is a function of the whole batch: that of one process, whose gradients `jax.vjp`
makes. `jax.jit` over devices means the same, an array that is sharded being one array; and what ranks do in Python, each in
its own way, `shard_map` could not trace.
"""

import dataclasses
import itertools
from collections.abc import Callable, Iterable

from torchlike._diff.compare import (
    UNCONFIRMED,
    Gap,
    Row,
    Tolerance,
    by_name,
    entry_gap,
    error_gap,
    has_ended,
    printed_gap,
)
from torchlike._diff.program_run import STOPPED
from torchlike._diff.terms import Terms

# What the ranks of the tape are held against; the one process itself against its functional form.
BETWEEN, ALONE = "between", "alone"
REFERENCES = ("torch", BETWEEN, ALONE, "functional")
_STALE = {BETWEEN: "the program says that it differs by rank, but all ranks have the same",
          ALONE: "the program says that it differs from one process, but it does not"}
_MOST = 4  # ranks in a text


def compare(records: dict, terms: Terms, tolerance: Tolerance) -> list[Row]:
    """Rows of a program of several ranks.

    Args:
        records: {"tape": records of all ranks, "torch": the same, ALONE and "functional": of one process}, each a list, of
            engines that left some; "tape" is among them.
        terms: what the program says.
        tolerance: what may differ.

    Returns:
        rows, as `compare.compare` has them; the reason of what differs on purpose is in the gap.
    """
    tables = {engine: [_table(record) for record in found] for engine, found in records.items()}
    names = dict.fromkeys(itertools.chain.from_iterable(
        table for each in (tables["tape"], *tables.values()) for table in each if table is not None))
    rows = [_entry_row(name, tables, terms, tolerance) for name in names]
    rows += _ends(records)
    return rows


def _table(record) -> dict | None:
    """{name: (entry, array)}; None of a rank that ended in an exception."""
    return by_name(*record) if has_ended(record[0]["error"]) else None


def _entry_row(name: str, tables: dict, terms: Terms, tolerance: Tolerance) -> Row:
    found = {engine: [None if table is None else table.get(name) for table in each] for engine, each in tables.items()}
    mine, places = found["tape"], [rank for rank, table in enumerate(tables["tape"]) if table is not None]
    entry, array = next(item for each in (mine, *found.values()) for item in each if item is not None)
    gaps = {}
    if "torch" in found and any(item is not None for item in (*mine, *found["torch"])):
        gaps["torch"] = worst((rank, _gap(found["torch"][rank], mine[rank], tolerance))
                              for rank in places if tables["torch"][rank] is not None)
    if terms.is_judged(name, entry["kind"]) and len(places) == len(mine):
        gaps |= _between_and_alone(name, found, terms, tolerance)
    one = [tables[engine][0] for engine in ("functional", ALONE) if engine in tables]
    if len(one) == 2 and None not in one and any(name in table for table in one):
        gaps["functional"] = _gap(one[0].get(name), one[1].get(name), tolerance)
    return Row(name, entry["kind"], entry["dtype"], array.shape, gaps)


def _between_and_alone(name: str, found: dict, terms: Terms, tolerance: Tolerance) -> dict[str, Gap]:
    mine, one = found["tape"], found.get(ALONE, [None])[0]
    between = worst((rank, _gap(mine[0], mine[rank], tolerance)) for rank in range(1, len(mine)))
    by_rank, other = terms.why_by_rank(name), terms.why_other(name)
    if by_rank:
        return {BETWEEN: _on_purpose(between, BETWEEN, by_rank)}
    gaps = {BETWEEN: between}
    if ALONE in found:
        alone = worst((rank, _gap(one, own, tolerance)) for rank, own in enumerate(mine))
        gaps[ALONE] = _on_purpose(alone, ALONE, other) if other else alone
    return gaps


def _gap(reference, mine, tolerance) -> Gap:
    """Of two (entry, array) that may be missing, on both sides, too."""
    if reference is None and mine is None:
        return Gap(None, None)
    return entry_gap(reference, mine, tolerance)


def _on_purpose(gap: Gap, reference: str, why: str) -> Gap:
    """The gap of what differs on purpose: it agrees if it does differ."""
    if gap.problem is None:
        return dataclasses.replace(gap, problem=_STALE[reference])
    return dataclasses.replace(gap, problem=None, reason=why)


def worst(gaps: Iterable[tuple[int, Gap]]) -> Gap:
    """The gaps of ranks as one: the largest differences, and what is wrong on which rank.

    Args:
        gaps: (rank, its gap).

    Returns:
        the Gap.
    """
    found = list(gaps)
    numbers = [[x for _, gap in found if (x := getattr(gap, size)) is not None] for size in ("absolute", "relative")]
    absolute, relative = (max(each) if each and len(each) == len(found) else None for each in numbers)
    told = [f"rank {rank}: {gap.problem}{_far(gap)}" for rank, gap in found if gap.problem]
    more = f"; and {len(told) - _MOST} more ranks" if len(told) > _MOST else ""
    return Gap(absolute, relative, "; ".join(told[:_MOST]) + more or None)


def _far(gap: Gap) -> str:
    return "" if gap.absolute is None else f", by up to {gap.absolute:.1e}"


# how ranks ended, and what they printed

def _ends(records: dict) -> list[Row]:
    rows = []
    ours, theirs = records["tape"], records.get("torch")
    if any(facts["stdout"] for facts, _ in (*ours, *(theirs or ()))):
        rows.append(Row("printed", "printed", "", (), _by_rank(theirs, ours, "stdout", printed_gap)))
    if any(facts["error"] for found in records.values() for facts, _ in found):
        rows.append(Row("raised", "raised", "", (), _raised(records)))
    return rows


def _by_rank(theirs, ours, fact: str, gap: Callable) -> dict[str, Gap]:
    if theirs is None:
        return {}
    both = enumerate(zip(theirs, ours, strict=True))
    return {"torch": worst((rank, gap(a[fact], b[fact])) for rank, ((a, _), (b, _)) in both)}


def _raised(records: dict) -> dict[str, Gap]:
    """A rank that failed is held against PyTorch's; what the others raised because of it is not."""
    ours, gaps = records["tape"], {}
    if "torch" in records:
        first = {first_to_fail(records["torch"]), first_to_fail(ours)}
        gaps["torch"] = worst((rank, _error_gap(records["torch"][rank][0]["error"], own["error"], rank in first))
                              for rank, (own, _) in enumerate(ours))
    elif any(facts["error"] for facts, _ in ours):
        gaps[BETWEEN] = Gap(None, None, UNCONFIRMED)
    if ALONE in records:
        one = records[ALONE][0][0]["error"]
        if "functional" in records:
            gaps["functional"] = error_gap(records["functional"][0][0]["error"], one)
        cause = first_to_fail(ours)
        if cause is None or one is None:
            gaps[ALONE] = worst([(cause or 0, error_gap(one, None if cause is None else ours[cause][0]["error"]))])
    return gaps


def first_to_fail(records: list) -> int | None:
    """The rank whose exception came first, None if none did. One that was stopped had waited for another."""
    failed = [(facts["error"]["type"] == STOPPED, facts["ended"], rank) for rank, (facts, _) in enumerate(records)
              if facts["error"]]
    return min(failed)[-1] if failed else None


def _error_gap(expected, got, is_cause: bool) -> Gap:
    if not is_cause and expected and got:
        return Gap(None, None)
    return error_gap(expected, got)
