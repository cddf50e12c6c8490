"""The tiers against each other and against torch, and what a trace keeps, computes, frees and overwrites."""

import math

import jax
import numpy as np
import pytest
import torch as pytorch

import torchlike as torch
from compat.semantics.randomly import running, writer
from tests.properties import census
from tests.speed import sampled
from torchlike._compile import kernels
from torchlike._compile import program as programs
from torchlike._compile.executors import cold, hot
from torchlike._record import tree
from torchlike._record.caches import caches
from torchlike._record.trace import state


@pytest.fixture
def no_collector():
    with census.no_collector():
        yield


def drain():
    """Leave no background work from the tests before."""
    hot.compiler.wait(120)


def change(before, name):
    return torch.counters()[name] - before[name]


# -- the same answers in every tier

def random_program(seed, most):
    """The text of a short random program; in the cold tier tests/properties runs many more."""
    return writer.write(writer.genes(seed, most), lambda *values: None)


@pytest.mark.parametrize("seed", range(8))
def test_random_programs_compiled(seed):
    text = random_program(seed, 16)
    with running.tier("now"):
        for _ in range(2):
            assert not running.compared(text), text


@pytest.mark.slow
def test_random_programs_compiled_in_the_background():
    texts = [random_program(seed, 12) for seed in range(100, 106)]
    for _ in range(3):
        for text in texts:
            with running.tier("background"):
                assert not running.compared(text), text
        drain()


def training(steps, mode):
    """Losses and weights of a loop with clipping, a schedule and a log."""
    rng = np.random.default_rng(0)
    with torch.configure(compile=mode):
        w = torch.tensor(rng.standard_normal((4, 3)).tolist(), requires_grad=True)
        b = torch.zeros(3, requires_grad=True)
        speed = [torch.zeros(4, 3), torch.zeros(3)]
        found = []
        for step in range(steps):
            x = torch.tensor(rng.standard_normal((5, 4)).tolist())
            loss = ((x @ w + b).tanh() - 0.5).pow(2).mean()
            loss.backward()
            with torch.no_grad():
                norm = sum((p.grad * p.grad).sum() for p in (w, b)).sqrt()
                scale = min(1.0, 0.1 / (norm.item() + 1e-6)) if step % 2 else 1.0
                for p, s in zip((w, b), speed, strict=True):
                    s.mul_(0.9).add_(p.grad, alpha=scale)
                    p.sub_(s, alpha=0.1 / (1 + step))
                    p.grad = None
            if step % 5 == 0:
                found.append(loss.item())
        if mode == "background":
            drain()
        return [*found, *w.flatten().tolist(), *b.tolist()]


