"""Optimizers against real torch: ten steps of every option set, state_dicts, errors, compiles."""

import importlib

import pytest
import torch

import torchlike
from tests.speed import sampled
from torchlike._compile.executors import hot
from torchlike.optim import rule_optimizer

OPTIONS = [
    ("SGD", {"lr": 0.1}), ("SGD", {"lr": 0.1, "momentum": 0.9}), ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.01}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.1, "maximize": True}),
    ("Adam", {}), ("Adam", {"lr": 0.1, "betas": (0.5, 0.9), "eps": 1e-3}), ("Adam", {"weight_decay": 0.1}),
    ("Adam", {"amsgrad": True}), ("Adam", {"maximize": True}),
    ("AdamW", {}), ("AdamW", {"lr": 0.05, "weight_decay": 0.3, "amsgrad": True}),
]


def train(lib, name, options, steps=10):
    lib.manual_seed(0)
    model = lib.nn.Sequential(lib.nn.Linear(4, 8), lib.nn.Tanh(), lib.nn.Linear(8, 2))
    optimizer = getattr(lib.optim, name)(model.parameters(), **options)
    inputs, targets = lib.randn(6, 4), lib.randn(6, 2)
    for _ in range(steps):
        optimizer.zero_grad()
        (model(inputs) - targets).pow(2).mean().backward()
        optimizer.step()
    return model, optimizer


@pytest.mark.parametrize(("name", "options"), sampled(OPTIONS, fast=5), ids=lambda v: str(v))
def test_ten_steps(name, options):
    mine, my_optimizer = train(torchlike, name, options)
    theirs, their_optimizer = train(torch, name, options)
    for a, b in zip(mine.parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(torch.tensor(a.tolist()), b, rtol=2e-4, atol=2e-6)
    a, b = my_optimizer.state_dict(), their_optimizer.state_dict()
    assert a["param_groups"] == b["param_groups"]
    assert a["state"].keys() == b["state"].keys()
    for key, entry in b["state"].items():
        assert a["state"][key].keys() == entry.keys()
        for part, value in entry.items():
            found = a["state"][key][part]
            assert (found is None) == (value is None)
            if value is not None:
                assert str(found.dtype) == str(value.dtype)
                assert torch.allclose(torch.tensor(found.tolist()), value, rtol=2e-4, atol=2e-6)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW"])
def test_state_dict_round_trip(name):
    options = {"lr": 0.1, **({"momentum": 0.9} if name == "SGD" else {})}
    whole, _ = train(torchlike, name, options, steps=6)
    part, optimizer = train(torchlike, name, options, steps=3)
    again = getattr(torchlike.optim, name)(part.parameters(), lr=7.0)
    again.load_state_dict(optimizer.state_dict())
    torchlike.manual_seed(0)
    torchlike.nn.Sequential(torchlike.nn.Linear(4, 8), torchlike.nn.Tanh(), torchlike.nn.Linear(8, 2))
    inputs, targets = torchlike.randn(6, 4), torchlike.randn(6, 2)
    for _ in range(3):
        again.zero_grad()
        (part(inputs) - targets).pow(2).mean().backward()
        again.step()
    for a, b in zip(part.parameters(), whole.parameters(), strict=True):
        assert torchlike.allclose(a, b, atol=1e-6)


@pytest.mark.parametrize("make", [
    lambda t: t.optim.SGD([], lr=0.1), lambda t: t.optim.SGD(t.ones(2), lr=0.1), lambda t: t.optim.SGD([1.0], lr=0.1),
    lambda t: t.optim.SGD([t.ones(2, requires_grad=True)], lr=-1.0), lambda t: t.optim.Adam([t.ones(2)], betas=(1.0, 0.9)),
    lambda t: t.optim.SGD([t.ones(2, requires_grad=True) * 2], lr=0.1),
    lambda t: t.optim.SGD([t.ones(2)], lr=0.1, nesterov=True),
], ids=range(7))
def test_errors(make):
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - whatever torch raises
        make(torch)
    with pytest.raises(theirs.type) as mine:
        make(torchlike)
    assert str(mine.value) == str(theirs.value)


@pytest.mark.slow
@pytest.mark.exhaustive  # waits for what other tests left to the compiler; test_lr_scheduler.py has a fast one
def test_a_hundred_learning_rates_compile_at_most_twice():
    x = torchlike.ones(3, requires_grad=True)
    optimizer = torchlike.optim.SGD([x], lr=0.1)

    def step(rate):
        optimizer.param_groups[0]["lr"] = rate
        optimizer.zero_grad()
        (x * x).sum().backward()
        optimizer.step()
        return x.sum().item()

    with torchlike.configure(compile="now"):
        step(0.1)
        step(0.1)
        expected = x[0].item()
        hot.compiler.wait()
        before = hot.counters["programs"]
        for i in range(100):
            rate = 0.001 * (i + 1)
            expected = expected - rate * 2 * expected
            assert abs(step(rate) - 3 * expected) < 1e-4
        assert hot.counters["programs"] - before <= 2


@pytest.mark.parametrize("options", [{"momentum": 0.9, "dampening": 0.5}, {"momentum": 0.9}], ids=str)
def test_a_first_step_that_is_interrupted(monkeypatch, options):
    """The next one is the first, for a momentum buffer as well; PyTorch's is interrupted where it computes."""
    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    found = []
    theirs = importlib.import_module("torch.optim.sgd")
    for lib, module, name in ((torch, theirs, "sgd"), (torchlike, rule_optimizer, "record")):
        p = lib.nn.Parameter(lib.tensor([1.0, 2.0]))
        optimizer = lib.optim.SGD([p], lr=0.5, **options)
        p.square().sum().backward()
        with monkeypatch.context() as patch:
            patch.setattr(module, name, stop)
            with pytest.raises(KeyboardInterrupt):
                optimizer.step()
        states = [{**state} for state in optimizer.state.values()]
        optimizer.step()
        optimizer.step()
        found.append((states, p.tolist(), optimizer.state[p]["momentum_buffer"].tolist()))
    assert found[0] == found[1]


def test_a_step_bumps_versions_and_keeps_identity():
    x = torchlike.ones(3, requires_grad=True)
    view = x.detach()
    optimizer = torchlike.optim.Adam([x])
    x.sum().backward()
    optimizer.step()
    assert x._version == 1
    assert torchlike.equal(view, x.detach())
