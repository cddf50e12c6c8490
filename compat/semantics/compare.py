"""Runs one program under one package and keeps all that it shows, warns and raises; compares two runs."""

import contextlib
import gc
import importlib
import re
import threading
import warnings
import weakref

import numpy as np

_PARTS = ("nn.functional", "utils.checkpoint", "autograd.graph", "autograd.forward_ad", "autograd.functional", "func")
_FRAME = re.compile(r'^  File "([^"]*)", line \d+, in .*\n(?:    .*\n)*', re.MULTILINE)
_INTERNAL = re.compile(r"torch\.jit|GraphModule")  # warnings about how torch itself is made
RTOL, ATOL = 2e-5, 2e-6  # float32 sums in another order


def run(package, cell) -> list:
    """Everything the program of `cell` shows under `package` (torch or torchlike), in order."""
    shown: list = []

    def show(*values):
        shown.append(plain(values[0] if len(values) == 1 else values))

    def attempt(function, *args, **kwargs):
        """The result, or [type, text] of the exception."""
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - the exception is the result
            return ["raised", type(error).__name__, clean(str(error))]

    scope = {"show": show, "attempt": attempt, "contextlib": contextlib, "warnings": warnings, "gc": gc, "np": np,
             "weakref": weakref, "threading": threading, **_names(package)}
    package.manual_seed(0)
    package.set_warn_always(True)  # else what a program warns of depends on those before it
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            _execute(cell, scope)
        except Exception as error:  # noqa: BLE001 - the exception is the result
            shown.append(["raised", type(error).__name__, clean(str(error))])
    package.set_warn_always(False)
    shown.extend(["warned", w.category.__name__, clean(str(w.message))] for w in caught
                 if issubclass(w.category, UserWarning | DeprecationWarning) and not _INTERNAL.search(str(w.message)))
    return shown


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


def plain(value):
    """`value` without anything that belongs to one package."""
    if hasattr(value, "grad_fn") and hasattr(value, "detach"):
        return _plain_tensor(value)
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if value is None or isinstance(value, bool | int | float | complex):
        return value
    return clean(value if isinstance(value, str) else repr(value))


def _plain_tensor(x):
    """Programs show versions and strides where they are the point: those of gradients tell how a kernel is written."""
    values = x.detach()
    values = values.resolve_conj().resolve_neg() if values.is_complex() else values
    if str(values.dtype).endswith(("bfloat16", ".float16")):
        values = values.float()
    return {"dtype": clean(repr(x.dtype)), "requires_grad": x.requires_grad, "grad_fn": clean(repr(x.grad_fn)),
            "inference": x.is_inference(), "values": np.array(values.numpy())}


def clean(text: str) -> str:
    """A text without package names, addresses, places in PyTorch's sources and frames outside the program."""
    text = re.sub(r" \(Triggered internally at .*?\)\.?", "", text.replace("torchlike", "torch"))
    text = _FRAME.sub(lambda frame: "" if "/" in frame[1] else frame[0], text)
    return re.sub(r"0x[0-9a-f]+", "0x", text).rstrip()


def difference(want, got, where="") -> str:
    """What differs between torch's run and ours in a few words, "" if nothing does.

    Texts are equal, or ours goes on with further lines; numbers agree to rounding.
    """
    if isinstance(want, np.ndarray):
        return _of_arrays(want, got, where)
    if isinstance(want, dict) and isinstance(got, dict) and list(want) == list(got):
        return next(filter(None, (difference(want[k], got[k], f"{where}.{k}") for k in want)), "")
    if isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        return next(filter(None, (difference(a, b, f"{where}[{i}]") for i, (a, b) in
                                  enumerate(zip(want, got, strict=True)))), "")
    if isinstance(want, str) and isinstance(got, str) and (got == want or got.startswith(want + "\n")):
        return ""
    if isinstance(want, float | complex) and type(got) is type(want) and np.isclose(got, want, RTOL, ATOL, equal_nan=True):
        return ""
    same = type(got) is type(want) and not isinstance(want, dict | list) and got == want
    return "" if same else f"{where}: torch {_short(want)}, torchlike {_short(got)}"


def _of_arrays(want, got, where):
    if not isinstance(got, np.ndarray) or (want.shape, want.dtype) != (got.shape, got.dtype):
        return f"{where}: torch {_short(want)}, torchlike {_short(got)}"
    close = np.allclose(got, want, RTOL, ATOL, equal_nan=True) if want.dtype.kind in "fc" else np.array_equal(got, want)
    return "" if close else f"{where}: torch {_short(want)}, torchlike {_short(got)}"


def _short(value):
    text = " ".join(repr(value).split())
    return text if len(text) < 600 else text[:600] + "..."
