"""Programs whose parts repeat run as chains: the same values, fewer instructions to compile."""

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
import torch as pytorch

import torchlike as torch
from compat.semantics.randomly import running, writer
from tests.speed import sampled
from torchlike._compile import chains
from torchlike._compile.executors import hot
from torchlike._record.caches import caches

DEPTH = 10


@pytest.fixture(autouse=True)
def nothing_compiled():
    caches.clear()


@pytest.fixture
def small(monkeypatch):
    """What repeats may be small."""
    monkeypatch.setattr(chains, "WORTH", 0)


@pytest.fixture
def everywhere(small, monkeypatch):
    """Everything is cut that repeats at all."""
    monkeypatch.setattr(chains, "SAVING", 1)
    monkeypatch.setattr(chains, "SHORTEST", 1)


@pytest.fixture
def made(monkeypatch):
    """The chains that are made, None for each program that is not to be one."""
    found = []

    def noting(program):
        found.append(chains.chain_of(program))
        return found[-1]

    monkeypatch.setattr(hot, "chain_of", noting)
    return found


def losses(torch, steps=3, depth=DEPTH, drop=0.0):
    """Of a residual network in training, with a learning rate that changes."""
    torch.manual_seed(0)
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

        def forward(self, x):
            x.mul_(1.01)
            return x + self.down(nn.functional.dropout(nn.functional.gelu(self.up(self.norm(x))), drop))

    model = nn.Sequential(nn.Linear(4, 8), *(Block() for _ in range(depth)), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, found = torch.randn(16, 4), []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = 0.01 / (1 + step)
        optimizer.zero_grad()
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def crossed(torch, size=4):
    """Parts of the same operations that read other things."""
    x, y, z = (torch.linspace(0, to, size) for to in (1, 2, 3))
    for turn in range(12):
        x, y = (x * 2 + y).sin().cos().exp() - z, x if turn % 3 else z
    return [*x.tolist(), *y.tolist()]


def differs(program=losses) -> bool:
    with torch.configure(compile="now"):
        return not np.allclose(program(torch), program(pytorch), rtol=1e-4)


@pytest.mark.slow
def test_layers_are_compiled_once(small, made):
    assert not differs()
    chain = made[-1]
    assert len(chain.links) > 2 * DEPTH > 2 * len(chain.programs)
    compiled = sum(len(program.items) for program in chain.programs)
    assert compiled * 3 < sum(len(link.program.items) for link in chain.links)


def test_wiring_tells_parts_apart(everywhere, made):
    assert not differs(crossed)
    assert len(made[-1].links) > len(made[-1].programs) > 1


@pytest.mark.slow
def test_more_programs_share_their_parts(small, made):
    with torch.configure(compile="now"):
        losses(torch)
    first, last = made[0], made[-1]
    assert first is not last and {*first.programs} & {*last.programs}


def deep(torch, size):
    x = torch.linspace(0, 1, size)
    for _ in range(40):
        x = ((x + 1).sin() * x).exp().log().tanh().sqrt().cos()
    return x[-1].item()


@pytest.mark.slow
def test_small_and_short_programs_stay_whole(made):
    with torch.configure(compile="now"):
        crossed(torch, 1 << 16)
        deep(torch, 100)
        assert made and not any(made)
        deep(torch, 1 << 16)
        assert any(made)


@pytest.mark.parametrize("seed", sampled(range(12), fast=4, ci=2))
def test_random_programs(everywhere, made, seed):
    text = writer.write(writer.genes(200 + seed, 16), lambda *values: None)
    with running.tier("now"):
        for _ in range(2):
            assert not running.compared(text), text
    assert any(made)


@pytest.mark.slow
def test_random_numbers(everywhere):
    with torch.configure(compile="now"):
        assert np.allclose(losses(torch, drop=0.5), losses(pytorch, drop=0.5), rtol=1e-4)


def test_what_is_kept_is_not_overwritten(small, made):
    x = torch.ones(4)
    with torch.configure(compile="now"):
        for turn in range(2):
            kept = y = x * (1.0 + turn)
            for _ in range(40):
                y = ((y + 1).sin() * y).exp().log().tanh().sqrt().cos()
            y.sum().item()
            assert kept.tolist() == [1.0 + turn] * 4 and x.tolist() == [1.0] * 4
    assert any(made)


@hypothesis.given(st.lists(st.integers(0, 3), max_size=12), st.lists(st.integers(0, 5), min_size=8, max_size=12),
                  st.integers(0, 5), st.lists(st.integers(0, 3), max_size=12))
def test_cuts(before, layer, count, after):
    tokens = np.array(before + layer * count + after, np.intp)
    cuts = chains.cuts_of(tokens)
    assert [i for cut in cuts for i in range(*cut)] == [*range(len(tokens))]
    if count > 1:
        different = {tuple(tokens[start:stop]) for start, stop in cuts}
        assert sum(map(len, different)) <= len(tokens) - len(layer) * (count - 1)


def _ignoring_wiring(self, operations, tokens):
    _init(self, operations, tokens)
    self.form = tuple(tokens)


def _keeping_nothing(program, parts, equal):
    for link in _links(program, parts, equal):
        link.dead = link.ins
        yield link


_init, _links = chains.Part.__init__, chains._links


@pytest.mark.parametrize(("place", "name", "planted"), [(chains.Part, "__init__", _ignoring_wiring),
                                                        (chains, "_links", _keeping_nothing)], ids=["wiring", "dead"])
def test_planted_errors(everywhere, monkeypatch, place, name, planted):
    monkeypatch.setattr(place, name, planted)
    failures = torch.counters()["program_failures"]
    try:
        found = differs(crossed)
    except Exception:  # noqa: BLE001 - a slot that is empty
        found = True
    assert found or torch.counters()["program_failures"] > failures
