"""One trace for all sizes: the same results as traces of their own, and none where a function looks at its sizes."""

import weakref

import numpy as np
import pytest

import torchlike as torch
from tests.speed import sampled
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._compile import kernels
from torchlike._compile.avals import aval
from torchlike._compile.kernels import TracedKernel
from torchlike._compile.sizes import Families
from torchlike._compile.symbols import size_at
from torchlike._record.caches import caches

F = torch.nn.functional
SIZES = (6, 8, 5, 12)  # the first is traced on its own, the second opens the family, and the others find it open


MADE: list = []  # what the program has read


def random(*shape):
    MADE.append(torch.from_numpy(np.random.default_rng(sum(shape)).random(shape, np.float32) + 0.1).requires_grad_())
    return MADE[-1]


PROGRAMS = {
    "linear": lambda n: F.linear(random(2, n, 3), random(4, 3), random(4)),
    "products": lambda n: (random(n, 3) @ random(3, n)) @ random(n, 2),
    "batches": lambda n: random(2, n, 3) @ random(2, 3, n),
    "layer_norm": lambda n: F.layer_norm(random(2, n, 6), (6,), random(6), random(6)),
    "normalized": lambda n: F.layer_norm(random(3, n), (n,)),
    "softmax": lambda n: random(n, 4).softmax(0) * random(2, n).log_softmax(1).sum(),
    "attention": lambda n: F.scaled_dot_product_attention(*(random(2, 2, n, 4) + i for i in range(3)), is_causal=True),
    "embedding": lambda n: F.embedding(torch.arange(n) % 5, random(5, 3)),
    "cross_entropy": lambda n: F.cross_entropy(random(n, 4), torch.arange(n) % 4),
    "moments": lambda n: random(n, 3).var(0) + random(n, 3).mean(0) + random(3, n).std(),
    "views": lambda n: random(n, 6).view(n, 2, 3).transpose(1, 2).reshape(3 * n, 2).unsqueeze(1),
    "merged": lambda n: random(2, n, 4, 3).transpose(1, 2).reshape(2, 4, 3 * n).flatten(),
    "parts": lambda n: torch.cat([*random(2, n, 6).split(2, dim=2), *random(2, n, 6).chunk(3, dim=2)], 2),
    "sums": lambda n: random(4, n, 300) + random(n, 300) + random(300),
    "pools": lambda n: F.avg_pool2d(F.max_pool2d(random(1, 2, n, n), 2), 2),
    "convolution": lambda n: F.conv2d(random(2, 3, n, n), random(4, 3, 3, 3), padding=1),
    "picks": lambda n: random(n, 4).gather(0, torch.zeros(2, 4, dtype=torch.int64)) + random(n, 4)[1:3],
    "extremes": lambda n: random(n, 3).max(0).values + random(n, 3).topk(2, 0).values.sum(0) + random(n, 3).cumsum(0)[-1],
    "made": lambda n: torch.eye(n) * random(n, n).tril() + torch.arange(n) + torch.ones(n, n),
}


def result(program, n):
    """The values and the gradients of what it reads."""
    MADE.clear()
    out = program(n)
    (out * out).sum().backward()
    return [out.detach().numpy(), *(x.grad.numpy() for x in MADE)]


def forget():
    kernels.cache.start_anew()
    caches.clear()


@pytest.mark.parametrize(("tier", "name"), sampled(["off", "now"], PROGRAMS, fast=6, ci=2))
def test_what_is_open_gives_the_same(name, tier):
    with torch.configure(compile=tier):
        forget()
        found = [result(PROGRAMS[name], n) for n in SIZES]
        for n, arrays in zip(SIZES[1:], found[1:], strict=True):
            forget()
            for own, general in zip(result(PROGRAMS[name], n), arrays, strict=True):
                assert own.shape == general.shape and own.dtype == general.dtype
                np.testing.assert_allclose(general, own, rtol=1e-5, atol=1e-6)


def kernels_of(function, *shapes, params=()):
    """Kernels of a function of one array and of parameters, each of one shape."""
    families = Families()

    def make(ins, params, sized=None):
        return TracedKernel("test", lambda x: (function(x, *params),), ins, (), dev.CPU, sized=sized)

    found = []
    for i, shape in enumerate(shapes):
        ins, own = (aval(shape, dt.float32),), params[i:i + 1]
        found.append(make(ins, own, families.find("key", ins, own, make)))
    return found


def is_traced(kernel):
    return kernel._jaxpr is not None


def test_the_third_is_not_traced():
    found = kernels_of(lambda x: x.sum(0) * x.shape[0], (3, 4), (5, 4), (7, 4), (7, 9), (1, 4), (0, 4))
    assert [is_traced(kernel) for kernel in found] == [True, False, False, False, True, True]
    assert found[2].outs == (aval((4,), dt.float32),)
    (total,) = found[2].plan(np.ones((7, 4), np.float32))
    assert total.tolist() == [49.0] * 4 and is_traced(found[2]) is False
    assert np.asarray(found[2].compiled(np.ones((7, 4), np.float32))[0]).tolist() == [49.0] * 4


def test_a_bound_on_sizes_leaves_each_to_itself():
    found = kernels_of(lambda x: x if x.shape[0] < 6 else -x, (4,), (5,), (7,))
    assert all(map(is_traced, found))
    assert [kernel.plan(np.ones(1, np.float32))[0].tolist() for kernel in found] == [[1.0], [1.0], [-1.0]]


def test_sizes_that_vary_together_are_one():
    shapes = [(2, n, 4 * n) for n in (3, 5, 7)]
    found = kernels_of(lambda x: x.reshape(2 * x.shape[1], -1), *shapes, (2, 7, 29))
    assert [is_traced(kernel) for kernel in found] == [True, False, False, False]
    assert [kernel.outs[0].shape for kernel in found] == [(6, 12), (10, 20), (14, 28), (14, 29)]


def test_parameters_that_vary_with_the_sizes():
    params = tuple((n, 3) for n in (4, 5, 6))
    found = kernels_of(lambda x, shape: x.reshape(shape), (12,), (15,), (18,), params=params)
    assert [is_traced(kernel) for kernel in found] == [True, False, False]
    assert found[2].outs == (aval((6, 3), dt.float32),)


def test_other_parameters_are_no_sizes():
    found = kernels_of(lambda x, axis: x.sum(axis), (2, 3, 4, 5), (2, 3, 4, 6), (2, 3, 4, 7), params=(2, 3, 2))
    assert [is_traced(kernel) for kernel in found] == [True, True, False]
    assert [kernel.outs[0].shape for kernel in found] == [(2, 3, 5), (2, 3, 4), (2, 3, 7)]


def test_a_general_kernel_that_is_wrong_is_seen(monkeypatch):
    """The check above finds a plan whose sizes are those of another kernel."""
    monkeypatch.setattr("torchlike._compile.plans.plan.size_at",
                        lambda size, values: size_at(size, (values[0] + 1, *values[1:])))
    with pytest.raises((AssertionError, ValueError)):
        test_what_is_open_gives_the_same("moments", "off")
    forget()


def test_tracing_keeps_no_tensor_alive():
    forget()
    for n in (3, 4):
        x = torch.arange(float(n)) * 2
        kept = weakref.ref(x)
        x.sum()
        del x
        assert kept() is None
