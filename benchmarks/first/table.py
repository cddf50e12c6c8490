"""Shows the medians of a run, and the limits beside what was measured."""

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.first import limits
from benchmarks.first.suite import ENGINES

TITLES = {"torch": "torch eager", "cold": "torchlike, empty cache", "warm": "torchlike, filled cache", "jax": "jax"}
NAMES = {"early": "steps 2 to {early}", "early_each": "a step of these", "steps": "steps 2 to {steps}",
         "steps_each": "a step of those", "hot_after": "hot after, s", "hot_steps": "hot after, steps",
         "exp_first": "x.exp().sum().item(), first looks", "exp_later": "later looks", "exp_over": "over recording",
         "scaled_first": "(x*1.5).exp().sum().item(), first looks", "scaled_later": "later looks",
         "scaled_over": "over recording"}
COUNTS = ("hot_steps",)


def show(console: Console, results: dict, sizes: dict) -> None:
    """A table a program, with the ratio to torch eager in brackets, and the limits."""
    for program, engines in results.items():
        table = Table(title=program, title_justify="left", show_edge=False, pad_edge=False)
        table.add_column("")
        shown = [engine for engine in ENGINES if engine in engines]
        for engine in shown:
            table.add_column(TITLES[engine], justify="right")
        for name in _measurements(engines.values()):
            table.add_row(NAMES.get(name, name.replace("_", " ")).format(**sizes),
                          *(_cell(engines, engine, name) for engine in shown))
        for engine in shown:
            reason = engines[engine].get("error") or engines[engine].get("skipped")
            if reason:
                table.add_row(f"{TITLES[engine]}: {escape(reason)}")
        console.print(table)
        console.print()
    show_limits(console, limits.judged(results))


def show_limits(console: Console, verdicts: Sequence[limits.Verdict]) -> None:
    """The limits, and whether this run kept them."""
    table = Table(title="Limits", title_justify="left", show_edge=False, pad_edge=False)
    for name in ("program", "what", "at most", "allowed here", "measured", "holds"):
        table.add_column(name)
    for verdict in verdicts:
        limit = verdict.limit
        holds = escape(verdict.skipped) if verdict.skipped else "yes" if verdict.holds else "[red]NO[/red]"
        most = [f"{limit.times_torch:g}x torch"] * bool(limit.times_torch) + [_seconds(limit.seconds)] * bool(limit.seconds)
        table.add_row(limit.program, limit.what, " or ".join(most), _seconds(verdict.allowed), _seconds(verdict.measured),
                      holds)
    console.print(table)


def _measurements(found) -> list[str]:
    """The names of what was measured under any engine, in order."""
    return list(dict.fromkeys(name for one in found for name in one if name not in ("error", "skipped")))


def _cell(engines: dict, engine: str, name: str) -> str:
    value = engines[engine].get(name)
    if value is None or name in COUNTS:
        return "-" if value is None else f"{value:g}"
    torch = engines.get("torch", {}).get(name)
    return _seconds(value) + (f" ({value / torch:.2f}x)" if torch and engine != "torch" else "")


def _seconds(value: float | None) -> str:
    if value is None:
        return "-"
    if abs(value) >= 0.1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.1f} ms" if abs(value) >= 1e-3 else f"{value * 1e6:.1f} us"
