"""Runs the workers: a fresh process for each program and engine, one after the other, round after round."""

import dataclasses
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import worker

# What each program is run under: torch.compile takes minutes to compile some, and not every one has a twin.
_ALL, _EAGER = worker.ENGINES, ("torch", "torchlike")
PROGRAMS: dict[str, Sequence[str]] = {
    "chain": _ALL, "mlp": _ALL, "gpt": _ALL, "learning_rates": _ALL, "mlp_clipped": _EAGER, "gpt_lengths": _EAGER,
    "lstm": _EAGER, "maml": _EAGER, "resnet18": _EAGER, "ode": _EAGER, "decode": _EAGER}
ROOT = Path(__file__).parents[1]


@dataclasses.dataclass
class Plan:
    """What to run."""

    programs: Sequence[str] = tuple(PROGRAMS)
    engines: Sequence[str] = worker.ENGINES
    rounds: int = 3
    seconds: float = 1.0
    cores: int | None = None


def jobs(plan: Plan) -> Iterator[tuple[int, str, str]]:
    """(round, program, engine). Each round begins with another engine, so that none is always the one
    that finds the machine warm, or busy."""
    for turn in range(plan.rounds):
        shift = turn % len(plan.engines)
        order = [*plan.engines[shift:], *plan.engines[:shift]]
        for program in plan.programs:
            for engine in order:
                if engine in PROGRAMS[program]:
                    yield turn, program, engine


def run_worker(engine: str, program: str, plan: Plan) -> dict:
    """One process's measurements, or {"error": ...}."""
    command = [sys.executable, "-m", "benchmarks.worker", engine, program, "--seconds", str(plan.seconds)]
    if plan.cores:
        command += ["--cores", str(plan.cores)]
    return launched(command, {worker.STARTED: repr(time.time())})


def launched(command: Sequence[str], environment: dict[str, str]) -> dict:
    """The JSON object on the last line that a command prints, run with additions to the environment, or {"error": ...}."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment}, cwd=ROOT)
    if done.returncode != 0:
        return failure(done)
    return json.loads(done.stdout.strip().splitlines()[-1])


def failure(done: subprocess.CompletedProcess) -> dict:
    """{"error": the last line that a worker wrote}."""
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return {"error": last[:200]}


def medians(runs: Sequence[dict]) -> dict:
    """The median of each measurement over the rounds, None if a run has none; the error if any run had one, or why it was
    skipped."""
    failed = [run for run in runs if "error" in run or "skipped" in run]
    if failed:
        return failed[0]
    return {name: None if any(run[name] is None for run in runs) else statistics.median(run[name] for run in runs)
            for name in runs[0]}


def ratio(results: dict, program: str, name: str, engine: str, reference: str) -> float | None:
    """How many times the time of `reference` the `engine` takes; None if one did not run."""
    mine = results[program].get(engine, {}).get(name)
    other = results[program].get(reference, {}).get(name)
    return mine / other if mine is not None and other else None


@dataclasses.dataclass
class Goal:
    """A bound on a measurement of torchlike, absolute or relative to another engine."""

    program: str
    measurement: str
    reference: str | None
    most: float


GOALS = (
    Goal("chain", "look_each", "torch", 0.3),
    Goal("mlp", "look_each", "torch", 0.35),
    Goal("mlp_clipped", "look_each", "torch", 0.7),
    Goal("gpt", "look_each", "torch", 0.8),
    Goal("gpt", "look_each", "jax", 1.0),
    Goal("gpt_lengths", "look_each", "torch", 0.9),
    *(Goal(program, "look_each", "torch", 1.0) for program in ("lstm", "maml", "resnet18", "ode", "decode")),
    Goal("learning_rates", "compiles", None, 2),
    Goal("mlp", "first_step", "torch", 2.0),
    Goal("gpt", "first_step", "torch", 2.0),
    Goal("mlp", "cold_start", "torch", 2.0),
    Goal("gpt", "cold_start", "torch", 2.0),
)


def judged(results: dict) -> list[tuple[Goal, float | None]]:
    """Each goal whose program was run, with what was measured."""
    found = []
    for goal in GOALS:
        if goal.program not in results:
            continue
        if goal.reference is None:
            measured = results[goal.program].get("torchlike", {}).get(goal.measurement)
        else:
            measured = ratio(results, goal.program, goal.measurement, "torchlike", goal.reference)
        found.append((goal, measured))
    return found
