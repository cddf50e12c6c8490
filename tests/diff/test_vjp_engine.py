"""The engine that differentiates the pure program by `jax.vjp`."""

import contextlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import torchlike as torch
from tests.lower.alone import saved_bytes
from torchlike._base.errors import UnsupportedError
from torchlike._diff import pure_program, vjp_engine
from torchlike._diff.pure_program import Program
from torchlike._diff.vjp_engine import functional
from torchlike._lower.graph import ordered
from torchlike._record.history import edge_of
from torchlike.nn import functional as F
from torchlike.utils.checkpoint import checkpoint


def layers(x, w, is_checkpointed):
    def layer(x):
        return (x @ w).tanh().exp().sin()

    for _ in range(3):
        x = checkpoint(layer, x, use_reentrant=False) if is_checkpointed else layer(x)
    return x.sum()


def program(loss):
    """(the pure program of the engine, the values of its leaves)."""
    root = edge_of(loss)
    order = ordered([root])
    targets = vjp_engine._wanted(order, None, None)
    made = Program(order, [root], targets, {})
    return made, [made.value_of(edge) for edge in targets]


def test_checkpointed_regions_are_jax_checkpoint():
    x, w = torch.ones(4, 4), torch.full((4, 4), 0.1, requires_grad=True)
    plain, again = program(layers(x, w, False)), program(layers(x, w, True))
    with jax.enable_x64(True):
        assert str(jax.make_jaxpr(again[0])(*again[1])).count("remat") == 3
        assert "remat" not in str(jax.make_jaxpr(plain[0])(*plain[1]))
        assert saved_bytes(again[0], *again[1]) <= 3 * 4 * 16 < saved_bytes(plain[0], *plain[1])
    expected = torch.autograd.grad(layers(x, w, True), w)[0]
    with functional():
        found = torch.autograd.grad(layers(x, w, True), w)[0]
    np.testing.assert_allclose(found.numpy(), expected.numpy(), 1e-5)


def test_a_target_inside_of_a_region():
    """Gradients by a value that a region makes: the region stays apart."""
    w = torch.full((3,), 0.5, requires_grad=True)
    inner: list = []

    def region(v):
        inner.append(v.sin())
        return inner[-1].exp().sum()

    def gradient():
        inner.clear()
        loss = checkpoint(region, w, use_reentrant=False)
        return torch.autograd.grad(loss, inner[0])[0].tolist()

    expected = gradient()
    with functional():
        assert gradient() == pytest.approx(expected)


@pytest.mark.slow
def test_what_was_written_to_without_history_is_read():
    """PyTorch's cosine similarity raises norms to a bound under no_grad."""
    x = torch.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    y = torch.tensor([[1.0, 2.0], [1.0, 0.0]])
    expected = torch.autograd.grad(F.cosine_similarity(x, y).sum(), x)[0].tolist()
    with functional():
        assert torch.autograd.grad(F.cosine_similarity(x, y)[1], x)[0].tolist()[1] == pytest.approx(expected[1])
    assert torch.lower(F.cosine_similarity(x, y).sum())({"x": x.detach().numpy()}).item() == pytest.approx(0.6)


