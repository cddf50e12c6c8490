"""``torchlike diff``: each engine runs the program in a fresh process; then the records are compared."""

import concurrent.futures
import dataclasses
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from torchlike._diff import compare, program_run

ENGINES = ("torch", "tape", "functional")
PROGRAMS = Path(__file__).parent / "programs"
MISSING = "not installed"


@dataclasses.dataclass
class Engine:
    """How one engine ended: "ok", "raised" (an exception of the program), "crashed" or "not installed"."""

    status: str
    seconds: float | None = None
    version: str | None = None
    detail: str | None = None  # the traceback, or the end of what a crashed process wrote


@dataclasses.dataclass
class Report:
    """One program under all engines."""

    program: str
    engines: dict[str, Engine]
    rows: list[compare.Row]

    @property
    def agree(self) -> bool:
        """Whether every row agrees and no engine crashed."""
        crashed = any(engine.status == "crashed" for engine in self.engines.values())
        return not crashed and all(row.agree for row in self.rows)


def shipped_programs() -> list[Path]:
    """The programs that come with the package."""
    return sorted(path for path in PROGRAMS.glob("*.py") if path.name != "__init__.py")


def torch_installed() -> bool:
    """Whether real PyTorch can be imported in a fresh process of this Python."""
    return importlib.util.find_spec("torch") is not None


def command(engine: str, out: str, program: str, arguments: Sequence[str]) -> list[str]:
    """The command line of a worker process."""
    if engine == "torch":  # by path and isolated: it must not import torchlike
        worker = ["-P", program_run.__file__]
    else:
        worker = ["-m", "torchlike._diff.worker", "--engine", engine]
    return [sys.executable, *worker, "--out", out, program, *arguments]


def run_engine(engine: str, program: str, arguments: Sequence[str] = ()) -> tuple[Engine, tuple | None]:
    """Run one program under one engine; (how it ended, its record or None)."""
    if engine == "torch" and not torch_installed():
        return Engine(MISSING), None
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "record.npz")
        done = subprocess.run(command(engine, out, program, arguments), capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)
        if not os.path.exists(out):
            return Engine("crashed", detail=done.stderr[-4000:] or f"exit status {done.returncode}"), None
        facts, arrays = program_run.load(out)
    error = facts["error"]
    ended = Engine("raised" if error else "ok", facts["seconds"], facts["version"],
                   error["traceback"] if error else None)
    return ended, (facts, arrays)


def report(program: str, results: dict[str, tuple[Engine, tuple | None]],
           tolerance: compare.Tolerance) -> Report:
    """Compares the results of the engines for one program."""
    records = {engine: record for engine, (_, record) in results.items() if record is not None}
    rows = compare.compare(records, tolerance) if "tape" in records else []
    return Report(program, {engine: ended for engine, (ended, _) in results.items()}, rows)


def reports(programs: Sequence[str], tolerance: compare.Tolerance, arguments: Sequence[str] = (),
            started: Callable[[str], None] = lambda program: None) -> Iterator[Report]:
    """A Report for each program, in order. As many processes as there are cores run at a time."""
    workers = max(1, os.cpu_count() or 1)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting = [{engine: pool.submit(run_engine, engine, program, arguments) for engine in ENGINES}
                   for program in programs]
        for program, futures in zip(programs, waiting, strict=True):
            started(program)
            yield report(program, {engine: future.result() for engine, future in futures.items()}, tolerance)
