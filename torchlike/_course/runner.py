"""Runs checks on a learner's engine: a program of its own that imports numpy and Python's library only.

    python runner.py ENGINE.py RESULTS CHECK ...

For each check there is a line of JSON in the file RESULTS when it begins, and one when it has ended: what it showed, or the
error that it raised. `checking.py` reads them, and runs the same checks on torchlike.
"""

import inspect
import json
import linecache
import pathlib
import sys
import traceback
import types
from collections.abc import Callable

import numpy as np

_ALL = ("Exception", "BaseException", "object")  # every error is one
CHECKS = pathlib.Path(__file__).parent / "checks"


class Face:
    """What a check sees of an engine, `e` in its text. This one is of a learner's module; `oracle.py` has torchlike's."""

    def __init__(self, engine):
        self.engine = engine
        self.seen: list = []  # [label, value as JSON has it]

    def show(self, label, value):
        """A value that is to be the same on both engines."""
        self.seen.append([label, self.plain(value)])

    def attempt(self, label, f):
        """Calls f; the kind of error that it raises, or that it raises none, is to be the same on both engines."""
        try:
            f()
        except Exception as error:
            if isinstance(error, NotImplementedError):
                raise
            self.seen.append([label, {"error": kinds(error), "text": str(error)}])
        else:
            self.seen.append([label, {"error": [], "text": ""}])

    def plain(self, value):
        """A value as JSON: of a Tensor its elements and shape."""
        if isinstance(value, tuple | list):
            return [self.plain(item) for item in value]
        if self.is_tensor(value):
            array = self.numbers(value)
            return {"tensor": array.tolist(), "shape": list(array.shape)}
        return value if value is None or isinstance(value, bool | int | float | str) else {"object": type(value).__name__}

    def is_tensor(self, value) -> bool:
        return isinstance(value, self.engine.Tensor)

    def numbers(self, tensor):
        """The elements as a numpy array."""
        return np.array(tensor.data, dtype=np.float64)

    def tensor(self, data, requires_grad=False):
        return self.engine.Tensor(data, requires_grad)

    def overwrite(self, tensor, value):
        """Writes a number to all elements, past the engine."""
        tensor.data[...] = value

    def node(self, tensor):
        """The Node of a result, None of others."""
        return tensor.grad_fn

    def name(self, tensor):
        """The name of the Node of a result, None of others."""
        return None if self.node(tensor) is None else self.node_name(self.node(tensor))

    def node_name(self, node):
        """The name of a Node, an attribute or a method."""
        return node.name() if callable(node.name) else node.name

    def nexts(self, node):
        """The Nodes that a Node has edges to."""
        return [to for to in node.edges if to is not None]

    def parents(self, tensor):
        """Their names, for a result."""
        return [self.node_name(to) for to in self.nexts(self.node(tensor))]

    def count(self, tensor):
        """How many Nodes lead from a result, as `reachable` finds them."""
        return len(list(self.engine.reachable(self.node(tensor))))

    def trace(self, f, *examples):
        return self.engine.trace(f, *examples)

    def operators(self, program):
        """The names of a program's operators, in alphabetical order."""
        return sorted(instruction[1] for instruction in program.instructions)

    def lines(self, program):
        """How many lines the text of a program has."""
        return len(str(program).splitlines())

    def __getattr__(self, name):
        return getattr(self.engine, name)  # no_grad, checkpoint, vjp, ...


def kinds(error: BaseException) -> list[str]:
    """The names of the built-in classes that an error is of, but for Exception: the nearest first."""
    return [cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins" and cls.__name__ not in _ALL]


def checks(step: int) -> dict[str, Callable]:
    """Name -> program, in the order in which they stand in the file of a step."""
    path = next(CHECKS.glob(f"step_{step:02}_*.py"))
    module = loaded(path.read_text(encoding="utf-8"), str(path), f"checks_{step}")
    return {name: f for name, f in vars(module).items() if inspect.isfunction(f) and not name.startswith("_")}


def loaded(text: str, path: str, name: str) -> types.ModuleType:
    """The module that a text is."""
    module = types.ModuleType(name)
    module.__file__ = path
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    exec(compile(text, path, "exec"), vars(module))
    return module


def problem(error: BaseException, path: str) -> dict:
    """An error in words: its kind and text, and where in the learner's file it was raised."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return {"kind": type(error).__name__, "text": error.msg, "line": error.lineno, "function": None, "unwritten": False,
                "source": (error.text or "").strip()}
    frames = [(frame.f_code.co_name, line) for frame, line in traceback.walk_tb(error.__traceback__)
              if frame.f_code.co_filename == path]
    unwritten = bool(frames) and frames[-1][0] == "unwritten"  # of the skeleton: who called it says more
    function, line = frames[-2 if unwritten and len(frames) > 1 else -1] if frames else (None, None)
    return {"kind": type(error).__name__, "text": str(error), "line": line, "function": function, "unwritten": unwritten,
            "source": linecache.getline(path, line).strip() if line else ""}


def observed(face: Face, check: Callable, path: str) -> dict:
    """What a check showed on an engine, and the error that ended it, or None."""
    with np.errstate(all="ignore"):
        try:
            check(face)
        except Exception as error:  # noqa: BLE001 - told to the learner
            return {"seen": face.seen, "raised": problem(error, path)}
    return {"seen": face.seen, "raised": None}


def main(path: str, results: str, names: list[str]) -> None:
    """Runs the checks, ``"3.chain"`` being `chain` of step 3, on the engine in a file."""
    with open(results, "w", encoding="utf-8") as file:
        def tell(**facts):
            file.write(json.dumps(facts) + "\n")
            file.flush()

        tell(begin="")
        try:
            engine = loaded(pathlib.Path(path).read_text(encoding="utf-8"), path, "engine")
        except BaseException as error:  # noqa: BLE001 - told to the learner, an exit too
            tell(engine=problem(error, path))
            return
        programs = {f"{step}.{name}": f for step in {int(name.partition(".")[0]) for name in names}
                    for name, f in checks(step).items()}
        for name in names:
            tell(begin=name)
            tell(end=name, **observed(Face(engine), programs[name], path))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
