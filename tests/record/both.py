"""One program text under real torch and under torchlike: what each reports, or the error it raises."""

import warnings

import numpy as np
import torch

import torchlike

RTOL = {"torch.float64": 1e-9, "torch.complex128": 1e-9, "torch.float32": 3e-5, "torch.complex64": 3e-5}


class Values:
    """A tensor as a result: dtype, shape, whether it requires grad, and the values."""

    def __init__(self, x):
        self.form = (str(x.dtype), tuple(x.shape), x.requires_grad)
        plain = x.detach()
        plain = plain.resolve_conj() if plain.is_complex() else plain
        self.array = np.array(plain.tolist(), dtype=np.complex128 if plain.is_complex() else np.float64)

    def __eq__(self, other):
        return isinstance(other, Values) and self.form == other.form and \
            np.allclose(self.array, other.array, rtol=RTOL.get(self.form[0], 0),
                                                       atol=1e-6, equal_nan=True)

    def __repr__(self):
        return f"{self.form} {self.array.tolist()}"


class Number(float):
    """A float that equals what is near it."""

    def __eq__(self, other):
        mine, theirs = float(self), float(other) if isinstance(other, float) else None
        return theirs is not None and bool(np.isclose(mine, theirs, rtol=1e-4, atol=1e-5, equal_nan=True))

    __hash__ = None


def shown(value):
    """A reported value in a form that both libraries share."""
    if isinstance(value, tuple | list):
        return [shown(v) for v in value]
    if hasattr(value, "detach"):
        return Values(value)
    if isinstance(value, float):
        return Number(value)
    if isinstance(value, int | str | bool | None.__class__):
        return value
    return str(value)


def report(library, program: str, names=None):
    """What the program puts into the list ``r``; after an error its type and the first line of its text."""
    space = {"torch": library, "F": library.nn.functional, "r": [], **(names or {})}
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        try:
            exec(compile(program, "<program>", "exec"), space)
            return [shown(v) for v in space["r"]]
        except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
            before = [shown(v) for v in space["r"]]
            return [*before, type(error).__name__, str(error).split("\n")[0]]


def check(program: str, mode: str = "off") -> None:
    """The program does the same in both libraries. AssertionError shows both."""
    want = report(torch, program)
    with torchlike.configure(compile=mode):
        got = report(torchlike, program)
    assert got == want, f"\n{program}\n  torchlike: {got}\n  torch:     {want}"


def difference(program: str, mode: str = "off") -> str:
    """The text of `check`'s AssertionError, or ''."""
    try:
        check(program, mode)
    except AssertionError as error:
        return str(error)
    return ""


def programs(text: str) -> list:
    """The programs of a text, separated by blank lines."""
    return [p.strip("\n") for p in text.split("\n\n") if p.strip()]
