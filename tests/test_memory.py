"""`torchlike.memory.report`: bytes by kind and line, what programs need, and graphs that somebody forgot."""

import collections
import gc
import sys
import warnings

import numpy as np
import pytest

import torchlike as torch
from torchlike import memory
from torchlike._compile.chains import Chain
from torchlike._compile.program import Call, Input, for_one_run
from torchlike._compile.temporaries import bytes_of_temporaries
from torchlike._record.trace import state

FLOAT = 4


@pytest.fixture(autouse=True)
def cold():
    with torch.configure(compile="off"):
        yield


def here() -> int:
    """The caller's line."""
    return sys._getframe(1).f_lineno


def added(make):
    """(the reports before and after a call, what it returned)."""
    torch.ones(1).tolist()  # what other tests have recorded and dropped is gone
    gc.collect()
    before = memory.report()
    made = make()
    return before, memory.report(), made


@pytest.mark.slow
def test_bytes_by_kind_are_exact():
    def training():
        model = torch.nn.Linear(30, 20)
        optimizer = torch.optim.Adam(model.parameters())
        data = torch.tensor(np.ones((50, 30), np.float32))
        model(data).square().sum().backward()
        optimizer.step()
        kept = model(data)
        saving = kept.exp()
        saving.sum().item()
        return model, optimizer, data, kept, saving

    before, after, made = added(training)
    grew = {kind: after.kinds[kind] - before.kinds[kind] for kind in memory.KINDS}
    weights = (30 * 20 + 20) * FLOAT
    assert grew == {memory.PARAMETER: weights, memory.GRADIENT: weights, memory.OPTIMIZER: 2 * weights + 2 * FLOAT,
                    memory.SAVED: (50 * 30 + 50 * 20) * FLOAT, memory.OTHER: 50 * 20 * FLOAT}
    assert after.total - before.total == sum(grew.values())
    assert made


@pytest.mark.slow
def test_memory_counts_once_and_views_not_at_all():
    def shared():
        x = torch.tensor(np.ones((100, 7), np.float32))
        return x, x.view(7, 100), x.detach(), x[3:]

    before, after, made = added(shared)
    assert after.total - before.total == 700 * FLOAT
    assert made


def test_bytes_by_line():
    x = torch.ones(111, 5, requires_grad=True)
    y, line = x.exp(), here()
    y.sum().item()
    z = torch.zeros(77)
    z.tolist()
    z.add_(1.0); written = here()  # noqa: E702 - one line
    z.tolist()
    found = memory.report().lines
    assert found[__file__, line] == 555 * FLOAT
    assert found[__file__, written] == 77 * FLOAT
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.slow
def test_what_is_recorded_takes_nothing_yet():
    def recorded():
        kept = torch.ones(1000, 3) * 2
        return kept, kept.exp()

    before, after, made = added(recorded)
    assert after.pending - before.pending == 2 * 3000 * FLOAT
    assert after.total == before.total
    made[1].tolist()
    assert memory.report().total - before.total == 2 * 3000 * FLOAT


def test_temporaries_of_a_program():
    x = torch.ones(1000)
    x.tolist()
    total = (x.exp() + x.sin().view(10, 100).view(1000)).sum()
    node = state.trace.node
    total.item()
    (program,) = node.programs.values()
    assert bytes_of_temporaries(program) == 3 * 1000 * FLOAT  # both operands of the sum, and the sum
    last = memory.report().programs[-1]
    assert (last.bytes, last.compiled) == (3 * 1000 * FLOAT, False)
    assert last.instructions == sum(item.__class__ is Call for item in program.items)


def test_results_are_no_temporaries():
    x = torch.ones(1000)
    x.tolist()
    made = x.exp()
    items, live = state.trace.node.path(), (made._cell.slot,)
    assert any(item.__class__ is Input for item in items)
    assert bytes_of_temporaries(for_one_run(items, live)) == 0


@pytest.mark.slow
def test_temporaries_of_a_compiled_program():
    with torch.configure(compile="now"):
        x = torch.ones(300, 300)
        x.tolist()
        for _ in range(3):
            x.mm(x).sin().mm(x).sum().item()  # sin: XLA hands two products and a sum to a library as one
        last = memory.report().programs[-1]
    assert last.compiled and 300 * 300 * FLOAT <= last.bytes < 4 * 300 * 300 * FLOAT


def test_temporaries_of_a_chain():
    with torch.configure(compile="now"):
        x = torch.ones(1 << 16)
        for _ in range(20):
            x = (((x + 1).log() * x).sin().exp().cos().tanh() - 1).square().sigmoid()
        total = x.sum()
        node = state.trace.node
        total.item()
    (program,) = node.programs.values()
    assert isinstance(program.compiled, Chain)
    assert 2 * (1 << 16) * FLOAT <= bytes_of_temporaries(program) < 20 * (1 << 16) * FLOAT


# -- graphs that somebody forgot

class Trainer:
    def __init__(self):
        self.losses = []
        self.history = {"loss": collections.deque()}


def losses(count):
    """Of so many steps, each with a graph of its own."""
    model = torch.nn.Linear(40, 10)
    return [model(torch.tensor(np.ones((20, 40), np.float32))).exp().sum() for _ in range(count)]


GRAPH = (20 * 40 + 20 * 10) * FLOAT  # what each loss keeps alive: the data and the result of exp


def forgotten():
    """The names and counts that a report has, each with a warning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = memory.report().forgotten
    assert [str(w.message).split(" keeps ")[0] for w in caught] == [each.name for each in found]
    return {each.name: each for each in found}


@pytest.mark.slow
def test_a_list_of_losses_is_found():
    kept = losses(5)
    kept[0].item()
    found = forgotten()
    assert (found["kept"].count, found["kept"].bytes) == (5, 5 * GRAPH)
    assert (found["kept"].file == __file__ and found["kept"].function == "<listcomp>") or sys.version_info >= (3, 12)
    kept[:] = [loss.detach() for loss in kept]
    assert "kept" not in forgotten()


@pytest.mark.slow
def test_attributes_are_named():
    trainer = Trainer()
    trainer.losses += losses(3)
    trainer.history["loss"].extend(losses(4))
    found = forgotten()
    assert found["trainer.losses"].count == 3 and found["trainer.history['loss']"].count == 4


@pytest.mark.slow
def test_results_of_one_graph_are_not_forgotten():
    model, state_ = torch.nn.Linear(8, 8), torch.ones(2, 8)
    states = []
    for _ in range(6):
        state_ = model(state_).tanh()
        states.append(state_)
    few = losses(2)
    assert forgotten() == {}
    assert few


def test_the_table():
    kept = losses(3)
    kept[0].item()
    with pytest.warns(UserWarning, match="kept keeps the graphs of its results alive"):
        text = str(memory.report())
    for part in ("bytes in all", "optimizer state", "recorded, not computed yet", "By line:", f"{__file__}:",
                 "Intermediate values", f"{3 * GRAPH:,}  kept by the graphs of 3 results in kept"):
        assert part in text


@pytest.mark.slow
def test_a_ctx_that_somebody_holds():
    """It is no Node of its own, with or without one that holds it."""
    held = []

    class Kept(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            held.append(ctx)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    out = Kept.apply(torch.ones(3, requires_grad=True))
    assert out.tolist() == [2.0] * 3
    assert memory.report().total > 0
    del out
    memory.report()
