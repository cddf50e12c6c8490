"""Runs one program under one package and keeps all that it shows, warns and raises."""

import contextlib
import gc
import importlib
import threading
import warnings
import weakref

import numpy as np

from compat import compare
from compat.compare.tolerances import SEMANTICS

_PARTS = ("nn.functional", "utils.checkpoint", "autograd.graph", "autograd.forward_ad", "autograd.functional", "func")
_FACTS = ("requires_grad", "grad_fn", "inference")


def run(package, cell) -> list:
    """Everything the program of `cell` shows under `package` (torch or torchlike), in order."""
    shown: list = []

    def show(*values):
        shown.append(compare.describe(values[0] if len(values) == 1 else values, *_FACTS))

    def attempt(function, *args, **kwargs):
        """The result, or [type, text] of the exception."""
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the exception is the result
            return ["raised", *compare.raised(error)]

    scope = {"show": show, "attempt": attempt, "contextlib": contextlib, "warnings": warnings, "gc": gc, "np": np,
             "weakref": weakref, "threading": threading, **_names(package)}
    package.manual_seed(0)
    package.set_warn_always(True)  # else what a program warns of depends on those before it
    with compare.caught(UserWarning, DeprecationWarning) as warned:
        try:
            _execute(cell, scope)
        except Exception as error:  # noqa: BLE001 - the exception is the result
            shown.append(["raised", *compare.raised(error)])
    package.set_warn_always(False)
    return [*shown, *(["warned", *told] for told in warned)]


def _names(package) -> dict:
    name = package.__name__
    for part in _PARTS:
        with contextlib.suppress(ImportError):
            importlib.import_module(f"{name}.{part}")
    return {"torch": package, "nn": package.nn, "F": package.nn.functional, "Function": package.autograd.Function,
            "graph": package.autograd.graph, "checkpoints": importlib.import_module(f"{name}.utils.checkpoint")}


def _execute(cell, scope):
    """At its own lines of its own file, so that tracebacks and warnings name them."""
    filename = f"{cell.topic}.py"
    exec(compile(cell.prelude, filename, "exec"), scope)
    exec(compile("\n" * (cell.line - 1) + cell.source, filename, "exec"), scope)


def difference(want, got) -> str:
    """What differs between torch's run and ours in a few words, "" if nothing does."""
    return compare.difference(want, got, SEMANTICS)
