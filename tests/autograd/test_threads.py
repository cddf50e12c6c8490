"""Backward passes from several threads at once: what they share, what is a thread's own, and what an exception leaves."""

import sys
import threading

import numpy as np
import pytest

import torchlike as torch
from torchlike.utils.checkpoint import checkpoint

THREADS, ROUNDS = 4, 25


@pytest.fixture(autouse=True)
def often():
    """Threads take turns a hundred times as often as they would."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(before / 100)
    yield
    sys.setswitchinterval(before)


def in_threads(*functions):
    """Run the functions at once; returns the exceptions, in the functions' order (None where there was none)."""
    errors = [None] * len(functions)
    barrier = threading.Barrier(len(functions))

    def guarded(i, function):
        barrier.wait()
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - it is looked at by the caller
            errors[i] = error

    threads = [threading.Thread(target=guarded, args=(i, f)) for i, f in enumerate(functions)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return errors


def all_well(errors):
    for error in errors:
        if error is not None:
            raise error


def test_separate_graphs_that_share_a_leaf():
    """PyTorch accumulates all of them; which comes first is open."""
    w = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)

    def work(i):
        for _ in range(ROUNDS):
            (w * (i + 1)).sum().backward()

    all_well(in_threads(*(lambda i=i: work(i) for i in range(THREADS))))
    assert w.grad.tolist() == [ROUNDS * sum(range(1, THREADS + 1))] * 3


def test_gradients_of_separate_graphs_that_share_a_leaf():
    w = torch.tensor([0.5, -1.5], dtype=torch.float64, requires_grad=True)
    found = {}

    def work(i):
        for _ in range(ROUNDS):
            h = (w * w).exp() * (i + 1)
            found[i] = torch.autograd.grad(h.sum(), w)[0].tolist()

    all_well(in_threads(*(lambda i=i: work(i) for i in range(THREADS))))
    values = np.array([0.5, -1.5])
    for i in range(THREADS):
        np.testing.assert_allclose(found[i], (i + 1) * 2 * values * np.exp(values ** 2), rtol=1e-12)
    assert w.grad is None


def test_one_graph_with_retain_graph():
    x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
    h = (x.sin() * x).exp()
    total = h.sum()
    expected = torch.autograd.grad(total, x, retain_graph=True)[0]

    def work():
        for _ in range(ROUNDS):
            total.backward(retain_graph=True)

    all_well(in_threads(*[work] * THREADS))
    np.testing.assert_allclose(x.grad.tolist(), (expected * THREADS * ROUNDS).tolist(), rtol=1e-10)


def test_one_graph_freed_by_one_of_them():
    """Exactly as in PyTorch, the others may find it freed; none of them sees anything else."""
    for _ in range(10):
        x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
        total = (x.sin() * x).exp().sum()
        errors = in_threads(*[total.backward] * THREADS)
        assert any(e is None for e in errors)
        assert all(e is None or "backward through the graph a second time" in str(e) for e in errors)
        assert np.isfinite(x.grad.tolist()).all()


def test_hooks_are_called_on_the_thread_of_their_pass():
    x = torch.ones(2, requires_grad=True)
    seen = {}

    def work(i):
        mine = threading.get_ident()
        for _ in range(ROUNDS):
            h = x * (i + 1)
            h.register_hook(lambda g: seen.setdefault(i, set()).add((threading.get_ident() == mine, g.sum().item())))
            h.grad_fn.register_prehook(lambda grads: None)
            h.sum().backward()

    all_well(in_threads(*(lambda i=i: work(i) for i in range(THREADS))))
    assert seen == {i: {(True, 2.0)} for i in range(THREADS)}
    assert x.grad.tolist() == [ROUNDS * sum(range(1, THREADS + 1))] * 2


def test_hooks_on_a_shared_graph():
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    h = x * 2
    calls = []
    h.register_hook(lambda g: calls.append(threading.get_ident()) or g * 3)
    total = h.sum()
    all_well(in_threads(*[lambda: [total.backward(retain_graph=True) for _ in range(ROUNDS)]] * THREADS))
    assert len(calls) == THREADS * ROUNDS and len(set(calls)) == THREADS
    assert x.grad.tolist() == [6.0 * THREADS * ROUNDS] * 2


