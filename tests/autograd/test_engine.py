"""The backward pass against torch, and what a long run asks of it: depth, threads, exceptions, memory."""

import threading
import weakref

import numpy as np
import pytest

import torchlike as torch
from compat.compare import texts
from tests.autograd import engine_programs
from tests.programs import same_as_torch
from tests.properties import census
from torchlike.autograd import replay

test_programs = same_as_torch("engine")

LENGTH = 20_000


@pytest.mark.parametrize("program", [pytest.param(p, id=str(i)) for i, p in enumerate(engine_programs.ALL)])
def test_program(program):
    texts.check_report(program)


@pytest.fixture
def no_collector():
    with census.no_collector():
        yield


# -- size

def chain(x, length):
    y = x
    for _ in range(length // 2):
        y = (y * 1.0001).sin()
    return y


@pytest.mark.slow
def test_a_chain_of_20000_operations(no_collector):
    x = torch.ones(2, requires_grad=True)
    with torch.configure(compile="off"):
        y = chain(x, LENGTH).sum()
        first = weakref.ref(y.grad_fn)
        y.backward()
        expected = x.grad.tolist()
        assert np.isfinite(expected).all()
        del y
        assert first() is None
        x.grad = None
        y = chain(x, LENGTH).sum()
        grad, = torch.autograd.grad(y, x)
        assert grad.tolist() == expected


def test_a_long_chain_dies_without_backward(no_collector):
    x = torch.ones(2, requires_grad=True)
    with torch.configure(compile="off"):
        y = chain(x, LENGTH)
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None


@pytest.mark.slow
def test_a_long_chain_under_create_graph():
    x = torch.ones(2, requires_grad=True)
    with torch.configure(compile="off"):
        grad, = torch.autograd.grad(chain(x, 2000).sum(), x, create_graph=True)
        second, = torch.autograd.grad(grad.sum(), x)
    assert np.isfinite(second.tolist()).all()


def test_a_wide_graph():
    leaves = [torch.full((2,), float(i), requires_grad=True) for i in range(300)]
    total = sum((x * x for x in leaves), torch.zeros(2))
    total.sum().backward()
    assert [x.grad.tolist() for x in leaves] == [[2.0 * i] * 2 for i in range(300)]


# -- order

def test_later_operations_run_first():
    x = torch.ones(2, requires_grad=True)
    order = []
    a = x * 2
    b = x * 3
    c = a * 4
    for name, y in (("a", a), ("b", b), ("c", c)):
        y.register_hook(lambda g, name=name: order.append(name))
    (b + c).sum().backward()
    assert order == ["c", "b", "a"]


# -- replayed passes

def gradients(force_walk, steps):
    """Gradients of a few steps of one program; a hook that does nothing makes every pass a walk."""
    rng = np.random.default_rng(3)
    w = torch.tensor(rng.standard_normal((3, 3)).tolist(), requires_grad=True)
    b = torch.tensor(rng.standard_normal(3).tolist(), requires_grad=True)
    found = []
    for step in range(steps):
        x = torch.tensor(rng.standard_normal((4, 3)).tolist())
        h = (x @ w + b).tanh()
        h = h * (0.5 + step) + h.relu() * (2.0 if step % 2 else 3.0)
        loss = (h * h).mean() + (w * 0.1 * step).sum()
        if force_walk:
            loss.register_hook(lambda g: None)
        loss.backward()
        found.append((w.grad.tolist(), b.grad.tolist()))
        if step % 3:
            w.grad = b.grad = None
    return found


def test_a_replayed_pass_equals_a_walked_one():
    before = replay.counters["replayed"]
    mine = gradients(False, 12)
    assert replay.counters["replayed"] > before
    np.testing.assert_allclose(np.array([g[0] for g in mine]), np.array([g[0] for g in gradients(True, 12)]), rtol=1e-5)
    np.testing.assert_allclose([g[1] for g in mine], [g[1] for g in gradients(True, 12)], rtol=1e-5)


def test_a_replayed_pass_checks_versions_and_freed_graphs():
    x = torch.ones(3, requires_grad=True)
    for _ in range(3):
        y = (x * x).sum()
        y.backward()
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            y.backward()
    for _ in range(3):
        h = x * 2
        y = (h * h).sum()
        h.add_(1.0)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()


# -- threads

def in_threads(*functions):
    errors = []

    def guarded(function):
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - it is raised again below
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(f,)) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def test_threads_with_graphs_of_their_own():
    found = {}

    def work(i):
        x = torch.full((3,), float(i), requires_grad=True)
        for _ in range(20):
            x.grad = None
            ((x * x).exp() / 10).sum().backward()
        found[i] = x.grad.tolist()

    in_threads(*(lambda i=i: work(i) for i in range(3)))
    for i in range(3):
        np.testing.assert_allclose(found[i], [2 * i * np.exp(i * i) / 10] * 3, rtol=1e-5)


