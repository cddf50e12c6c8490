"""``python -m benchmarks.operators``: every row with at least 1 MB of input, torch eager against torchlike, on this machine.

Both libraries take turns, a fresh process for each dozen of rows. Status 1 if a row takes more than three times
torch's time, and a launch, and compat/gaps.toml has no line about it, or if it fails. Such a row is measured up to
twice more, and the lesser time of each library counts: machines are shared.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks import suite
from benchmarks.operators import cases
from compat import gaps
from torchlike._ops.all import ROWS

ROOT = Path(__file__).parents[2]
LIBRARIES = ("torch", "torchlike")
TOGETHER = 12
MOST, MEDIAN, AGAIN = 3.0, 1.0, 2
LAUNCH = 400e-6  # seconds more that any call may take: see "one operation at a time" in compat/gaps.toml


def main() -> int:
    """Measure, print, write."""
    options = _options()
    rows = {name: text for name, row in ROWS.items() if re.search(options.match, name)
            and (text := cases.expression(row)) is not None}
    found = measure(rows, options.seconds)
    for _ in range(AGAIN):
        over = {entry[1]: rows[entry[1]] for entry in unlisted(ratios(found))}
        if over:
            keep_lesser(found, measure(over, options.seconds))
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1))
    return report(found)


def measure(rows: dict, seconds: float) -> dict:
    """{row: {library: {"forward": s, "both": s}}}."""
    names, found = list(rows), {name: {} for name in rows}
    for start in track(range(0, len(names), TOGETHER), description="rows", console=Console(stderr=True)):
        some = names[start:start + TOGETHER]
        for library in LIBRARIES:
            lines = run([rows[name] for name in some], library, seconds)
            for name, line in zip(some, lines, strict=True):
                found[name][library] = line
    return found


def run(texts: list, library: str, seconds: float) -> list:
    """What one worker measured, for each expression; after a crash "error" for the rest."""
    command = [sys.executable, "-m", "benchmarks.operators.worker", library, "--seconds", str(seconds)]
    done = subprocess.run(command, input=json.dumps(texts), capture_output=True, text=True, check=False, cwd=ROOT)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return lines + [suite.failure(done)] * (len(texts) - len(lines))


def ratios(found: dict) -> list:
    """(ratio, row, "forward" or "both", torch's seconds, ours), the worst first."""
    made = []
    for name, by in found.items():
        for kind in ("forward", "both"):
            theirs, ours = by["torch"].get(kind), by["torchlike"].get(kind)
            if theirs and ours:
                made.append((ours / theirs, name, kind, theirs, ours))
    return sorted(made, reverse=True)


def unlisted(made: list) -> list:
    """The entries of `ratios` over the line that compat/gaps.toml does not explain."""
    return [entry for entry in made if is_slow(entry) and entry[1] not in gaps.slow()]


def is_slow(entry) -> bool:
    """Whether an entry of `ratios` is over the line."""
    return entry[4] > MOST * entry[3] + LAUNCH


def keep_lesser(found: dict, again: dict) -> None:
    """Of two measurements of a row the lesser time of each library."""
    for name, by in again.items():
        for library, line in by.items():
            first = found[name][library]
            first.update({kind: min(line[kind], first[kind]) for kind in ("forward", "both") if line.get(kind)})


def report(found: dict) -> int:
    """The worst, the medians, the errors."""
    console = Console(highlight=False)
    made = ratios(found)
    table = Table("row", "", "torch us", "torchlike us", "ratio", "expression")
    unexplained = unlisted(made)
    for entry in filter(is_slow, made):
        ratio, name, kind, theirs, ours = entry
        table.add_row(name, kind, f"{theirs * 1e6:.0f}", f"{ours * 1e6:.0f}", f"{ratio:.1f}",
                      cases.expression(ROWS[name]), style="red" if entry in unexplained else None)
    console.print(table)
    for kind in ("forward", "both"):
        own = [entry[0] for entry in made if entry[2] == kind]
        if own:
            console.print(f"{kind}: {len(own)} rows, median {statistics.median(own):.2f} (goal: at most {MEDIAN:.1f}), "
                          f"{sum(r > MOST for r in own)} above {MOST:.0f}")
    failed = [name for name, by in found.items() if "error" in by["torchlike"] and "error" not in by["torch"]]
    for name, by in found.items():
        for library, line in by.items():
            if "error" in line:
                console.print(f"{name}: {library}: {line['error']}", markup=False)
    return 1 if unexplained or failed else 0


def _options():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.operators", description=__doc__)
    parser.add_argument("--match", default="", help="only rows whose name this expression finds")
    parser.add_argument("--seconds", type=float, default=0.2, help="for each measurement")
    parser.add_argument("--json", default="", help="write what was measured to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
