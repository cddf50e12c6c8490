"""Averaged models, their batch norms and SWALR's place among schedulers, against real torch."""

import copy

import pytest
import torch

import torchlike
from compat import compare
from compat.compare import tolerances
from compat.optimizers.running import convert
from tests.speed import sampled

LIBS = (torch, torchlike)
WAYS = {
    "mean": lambda u: {}, "buffers": lambda u: {"use_buffers": True},
    "avg_fn": lambda u: {"avg_fn": u.get_swa_avg_fn()}, "ema": lambda u: {"avg_fn": u.get_ema_avg_fn(0.9)},
    "ema buffers": lambda u: {"avg_fn": u.get_ema_avg_fn(), "use_buffers": True},
    "multi": lambda u: {"multi_avg_fn": u.get_swa_multi_avg_fn()},
    "multi buffers": lambda u: {"multi_avg_fn": u.get_swa_multi_avg_fn(), "use_buffers": True},
    "multi ema": lambda u: {"multi_avg_fn": u.get_ema_multi_avg_fn(0.7)},
    "multi ema buffers": lambda u: {"multi_avg_fn": u.get_ema_multi_avg_fn(0.4), "use_buffers": True},
    "own": lambda u: {"avg_fn": lambda mean, new, count: mean + new * count},
    "device": lambda u: {"device": "cpu"},
    "both": lambda u: {"avg_fn": u.get_swa_avg_fn(), "multi_avg_fn": u.get_swa_multi_avg_fn()},
}


def network(lib):
    lib.manual_seed(3)
    return lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.BatchNorm1d(4), lib.nn.Linear(4, 3))


def same(function):
    compare.check(function, tolerance=tolerances.steps(*tolerances.AVERAGES))


@pytest.mark.parametrize("way", sampled(WAYS, fast=3))
def test_averages(way):
    def run(lib):
        model = network(lib)
        mean = lib.optim.swa_utils.AveragedModel(model, **WAYS[way](lib.optim.swa_utils))
        optimizer = lib.optim.SGD(model.parameters(), lr=0.01)
        states = [mean.state_dict()]
        for i in range(4):
            optimizer.zero_grad()
            model((lib.arange(18.0) * (i + 1)).sin().reshape(6, 3)).pow(2).sum().backward()
            optimizer.step()
            mean.update_parameters(model)
            states.append(copy.deepcopy(mean.state_dict()))
        return [*states, mean(lib.arange(18.0).cos().reshape(6, 3)), [p.requires_grad for p in mean.parameters()]]

    same(run)


@pytest.mark.parametrize("function", [
    lambda u: u.get_ema_avg_fn(1.5), lambda u: u.get_ema_avg_fn(-0.1), lambda u: u.get_ema_multi_avg_fn(2),
    lambda u: u.get_ema_multi_avg_fn(-1), lambda u: u.AveragedModel(3)(1),
], ids=range(5))
def test_errors(function):
    same(lambda lib: function(lib.optim.swa_utils))


