"""Runs examples under one package and keeps all that they show: values, their `repr`, what is printed, warned and raised."""

import ast
import builtins
import contextlib
import inspect
import io
import itertools
import math
import os
import signal
import tempfile
import threading

import numpy as np
import torch

from compat import compare
from compat.compare.tolerances import SEMANTICS

_FACTS = ("requires_grad", "grad_fn")
_SECONDS = 20


class _Slow(BaseException):
    """A statement took longer than `_SECONDS`."""


def difference(statements: list) -> str:
    """The first thing that the statements show otherwise under torchlike than under torch; "" if there is none."""
    want, got = (run(package, statements) for package in compare.PACKAGES)
    pairs = itertools.zip_longest(want, got, fillvalue="nothing")
    return next(filter(None, (compare.difference(a, b, SEMANTICS) for a, b in pairs)), "")


def run(package, statements: list) -> list:
    """All that is shown, in order, then the warnings. In a folder of their own, from a seed."""
    shown: list = []
    scope = _scope(package)
    package.manual_seed(0)
    package.set_warn_always(True)
    with tempfile.TemporaryDirectory() as folder, _inside(folder), compare.caught(UserWarning, DeprecationWarning) as warned:
        for statement in statements:
            shown += _shown(scope, statement)
    package.set_warn_always(False)
    package.set_default_dtype(package.float32)
    package.set_printoptions(profile="default")
    package.set_grad_enabled(True)
    return [*shown, *(["warned", *told] for told in warned)]


def _scope(package) -> dict:
    """The names that the examples expect. What they import of torch is the package's."""
    def importing(name, *args, **kwargs):
        if package is not torch and name.partition(".")[0] == "torch":
            name = package.__name__ + name.removeprefix("torch")
        return builtins.__import__(name, *args, **kwargs)

    names = {"torch": package, "nn": package.nn, "F": package.nn.functional, "optim": package.optim, "np": np, "math": math}
    return {"__builtins__": {**vars(builtins), "__import__": importing}, "__name__": "example", **names}


@contextlib.contextmanager
def _inside(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _shown(scope, statement) -> list:
    """The value of a statement that is an expression, what it raised, and what it printed."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), _in_time():
            found = _value(scope, ast.parse(statement))
    except _Slow:
        found = ["slow"]
    except Exception as error:  # noqa: BLE001 - the exception is the result
        found = [["raised", *compare.raised(error)]]
    return [*found, compare.clean(printed.getvalue())]


def _value(scope, tree) -> list:
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<example>", "exec"), scope)
    if last is None:
        return []
    value = eval(compile(ast.Expression(last.value), "<example>", "eval"), scope)
    has_text = not inspect.isgenerator(value)
    return [compare.describe(value, *_FACTS), compare.clean(repr(value)) if has_text else ""]


@contextlib.contextmanager
def _in_time():
    """`_Slow` after so many seconds, where signals can be had."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number, frame):
        raise _Slow

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
