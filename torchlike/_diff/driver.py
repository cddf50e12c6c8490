"""``torchlike diff``: each engine runs the program in a fresh process; then the records are compared."""

import concurrent.futures
import contextlib
import dataclasses
import functools
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from torchlike._diff import compare, program_run, sources
from torchlike._diff.processes import Ended
from torchlike._diff.workers import RUN, Workers
from torchlike.install import has_pytorch

ENGINES = ("torch", "tape", "functional")
PROGRAMS = Path(__file__).parent / "programs"
MISSING, CRASHED, LATE = "not installed", "crashed", "timed out"
FEW = 5  # names in a note


@dataclasses.dataclass
class Engine:
    """How one engine ended: "ok", "raised" (an exception of the program), "crashed", "timed out" or "not installed"."""

    status: str
    seconds: float | None = None
    version: str | None = None
    detail: str | None = None  # the traceback, or the end of what a crashed process wrote


@dataclasses.dataclass
class Report:
    """One program under all engines. `notes` say what else there is to know, and why runs are not `comparable`."""

    program: str
    engines: dict[str, Engine]
    rows: list[compare.Row]
    notes: list[str] = dataclasses.field(default_factory=list)
    comparable: bool = True

    @property
    def agree(self) -> bool:
        """Whether every row agrees and every engine came to an end."""
        failed = any(engine.status in (CRASHED, LATE) for engine in self.engines.values())
        return not failed and all(row.agree for row in self.rows)


@dataclasses.dataclass
class Options:
    """How programs are run: with these arguments, each engine for so many seconds. PyTorch is that of `torch_python`."""

    tolerance: compare.Tolerance
    timeout: float | None = None
    arguments: Sequence[str] = ()
    torch_python: str | None = None


def shipped_programs() -> list[Path]:
    """The programs that come with the package."""
    return sorted(path for path in PROGRAMS.glob("*.py") if path.name != "__init__.py")


@functools.cache
def torch_installed(torch_python: str | None = None) -> bool:
    """Whether real PyTorch can be imported in a fresh process of another Python, None for this one."""
    if torch_python is None:
        return has_pytorch()
    code = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    try:
        return subprocess.run([torch_python, "-P", "-c", code], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def run_engine(engine: str, program: str, options: Options, workers: Workers) -> tuple[Engine, tuple | None]:
    """Run one program under one engine; (how it ended, its record or None)."""
    if engine == "torch" and not torch_installed(options.torch_python):
        return Engine(MISSING), None
    text = sources.notebook_source(program)
    with tempfile.TemporaryDirectory() as folder:
        out, source = os.path.join(folder, "record.npz"), None
        if text is not None:
            source = os.path.join(folder, "source.py")
            pathlib.Path(source).write_bytes(text)
        shown = [] if source is None else ["--source", source]
        ended = workers.run(engine, RUN, ["--out", out, *shown, program, *options.arguments], options.timeout)
        if ended.is_late or not os.path.exists(out):
            return _failed(ended, options), None
        facts, arrays = program_run.load(out)
    return ended_as(facts), (facts, arrays)


def ended_as(facts: dict) -> Engine:
    """How a run ended that left something, by its facts."""
    error = facts["error"]
    return Engine("raised" if error else "ok", facts["seconds"], facts["version"], error["traceback"] if error else None)


def _failed(ended: Ended, options: Options) -> Engine:
    if ended.is_late:
        return Engine(LATE, detail=f"stopped after {options.timeout:g} s\n{ended.errors}".rstrip())
    return Engine(CRASHED, detail=ended.errors or ended.reason)


def report(program: str, options: Options, workers: Workers, ended: Callable[[str], None] = lambda text: None) -> Report:
    """Runs the engines one after the other, because a program may write files, and compares what they give."""
    results = {}
    for engine in ENGINES:
        results[engine] = run_engine(engine, program, options, workers)
        ended(f"{program} under {engine}")
    records = {engine: record for engine, (_, record) in results.items() if record is not None}
    made = report_of(program, {engine: ended for engine, (ended, _) in results.items()}, records, options.tolerance)
    if made.rows and not made.agree:
        _note_chance(made, records, options, workers)
    return made


def report_of(program: str, engines: dict[str, Engine], records: dict[str, tuple], tolerance: compare.Tolerance) -> Report:
    """Compares what runs left.

    Args:
        program: its path.
        engines: how each ended.
        records: what `program_run.run` gave under those that left something.
        tolerance: what may differ.

    Returns:
        The report.
    """
    made = Report(program, engines, compare.compare(records, tolerance) if "tape" in records else [])
    _note_files(made, records)
    return made


def _note_files(made: Report, records: dict) -> None:
    written = sorted({name for facts, _ in records.values() for name in facts["writes"]})
    if written:
        made.notes.append(f"it writes {_few(written)}: the engines run one after the other, and find what the one before "
                          "left")


def _note_chance(made: Report, records: dict, options: Options, workers: Workers) -> None:
    """Run one engine again: if that differs from itself, so may the others from it."""
    engine = "torch" if "torch" in records else "tape"
    _, again = run_engine(engine, made.program, options, workers)
    if again is None:
        return
    rows = compare.compare({"tape": records[engine], "functional": again}, options.tolerance)
    other = [row.name for row in rows if not row.agree and row.gaps["functional"].problem != compare.UNCONFIRMED]
    if not other:
        return
    made.comparable = False
    text = sources.notebook_source(made.program) or pathlib.Path(made.program).read_bytes()
    places = sources.chances(text)
    why = f" (look at {_few(places)})" if places else ""
    name = "PyTorch" if engine == "torch" else "torchlike's tape"
    made.notes.append(f"its runs are not comparable: two of them under {name} differ in {_few(other)}, so it depends on "
                      f"what is not seeded, on the time or on what it wrote before{why}. torch, random and numpy.random are "
                      "seeded here")


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more


def reports(programs: Sequence[str], options: Options,
            ended: Callable[[str], None] = lambda text: None) -> Generator[Report, None, None]:
    """A Report for each program, in order. As many programs as there are cores run at a time; none is left when the iterator
    is closed. `ended` is called, in any thread, when an engine has run a program.
    """
    workers = Workers(options.torch_python)
    pool = concurrent.futures.ThreadPoolExecutor(max(1, os.cpu_count() or 1))
    try:
        waiting = [pool.submit(report, program, options, workers, ended) for program in programs]
        for future in waiting:
            yield future.result()
    finally:
        workers.stop()
        with contextlib.suppress(KeyboardInterrupt):
            pool.shutdown(cancel_futures=True)
