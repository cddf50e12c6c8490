"""Modules of torchlike as modules of flax nnx: against a twin in flax, and against themselves trained by torchlike."""

import copy
import io

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx

import torchlike as torch
from tests.interop.training import losses_of
from tests.speed import sampled
from torchlike._base.errors import UnsupportedError
from torchlike.interop.flax import ToNNX

pytestmark = pytest.mark.slow

STEPS = 20
X = np.random.default_rng(0).standard_normal((16, 3)).astype(np.float32)
Y = X.sum(1, keepdims=True) ** 2


def _module(norm=False, dropout=0.0):
    torch.manual_seed(0)
    layers = [torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)]
    if norm:
        layers.insert(1, torch.nn.BatchNorm1d(8))
    if dropout:
        layers.insert(-1, torch.nn.Dropout(dropout))
    return torch.nn.Sequential(*layers)


@nnx.jit
def _step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda model: ((model(x) - y) ** 2).mean())(model)
    optimizer.update(model, grads)
    return loss


def _trained_by_nnx(model, tx, steps=STEPS):
    optimizer = nnx.Optimizer(model, tx, wrt=nnx.Param)
    return [float(_step(model, optimizer, X, Y)) for _ in range(steps)]


def _trained_by_torchlike(module, optimizer, steps=STEPS):
    return losses_of(module, optimizer, X, Y, steps)


class Twin(nnx.Module):
    """The same network in flax, with the values of `module`."""

    def __init__(self, module, norm):
        rngs = nnx.Rngs(0)
        self.first, self.last = nnx.Linear(3, 8, rngs=rngs), nnx.Linear(8, 1, rngs=rngs)
        # PyTorch's running variance is the unbiased one: it has no part in training
        self.norm = nnx.BatchNorm(8, momentum=0.9, epsilon=1e-5, rngs=rngs) if norm else None
        for mine, theirs in ((self.first, module[0]), (self.last, module[-1])):
            mine.kernel[...] = jnp.asarray(theirs.weight.detach().numpy().T)
            mine.bias[...] = jnp.asarray(theirs.bias.detach().numpy())

    def __call__(self, x):
        x = self.first(x)
        x = x if self.norm is None else self.norm(x)
        return self.last(jnp.tanh(x))


# Adam would make steps of the rounding errors that are the gradient of a bias before a norm
@pytest.mark.parametrize(("norm", "tx"), [
    (False, optax.sgd(0.05, momentum=0.9)), (False, optax.adam(1e-2)), (True, optax.sgd(0.05, momentum=0.9)),
], ids=["sgd", "adam", "norm"])
def test_trained_as_a_twin_in_flax(norm, tx):
    module = _module(norm)
    model, twin = ToNNX(module), Twin(module, norm)
    np.testing.assert_allclose(_trained_by_nnx(model, tx), _trained_by_nnx(twin, tx), 1e-4)
    np.testing.assert_allclose(getattr(model.module, "0").weight[...], twin.first.kernel[...].T, 1e-3, 1e-5)
    if norm:
        np.testing.assert_allclose(getattr(model.module, "1").running_mean[...], twin.norm.mean[...], 1e-4, 1e-6)


def test_the_comparison_sees_another_rate():
    module = _module()
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(_trained_by_nnx(ToNNX(module), optax.sgd(0.051)),
                                   _trained_by_nnx(Twin(module, False), optax.sgd(0.05)), 1e-4)


@pytest.mark.parametrize("norm", sampled((False, True), ci={True}))
def test_trained_as_by_torchlike(norm):
    module = _module(norm)
    model = ToNNX(module)
    theirs = _trained_by_nnx(model, optax.sgd(0.05, momentum=0.9))
    state = model.state_dict()
    ours = _trained_by_torchlike(module, torch.optim.SGD(module.parameters(), 0.05, momentum=0.9))
    np.testing.assert_allclose(ours, theirs, 1e-4)
    assert list(state) == list(module.state_dict())
    for name, value in module.state_dict().items():
        assert value.dtype is state[name].dtype
        assert torch.allclose(value, state[name], rtol=1e-3, atol=1e-5), name
    module.load_state_dict(state)


def test_kinds_and_names():
    module = _module(norm=True)
    module[0].bias.requires_grad_(False)
    model = ToNNX(module)
    parts = {kind: {path for path, _ in nnx.to_flat_state(nnx.state(model, kind))} for kind in (nnx.Param, nnx.BatchStat)}
    assert parts[nnx.Param] == {("module", *name.split(".")) for name, p in module.named_parameters() if p.requires_grad}
    assert parts[nnx.BatchStat] == {("module", *name.split(".")) for name, _ in module.named_buffers()}
    before = np.array(getattr(model.module, "0").bias[...])
    _trained_by_nnx(model, optax.sgd(0.1), 2)
    assert np.array_equal(getattr(model.module, "0").bias[...], before)


def test_the_module_is_left_alone():
    module = _module(norm=True)
    before = copy.deepcopy(module.state_dict())
    _trained_by_nnx(ToNNX(module), optax.sgd(0.1), 3)
    assert all(torch.equal(a, b) for a, b in zip(before.values(), module.state_dict().values(), strict=True))


