"""Modules of flax as torchlike Modules: against flax trained by optax."""

import copy
import io

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import linen, nnx

import torchlike as torch
from tests.interop.training import losses_of
from tests.speed import sampled
from torchlike._base.errors import UnsupportedError
from torchlike._compile import kernels
from torchlike._compile.executors import hot
from torchlike.interop import state_dict_to_tree
from torchlike.interop.flax import FromLinen, FromNNX, ToNNX

pytestmark = pytest.mark.slow

STEPS = 20
X = np.random.default_rng(0).standard_normal((16, 3)).astype(np.float32)
Y = X.sum(1, keepdims=True) ** 2


class Linen(linen.Module):
    """Layers as users write them."""

    norm: bool = False
    dropout: float = 0.0

    @linen.compact
    def __call__(self, x, train=True):
        x = linen.Dense(8)(x)
        if self.norm:
            x = linen.BatchNorm(use_running_average=not train)(x)
        x = linen.Dropout(self.dropout, deterministic=not train)(jnp.tanh(x))
        return linen.Dense(1)(x)


class NNX(nnx.Module):
    """The same in nnx."""

    def __init__(self, rngs, norm=False, dropout=0.0):
        self.first, self.last = nnx.Linear(3, 8, rngs=rngs), nnx.Linear(8, 1, rngs=rngs)
        self.norm = nnx.BatchNorm(8, rngs=rngs) if norm else None
        self.dropout = nnx.Dropout(dropout, rngs=rngs)

    def __call__(self, x):
        x = self.first(x)
        x = x if self.norm is None else self.norm(x)
        return self.last(self.dropout(jnp.tanh(x)))


def _variables(module):
    return module.init({"params": jax.random.key(0), "dropout": jax.random.key(1)}, X, train=False)


def _trained_by_torchlike(module, make=lambda params: torch.optim.SGD(params, 0.05, momentum=0.9)):
    return losses_of(module, make(module.parameters()), X, Y, STEPS)


def _trained_linen(module, variables, rate=0.05):
    tx = optax.sgd(rate, momentum=0.9)
    params, others = variables["params"], {k: v for k, v in variables.items() if k != "params"}
    state, losses = tx.init(params), []

    @jax.jit
    def step(params, others, state):
        def loss(params):
            found, new = module.apply({"params": params, **others}, X, mutable=list(others))
            return ((found - Y) ** 2).mean(), new

        (value, others), grads = jax.value_and_grad(loss, has_aux=True)(params)
        updates, state = tx.update(grads, state, params)
        return optax.apply_updates(params, updates), others, state, value

    for _ in range(STEPS):
        params, others, state, value = step(params, others, state)
        losses.append(float(value))
    return losses, {"params": params, **others}


def _trained_nnx(module, rate=0.05):
    optimizer = nnx.Optimizer(module, optax.sgd(rate, momentum=0.9), wrt=nnx.Param)

    @nnx.jit
    def step(module, optimizer):
        loss, grads = nnx.value_and_grad(lambda module: ((module(X) - Y) ** 2).mean())(module)
        optimizer.update(module, grads)
        return loss

    return [float(step(module, optimizer)) for _ in range(STEPS)]


def _assert_tree_close(a, b):
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, 1e-3, 1e-5), a, dict(b))


# -- linen

@pytest.mark.parametrize("norm", sampled((False, True), ci={True}))
def test_linen_trained_as_in_flax(norm):
    flax = Linen(norm)
    module = FromLinen(flax, _variables(flax), mode="train")
    losses, variables = _trained_linen(flax, _variables(flax))
    np.testing.assert_allclose(_trained_by_torchlike(module), losses, 1e-4)
    _assert_tree_close(state_dict_to_tree(module.state_dict()), variables)
    module.eval()
    np.testing.assert_allclose(module(torch.tensor(X)).detach().numpy(), flax.apply(variables, X, train=False), 1e-3, 1e-4)


def test_the_comparison_sees_another_rate():
    flax = Linen()
    losses, _ = _trained_linen(flax, _variables(flax), rate=0.0505)
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(_trained_by_torchlike(FromLinen(flax, _variables(flax))), losses, 1e-4)


