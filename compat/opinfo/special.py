"""One sample of one operator with special values in its tensors: infinities, nan, zeros, the largest and the least numbers.

Results and gradients must be nan, infinite or finite where PyTorch's are. By how much finite ones differ is no question
here: among the largest numbers the order of a sum decides, and PyTorch's differs between its own loops.
"""

import numpy as np
import torch

import torchlike
from compat.opinfo import checks
from compat.opinfo.transforms import processed, replaced
from compat.opinfo.translate import function, ours, shared_memory

TURNS = 3  # how many fillings of a sample are tried
_ORDINARY = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, -2.0, 3.0]


def values(dtype) -> list:
    """The special numbers of a floating dtype."""
    info = torch.finfo(dtype)
    return [*_ORDINARY, info.max, info.min, info.tiny, -info.tiny, info.eps, 1e5]


def _filling(turn):
    """What puts another tensor in the place of each: of its form, with special values, in each turn others side by side."""
    place = 0

    def filled(x):
        nonlocal place
        if not x.is_floating_point() or x.layout is not torch.strided:
            return x
        special, first = values(x.dtype), turn * 5 + place * 3
        place += 1
        chosen = [special[(first + i * (1 + turn)) % len(special)] for i in range(x.numel())]
        return torch.tensor(chosen, dtype=x.dtype).reshape(x.shape).requires_grad_(x.requires_grad)

    return filled


def applies(sample) -> bool:
    """Whether any of its tensors can have special values."""
    tensors = checks.leaves(checks.triple(sample))
    return any(x.is_floating_point() and x.numel() and x.layout is torch.strided for x in tensors)


def _run(package, call, triple, process):
    """(results, gradients of what requires grad for gradients of 1)."""
    package.manual_seed(7)
    value, args, kwargs = triple
    result = call(value, *args, **kwargs)
    outs = checks.leaves(result if process is None else process(result))
    inputs, ends = [x for x in checks.leaves(triple) if x.requires_grad], [x for x in outs if x.requires_grad]
    if not inputs or not ends:
        return outs, []
    return outs, list(package.autograd.grad(ends, inputs, [package.ones_like(x) for x in ends], allow_unused=True))


def check(op, sample, turn=0) -> str | None:
    """What differs; None where PyTorch refuses such values."""
    theirs, process = replaced(checks.triple(sample), _filling(turn)), processed(sample)
    with shared_memory():
        mine = ours(theirs)
    want = checks.attempt(lambda: _run(torch, op.op, theirs, process))
    if isinstance(want, checks.Raised):
        return None
    got = checks.attempt(lambda: _run(torchlike, function(op.op), mine, process and function(process)))
    if isinstance(got, checks.Raised):
        return f"ours raises {got}"
    for kind, wanted, found in zip(("result", "gradient"), want, got, strict=True):
        for i, (a, b) in enumerate(zip(wanted, found, strict=True)):
            text = _difference(a, b)
            if text:
                return f"{kind} {i}, turn {turn}: {text}"
    return ""


def _difference(a, b) -> str:
    is_asked = a is not None and b is not None and a.layout is torch.strided and not a._is_zerotensor()
    if not is_asked or not (a.is_floating_point() or a.is_complex()):
        return ""  # whether there is a gradient, and what integers are, the other checks ask
    want, got = _numbers(torch, a), _numbers(torchlike, b)
    if want.shape != got.shape:
        return f"shape {want.shape}, ours {got.shape}"
    for i in np.flatnonzero(_kinds(want) != _kinds(got))[:1]:
        return f"element {i} of {want.size}: torch {want.reshape(-1)[i]}, ours {got.reshape(-1)[i]}"
    return ""


def _numbers(package, x):
    x = x.detach()
    x = package.view_as_real(x.resolve_conj()) if x.is_complex() else x
    return np.array(x.to(package.float64).tolist())


def _kinds(x):
    """nan, infinite of either sign or finite, as numbers."""
    return np.where(np.isnan(x), 2, np.where(np.isinf(x), np.sign(x), 0)).reshape(-1)
