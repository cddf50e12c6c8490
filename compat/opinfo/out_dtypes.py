"""One sample of an operator with ``out=`` of other dtypes: which are taken, what is written there, how others fail."""

import functools

import torch

import torchlike
from compat.opinfo import checks
from compat.opinfo.compare import difference
from compat.opinfo.transforms import processed
from compat.opinfo.translate import function, ours, shared_memory

_DTYPES = (torch.bool, torch.uint8, torch.int64, torch.float16, torch.float32, torch.float64, torch.complex64,
           torch.complex128)


def examine(op, sample, random) -> list:
    """[(the dtypes of out=, (what differs in value or class of error, what differs in text))]."""
    theirs = checks.triple(sample)
    with torch.no_grad():
        expected = checks.call(op.op, theirs)
    plain = checks.leaves(expected) if not isinstance(expected, checks.Raised) else []
    if not plain or any(x.layout is not torch.strided for x in plain):
        return []
    with shared_memory():
        mine = ours(theirs)
    made = [x.dtype for x in plain]
    chosen = [[*made[:i], dtype, *made[i + 1:]] for i in range(len(made)) for dtype in _DTYPES if dtype != made[i]]
    return [(f"out of {', '.join(map(str, dtypes))}", _check(op, theirs, mine, expected, dtypes, processed(sample), random))
            for dtypes in chosen]


def _check(op, theirs, mine, expected, dtypes, process, random) -> tuple:
    made = [x.dtype for x in checks.leaves(expected)]
    outs = [torch.zeros(x.shape, dtype=dtype) for x, dtype in zip(checks.leaves(expected), dtypes, strict=True)]
    given = ours([x.clone() for x in outs])
    want, got = (checks.into(package, call, triple, written, expected) for package, call, triple, written in (
        (torch, op.op, theirs, outs), (torchlike, function(op.op), mine, given)))
    if isinstance(want, checks.Raised) and "INTERNAL ASSERT" in str(want.error):
        return None, None
    found = checks.both_raised(want, got)
    if found is not None:
        both = isinstance(want, checks.Raised) and isinstance(got, checks.Raised)
        same = not both or checks.plain(str(want.error)) == checks.plain(str(got.error))
        return found, None if not both else "" if same else f"{want} | ours {got}"
    if process is not None:
        outs, given = (checks.attempt(functools.partial(f, x if len(x) > 1 else x[0])) for f, x in (
            (process, tuple(outs)), (function(process), tuple(given))))
        if isinstance(outs, checks.Raised) or isinstance(given, checks.Raised):
            return checks.both_raised(outs, given), None
    return difference(_as_computed(outs, dtypes, made), _as_computed(given, dtypes, made), not random), None


def _as_computed(outs, dtypes, made) -> list:
    """Floats that were written to wider ones, as narrow again: they are no nearer to each other than what was computed."""
    found = []
    for x, dtype, own in zip(checks.leaves(outs), dtypes, made, strict=False):
        if own.is_floating_point or own.is_complex:
            own = own.to_complex() if dtype.is_complex else own
            x = x.to(own if isinstance(x, torch.Tensor) else ours(own)) if own.itemsize < dtype.itemsize else x
        found.append(x)
    return found