@pytest.mark.parametrize("name", ["get_swa_avg_fn", "get_ema_avg_fn"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64", "complex64"])
def test_single_functions(name, dtype):
    def run(lib):
        mean, new = lib.tensor([1, 2, 5], dtype=getattr(lib, dtype)), lib.tensor([4, 1, 2], dtype=getattr(lib, dtype))
        function = getattr(lib.optim.swa_utils, name)()
        return [function(mean, new, 3), function(mean, new, lib.tensor(2))]

    same(run)


@pytest.mark.parametrize("name", ["get_swa_multi_avg_fn", "get_ema_multi_avg_fn"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int64", "complex64"])
@pytest.mark.parametrize("tensor", [False, True])
def test_functions_of_lists(name, dtype, tensor):
    def run(lib):
        means, news = ([lib.tensor(numbers, dtype=getattr(lib, dtype)) for numbers in (first, first[::-1])]
                       for first in ([1, 2, 5], [4, 1, 2]))
        count = lib.tensor(2) if tensor else 2
        out = getattr(lib.optim.swa_utils, name)()(means, news, count)
        return [means, news, out]

    same(run)


@pytest.mark.parametrize("form", ["tensor", "tuple", "list"])
@pytest.mark.parametrize("training", [False, True])
def test_update_bn(form, training):
    def run(lib):
        model = network(lib).train(training)
        batches = [lib.linspace(-i, 2, 18).reshape(6, 3) for i in range(3)]
        wrap = {"tensor": lambda x: x, "tuple": lambda x: (x, 1), "list": lambda x: [x, 1]}[form]
        out = lib.optim.swa_utils.update_bn(map(wrap, batches), model, *(() if training else ("cpu",)))
        return [model.state_dict(), out, model.training, model[1].momentum]

    same(run)


def test_update_bn_without_norms_reads_no_batch():
    same(lambda lib: lib.optim.swa_utils.update_bn(None, lib.nn.Linear(2, 2)))


@pytest.mark.parametrize("giver", LIBS, ids=lambda lib: f"from {lib.__name__}")
def test_state_goes_to_the_other_library(giver):
    taker = torchlike if giver is torch else torch
    first, second = (lib.optim.swa_utils.AveragedModel(network(lib)) for lib in (giver, taker))
    first.update_parameters(network(giver))
    second.load_state_dict(convert(dict(first.state_dict()), taker))
    for mean, lib in ((first, giver), (second, taker)):
        other = network(lib)
        with lib.no_grad():
            other[0].weight.add_(1)
        mean.update_parameters(other)
    states = [compare.describe(optimizer.state_dict()) for optimizer in (first, second)]
    assert not compare.difference(*states, tolerances.steps(*tolerances.AVERAGES))


# -- an optimizer on other parameters for a while

def adam(lib):
    params = [lib.nn.Parameter(lib.tensor([1.0, 2.0])), lib.nn.Parameter(lib.tensor([3.0, 4.0]))]
    optimizer = lib.optim.Adam([{"params": params[:1]}, {"params": params[1:], "lr": 0.1}])
    advance(lib, optimizer)
    return params, optimizer


def advance(lib, optimizer):
    for group in optimizer.param_groups:
        for p in group["params"]:
            p.grad = lib.tensor([0.5, -2.0])
    optimizer.step()


def swapped(lib):
    params, optimizer = adam(lib)
    state = copy.deepcopy(optimizer.state_dict())
    state["param_groups"][0]["lr"] = 0.5
    others = {"a": lib.tensor([5.0, 6.0]), "b": lib.tensor([7.0, 8.0])}
    with lib.optim.swap_in_optimizer_params_and_state(optimizer, others, state):
        inside = [optimizer.param_groups[0]["params"][0] is others["a"], optimizer.param_groups[0]["lr"]]
        advance(lib, optimizer)
        inside.append(copy.deepcopy(optimizer.state_dict()))
        optimizer.param_groups[0]["new"] = 1
    whole = optimizer.param_groups[0]["params"][0] is params[0]
    advance(lib, optimizer)
    return [inside, whole, others, state, params, optimizer.state_dict()]


SPOILED = [
    lambda s: 3, lambda s: {**s, "state": []}, lambda s: {"param_groups": s["param_groups"]},
    lambda s: {**s, "param_groups": ()},
    lambda s: {**s, "state": {0: 3}}, lambda s: {**s, "param_groups": s["param_groups"][:1]},
    lambda s: {**s, "param_groups": [3, 4]}, lambda s: {**s, "param_groups": [{}, {}]},
    lambda s: {**s, "param_groups": [{**g, "params": ["x"]} for g in s["param_groups"]]},
    lambda s: {**s, "param_groups": [{**g, "params": [0, 1]} for g in s["param_groups"]]},
    lambda s: {**s, "param_groups": [{**g, "more": 1} for g in s["param_groups"]]},
    lambda s: {**s, "param_groups": [{k: v for k, v in g.items() if k != "lr"} for g in s["param_groups"]]},
    lambda s: {**s, "state": {**s["state"], 7: {}}}, lambda s: {**s, "state": {**s["state"], "x": {}}},
]


def refused(lib, spoil, names=("a", "b")):
    _, optimizer = adam(lib)
    others = {name: lib.tensor([5.0, 6.0]) for name in names}
    with lib.optim.swap_in_optimizer_params_and_state(optimizer, others, spoil(optimizer.state_dict())):
        pass


def fresh(lib):
    optimizer = lib.optim.Adam([lib.nn.Parameter(lib.ones(2))])
    with lib.optim.swap_in_optimizer_params_and_state(optimizer, {}, optimizer.state_dict()):
        pass


@pytest.mark.parametrize("function", [
    swapped, fresh, *(lambda lib, spoil=spoil: refused(lib, spoil) for spoil in SPOILED),
    lambda lib: refused(lib, lambda s: s, ("a",)), lambda lib: refused(lib, lambda s: s, ("a", "b", "c")),
    lambda lib: refused(lib, lambda s: {**s, "state": {lib.ones(1): {}}}),
], ids=range(len(SPOILED) + 5))
def test_swap(function):
    same(function)
