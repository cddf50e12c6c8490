"""One program under one engine in this process; prints one JSON object. Started by benchmarks/memory/__main__.py."""

import argparse
import dataclasses
import gc
import importlib
import json
import statistics
import sys
import time
from collections.abc import Callable

from benchmarks import worker
from benchmarks.memory import resident
from benchmarks.programs.gpt import Size

LIBRARY = {"torch": "torch", "jax": "jax", "cold": "torchlike", "hot": "torchlike"}  # what is imported, by engine
COMPILED = ("jax", "hot")
MODES = {"cold": "off", "hot": "now"}  # which tier of torchlike runs, by engine
SMALL = Size(depth=1, width=16, heads=2, length=8, batch=1, vocabulary=16)
WARM = 2  # steps before the first one that is measured: the second is the first to find all moments


def measured(engine: str, size: Size, steps: int) -> dict:
    """Bytes and seconds of a step."""
    build = worker.load(LIBRARY[engine], "gpt", size=dataclasses.replace(SMALL, checkpoint=size.checkpoint))
    run(build(), WARM)
    gc.collect()
    library = resident.now()
    built = worker.load(LIBRARY[engine], "gpt", size=size)()
    run(built, WARM)
    gc.collect()
    between, peaks, took = resident.now(), [], []
    for _ in range(steps):
        resident.forget_peak()
        took.append(run(built, 1))
        peaks.append(resident.peak())
    return {"between": between - library, "peak": statistics.median(peaks) - library, "seconds": statistics.median(took)}


def run(engine: worker.Engine, steps: int) -> float:
    """Seconds that some steps take."""
    start = time.perf_counter()
    for _ in range(steps):
        engine.look(engine.step())
    jax = sys.modules.get("jax")
    if jax is not None:  # the loss is there before the rest of the step
        jax.block_until_ready(jax.live_arrays())
    return time.perf_counter() - start


def main() -> None:
    """Print the measurements, or the error, as JSON on the last line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=LIBRARY)
    parser.add_argument("--steps", type=int, default=3)
    for name, value in dataclasses.asdict(Size()).items():
        parser.add_argument(f"--{name}", type=int, default=int(value))
    options = vars(parser.parse_args())
    engine, steps = options.pop("engine"), options.pop("steps")
    size = Size(**options)
    try:
        found = within(engine, lambda: measured(engine, size, steps))
    except Exception as error:  # noqa: BLE001 - an engine that cannot run a program is a line of the table
        found = {"error": worker.described(error)}
    print(json.dumps(found))


def within(engine: str, call: Callable[[], dict]) -> dict:
    """`call` with the settings of the engine."""
    if engine not in MODES:
        return call()
    with importlib.import_module("torchlike").configure(compile=MODES[engine]):
        return call()


if __name__ == "__main__":
    main()