class Cube(torch.autograd.Function):
    """With a gradient of its own, which is differentiated again."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x ** 2


def test_second_order_through_a_custom_function():
    x = torch.tensor([2.0], requires_grad=True)
    with functional():
        (first,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(first.sum(), x)
    assert first.tolist() == [12.0] and second.tolist() == [12.0]


def losses(inputs, factor):
    """Those of a few steps, whose programs differ in values alone."""
    w = torch.full((3,), 0.5, requires_grad=True)
    for x in inputs:
        (w * x * factor).exp().sum().backward()
    return w.grad.tolist()


def test_equal_programs_are_compiled_once(monkeypatch):
    compiled, compile_one = [], pure_program._compile
    monkeypatch.setattr(pure_program, "_compile", lambda *args: compiled.append(args) or compile_one(*args))
    inputs = [torch.tensor([0.1, 0.2, 0.3]) * i for i in range(4)]
    expected = losses(inputs, 2.0), losses(inputs, 3.0)
    with functional():
        found = losses(inputs, 2.0), losses(inputs, 3.0)
    np.testing.assert_allclose(found, expected, 1e-6)
    assert len(compiled) == 2  # the factor is a number of the program


@pytest.mark.parametrize(("f", "g"), [
    (lambda x: x * 2.0, lambda x: x * 3.0), (lambda x: x + 0.0, lambda x: x + -0.0), (jnp.sin, jnp.cos),
    (lambda x: x[:2] + x[1], lambda x: x[:2] + x[2]), (lambda x: x.astype(np.float16), lambda x: x.astype(jnp.bfloat16)),
    (lambda x: x - x[0], lambda x: x[0] - x), (jax.jit(lambda x: x.sum()), jax.jit(lambda x: x.max())),
    (lambda x: x + np.float32([1, 2, 3]), lambda x: (x + np.float32([1, 2, 3]))[:, None])],
    ids=["number", "sign of zero", "primitive", "operand", "dtype", "order", "called", "shape"])
def test_other_programs_have_other_keys(f, g):
    x = np.ones(3, np.float32)
    keys = [pure_program._Key(jax.make_jaxpr(lambda x, f=f: f(x))(x).jaxpr) for f in (f, f, g)]
    assert keys[0] == keys[1] and hash(keys[0]) == hash(keys[1]) and keys[0] != keys[2]


def test_the_backward_of_a_function_may_ask_for_values():
    class Asks(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * (2 if g.sum() > 0 else 5)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with functional():
        assert torch.autograd.grad(Asks.apply(x).sum(), x)[0].tolist() == [2.0, 2.0]


def test_what_is_watched():
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    seen = {}
    with functional() as watch:
        y = x.exp()
        watch(x, lambda g: seen.update(x=g.tolist()))
        watch(y, lambda g: seen.update(y=g.tolist()))
        (y * y).sum().backward()
    assert seen["x"] == x.grad.tolist() == pytest.approx((2 * y * y).tolist())
    assert seen["y"] == pytest.approx((2 * y).tolist())


def test_results_that_lead_nowhere_are_told_nothing():
    x, seen = torch.ones(2, 3, requires_grad=True), []
    with functional() as watch:
        first, second = x.unbind(0)
        watch(first, lambda g: seen.append(("first", g.tolist())))
        watch(second, lambda g: seen.append(("second", g.tolist())))
        torch.autograd.grad(second.sum(), x)
    assert seen == [("second", [1.0, 1.0, 1.0])]


def test_only_what_is_asked_for_is_accumulated():
    """``backward(inputs=)`` fills the leaves that it names, and views made under no_grad are no targets."""
    x, w = torch.full((3,), 0.5, requires_grad=True), torch.ones(3, requires_grad=True)
    with functional() as watch:
        with torch.no_grad():
            seen: list = []
            watch(x[:2], seen.append)
        y = x * w
        watch(y, seen.append)
        y.sum().backward(inputs=[w], retain_graph=True)
        assert x.grad is None and w.grad.tolist() == [0.5] * 3 and len(seen) == 1
        (w * w).sum().backward(inputs=[x])
        assert torch.autograd.grad(y.sum(), [y], retain_graph=True)[0].tolist() == [1.0] * 3
    assert x.grad is None and w.grad.tolist() == [0.5] * 3 and len(seen) == 1  # neither pass runs what made y


def mlp():
    return torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2))


class Branches(torch.nn.Module):
    """Parameters that are used more than once, and several of one Node."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.norm = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4), torch.nn.LayerNorm(4)
        self.scale = torch.nn.Parameter(torch.ones(4))

    def forward(self, x):
        y = self.a(x)
        z = self.b(y * self.scale) + y
        return self.norm(z) * self.scale + self.a(z)


