"""One sample of one operator under both packages: forward, gradients, forward mode, in place, out=, errors."""

import contextlib
import itertools
import re
import warnings

import numpy as np
import torch
from torch.autograd import forward_ad as their_forward_ad

import torchlike
from compat.opinfo import ties
from compat.opinfo.compare import difference, of_views
from compat.opinfo.translate import Missing, function, ours, shared_memory
from torchlike.autograd import forward_ad as our_forward_ad

SAMPLE_ERRORS = (RuntimeError, TypeError, ValueError, NotImplementedError, IndexError, AssertionError, AttributeError)


class Raised:
    """An exception as a result."""

    def __init__(self, error):
        self.error = error

    def __str__(self):
        return f"{type(self.error).__name__}: {str(self.error).splitlines()[0] if str(self.error) else ''}"[:300]


def attempt(call):
    """The result, or Raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except Missing:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it raises is the result
            return Raised(error)


def leaves(value) -> list:
    """The tensors in nested lists, tuples and dictionaries."""
    if isinstance(value, torch.Tensor | torchlike.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [x for v in value for x in leaves(v)] if isinstance(value, list | tuple) else []


def both_raised(want, got) -> str | None:
    """None if neither raised; else what differs."""
    if not isinstance(want, Raised) and not isinstance(got, Raised):
        return None
    if isinstance(want, Raised) and isinstance(got, Raised):
        same = isinstance(got.error, type(want.error)) or isinstance(want.error, type(got.error))
        return "" if same else f"raises {want}, ours {got}"
    return f"raises {want}, ours returns" if isinstance(want, Raised) else f"ours raises {got}"


def call(package_function, sample):
    """The operator on a sample: a triple (input, args, kwargs)."""
    value, args, kwargs = sample
    return attempt(lambda: package_function(value, *args, **kwargs))


def triple(sample) -> tuple:
    """The sample's own tensors."""
    return sample.input, sample.args, sample.kwargs


def pair(sample) -> tuple:
    """(torch's triple, ours)."""
    mine = triple(sample)
    with shared_memory():
        return mine, ours(mine)


def forward(op, sample, random=False) -> str:
    """Results: values, dtypes, shapes, views."""
    theirs, mine = pair(sample)
    torch.manual_seed(7)
    torchlike.manual_seed(7)
    want, got = call(op.op, theirs), call(function(op.op), mine)
    found = both_raised(want, got)
    if found is not None:
        return found
    process = sample.output_process_fn_grad
    if op.name in ties.NAMES:
        got = ties.resolved(theirs[0], want, got)
    if difference(want, got, not random) and process is not None:  # more than one right answer
        want, got = process(want), function(process)(got)
    return difference(want, got, not random) or of_views(leaves(theirs), leaves(want), leaves(got))


def _differentiable(op_function, wrapper, sample, process):
    """(inputs that require grad, outputs with history)."""
    inputs = [x for x in leaves(sample) if x.requires_grad]
    value, args, kwargs = sample
    out = wrapper(op_function, value, *args, **kwargs)
    out = process(out) if process is not None else out
    return inputs, [x for x in leaves(out) if x.requires_grad]


def _grads(package, op_function, wrapper, sample, process, second, seed):
    inputs, outs = _differentiable(op_function, wrapper, sample, process)
    rng = np.random.default_rng(seed)
    given = [random_like(package, x, rng).requires_grad_(second) for x in outs]
    grads = package.autograd.grad(outs, inputs, given, create_graph=second, allow_unused=True) if outs else ()
    if not second:
        return list(grads)
    drawn = [(g, random_like(package, g, rng)) for g in grads if g is not None]
    connected = [(g, again) for g, again in drawn if g.requires_grad]  # a constant 0 need not be
    if not connected:
        return list(grads)
    outs, again = map(list, zip(*connected, strict=True))
    return [*grads, *package.autograd.grad(outs, [*inputs, *given], again, allow_unused=True)]


def random_like(package, x, rng):
    """A tensor of the package with the shape and dtype of `x`, between -1 and 1."""
    values = rng.uniform(-1, 1, tuple(x.shape))
    if x.is_complex():
        values = values + 1j * rng.uniform(-1, 1, tuple(x.shape))
    return package.tensor(values).to(x.dtype)


def _no_wrapper(op_function, *args, **kwargs):
    return op_function(*args, **kwargs)


def gradient(op, sample, second=False) -> str:
    """Gradients of all inputs for random gradients of all outputs; `second`: those of these as well."""
    theirs, mine = pair(sample)
    wrapper, process = getattr(op, "gradcheck_wrapper", _no_wrapper), sample.output_process_fn_grad
    identity = process is None or process.__code__.co_code == (lambda x: x).__code__.co_code
    torch.manual_seed(7)
    torchlike.manual_seed(7)
    want = attempt(lambda: _grads(torch, op.op, wrapper, theirs, None if identity else process, second, 3))
    if isinstance(want, Raised):
        return ""  # torch has no gradient here
    got = attempt(lambda: _grads(torchlike, function(op.op), function(wrapper), mine,
                                 None if identity else function(process), second, 3))
    return both_raised(want, got) or same_grads(want, got)


