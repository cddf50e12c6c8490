"""Modules divided by their Graph: stages, outputs and gradients are PyTorch's; and what PyTorch does not divide."""

import math

import pytest

import torchlike as torch
from tests.c10d.ranks import differing
from tests.speed import sampled
from torchlike import nn
from torchlike.distributed.pipelining import SplitPoint, pipe_split, pipeline


@pytest.mark.parametrize("size", sampled((2, 4), ci=()))
def test_lines_are_torchs(size):
    assert [*differing("pipes.py", size)] == []


class Skipping(nn.Module):
    """A later stage needs an input, an early value and a weight of an early stage."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (nn.Linear(3, 3) for _ in range(3))
        self.gain = nn.Parameter(torch.ones(3))

    def forward(self, x, y, mask=None):
        first = self.a(x) * self.gain
        pipe_split()
        pipe_split()
        second = torch.tanh(self.b(first))
        pipe_split()
        out = self.c(second) * self.gain + first + y
        if mask is not None:
            out = out * mask
        pipe_split()
        return {"out": out, "all": [second, out]}


def test_what_later_stages_need_goes_through():
    torch.manual_seed(0)
    model = Skipping()
    x, y = torch.linspace(0, 1, 6).reshape(2, 3), torch.ones(2, 3)
    pipe = pipeline(model, (x, y))
    assert pipe.num_stages == 3
    assert [[name for name, _ in pipe.get_stage_module(i).named_parameters()] for i in range(3)] == [
        ["gain", "a.weight", "a.bias"], ["b.weight", "b.bias"], ["gain", "c.weight", "c.bias"]]
    assert pipe.replicated_params == [{"submod_pp_0": "gain", "submod_pp_2": "gain"}]
    values = (x, y)
    for i in range(3):
        values = pipe.get_stage_module(i)(*values)
        assert isinstance(values, dict) == (i == 2)
        values = values if isinstance(values, dict) else tuple(values)
    expected = model(x, y)
    for found in (values, pipe(x, y)):
        assert torch.equal(found["out"], expected["out"])
        assert torch.equal(found["all"][0], expected["all"][0])
    with pytest.raises(TypeError):
        pipe(x, y, torch.ones(3))
    assert torch.equal(pipeline(model, (x, y), {"mask": y * 2})(x, y, mask=y * 2)["out"], expected["out"] * 2)


def test_a_weight_that_two_stages_use_has_two_gradients():
    model = Skipping()
    x, y = torch.ones(2, 3), torch.ones(2, 3)
    pipe = pipeline(model, (x, y))
    model(x, y)["out"].sum().backward()
    whole, _ = model.gain.grad, model.zero_grad()
    pipe(x, y)["out"].sum().backward()
    parts = [pipe.get_stage_module(i).gain.grad for i in (0, 2)]
    assert torch.allclose(parts[0] + parts[1], whole)
    assert not torch.allclose(parts[0], whole)


def test_places():
    model = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    for spec, count in (({"1": SplitPoint.END}, 1), ({"0": SplitPoint.BEGINNING}, 1), ({"0": SplitPoint.END}, 2)):
        assert pipeline(model, (torch.ones(1, 3),), split_spec=spec).num_stages == count
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), 3).eval()
    x = torch.linspace(-1, 1, 40).reshape(2, 5, 4)
    with torch.no_grad():
        pipe = pipeline(encoder, (x,), split_spec={"layers.1": SplitPoint.BEGINNING, "layers.2": SplitPoint.BEGINNING})
        assert torch.allclose(pipe(x), encoder(x), atol=1e-6)
    assert pipe.num_stages == 3  # though torch.fx takes one of PyTorch's modules for a single call


class Asking(nn.Module):
    """Asks for sizes, types and the number of results, which a later stage uses."""

    def __init__(self):
        super().__init__()
        self.norm, self.drop, self.out = nn.BatchNorm1d(4), nn.Dropout(0.5), nn.Linear(4, 2)
        self.register_buffer("table", torch.arange(4.0))

    def forward(self, x, *more, factor=2.0):
        b, s, d = x.shape
        x = self.norm(x.reshape(-1, d)).view(b, s, x.size(-1)) + self.table[:d]
        pipe_split()
        parts = x.chunk(2, 1)
        if x.dim() == 3 and x.is_floating_point() and len(parts) == 2:
            x = torch.cat([part * i for i, part in enumerate(parts)], 1)
        for each in more:
            x = x + each
        pipe_split()
        first, *_ = self.out(self.drop(x)).split([1, s - 1], dim=1)
        return first.reshape(b, math.prod(first.shape) // b) * factor


@pytest.mark.parametrize("training", [False, True])
def test_what_code_asks_of_a_tensor(training):
    model, x = Asking().train(training), torch.linspace(-1, 1, 48).reshape(2, 6, 4)
    torch.manual_seed(0)
    state, drawn = {name: value.clone() for name, value in model.state_dict().items()}, torch.get_rng_state()
    pipe = pipeline(model, (x,))
    assert torch.equal(torch.get_rng_state(), drawn)
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())
    assert pipe.num_stages == 3
    assert {name for name, _ in pipe.get_stage_module(0).named_buffers()} == {
        "norm.running_mean", "norm.running_var", "norm.num_batches_tracked", "table"}
    found = pipe(x)
    torch.set_rng_state(drawn)
    model.load_state_dict(state)
    assert torch.equal(found, model(x))


def test_a_policy_puts_marks_in():
    def policy(graph_module):
        linear = next(node for node in graph_module.graph.nodes if node.target == "1")
        with graph_module.graph.inserting_before(linear):
            graph_module.graph.call_function(pipe_split)
        return graph_module

    model = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
    pipe = pipeline(model, (torch.ones(1, 3),), split_policy=policy)
    assert pipe.num_stages == 2
    assert torch.equal(pipe(torch.ones(1, 3)), model(torch.ones(1, 3)))


def test_what_cannot_be_recorded():
    class Choosing(nn.Module):
        def forward(self, x):
            return x if x.sum() > 0 else -x

    with pytest.raises(RuntimeError, match="cannot capture your model as a full graph"):
        pipeline(Choosing(), (torch.ones(1),))


def test_a_mark_outside_does_nothing():
    assert pipe_split() is None
