"""Shows what was measured on a GPU."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.gpu.programs import PROGRAMS
from benchmarks.table import NAMES


def show(console: Console, results: dict) -> None:
    """A table a program, a row an engine."""
    for program, engines in results.items():
        known = PROGRAMS[program]
        table = Table(title=known.title, title_justify="left", show_edge=False, pad_edge=False)
        table.add_column("engine")
        for column in (f"{known.unit}/s", "step", "read step", "idle", "MFU", "peak", "first step"):
            table.add_column(column, justify="right")
        table.add_column("")
        for engine, found in engines.items():
            table.add_row(NAMES[engine], *_cells(found), f"[red]{escape(found['error'])}[/red]" if "error" in found else "")
        console.print(table)
        console.print()


def _cells(found: dict) -> list[str]:
    """Empty where there is no figure."""
    shown = (("items_per_second", "{:,.0f}"), ("step", "{:.3g} s"), ("read_step", "{:.3g} s"), ("idle", "{:.3g} s"),
             ("mfu", "{:.1%}"), ("peak_bytes", None), ("first_step", "{:.2f} s"))
    cells = []
    for name, form in shown:
        value = found.get(name)
        if value is None:
            cells.append("")
        else:
            cells.append(f"{value / 2 ** 30:.2f} GiB" if form is None else form.format(value))
    return cells
