"""Programs that are lines of text: expressions with a value, and programs that report into a list ``r``."""

import copy
import pickle
import warnings
from collections import OrderedDict, namedtuple

import torch

import torchlike
from compat.compare.describing import describe
from compat.compare.differing import difference
from compat.compare.running import Raised, caught, raised
from compat.compare.tolerances import REPORTS


def names(package, **more) -> dict:
    """What an expression may use, from one of the two packages."""
    def x(*shape):
        return package.randn(*shape, requires_grad=True)

    return {"torch": package, "nn": package.nn, "F": package.nn.functional, "x": x, "copy": copy, "pickle": pickle,
            "warnings": warnings, "OrderedDict": OrderedDict, "namedtuple": namedtuple, **more}


def expression(text: str):
    """The text as a function of the package; of several lines the last is the value."""
    before, _, last = text.strip().rpartition("\n")

    def run(package):
        scope = names(package)
        exec(before, scope)
        return eval(last, scope)

    return run


def programs(text: str) -> list:
    """The programs of a text, separated by blank lines."""
    return [program.strip("\n") for program in text.split("\n\n") if program.strip()]


def report(package, program: str, space=None) -> list:
    """What the program puts into the list ``r``, and after an error its type and the first line of its text."""
    scope = {"torch": package, "F": package.nn.functional, "r": [], **(space or {})}
    with caught():
        try:
            exec(compile(program, "<program>", "exec"), scope)
            return describe(scope["r"], "requires_grad")
        except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
            first_line = raised(error).text.partition("\n")[0]
            return [*describe(scope["r"], "requires_grad"), Raised(type(error).__name__, first_line)]


def differs(program: str, mode: str = "off") -> str:
    """What differs between the reports of a program, "" if nothing does; `mode` is torchlike's way of compiling."""
    want = report(torch, program)
    with torchlike.configure(compile=mode):
        got = report(torchlike, program)
    found = difference(want, got, REPORTS)
    return found and f"\n{program}\n  {found}\n  torchlike: {got}\n  torch:     {want}"


def check_report(program: str, mode: str = "off") -> None:
    """AssertionError unless the program reports the same in both libraries."""
    found = differs(program, mode)
    assert not found, found
