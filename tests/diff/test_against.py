"""`torchlike.diff.compare(program, against=...)`: mistakes planted in a port are found at their layer, and a right port is
called right.
"""

import json
import pathlib
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch as real

import torchlike
from tests.speed import case
from torchlike import nn
from torchlike._base.errors import UnsupportedError
from torchlike._diff.deep import compare
from torchlike.nn import functional as F

DIM, HEADS, LENGTH, BATCH = 16, 2, 5, 2
DEEP, SHALLOW = 12, 3


def layers_of(torch):
    """A transformer of any depth, with torch's layers."""
    functional = torch.nn.functional

    class Attention(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = torch.nn.Linear(DIM, 3 * DIM)
            self.out = torch.nn.Linear(DIM, DIM)

        def forward(self, x):
            q, k, v = self.qkv(x).chunk(3, -1)
            q, k, v = (part.view(*x.shape[:2], HEADS, -1).transpose(1, 2) for part in (q, k, v))
            scores = q @ k.transpose(-1, -2)
            scores = scores / (DIM // HEADS) ** 0.5
            mixed = functional.softmax(scores, -1) @ v
            return self.out(mixed.transpose(1, 2).reshape(x.shape))

    class Block(torch.nn.Module):
        def __init__(self, p=0.0):
            super().__init__()
            self.norm1, self.norm2 = torch.nn.LayerNorm(DIM), torch.nn.LayerNorm(DIM)
            self.attention = Attention()
            self.up, self.down = torch.nn.Linear(DIM, 2 * DIM), torch.nn.Linear(2 * DIM, DIM)
            self.drop = torch.nn.Dropout(p)

        def forward(self, x):
            x = x + self.attention(self.norm1(x))
            y = self.up(self.norm2(x))
            y = functional.gelu(y)
            y = self.drop(y)
            return x + self.down(y)

    class Model(torch.nn.Module):
        def __init__(self, depth, p=0.0):
            super().__init__()
            self.embed = torch.nn.Embedding(11, DIM)
            self.blocks = torch.nn.ModuleList([Block(p) for _ in range(depth)])
            self.norm = torch.nn.LayerNorm(DIM)

        def forward(self, ids):
            x = self.embed(ids)
            for block in self.blocks:
                x = block(x)
            return self.norm(x).var(-1, correction=0) + x.mean(-1)

    return Model


def model_of(torch, depth=SHALLOW, p=0.0):
    torch.manual_seed(0)
    return layers_of(torch)(depth, p)


def ported(model) -> dict:
    """Its parameters as one writes them in JAX: kernels transposed, q, k and v apart."""
    state = {name: x.detach().numpy() for name, x in model.state_dict().items()}

    def dense(name, array=None):
        array = state[f"{name}.weight"] if array is None else array
        return {"kernel": array.T, "bias": state[f"{name}.bias"]}

    def norm(name):
        return {"scale": state[f"{name}.weight"], "bias": state[f"{name}.bias"]}

    params = {"embed": {"embedding": state["embed.weight"]}, "final": norm("norm")}
    for i in range(len(model.blocks)):
        name = f"blocks.{i}"
        weights = np.split(state[f"{name}.attention.qkv.weight"], 3)
        biases = np.split(state[f"{name}.attention.qkv.bias"], 3)
        attention: dict = {key: {"kernel": w.T, "bias": b} for key, w, b in zip("qkv", weights, biases, strict=True)}
        attention["out"] = dense(f"{name}.attention.out")
        params[f"block_{i}"] = {"ln_1": norm(f"{name}.norm1"), "ln_2": norm(f"{name}.norm2"), "attention": attention,
                                "fc_1": dense(f"{name}.up"), "fc_2": dense(f"{name}.down")}
    return params


@jax.custom_vjp
def wrong_gelu(x):
    return jax.nn.gelu(x, approximate=False)


wrong_gelu.defvjp(lambda x: (wrong_gelu(x), x), lambda x, g: (g * jax.nn.sigmoid(1.702 * x),))


def layer_norm(p, x, eps=1e-5, ddof=0):
    mean = x.mean(-1, keepdims=True)
    variance = x.var(-1, keepdims=True, ddof=ddof)
    return (x - mean) * jax.lax.rsqrt(variance + eps) * p["scale"] + p["bias"]


def linear(p, x):
    return x @ p["kernel"] + p["bias"]


def attend(p, x, mistake):
    q, k, v = (linear(p[key], x).reshape(*x.shape[:2], HEADS, -1) for key in "qkv")
    if mistake == "stopped":
        k = jax.lax.stop_gradient(k)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k)
    if mistake != "scale":
        scores = scores * (DIM // HEADS) ** -0.5
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
    return linear(p["out"], mixed.reshape(x.shape))


def block(p, x, mistake=None):
    x = x + attend(p["attention"], layer_norm(p["ln_1"], x), mistake)
    y = layer_norm(p["ln_2"], x, 1e-3 if mistake == "eps" else 1e-5, 1 if mistake == "ddof" else 0)
    up = p["fc_1"]
    if mistake == "frozen":
        up = {**up, "kernel": jax.lax.stop_gradient(up["kernel"])}
    y = linear(up, y)
    if mistake == "vjp":
        y = wrong_gelu(y)
    else:
        y = jax.nn.gelu(y, approximate=mistake == "tanh")
    if mistake == "dropout":
        y = y * jax.random.bernoulli(jax.random.key(0), 0.9, y.shape) / 0.9
    return x + linear(p["fc_2"], y)


def apply(params, ids, mistakes=()):
    x = params["embed"]["embedding"][ids]
    for i in range(len(params) - 2):
        x = block(params[f"block_{i}"], x, dict(mistakes).get(i))
    return layer_norm(params["final"], x).var(-1) + x.mean(-1)


def tokens() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 11, (BATCH, LENGTH))


def text_at(place) -> str:
    return pathlib.Path(place.file).read_text().splitlines()[place.line - 1].strip()


@pytest.mark.parametrize(("torch", "depth"), [case(torchlike, DEEP), case(torchlike, SHALLOW, ci=False),
                                               case(real, DEEP, ci=False)])
def test_a_right_port_is_right(torch, depth):
    model = model_of(torch, depth)
    before = {name: np.array(x.detach().numpy()) for name, x in model.state_dict().items()}
    report = compare(model, against=apply, params=ported(model), inputs=[tokens()])
    assert report.ok and report.first is None, str(report)
    assert report.values[0] > 15 * depth and report.gradients > 20 * depth
    rows = {row.label: row for row in report.parameters.rows}
    assert not report.parameters.ours_left and not report.parameters.theirs_left
    assert rows["blocks.1.up.weight"].theirs == "block_1.fc_1.kernel" and rows["blocks.1.up.weight"].how == "transposed"
    assert rows[f"blocks.1.attention.qkv.weight[{DIM}:{2 * DIM}]"].theirs == "block_1.attention.k.kernel"
    assert rows["blocks.2.norm2.weight"].theirs == "block_2.ln_2.scale"
    assert not any(row.finding for row in rows.values())
    assert all(np.array_equal(x.detach().numpy(), before[name]) and x.grad is None for name, x in model.state_dict().items())
    assert "no parting" in str(report) and "transposed" in str(report)
    json.dumps(report.json(), allow_nan=False)


# What is planted: (our module, our line, their line, a hint); {} is the number of the block.
FORWARD = {
    "eps": ("blocks.{}.norm2", "y = self.up(self.norm2(x))", "return (x - mean) * jax.lax.rsqrt(variance + eps)",
            "eps = 0.001, ours 1e-05"),
    "ddof": ("blocks.{}.norm2", "y = self.up(self.norm2(x))", "variance = x.var(-1, keepdims=True, ddof=ddof)",
             "unbiased variance"),
    "scale": ("blocks.{}.attention", "scores = scores / (DIM // HEADS)", "jax.nn.softmax(scores)",
              "times 2.82843, the square"),
    "tanh": ("blocks.{}", "y = functional.gelu(y)", "y = jax.nn.gelu(y, approximate=", "theirs is gelu by tanh"),
    "dropout": ("blocks.{}", "return x + self.down(y)", "y = y * jax.random.bernoulli(", "drawn by chance"),
}


@pytest.mark.parametrize(("mistake", "at", "depth"), [
    *(case(mistake, 1, SHALLOW) for mistake in FORWARD),
    *(case(mistake, 8, DEEP, ci=mistake == "scale") for mistake in FORWARD)])
def test_a_mistake_in_a_layer_is_found(mistake, at, depth):
    model = model_of(torchlike, depth)
    report = compare(model, against=lambda p, x: apply(p, x, {at: mistake}), params=ported(model), inputs=[tokens()])
    module, line, their_line, hint = FORWARD[mistake]
    first = report.first
    assert first is not None and not report.ok and first.kind == "forward"
    assert first.module.startswith(module.format(at)), str(report)
    assert line in text_at(first.ours) and their_line in text_at(first.theirs), str(report)
    assert any(hint in text for text in first.hints), str(report)


BACKWARD = {"vjp": ("blocks.{}", "y = functional.gelu(y)", "custom_vjp"),
            "frozen": ("blocks.{}.up", "y = self.up(self.norm2(x))", "stop_gradient"),
            "stopped": ("blocks.{}.attention", "scores = q @ k.transpose(-1, -2)", "stop_gradient")}


@pytest.mark.parametrize(("mistake", "at", "depth"), [
    case("vjp", 8, DEEP), case("stopped", 8, DEEP, ci=False),
    *(case(mistake, 1, SHALLOW, ci=False) for mistake in BACKWARD)])
def test_a_mistake_in_a_gradient_is_found(mistake, at, depth):
    model = model_of(torchlike, depth)
    report = compare(model, against=lambda p, x: apply(p, x, {at: mistake}), params=ported(model), inputs=[tokens()])
    module, line, hint = BACKWARD[mistake]
    first = report.first
    assert first is not None and first.kind == "backward", str(report)
    assert first.module == module.format(at) and line in text_at(first.ours), str(report)
    assert any(hint in text for text in first.hints), str(report)


@pytest.mark.parametrize("what", [case("transposed", fast=True), case("value")])
def test_a_wrong_parameter_is_found(what):
    model = model_of(torchlike)
    params = ported(model)
    wrong = params["block_1"]["attention"]["out"]
    wrong["kernel"] = wrong["kernel"].T if what == "transposed" else wrong["kernel"] + np.eye(DIM, dtype=np.float32)
    report = compare(model, against=apply, params=params, inputs=[tokens()])
    first = report.first
    assert first is not None and first.kind == "forward" and first.module == "blocks.1.attention.out", str(report)
    row = next(row for row in report.parameters.rows if row.ours == "blocks.1.attention.out.weight")
    assert row.theirs == "block_1.attention.out.kernel" and row.finding in str(first)
    assert ("not transposed, where a kernel is" if what == "transposed" else "values differ, by") in row.finding


@pytest.mark.slow
@pytest.mark.exhaustive
def test_dropout_that_is_on_in_ours():
    model = model_of(torchlike, p=0.1)
    first = compare(model, against=apply, params=ported(model), inputs=[tokens()]).first
    assert first is not None and first.module == "blocks.0.drop" and "dropout is on in ours" in first.hints[0]
    assert compare(model.eval(), against=apply, params=ported(model), inputs=[tokens()]).ok


@pytest.mark.slow
def test_a_mapping_corrects_the_table():
    layer = nn.Linear(3, 3, bias=False)
    params = {"odd": 2 * layer.weight.detach().numpy().T}

    def port(params, x):
        return x @ (params["odd"] / 2)

    x = np.ones((2, 3), np.float32)
    found = compare(layer, against=port, params=params, inputs=[x], mapping={"odd": ("weight", lambda w: w.T / 2)})
    assert [row.sure for row in found.parameters.rows] == ["given"] and found.parameters.rows[0].difference == 0
    for wrong, text in (({"even": "weight"}, "no parameter 'even'"), ({"odd": "wait"}, "did you mean weight"),
                        ({"odd": ("weight", lambda w: w[0])}, "gives")):
        with pytest.raises(ValueError, match=text):
            compare(layer, against=port, params=params, inputs=[x], mapping=wrong)


@pytest.mark.slow
def test_a_function_with_a_loss():
    w = torchlike.full((3,), 0.5, requires_grad=True)
    b = torchlike.arange(3.0).requires_grad_()

    def program(torch, x):
        return F.softplus(x * w + b)

    def port(params, x):
        return jax.nn.softplus(x * params["w"] + params["b"])

    params, x = {"w": w.detach().numpy(), "b": b.detach().numpy()}, np.ones((2, 3), np.float32)
    losses = (lambda y: y.pow(2).mean(), lambda y: jnp.mean(y ** 2))
    report = compare(program, against=port, params=params, inputs=[x], loss=losses)
    assert report.ok and {row.ours for row in report.parameters.rows} == {"w", "b"}, str(report)
    other = compare(program, against=port, params=params, inputs=[x], loss=(losses[0], lambda y: jnp.mean(y ** 3)))
    assert other.first is not None and text_at(other.first.ours).startswith("losses = ")
    assert w.grad is None and w.dtype == torchlike.float32
    with pytest.raises(ValueError, match=r"must give one number, and gives \[2, 3\]"):
        compare(program, against=port, params=params, inputs=[x], loss=lambda y: y)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize(("port", "text"), [
    (lambda y: y[::-1], "the same numbers as theirs in another order; theirs has the result"),
    (lambda y: y[:1], r"is \[2, 3\] and theirs \[1, 3\]"), (lambda y: y.T, ""),
    (lambda y: jax.lax.while_loop(lambda v: v.sum() < -1e9, lambda v: v + 1, y), "jax.vjp of theirs raises ValueError")])
def test_outputs_in_another_order_and_shape(port, text):
    model = nn.Linear(4, 3)
    params = {"w": model.weight.detach().numpy(), "b": model.bias.detach().numpy()}
    x = np.random.default_rng(0).standard_normal((2, 4)).astype(np.float32)
    report = compare(model, against=lambda p, x: port(x @ p["w"].T + p["b"]), params=params, inputs=[x])
    assert report.ok is not bool(text) and re.search(text, str(report.first)), str(report)


@pytest.mark.slow
def test_a_program_without_inputs():
    report = compare(lambda torch: torch.arange(3.0) * 2, against=lambda p: p["a"] * 3, inputs=(),
                     params={"a": np.arange(3, dtype=np.float32)})
    assert report.first is not None and report.first.ours.operator == "mul" and "times 1.5" in report.first.hints[0]


@pytest.mark.parametrize(("arguments", "error", "text"), [
    ({"against": apply}, ValueError, "params= is missing"), ({"against": 3, "params": {}}, TypeError, "must be callable"),
    ({"params": {}}, TypeError, "go with against="),
    ({"against": apply, "engines": ("tape",)}, TypeError, "goes with neither"),
    ({"against": apply, "params": {}, "program": "a.py"}, UnsupportedError, "a script with against=")])
def test_wrong_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        compare(**{"program": nn.Linear(1, 1), "inputs": [np.ones(1)], **arguments})
