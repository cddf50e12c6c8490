"""Runs the programs of a lesson, each under the engines that are there.

A program runs in this process, with what it prints kept. Under torchlike its ``import torch`` gives torchlike, whether that
is installed under torch's name or not.
"""

import builtins
import contextlib
import dataclasses
import importlib
import io
import linecache
import re
import types

from torchlike._lessons.lesson import Lesson
from torchlike.install import has_pytorch

ENGINES = {"torch": "PyTorch", "tape": "PyTorch", "jax": "JAX"}  # engine -> the program that it runs
_LIVE = re.compile(r"\{\{(.+?)\}\}")


@dataclasses.dataclass(frozen=True)
class Run:
    """What a program printed, and the variables that it left."""

    output: str
    variables: types.SimpleNamespace

    @property
    def answer(self) -> str:
        """The last line printed."""
        return self.output.rstrip().rpartition("\n")[2].strip()


class Results:
    """What a lesson's programs give. Each runs once, when it is asked for."""

    def __init__(self, lesson: Lesson):
        self.lesson = lesson
        self._runs: dict[str, Run] = {}

    def __getitem__(self, engine: str) -> Run:
        """The run of an engine: "torch", "tape" or "jax"."""
        if engine not in self._runs:
            program = ENGINES[engine]
            name = f"<lesson {self.lesson.name}, {program}>"
            self._runs[engine] = run(self.lesson.programs[program], name, "torch" if engine == "torch" else "torchlike")
        return self._runs[engine]

    def correct(self, engine: str = "tape") -> list[int]:
        """The numbers of the answers that are right: those that the program printed last."""
        return [i for i, answer in enumerate(self.lesson.answers) if answer.line == self[engine].answer]

    def claim(self, engine: str = "tape") -> None:
        """Run the lesson's claims on what the PyTorch program gave under `engine`; AssertionError if one is wrong."""
        name = f"<lesson {self.lesson.name}, claims>"
        execute(self.lesson.claims, name, self._names(engine))

    def told(self, prose: str, engine: str = "tape") -> str:
        """Prose with each ``{{ expression }}`` replaced by its value's text."""
        def value(found: re.Match) -> str:
            return str(eval(found[1].strip(), self._names(engine)))
        return _LIVE.sub(value, prose)

    def _names(self, engine: str) -> dict:
        """What claims and prose may use: `p` and `j`, the variables of the two programs, and what both printed."""
        program, functional = self[engine], self["jax"]
        package = "torch" if engine == "torch" else "torchlike"
        return {"p": program.variables, "j": functional.variables, "printed": program.output,
                "jax_printed": functional.output, "__builtins__": _builtins(package)}


def engines() -> list[str]:
    """The engines that are there: PyTorch if it is installed, torchlike's tape, JAX."""
    return [engine for engine in ENGINES if engine != "torch" or has_pytorch()]


def run(program: str, name: str, package: str) -> Run:
    """Run a program in which torch is `package`, "torch" or "torchlike". What it raises is raised."""
    printed = io.StringIO()
    names = namespace(package)
    with contextlib.redirect_stdout(printed):
        execute(program, name, names)
    own = {key: value for key, value in names.items() if not key.startswith("__")}
    return Run(printed.getvalue(), types.SimpleNamespace(**own))


def namespace(package: str) -> dict:
    """The variables of a program that begins, in which torch is `package`."""
    return {"__name__": "__main__", "__builtins__": _builtins(package)}


def execute(text: str, name: str, names: dict) -> None:
    """Run a text among variables; errors and Nodes know its lines by `name`."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)  # for errors, and for lines of Nodes
    exec(compile(text, name, "exec"), names)


def _builtins(package: str) -> dict:
    """Python's builtins, whose import knows torch as `package`."""
    def imported(name, variables=None, local=None, fromlist=(), level=0):
        root, dot, rest = name.partition(".")
        if root != "torch" or level or package == "torch":
            return builtins.__import__(name, variables, local, fromlist, level)
        module = importlib.import_module(package + dot + rest)
        return module if fromlist else importlib.import_module(package)

    return {**vars(builtins), "__import__": imported}
