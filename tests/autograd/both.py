"""Runs the same program text under real torch and under torchlike, and compares all it shows.

A program calls ``show(...)``. Recorded are what it shows, its warnings, and the exception that ends it.
"""

import contextlib
import importlib
import re
import warnings

import numpy as np
import torch
import torch.utils.checkpoint

import torchlike
import torchlike.utils.checkpoint

PRELUDE = """
x = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
z = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
"""


def plain(value):
    """`value` without anything that belongs to one package."""
    if isinstance(value, torch.Tensor | torchlike.Tensor):
        return {"dtype": clean(repr(value.dtype)), "requires_grad": value.requires_grad,
                "grad_fn": clean(repr(value.grad_fn)), "values": np.array(value.detach().numpy())}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if value is None or isinstance(value, bool | int | float | complex):
        return value
    return clean(value if isinstance(value, str) else repr(value))


def clean(text: str) -> str:
    """A text without package names, addresses and places in PyTorch's sources."""
    text = re.sub(r" \(Triggered internally at .*?\)\.?", "", text.replace("torchlike", "torch"))
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def run(package, source: str, prelude: str = "") -> list:
    """Everything the program shows under `package`."""
    shown: list = []

    def show(*values):
        shown.append(plain(values[0] if len(values) == 1 else values))

    def attempt(function):
        try:
            return function()
        except Exception as error:  # noqa: BLE001 - the exception is the result
            return [type(error).__name__, str(error)]

    scope = {"show": show, "attempt": attempt, "contextlib": contextlib, "warnings": warnings}
    name = package.__name__
    scope.update(torch=package, nn=package.nn, Function=package.autograd.Function, np=np,
                 graph=package.autograd.graph,
                 checkpoints=importlib.import_module(f"{name}.utils.checkpoint"))
    package.manual_seed(0)
    text = PRELUDE + prelude + "\n" + source
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(compile(text, "<program>", "exec"), scope)
        except Exception as error:  # noqa: BLE001 - the exception is the result
            shown.append(["raised", type(error).__name__, clean(str(error))])
    shown.extend(["warned", clean(str(w.message))] for w in caught
                 if issubclass(w.category, UserWarning | DeprecationWarning))
    return shown


def check(source: str, prelude: str = "") -> list:
    """Assert that both packages show the same; returns it."""
    expected, got = run(torch, source, prelude), run(torchlike, source, prelude)
    check_equal(expected, got, "")
    return got


def check_equal(expected, got, where) -> None:
    """Texts and shapes exactly, numbers to rounding."""
    if isinstance(expected, np.ndarray):
        assert (expected.shape, expected.dtype) == (got.shape, got.dtype), where
        np.testing.assert_allclose(got, expected, 2e-5, 2e-6, err_msg=where)
    elif isinstance(expected, dict):
        assert list(expected) == list(got), (where, expected, got)
        for key in expected:
            check_equal(expected[key], got[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert isinstance(got, list), (where, expected, got)
        assert len(expected) == len(got), (where, expected, got)
        for i, (a, b) in enumerate(zip(expected, got, strict=True)):
            check_equal(a, b, f"{where}[{i}]")
    elif isinstance(expected, float):
        np.testing.assert_allclose(got, expected, 2e-5, 2e-6, err_msg=where)
    else:
        assert got == expected, where
