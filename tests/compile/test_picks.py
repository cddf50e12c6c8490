"""Picks, writes to them and their gradients: wherever they begin they are compiled once, and each gives its own values."""

import pytest
import torch

import torchlike
from tests.speed import sampled
from torchlike._compile import picks

PICKS = {
    "x[i]": lambda x, i: x[i], "x[-i - 1]": lambda x, i: x[-i - 1], "x[:, i]": lambda x, i: x[:, i],
    "x[i:i + 3]": lambda x, i: x[i:i + 3], "x[:, i + 1:]": lambda x, i: x[:, i + 1:], "x[i:i]": lambda x, i: x[i:i],
    "x[i::2]": lambda x, i: x[i::2], "x[i, i]": lambda x, i: x[i, i], "x[..., i:-1]": lambda x, i: x[..., i:-1],
}


def source(t, dtype):
    return (t.arange(30) % 7 - 2).reshape(5, 6).to(getattr(t, dtype))


@pytest.mark.parametrize("dtype", sampled(("float32", "int64", "bool", "complex64", "bfloat16"), fast={"float32"}))
@pytest.mark.parametrize("form", PICKS)
def test_reads_and_writes(form, dtype):
    def run(t):
        found = []
        for i in range(4):
            x = source(t, dtype)
            found.append(PICKS[form](x * 1, i).tolist())
            y = x * 1
            PICKS[form](y, i).fill_(1)
            found.append(y.tolist())
        return found

    assert run(torchlike) == run(torch)


@pytest.mark.parametrize(("form", "compile"), sampled(
    PICKS, ("off", "now"), fast=lambda i, k: not k and i % 4 == 0, ci=2))
def test_gradients(form, compile):
    def run(t):
        found = []
        for i in range(4):
            x = source(t, "float64").requires_grad_()
            y = x * 2
            PICKS[form](y, i).mul_(3)
            first, = t.autograd.grad((PICKS[form](y, i) ** 3).sum() + (y ** 2).sum(), x, create_graph=True)
            second, = t.autograd.grad(first.pow(2).sum(), x)
            found += [first.tolist(), second.tolist()]
        return found

    with torchlike.configure(compile=compile):
        ours = run(torchlike)
    assert ours == run(torch)


def compiled_in_a_loop(count, columns) -> int:
    """How many kernels are compiled while rows are read, written and differentiated one by one."""
    x, out = torchlike.ones(count, columns, requires_grad=True), torchlike.zeros(count, columns)
    before = torchlike.counters()["kernel_compiles"]
    with torchlike.configure(compile="kernels"):
        for i in range(count):
            out[i] = x.detach()[i] * 2
            (g,) = torchlike.autograd.grad(x[i].sum() + x[i:i + 1].sum(), x)
            assert g.sum().item() + out[i].sum().item() == 4 * columns
    return torchlike.counters()["kernel_compiles"] - before


def test_a_loop_compiles_as_much_however_long_it_is():
    assert compiled_in_a_loop(40, 3) < 20


@pytest.mark.slow
def test_planted_kernels(monkeypatch):
    monkeypatch.setattr(picks, "place", lambda row, params, shape: None)
    assert compiled_in_a_loop(41, 5) > 80
