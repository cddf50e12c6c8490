"""Runs the workers, each in a process of its own and within a time of its own, so that the whole ends in time."""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import worker
from benchmarks.gpu.programs import PROGRAMS

ROOT = Path(__file__).parents[2]
# Shares of the time that is left. What a job does not need is for those after it, and the one whose compiler is the
# slowest comes last.
_ENGINES = {"torch": 1.0, "jax": 2.0, "torchlike": 3.0, "compile": 3.0}
_PROGRAMS = {"chain": 0.5, "gpt2": 1.0, "resnet50": 1.3}
_LEAST = 25.0  # seconds that any job may take while there is time
_TESTS = 120.0  # seconds for the tests


@dataclasses.dataclass
class Plan:
    """What to run."""

    programs: Sequence[str] = tuple(PROGRAMS)
    engines: Sequence[str] = worker.ENGINES
    scale: str = "full"
    device: str = "cuda"
    seconds: float = 510.0  # for everything


def jobs(plan: Plan) -> list[tuple[str, str]]:
    """(program, engine), in the order in which they run."""
    return [(program, engine) for engine in sorted(plan.engines, key=list(_ENGINES).index) for program in plan.programs]


def budget(left: float, todo: Sequence[tuple[str, str]]) -> float:
    """Seconds for the first of the jobs, of those that are left for all of them."""
    shares = [_PROGRAMS[program] * _ENGINES[engine] for program, engine in todo]
    return min(left, max(_LEAST, left * shares[0] / sum(shares)))


def run(plan: Plan) -> Iterator[tuple[str, str, dict]]:
    """(program, engine, what was measured) of each job, when it has ended."""
    end = time.monotonic() + plan.seconds
    todo = jobs(plan)
    while todo:
        program, engine = todo[0]
        yield program, engine, run_worker(program, engine, plan, budget(end - time.monotonic(), todo))
        todo = todo[1:]


def run_worker(program: str, engine: str, plan: Plan, seconds: float) -> dict:
    """What one process found; with "error" where it failed, or had no time for all of it."""
    if seconds < 1:
        return {"error": "no time was left"}
    command = [sys.executable, "-m", "benchmarks.gpu.worker", engine, program, "--scale", plan.scale,
               "--device", plan.device, "--budget", str(seconds)]
    status, out, err = run_within(command, seconds, {worker.STARTED: repr(time.time()),
                                                    **({"JAX_PLATFORMS": "cpu"} if plan.device == "cpu" else {})})
    found = _last_object(out)
    if status is None:
        return {"error": f"took longer than its {seconds:.0f} s", **found}
    if status:
        return {"error": (err.strip().splitlines() or [f"exit status {status}"])[-1][:200], **found}
    return found


def _last_object(out: str) -> dict:
    """The last line that is a whole JSON object; {} without one."""
    for line in reversed(out.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return {}


def run_within(command: Sequence[str], seconds: float, environment: dict[str, str]) -> tuple[int | None, str, str]:
    """(exit status, output, errors) of a command; the status is None where the time was too short.

    Its own children are ended with it: torch.compile has some, and they would keep a pipe open.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=ROOT, start_new_session=True,
                                   env={**os.environ, "PYTHONPATH": path, **environment})
        try:
            status: int | None = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for file in (out, err):
            file.seek(0)
        return status, out.read(), err.read()


def run_tests() -> tuple[dict, float]:
    """The tests that need a GPU as pytest sums them up, and the seconds that they took."""
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-m", "gpu", "-n", "0", "-q", "--tb=short", "-W",
               "ignore::pytest.PytestConfigWarning", "tests/gpu"]
    status, out, err = run_within(command, _TESTS, {})
    lines = (out.strip() or err.strip()).splitlines()
    found = {"status": status, "summary": lines[-1] if lines else ""}
    if status is None:
        found["error"] = f"took longer than {_TESTS:.0f} s"
    if status != 0:
        found["output"] = out[-8000:]
    return found, time.monotonic() - began