@pytest.mark.parametrize("make", [mlp, Branches])
def test_hooks_after_accumulation_run_in_the_tapes_order(make):
    def seen(under):
        torch.manual_seed(0)
        model, found = make(), []
        for name, p in model.named_parameters():
            p.register_post_accumulate_grad_hook(lambda p, name=name: found.append((name, p.grad.sum().item())))
        with under:
            for _ in range(2):
                model(torch.ones(3, 4)).square().mean().backward()
        return [name for name, _ in found], [value for _, value in found]

    names, values = seen(functional())
    expected, numbers = seen(contextlib.nullcontext())
    assert names == expected and len(names) > 7
    assert values == pytest.approx(numbers, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("register", [lambda y: y.register_hook(print), lambda y: y.grad_fn.register_hook(print),
                                      lambda y: y.grad_fn.register_prehook(print)],
                         ids=["tensor", "Node", "before the Node"])
def test_hooks_are_refused_by_name(register):
    with functional():
        y = torch.ones(3, requires_grad=True) * 2
        handle = register(y)
        with pytest.raises(UnsupportedError, match="hooks on tensors in the functional engine"):
            y.sum().backward(retain_graph=True)
        handle.remove()
        y.sum().backward()


def test_what_retains_its_gradient_has_it():
    x = torch.ones(3, requires_grad=True)
    with functional():
        y = x * 2
        y.retain_grad()
        y.sum().backward()
        z = x * 3
        z.sum().backward(inputs=[z])
    assert y.grad.tolist() == z.grad.tolist() == [1.0] * 3 and x.grad.tolist() == [2.0] * 3


def bilinear():
    """The gradient by one factor has a history in the other one alone."""
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    (g,) = torch.autograd.grad((x * w).sum(), x, create_graph=True)
    return torch.autograd.grad(g.sum(), [x, w], allow_unused=True)


def penalised():
    """The gradients of a penalty on the gradient of an input: second order in leaves that the first was not for."""
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    x = torch.tensor([1.0, 0.5], requires_grad=True)
    hidden = (w * x).tanh() * w
    (g,) = torch.autograd.grad(hidden.sum(), x, create_graph=True)
    ((g * g).sum() + hidden.sum()).backward()
    return w.grad, x.grad


def freed():
    x = torch.tensor([2.0], requires_grad=True)
    y = x.exp().sum()
    y.backward()
    y.backward()


def written_to():
    x = torch.tensor([2.0], requires_grad=True)
    y = x.exp()
    y.mul_(2)
    z = y.sin()
    y.add_(1)
    z.backward()


def written_to_on_one_path():
    """The leaf that comes first has its gradient already."""
    x, w = torch.tensor([2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    y = x.exp()
    z = y * w
    y.detach().zero_()
    try:
        (z + w).sum().backward()
    finally:
        raise RuntimeError(f"{x.grad} {w.grad}")


@pytest.mark.parametrize("raises", [freed, written_to, written_to_on_one_path])
def test_a_pass_that_fails_on_the_tape_fails(raises):
    with pytest.raises(RuntimeError) as expected:
        raises()
    with functional(), pytest.raises(RuntimeError) as found:
        raises()
    assert str(found.value) == str(expected.value)


def test_the_history_of_a_gradient_is_in_what_it_depends_on():
    expected = bilinear()
    with functional():
        found = bilinear()
    assert found[0] is expected[0] is None and found[1].tolist() == expected[1].tolist()


def test_a_penalty_on_a_gradient():
    expected = penalised()
    with functional():
        found = penalised()
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), 1e-5)


@pytest.mark.parametrize(("f", "has"), [
    (torch.sum, False), (lambda x: (x * 3).sum(), False), (lambda x: (x * x).sum(), True), (lambda x: x.sin().sum(), True)],
                         ids=["sum", "linear", "square", "sine"])
def test_a_gradient_that_depends_on_nothing_has_no_history(f, has):
    def gradient():
        x = torch.ones(3, requires_grad=True)
        return torch.autograd.grad(f(x), x, create_graph=True)[0].requires_grad

    with functional():
        assert gradient() == has
    assert gradient() == has


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("from_gram", [False, True])
def test_the_derivative_of_a_cholesky_factor(upper, from_gram):
    """PyTorch reads one triangle, and its gradient is that of symmetric matrices."""
    def gradient():
        x = torch.tensor([[2.0, 0.3, 0.5], [0.3, 3.0, 0.1], [0.5, 0.1, 1.5]], requires_grad=True)
        weights = torch.arange(9.0).view(3, 3)
        (torch.linalg.cholesky(x @ x.mT if from_gram else x, upper=upper) * weights).sum().backward()
        return x.grad.numpy()

    expected = gradient()
    with functional():
        np.testing.assert_allclose(gradient(), expected, rtol=1e-5)