def test_a_graph_begun_on_one_thread_and_finished_on_another():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x  # recorded here, not run
    found = []

    def other():
        z = (y * 3).sum()
        z.backward()
        found.append(z.item())

    in_threads(other)
    assert found == [15.0]
    assert x.grad.tolist() == [6.0, 12.0]
    assert y.tolist() == [1.0, 4.0]


def test_one_graph_shared_by_two_threads():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = (x * x).exp()
    in_threads(*(lambda: h.sum().backward(retain_graph=True) for _ in range(2)))
    want = 2 * 2 * np.array([1.0, 2.0]) * np.exp([1.0, 4.0])
    np.testing.assert_allclose(x.grad.tolist(), want, rtol=1e-5)


def test_the_modes_are_a_threads_own():
    seen = []
    with torch.no_grad():
        in_threads(lambda: seen.append((torch.is_grad_enabled(), (torch.ones(1, requires_grad=True) * 2).requires_grad)))
        seen.append(torch.is_grad_enabled())
    assert seen == [(True, True), False]


# -- exceptions

def test_an_exception_in_a_hook_leaves_everything_usable():
    x = torch.ones(3, requires_grad=True)
    h = x * 2

    def fail(g):
        raise ValueError("from the hook")

    handle = h.register_hook(fail)
    y = (h * h).sum()
    with pytest.raises(ValueError, match="from the hook"):
        y.backward(retain_graph=True)
    assert torch.is_grad_enabled()
    assert x.grad is None
    handle.remove()
    (h * 3).sum().backward()
    assert x.grad.tolist() == [6.0] * 3


def test_an_exception_inside_a_mode_restores_it():
    with pytest.raises(ZeroDivisionError), torch.no_grad(), torch.inference_mode():
        raise ZeroDivisionError
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


BAD = ["x + torch.ones(5)", "x.view(7)", "x[9]", "x @ torch.ones(5)", "x.add_(torch.ones(5))", "x.sum(4)",
       "torch.cat([x, torch.ones(2, 2)])", "x.split([1, 1])", "x.softmax(3)", "x[0] = torch.ones(2)"]


@pytest.mark.parametrize("bad", BAD)
def test_a_refused_operation_corrupts_nothing(bad):
    leaf = torch.ones(3, requires_grad=True)
    x = leaf * 2
    v = x[1:]
    with pytest.raises((RuntimeError, IndexError)):
        exec(bad, {"x": x, "torch": torch})
    assert x._version == 0 and v._version == 0
    (x * x).sum().backward()
    assert leaf.grad.tolist() == [8.0] * 3
    assert v.tolist() == [2.0, 2.0]


# -- memory

def test_graphs_die_by_reference_count(no_collector):
    w = torch.ones(3, requires_grad=True)
    kept = []
    for _ in range(3):
        h = w * 2
        v = h[1:]
        v.mul_(3.0)
        y = (h.exp() + h).sum()
        kept += [weakref.ref(o) for o in (h, v, y, h.grad_fn, y.grad_fn, h._cell)]
        y.backward()
        del h, v, y
    w.grad.tolist()  # runs the trace, which holds the values until then
    assert [k() for k in kept] == [None] * len(kept)


def test_a_graph_with_hooks_and_retained_grads_dies(no_collector):
    w = torch.ones(3, requires_grad=True)
    h = w * 2
    h.retain_grad()
    h.register_hook(lambda g: g * 2)
    y = h.sum()
    y.backward(create_graph=False)
    kept = [weakref.ref(o) for o in (h, y, h.grad_fn)]
    del h, y
    assert [k() for k in kept] == [None] * len(kept)


def test_saved_tensors_go_with_the_graph(no_collector):
    w = torch.ones(3, requires_grad=True)
    big = torch.ones(3) * 5
    cell = weakref.ref(big._cell)
    y = (w * big).sum()
    del big
    assert cell() is not None
    y.backward()
    w.grad.tolist()  # runs the trace, which holds the value until then
    assert cell() is None
