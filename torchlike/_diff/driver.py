"""``torchlike diff``: each engine runs the program in a fresh process; then the records are compared."""

import concurrent.futures
import contextlib
import dataclasses
import functools
import math
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from torchlike._base.ports import free_port
from torchlike._diff import compare, program_run, ranks, sources, terms
from torchlike._diff.processes import Ended
from torchlike._diff.workers import RUN, Workers
from torchlike.install import has_pytorch

ENGINES = ("torch", "tape", "functional")
# Of a program of several ranks, and how many of them run: all or one. The last two are the tape and its functional form.
OF_RANKS = {"torch": True, "tape": True, ranks.ALONE: False, "functional": False}
PROGRAMS = Path(__file__).parent / "programs"
OK, RAISED, MISSING, CRASHED, LATE = "ok", "raised", "not installed", "crashed", "timed out"
_ENDS = (OK, MISSING, LATE, RAISED, CRASHED)  # the worse of two ranks is the later one
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
    ranks: int | None = None  # how many there are, of a program of several

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
    ranks: int | None = None  # None for as many as a program asks for

    def terms(self, program: str) -> terms.Terms:
        """What is said of the ranks of a program."""
        said = terms.of_program(program)
        return said if self.ranks is None else dataclasses.replace(said, ranks=self.ranks)


def engines_of(options: Options, program: str) -> Sequence[str]:
    """The engines under which a program runs."""
    return ENGINES if options.terms(program).ranks is None else tuple(OF_RANKS)


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
    (found,) = _run(engine, program, options, workers, [None])
    return found


def run_ranks(engine: str, program: str, options: Options, workers: Workers, size: int) -> tuple[Engine, list | None]:
    """Run one program in several processes under one engine; (how they ended, a record of each rank or None)."""
    port = free_port()
    found = _run(engine, program, options, workers, [f"{rank}/{size}/{port}" for rank in range(size)])
    if size == 1 or found[0][0].status == MISSING:
        return found[0][0], None if found[0][1] is None else [found[0][1]]
    failed = any(ended.status in (RAISED, CRASHED) for ended, _ in found)
    told = [(ended, _stopped(ended) if record is None and failed and ended.status == LATE else record)
            for ended, record in found]
    records = [record for _, record in told if record is not None]
    return _as_one([ended for ended, _ in told]), records if len(records) == size else None


def _run(engine: str, program: str, options: Options, workers: Workers, places: list) -> list[tuple]:
    """How each process ended, and its record or None: one process, or ranks with their places."""
    if engine == "torch" and not torch_installed(options.torch_python):
        return [(Engine(MISSING), None)] * len(places)
    text = sources.notebook_source(program)
    with tempfile.TemporaryDirectory() as folder:
        shown: list[str] = []
        if text is not None:
            shown = ["--source", os.path.join(folder, "source.py")]
            pathlib.Path(shown[1]).write_bytes(text)
        outs = [os.path.join(folder, f"record-{i}.npz") for i in range(len(places))]
        arguments = [["--out", out, *shown, *([] if place is None else ["--rank", place]), program, *options.arguments]
                     for out, place in zip(outs, places, strict=True)]
        kind = "tape" if engine == ranks.ALONE else engine
        return [_found(ended, out, options)
                for ended, out in zip(workers.run_ranks(kind, RUN, arguments, options.timeout), outs, strict=True)]


def _found(ended: Ended, out: str, options: Options) -> tuple[Engine, tuple | None]:
    if ended.is_late or not os.path.exists(out):
        return _failed(ended, options), None
    facts, arrays = program_run.load(out)
    return ended_as(facts), (facts, arrays)


def _stopped(ended: Engine) -> tuple[dict, dict]:
    """The record of a rank that would still wait for one that has failed."""
    error = {"type": program_run.STOPPED, "text": "", "line": None, "traceback": ended.detail}
    facts = {"stdout": "", "error": error, "version": None, "seconds": None, "ended": math.inf, "entries": [], "writes": []}
    return facts, {}