def test_modes():
    module = _module(norm=True, dropout=0.5)
    module.eval()
    expected = module(torch.tensor(X)).detach().numpy()
    model = ToNNX(module, rngs=nnx.Rngs(dropout=0))
    np.testing.assert_allclose(model(X), expected, 1e-5, 1e-6)
    model.train()
    assert not np.allclose(model(X), expected)
    assert not module.training
    model.eval()
    stats = np.array(getattr(model.module, "1").running_mean[...])
    assert np.array_equal(model(X), model(X))
    assert np.array_equal(getattr(model.module, "1").running_mean[...], stats)


def test_a_part_may_have_a_mode_of_its_own():
    module = _module(norm=True)
    module[1].eval()
    model = ToNNX(module)
    model(X)
    assert getattr(model.module, "1").num_batches_tracked[...] == 0


def test_dropout_draws_new_numbers_in_each_call():
    dropout = torch.nn.Dropout(0.25)
    ones = np.ones((100, 100), np.float32)
    model, again = (ToNNX(dropout, rngs=nnx.Rngs(dropout=3)) for _ in range(2))
    call = nnx.jit(lambda model, x: model(x))
    first, second = call(model, ones), call(model, ones)
    assert not np.array_equal(first, second)
    assert np.array_equal(first, again(ones))
    assert set(np.unique(first)) == {0, np.float32(1 / 0.75)}
    assert abs(float((first == 0).mean()) - 0.25) < 0.02


@pytest.mark.parametrize(("draw", "mean", "deviation"), [
    (lambda x: torch.rand_like(x), 0.5, 12 ** -0.5), (lambda x: torch.randn_like(x), 0.0, 1.0),
    (lambda x: torch.randint(0, 10, x.shape).to(x.dtype), 4.5, 8.25 ** 0.5),
    (lambda x: torch.empty_like(x).exponential_(2.0), 0.5, 0.5), (lambda x: torch.empty_like(x).normal_(3.0, 2.0), 3.0, 2.0),
    (lambda x: torch.empty_like(x).uniform_(-1.0, 1.0), 0.0, 3 ** -0.5),
    (lambda x: torch.rand(x.shape, dtype=torch.float64).to(x.dtype), 0.5, 12 ** -0.5),
    (lambda x: torch.randn(x.shape, dtype=torch.bfloat16).to(x.dtype), 0.0, 1.0),
], ids=["rand", "randn", "randint", "exponential", "normal", "uniform", "float64", "bfloat16"])
def test_samplers(draw, mean, deviation):
    model = ToNNX(_Function(draw), rngs=nnx.Rngs(1))
    call = nnx.jit(lambda model, x: model(x))
    first, second = (np.asarray(call(model, jnp.zeros((200, 200), jnp.float32))) for _ in range(2))
    assert first.dtype == np.float32
    assert not np.array_equal(first, second)
    assert abs(first.mean() - mean) < 0.03
    assert abs(first.std() - deviation) < 0.03


class _Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def test_random_numbers_that_are_refused():
    x = jnp.ones((2, 2))
    with pytest.raises(RuntimeError, match="draws random numbers: give it rngs"):
        ToNNX(torch.nn.Dropout(0.5))(x)
    for draw, name in ((lambda x: torch.empty_like(x).cauchy_(), "'cauchy'"),
                       (lambda x: torch.rand(2, generator=torch.Generator()), r"torch\.Generator")):
        with pytest.raises(UnsupportedError, match=name):
            ToNNX(_Function(draw), rngs=nnx.Rngs(0))(x)


def test_tied_parameters():
    module = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    module[1].weight = module[0].weight
    model = ToNNX(module)
    assert len(jax.tree.leaves(nnx.state(model, nnx.Param))) == 3
    np.testing.assert_allclose(model(X), module(torch.tensor(X)).detach().numpy(), 1e-5, 1e-6)
    grads = nnx.grad(lambda m: (m(X) ** 2).sum())(model)
    (module(torch.tensor(X)) ** 2).sum().backward()
    np.testing.assert_allclose(grads["module"]["0"]["weight"][...], module[0].weight.grad.numpy(), 1e-4, 1e-4)
    assert list(model.state_dict()) == list(module.state_dict())


def test_structures_keywords_and_integers():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.nn.Embedding(10, 4)

        def forward(self, tokens, *, scale=1.0):
            found = self.table(tokens["ids"]) * scale
            return {"sum": found.sum(-1), "best": found.argmax(-1)}, "name"

    net = Net()
    ids = np.arange(6).reshape(2, 3)
    output, name = ToNNX(net)({"ids": jnp.asarray(ids)}, scale=2.0)
    expected, _ = net({"ids": torch.tensor(ids)}, scale=2.0)
    assert name == "name"
    np.testing.assert_allclose(output["sum"], expected["sum"].detach().numpy(), 1e-6)
    assert output["best"].tolist() == expected["best"].tolist()


def test_split_merge_and_clone():
    model = ToNNX(_module(norm=True))
    graph, state = nnx.split(model)
    np.testing.assert_allclose(nnx.merge(graph, state)(X), nnx.clone(model)(X))


def test_the_state_dict_can_be_saved():
    file = io.BytesIO()
    torch.save(ToNNX(_module(norm=True)).state_dict(), file)
    file.seek(0)
    _module(norm=True).load_state_dict(torch.load(file))
