"""``python -m benchmarks.memory``: what a training step takes in memory under each engine, plain and with checkpoints."""

import argparse
import dataclasses
import json
import platform
import sys
import tempfile

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from benchmarks.memory import worker
from benchmarks.programs.gpt import Size
from benchmarks.suite import launched

SIZE = Size(depth=12, width=512, heads=8, length=128, batch=8)
KINDS = {"plain": {}, "plain, loss read before backward": {"forced": True}, "checkpoints": {"checkpoint": True},
         "checkpoints, loss read before backward": {"checkpoint": True, "forced": True}}
MEGABYTE = 1e6


def jobs(engines):
    """(kind, engine). The twin in JAX is one program: its forward pass cannot run first."""
    return [(kind, engine) for kind, changes in KINDS.items() for engine in engines
            if engine != "jax" or "forced" not in changes]


def run_worker(engine: str, size: Size, steps: int) -> dict:
    """One process's measurements, or {"error": ...}. What compiles has done so in an earlier process: compiling leaves some
    hundred megabytes behind."""
    command = [sys.executable, "-m", "benchmarks.memory.worker", engine, "--steps", str(steps)]
    for name, value in dataclasses.asdict(size).items():
        command += [f"--{name}", str(int(value))]
    with tempfile.TemporaryDirectory() as folder:
        environment = {"TORCHLIKE_CACHE": folder, "JAX_COMPILATION_CACHE_DIR": folder,
                       "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0"}
        found = launched(command, environment)
        return launched(command, environment) if engine in worker.COMPILED else found


def show(console: Console, results: dict) -> None:
    """A line a kind and engine: the bytes between steps over those of the libraries alone, how many more a step takes, and
    its time."""
    table = Table(show_edge=False, pad_edge=False)
    for name in ("", "engine", "between steps, MB", "at the peak, MB", "a step, s"):
        table.add_column(name, justify="left" if name in ("", "engine") else "right")
    for kind, engines in results.items():
        for engine, found in engines.items():
            if "error" in found:
                table.add_row(kind, engine, escape(found["error"]))
            else:
                table.add_row(kind, engine, *(f"{found[name] / MEGABYTE:.0f}" for name in ("between", "peak")),
                              f"{found['seconds']:.2f}")
    console.print(table)


def main() -> int:
    """Run the benchmark; 0 whatever the figures are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--engines", nargs="+", choices=list(worker.LIBRARY), default=list(worker.LIBRARY))
    parser.add_argument("--steps", type=int, default=3, help="steps that are measured, after the first ones")
    for name in ("depth", "width", "heads", "length", "batch"):
        parser.add_argument(f"--{name}", type=int, default=getattr(SIZE, name), help="of the transformer")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = vars(parser.parse_args())
    engines, steps, as_json = options.pop("engines"), options.pop("steps"), options.pop("json")
    size, results = dataclasses.replace(SIZE, **options), {kind: {} for kind in KINDS}
    with Console(stderr=True).status("") as status:
        for kind, engine in jobs(engines):
            status.update(f"{kind} under {engine}")
            results[kind][engine] = run_worker(engine, dataclasses.replace(size, **KINDS[kind]), steps)
    if as_json:
        print(json.dumps({"results": results, "size": dataclasses.asdict(size)}, indent=1))
    else:
        console = Console() if sys.stdout.isatty() else Console(width=130)
        console.print(f"{platform.machine()}, {size}", highlight=False)
        show(console, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
