"""``python -m benchmarks.gpu --json results.json``: GPT-2, ResNet-50 and a chain of small operations on a GPU, under torch
eager, torch.compile, hand-written ``jax.jit`` and torchlike, each in a fresh process, in less than nine minutes in all.

It needs JAX with its CUDA plugin, flax and optax; PyTorch with CUDA for its two rows. Nothing is installed and nothing is
fetched: torchlike runs from the checkout.
"""

import argparse
import json
import platform
import sys
from pathlib import Path

from rich.console import Console

from benchmarks import worker
from benchmarks.gpu import suite, table
from benchmarks.gpu.programs import PROGRAMS, SCALES

_NOTES = """\
step: the last result of ten or more is read; read step: each is; idle: a step less the time in which a profile shows the
GPU at work in it; MFU: the products' arithmetic against the data sheet's dense peak; peak: the process's largest use of the
device's memory, which of JAX has the programs' temporaries; first step: with building the model"""


def main() -> int:
    """Run everything; 0 whatever the figures are, 1 where a row has an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS), metavar="program",
                        help=f"any of {', '.join(PROGRAMS)} (default: all)")
    parser.add_argument("--engines", nargs="+", choices=worker.ENGINES, default=list(worker.ENGINES))
    parser.add_argument("--scale", choices=SCALES, default="full", help="tiny: shapes that a CPU can do")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--seconds", type=float, default=suite.Plan.seconds, help="for everything (default: %(default)g)")
    parser.add_argument("--tests", action="store_true", help="first run the tests that need a GPU, within the same time")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results there")
    options = parser.parse_args()
    unknown = set(options.programs) - set(PROGRAMS)
    if unknown:
        parser.error(f"no such program: {', '.join(sorted(unknown))}")
    found = run(options)
    console = Console() if sys.stdout.isatty() else Console(width=150)
    if found["tests"]:
        console.print(f"tests: {found['tests'].get('summary') or found['tests']['error']}\n", highlight=False, markup=False)
    table.show(console, found["results"])
    console.print(_NOTES, highlight=False)
    failed = any("error" in row for engines in found["results"].values() for row in engines.values())
    return int(failed or found["tests"].get("status", 0) != 0)


def run(options: argparse.Namespace) -> dict:
    """All results. What is known so far is written after each job."""
    plan = suite.Plan(options.programs, options.engines, options.scale, options.device, options.seconds)
    found: dict = {"scale": plan.scale, "device": plan.device, "python": platform.python_version(), "tests": {},
                   "results": {program: {} for program in plan.programs}}
    progress = Console(stderr=True)
    if options.tests:
        found["tests"], took = suite.run_tests()
        plan.seconds -= took
        _write(options.json, found)
    for program, engine, row in suite.run(plan):
        progress.print(f"{program} under {engine}: {row}", highlight=False, markup=False)
        found["results"][program][engine] = row
        _write(options.json, found)
    return found


def _write(path: Path | None, found: dict) -> None:
    if path is not None:
        path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
