"""Functions of Tensors under JAX's own transforms, jax functions on the tape, and what a transform leaves behind."""

import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import torchlike as torch
from tests.properties.census import no_collector
from tests.speed import sampled
from torchlike._compile import eager
from torchlike._record.trace import state

X = np.array([1.0, -2.0, 0.5], np.float32)


def loss(x):
    y = x.clone()
    y[0] = y[1] * 2
    return (y.view(3, 1) * x.tanh()).sum()


@pytest.fixture
def expected():
    x = torch.tensor(X.tolist(), requires_grad=True)
    (g,) = torch.autograd.grad(loss(x), x)
    return g.numpy()


@pytest.mark.slow
def test_to_jax_under_grad_jit_and_vmap(expected):
    pure = torch.to_jax(loss)
    assert np.allclose(jax.grad(pure)(X), expected, rtol=1e-5)
    assert np.allclose(jax.jit(jax.grad(pure))(X), expected, rtol=1e-5)
    assert np.allclose(jax.vmap(jax.grad(pure))(jnp.stack([X, 2 * X]))[0], expected, rtol=1e-5)
    _, tangent = jax.jvp(pure, (jnp.asarray(X),), (jnp.ones(3, jnp.float32),))
    assert np.allclose(tangent, expected.sum(), rtol=1e-5)


def test_to_jax_keeps_structures_and_other_values():
    pure = torch.to_jax(lambda d, k: {"twice": d["a"] * k, "name": "n"})
    found = pure({"a": jnp.asarray(X)}, 2)
    assert isinstance(found["twice"], jax.Array)
    assert np.allclose(found["twice"], 2 * X)
    assert found["name"] == "n"


def test_to_jax_returns_what_it_wrote_to():
    def write(x):
        return torch.zeros(3).copy_(x), torch.empty(3).fill_(2).mul_(x)

    first, second = jax.jit(torch.to_jax(write))(X)
    assert np.array_equal(first, X)
    assert np.array_equal(second, 2 * X)


def test_to_jax_uses_pytorchs_subgradients():
    zero = jnp.zeros(2, jnp.float32)
    assert jax.grad(torch.to_jax(lambda x: x.abs().sum()))(zero).tolist() == [0, 0]
    assert jax.grad(torch.to_jax(lambda x: torch.maximum(x, x * 0).sum()))(zero).tolist() == [0.5, 0.5]


def test_from_jax_is_one_node_of_any_order():
    cube = torch.from_jax(lambda a, k: jnp.sin(a) * a ** k)
    x = torch.tensor(X.tolist(), requires_grad=True)
    y = cube(x, 3)
    assert y.grad_fn.next_functions[0][0].variable is x
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    z = torch.tensor(X.tolist(), requires_grad=True)
    (want,) = torch.autograd.grad((z.sin() * z ** 3).sum(), z, create_graph=True)
    (want2,) = torch.autograd.grad(want.sum(), z)
    assert torch.allclose(g, want, atol=1e-6)
    assert torch.allclose(h, want2, atol=1e-5)