def same_grads(want, got) -> str:
    """What differs between gradients; none are as good as zeros."""
    for i, (a, b) in enumerate(itertools.zip_longest(want, got)):
        if a is None or b is None:
            rest = a if b is None else b
            if rest is not None and bool((rest != 0).any()):
                return f"gradient {i}: {'none' if a is None else 'some'}, ours {'none' if b is None else 'some'}"
            continue
        if a.layout is not torch.strided:
            continue
        found = difference(a, b)
        if found:
            return f"gradient {i}: {found}"
    return ""


def _tangents(package, forward_ad, op_function, sample, process):
    rng = np.random.default_rng(5)
    with forward_ad.dual_level():
        def dual(value):
            if isinstance(value, package.Tensor):
                return forward_ad.make_dual(value.detach(), random_like(package, value, rng)) \
                    if value.requires_grad else value
            if isinstance(value, dict):
                return {k: dual(v) for k, v in value.items()}
            return type(value)(dual(v) for v in value) if type(value) in (list, tuple) else value

        value, args, kwargs = dual(sample[0]), dual(tuple(sample[1])), dual(sample[2])
        out = op_function(value, *args, **kwargs)
        out = process(out) if process is not None else out
        return [forward_ad.unpack_dual(x).tangent if x.is_floating_point() or x.is_complex() else None
                for x in leaves(out)]


def forward_mode(op, sample) -> str:
    """Tangents of all outputs for random tangents of all inputs."""
    theirs, mine = pair(sample)
    process = sample.output_process_fn_grad
    torch.manual_seed(7)
    torchlike.manual_seed(7)
    want = attempt(lambda: _tangents(torch, their_forward_ad, op.op, theirs, process))
    if isinstance(want, Raised):
        return ""
    got = attempt(lambda: _tangents(torchlike, our_forward_ad, function(op.op), mine, function(process)))
    return both_raised(want, got) or same_grads(want, got)


def in_place(op, sample, random=False) -> str:
    """The in-place form on a copy of the input."""
    theirs, mine = pair(sample)
    if not isinstance(theirs[0], torch.Tensor):
        return ""
    torch.manual_seed(7)
    torchlike.manual_seed(7)
    want = call(op.inplace_variant, (theirs[0].detach().clone(), *theirs[1:]))
    got = call(function(op.inplace_variant), (mine[0].detach().clone(), *mine[1:]))
    found = both_raised(want, got)
    return difference(want, got, not random) if found is None else found


def out_form(op, sample, random=False) -> str:
    """``out=`` with tensors of the right shape, and with empty ones, which are resized."""
    theirs, mine = pair(sample)
    with torch.no_grad():
        expected = call(op.op, theirs)
    plain = leaves(expected) if not isinstance(expected, Raised) else []
    if not plain or any(x.layout is not torch.strided for x in plain):
        return ""
    process = sample.output_process_fn_grad
    for make in (torch.zeros_like, lambda x: x.new_empty((0,))):
        want, got = [make(x) for x in plain], ours([make(x) for x in plain])
        raised = into(torch, op.op, theirs, want, expected)
        if not isinstance(raised, Raised) and not random and difference(plain, _as_ours(want)):
            continue  # torch's own out= is not its result
        found = both_raised(raised, into(torchlike, function(op.op), mine, got, expected))
        found = difference(want, got, not random) if found is None else found
        if found and process is not None and "raise" not in found:  # more than one right answer
            processed = [attempt(lambda f=f, x=x: f(tuple(x))) for f, x in ((process, want), (function(process), got))]
            found = both_raised(*processed) or difference(processed[0], processed[1], not random)
        if found:
            return f"out= {'of the shape' if make is torch.zeros_like else 'empty'}: {found}"
    return ""


def _as_ours(tensors):
    return [ours(x.clone()) for x in tensors]


def into(package, package_function, sample, outs, expected):
    """The call with ``out=``: one tensor, or several as a tuple."""
    value, args, kwargs = sample
    package.manual_seed(7)
    with package.no_grad():
        return attempt(lambda: package_function(value, *args, **kwargs,
                                                out=outs[0] if isinstance(expected, torch.Tensor) else tuple(outs)))


def error(op, given) -> tuple:
    """(what differs in type, what differs in text) for an input that must be refused."""
    theirs, mine = pair(given.sample_input)
    want = call(op.op, theirs)
    if not isinstance(want, Raised):
        return "", ""
    got = call(function(op.op), mine)
    if not isinstance(got, Raised):
        return f"raises {want}, ours returns", "no error"
    kind = "" if type(want.error).__name__ == type(got.error).__name__ else f"raises {want}, ours {got}"
    same = plain(str(want.error)) == plain(str(got.error)) or re.search(given.error_regex, str(got.error))
    return kind, "" if same else f"{want} | ours {got}"


def plain(text) -> str:
    """An error's text without the package's name and the frames of PyTorch's own code."""
    return text.replace("torchlike", "torch").split("\nException raised from")[0].strip()


@contextlib.contextmanager
def quiet():
    """Neither package warns."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