def test_hooks_that_run_a_backward_pass():
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)

    def work(i):
        y = torch.full((2,), float(i), dtype=torch.float64, requires_grad=True)
        h = x * y
        h.register_hook(torch.enable_grad()(lambda g: torch.autograd.grad((y * y).sum(), y)[0]))
        h.sum().backward()

    all_well(in_threads(*(lambda i=i: work(i) for i in range(THREADS))))
    assert x.grad.tolist() == [float(sum(2 * i * i for i in range(THREADS)))] * 2


def test_an_exception_in_one_thread_leaves_the_others_alone():
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    shared = (x * 2).exp()

    def fail(g):
        raise ValueError("from the hook")

    def failing():
        for _ in range(ROUNDS):
            h = shared * 2
            h.register_hook(fail)
            with pytest.raises(ValueError, match="from the hook"):
                h.sum().backward(retain_graph=True)
            assert torch.is_grad_enabled()
        h.sum().backward(retain_graph=True)

    def working():
        for _ in range(ROUNDS):
            shared.sum().backward(retain_graph=True)

    errors = in_threads(failing, working, working)
    assert [type(e) for e in errors] == [ValueError, type(None), type(None)]
    np.testing.assert_allclose(x.grad.tolist(), [2 * ROUNDS * 2 * np.exp(2)] * 2, rtol=1e-10)
    shared.sum().backward()
    np.testing.assert_allclose(x.grad.tolist(), [(2 * ROUNDS + 1) * 2 * np.exp(2)] * 2, rtol=1e-10)


def test_writes_and_versions_across_threads():
    """A tensor written by another thread is found out by its version."""
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    y = (h * h).sum()
    all_well(in_threads(lambda: h.detach().add_(1.0)))
    assert h._version == 1 and h.tolist() == [3.0] * 3
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_a_value_of_another_thread_is_read_and_written():
    x = torch.ones(3) * 2
    found = []
    all_well(in_threads(lambda: x.mul_(5.0), ))
    all_well(in_threads(lambda: found.append(x.tolist())))
    assert found == [[10.0] * 3] and x.tolist() == [10.0] * 3


def test_every_mode_is_a_threads_own():
    seen = {}
    entered, done = threading.Event(), threading.Event()

    def inside():
        packed = torch.autograd.graph.saved_tensors_hooks(lambda t: seen.setdefault("packed", t) * 0, lambda t: t)
        with torch.no_grad(), torch.inference_mode(), torch.enable_grad(), torch.autograd.detect_anomaly(), packed:
            entered.set()
            done.wait()

    def outside():
        entered.wait()
        x = torch.ones(2, requires_grad=True)
        y = x * x
        y.sum().backward()
        seen.update(grad=torch.is_grad_enabled(), inference=torch.is_inference_mode_enabled(),
                    recorded=y.requires_grad, value=x.grad.tolist(), of_inference=y.is_inference())
        done.set()

    with pytest.warns(UserWarning, match="Anomaly Detection"):
        all_well(in_threads(inside, outside))
    assert seen == {"grad": True, "inference": False, "recorded": True, "value": [2.0, 2.0], "of_inference": False}


def test_grad_mode_set_without_a_block_is_a_threads_own():
    def off():
        torch.set_grad_enabled(False)
        assert not (torch.ones(1, requires_grad=True) * 2).requires_grad

    all_well(in_threads(off, lambda: None))
    assert torch.is_grad_enabled()
    all_well(in_threads(lambda: (torch.is_grad_enabled() or pytest.fail("a new thread records"))))


def test_checkpoints_and_second_derivatives_from_threads():
    x = torch.tensor([0.4, 0.9], dtype=torch.float64, requires_grad=True)
    found = {}

    def work(i):
        for _ in range(8):
            h = checkpoint(lambda t: (t * (i + 1)).sin().exp(), x, use_reentrant=False)
            g, = torch.autograd.grad(h.sum(), x, create_graph=True)
            found[i] = torch.autograd.grad(g.sum(), x)[0].tolist()

    all_well(in_threads(*(lambda i=i: work(i) for i in range(THREADS))))
    v = np.array([0.4, 0.9])
    for i in range(THREADS):
        k = i + 1
        want = np.exp(np.sin(k * v)) * k * k * (np.cos(k * v) ** 2 - np.sin(k * v))
        np.testing.assert_allclose(found[i], want, rtol=1e-9)


