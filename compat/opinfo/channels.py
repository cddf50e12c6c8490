"""One sample of one operator with its 4-D tensors in torch.channels_last: values and strides of results and gradients."""

import re

import numpy as np
import torch

import torchlike
from compat.opinfo import checks
from compat.opinfo.compare import difference
from compat.opinfo.transforms import processed, replaced
from compat.opinfo.translate import function, ours, shared_memory

_CONTIGUOUS = re.compile("must be contiguous|Unsupported memory format")


def _last(x):
    if x.ndim != 4 or x.layout is not torch.strided:
        return x
    return x.detach().contiguous(memory_format=torch.channels_last).requires_grad_(x.requires_grad)


def applies(sample) -> bool:
    """Whether any of its tensors has four dimensions."""
    return any(x.ndim == 4 and x.layout is torch.strided for x in checks.leaves(checks.triple(sample)))


def _run(package, call, triple, process):
    """(results, gradients of what requires grad for random gradients of the results)."""
    package.manual_seed(7)
    value, args, kwargs = triple
    result = call(value, *args, **kwargs)
    outs = checks.leaves(result if process is None else process(result))
    inputs = [x for x in checks.leaves(triple) if x.requires_grad]
    ends, rng = [x for x in outs if x.requires_grad], np.random.default_rng(3)
    if not ends or not inputs:
        return outs, []
    given = [package.empty_like(x).copy_(checks.random_like(package, x, rng)) for x in ends]
    return outs, list(package.autograd.grad(ends, inputs, given, allow_unused=True))


def check(op, sample, random=False) -> str | None:
    """What differs; None where the sample has no tensor of four dimensions, or PyTorch cannot have it so."""
    if not applies(sample):
        return None
    theirs, process = replaced(checks.triple(sample), _last), processed(sample)
    with shared_memory():
        mine = ours(theirs)
    want = checks.attempt(lambda: _run(torch, op.op, theirs, process))
    if isinstance(want, checks.Raised) and _CONTIGUOUS.search(str(want)):
        return None
    got = checks.attempt(lambda: _run(torchlike, function(op.op), mine, process and function(process)))
    found = checks.both_raised(want, got)
    if isinstance(want, checks.Raised) or isinstance(got, checks.Raised):
        return found
    (outs, grads), (our_outs, our_grads) = want, got
    return difference(outs, our_outs, not random) or checks.same_grads(grads, our_grads) or \
        _strides("result", outs, our_outs) or _strides("gradient", grads, our_grads)


def _strides(kind, want, got) -> str:
    for i, (a, b) in enumerate(zip(want, got, strict=True)):
        if a is not None and b is not None and a.layout is torch.strided and a.numel() and a.stride() != b.stride():
            return f"{kind} {i}: strides {a.stride()} of shape {tuple(a.shape)}, ours {b.stride()}"
    return ""
