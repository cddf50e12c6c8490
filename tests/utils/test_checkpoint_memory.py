"""A checkpoint saves memory in the compiled program: XLA neither merges the two runs nor keeps the first."""

from functools import partial

import jax
import numpy as np
import pytest

import torchlike
from tests.speed import case
from torchlike._base import config
from torchlike._compile import program as programs
from torchlike._compile.splice import splice
from torchlike._record.trace import force, state
from torchlike.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts, noop_context_fn

LAYERS, ROWS, WIDTH, HIDDEN = 6, 256, 64, 512


def mlp(h, a, b):
    return h + h.mm(a).tanh().mm(b)


def attention(h, a, b):
    k = h.reshape(ROWS // 64, 64, WIDTH)
    s = k.bmm(k.transpose(1, 2)).exp()
    return mlp(h + (s / s.sum(-1, True)).bmm(k).reshape(ROWS, WIDTH) * 0.1, a, b)


def measure(block, how, contexts=noop_context_fn):
    """(temporary bytes, FLOPs, gradients) of forward and backward as one program."""
    torchlike.manual_seed(0)
    shapes = [(WIDTH, HIDDEN), (HIDDEN, WIDTH)] * LAYERS
    leaves = [(torchlike.randn(*shape) * 0.05).detach().requires_grad_() for shape in shapes]
    h = torchlike.randn(ROWS, WIDTH, requires_grad=True)
    leaves.append(h)
    float(sum(w.sum() for w in leaves).detach())  # everything exists before the trace that is measured
    for i in range(LAYERS):
        pair = leaves[2 * i], leaves[2 * i + 1]
        h = block(h, *pair) if how is None else checkpoint(block, h, *pair, use_reentrant=how, context_fn=contexts)
    (h * h).mean().backward()
    del h
    trace = state.trace
    live = tuple(w._grad._cell.slot for w in leaves)
    made = programs.Program(trace.node.path(), live, (), trace.node.dynamic())
    with jax.enable_x64(True):
        function, arguments, _ = splice(made)
        compiled = jax.jit(function, keep_unused=True).lower(*arguments).compile()
    flops = compiled.cost_analysis()["flops"]
    grads = [np.array(force(w._grad._cell)) for w in leaves]
    return compiled.memory_analysis().temp_size_in_bytes, flops, grads


@pytest.fixture
def one_trace():
    """Nothing runs before the test looks."""
    with config.configure(soft_trace=100_000, max_trace=100_000, max_bytes=1 << 40, compile="off"):
        yield


@pytest.mark.parametrize("how", [False, True], ids=["non-reentrant", "reentrant"])
@pytest.mark.parametrize("block", [case(mlp, fast=True), case(attention)])
def test_memory_falls_and_gradients_stay(block, how, one_trace):
    plain, plain_flops, expected = measure(block, None)
    saved, saved_flops, got = measure(block, how)
    assert saved < 0.6 * plain
    assert 1.05 * plain_flops < saved_flops < 1.4 * plain_flops
    for a, b in zip(expected, got, strict=True):
        np.testing.assert_allclose(b, a, 1e-4, 1e-7)


@pytest.mark.slow
def test_a_policy_is_between_both(one_trace):
    """Products that are kept are not computed again, and take memory; all else still is, and takes none."""
    aten = torchlike.ops.aten
    keep = partial(create_selective_checkpoint_contexts, [aten.mm.default, aten.bmm.default])
    plain, plain_flops, expected = measure(attention, None)
    all_again, all_again_flops, _ = measure(attention, False)
    some, some_flops, got = measure(attention, False, keep)
    assert 1.5 * all_again < some < 0.9 * plain
    assert some_flops < 1.02 * plain_flops < 0.9 * all_again_flops
    for a, b in zip(expected, got, strict=True):
        np.testing.assert_allclose(b, a, 1e-4, 1e-7)


def test_second_run_is_exact_whatever_the_gradient():
    """The value that hides the inputs from XLA is true for zero, infinite and NaN gradients."""
    for g in (0.0, float("inf"), float("-inf"), float("nan")):
        x = torchlike.tensor([0.5, 2.0], requires_grad=True)
        seen = []

        def region(a, seen=seen):
            seen.append(a.detach())
            return a.sin()

        checkpoint(region, x, use_reentrant=False).backward(torchlike.tensor([g, 1.0]))
        assert seen[1].tolist() == [0.5, 2.0]
        assert x.grad[1].item() == pytest.approx(np.cos(2.0))


def of_jax(region, **options):
    """(temporary bytes, FLOPs) of `jax.grad` of layers that are such regions, as sources of `torchlike.lower` have them."""
    def loss(weights, h):
        for pair in weights:
            h = region(h, *pair)
        return (h * h).sum()

    weights = [(np.ones((WIDTH, HIDDEN), np.float32), np.ones((HIDDEN, WIDTH), np.float32))] * LAYERS
    compiled = jax.jit(jax.grad(loss), **options).lower(weights, np.ones((ROWS, WIDTH), np.float32)).compile()
    return compiled.memory_analysis().temp_size_in_bytes, compiled.cost_analysis()["flops"]


@pytest.mark.slow
def test_jax_checkpoint_saves_nothing_on_the_cpu_unless_a_pass_is_disabled():
    """Why there is a select instead (docs/design.md): if this fails, JAX or XLA has changed."""
    def layer(h, a, b):
        return h + jax.numpy.tanh(h @ a) @ b

    plain, plain_flops = of_jax(layer)
    again, again_flops = of_jax(jax.checkpoint(layer))
    options = {"xla_disable_hlo_passes": "cse_barrier_expander"}
    kept_apart, more_flops = of_jax(jax.checkpoint(layer), compiler_options=options)
    assert again > 0.8 * plain and again_flops < 1.05 * plain_flops
    assert kept_apart < 0.6 * plain and more_flops > 1.05 * plain_flops