def test_a_training_loop_in_each_thread():
    def loop(seed):
        rng = np.random.default_rng(seed)
        w = torch.tensor(rng.standard_normal((4, 3)), requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.05, momentum=0.9)
        for _ in range(30):
            x = torch.tensor(rng.standard_normal((5, 4)))
            optimizer.zero_grad()
            loss = ((x @ w).tanh() - 0.5).pow(2).mean()
            loss.backward()
            optimizer.step()
        return w.tolist()

    alone = [loop(i) for i in range(THREADS)]
    together = {}
    all_well(in_threads(*(lambda i=i: together.__setitem__(i, loop(i)) for i in range(THREADS))))
    for i in range(THREADS):
        np.testing.assert_allclose(together[i], alone[i], rtol=1e-9)


def test_writes_to_different_parts_of_a_tensor():
    """PyTorch's writes to disjoint memory need no lock."""
    whole = torch.zeros(6, 3)
    index = [torch.tensor([k]) for k in range(6)]

    def fill(k):
        row = whole[k]
        for turn in range(ROUNDS):
            row.add_(1)
            whole[k, turn % 3] = float(k)
            whole[index[k]] = whole[index[k]] + 1

    all_well(in_threads(*(lambda k=k: fill(k) for k in range(6))))
    alone = torch.zeros(6, 3)
    for k in range(6):
        for turn in range(ROUNDS):
            alone[k] += 1
            alone[k, turn % 3] = float(k)
            alone[k] += 1
    assert whole.tolist() == alone.tolist()


def test_who_looks_on_does_not_undo_what_is_written():
    def train(w):
        optimizer = torch.optim.SGD([w], lr=0.1)
        for _ in range(ROUNDS):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
            with torch.no_grad():
                w[0].mul_(0.5)

    w, alone = (torch.tensor([[4.0, 2.0], [1.0, 3.0]], requires_grad=True) for _ in range(2))
    train(alone)

    def look():
        for _ in range(ROUNDS):
            assert np.isfinite(w.tolist()).all() and np.isfinite(w.detach().sum().item()) and len(w[0].tolist()) == 2

    all_well(in_threads(lambda: train(w), look, look))
    assert w.tolist() == alone.tolist()


def test_what_data_writes_is_read_by_another_thread():
    """The version does not tell that `.data` was written to."""
    x, turns = torch.zeros(3) + 1, [threading.Event() for _ in range(2)]
    found = []

    def read():
        for turn in turns:
            found.append(x * 1)  # into one trace
            turn.set()
            written.wait()
        found.append(x * 1)

    written = threading.Event()

    def write():
        turns[0].wait()
        x.data.add_(5)
        written.set()

    all_well(in_threads(read, write))
    assert [y.tolist() for y in found[1:]] == [[6.0] * 3] * 2


@pytest.mark.parametrize(("make", "text"), [
    (lambda: torch.arange(4.0)[torch.tensor([0, 1]) + 10] * 2, "index 10 is out of bounds"),
    (lambda: torch.tensor([4, 2]) // (torch.tensor([1, 1]) - 1), "ZeroDivisionError")])
def test_errors_of_a_thread_that_has_ended_are_met_by_who_reads(make, text):
    made = []
    all_well(in_threads(lambda: made.extend([torch.ones(2) * 3, make()])))
    assert made[0].tolist() == [3.0, 3.0]
    with pytest.raises((IndexError, RuntimeError), match=text):
        made[1].tolist()


def test_seeds_and_states_while_others_draw():
    generator = torch.Generator()

    def draw():
        for seed in range(ROUNDS):
            generator.manual_seed(seed)
            generator.set_state(generator.get_state())
            assert torch.rand(700, generator=generator).min().item() >= 0

    all_well(in_threads(*[draw] * THREADS))
