"""One sample of one operator under torch.func's transforms, in both packages: jvp, vmap, grad and vjp.

A check returns what differs, "" if nothing does, and None for what PyTorch has no rule for: that sample does not count.
"""

import re

import numpy as np
import torch

import torchlike
from compat.opinfo import checks
from compat.opinfo.compare import difference
from compat.opinfo.translate import function

_NO_RULE = re.compile("not implemented|[Nn]ot supported|does not support|do not support|not yet support|Batching rule|"
                      "no batching rule|forward AD|not differentiable|unsupported|INTERNAL ASSERT|"
                      "Cannot access data pointer of Tensor that doesn't have storage", re.IGNORECASE)
_SEED = 11


def replaced(value, given):
    """`value`, nested containers, with each tensor t as ``given(t)``."""
    if isinstance(value, torch.Tensor | torchlike.Tensor):
        return given(value)
    if isinstance(value, dict):
        return {key: replaced(v, given) for key, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(replaced(v, given) for v in value)
    return value


class Call:
    """A sample's call as a function of some of its tensors: those whose places in ``leaves(sample)`` are `chosen`."""

    def __init__(self, package, call, triple, chosen, process):
        self.package, self._call, self._process, self._chosen = package, call, process, chosen
        self._triple = replaced(triple, lambda x: x.detach())
        self.tensors = [x for i, x in enumerate(checks.leaves(self._triple)) if i in chosen]

    def __call__(self, *tensors):
        given, places = iter(tensors), iter(range(len(checks.leaves(self._triple))))
        value, args, kwargs = replaced(self._triple, lambda x: next(given) if next(places) in self._chosen else x)
        out = self._call(value, *args, **kwargs)
        return tuple(checks.leaves(out if self._process is None else self._process(out)))


def processed(sample):
    """What makes results comparable of which more than one is right, None where each is."""
    process = sample.output_process_fn_grad
    return None if process is None or process.__code__.co_code == (lambda x: x).__code__.co_code else process


def calls(op, sample, chosen, form=None, wrapped=True):
    """(torch's Call, ours). `form`: another function than the operator itself, such as its in-place form."""
    process, wrapper = processed(sample), getattr(op, "gradcheck_wrapper", None) if wrapped else None
    made = []
    for package, triple, translated in zip((torch, torchlike), checks.pair(sample), (lambda f: f, function), strict=True):
        call = translated(form or op.op)
        if wrapper is not None:
            call = _wrapped(translated(wrapper), call)
        made.append(Call(package, call, triple, chosen, process and translated(process)))
    return made


def _wrapped(wrapper, call):
    return lambda *args, **kwargs: wrapper(call, *args, **kwargs)


def _differentiable(sample):
    """The places of the sample's tensors that require grad."""
    return {i for i, x in enumerate(checks.leaves(checks.triple(sample))) if x.requires_grad}


def compared(run, pair, values=True):
    """What differs between ``run(call)`` of the two packages."""
    results = []
    for call in pair:
        call.package.manual_seed(7)
        results.append(checks.attempt(lambda call=call: run(call)))
    want, got = results
    if isinstance(want, checks.Raised) and (_NO_RULE.search(str(want)) or isinstance(want.error, NotImplementedError)):
        return None
    found = checks.both_raised(want, got)
    if found is not None:
        return found
    return difference(want, got, values) or _facts(checks.leaves(want), checks.leaves(got))


def _facts(want, got) -> str:
    for a, b in zip(want, got, strict=True):
        if a.requires_grad != b.requires_grad:
            return f"requires_grad {a.requires_grad}, ours {b.requires_grad}"
    return ""


# -- jvp

def _jvp(call):
    rng = np.random.default_rng(_SEED)
    tangents = tuple(checks.random_like(call.package, x, rng) for x in call.tensors)
    return call.package.func.jvp(call, tuple(call.tensors), tangents)


def jvp(op, sample, random=False):
    """Results and tangents of torch.func.jvp for random tangents of what requires grad in the sample."""
    chosen = _differentiable(sample)
    return compared(_jvp, calls(op, sample, chosen), not random) if chosen else None


# -- grad and vjp

def _inexact(outs):
    return [x for x in outs if x.is_floating_point() or x.is_complex()]


def _scalar(call):
    """The sum of all results, each weighted at random; with the results."""
    def scalarised(*tensors):
        outs, rng = call(*tensors), np.random.default_rng(_SEED)
        terms = [(x * checks.random_like(call.package, x, rng)).sum() for x in _inexact(outs)]
        total = sum(terms)
        return total.real if total.is_complex() else total, outs
    return scalarised


def _grad(call):
    places = tuple(range(len(call.tensors)))
    return call.package.func.grad(_scalar(call), places, has_aux=True)(*call.tensors)


def _vjp(call):
    outs, pull = call.package.func.vjp(lambda *tensors: tuple(_inexact(call(*tensors))), *call.tensors)
    rng = np.random.default_rng(_SEED)
    return outs, pull(tuple(checks.random_like(call.package, x, rng) for x in outs))


def grad(op, sample, random=False):
    """Gradients by torch.func.grad of the results' weighted sum, and by torch.func.vjp of the results."""
    chosen = _differentiable(sample)
    if not chosen:
        return None
    found = [compared(run, calls(op, sample, chosen), not random) for run in (_grad, _vjp)]
    return None if None in found else next((text for text in found if text), "")


# -- vmap

def _batch(package, x, dim):
    """Two slices along a new dimension: `x`, and half of it where it is inexact, so that every domain is kept."""
    return package.stack([x, x / 2 if x.is_floating_point() or x.is_complex() else x], dim)


def _vmap(dim, randomness):
    def run(call):
        dims = tuple(dim if dim != 1 or x.ndim else 0 for x in call.tensors)
        batched = [_batch(call.package, x, d) for x, d in zip(call.tensors, dims, strict=True)]
        return call.package.func.vmap(call, dims, randomness=randomness)(*batched)
    return run


def _copied(form):
    """An in-place form on a copy of its first argument."""
    return lambda value, *args, **kwargs: form(value.clone(), *args, **kwargs)


def vmap(op, sample, random=False):
    """Results of torch.func.vmap: all tensors batched, along 0, 1 and -1; the first alone; all but the first; in place; and
    random numbers, refused and per slice."""
    count = len(checks.leaves(checks.triple(sample)))
    if not count:
        return None
    every, randomness = set(range(count)), "different" if random else "error"
    ways = [(f"in_dims {dim}", every, dim, randomness) for dim in (0, 1, -1)]
    if count > 1:
        ways += [("the first batched", {0}, 0, randomness), ("all but the first batched", every - {0}, 0, randomness)]
    ways += [("randomness refused", every, 0, "error")] if random else []
    found = [(name, compared(_vmap(dim, how), calls(op, sample, chosen, wrapped=False), not random))
             for name, chosen, dim, how in ways]
    if op.inplace_variant is not None and not sample.broadcasts_input and isinstance(sample.input, torch.Tensor):
        pair = calls(op, sample, every, op.inplace_variant, wrapped=False)
        for call in pair:
            call._call = _copied(call._call)
        found.append(("in place", compared(_vmap(0, randomness), pair, not random)))
    counted = [(name, text) for name, text in found if text is not None]
    return next((f"{name}: {text}" for name, text in counted if text), "") if counted else None