def test_a_training_loop_in_every_tier():
    cold = training(12, "off")
    np.testing.assert_allclose(training(12, "now"), cold, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(training(12, "background"), cold, rtol=1e-4, atol=1e-6)


def test_a_failed_compilation_leaves_the_cold_tier(monkeypatch):
    def refuse(program):
        raise ValueError("no compiler today")

    monkeypatch.setattr(hot, "splice", refuse)
    with torch.configure(compile="now"):
        x = torch.ones(7, 2) * 3.5
        before = torch.counters()
        assert (x - 1.25).sum().item() == 7 * 2 * 2.25
        assert change(before, "program_failures") == 1 and change(before, "cold_runs") == 1


@pytest.mark.parametrize("mode", ["off", "kernels"])
def test_a_compiled_program_does_not_run_where_none_may(mode):
    def run(mode):
        before = torch.counters()
        with torch.configure(compile=mode, cache="off"):
            assert (torch.ones(6, 5) * 3.5 - 0.5).sum().item() == 90
        return change(before, "hot_runs"), change(before, "cold_runs")

    assert [run("now"), run(mode), run("now")] == [(1, 0), (0, 1), (1, 0)]


def test_a_compilation_without_stack_says_nothing_of_the_program(monkeypatch, caplog):
    """The limit is the whole process's, and the compiler has a thread of its own: it is compiled another time."""
    splice, depths = hot.splice, iter([RecursionError("maximum recursion depth exceeded")])

    def splice_later(program):
        for error in depths:
            raise error
        return splice(program)

    monkeypatch.setattr(hot, "splice", splice_later)
    with torch.configure(compile="now", cache="off"):
        before = torch.counters()
        for _ in range(2):
            x = torch.ones(7, 3) * 3.5
            assert (x - 1.25).sum().item() == 7 * 3 * 2.25
        assert [change(before, name) for name in ("program_failures", "cold_runs", "programs")] == [0, 1, 1]
    assert not caplog.records


# -- numbers

def test_a_hundred_numbers_compile_twice_at_most():
    x = torch.tensor([1.0, -2.0, 3.5])
    x.tolist()
    with torch.configure(compile="now"):
        before = torch.counters()
        for i in range(100):
            assert (x * (i / 7) + 1.5).tolist() == pytest.approx([v * (i / 7) + 1.5 for v in (1, -2, 3.5)])
        assert change(before, "programs") <= 2


SPECIAL = [1.0, 0.0, -0.0, math.nan, math.inf, -math.inf, 1e-30, 3.0, 3, True, 0, -0.0]


@pytest.mark.parametrize("mode", ["off", "now"])
def test_special_numbers(mode):
    x = torch.tensor([1.0, -2.0, 0.0])
    real = pytorch.tensor([1.0, -2.0, 0.0])
    with torch.configure(compile=mode):
        for number in SPECIAL * 2:
            got, want = (x * number).numpy(), (real * number).numpy()
            np.testing.assert_array_equal(got, want)
            np.testing.assert_array_equal(np.signbit(got), np.signbit(want), err_msg=str(number))
            np.testing.assert_array_equal((x / number).numpy(), (real / number).numpy())
            np.testing.assert_array_equal(x.clone().fill_(number).numpy(), real.clone().fill_(number).numpy())
            assert str((x * number).dtype) == str((real * number).dtype)


def test_large_integers_keep_their_digits():
    x = torch.tensor([1, 2])
    for number in (2**53 + 1, 2**62 + 3, 2**53 - 1, -(2**53) - 1):
        assert (x + number).tolist() == [1 + number, 2 + number]


def test_a_number_changes_between_forward_and_backward():
    for n in (2.0, 3.0, 4.0, 2.0):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        ((x * n) * n).sum().backward()
        assert x.grad.tolist() == [n * n, n * n]


# -- what is computed

def test_dropped_results_are_not_computed(monkeypatch):
    counted = []  # instructions of the programs that run
    real = cold.Schedule.run

    def spy(schedule, inputs, numbers):
        counted.append(len(schedule.groups))
        return real(schedule, inputs, numbers)

    x = torch.ones(5, 3)
    x.tolist()
    monkeypatch.setattr(cold.Schedule, "run", spy)
    with torch.configure(compile="off"):
        a = x * 2.5
        for _ in range(10):
            x.exp()  # nobody keeps it
        dropped = x.sin()
        b = a + 1.0
        del dropped, a
        assert b.tolist() == [[3.5] * 3] * 5
    assert counted == [2]


def test_nothing_runs_when_nothing_is_kept():
    x = torch.ones(3)
    x.tolist()
    before = torch.counters()
    for _ in range(5):
        (x * 2).exp().sum()
    trace = state.trace
    torch.zeros(1).tolist()  # a run: only this one value is computed
    assert state.trace is trace
    assert change(before, "runs") == 1


# -- automatic runs and bounds

def test_a_long_trace_runs_by_itself():
    x = torch.ones(2)
    x.tolist()
    with torch.configure(max_trace=50, compile="off"):
        tree.bound(state.trace.node.root)
        y = x
        before = torch.counters()
        for _ in range(240):
            y = y + 1.5
        assert 4 <= change(before, "runs") <= 6
        assert y.tolist() == [361.0, 361.0]


def test_a_trace_that_keeps_much_alive_runs_by_itself():
    with torch.configure(max_bytes=100_000, compile="off"):
        before, total = torch.counters(), torch.zeros(())
        for i in range(60):
            total = total + (torch.tensor(np.full((1000, 3), i, np.float32)) * 2).mean()
        assert 4 <= change(before, "runs") <= 8
        assert total.item() == 2.0 * sum(range(60))


def test_a_trace_of_values_that_somebody_holds_goes_on():
    x = torch.ones(1000, 3)
    x.tolist()
    with torch.configure(max_bytes=100_000, compile="off"):
        before, kept = torch.counters(), []
        for i in range(60):
            kept.append(x * (i + 0.5))
        assert change(before, "runs") == 0
        assert [k[0, 0].item() for k in kept] == [i + 0.5 for i in range(60)]


@pytest.mark.slow
def test_the_caches_stay_bounded():
    with torch.configure(max_nodes=100, max_kernels=40, max_programs=4, compile="off"):
        kernels.cache.start_anew()  # the bound is looked at where a kernel is new, and other tests may have left these
        for n in range(1, 60):
            x = torch.ones(n % 7 + 1, n % 11 + 1)
            assert (x * 2.0 + x).sum().item() == 3.0 * x.numel()
            assert len(kernels.cache.kernels) <= 40
            assert tree.counters["nodes"] <= 120
    x = torch.ones(4, requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0] * 4


def test_the_compiled_programs_stay_bounded():
    with torch.configure(max_programs=4, compile="now"):
        for n in range(1, 12):
            assert (torch.ones(n) * 2.0).sum().item() == 2.0 * n
        for n in range(11, 0, -1):
            assert (torch.ones(n) * 2.0).sum().item() == 2.0 * n


# -- buffers that are overwritten in place

def update(steps, look):
    """In-place updates that may donate their input; `look(step, w)` may hold on to it."""
    w = torch.arange(6.0).view(2, 3) + 0.0
    w.tolist()
    for step in range(steps):
        look(step, w)
        w.mul_(1.5).add_(1.0)
        state_after = w.sum().item()
    return state_after


def expected(step):
    w = np.arange(6, dtype=np.float32).reshape(2, 3)
    for _ in range(step):
        w = w * np.float32(1.5) + np.float32(1)
    return w


LOOKS = {
    "jax array": lambda w: (w.__jax_array__(), np.asarray), "numpy": lambda w: (np.array(w), np.asarray),
    "numpy of the jax array": lambda w: (np.asarray(w.__jax_array__()), np.asarray),
    "dlpack": lambda w: (np.from_dlpack(w.__jax_array__()), np.asarray),
    "clone": lambda w: (w.clone(), lambda t: t.numpy()), "product": lambda w: (w * 1.0, lambda t: t.numpy()),
    "detached product": lambda w: ((w.detach() + 0.0).view(2, 3), lambda t: t.numpy()),
}


@pytest.mark.parametrize("mode", ["now", "off"])
@pytest.mark.parametrize("name", LOOKS)
def test_what_the_user_still_sees_is_not_overwritten(name, mode):
    held = []
    with torch.configure(compile=mode):
        update(12, lambda step, w: held.append((step, *LOOKS[name](w))))
    for step, value, read in held:
        np.testing.assert_allclose(read(value), expected(step), rtol=1e-6, err_msg=f"step {step}")


def programs_below(node):
    """All compiled programs of a tree."""
    found, stack = [], [node]
    while stack:
        node = stack.pop()
        found += node.programs.values()
        stack += node.values()
    return found


def test_dead_buffers_are_given_to_the_program():
    with torch.configure(compile="now"):
        w = torch.ones(5, 7) + 0.5
        w.tolist()
        for _ in range(3):
            w.mul_(1.5)
            w.tolist()
    ready = [p for p in programs_below(caches.root) if p.state == "ready" and p.may_donate]
    assert any(item.aval.shape == (5, 7) for p in ready for item in p.items if item.__class__ is programs.Input)


@pytest.mark.parametrize("mode", ["now", "off"])
def test_aliases_see_the_writes(mode):
    with torch.configure(compile=mode):
        w = torch.arange(4.0) + 0.0
        alias, view, other = w.detach(), w[1:3], torch.nn.Parameter(w)
        w.tolist()
        for _ in range(5):
            w.add_(1.0)
            assert w.tolist() == alias.tolist() == other.tolist()
            assert view.tolist() == w.tolist()[1:3]


def test_saved_tensors_survive_donation():
    with torch.configure(compile="now"):
        w = torch.ones(4, requires_grad=True)
        for _ in range(6):
            s = w.detach() * 3.0
            s.tolist()
            y = (w * s).sum()
            s = s + 1.0  # the old value is saved for backward only
            s.tolist()
            y.backward()
            assert w.grad.tolist() == [3.0] * 4
            w.grad = None


def test_one_buffer_under_two_names():
    with torch.configure(compile="now"):
        a = torch.ones(3) * 2.0
        a.tolist()
        b = torch.zeros(3)
        b.data = a
        for _ in range(5):
            b.mul_(2.0)
            assert a.tolist() == b.tolist()


# -- memory

def loop(steps, kind, counts):
    """A training loop; appends the number of live jax arrays after each of its later steps."""
    rng = np.random.default_rng(1)
    w = torch.tensor(rng.standard_normal((4, 4)).tolist(), requires_grad=True)
    m = torch.zeros(4, 4)
    for step in range(steps):
        x = torch.tensor(rng.standard_normal((3, 4)).tolist())
        h = x @ w
        if kind == "views":
            h = h.clone()
            h[0].mul_(0.5)
            h.t()[1:].add_(0.1)
        loss = (h.tanh() ** 2).mean()
        if kind == "second order":
            g, = torch.autograd.grad(loss, w, create_graph=True)
            loss = loss + (g * g).sum()
        loss.backward()
        with torch.no_grad():
            m.mul_(0.9).add_(w.grad)
            w.sub_(m, alpha=0.01 * (1 + step % 3))
        w.grad = None
        if step % 7 == 0:
            loss.item()
        w.sum().item()
        del x, h, loss
        if step >= 40:
            counts.append(len(jax.live_arrays()))


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("kind", sampled(("plain", "views", "second order"), fast={"plain"}))
def test_the_number_of_live_arrays_is_constant(kind, mode, no_collector):
    counts = []
    with torch.configure(compile=mode):
        loop(200, kind, counts)
    assert max(counts[-100:]) - min(counts[-100:]) <= 3, counts


def test_the_trace_itself_is_bounded(no_collector):
    x = torch.ones(3)
    x.tolist()
    with torch.configure(compile="off"):
        for _ in range(50):
            y = x * 2.0
            y.tolist()
            del y
        assert len(state.trace.values) <= 2 and len(state.trace.inputs) <= 1