def test_the_gradient_is_that_of_the_values_that_were_read():
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    out = torch.from_jax(jnp.sin)(y)
    y.add_(1)
    (first,) = torch.autograd.grad(out.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    np.testing.assert_allclose(first.detach(), np.cos(np.ones(3)), rtol=1e-6)
    np.testing.assert_allclose(second, -np.sin(np.ones(3)), rtol=1e-6)


def test_from_jax_and_back():
    assert np.allclose(jax.grad(torch.to_jax(lambda x: torch.from_jax(jnp.sin)(x).sum()))(X), np.cos(X), rtol=1e-5)


def test_a_write_to_a_captured_tensor_is_undone():
    kept = torch.zeros(3)

    def write(x):
        kept.copy_(x)
        return (kept * x).sum()

    with pytest.raises(RuntimeError, match="mutate a captured Tensor"):
        torch.func.grad(write)(torch.ones(3))
    assert kept.tolist() == [0, 0, 0]


def test_a_failing_function_leaves_nothing_behind():
    def fail(x):
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        torch.func.vmap(torch.func.grad(fail))(torch.ones(3))
    assert state.thread.frames == ()
    assert torch.is_grad_enabled()


@pytest.mark.slow
def test_the_graph_dies_by_reference_count():
    with no_collector():
        w = torch.ones(3, requires_grad=True)
        g = torch.func.grad(lambda x: (w * x * x).sum())(torch.ones(3))
        node = weakref.ref(g.grad_fn)
        del g
        assert node() is None


def test_the_same_random_numbers_in_the_gradient():
    """The function runs again for what it captured; its draws are the same, and the stream goes on as if once."""
    w = torch.ones(3, requires_grad=True)
    torch.manual_seed(0)
    g = torch.func.grad(lambda x: (w * x * torch.rand(3)).sum())(torch.ones(3))
    (found,) = torch.autograd.grad(g.sum(), w)
    assert torch.equal(found, g.detach())
    after = torch.rand(1)
    torch.manual_seed(0)
    torch.rand(3)
    assert torch.equal(after, torch.rand(1))


class _Square(torch.autograd.Function):
    """A wrong backward and a wrong jvp, to tell them from JAX's own."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.save_for_forward(inputs[0])

    @staticmethod
    def backward(ctx, g):
        return 3 * g * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx, t):
        return 5 * t * ctx.saved_tensors[0]


@pytest.mark.slow
def test_a_function_under_jaxs_own_transforms():
    """Its backward, its jvp and its way to be batched are used, also where jax.jit stands in between."""
    f = torch.to_jax(_Square.apply)
    total = torch.to_jax(lambda a: _Square.apply(a).sum())
    x, rows = jnp.array([1.0, 2.0]), jnp.arange(6.0).reshape(3, 2)
    for grad in (jax.grad(total), jax.jit(jax.grad(total)), jax.grad(jax.jit(total)), jax.grad(jax.checkpoint(total))):
        np.testing.assert_allclose(grad(x), 3 * x)
    for push in (lambda a: jax.jvp(f, (a,), (a,))[1], jax.jit(lambda a: jax.jvp(f, (a,), (a,))[1])):
        np.testing.assert_allclose(push(x), 5 * x * x)
    for batched in (jax.vmap(f), jax.jit(jax.vmap(f)), jax.vmap(jax.jit(f))):
        np.testing.assert_allclose(batched(rows), rows * rows)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(total)))(rows), 3 * rows)
    np.testing.assert_allclose(jax.hessian(total)(x), 3 * np.eye(2))


COMPILED: list = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **_: COMPILED.append(event) if event.endswith("backend_compile_duration") else None)


@pytest.mark.parametrize("name", sampled(("sin", "cos", "exp", "softmax"), fast={"sin"}))
def test_a_transform_compiles_nothing_the_second_time(name):
    args = (0,) if name == "softmax" else ()
    g = torch.func.grad(lambda a: (getattr(a, name)(*args) * a).sum())
    first, second = (torch.tensor([value] * (5 + len(name))) for value in (0.5, 1.5))
    with torch.configure(compile="now"):
        COMPILED.clear()
        g(first)
        assert COMPILED
        COMPILED.clear()
        g(second)
        assert not COMPILED


def test_a_transform_waits_for_no_compiler():
    """numpy computes what is not compiled; what is compiled in the background is not compiled again."""
    with torch.configure(compile="background"):
        g = torch.func.vmap(torch.func.grad(lambda a: (a.cos() * a).sum()))
        x = torch.arange(14.0).reshape(2, 7)
        expected = np.cos(x.numpy()) - x.numpy() * np.sin(x.numpy())
        COMPILED.clear()
        np.testing.assert_allclose(g(x), expected, 1e-5, 1e-6)
        assert not COMPILED
        for _ in range(eager.USES):
            g(x)
        assert eager.compiler.wait(60) and COMPILED
        COMPILED.clear()
        np.testing.assert_allclose(g(x), expected, 1e-5, 1e-6)
        assert not COMPILED
