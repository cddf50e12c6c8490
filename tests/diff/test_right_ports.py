"""Right ports of programs that compute the same in other steps, each of which must not be called wrong."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax import lax

import torchlike
from tests.speed import case
from torchlike import nn
from torchlike._diff.deep import compare
from torchlike.nn import functional as F


def array(x) -> np.ndarray:
    return x.detach().numpy()


def drawn(*shape, seed=0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def weights(module) -> dict:
    return {name: array(x) for name, x in module.named_parameters()}


class Tied(nn.Module):
    """One weight for the embedding and the logits, with a loss."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(7, 4)

    def forward(self, ids, targets):
        x = self.embed(ids).cumsum(1)
        return F.cross_entropy((x @ self.embed.weight.T).flatten(0, 1), targets.flatten())


def tied(p, ids, targets):
    x = jnp.cumsum(p["embed.weight"][ids], 1)
    return optax.softmax_cross_entropy_with_integer_labels(x @ p["embed.weight"].T, targets).mean()


class Rotary(nn.Module):
    """Rotated queries, a causal mask, scaled before the product."""

    def __init__(self):
        super().__init__()
        self.q, self.k = nn.Linear(4, 4), nn.Linear(4, 4, bias=False)

    def forward(self, x):
        angles = torchlike.outer(torchlike.arange(x.shape[1]), torchlike.tensor([1.0, 0.1]))
        cos, sin = (torchlike.cat([part, part], -1) for part in (angles.cos(), angles.sin()))

        def rotated(v):
            a, b = v.chunk(2, -1)
            return v * cos + torchlike.cat([-b, a], -1) * sin

        q, k = rotated(self.q(x)) * 0.5, rotated(self.k(x))
        mask = torchlike.ones(x.shape[1], x.shape[1], dtype=torchlike.bool).triu(1)
        return (q @ k.mT).masked_fill(mask, -math.inf).softmax(-1) @ x


def rotary(p, x, scale=0.5):
    angles = jnp.outer(jnp.arange(x.shape[1]), jnp.array([1.0, 0.1]))
    turns = jnp.exp(1j * angles)

    def rotated(v):
        n = v.shape[-1] // 2
        made = (v[..., :n] + 1j * v[..., n:]) * turns
        return jnp.concatenate([made.real, made.imag], -1)

    q, k = rotated(x @ p["q.weight"].T + p["q.bias"]), rotated(x @ p["k.weight"].T)
    scores = jnp.einsum("bqd,bkd->bqk", q, k) * scale
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[1:], bool)), scores, -jnp.inf)
    return jax.nn.softmax(scores) @ x


class InPlace(nn.Module):
    """Writes in place, a layer of zeros, group norm, an average, and a branch that is not used."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.last = nn.Conv1d(4, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.Linear(4, 4)
        self.unused = nn.Linear(2, 2)
        nn.init.zeros_(self.last.weight)

    def forward(self, x):
        y = self.conv(x)
        y += x
        y = F.relu(y, inplace=True)
        y = self.norm(y).mean(-1)
        y[:, 0] = 0.5
        return y + self.last(y.detach())


def in_place(p, x):
    y = lax.conv_general_dilated(x, p["conv.weight"], (1,), "SAME", dimension_numbers=("NCH", "OIH", "NCH"))
    y = jax.nn.relu(y + p["conv.bias"][:, None] + x)
    y = y.reshape(y.shape[0], 2, -1)
    y = (y - y.mean(-1, keepdims=True)) / jnp.sqrt(y.var(-1, keepdims=True) + 1e-5)
    y = (y.reshape(x.shape) * p["norm.weight"][:, None] + p["norm.bias"][:, None]).mean(-1)
    y = y.at[:, 0].set(0.5)
    return y + lax.stop_gradient(y) @ p["last.weight"].T + p["last.bias"]


class Recurrent(nn.Module):
    """Many steps in one call, and one of theirs for each."""

    def __init__(self):
        super().__init__()
        self.cells = nn.LSTM(3, 4, batch_first=True)

    def forward(self, x):
        return self.cells(x)[0]


def recurrent(p, x):
    def step(carry, v):
        h, c = carry
        gates = v @ p["cells.weight_ih_l0"].T + p["cells.bias_ih_l0"] + h @ p["cells.weight_hh_l0"].T + p["cells.bias_hh_l0"]
        i, f, g, o = jnp.split(gates, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zeros = jnp.zeros((x.shape[0], 4), x.dtype)
    return lax.scan(step, (zeros, zeros), x.transpose(1, 0, 2))[1].transpose(1, 0, 2)


class Fast(nn.Module):
    """A norm of numbers far from zero, whose variance theirs computes by squares, which is inexact."""

    def __init__(self):
        super().__init__()
        self.norm, self.up = nn.LayerNorm(8), nn.Linear(8, 8)

    def forward(self, x):
        return self.up(self.norm(x + 30))


def fast(p, x):
    x = x + 30
    mean = x.mean(-1, keepdims=True)
    scale = lax.rsqrt((x * x).mean(-1, keepdims=True) - mean * mean + 1e-5) * p["norm.weight"]
    return ((x - mean) * scale + p["norm.bias"]) @ p["up.weight"].T + p["up.bias"]


def ids(seed):
    return np.random.default_rng(seed).integers(0, 7, (3, 5))


RIGHT = {Tied: (tied, [ids(0), ids(1)]), Rotary: (rotary, [drawn(2, 5, 4)]), InPlace: (in_place, [drawn(2, 4, 6)]),
         Recurrent: (recurrent, [drawn(2, 5, 3)]), Fast: (fast, [drawn(4, 8)])}


@pytest.mark.parametrize("module", [case(module, ci=module is Fast) for module in RIGHT])
def test_it_is_right(module):
    torchlike.manual_seed(0)
    model = module()
    port, inputs = RIGHT[module]
    report = compare(model, against=port, params=weights(model), inputs=inputs)
    assert report.ok, str(report)
    assert report.gradients > 2, str(report)
    assert all(row.ours == row.theirs for row in report.parameters.rows), str(report)


@pytest.mark.slow
@pytest.mark.exhaustive
def test_a_mistake_after_rounded_constants_is_found():
    torchlike.manual_seed(0)
    model = Rotary()
    report = compare(model, against=lambda p, x: rotary(p, x, 0.6), params=weights(model), inputs=RIGHT[Rotary][1])
    assert any("constants go in at our line" in note for note in report.notes)
    assert report.first is not None and report.first.ours.operator == "mul", str(report)  # theirs scales later
    assert "mul (line" in report.first.hints[0] and report.first.hints[0].endswith("times 2, the square root of 4")
    assert "matmul (line" in report.first.hints[1] and report.first.hints[1].endswith("times 1.2")
