"""One sample of one operator under autocast on the CPU, in both packages.

What differs without autocast, too, is left to the other checks.
"""

import numpy as np
import torch

import torchlike
from compat.compare import array
from compat.opinfo import checks
from compat.opinfo.translate import function

_ROUGH = 0.03  # of bfloat16: sums differ by some of its steps


def check(op, sample, random=False) -> str:
    """Whether it raises, dtypes, Nodes, casts right before them, and values."""
    calls = list(zip((torch, torchlike), (op.op, function(op.op)), checks.pair(sample), strict=True))
    plain = [checks.call(f, x) for _, f, x in calls]
    cast = [_under_autocast(*each) for each in calls]
    for look in (_outcome, _dtypes, _nodes, _casts):
        want, got = map(look, cast)
        if want != got and look(plain[0]) == look(plain[1]):
            return f"{look.__name__[1:]}: {want}, ours {got}"
    return "" if random or _dtypes(cast[0]) != _dtypes(cast[1]) or _values(*plain) else _values(*cast)


def _under_autocast(package, function, triple):
    with package.autocast("cpu"):
        return checks.call(function, triple)


def _tensors(result) -> list:
    return [] if isinstance(result, checks.Raised) else checks.leaves(result)


def _outcome(result) -> str:
    return str(result) if isinstance(result, checks.Raised) else "returns"


def _dtypes(result) -> list:
    return [str(x.dtype) for x in _tensors(result)]


def _nodes(result) -> list:
    return [x.grad_fn and x.grad_fn.name() for x in _tensors(result)]


def _casts(result) -> list:
    return [sum("ToCopy" in node.name() for node, _ in x.grad_fn.next_functions if node is not None)
            for x in _tensors(result) if x.grad_fn is not None]


def _values(want, got) -> str:
    for a, b in zip(_tensors(want), _tensors(got), strict=True):
        a, b = (np.asarray(array(x)).astype(np.complex128) for x in (a, b))
        scale = float(np.abs(a[np.isfinite(a)]).max(initial=0))
        if a.shape != b.shape or not np.allclose(a, b, _ROUGH, _ROUGH * scale, equal_nan=True):
            return f"values: {a.ravel()[:4]}, ours {b.ravel()[:4]}"
    return ""
