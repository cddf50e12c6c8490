"""Runs the same lines under real torch and under torchlike, and compares what comes out."""

import copy
import inspect
import pickle
import re
import warnings
from collections import OrderedDict, namedtuple

import numpy as np
import torch
import torch.nn

import torchlike
import torchlike.nn

RTOL, ATOL = 2e-5, 1e-5  # float32 sums that cancel: other orders of adding give other last bits
# Warnings about torch's own kernels, which say nothing to a user of torchlike.
KERNEL_WARNINGS = ("LSTM with projections is not supported with oneDNN",)
_WHERE = r" \(Triggered internally at .*?\)\.?"  # a line of PyTorch's own source


def names(package, **more):
    """What an expression may use, from one of the two packages."""
    def x(*shape):
        return package.randn(*shape, requires_grad=True)

    return {"torch": package, "nn": package.nn, "F": package.nn.functional, "x": x, "copy": copy,
            "pickle": pickle, "warnings": warnings, "OrderedDict": OrderedDict,
            "namedtuple": namedtuple, **more}


def plain(value):
    """`value` without tensors, modules and classes, comparable across the two packages."""
    if isinstance(value, (torch.Tensor, torchlike.Tensor)):
        return np.asarray(value.detach().cpu().numpy())
    if isinstance(value, (torch.nn.Module, torchlike.nn.Module)):
        return repr(value)
    if isinstance(value, dict):
        return {plain(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, float, str, np.ndarray)):
        return value
    return clean(repr(value))


def clean(text: str) -> str:
    """A text without the package's own name."""
    return text.replace("torchlike", "torch")


def check_equal(expected, got, where=""):
    """Asserts that two `plain` values agree: texts and shapes exactly, numbers to rounding."""
    assert type(expected) is type(got), (where, expected, got)
    if isinstance(expected, dict):
        assert list(expected) == list(got), where
        for key in expected:
            check_equal(expected[key], got[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(expected) == len(got), (where, expected, got)
        for i, (a, b) in enumerate(zip(expected, got, strict=True)):
            check_equal(a, b, f"{where}[{i}]")
    elif isinstance(expected, np.ndarray):
        assert (expected.shape, expected.dtype) == (got.shape, got.dtype), where
        np.testing.assert_allclose(got, expected, RTOL, ATOL, err_msg=where)
    elif isinstance(expected, float):
        np.testing.assert_allclose(got, expected, RTOL, ATOL, err_msg=where)
    elif isinstance(expected, str) and got.startswith(f"{expected}\nForward call of "):
        return  # PyTorch's text, and our lines after it
    else:
        assert got == expected, where


def outcome(function, package):
    """What `function(package)` returns or raises, with the seed set, and its warnings."""
    package.manual_seed(7)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = plain(function(package))
        except Exception as error:  # noqa: BLE001 - the error is the result
            result = [f"raised {type(error).__name__}", clean(str(error))]
    texts = [re.sub(_WHERE, "", clean(str(w.message))) for w in caught
             if issubclass(w.category, (UserWarning, FutureWarning))]
    return result, [text for text in texts if not text.startswith(KERNEL_WARNINGS)]


def same(function):
    """Asserts that `function(package)` gives the same under both packages; returns what it gave."""
    expected, expected_warnings = outcome(function, torch)
    got, got_warnings = outcome(function, torchlike)
    check_equal(expected, got)
    assert got_warnings == expected_warnings
    return expected


def evaluate(expression):
    """`expression` as a function of the package; several lines: the last one is the value."""
    before, _, last = expression.strip().rpartition("\n")

    def run(package):
        scope = names(package)
        exec(before, scope)
        return eval(last, scope)

    return run


def raised(result) -> bool:
    """Whether an outcome is an error."""
    return isinstance(result, list) and bool(result) and str(result[0]).startswith("raised ")


def caller_names(count):
    """The names of the `count` functions above this one, innermost first."""
    frame = inspect.currentframe().f_back
    names_found = []
    while frame is not None and len(names_found) < count:
        names_found.append(frame.f_code.co_name)
        frame = frame.f_back
    return names_found
