"""Shows reports of ``torchlike diff``: a table a program and a summary, or JSON."""

import json
import math
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from torchlike._diff import ranks
from torchlike._diff.compare import REFERENCES, Gap, Row
from torchlike._diff.driver import CRASHED, LATE, MISSING, OF_RANKS, OK, Engine, Report, few

TITLES = {"torch": "PyTorch", "tape": "torchlike's tape", "functional": "jax.vjp", ranks.BETWEEN: "rank 0",
          ranks.ALONE: "one process"}


def show(console: Console, report: Report, everything: bool = True) -> None:
    """Print one program's table; without `everything` only the rows that disagree."""
    console.print(f"\n[bold]{escape(_shown(report.program, console))}[/bold]  {_engines(report)}")
    for engine, ended in report.engines.items():
        if ended.status in (CRASHED, LATE):
            console.print(f"[red]{TITLES[engine]} {ended.status}:[/red]")
            console.print(_shown(ended.detail, console), markup=False, highlight=False)
    rows = report.rows if everything else [row for row in report.rows if not row.agree]
    if rows:
        console.print(_table(rows, report))
    for row in report.rows:
        for engine, gap in row.gaps.items():
            if gap.problem:
                text = f"[red]{escape(row.name)}[/red], against {TITLES[engine]}: {escape(gap.problem)}"
                console.print(_shown(text, console), highlight=False)
    for text in _on_purpose(rows):
        console.print(_shown(escape(text), console), highlight=False)
    for note in report.notes:
        console.print(f"[yellow]note:[/yellow] {escape(_shown(note, console))}", highlight=False)
    if not all(row.agree for row in report.rows if row.kind == "raised"):
        _show_tracebacks(console, report.engines)


def _on_purpose(rows: Sequence[Row]) -> list[str]:
    """What differs as the program says, by reason."""
    found: dict = {}
    for row in rows:
        for engine, gap in row.gaps.items():
            if gap.reason:
                found.setdefault((engine, gap.reason), []).append((row.name, gap.absolute))
    texts = []
    for (engine, reason), items in found.items():
        far = [absolute for _, absolute in items if absolute is not None]
        by = f", by up to {max(far):.1e}" if far else ""
        names = few([name for name, _ in items])
        texts.append(f"differs from {TITLES[engine]} on purpose{by}: {names}\n    {reason}")
    return texts


def _engines(report: Report) -> str:
    parts = []
    for name, ended in report.engines.items():
        version = f" {ended.version}" if name == "torch" and ended.version else ""
        took = f"{ended.seconds:.2f} s" if ended.status == OK and ended.seconds is not None else ended.status
        many = f" on {report.ranks} ranks" if report.ranks and OF_RANKS[name] else ""
        parts.append(f"{TITLES[name]}{version}{many}: {took}")
    return "; ".join(parts)


def _table(rows: Sequence[Row], report: Report) -> Table:
    table = Table(show_edge=False, pad_edge=False)
    for title in ("name", "kind", "dtype", "shape"):
        table.add_column(title, overflow="fold")
    # Of ranks there are twice as many columns: only the absolute difference.
    references, measures = (REFERENCES, 2) if report.ranks is None else (ranks.REFERENCES, 1)
    for engine in references:
        title = f"vs {TITLES[engine]}"
        if engine in report.engines and report.engines[engine].status == MISSING:
            title += f"\n({MISSING})"
        table.add_column(title + "\nabsolute", justify="right")
        if measures > 1:
            table.add_column("\nrelative", justify="right")
    table.add_column("agree")
    for row in rows:
        shape = "x".join(map(str, row.shape))
        gaps = [cell for engine in references for cell in _cells(row.gaps.get(engine))[:measures]]
        agree = "yes" if row.agree else "[red]NO[/red]"
        table.add_row(escape(row.name), row.kind, row.dtype, shape, *gaps, agree)
    return table


def _cells(gap: Gap | None) -> tuple[str, str]:
    if gap is None:
        return "", ""
    if gap.absolute is None or gap.relative is None:
        return ("same", "") if gap.agree else ("differs", "")
    return f"{gap.absolute:.1e}", f"{gap.relative:.1e}"


def _show_tracebacks(console: Console, engines: dict[str, Engine]) -> None:
    shown: dict[str | None, str] = {}
    for name, ended in engines.items():
        if ended.status != "raised":
            continue
        if ended.detail in shown:
            console.print(f"[red]{TITLES[name]} raised the same as {shown[ended.detail]}[/red]")
            continue
        shown[ended.detail] = TITLES[name]
        console.print(f"[red]{TITLES[name]} raised:[/red]")
        console.print(_shown(ended.detail, console), markup=False, highlight=False)


def _shown(text: str | None, console: Console) -> str:
    """Text with escapes for what the console cannot print: bytes of paths and texts that are not UTF-8."""
    return (text or "").encode(console.encoding, "backslashreplace").decode(console.encoding)


def summarize(console: Console, reports: Sequence[Report], interrupted: bool = False) -> None:
    """Print the counts over all programs, and which programs disagree; of those before an interruption."""
    if interrupted:
        console.print("\n[red]interrupted[/red]", highlight=False)
    rows = [row for report in reports for row in report.rows]
    agree, same = sum(report.agree for report in reports), sum(row.agree for row in rows)
    console.print(f"\n{agree} of {len(reports)} programs agree; {same} of {len(rows)} rows", highlight=False)
    if any(report.engines["torch"].status == MISSING for report in reports):
        console.print("PyTorch is not installed: torchlike was compared with jax.vjp alone "
                      "(pip install torch==2.13.0 adds the column)", highlight=False)
    for report in reports:
        if not report.agree:
            comparable = "" if report.comparable else " (its runs are not comparable)"
            console.print(f"[red]disagrees:[/red] {escape(_shown(report.program, console))}{comparable}")


def as_json(reports: Sequence[Report], interrupted: bool = False) -> str:
    """All reports, or those before an interruption, as one JSON object. nan and infinities are the strings "nan" and "inf".
    """
    programs = [{
        "program": report.program, "ranks": report.ranks,
        "agree": report.agree, "comparable": report.comparable, "notes": report.notes,
        "engines": {name: {"status": ended.status, "seconds": ended.seconds, "version": ended.version,
                           "detail": ended.detail} for name, ended in report.engines.items()},
        "rows": [{
            "name": row.name, "kind": row.kind, "dtype": row.dtype, "shape": list(row.shape),
            "agree": row.agree,
            "against": {engine: {"absolute": _plain(gap.absolute), "relative": _plain(gap.relative),
                                 "problem": gap.problem, "reason": gap.reason} for engine, gap in row.gaps.items()},
        } for row in report.rows],
    } for report in reports]
    agree = not interrupted and all(report.agree for report in reports)
    return json.dumps({"agree": agree, "interrupted": interrupted, "programs": programs}, indent=1, allow_nan=False)


def _plain(number: float | None):
    return number if number is None or math.isfinite(number) else str(number)
