"""Runs one program as a script and records what it leaves: what it printed, its tensors, its gradients.

This file imports nothing of torchlike: run by its path, it is the whole worker of the engine "torch", so
that no line of torchlike and no JAX is in the process whose answers torchlike is held against.
"""

import argparse
import ast
import contextlib
import importlib
import io
import json
import linecache
import os
import pathlib
import random
import re
import sys
import time
import tokenize
import traceback
from types import FrameType, ModuleType
from typing import Any

import numpy as np

SEED = 0  # for programs that do not seed themselves
MOST_PRINTED = 4_000_000  # characters that are kept
CUT = "[what else was printed is left out]\n"
DEEPEST = 4  # nesting of containers
LONGEST = 1000  # containers beyond this are data, not results
FAILED = 1  # the exit status of a rank whose program raised
STOPPED = "stopped"  # in place of the exception's type, of a rank that waited for one that had failed
_WRITES = set("wax+")
ADDRESS = re.compile(r"0x[0-9a-f]{6,}")


def execute(path: str, arguments: list[str], entry: dict | None = None, source: bytes | None = None) -> dict:
    """Run the file at `path` as ``python path arguments...`` would; returns its globals.

    `source` is what is run instead of what the file has, if that is no Python. With `entry`, the local variables of
    the functions that the script calls under ``if __name__ == "__main__"`` are put there when they return, as
    ``{"main": {...}}``.
    """
    if source is None:
        with open(path, "rb") as file:
            source = file.read()
        _check_encoding(source)
    else:  # what tracebacks show of it
        linecache.cache[path] = (len(source), None, source.decode().splitlines(keepends=True), path)
    sys.argv = [path, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    module = ModuleType("__main__")
    module.__file__ = path
    vars(module)["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    code = compile(source, path, "exec")
    names = entry_functions(ast.parse(source)) if entry is not None else set()
    with _watching(path, names, entry if entry is not None else {}):
        exec(code, vars(module))  # noqa: S102 - running the user's program is the purpose
    return vars(module)


def _check_encoding(source: bytes) -> None:
    """SyntaxError for bytes that are not in the encoding that they declare: `compile` lets them pass in comments."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    try:
        source.decode(encoding)
    except UnicodeDecodeError as error:
        raise SyntaxError(f"(unicode error) {error}") from None


def entry_functions(tree: ast.Module) -> set[str]:
    """Names of the script's own functions that it calls under ``if __name__ == "__main__"``."""
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    guards = [node for node in tree.body if isinstance(node, ast.If) and "__name__" in ast.dump(node.test)]
    calls = (node.func for guard in guards for node in ast.walk(guard) if isinstance(node, ast.Call))
    return {call.id for call in calls if isinstance(call, ast.Name)} & own


@contextlib.contextmanager
def _watching(path: str, names: set[str], found: dict):
    """Keep the locals of the functions `names` of the file `path` when they return."""
    if not names:
        yield
        return

    def watch(frame: FrameType, event: str, result) -> None:
        code = frame.f_code
        if event == "return" and code.co_name in names and code.co_filename == path:
            found[code.co_name] = dict(frame.f_locals)

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)


class Printed(io.StringIO):
    """What a program prints, up to a bound."""

    def write(self, text: str) -> int:
        """As of a file."""
        if self.tell() <= MOST_PRINTED:
            super().write(text)
        return len(text)

    def told(self) -> str:
        """The text, without addresses."""
        text = self.getvalue()
        if len(text) > MOST_PRINTED:
            text = text[:text.rfind("\n", 0, MOST_PRINTED) + 1] + CUT
        return ADDRESS.sub("0x...", text)


class Writes:
    """The files below the folder of the program, and the current one, that this process opens to write to."""

    active: "Writes | None" = None

    def __init__(self, path: str):
        self.folders = {os.path.realpath(os.path.dirname(os.path.abspath(path))), os.path.realpath(os.curdir)}
        self.found: set[str] = set()
        self.process = os.getpid()

    def __enter__(self):
        if Writes.active is None:
            sys.addaudithook(_audit)  # for good: it cannot be taken away
        Writes.active = self
        return self

    def __exit__(self, *error):
        Writes.active = Writes(os.devnull)

    def names(self) -> list[str]:
        """Those that there are now, relative to the current folder."""
        return sorted(os.path.relpath(path) for path in self.found if os.path.isfile(path) and "__pycache__" not in path)

    def add(self, path) -> None:
        """A path that is written to, if it is below the folders."""
        if isinstance(path, str | bytes | os.PathLike):
            whole = os.path.realpath(os.fsdecode(path))
            if any(os.path.commonpath([whole, folder]) == folder for folder in self.folders):
                self.found.add(whole)


def _audit(event: str, arguments: tuple) -> None:
    if event == "open" and Writes.active is not None and os.getpid() == Writes.active.process:
        path, mode, flags = arguments
        if (isinstance(mode, str) and _WRITES & set(mode)) or (mode is None and flags & (os.O_WRONLY | os.O_RDWR)):
            Writes.active.add(path)
    elif event == "os.rename" and Writes.active is not None:
        Writes.active.add(arguments[1])


class Recording:
    """All results of a program, as (name, facts, array), ready to be saved."""

    def __init__(self, torch):
        self.torch = torch
        self.entries: list[dict] = []
        self.arrays: dict[str, np.ndarray] = {}
        self.seen: dict[int, object] = {}  # id -> the object, kept alive so that its id is not used again

    def add_namespace(self, names: dict, prefix: str = "") -> None:
        """Adds all results among the variables `names`. Modules come first: a parameter's name in its module says more
        than that of a loop variable which held it last.
        """
        public = {name: value for name, value in names.items() if not name.startswith("_")}
        for first in (True, False):
            for name, value in public.items():
                if isinstance(value, self.torch.nn.Module) is first:
                    self.add(prefix + name, value)

    def add(self, name: str, value, depth: int = 0) -> None:
        """Add `value` if it is a result: a tensor, a module, a number, or a container of these."""
        torch = self.torch
        if isinstance(value, torch.Tensor):
            self.tensor(name, value, "parameter" if isinstance(value, torch.nn.Parameter) else "output")
        elif isinstance(value, torch.nn.Module):
            self.module(name, value)
        elif isinstance(value, bool | int | float | complex):
            wide = value if isinstance(value, complex) else float(value)  # an int may be beyond 64 bits
            self.keep(name, "number", np.asarray(wide), dtype=type(value).__name__)
        elif isinstance(value, dict | list | tuple) and depth < DEEPEST and len(value) <= LONGEST:
            self.container(name, value, depth)

    def container(self, name: str, value, depth: int) -> None:
        if id(value) in self.seen:
            return
        self.seen[id(value)] = value
        if value and isinstance(value, list | tuple) and {type(item) for item in value} <= {int, float}:
            self.keep(name, "number", np.asarray(value, np.float64), dtype="float")
            return
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            self.add(f"{name}[{key!r}]", item, depth + 1)

    def module(self, name: str, module) -> None:
        for part, parameter in module.named_parameters():
            self.tensor(f"{name}.{part}", parameter, "parameter")
        for part, buffer in module.named_buffers():
            self.tensor(f"{name}.{part}", buffer, "buffer")

    def tensor(self, name: str, tensor, kind: str) -> None:
        if id(tensor) in self.seen:
            return
        self.seen[id(tensor)] = tensor
        self.keep(name, kind, _array(tensor, self.torch), dtype=str(tensor.dtype).removeprefix("torch."),
                  requires_grad=tensor.requires_grad)
        if (tensor.is_leaf or tensor.retains_grad) and tensor.grad is not None:
            self.tensor(f"{name}.grad", tensor.grad, "grad")

    def keep(self, name: str, kind: str, array: np.ndarray, **facts) -> None:
        if array.dtype.hasobject:
            raise TypeError(f"{name} gives no values but {array!r}")
        self.entries.append({"name": name, "kind": kind, **facts})
        self.arrays[f"a{len(self.entries) - 1}"] = array


def _array(tensor, torch) -> np.ndarray:
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:  # numpy has no such type
        tensor = tensor.float()
    return np.array(tensor.resolve_conj().resolve_neg().numpy())


def run(path: str, arguments: list[str], source: str | None = None,
        under=contextlib.nullcontext) -> tuple[dict, dict[str, np.ndarray]]:
    """Run the program; returns (facts about the run, arrays). An exception of the program is a fact. `source` is the path of
    what is run in place of the file's own text, `under` makes the block in which it runs.

    Before it begins, torch, `random` and numpy are seeded. A program that exits leaves what one that ends does.
    """
    torch = importlib.import_module("torch")  # whichever the process has under that name
    seed(torch)
    recording = Recording(torch)
    printed, error, entry, names = Printed(), None, {}, {}
    text = None if source is None else pathlib.Path(source).read_bytes()
    start = time.perf_counter()
    with Writes(path) as writes:
        try:
            with contextlib.redirect_stdout(printed), under():
                names = execute(path, arguments, entry, text)
        except SystemExit as problem:
            error, names = describe(problem, path), vars(sys.modules["__main__"])
        except BaseException as problem:  # noqa: BLE001 - how a program ends is part of the record
            error, entry = describe(problem, path), {}
    seconds, ended = time.perf_counter() - start, time.time()
    try:
        with torch.no_grad():
            recording.add_namespace(names)
            for function, variables in entry.items():
                recording.add_namespace(variables, f"{function}.")
    except Exception as problem:  # noqa: BLE001 - of an object that cannot be looked at
        error = error or describe(problem, path)
    facts = {"stdout": printed.told(), "error": error, "version": torch.__version__, "seconds": seconds,
             "ended": ended, "entries": recording.entries, "writes": writes.names()}
    return facts, recording.arrays


def seed(torch) -> None:
    """All generators of a process as every run of a program finds them."""
    torch.manual_seed(SEED)
    random.seed(SEED)
    np.random.seed(SEED)


def describe(problem: BaseException, path: str) -> dict | None:
    """The exception as data: type, text, the program's line, the traceback from that file on."""
    if isinstance(problem, SystemExit) and not problem.code:
        return None
    own = own_traceback(problem, path)
    frames = traceback.extract_tb(own)
    lines = [frame.lineno for frame in frames if frame.filename == path]
    return {"type": type(problem).__name__, "text": str(problem), "line": lines[-1] if lines else None,
            "traceback": "".join(traceback.format_exception(type(problem), problem, own))}


def own_traceback(problem: BaseException, path: str):
    """The traceback from the script's first frame on; None where the script has none (a syntax error)."""
    here = problem.__traceback__
    while here is not None and here.tb_frame.f_code.co_filename != path:
        here = here.tb_next
    return here


def save(target: str, facts: dict, arrays: dict[str, np.ndarray]) -> None:
    """Write a record to the file `target` (.npz), whole or not at all."""
    contents: dict[str, Any] = {**arrays, "facts": np.asarray(json.dumps(facts))}
    np.savez(target + ".part.npz", **contents)
    os.replace(target + ".part.npz", target)


def load(source) -> tuple[dict, dict[str, np.ndarray]]:
    """Read what `save` wrote."""
    with np.load(source, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return json.loads(str(arrays.pop("facts"))), arrays


def parser() -> argparse.ArgumentParser:
    """The arguments of a worker process."""
    made = argparse.ArgumentParser(allow_abbrev=False,
                                   description="Run one program under one engine and save a record of it.")
    made.add_argument("--out", required=True, help="the .npz file to write")
    made.add_argument("--source", help="a file whose text is run as the program")
    made.add_argument("--rank", help="which rank of how many it is, and the port at which they meet: 0/2/29500")
    made.add_argument("program", nargs=argparse.PARSER, help="a program and its own arguments")
    return made


def be_rank(text: str) -> None:
    """Makes this process one of several, by the variables that PyTorch's launcher sets."""
    rank, size, port = text.split("/")
    os.environ.update(RANK=rank, WORLD_SIZE=size, LOCAL_RANK=rank, LOCAL_WORLD_SIZE=size, GROUP_RANK="0",
                      MASTER_ADDR="127.0.0.1", MASTER_PORT=port)


def main() -> None:
    """The task of a worker process. Processes that the program forks write no record."""
    options, process = parser().parse_args(), os.getpid()
    if options.rank is not None:
        be_rank(options.rank)
    record = run(options.program[0], options.program[1:], options.source)
    if os.getpid() == process:
        save(options.out, *record)
        if options.rank is not None and record[0]["error"]:
            sys.exit(FAILED)
