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
import time

import torch

import torchlike
from tests.campaigns.edges_bounds import Theirs, known_of
from tests.campaigns.edges_sides import AT_LENGTH, LENGTHS, LONG, Case, Side, changed_shape, kinds_of, operands_of
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
# Arrays of 2**24 numbers are not given back to the system, which would find their pages anew, two thirds of the time.
KEPT = {"MALLOC_MMAP_THRESHOLD_": str(1 << 32), "MALLOC_TRIM_THRESHOLD_": str(1 << 32)}
LIMIT = 120  # seconds for a case in a process of its own


def examined(case: Case, tiers=tuple(TIERS), told=lambda tier: None) -> tuple:
    """Failures of one case, one a tier at most, and whether PyTorch computes it. `told` is called as each tier begins."""
    theirs, failures = Theirs(case), []
    if not theirs.counts:
        return failures, False
    known = known_of(case)
    for tier in tiers:
        told(tier)
        with torchlike.configure(compile=TIERS[tier]):
            got = Side(torchlike, case).outcome()
        found = repr(got) if isinstance(got, Exception) else f"{len(got)} results for {len(theirs.outcome)}"
        if not isinstance(got, Exception) and len(got) == len(theirs.outcome):
            found = theirs.differ(got, known)
        if found:
            failures.append(Failure(f"{case.expression} [{tier}] {found.partition(':')[0]}", found,
                                    f"examined({case!r}, ({tier!r},))", sum(x.numel() for x in theirs.side.inputs)))
    return failures, True


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
            with installed(seen), torchlike.configure(compile="off"):
                Side(torchlike, Case(expression, dtype, "plain")).outcome()
            if seen.rows & chosen:
                found[expression] = seen.rows & chosen
                break
    return found


@functools.cache
def _shapes_of(expression: str) -> list:
    """The shapes of the operands of an expression that are drawn."""
    sides = [Side(torch, Case(expression, dtype, "plain")) for dtype in ("float32", "int64")]
    for side in sides:
        side.outcome()
    return max((side.shapes for side in sides), key=len)


def cases_of(expression: str, dtype: str) -> list:
    """All cases of an expression in a dtype; of those with the same operands the first."""
    shapes, found, known = _shapes_of(expression), [], set()
    for kind in kinds_of(dtype):
        for operand in operands_of(len(shapes), kind):
            case = Case(expression, dtype, kind, operand)
            sizes = tuple(changed_shape(shape, case) for shape in shapes)
            if kind not in LENGTHS or sizes not in known:
                found.append(case)
                known.add(sizes)
    return found


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
    found = [case for group in groups for case in cases_of(*group)]
    many = sorted((case for case in found if case.kind in AT_LENGTH), key=lambda case: LONG[case.dtype])
    return [case for case in found if case.kind not in AT_LENGTH] + many * at_length


def reported(cases_in_order: list, examine, deadline: float = math.inf, begin: int = 0) -> Report:
    """Cases one after the other, until the time is over.

    Args:
        cases_in_order: which.
        examine: as `examined`; None from it: nothing is known of the case.
        deadline: until when, by `time.monotonic`.
        begin: how many an earlier run has looked at.
    """
    report, done, passed = Report(), collections.Counter(), collections.Counter()
    for case in cases_in_order[begin:]:
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
    end = begin + done.total()
    if end < len(cases_in_order):
        report.notes.append(f"ended before case {end} of {len(cases_in_order)}: --begin {end} goes on there")
    return report


def _part(case) -> str:
    return f"{case.dtype}, very many elements" if case.kind in AT_LENGTH else case.dtype


class Apart(Asked):
    """Cases are examined in a process of its own, with bounds to its time and memory. Use it in a ``with`` block."""

    def __init__(self):
        super().__init__("tests.campaigns.edges_apart", environment=KEPT)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.end()

    def examined(self, case: Case) -> tuple | None:
        """As `examined`. None where PyTorch alone takes more than the bounds. What lacks memory, or gives no answer,
        is asked of a fresh process: memory that earlier cases have used is in pieces."""
        found = self._examined(case)
        if found is None or not any("can't allocate memory" in x.what or x.where.endswith(" ends") for x in found[0]):
            return found
        self.end()
        return self._examined(case)

    def _examined(self, case: Case) -> tuple | None:
        self.ask(dataclasses.astuple(case))
        stage: dict = {}
        while "failures" not in stage and "ended" not in stage:
            before, stage = stage, self.answer(LIMIT)
        if "failures" in stage:
            return [Failure(**failure) for failure in stage["failures"]], stage["counts"]
        if before.get("stage") != "torchlike":
            return None
        where = f"{case.expression} [{before['tier']}] ends"
        return [Failure(where, stage["ended"], f"examined({case!r}, ({before['tier']!r},))", LONG.get(case.dtype, 1))], True


def run(seed: int, deadline: float, begin: int = 0) -> Report:
    """All cases, until the time is over. `begin`: but for so many of this seed's, which an earlier run has looked at."""
    with Apart() as process:
        return reported(drawn(seed), process.examined, deadline, begin)