def test_linen_trained_by_optax():
    flax = Linen(norm=True)
    module = FromLinen(flax, _variables(flax))
    losses = _trained_by_torchlike(module, lambda params: torch.optim.Optax(params, optax.sgd(0.05, momentum=0.9)))
    np.testing.assert_allclose(losses, _trained_linen(flax, _variables(flax))[0], 1e-4)


def test_linen_names_and_state_dict():
    flax = Linen(norm=True)
    variables = _variables(flax)
    module = FromLinen(flax, variables)
    assert sorted(name for name, _ in module.named_parameters()) == [
        "params.BatchNorm_0.bias", "params.BatchNorm_0.scale", "params.Dense_0.bias", "params.Dense_0.kernel",
        "params.Dense_1.bias", "params.Dense_1.kernel"]
    assert sorted(name for name, _ in module.named_buffers()) == [
        "batch_stats.BatchNorm_0.mean", "batch_stats.BatchNorm_0.var"]
    _assert_tree_close(state_dict_to_tree(module.state_dict()), variables)
    _trained_by_torchlike(module)
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    again = FromLinen(flax, variables)
    again.load_state_dict(torch.load(file))
    x = torch.tensor(X)
    assert torch.equal(again(x), module(x))


def test_the_variables_are_left_alone():
    flax = Linen(norm=True)
    variables = _variables(flax)
    before = jax.tree.map(np.array, variables)
    _trained_by_torchlike(FromLinen(flax, variables))
    jax.tree.map(np.testing.assert_array_equal, before, variables)


@pytest.mark.parametrize(("mode", "argument"), [("train", {"train": False}), (None, {"train": False})])
def test_linen_modes(mode, argument):
    flax = Linen(norm=True, dropout=0.5)
    module = FromLinen(flax, _variables(flax), mode=mode, rngs=["dropout"])
    module.eval()
    x = torch.tensor(X)
    expected = flax.apply(_variables(flax), X, train=False)
    np.testing.assert_allclose(module(x, **({} if mode else argument)).detach().numpy(), expected, 1e-5, 1e-6)
    module.train()
    assert not torch.equal(module(x), module(x))


def test_linen_contrary_modes():
    module = FromLinen(linen.Dropout(0.5), {}, mode="deterministic", rngs=["dropout"])
    x = torch.ones(100)
    assert (module(x) == 0).any()
    assert torch.equal(module.eval()(x), x)


def test_linen_dropout_draws_from_torchlikes_generator():
    module = FromLinen(linen.Dropout(0.25, deterministic=False), {}, rngs=["dropout"])
    x = torch.ones(10000)
    torch.manual_seed(1)
    first, second = module(x), module(x)
    torch.manual_seed(1)
    assert torch.equal(module(x), first)
    assert not torch.equal(first, second)
    assert abs((first == 0).float().mean().item() - 0.25) < 0.02


def test_linen_errors():
    with pytest.raises(TypeError, match=r"takes a flax\.linen\.Module, not Linear"):
        FromLinen(torch.nn.Linear(2, 2), {})
    with pytest.raises(ValueError, match="an empty part or a dot"):
        FromLinen(linen.Dense(2), {"params": {"a.b": X}})
    with pytest.raises(TypeError, match="unhashable"):
        FromLinen(linen.Dense(8), linen.Dense(8).init(jax.random.key(0), X))(torch.tensor(X), other={1, 2})


# -- nnx

@pytest.mark.parametrize("norm", sampled((False, True), ci={True}))
def test_nnx_trained_as_in_flax(norm):
    flax = NNX(nnx.Rngs(0), norm)
    module = FromNNX(flax)
    losses = _trained_by_torchlike(module)
    np.testing.assert_allclose(losses, _trained_nnx(flax), 1e-4)
    np.testing.assert_allclose(module.state_dict()["last.kernel"].numpy(), flax.last.kernel[...], 1e-3, 1e-5)
    if norm:
        np.testing.assert_allclose(module.state_dict()["norm.mean"].numpy(), flax.norm.mean[...], 1e-4, 1e-5)
    flax.eval()
    np.testing.assert_allclose(module.eval()(torch.tensor(X)).detach().numpy(), flax(X), 1e-3, 1e-4)


