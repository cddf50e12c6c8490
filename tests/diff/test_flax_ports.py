"""Ports to flax and to what is like equinox: of whatever layout, with whatever is in their parameters, they are right."""

import dataclasses

import flax.linen
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch as real
from flax import nnx

import torchlike
from tests.speed import NONE, case, sampled
from torchlike._diff.deep import compare
from torchlike._diff.port_program import torch_of

pytestmark = pytest.mark.slow


def array(x) -> np.ndarray:
    return x.detach().numpy()


def drawn(*shape) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def images_of(torch):
    """Convolutions, batch norm and a linear layer, with statistics and scales that are no longer those of the start."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, padding=1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(),
                                torch.nn.MaxPool2d(2), torch.nn.Conv2d(4, 4, 3, padding=1, bias=False), torch.nn.Flatten(),
                                torch.nn.Linear(16, 5))
    with torch.no_grad():
        for x in (model[1].running_mean, model[1].weight, model[1].bias):
            x.add_(torch.rand(4))
        model[1].running_var.mul_(torch.rand(4) + 0.5)
    return model


class Images(flax.linen.Module):
    is_training: bool = False

    @flax.linen.compact
    def __call__(self, x):
        x = flax.linen.Conv(4, (3, 3))(x.transpose(0, 2, 3, 1))
        x = flax.linen.BatchNorm(use_running_average=not self.is_training, epsilon=1e-5, momentum=0.9)(x)
        x = flax.linen.max_pool(jax.nn.relu(x), (2, 2), (2, 2))
        x = flax.linen.Conv(4, (3, 3), use_bias=False)(x)
        return flax.linen.Dense(5)(x.transpose(0, 3, 1, 2).reshape(x.shape[0], -1))


def variables_of(model) -> dict:
    def kernel(layer):
        return array(layer.weight).transpose(2, 3, 1, 0)

    first, norm, second, last = model[0], model[1], model[4], model[6]
    return {"params": {"Conv_0": {"kernel": kernel(first), "bias": array(first.bias)}, "Conv_1": {"kernel": kernel(second)},
                       "BatchNorm_0": {"scale": array(norm.weight), "bias": array(norm.bias)},
                       "Dense_0": {"kernel": array(last.weight).T, "bias": array(last.bias)}},
            "batch_stats": {"BatchNorm_0": {"mean": array(norm.running_mean), "var": array(norm.running_var)}}}


@pytest.mark.parametrize(("torch", "is_training"), sampled([torchlike, real], [False, True], ci=NONE))
def test_images_in_linen(torch, is_training):
    model = images_of(torch).train(is_training)
    variables, port = variables_of(model), Images(is_training)
    against = (lambda v, x: port.apply(v, x, mutable=["batch_stats"])[0]) if is_training else port
    report = compare(model, against=against, params=variables, inputs=[drawn(2, 3, 4, 4)])
    assert report.ok and report.gradients > 12, str(report)
    rows = {row.ours: row for row in report.parameters.rows}
    assert rows["1.running_var"].theirs == "batch_stats.BatchNorm_0.var" and rows["0.weight"].how == "axes (3, 2, 0, 1)"
    assert torch_of(model) is torch


def test_a_wrong_eps_in_linen_is_found_at_its_scope():
    class Two(flax.linen.Module):
        @flax.linen.compact
        def __call__(self, x):
            x = flax.linen.LayerNorm(epsilon=1e-5)(flax.linen.Dense(6)(x))
            return flax.linen.LayerNorm(name="second")(jnp.tanh(x))

    model = torchlike.nn.Sequential(torchlike.nn.Linear(6, 6), torchlike.nn.LayerNorm(6), torchlike.nn.Tanh(),
                                    torchlike.nn.LayerNorm(6))
    ones, zeros = np.ones(6, np.float32), np.zeros(6, np.float32)
    params = {"Dense_0": {"kernel": array(model[0].weight).T, "bias": array(model[0].bias)},
              "LayerNorm_0": {"scale": ones, "bias": zeros}, "second": {"scale": ones, "bias": zeros}}
    first = compare(model, against=Two(), params={"params": params}, inputs=[drawn(3, 6)]).first
    assert first is not None and first.module == "3" and first.theirs.module == "Two/second"
    assert first.hints == ["theirs has eps = 1e-06, ours 1e-05"]


@pytest.mark.exhaustive
def test_nnx():
    port = nnx.Sequential(nnx.Linear(4, 8, rngs=nnx.Rngs(0)), nnx.LayerNorm(8, epsilon=1e-5, rngs=nnx.Rngs(0)), nnx.silu,
                          nnx.Linear(8, 2, rngs=nnx.Rngs(1)), nnx.Dropout(0.5, deterministic=True, rngs=nnx.Rngs(2)))
    model = torchlike.nn.Sequential(torchlike.nn.Linear(4, 8), torchlike.nn.LayerNorm(8), torchlike.nn.SiLU(),
                                    torchlike.nn.Linear(8, 2))
    with torchlike.no_grad():
        for i in (0, 3):
            model[i].weight.copy_(torchlike.tensor(np.array(port.layers[i].kernel[...]).T))
            model[i].bias.zero_()
    report = compare(model, against=port, inputs=[drawn(3, 4)])
    assert report.ok, str(report)
    assert {row.ours: row.theirs for row in report.parameters.rows}["3.weight"] == "layers.3.kernel"
    model[1].eps = 1e-3
    assert compare(model, against=port, inputs=[drawn(3, 4)]).first.module == "1"


@pytest.mark.parametrize("mistake", [case(False, ci=False), case(True, ci=False)])
def test_attention_with_heads_apart(mistake):
    """Ours has one weight for queries, keys and values, theirs an axis for heads."""
    model = torchlike.nn.MultiheadAttention(8, 2, batch_first=True)
    with torchlike.no_grad():
        model.in_proj_bias.copy_(torchlike.rand(24))
    weights, biases = (np.split(array(x), 3) for x in (model.in_proj_weight, model.in_proj_bias))
    params = {name: {"kernel": w.T.reshape(8, 2, 4), "bias": b.reshape(2, 4)}
              for name, w, b in zip(("query", "key", "value"), weights, biases, strict=True)}
    params["out"] = {"kernel": array(model.out_proj.weight).T.reshape(2, 4, 8), "bias": array(model.out_proj.bias)}
    if mistake:
        params["key"]["kernel"] = weights[1].reshape(8, 2, 4)
    port = flax.linen.MultiHeadDotProductAttention(2)
    report = compare(lambda torch, x: model(x, x, x)[0], against=lambda p, x: port.apply({"params": p}, x), params=params,
                     inputs=[drawn(3, 5, 8)])
    assert report.ok is not mistake, str(report)
    report = compare(Both(model), against=lambda p, x: port.apply({"params": p}, x), params=params, inputs=[drawn(3, 5, 8)])
    assert report.ok is not mistake and not report.parameters.theirs_left, str(report)


class Both(torchlike.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x, x, x, need_weights=False)[0]


@pytest.mark.exhaustive
def test_layers_in_a_scan():
    """Parameters that are stacked have no counterpart each; values and gradients have."""
    model = torchlike.nn.Sequential(*(torchlike.nn.Sequential(torchlike.nn.Linear(4, 4), torchlike.nn.Tanh())
                                      for _ in range(3)))
    params = {"kernel": np.stack([array(layer[0].weight).T for layer in model]),
              "bias": np.stack([array(layer[0].bias) for layer in model])}

    def apply(params, x, factor=1.0):
        def step(x, layer):
            return jnp.tanh(x @ layer["kernel"] * factor + layer["bias"]), None

        return jax.lax.scan(jax.checkpoint(step), x, params)[0]

    assert compare(model, against=jax.jit(apply), params=params, inputs=[drawn(2, 4)]).ok
    wrong = compare(model, against=lambda p, x: apply(p, x, 1.1), params=params, inputs=[drawn(2, 4)])
    assert wrong.first.module == "0.0"


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Dense:
    weight: jax.Array
    bias: jax.Array

    def __call__(self, x):
        return jax.vmap(lambda v: self.weight @ v + self.bias)(x)


@pytest.mark.exhaustive
def test_a_callable_that_is_a_pytree():
    model = torchlike.nn.Linear(3, 3)
    port = Dense(jnp.array(array(model.weight)), jnp.array(array(model.bias)))
    report = compare(model, against=port, inputs=[drawn(2, 3)])
    assert report.ok and report.parameters.rows[0].how == "as it is", str(report)


@pytest.mark.exhaustive
@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_other_precisions(dtype):
    model = torchlike.nn.Sequential(torchlike.nn.Linear(8, 8), torchlike.nn.GELU(), torchlike.nn.Linear(8, 8))
    model.to(getattr(torchlike, dtype))
    dtype = jnp.dtype(dtype)
    params = [tuple(array(x.double()).T.astype(dtype) for x in (model[i].weight, model[i].bias)) for i in (0, 2)]

    def apply(params, x):
        (a, b), (c, d) = params
        return jax.nn.gelu(x.astype(a.dtype) @ a + b, approximate=False) @ c + d

    report = compare(lambda torch, x: model(x.to(model[0].weight.dtype)), against=apply, params=params, inputs=[drawn(4, 8)])
    assert report.ok, str(report)
