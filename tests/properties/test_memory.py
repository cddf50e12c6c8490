"""Training loops hold a constant number of objects with the garbage collector off, whatever is in the step."""

import gc
import itertools

import numpy as np
import pytest

import torchlike as torch
from benchmarks.memory.growth import Trainer
from tests.properties.census import census, no_collector
from tests.speed import case, sampled
from torchlike._compile import kernels
from torchlike._compile.executors import cold, hot
from torchlike._compile.plans.plan import Plan
from torchlike._compile.program import Program
from torchlike._record import tree
from torchlike._record.caches import caches
from torchlike.autograd import Function
from torchlike.utils.checkpoint import checkpoint

WARM, STEPS = 80, 320


class Doubled(Function):
    """A custom Function with saved tensors and something on ctx."""

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        ctx.note = x
        return x * w

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return g * w, (g * x).sum(0)


class Loop:
    """A small MLP, its optimizer and its data; `step` is one training step."""

    def __init__(self):
        rng = np.random.default_rng(0)
        self.model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.batches = itertools.cycle([torch.tensor(rng.standard_normal((5, 4)), dtype=torch.float32) for _ in range(3)])
        self.scale = torch.ones(3, requires_grad=True)

    def loss(self):
        return self.model(next(self.batches)).pow(2).mean()

    def step(self):
        self.optimizer.zero_grad()
        loss = self.loss()
        loss.backward()
        self.optimizer.step()
        return loss


class Hooks(Loop):
    """Tensor, Node, Module and post-accumulate hooks, registered anew in each step."""

    def loss(self):
        h = self.model[0](next(self.batches))
        h.retain_grad()
        h.register_hook(lambda g: g * 2)
        h.grad_fn.register_hook(lambda grads, incoming: None)
        handle = self.model[0].weight.register_post_accumulate_grad_hook(lambda p: None)
        y = self.model[2](h.tanh())
        y.register_hook(lambda g: g + 1)
        handle.remove()
        return y.detach().pow(2).mean() + h.pow(2).mean()


class Functions(Loop):
    def loss(self):
        self.scale.grad = None
        return Doubled.apply(self.model(next(self.batches)), self.scale).pow(2).mean()


class Checkpoints(Loop):
    reentrant = False

    def loss(self):
        h = self.model[0](next(self.batches))
        return self.model[2](checkpoint(lambda t: t.tanh().sin(), h, use_reentrant=self.reentrant)).pow(2).mean()


class ReentrantCheckpoints(Checkpoints):
    reentrant = True


class SecondOrder(Loop):
    """A gradient penalty: the gradient is differentiated again."""

    def loss(self):
        loss = super().loss()
        grads = torch.autograd.grad(loss, list(self.model.parameters()), create_graph=True)
        return loss + sum((g * g).sum() for g in grads)


class Writes(Loop):
    """In-place writes through views, with history and without."""

    def loss(self):
        h = self.model[0](next(self.batches)).clone()
        h[0].mul_(0.5)
        h.t()[1:].add_(0.1)
        h[:, 2] = h[:, 1] * 2
        with torch.no_grad():
            self.model[0].bias[0].mul_(0.9)
        return self.model[2](h.tanh()).pow(2).mean()


class Errors(Loop):
    """Every step ends a backward pass in the middle: a hook raises, a saved tensor was written to, a graph was freed."""

    def loss(self):
        loss = super().loss()
        for attempt in (self.failing_hook, self.written, self.freed):
            with pytest.raises((ValueError, RuntimeError)):
                attempt()
        return loss

    def failing_hook(self):
        h = self.model[0](next(self.batches)).tanh()
        h.register_hook(fail)
        self.model[2](h).sum().backward()

    def written(self):
        h = self.model[0](next(self.batches)).tanh()
        y = self.model[2](h).sum()
        h.detach().mul_(2)
        y.backward()

    def freed(self):
        y = self.model(next(self.batches)).pow(2).sum()
        y.backward()
        y.backward()


def fail(g):
    raise ValueError("from the hook")


def read_always(step):
    return True


def read_never(step):
    return False


def read_sometimes(step):
    return step % 7 == 0


def counted(loop, steps, reads, samples=4):
    """A census at the start of each of the last `samples` stretches of the run."""
    found, stretch = [], (steps - WARM) // samples
    for i in range(steps):
        loss = loop.step()
        if reads(i):
            loss.item()
        del loss
        if i < WARM:
            hot.compiler.wait(60)
        if i >= WARM and (i - WARM) % stretch == 0:
            hot.compiler.wait(60)
            loop.scale.sum().item()
            found.append(census())
    return found


