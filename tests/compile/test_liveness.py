"""The cold tier lets go of each array after its last use, and computes only what somebody holds."""

import tracemalloc

import pytest

import torchlike
from tests.compile.test_program import programs_below
from torchlike._compile.program import Call
from torchlike._record.caches import caches
from torchlike._record.trace import state
from torchlike.utils.checkpoint import checkpoint

WIDTH, LAYERS = 256, 12
LAYER = WIDTH * WIDTH * 4  # bytes of one value


@pytest.fixture(autouse=True)
def cold():
    with torchlike.configure(compile="off", cache="off", soft_trace=10_000):
        yield


def peak(function) -> float:
    """The most memory that a call takes, once its plans are made, in values."""
    function()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        function()
        return (tracemalloc.get_traced_memory()[1] - before) / LAYER
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("layer", [
    lambda x: (x.t() * 2).t() + 1,
    lambda x: x.mm(x.t()).softmax(1),
    lambda x: x.view(2, -1, 4).transpose(0, 1).reshape(WIDTH, WIDTH).exp().neg(),
    lambda x: torchlike.nn.functional.layer_norm(x, (WIDTH,)).flip(0).contiguous(),
    lambda x: x.max(1, keepdim=True).values + x.sort(1).values,
], ids=["transposed", "softmax", "views", "norm", "one of two results"])
def test_a_chain_takes_no_more_memory_than_its_layers(layer):
    start = torchlike.ones(WIDTH, WIDTH).cos()
    start.sum().item()

    def chain():
        x = start
        for _ in range(LAYERS):
            x = layer(x)
        return x.sum().item()

    assert peak(chain) < 8


def gradients(checkpointed, forced):
    """Forward and backward through `LAYERS` layers that each save seven values."""
    weights = [torchlike.eye(WIDTH).requires_grad_() for _ in range(LAYERS)]

    def block(x, w):
        return torchlike.nn.functional.linear(x.view(4, -1, WIDTH), w).exp().log1p().sin().tanh().exp().view(WIDTH, WIDTH)

    def run():
        x = torchlike.ones(WIDTH, WIDTH)
        for w in weights:
            x = checkpoint(block, x, w, use_reentrant=False) if checkpointed else block(x, w)
        loss = x.mean()
        if forced:
            loss.item()
        loss.backward()
        for w in weights:
            w.grad.sum().item()
            w.grad = None

    return peak(run)


@pytest.mark.parametrize("forced", [False, True])
def test_a_checkpoint_saves_memory(forced):
    assert gradients(True, forced) < 0.55 * gradients(False, forced)


def test_results_that_must_be_brought_in_order_are_copied_one_by_one():
    start = torchlike.ones(WIDTH, WIDTH).cos()
    start.sum().item()

    def transposed():
        found = [(start * i).t() + 1 for i in range(LAYERS)]
        found[0][0, 0].item()

    assert peak(transposed) < LAYERS + 4


def test_a_step_of_an_optimizer_lets_go_of_each_value_that_it_replaces():
    def steps():
        weights = [torchlike.zeros(WIDTH, WIDTH, requires_grad=True) for _ in range(LAYERS)]
        optimizer = torchlike.optim.Adam(weights)
        for _ in range(3):
            for w in weights:
                w.grad = torchlike.ones(WIDTH, WIDTH)
            optimizer.step()
            weights[0][0, 0].item()

    assert peak(steps) < 4 * LAYERS + 10  # parameters, their two moments, gradients


def trained(model, steps):
    """The weights after steps whose traces run inside the backward pass, too."""
    optimizer = torchlike.optim.SGD(model.parameters(), 0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        model(torchlike.ones(WIDTH, WIDTH)).square().mean().backward()
        optimizer.step()
    return [p.tolist() for p in model.parameters()]


def test_gradients_that_were_computed_before_the_pass_has_ended_are_not_copied():
    caches.clear()
    linear = [torchlike.nn.Linear(WIDTH, WIDTH) for _ in range(3)]
    with torchlike.configure(max_trace=16):
        trained(torchlike.nn.Sequential(*linear), 2)
    names = {item.kernel.name for program in programs_below(caches.root) for item in program.items
             if item.__class__ is Call}
    assert "addmm_backward" in names and "clone" not in names


def test_views_that_nobody_knows_keep_nothing():
    x = torchlike.ones(4, 4)
    x.sum().item()
    total = (x * 2).view(16).sum()
    node = state.trace.node
    assert total.item() == 32.0
    (live, _), = node.programs
    assert live == (total._cell.slot,)
