"""Runs the workers: fresh processes, one after the other, round after round, each program first under another engine."""

import dataclasses
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.first import training, worker
from benchmarks.suite import launched, medians

LIBRARY = {"torch": "torch", "cold": "torchlike", "warm": "torchlike", "jax": "jax"}  # what is imported, by engine
ENGINES = tuple(LIBRARY)


@dataclasses.dataclass
class Plan:
    """What to run."""

    programs: Sequence[str] = worker.PROGRAMS
    rounds: int = 3
    sizes: training.Sizes = dataclasses.field(default_factory=training.Sizes)
    cores: int | None = None


def jobs(plan: Plan) -> Iterator[tuple[int, str, str]]:
    """(round, program, engine). "warm" follows "cold", whose cache it finds; every other round ends with torch."""
    for turn in range(plan.rounds):
        for program in plan.programs:
            order = ["torch", "cold", "warm"] if turn % 2 == 0 else ["cold", "warm", "torch"]
            yield from ((turn, program, engine) for engine in ([*order, "jax"] if program == "import" else order))


def environment(folder: Path) -> dict[str, str]:
    """The environment of processes that keep what they cache below `folder`, and fetch nothing. Bytecode stays with its
    source, as it does for a user."""
    return {"PYTHONDONTWRITEBYTECODE": "", "TORCHLIKE_CACHE": str(folder / "torchlike"), "XDG_CACHE_HOME": str(folder),
            "HF_HOME": str(folder / "hf"), "HF_HUB_OFFLINE": "1"}


def run(plan: Plan, report=lambda text: None) -> tuple[dict, dict]:
    """(medians, all runs), each by program and engine. `report` is told what runs."""
    runs: dict = {program: {} for program in plan.programs}
    with tempfile.TemporaryDirectory() as folder:
        for turn, program, engine in jobs(plan):
            report(f"round {turn + 1} of {plan.rounds}: {program} under {engine}")
            caches = Path(folder) / f"{turn}-{program}-{LIBRARY[engine]}"  # one for cold and warm
            runs[program].setdefault(engine, []).append(run_worker(program, engine, plan, caches))
    return {program: {engine: medians(found) for engine, found in engines.items()}
            for program, engines in runs.items()}, runs


def run_worker(program: str, engine: str, plan: Plan, caches: Path) -> dict:
    """One process's measurements, with the seconds of the whole process, or {"error": ...}."""
    command = [sys.executable, "-m", "benchmarks.first.worker", LIBRARY[engine], program]
    for name, value in dataclasses.asdict(plan.sizes).items():
        command += [f"--{name}", str(value)]
    if plan.cores:
        command += ["--cores", str(plan.cores)]
    caches.mkdir(exist_ok=True)
    start = time.perf_counter()
    found = launched(command, environment(caches))
    return found if "error" in found or "skipped" in found else {**found, "process": time.perf_counter() - start}
