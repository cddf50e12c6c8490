"""Calls with wrong arguments: what PyTorch raises, and what torchlike does.

Each public function and method gets values of classes that do not fit, unknown keywords, too few and too many arguments.
"""

import dataclasses
import functools
import inspect
import warnings

import torch

_SPACES = ("", "linalg", "special", "fft", "nn.functional", "Tensor")
_CALLABLE = ("builtin_function_or_method", "method_descriptor", "function")
# They answer for the process or the machine, wait, call functions of the user, or need more than a tensor.
_ELSEWHERE = (
    "wait", "fork", "set_", "get_", "is_", "from_file", "import_ir", "parse", "autocast", "clear_", "init_num",
    "show", "merge_", "compiled", "cudnn", "mkldnn", "quantize", "q_", "fbgemm", "Tag", "vitals", "read_vit", "sym_",
    "miopen", "hspmm", "native", "unify", "fake_", "obj", "typename", "multi_head", "has_", "handle", "boolean_dis",
    "scaled_gr", "scaled_mm", "grouped_mm", "share_memory", "backward", "map", "apply_", "data_ptr", "cuda", "xpu",
    "hpu", "ipu", "mtia", "refine", "rename", "align", "names", "to_mkldnn", "record_stream")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """How a call ended: the class of the exception, "" of none, and its text."""

    kind: str
    text: str = ""


def paths() -> list[str]:
    """The public functions and methods, by their paths below torch."""
    found = []
    for space in _SPACES:
        owner = attribute(torch, space)
        for name in dir(owner):
            value = getattr(owner, name)
            kinds = _CALLABLE if space in ("nn.functional", "Tensor") else _CALLABLE[:1]
            if type(value).__name__ in kinds and name[0].islower() and not name.startswith(_ELSEWHERE):
                found.append(f"{space}.{name}".lstrip("."))
    return found


def attribute(owner, path):
    """What is there."""
    return functools.reduce(getattr, path.split(".") if path else (), owner)


def calls(package, path) -> dict[str, tuple[tuple, dict]]:
    """{name of a call: (args, kwargs)}."""
    x = package.ones(2, 2)
    behind = {
        "nothing": (), "None": (None,), "a text": ("y",), "a tuple": (("a",),), "a float": (1.5,), "an int": (5,),
        "an object": (object(),), "a negative": (-9,), "seven": (1,) * 7, "x None": (x, None), "x text": (x, "z"),
        "x x text": (x, x, "z"), "int text": (1, "z"), "ints None": (0, 1, None),
    }
    named = {"foo": {"foo": 1}, "dim=7": {"dim": 7}, "dim=text": {"dim": "s"}, "dim=1.5": {"dim": 1.5},
             "dtype=text": {"dtype": "float32"}, "dtype=1": {"dtype": 1}, "out=1": {"out": 1}}
    first = {"alone None": (None,), "alone tuple": ((1, 2),), "alone text": ("x",), "alone list": ([1.0],),
             "four None": (None,) * 4, "no arguments": ()}
    found = {name: ((x, *args), {}) for name, args in behind.items()}
    found |= {name: ((x,), kwargs) for name, kwargs in named.items()}
    found["keepdim=text"] = ((x, 1), {"keepdim": "s"})
    found["foo behind x"] = ((x, x), {"foo": x})
    return found if path.startswith("Tensor.") else found | {name: (args, {}) for name, args in first.items()}


def outcome(package, path, name) -> Outcome:
    """How this call ends."""
    args, kwargs = calls(package, path)[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = attribute(package, path)(*args, **kwargs)
            if inspect.isgenerator(result):
                list(result)
        except Exception as error:  # noqa: BLE001 - whatever it raises is the outcome
            return Outcome(type(error).__name__, str(error))
    return Outcome("")
