"""What the engines of ``torchlike diff`` say of the program: the numbers that it leaves, and where they part first."""

import math
from collections.abc import Sequence

from torchlike._base.errors import UnsupportedError
from torchlike._diff import deep, driver
from torchlike._diff.compare import Tolerance

_ROWS = 60  # variables that are shown
_NAMES = {"jax": "functional"}  # what `driver` calls engines of `deep`


def compared(program: str, arguments: Sequence[str] = ()) -> dict:
    """Runs a program under every engine that there is, in processes of their own.

    Args:
        program: its path.
        arguments: the program's arguments.

    Returns:
        ``rows``: each variable with its largest differences; ``engines``: how each ended; ``parting``: the first operation
        at which two engines part, or None; ``pairs``: what was compared; ``problem``: why there is nothing of these, or "".
    """
    engines = deep.ENGINES if driver.torch_installed() else deep.ENGINES[1:]
    if arguments:
        return _left(_report(program, arguments), "operations are compared for programs without arguments")
    try:
        made = deep.compare_engines(program, engines, (), None)
    except (UnsupportedError, RuntimeError) as error:
        return _left(_report(program, arguments), str(error))
    records = {_NAMES.get(name, name): record for name, record in made.left.items()}
    ended = {name: driver.ended_as(records[name][0]) if name in records else driver.Engine(driver.MISSING)
             for name in driver.ENGINES}
    return {**_left(driver.report_of(program, ended, records, Tolerance()), ""), **of_report(made)}


def _report(program: str, arguments: Sequence[str]) -> driver.Report:
    """What the program leaves under each engine, from runs in which nothing else is recorded."""
    return next(driver.reports([program], driver.Options(Tolerance(), arguments=tuple(arguments))))


def _left(report: driver.Report, problem: str) -> dict:
    """What the page says of what the program leaves."""
    return {"engines": {name: engine.status for name, engine in report.engines.items()},
            "rows": [_row(row) for row in report.rows[:_ROWS]], "notes": list(report.notes),
            "pairs": [], "parting": None, "problem": problem}


def of_report(made: deep.Report) -> dict:
    """What the page says of a comparison of all operations.

    Args:
        made: the Report.

    Returns:
        ``pairs`` and ``parting``, as `compared` has them.
    """
    found: dict = {"parting": None}
    found["pairs"] = [{"engines": list(pair.engines), "operations": pair.operations, "gradients": pair.gradients,
                       "agree": not pair.partings} for pair in made.pairs]
    if made.first is not None:
        first = made.first
        found["parting"] = {"text": str(first), "file": first.file, "line": first.line, "operator": first.operator}
    return found


def _row(row) -> dict:
    gaps = {engine: {"absolute": _plain(gap.absolute), "relative": _plain(gap.relative), "problem": gap.problem}
            for engine, gap in row.gaps.items()}
    return {"name": row.name, "kind": row.kind, "dtype": row.dtype, "shape": list(row.shape), "agree": row.agree,
            "gaps": gaps}


def _plain(value: float | None):
    return value if value is None or math.isfinite(value) else str(value)