LOOPS = [Loop, Hooks, Functions, Checkpoints, ReentrantCheckpoints, SecondOrder, Writes, Errors]


def loops():
    """The plain loop, read always and never, is fast; CI reads the others always, and what they write to never, too."""
    return [case(kind, reads, fast=kind is Loop and reads is not read_sometimes,
                 ci=kind is Loop or reads is read_always or (reads is read_never and kind is Writes))
            for kind in LOOPS for reads in (read_always, read_never, read_sometimes)]


@pytest.mark.parametrize(("kind", "reads"), loops())
def test_a_loop_holds_a_constant_number_of_objects(kind, reads):
    with no_collector(), torch.configure(patience=0):  # compiled while it warms up
        found = counted(kind(), STEPS, reads)
    assert found[1:] == [found[0]] * (len(found) - 1)


@pytest.mark.parametrize("kind", sampled((Functions, Loop, Writes), ci={Functions}))
def test_ten_thousand_steps(kind):
    with no_collector(), torch.configure(patience=0):
        found = counted(kind(), 10_000, read_sometimes, 10)
        nodes = tree.counters["nodes"]
        later = counted(kind(), 200, read_sometimes)
    assert found[1:] == [found[0]] * (len(found) - 1)
    assert len(later) >= 4 and tree.counters["nodes"] - nodes < 20_000


def sizes():
    """What the caches hold."""
    return {"kernels": len(kernels.cache.kernels), "nodes": tree.counters["nodes"],
            "programs": caches.programs}


@pytest.mark.slow
def test_a_new_shape_in_each_step():
    limits = {"max_nodes": 300, "max_kernels": 40, "max_programs": 8}
    w = torch.ones(3, requires_grad=True)
    with no_collector(), torch.configure(compile="off", **limits):
        found = []
        for n in range(1, 25):
            w.grad = None
            ((torch.ones(n, 3) * w).tanh() * n).sum().backward()
            assert w.grad.sum().item() == pytest.approx(3 * n * n * (1 - np.tanh(1) ** 2), rel=1e-4)
            if n > 12:
                found.append(census())
                now = sizes()
                assert now["kernels"] <= 40 and now["nodes"] <= 300 + 60 and now["programs"] <= 8 + 1, now
    assert found[1:] == [found[0]] * (len(found) - 1)


@pytest.mark.parametrize("leak", sampled(("tensor", "node", "array"), fast={"tensor"}))
def test_a_leak_is_seen(leak):
    kept = []

    class Leaking(Loop):
        def loss(self):
            loss = super().loss()
            kept.append({"tensor": lambda: loss.detach(), "node": lambda: loss.grad_fn,
                         "array": lambda: loss.detach().__jax_array__()}[leak]())
            return loss

    with no_collector():
        found = counted(Leaking(), STEPS, read_always)
    assert found[0] != found[1] != found[2]


def test_a_cycle_is_seen():
    """With the collector off a graph in a reference cycle stays."""
    class Cyclic(Loop):
        def loss(self):
            loss = super().loss()
            loss.grad_fn.metadata["cycle"] = loss
            return loss

    with no_collector():
        found = counted(Cyclic(), STEPS, read_always)
        assert found[0]["Node"] < found[1]["Node"] < found[2]["Node"]
    gc.collect()


# -- ever new shapes

KEPT = {"kernels": kernels.Kernel, "plans": Plan, "schedules": cold.Schedule, "programs": Program, "tree": tree.TreeNode}


def most_kept(step, shapes) -> dict:
    """The most objects of each kind that are alive at once while steps are made, one of each shape."""
    most = dict.fromkeys(KEPT, 0)
    for number, shape in enumerate(shapes):
        step(shape)
        if number % 10 == 0:
            gc.collect()
            types = [type(each) for each in gc.get_objects()]
            for name, kind in KEPT.items():
                most[name] = max(most[name], sum(issubclass(each, kind) for each in types))
    return most


def grown(step) -> list:
    """What more is alive over the later half of many shapes than over the first."""
    with torch.configure(compile="off", max_kernels=150, max_programs=10, max_nodes=1500):
        step(0)
        first, later = most_kept(step, range(1, 101)), most_kept(step, range(101, 301))
    return [name for name in KEPT if later[name] > 1.3 * first[name] + 20]


@pytest.mark.slow
def test_new_shapes_leave_nothing_behind():
    assert grown(Trainer().step) == []


@pytest.mark.slow
@pytest.mark.exhaustive
def test_a_leak_of_one_kernel_for_each_shape_is_seen():
    trainer, leaked = Trainer(), []

    def step(shape):
        trainer.step(shape)
        leaked.append(list(kernels.cache.kernels.values())[-1])

    assert "kernels" in grown(step)
