"""``python -m compat.semantics``: every program under torch and torchlike; status 1 if an unlisted one differs."""

import argparse
import collections
import json
import re
import sys

import torch
from rich.console import Console
from rich.table import Table

import torchlike
from compat import gaps
from compat.semantics import cells, running


def main() -> int:
    """Run the programs, print a table by topic and what differs."""
    parser = argparse.ArgumentParser(prog="python -m compat.semantics", description=__doc__)
    parser.add_argument("--match", default="", help="only programs whose 'topic: title' this expression finds")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    options = parser.parse_args()
    chosen = [cell for cell in cells.cells() if re.search(options.match, cell.name)]
    found = {cell: running.difference(running.run(torch, cell), running.run(torchlike, cell)) for cell in chosen}
    listed = gaps.programs()
    wrong = {cell: text for cell, text in found.items() if bool(text) != (cell.name in listed)}
    if options.json:
        print(json.dumps({cell.name: text for cell, text in found.items()}, indent=1))
    else:
        _print(found, wrong, listed)
    return 1 if wrong else 0


def _print(found, wrong, listed):
    console = Console(highlight=False, soft_wrap=True)
    for cell, text in wrong.items():
        place = f"{cell.topic}.py:{cell.line}"
        console.print(f"{place} {cell.title}", style="bold", markup=False)
        console.print(f"  {text or 'equal, but listed in compat/gaps.toml'}", markup=False)
    count = collections.Counter(cell.topic for cell in found)
    equal = collections.Counter(cell.topic for cell, text in found.items() if not text)
    table = Table("topic", "programs", "equal", "listed gaps")
    for topic in count:
        gap = sum(cell.name in listed for cell in found if cell.topic == topic)
        table.add_row(topic, str(count[topic]), str(equal[topic]), str(gap))
    table.add_row("all", str(len(found)), str(sum(equal.values())), str(sum(cell.name in listed for cell in found)))
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