def _as_one(ended: list[Engine]) -> Engine:
    """How the ranks of one engine ended: as the worst of them, with what each of those says that did not end well."""
    status = max((each.status for each in ended), key=_ENDS.index)
    seconds = [each.seconds for each in ended if each.seconds is not None]
    details = [f"rank {rank}, {each.status}:\n{each.detail}" for rank, each in enumerate(ended) if each.status != OK]
    versions = [each.version for each in ended if each.version is not None]
    return Engine(status, max(seconds, default=None), next(iter(versions), None), "\n".join(details) or None)


def ended_as(facts: dict) -> Engine:
    """How a run ended that left something, by its facts."""
    error = facts["error"]
    return Engine(RAISED if error else OK, facts["seconds"], facts["version"], error["traceback"] if error else None)


def _failed(ended: Ended, options: Options) -> Engine:
    if ended.is_late:
        why = "as another rank had failed" if options.timeout is None else f"after {options.timeout:g} s"
        return Engine(LATE, detail=f"stopped {why}\n{ended.errors}".rstrip())
    return Engine(CRASHED, detail=ended.errors or ended.reason)


def report(program: str, options: Options, workers: Workers, ended: Callable[[str], None] = lambda text: None) -> Report:
    """Runs the engines one after the other, because a program may write files, and compares what they give."""
    said = options.terms(program)
    size, results = said.ranks, {}
    for engine in ENGINES if size is None else OF_RANKS:
        if size is None:
            results[engine] = run_engine(engine, program, options, workers)
        else:
            results[engine] = run_ranks(engine, program, options, workers, size if OF_RANKS[engine] else 1)
        ended(f"{program} under {engine}")
    records = {engine: record for engine, (_, record) in results.items() if record is not None}
    engines = {engine: how for engine, (how, _) in results.items()}
    if size is None:
        made = report_of(program, engines, records, options.tolerance)
    else:
        made = _report_of_ranks(program, engines, records, options, said)
    if made.rows and not made.agree:
        _note_chance(made, records, options, workers)
    return made


def _report_of_ranks(program: str, engines: dict, records: dict, options: Options, said: terms.Terms) -> Report:
    rows = ranks.compare(records, said, options.tolerance) if "tape" in records else []
    made = Report(program, engines, rows, ranks=said.ranks)
    unused = said.unused([row.name for row in rows]) if rows and all(row.kind != "raised" for row in rows) else []
    made.rows += [compare.Row(name, "comment", "", (), {ranks.BETWEEN: compare.Gap(None, None, "nothing has this name")})
                  for name in unused]
    _note_files(made, {f"{engine} {i}": record for engine, found in records.items() for i, record in enumerate(found)})
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
        made.notes.append(f"it writes {few(written)}: the engines run one after the other, and find what the one before "
                          "left")


def _note_chance(made: Report, records: dict, options: Options, workers: Workers) -> None:
    """Run one engine again: if that differs from itself, so may the others from it."""
    engine = "torch" if "torch" in records else "tape"
    if made.ranks is None:
        _, again = run_engine(engine, made.program, options, workers)
        rows = [] if again is None else compare.compare({"tape": records[engine], "functional": again}, options.tolerance)
        other = [row.name for row in rows if not row.agree and row.gaps["functional"].problem != compare.UNCONFIRMED]
    else:
        _, again = run_ranks(engine, made.program, options, workers, made.ranks)
        rows = [] if again is None else ranks.compare({"tape": records[engine], "torch": again}, terms.Terms(),
                                                      options.tolerance)
        other = [row.name for row in rows if "torch" in row.gaps and not row.gaps["torch"].agree]
    if not other:
        return
    made.comparable = False
    text = sources.notebook_source(made.program) or pathlib.Path(made.program).read_bytes()
    places = sources.chances(text)
    why = f" (look at {few(places)})" if places else ""
    name = "PyTorch" if engine == "torch" else "torchlike's tape"
    made.notes.append(f"its runs are not comparable: two of them under {name} differ in {few(other)}, so it depends on "
                      f"what is not seeded, on the time or on what it wrote before{why}. torch, random and numpy.random are "
                      "seeded here")


def few(names: Sequence[str]) -> str:
    """Names for a text: the first, and how many more there are."""
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
