"""Which layers are split, in models whose answer is known."""

import itertools

import pytest

import torchlike as torch
from tests.speed import sampled
from torchlike._plan.recording import watched
from torchlike._plan.tensor_parallel import split

nn, F = torch.nn, torch.nn.functional


class Attention(nn.Module):
    """Queries, keys and values apart, of 4 heads; `by_hand` without the fused function."""

    def __init__(self, by_hand=False):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(16, 16) for _ in range(4))
        self.by_hand = by_hand

    def forward(self, x):
        """What comes out."""
        n, length, width = x.shape
        q, k, v = (layer(x).view(n, length, 4, 4).transpose(1, 2) for layer in (self.q, self.k, self.v))
        if self.by_hand:
            y = (q @ k.transpose(-2, -1) / 2).softmax(-1) @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v)
        return self.out(y.transpose(1, 2).reshape(n, length, width))


class Gated(nn.Module):
    """A gate beside what it is multiplied with."""

    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(16, 32), nn.Linear(16, 32), nn.Linear(32, 16, bias=False)

    def forward(self, x):
        """What comes out."""
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Scaled(nn.Module):
    """Vectors that belong to features, and one that does not."""

    def __init__(self, wide=32):
        super().__init__()
        self.a, self.b, self.scale = nn.Linear(16, 32, bias=False), nn.Linear(32, 16), nn.Parameter(torch.ones(wide))

    def forward(self, x):
        """What comes out."""
        return self.b((self.a(x) * self.scale).relu())


class Leaking(nn.Module):
    """What is between two products goes elsewhere, too."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.norm = nn.Linear(16, 16), nn.Linear(16, 16), nn.LayerNorm(16)

    def forward(self, x):
        """What comes out."""
        y = self.a(x).relu()
        return self.norm(y + self.b(y))


class Tied(nn.Module):
    """A head that is the table of an embedding."""

    def __init__(self):
        super().__init__()
        self.table, self.norm = nn.Embedding(32, 16), nn.LayerNorm(16)

    def forward(self, x):
        """What comes out."""
        return self.norm(self.table(x.detach().argmax(-1))) @ self.table.weight.t()


def chain(*widths):
    """Products with something pointwise in between."""
    layers = [part for a, b in itertools.pairwise(widths) for part in (nn.Linear(a, b), nn.GELU())]
    return nn.Sequential(*layers[:-1])


WAY = {0: "columns", 1: "rows"}
CASES = {
    "chain of 3": (chain(16, 32, 32, 6), {"0": "columns", "2": "rows"}),
    "chain of 4": (chain(16, 32, 16, 32, 8), {"0": "columns", "2": "rows", "4": "columns", "6": "rows"}),
    "norm between": (nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.Linear(32, 6)), {"0": "columns"}),
    "odd widths": (chain(16, 30, 6), {}),
    "attention": (Attention(), {"q": "columns", "k": "columns", "v": "columns", "out": "rows"}),
    "attention by hand": (Attention(by_hand=True), {"q": "columns", "k": "columns", "v": "columns", "out": "rows"}),
    "gate": (Gated(), {"gate": "columns", "up": "columns", "down": "rows"}),
    "bias apart": (Scaled(), {"a": "columns", "b": "rows", "scale": "columns"}),
    "one number": (Scaled(1), {"a": "columns", "b": "columns"}),
    "leak": (Leaking(), {"a": "columns", "b": "columns"}),
    "tied": (Tied(), {"table": "columns"}),
    "softmax over features": (nn.Sequential(nn.Linear(16, 32), nn.Softmax(-1), nn.Linear(32, 6)), {"0": "columns"}),
}


def recorded(module, loss=lambda y: y.square().mean()):
    """The step of a module on a batch of 8 x 4 x 16."""
    optimizer, x = torch.optim.SGD(module.parameters(), lr=0.1), torch.randn(8, 4, 16)

    def run():
        for _ in range(3):
            optimizer.zero_grad()
            loss(module(x)).backward()
            optimizer.step()

    return watched(run, 2)[0]


def ways_of(step, n=4):
    """{layer: how its weight is split}."""
    found = split(step, n)
    return {step.parameters[place].name.removesuffix(".weight"): WAY[dim] for place, dim in found.dims.items()
            if not step.parameters[place].name.endswith("bias")}


@pytest.mark.parametrize("name", sampled(CASES, fast=4))
def test_layers(name):
    module, expected = CASES[name]
    assert ways_of(recorded(module)) == expected


def test_what_is_sent_and_kept():
    step = recorded(Gated())
    found = split(step, 4)
    rows = 8 * 4 * 4  # bytes of a feature
    # The result of `down`, by rows; the inputs of `gate` and `up` are data, which have no gradient.
    assert found.sent == [("all-reduce", 16 * rows)]
    kept = {x.name: x.saved for x in step.operations if x.number in found.kept and x.saved}
    assert kept == {"SiluBackward0": 32 * rows, "MulBackward0": 2 * 32 * rows, "MmBackward0": 32 * rows}
    assert sum(x.flops for x in step.operations if x.number in found.numbers) == step.flops / 3 + 2 * 2 * 32 * 16 * 32 / 3


def test_gradients_of_one_input_are_added_up_once():
    model = nn.Sequential(nn.LayerNorm(16), Attention())
    sent = split(recorded(model), 4).sent
    assert sent == [("all-reduce", 8 * 4 * 16 * 4)] * 2  # the result, and the gradient of what q, k and v read


def test_a_head_is_gathered():
    model = nn.Sequential(nn.LayerNorm(16), nn.Linear(16, 12))
    assert split(recorded(model), 4).sent == [("all-gather", 8 * 4 * 12 * 4), ("all-reduce", 8 * 4 * 16 * 4)]


def test_one_device():
    found = split(recorded(Gated()), 1)
    assert (found.dims, found.sent, found.numbers) == ({}, [], set())