def test_nnx_dropout_draws_the_numbers_of_flax():
    flax = NNX(nnx.Rngs(0), dropout=0.5)
    module = FromNNX(flax)
    np.testing.assert_allclose(_trained_by_torchlike(module), _trained_nnx(flax), 1e-4)
    assert module.state_dict()["dropout.rngs.count"].item() == STEPS


def test_nnx_names_and_state_dict():
    module = FromNNX(NNX(nnx.Rngs(0), norm=True))
    assert {name for name, _ in module.named_parameters()} == {
        "first.kernel", "first.bias", "last.kernel", "last.bias", "norm.scale", "norm.bias"}
    assert {"norm.mean", "norm.var"} <= {name for name, _ in module.named_buffers()}
    _trained_by_torchlike(module)
    again = FromNNX(NNX(nnx.Rngs(5), norm=True))
    again.load_state_dict(module.state_dict())
    x = torch.tensor(X)
    assert torch.equal(again(x), module(x))


def test_nnx_lists():
    class Layers(nnx.Module):
        def __init__(self, rngs):
            self.layers = nnx.List([nnx.Linear(3, 3, rngs=rngs) for _ in range(2)])

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    flax = Layers(nnx.Rngs(0))
    module = FromNNX(flax)
    assert "layers.1.kernel" in module.state_dict()
    np.testing.assert_allclose(module(torch.tensor(X)).detach().numpy(), flax(X), 1e-5, 1e-6)


def test_nnx_is_left_alone():
    flax = NNX(nnx.Rngs(0), norm=True)
    before = jax.tree.map(np.array, nnx.to_pure_dict(nnx.state(flax, nnx.Param)))
    _trained_by_torchlike(FromNNX(flax))
    jax.tree.map(np.testing.assert_array_equal, before, nnx.to_pure_dict(nnx.state(flax, nnx.Param)))


def test_nnx_errors():
    class Grows(nnx.Module):
        def __init__(self):
            self.w = nnx.Param(jnp.ones(2))

        def __call__(self, x, write):
            if write:
                self.w[...] = self.w[...] * 2
            else:
                self.other = nnx.BatchStat(jnp.ones(2))
            return x * self.w[...]

    module = FromNNX(Grows())
    with pytest.raises(UnsupportedError, match="writes to its Params"):
        module(torch.ones(2), True)
    with pytest.raises(UnsupportedError, match="changes its structure"):
        module(torch.ones(2), False)
    with pytest.raises(TypeError, match=r"takes a flax\.nnx\.Module, not Dense"):
        FromNNX(linen.Dense(2))


# -- both

def _of_linen(flax, *args):
    return FromLinen(flax, flax.init(jax.random.key(0), *args))


@pytest.mark.parametrize("make", [lambda: _of_linen(linen.Dense(4), X), lambda: FromNNX(nnx.Linear(3, 4, rngs=nnx.Rngs(0)))],
                         ids=["linen", "nnx"])
