"""One sample of one operator, spoilt: a tensor of another dtype or shape, a number out of range, a word of another kind.

What PyTorch refuses must be refused with an error of its class, what it takes must be taken, with the same result; and
nothing may let an error of JAX's or numpy's through.
"""

import functools
import math
import re
import traceback

import torch

import torchlike
from compat.opinfo import checks
from compat.opinfo.compare import difference
from compat.opinfo.transforms import processed
from compat.opinfo.translate import function, ours, shared_memory

_DTYPES = (torch.bool, torch.uint8, torch.int64, torch.float16, torch.float32, torch.complex64)
_INTS = (-1, 0, 1, 7, -9, 1 << 63, 1.5, True, None, "nonsense")
_FLOATS = (math.nan, math.inf, -1.0, 0.0, 2, 1j, None, "nonsense")
# Where PyTorch's own answer is none: what was never written, and what its build does not have.
_NO_ANSWER = re.compile("INTERNAL ASSERT|could not create a primitive|Please report a bug|can't allocate memory")
_FOREIGN = re.compile(r"[/\\](jax|jaxlib|numpy|ml_dtypes|scipy)[/\\]")


def spoilt(triple) -> list:
    """[(what is spoilt, triple)]: one thing in each."""
    found: list = []
    for path, value in _places(triple):
        found += [(f"{'.'.join(map(str, path))} as {name}", _with(triple, path, other)) for name, other in _others(value)]
    return found


def _places(value, path=()) -> list:
    """(path, leaf) of all leaves in nested containers; and sequences of numbers as a whole."""
    if isinstance(value, dict):
        return [place for key, v in value.items() for place in _places(v, (*path, key))]
    if type(value) in (list, tuple):
        whole = [(path, value)] if value and all(type(v) is int for v in value) else []
        return whole or [place for i, v in enumerate(value) for place in _places(v, (*path, i))]
    return [(path, value)]


def _with(value, path, other):
    if not path:
        return other
    if isinstance(value, dict):
        return {key: _with(v, path[1:], other) if key == path[0] else v for key, v in value.items()}
    return type(value)(_with(v, path[1:], other) if i == path[0] else v for i, v in enumerate(value))


def _others(value) -> list:
    if isinstance(value, torch.Tensor):
        return _other_tensors(value.detach()) if value.layout is torch.strided else []
    if type(value) in (list, tuple):
        changed = (value[:-1], (*value, 1), (-value[0], *value[1:]), (value[0] + 7, *value[1:]), (1.5, *value[1:]), None)
        return [(str(v), type(value)(v) if v is not None else v) for v in changed]
    choices = {int: _INTS, float: _FLOATS, str: ("nonsense", 3, None), torch.dtype: ("nonsense", *_DTYPES)}
    return [(str(v), v) for v in choices.get(type(value), ())]


def _other_tensors(x) -> list:
    made = [(str(dtype), x.to(dtype)) for dtype in _DTYPES if dtype != x.dtype]
    made += [("with one dimension more", x.unsqueeze(0)), ("None", None), ("a number", 2)]
    if x.ndim:
        made += [("with one dimension less", x.select(0, 0)) if x.shape[0] else ("0-d", x.new_zeros(())),
                 ("empty", x[:0]), ("larger at the front", torch.cat([x, x[:1]])), ("larger at the end", torch.cat(
                     [x, x.narrow(-1, 0, min(1, x.shape[-1]))], -1))]
    return made


def check(op, theirs, process, random) -> tuple:
    """(what differs in value or class of error, what differs in text) of a spoilt triple; None without PyTorch's answer."""
    with shared_memory():
        try:
            mine = ours(theirs)
        except (TypeError, RuntimeError):
            return None, None
    want, got = (_run(package, call, triple) for package, call, triple in (
        (torch, op.op, theirs), (torchlike, function(op.op), mine)))
    if isinstance(want, checks.Raised) and _NO_ANSWER.search(str(want.error)):
        return None, None
    if isinstance(want, checks.Raised) and isinstance(got, checks.Raised):
        kind = "" if type(want.error).__name__ == type(got.error).__name__ else f"raises {want}, ours {got}"
        same = checks.plain(str(want.error)) == checks.plain(str(got.error))
        return kind or _leak(got, want), "" if same else f"{want} | ours {got}"
    found = checks.both_raised(want, got)
    if found:
        return found, None
    if process is not None:
        want, got = (checks.attempt(functools.partial(f, x)) for f, x in ((process, want), (function(process), got)))
        if isinstance(want, checks.Raised) or isinstance(got, checks.Raised):
            return checks.both_raised(want, got), None
    return difference(want, got, not random), None


def _run(package, call, triple):
    package.manual_seed(7)
    with package.no_grad():
        return checks.call(call, triple)


def _leak(got, want) -> str:
    """Whether the error is one of JAX's or numpy's, of their class or with their words."""
    frames = traceback.extract_tb(got.error.__traceback__)
    is_foreign = type(got.error).__module__.startswith(("jax", "numpy")) or (frames and _FOREIGN.search(frames[-1].filename))
    return f"raises {want}, ours lets through {got}" if is_foreign and str(want) != str(got) else ""


def examine(op, sample, random) -> list:
    """[(what is spoilt, (difference, difference in text))] of all spoilings of a sample that PyTorch has an answer to."""
    process = processed(sample)
    return [(name, check(op, triple, process, random)) for name, triple in spoilt(checks.triple(sample))]
