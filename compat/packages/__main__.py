"""``python -m compat.packages``: programs that use packages written for PyTorch, under torch and under torchlike.

A program use_*.py uses a package, model_*.py trains the model of a single file. Each runs in two fresh processes; what
they print has to agree, numbers to a thousandth. Seconds are those of the whole process. The packages come with
``pip install -e '.[test,compat]'``. Status 1 if a program fails or differs and compat/gaps.toml has no row for it.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from compat import gaps
from compat.packages import stand_ins

PROGRAMS = Path(__file__).parent / "programs"
ENGINES = {"torch": (), "torchlike": ("-m", "torchlike", "run")}
KINDS = {"use": "package", "model": "model"}  # by how the name of a program begins
TITLES = ("name", "kind", "runs", "agrees", "torch, s", "torchlike, s", "")
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?|-?inf|nan")
TOLERANCE = 1e-3


def main() -> int:
    """Run, print."""
    parser = argparse.ArgumentParser(prog="python -m compat.packages", description=__doc__)
    parser.add_argument("--match", default="", help="only packages that this expression finds")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one program")
    options = parser.parse_args()
    found = {}
    table = Table(*TITLES)
    with tempfile.TemporaryDirectory() as folder:
        environments = {"torch": stand_ins.environment(folder)}
        for path in track(chosen(options.match), "packages", console=Console(stderr=True), transient=True):
            kind, _, name = path.stem.partition("_")
            text, seconds = outcome(path, options.limit, environments)
            found[name] = text
            table.add_row(name, KINDS[kind], "no" if text.startswith("fails") else "yes", "no" if text else "yes",
                          *(f"{seconds[engine]:.1f}" if engine in seconds else "" for engine in ENGINES), text)
    Console(highlight=False, width=140).print(table)
    good = sum(not text for text in found.values())
    print(f"{good} of {len(found)} agree")
    return 1 if any(bool(text) != (name in gaps.packages()) for name, text in found.items()) else 0


def chosen(match) -> list:
    """The programs that the expression finds: packages, then models."""
    return [path for kind in KINDS for path in sorted(PROGRAMS.glob(f"{kind}_*.py")) if re.search(match, path.stem)]


def outcome(path, limit, environments) -> tuple:
    """What is wrong, "" if nothing is; the seconds of each engine that came to an end. Environments are those of engines
    that need another one than this process has."""
    printed, seconds = [], {}
    for engine, command in ENGINES.items():
        began = time.perf_counter()
        try:
            done = subprocess.run([sys.executable, *command, str(path)], capture_output=True, text=True, check=False,
                                  timeout=limit, env=environments.get(engine))
        except subprocess.TimeoutExpired:
            return f"fails under {engine}: more than {limit:.0f} s", seconds
        seconds[engine] = time.perf_counter() - began
        if done.returncode:
            return f"fails under {engine}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}", seconds
        printed.append(done.stdout)
    return difference(*printed), seconds


def difference(want: str, got: str) -> str:
    """The first line that differs, "" if there is none."""
    for line, ours in zip(want.splitlines(), got.splitlines(), strict=False):
        if not alike(line, ours):
            return f"{line.strip()} | ours {ours.strip()}"
    return "" if want.count("\n") == got.count("\n") else f"{want.count(chr(10))} lines, ours {got.count(chr(10))}"


def alike(line: str, ours: str) -> bool:
    """Whether two lines agree: the numbers nearly, the rest but for spaces."""
    if "".join(NUMBER.sub("#", line).split()) != "".join(NUMBER.sub("#", ours).split()):
        return False
    pairs = zip(map(float, NUMBER.findall(line)), map(float, NUMBER.findall(ours)), strict=True)
    return all(a == b or (a != a and b != b) or abs(a - b) <= TOLERANCE * max(abs(a), abs(b), 0.01) for a, b in pairs)


if __name__ == "__main__":
    sys.exit(main())