class TestBoth:
    def test_one_node_and_gradients_of_inputs(self, make):
        module, x = make(), torch.tensor(X, requires_grad=True)
        y = module(x)
        assert y.grad_fn.name() == "FlaxBackward0"
        assert any(getattr(node, "variable", None) is x for node, _ in y.grad_fn.next_functions)
        y.pow(2).sum().backward()
        state = {name.rpartition(".")[2]: p for name, p in module.named_parameters()}
        found = (2 * y @ state["kernel"].T).detach()
        assert torch.allclose(x.grad, found, rtol=1e-4, atol=1e-5)
        assert torch.allclose(state["bias"].grad, 2 * y.detach().sum(0), rtol=1e-4, atol=1e-5)

    def test_second_derivatives(self, make):
        module = make()
        x = torch.tensor(X, requires_grad=True)
        (g,) = torch.autograd.grad(module(x).tanh().sum(), x, create_graph=True)
        (h,) = torch.autograd.grad(g.sum(), x)
        kernel, bias = (next(p for n, p in module.named_parameters() if n.endswith(end)) for end in ("kernel", "bias"))
        z = torch.tensor(X, requires_grad=True)
        (g2,) = torch.autograd.grad((z @ kernel + bias).tanh().sum(), z, create_graph=True)
        (h2,) = torch.autograd.grad(g2.sum(), z)
        assert torch.allclose(h, h2, rtol=1e-4, atol=1e-5)

    def test_a_call_is_recorded_and_compiled_once(self, make):
        module, x = make(), torch.tensor(X)
        module(x).sum().item()
        made, runs = kernels.counters["kernels"], hot.counters["cold_runs"] + hot.counters["hot_runs"]
        y = module(x * 2)
        assert y._cell.array is None
        assert hot.counters["cold_runs"] + hot.counters["hot_runs"] == runs
        assert kernels.counters["kernels"] - made <= 1  # the product
        assert torch.equal(copy.deepcopy(module)(x * 2), y)

    def test_as_a_part_of_a_module(self, make):
        whole = torch.nn.Sequential(make(), torch.nn.ReLU(), torch.nn.Linear(4, 1))
        losses = _trained_by_torchlike(whole)
        assert losses[-1] < losses[0]
        whole.eval()
        assert not whole[0].training

    def test_there_and_back(self, make):
        module = make()
        model = ToNNX(module)
        found = nnx.jit(lambda model, x: model(x))(model, X)
        np.testing.assert_allclose(found, module(torch.tensor(X)).detach().numpy(), 1e-5, 1e-6)
        grads = nnx.grad(lambda model: (model(X) ** 2).sum())(model)
        module(torch.tensor(X)).pow(2).sum().backward()
        for got, p in zip(jax.tree.leaves(grads), sorted(module.named_parameters()), strict=True):
            np.testing.assert_allclose(got, p[1].grad.numpy(), 1e-4, 1e-4)

    def test_doubles_are_computed_in_32_bits_as_in_flax(self, make):
        module, x = make(), torch.tensor(X, dtype=torch.float64, requires_grad=True)
        y = module(x)
        assert y.dtype is torch.float32
        y.sum().backward()
        assert x.grad.dtype is torch.float64


@pytest.mark.parametrize(("flax", "args"), [
    (linen.Conv(4, (3, 3)), (np.ones((2, 8, 8, 3), np.float32),)),
    (linen.MultiHeadDotProductAttention(2, qkv_features=4), (np.ones((2, 5, 4), np.float32),)),
    (linen.Embed(7, 3), (np.arange(6).reshape(2, 3),)),
    (linen.LayerNorm(), (X,)),
    (linen.RNN(linen.LSTMCell(4)), (np.ones((2, 5, 3), np.float32),)),
], ids=["conv", "attention", "embedding", "norm", "lstm"])
def test_layers_and_their_gradients(flax, args):
    variables = flax.init(jax.random.key(0), *args)
    module = FromLinen(flax, variables)
    found = module(*map(torch.tensor, args))
    np.testing.assert_allclose(found.detach().numpy(), flax.apply(variables, *args), 1e-4, 1e-5)
    (found * found.cos()).sum().backward()

    def loss(params):
        output = flax.apply({"params": params}, *args)
        return (output * jnp.cos(output)).sum()

    grads = jax.grad(loss)(variables["params"])
    ours = state_dict_to_tree({name: p.grad for name, p in module.named_parameters()})
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, 1e-3, 1e-4), ours["params"], dict(grads))


def test_x64_is_the_users():
    assert not jax.config.jax_enable_x64
    with jax.enable_x64(True):
        flax = linen.Dense(4, param_dtype=jnp.float64)
        module = FromLinen(flax, flax.init(jax.random.key(0), X.astype(np.float64)))
        assert module(torch.tensor(X, dtype=torch.float64)).dtype is torch.float64
    assert not jax.config.jax_enable_x64
