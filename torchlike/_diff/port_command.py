"""``torchlike diff program.py --against port.py:function``: `torchlike.diff.compare` of what two files define."""

import ast
import contextlib
import dataclasses
import importlib
import importlib.machinery
import linecache
import os
import sys
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from torchlike._diff import against, program_run, sources
from torchlike._diff.port_report import Report
from torchlike._record.tensor import Tensor
from torchlike.install import install
from torchlike.nn.modules.module import Module

PARAMS = ("params", "variables")  # what the port's parameters are called there
INPUTS = "inputs"


@dataclasses.dataclass(frozen=True)
class Names:
    """The variables that a comparison uses, as the command line gives them; None: by default.

    Attributes:
        params: that of the port's parameters, `params` or `variables` by default. A function is called with the program's
            parameters and buffers as a dict of arrays.
        inputs: those of the program that both are called with, separated by commas; `inputs` by default, which may be a
            tuple or list.
        loss: the function of what comes out, of that name in both files, or ``program's,port's``.
        mapping: the port's dict that corrects the table of parameters, see `torchlike.diff.compare`.
    """

    params: str | None = None
    inputs: str | None = None
    loss: str | None = None
    mapping: str | None = None


def split(spec: str) -> tuple[str, str]:
    """``file.py:name`` or ``module:name`` as (file or module, name); the name is "" where there is none."""
    place, colon, name = spec.rpartition(":")
    return (place, name) if colon and name.replace(".", "").isidentifier() else (spec, "")


def compare(program: str, port: str, used: Names) -> Report:
    """Holds a module that a program leaves in its variables against its port to JAX.

    Args:
        program: the path of a script, and after a colon the variable: a module or a function of tensors. Without one the
            only module that is no part of another.
        port: a file or a module, and after a colon what is called there.
        used: further variables of either.

    Returns:
        the Report.

    Raises:
        LookupError: there is no such variable, or several could be meant.
        ValueError, TypeError: as for `torchlike.diff.compare`.
    """
    file, name = split(program)
    with install(), contextlib.redirect_stdout(sys.stderr):
        path = sources.program_at(file)
        names = program_run.execute(path, [], None, sources.notebook_source(path))
        name = name or _only_module(names, path)
        found = _at(names, name, path)
        given = [x.detach().numpy() if isinstance(x, Tensor) else np.asarray(x) for x in _inputs(names, used.inputs, path)]
        place, function = split(port)
        theirs = _names_of(place)
        if not function:
            raise LookupError(f"{port} names nothing to call: {port}:function")
        port_of, its_params = _at(theirs, function, place), _params(theirs, used.params, place, found)
        mapping = _at(theirs, used.mapping, place) if used.mapping else None
        losses = _losses((names, path), (theirs, place), used.loss) if used.loss else None
        return _called_at(path, name, lambda: against.compare(found, port_of, its_params, given, losses, mapping))


def _names_of(place: str) -> dict:
    """The variables of a file, or of a module."""
    if not place.endswith(".py"):
        with _first_on_path(os.getcwd()):
            return vars(importlib.import_module(place))
    name = os.path.basename(place).removesuffix(".py")
    loader = importlib.machinery.SourceFileLoader(name, sources.program_at(place))
    module = sys.modules[name] = types.ModuleType(name)
    module.__file__ = place
    with _first_on_path(os.path.dirname(os.path.abspath(place))):
        loader.exec_module(module)
    return vars(module)


@contextlib.contextmanager
def _first_on_path(folder: str):
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _at(names: Mapping, path: str, place: str) -> Any:
    """The variable, or an attribute of one."""
    first, *rest = path.split(".")
    if first not in names:
        raise LookupError(f"{place} has no variable {first!r}")
    found = names[first]
    for part in rest:
        found = getattr(found, part)
    return found


def _called_at(path: str, name: str, function) -> Report:
    """What a function returns that is called where the program assigns a variable: that is the line of operations in a layer
    of the library that no function of the program calls.
    """
    lines = "".join(linecache.getlines(path))
    assigned = [node.lineno for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Name) and node.id == name
                and isinstance(node.ctx, ast.Store)]
    names = {"function": function}
    exec(compile("\n" * (max(assigned, default=1) - 1) + "found = function()", path, "exec"), names)  # noqa: S102
    return names["found"]


def _only_module(names: Mapping, place: str) -> str:
    modules = {name: x for name, x in names.items() if isinstance(x, Module)}
    parts = {id(part) for x in modules.values() for part in list(x.modules())[1:]}
    whole = {id(x): name for name, x in modules.items() if id(x) not in parts}
    if len(whole) != 1:
        there = f"several modules, {', '.join(whole.values())}" if whole else "no module in its variables"
        raise LookupError(f"{place} has {there}: name one, {place}:name")
    return next(iter(whole.values()))


def _inputs(names: Mapping, wanted: str | None, place: str) -> list:
    if wanted is None and INPUTS not in names:
        raise LookupError(f"{place} has no variable {INPUTS!r}: name those that both are called with, --inputs x,y")
    if wanted is not None:
        return [_at(names, name.strip(), place) for name in wanted.split(",")]
    found = names[INPUTS]
    return list(found) if isinstance(found, tuple | list) else [found]


def _losses(program: tuple[Mapping, str], port: tuple[Mapping, str], wanted: str) -> tuple:
    ours, _, theirs = wanted.partition(",")
    return _at(program[0], ours.strip(), program[1]), _at(port[0], theirs.strip() or ours.strip(), port[1])


def _params(names: Mapping, wanted: str | None, place: str, program) -> Any:
    found = _at(names, wanted, place) if wanted else next((names[name] for name in PARAMS if name in names), None)
    if callable(found):
        state = program.state_dict() if isinstance(program, Module) else {}
        return found({name: x.detach().numpy() for name, x in state.items()})
    return found
