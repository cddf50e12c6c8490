"""A backward pass in two parts gives what one as a whole gives, whatever the graph is like."""

import pytest

import torchlike as torch
from tests.speed import sampled
from torchlike import nn
from torchlike.distributed.pipelining import _backward


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    @staticmethod
    def backward(ctx, *grads):
        x, w = ctx.saved_tensors
        return grads[0] * w, grads[0] * x


class Case(nn.Module):
    """Some weights, and a function of them and of two inputs that gives one output or several."""

    def __init__(self, function):
        super().__init__()
        self.a, self.b, self.c = (nn.Linear(3, 3) for _ in range(3))
        self.scale = nn.Parameter(torch.ones(3))
        self.function = function
        self.double()
        with torch.no_grad():
            for i, p in enumerate(self.parameters()):
                p.copy_(torch.arange(p.numel(), dtype=torch.float64).reshape(p.shape).add_(i).sin_())

    def forward(self, x, y):
        return self.function(self, x, y)


CASES = {
    "chain": lambda m, x, y: m.c(torch.tanh(m.b(torch.tanh(m.a(x))))),
    "two inputs": lambda m, x, y: m.c(torch.tanh(m.a(x)) * m.b(y)),
    "two outputs": lambda m, x, y: (m.b(torch.tanh(m.a(x))), m.c(y) * x),
    "a weight twice": lambda m, x, y: m.a(torch.tanh(m.b(torch.tanh(m.a(x))))),
    "a weight of all": lambda m, x, y: m.a(torch.tanh(m.a(torch.tanh(m.a(x)))) * m.scale) * m.scale,
    "weights alone": lambda m, x, y: (m.a(x), m.c.weight * m.scale),
    "shared with an output": lambda m, x, y: (m.a(x) * m.scale, (m.scale * m.c.bias).sin()),
    "weights of weights": lambda m, x, y: x @ torch.tanh(m.a.weight @ m.b.weight) + m.c(x),
    "an input as it is": lambda m, x, y: (x, m.a(y)),
    "no weights": lambda m, x, y: torch.tanh(x) * y,
    "no inputs": lambda m, x, y: m.a(torch.ones(2, 3, dtype=torch.float64)),
    "custom": lambda m, x, y: m.b(Twice.apply(m.a(x), m.scale)),
    "residual": lambda m, x, y: x + m.b(torch.tanh(m.a(x) + y)) + y,
    "no history": lambda m, x, y: (m.a(x), torch.ones(2, 3)),
    "a loss": lambda m, x, y: m.b(torch.tanh(m.a(x))).square().mean(),
}

NEEDS = {"both": (True, True), "one": (True, False), "none": (False, False)}


def run(case, split, frozen="", needs="both"):
    """The gradients of the inputs and of the weights, and of the latter when only those of the inputs are there."""
    model = Case(CASES[case])
    for name in frozen:
        getattr(model, name).requires_grad_(False)
    inputs = [torch.linspace(-1, k, 6, dtype=torch.float64).reshape(2, 3).requires_grad_(need)
              for k, need in enumerate(NEEDS[needs], 1)]
    out = model(*inputs)
    outputs = out if isinstance(out, tuple) else (out,)
    grads = None if case == "a loss" else tuple(torch.linspace(1, 2, x.numel(), dtype=x.dtype).reshape(x.shape)
                                                if x.requires_grad else None for x in outputs)
    weights = list(model.parameters())
    if not split:
        found = _backward.whole(out if case == "a loss" else outputs, grads, inputs)
        return _plain(found), _plain(p.grad for p in weights), None
    found, later = _backward.inputs_first(outputs, grads, inputs, weights)
    between = _plain(p.grad for p in weights)
    later.run()
    return _plain(found), _plain(p.grad for p in weights), between


def _plain(grads):
    return [None if g is None else g.tolist() for g in grads]


def close(a, b) -> bool:
    if a is None or b is None:
        return a is b
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(close, a, b))
    return abs(a - b) <= 1e-12 * max(1, abs(a))


@pytest.mark.parametrize(("case", "needs", "frozen"), sampled(CASES, NEEDS, ("", "b"), fast=7))
def test_both_parts_are_the_whole(case, needs, frozen):
    (inputs, weights, _), (found, later, between) = run(case, False, frozen, needs), run(case, True, frozen, needs)
    assert close(inputs, found)
    assert close(weights, later)
    assert between == [None] * len(weights)


@pytest.mark.parametrize("case", ["a weight twice", "a weight of all", "shared with an output"])
def test_weights_in_groups_of_their_own_are_wrong(case, monkeypatch):
    monkeypatch.setattr(_backward, "_joined", lambda groups: groups)
    (_, weights, _), (_, later, _) = run(case, False), run(case, True)
    assert close(weights, later) == (case == "shared with an output")  # there no way leads from one group to the other


def test_hooks_are_called_once():
    calls = []

    def function(m, x, y):
        h = torch.tanh(m.a(x))
        h.register_hook(lambda g: calls.append("hidden"))
        return m.b(h)

    model = Case(function)
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    _, later = _backward.inputs_first((model(x, x).sum(),), None, [x], list(model.parameters()))
    later.run()
    assert calls == ["hidden"]


def test_what_fails_is_told():
    x = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    for f in (_backward.whole, lambda *given: _backward.inputs_first(*given, [])):
        with pytest.raises(RuntimeError, match="Failed to run stage backward") as caught:
            f((x * 2,), (torch.ones(5),), [x])
        assert "Tensor(torch.Size([2, 3]), grad=True, dtype=torch.float64)" in str(caught.value)
        assert caught.value.__cause__ is not None
