"""``torch._foreach_*`` against torch: results, gradients, what is written to, errors."""

import pytest
import torch

import torchlike
from tests.speed import sampled
from torchlike._api.generated import torch_names

FUNCTIONS = [name for name in torch_names.__all__ if name.startswith("_foreach_")]
OURS_ALONE = sorted(name for name in FUNCTIONS if not hasattr(torch, name))
THEIRS_ALONE = sorted(name for name in dir(torch) if name.startswith("_foreach") and name not in FUNCTIONS)


def test_the_names_are_pytorchs():
    assert OURS_ALONE == THEIRS_ALONE == []


CALLS = {
    "number": "f(xs, 2.0)", "numbers": "f(xs, [2.0, 3.0, 0.5])", "list": "f(xs, ys)", "tensor": "f(xs, t.tensor(2.0))",
    "integer": "f(ints, 2)", "integer with float": "f(ints, 1.5)", "lists of integers": "f(ints, ints)",
    "alone": "f(xs)", "integers alone": "f(ints)", "alpha": "f(xs, ys, alpha=2)", "two lists": "f(xs, ys, zs)",
    "value": "f(xs, ys, zs, 2.0)", "named value": "f(xs, ys, zs, value=2.0)", "values": "f(xs, ys, zs, [2.0, 3.0, 4.0])",
    "packed": "f(xs, ys, zs, t.tensor([2.0, 3.0, 4.0]))", "packed 0-d": "f(xs, ys, zs, t.tensor(2.0))",
    "packed few": "f(xs, ys, zs, t.tensor([2.0]))", "none": "f([])", "none and a number": "f([], 1)",
    "fewer": "f(xs, ys[:1])", "fewer numbers": "f(xs, [1.0])", "a vector": "f(xs, t.ones(2))",
    "fewer of three": "f(xs, ys, zs[:2])", "weight": "f(xs, ys, 0.3)", "weights": "f(xs, ys, [0.1, 0.2, 0.3])",
    "tuples": "f(tuple(xs), tuple(ys))", "from a number": "f(2.0, xs)", "first order": "f(xs, 1)",
    "shapes": "f(xs, ys[::-1])",
}


def outcome(t, name, call):
    """(error or values, gradients, lists afterwards)."""
    def make(shift, grad=True):
        made = [(t.arange(float(n)) + 1 + shift) / 4 for n in (2, 2, 3)]
        return [(x.requires_grad_() * 1 if grad else x) for x in made]

    xs, ys, zs = make(0.3), make(0.7), make(1.1)
    ints = [t.tensor([3, -1]), t.tensor([2, 5]), t.tensor([7])]
    scope = {"t": t, "f": getattr(t, name), "xs": xs, "ys": ys, "zs": zs, "ints": ints}
    try:
        result = eval(call, scope)
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError) as error:
        return type(error).__name__, str(error).splitlines()[0].split(" - got")[0] if isinstance(error, RuntimeError) else ""
    kept = result is xs or result is ints
    floats = [r for r in result if r.requires_grad]
    try:
        grads = t.autograd.grad(floats, [*xs, *ys, *zs], [t.ones_like(r) for r in floats], allow_unused=True) \
            if floats and not kept else []
    except (RuntimeError, NotImplementedError) as error:
        grads = [str(error).splitlines()[0][:60]]
    shown = [(str(r.dtype).removeprefix("torch."), r.shape, r._version, r.detach().flatten().tolist()) for r in result]
    grads = [g if isinstance(g, str) or g is None else g.tolist() for g in grads]
    return type(result).__name__, kept, shown, grads


FAST = {"_foreach_add", "_foreach_addcdiv_", "_foreach_lerp", "_foreach_maximum_", "_foreach_norm", "_foreach_sqrt_"}


@pytest.mark.parametrize("name", sampled(sorted(FUNCTIONS), fast=FAST, ci=3))
def test_as_torch(name):
    for title, call in CALLS.items():
        theirs, ours = outcome(torch, name, call), outcome(torchlike, name, call)
        if "is not implemented" in str(theirs[-1]):  # a gradient that PyTorch has not
            ours, theirs = ours[:-1], theirs[:-1]
        assert same(ours, theirs), (title, ours, theirs)


def same(a, b) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == pytest.approx(b, rel=1e-5, abs=1e-6, nan_ok=True)
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b
