"""Shows the medians and ratios of a run of the benchmarks."""

import importlib

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.suite import judged, ratio

NAMES = {"torch": "torch eager", "compile": "torch.compile", "torchlike": "torchlike",
         "jax": "jax.jit by hand"}
MEASURED = {"look_each": "step, read each", "look_last": "step, read last", "first_step": "first step",
            "cold_start": "from process start"}


def show(console: Console, results: dict) -> None:
    """A table a program: medians, and in brackets the ratio to torch eager."""
    for program, engines in results.items():
        title = importlib.import_module(f"benchmarks.programs.{program}").TITLE
        table = Table(title=title, title_justify="left", show_edge=False, pad_edge=False)
        table.add_column("engine")
        for name in MEASURED.values():
            table.add_column(name, justify="right")
        table.add_column("compiles")
        for engine, found in engines.items():
            if "error" in found:
                table.add_row(NAMES[engine], f"[red]{escape(found['error'])}[/red]")
                continue
            cells = [_cell(results, program, name, engine) for name in MEASURED]
            compiles = found.get("compiles")
            table.add_row(NAMES[engine], *cells, "" if compiles is None else f"{compiles:g}")
        console.print(table)
        console.print()
    show_goals(console, results)


def show_goals(console: Console, results: dict) -> None:
    """The goals of the project, and whether this run met them."""
    table = Table(title="Goals", title_justify="left", show_edge=False, pad_edge=False)
    for name in ("program", "measurement", "against", "at most", "measured", "met"):
        table.add_column(name)
    for goal, measured in judged(results):
        against = NAMES[goal.reference] if goal.reference else ""
        shown = "-" if measured is None else f"{measured:.2f}"
        met = "" if measured is None else ("yes" if measured <= goal.most else "[red]NO[/red]")
        name = MEASURED.get(goal.measurement, goal.measurement)
        table.add_row(goal.program, name, against, f"{goal.most:g}", shown, met)
    console.print(table)


def _cell(results: dict, program: str, name: str, engine: str) -> str:
    seconds = results[program][engine].get(name)
    if seconds is None:
        return ""
    times = ratio(results, program, name, engine, "torch")
    shown = f"{seconds * 1e6:,.0f} us" if seconds < 0.1 else f"{seconds:.2f} s"
    return shown + (f" ({times:.2f}x)" if times is not None else "")
