"""One program under one engine in this process; prints one JSON object. Started by benchmarks/suite.py.

A step's result is read each time, or the last one alone (``look_each``, ``look_last``). What nobody reads need not be
computed; every step of the programs leads to what the next one begins with, so none can be left out.
"""

import argparse
import contextlib
import dataclasses
import importlib
import json
import os
import time
from collections.abc import Callable

from benchmarks import timer
from benchmarks.programs import learning_rates

ENGINES = ("torch", "compile", "torchlike", "jax")
STARTED = "BENCHMARK_STARTED"  # environment variable: time.time() when the process was started
WARM_LEAST, WARM_MOST = 0.5, 60.0


@dataclasses.dataclass
class Engine:
    """What the worker needs of an engine."""

    step: Callable
    look: Callable  # makes the result exist, as a user does who reads it
    compiles: Callable[[], int | None]  # programs compiled so far, None if there is no compiler
    busy: Callable[[], object]  # changes as long as the engine is warming up
    hurried: Callable[[], contextlib.AbstractContextManager] = contextlib.nullcontext  # inside, it warms up sooner


def load_torch(program: str, wrap_name: str | None, options: dict) -> Callable[[], Engine]:
    torch = importlib.import_module("torch")

    def compiles() -> int | None:
        if wrap_name is None:
            return None
        return importlib.import_module("torch._dynamo.utils").counters["stats"]["unique_graphs"]

    def build() -> Engine:
        wrap = torch.compile if wrap_name else _same
        step = importlib.import_module(f"benchmarks.programs.{program}").make_step(torch, wrap, **options)
        return Engine(step, _look, compiles, compiles)

    return build


def load_torchlike(program: str, options: dict) -> Callable[[], Engine]:
    torchlike = importlib.import_module("torchlike")

    def compiles() -> int:
        return torchlike.counters()["programs"]

    def build() -> Engine:
        step = importlib.import_module(f"benchmarks.programs.{program}").make_step(torchlike, _same, **options)
        return Engine(step, _look, compiles, timer.compiling(torchlike), lambda: timer.hurried(torchlike))

    return build


def load_jax(program: str, options: dict) -> Callable[[], Engine]:
    twin = importlib.import_module(f"benchmarks.twins.{program}")
    numpy = importlib.import_module("numpy")
    return lambda: Engine(twin.make_step(**options), numpy.asarray, lambda: None, lambda: None)


def _same(function):
    return function


def _look(result):
    return result.item() if result.ndim == 0 else result.detach().numpy()


def load(engine: str, program: str, **options) -> Callable[[], Engine]:
    """Import the engine; returns what builds the program on it. The options are those of the program's `make_step`."""
    if engine == "torchlike":
        return load_torchlike(program, options)
    if engine == "jax":
        return load_jax(program, options)
    return load_torch(program, "torch.compile" if engine == "compile" else None, options)


def run(options: argparse.Namespace) -> dict:
    """All measurements of one process, in seconds."""
    started = float(os.environ.get(STARTED, time.time()))
    build = load(options.engine, options.program)
    imported = time.time()
    engine = build()
    engine.look(engine.step())
    first = time.time()
    found: dict[str, float | None] = {
        "import": imported - started, "first_step": first - imported, "cold_start": first - started}
    if options.cold:
        return found
    found["warm_up"] = warm_up(engine, engine.look)
    if options.program == "learning_rates":
        found["compiles"] = compiles_of_sweep(engine)
    for name, every in (("look_each", True), ("look_last", False)):
        warm_up(engine, engine.look if every else _same)
        timing = timer.measure(engine.step, engine.look, every, options.seconds)
        found[name] = timing.seconds
    return found


def warm_up(engine: Engine, look: Callable) -> float:
    """The seconds until the engine has compiled what its steps need, with results that are looked at so."""
    with engine.hurried():
        return timer.warm_up(engine.step, look, engine.busy, WARM_LEAST, WARM_MOST)


def compiles_of_sweep(engine: Engine) -> int | None:
    """Programs compiled in 100 steps with 100 learning rates, counted once the compiler is idle."""
    before = engine.compiles()
    for _ in range(learning_rates.SWEEP):
        engine.look(engine.step())
    timer.warm_up(lambda: time.sleep(0.1), _same, engine.busy, 2 * WARM_LEAST, WARM_MOST)
    after = engine.compiles()
    return None if before is None or after is None else after - before


def main() -> None:
    """Print the measurements, or the error, as JSON on the last line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--cold", action="store_true", help="measure the first step alone")
    parser.add_argument("--cores", type=int, help="run on this many cores")
    options = parser.parse_args()
    if options.cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.cores])
    try:
        found = run(options)
    except Exception as error:  # noqa: BLE001 - an engine that cannot run a program is a line of the table
        found = {"error": described(error)}
    print(json.dumps(found))


def described(error: Exception) -> str:
    """The class of an error and the first line of its text, for a cell."""
    text = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {text}"[:200]


if __name__ == "__main__":
    main()
