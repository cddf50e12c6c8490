"""What a step is made of, against PyTorch on the same program."""

import importlib
import sys

import pytest
import torch
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.utils.flop_counter import FlopCounterMode

import torchlike
from benchmarks.programs import gpt
from tests.speed import sampled
from torchlike._plan import recording
from torchlike._plan.recording import NoStepError, watched

PROGRAMS = ("mlp", "cnn", "gpt", "checkpoints")
ATTENTION = "ScaledDotProduct"  # which PyTorch's counter leaves out on the CPU


def step_of(name, library):
    """A step of one of the benchmarks' programs, as a function."""
    if name == "checkpoints":
        return gpt.make_step(library, lambda module: module, gpt.Size(depth=2, checkpoint=True))
    return importlib.import_module(f"benchmarks.programs.{name}").make_step(library, lambda module: module)


def loop(name, library=torchlike, count=4):
    """A function that takes some steps."""
    step = step_of(name, library)

    def run():
        for _ in range(count):
            step()

    return run


def theirs(name):
    """(FLOPs, bytes saved for backward, their optimizer) of a step under PyTorch."""
    step = step_of(name, torch)
    step()
    optimizers, found = [], {}
    handle = register_optimizer_step_post_hook(lambda optimizer, *rest: optimizers.append(optimizer))

    def pack(x):
        found[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
        return x

    with FlopCounterMode(display=False) as counter:
        step()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        step()
    handle.remove()
    known = {p.untyped_storage().data_ptr() for group in optimizers[-1].param_groups for p in group["params"]}
    saved = sum(size for place, size in found.items() if place not in known)
    return counter.get_total_flops(), saved, optimizers[-1]


@pytest.mark.parametrize("name", sampled(PROGRAMS, fast={"mlp"}, ci={"gpt", "checkpoints"}))
def test_against_pytorch(name):
    step, _ = watched(loop(name), 2)
    flops, saved, optimizer = theirs(name)
    found = [x for x in step.operations if ATTENTION in x.name]
    attention = sum(x.flops + x.backward_flops for x in found)
    if name == "checkpoints":
        attention += sum(x.flops for x in found)  # which is computed again
    assert step.flops - attention == flops
    kept = sum(x.saved for x in step.operations)
    assert abs(kept - saved) <= 0.1 * saved
    params = [p for group in optimizer.param_groups for p in group["params"]]
    assert sum(p.bytes for p in step.parameters) == sum(p.numel() * p.element_size() for p in params)
    assert sum(p.gradient for p in step.parameters) == sum(p.grad.numel() * p.grad.element_size() for p in params)
    states = [x for state in optimizer.state.values() for x in state.values()]
    assert sum(p.moments + p.scalars for p in step.parameters) == sum(x.numel() * x.element_size() for x in states)
    assert sorted(step.order) == list(range(len(step.parameters)))


@pytest.mark.slow
def test_attention_counts_as_its_products():
    step, _ = watched(loop("gpt"), 2)
    found = [x for x in step.operations if ATTENTION in x.name]
    # Two products of (8, 4, 64, 32) and its transpose forward, five backward.
    product = 2 * 8 * 4 * 64 * 64 * 32
    assert [(x.flops, x.backward_flops) for x in found] == [(2 * product, 5 * product)] * 4


def test_inputs_of_programs():
    step, ran = watched(loop("mlp"), 3)
    assert len(ran) == 1
    kinds = [kind for kind, _ in ran[0].inputs]
    assert (kinds.count("parameter"), kinds.count("moment"), kinds.count("gradient")) == (6, 12, 0)
    assert sorted(place for kind, place in ran[0].results if kind == "gradient") == list(range(6))
    assert (step.batch, step.units) == (32, ["0", "2", "4"])


def test_nothing_stays():
    before = recording.state.thread.engine, recording.state.thread.handlers, recording.stack.executors
    watched(loop("mlp"), 2)
    with pytest.raises(NoStepError, match="fewer than 5"):
        watched(loop("mlp"), 5)
    with pytest.raises(NoStepError):
        watched(sys.exit, 2)
    with pytest.raises(ZeroDivisionError):
        watched(lambda: (loop("mlp", count=1)(), 1 // 0), 2)
    assert (recording.state.thread.engine, recording.state.thread.handlers, recording.stack.executors) == before


def test_forward_without_gradients_and_other_optimizers():
    torchlike.manual_seed(0)
    first, second = torchlike.nn.Linear(4, 8), torchlike.nn.Linear(8, 2)
    optimizers = [torchlike.optim.Adam(first.parameters()), torchlike.optim.SGD(second.parameters(), lr=0.1)]
    x = torchlike.ones(16, 4)

    def run():
        for _ in range(4):
            with torchlike.no_grad():
                first(x)
            second(first(x)).sum().backward()
            for optimizer in optimizers:
                optimizer.step()
                optimizer.zero_grad()

    step, _ = watched(run, 3)
    assert step.other_flops == {"float32": 2 * 16 * 4 * 8}
    assert step.flops == 2 * 16 * (4 * 8) * 3 + 2 * 16 * (8 * 2) * 3  # no gradient of x, but the forward pass twice
    assert {p.name: (p.moments, p.scalars) for p in step.parameters} == {
        "Linear 0.weight": (2 * 4 * 32, 4), "Linear 0.bias": (2 * 4 * 8, 4),
        "Linear 1.weight": (0, 0), "Linear 1.bias": (0, 0)}
