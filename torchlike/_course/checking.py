"""Checks a learner's file: runs the programs on it in a process of its own, on torchlike in this one, and compares."""

import dataclasses
import inspect
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterable

from torchlike._course import oracle, runner

LIMIT = 20.0  # seconds for all checks together; they take less than one
TOLERANCE = 1e-9
_LAST_LINES = 5  # of what the learner's file printed


@dataclasses.dataclass(frozen=True)
class Difference:
    """What is wrong: at which label the engines part and what each gave, or what stopped the learner's."""

    label: str
    mine: str
    torchlike: str


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of one check; `difference` is None if it passed."""

    step: int
    name: str
    title: str
    program: str
    difference: Difference | None

    @property
    def passed(self) -> bool:
        return self.difference is None


@dataclasses.dataclass(frozen=True)
class Report:
    """The outcomes, in order; `problem` says why the file could not even be read, and `printed` has what it printed last."""

    outcomes: tuple[Outcome, ...]
    problem: str | None = None
    printed: str = ""

    @property
    def passed(self) -> bool:
        return self.problem is None and all(outcome.passed for outcome in self.outcomes)

    def passed_steps(self) -> list[int]:
        """The steps of which each check passed."""
        steps = {outcome.step for outcome in self.outcomes}
        return sorted(steps - {outcome.step for outcome in self.outcomes if not outcome.passed})


def check(path: pathlib.Path, steps: Iterable[int], limit: float = LIMIT) -> Report:
    """The checks of some steps on the engine in a file, which is stopped after `limit` seconds."""
    names = [(step, name) for step in steps for name in runner.checks(step)]
    lines, printed, end = _process(path, [f"{step}.{name}" for step, name in names], limit)
    return report(lines, names, end, path.name, printed)


def report(lines: list[dict], names: list[tuple[int, str]], end: str, file: str, printed: str = "") -> Report:
    """What the lines of a run mean. `end` says what stopped it, "" if nothing did."""
    problem = next((line["engine"] for line in lines if "engine" in line), None)
    if problem is not None:
        return Report((), f"{file} cannot be read. {told(problem, file)}", printed)
    ended = {line["end"]: line for line in lines if "end" in line}
    began = [line["begin"] for line in lines if "begin" in line]
    if end and began[-1:] == [""]:
        return Report((), f"{file} cannot be read: {end}.", printed)
    outcomes = []
    for step, name in names:
        program = runner.checks(step)[name]
        key = f"{step}.{name}"
        if key in ended:
            difference = compared(ended[key], oracle.expected(step, name), file)
        else:
            stopped = end if began[-1:] == [key] else "not run, because an earlier check was stopped"
            difference = Difference("", stopped, "")
        outcomes.append(Outcome(step, name, (program.__doc__ or "").strip(), source(program), difference))
    return Report(tuple(outcomes), None, printed)


def compared(mine: dict, other: dict, file: str) -> Difference | None:
    """Where what a check showed on the learner's engine is not what it showed on torchlike."""
    for (label, value), (_, wanted) in zip(mine["seen"], other["seen"], strict=False):
        if not same(value, wanted):
            return Difference(label, shown(value), shown(wanted))
    if mine["raised"] is not None:
        rest = other["seen"][len(mine["seen"]):]
        label, wanted = rest[0] if rest else ("at the end", None)
        return Difference(label, told(mine["raised"], file), shown(wanted) if rest else "no error")
    return None


def same(mine, other) -> bool:
    """Whether two values, as JSON has them, are the same: numbers nearly, errors by kind."""
    if isinstance(other, dict) and "error" in other:
        kinds = mine.get("error") if isinstance(mine, dict) else None
        return kinds is not None and (other["error"][0] in kinds if other["error"] else not kinds)
    if isinstance(other, dict) and isinstance(mine, dict):
        return mine.keys() == other.keys() and all(same(mine[key], other[key]) for key in other)
    if isinstance(other, list) and isinstance(mine, list):
        return len(mine) == len(other) and all(map(same, mine, other))
    if isinstance(other, bool) or isinstance(mine, bool):
        return other is mine
    if isinstance(other, float | int) and isinstance(mine, float | int):
        return math.isclose(mine, other, rel_tol=TOLERANCE, abs_tol=1e-12) or (math.isnan(mine) and math.isnan(other))
    return type(mine) is type(other) and mine == other


def shown(value) -> str:
    """A value, as JSON has it, for people."""
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, float):
        return str(value) if not math.isfinite(value) or value == int(value) else f"{value:.10g}"
    if not isinstance(value, dict):
        return str(value)
    if "error" in value:
        text = value["text"].partition("\n")[0]
        return f"{value['error'][0]}: {text}" if value["error"] else "no error"
    if "object" in value:
        return f"an object of class {value['object']}"
    return f"Tensor({shown(value['tensor'])})"


def told(problem: dict, file: str) -> str:
    """An error of the learner's file in a sentence."""
    place = f"{file}, line {problem['line']}" if problem["line"] else "not in your file"
    if problem["kind"] == "NotImplementedError":
        if problem["function"] == "unwritten":
            return "not written yet: the program uses what is still `unwritten`"
        if problem["unwritten"]:
            return f"not written yet: a rule that `{problem['function']}` calls ({place}) is still `unwritten`"
        return f"not written yet: `{problem['function']}` raises NotImplementedError ({place})"
    text = f": {problem['text']}" if problem["text"] else ""
    within = f" in `{problem['function']}`" if problem["function"] not in (None, "<module>", "<lambda>") else ""
    line = f"\n{problem['source']}" if problem["source"] else ""
    return f"{problem['kind']}{text} ({place}{within}){line}"


def source(program) -> str:
    """The lines of a check, without its head and docstring."""
    lines = inspect.getsource(program).splitlines()[2:]
    return textwrap.dedent("\n".join(lines)).strip()


def _process(path: pathlib.Path, names: list[str], limit: float) -> tuple[list[dict], str, str]:
    """The lines of results that a process wrote, what it printed last, and what stopped it."""
    with tempfile.TemporaryDirectory() as folder:
        results, output = pathlib.Path(folder, "results"), pathlib.Path(folder, "output")
        command = [sys.executable, "-P", "-X", "utf8", runner.__file__, str(path.resolve()), str(results), *names]
        with output.open("w") as file:
            process = subprocess.Popen(command, cwd=path.resolve().parent, stdin=subprocess.DEVNULL, stdout=file,
                                       stderr=file, start_new_session=True)
            end = _waited(process, limit)
        lines = results.read_text(encoding="utf-8").splitlines() if results.exists() else []
        printed = output.read_text(encoding="utf-8", errors="replace").splitlines()[-_LAST_LINES:]
    return [json.loads(line) for line in lines if line.endswith("}")], "\n".join(printed), end


def _waited(process: subprocess.Popen, limit: float) -> str:
    """Waits until a process ends, or ends it; what stopped it in words, "" if nothing did."""
    try:
        status = process.wait(limit)
    except subprocess.TimeoutExpired:
        return f"stopped after {limit:g} seconds: perhaps a loop that does not end"
    finally:
        _end(process)
    return "" if status == 0 else f"the process ended with status {status}"


def _end(process: subprocess.Popen) -> None:
    """Ends a process with all that it has started, if it still runs."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
