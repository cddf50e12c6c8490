"""Ctrl-C while a context is entered or left: the modes of the thread are as they were."""

import contextlib
import copy
import dataclasses
import itertools
import math

import pytest

import torchlike
from tests.campaigns import modes
from tests.campaigns.signals import Interruption, traced
from torchlike._api.sparse import invariants
from torchlike._base import config
from torchlike._compile.executors.stack import stack
from torchlike._modes import autocast, intercept
from torchlike._record import dispatch
from torchlike.autograd._profiler import recorder
from torchlike.fx import _patches
from torchlike.utils._python_dispatch import TorchDispatchMode


def _excluded():
    """What FSDP and others leave autocast by."""
    return torchlike._C._ExcludeDispatchKeyGuard(torchlike._C.DispatchKeySet(torchlike._C.DispatchKey.AutocastCPU))


graph, forward_ad = torchlike.autograd.graph, torchlike.autograd.forward_ad
CONTEXTS = {
    "no_grad": torchlike.no_grad, "enable_grad": torchlike.enable_grad, "inference_mode": torchlike.inference_mode,
    "device": lambda: torchlike.device("meta"), "autocast": lambda: torchlike.autocast("cpu", torchlike.bfloat16),
    "no autocast": lambda: torchlike.autocast("cpu", enabled=False), "region": autocast.Region, "excluded": _excluded,
    "no functions": torchlike._C.DisableTorchFunctionSubclass, "no modes": torchlike._C.DisableTorchFunction,
    "functions": torchlike.overrides.BaseTorchFunctionMode, "operators": TorchDispatchMode,
    "intercepted": lambda: intercept.intercepting(lambda *args: None), "undisturbed": dispatch.undisturbed,
    "level": forward_ad.dual_level, "hooks": lambda: graph.saved_tensors_hooks(lambda x: x, lambda x: x),
    "on cpu": graph.save_on_cpu, "no hooks": lambda: graph.disable_saved_tensors_hooks("none"),
    "writable": graph.allow_mutation_on_saved_tensors, "fork_rng": lambda: torchlike.random.fork_rng(devices=[]),
    "cached": torchlike.nn.utils.parametrize.cached, "invariants": torchlike.sparse.check_sparse_tensor_invariants,
    "record": lambda: torchlike.autograd.profiler.record_function("block"),
    "profile": torchlike.autograd.profiler.profile, "anomaly": torchlike.autograd.detect_anomaly,
}
AT_ONCE = {  # what is set before the block
    "set_grad_enabled": lambda: torchlike.set_grad_enabled(False), "configure": lambda: torchlike.configure(compile="off"),
    "set_detect_anomaly": lambda: torchlike.autograd.set_detect_anomaly(True),
    "multithreading": lambda: torchlike.autograd.set_multithreading_enabled(False),
}
INSIDE = {"no autocast": CONTEXTS["autocast"], "excluded": CONTEXTS["autocast"], "region": CONTEXTS["autocast"],
          "undisturbed": CONTEXTS["operators"]}


@pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning")
@pytest.mark.parametrize("name", CONTEXTS)
def test_entered_or_left(name, monkeypatch):
    monkeypatch.setattr(invariants, "checks", copy.copy(invariants.checks))  # whether there was a choice stays
    with INSIDE.get(name, contextlib.nullcontext)():
        everywhere(CONTEXTS[name], entered)


@pytest.mark.parametrize("name", AT_ONCE)
def test_set_at_once(name):
    everywhere(AT_ONCE[name], made)
    everywhere(AT_ONCE[name], left)


def test_a_program_that_is_recorded_for_fx():
    """Functions that were replaced meanwhile are put back."""
    there = {"sine": math.sin}

    def among(code) -> bool:
        return code.co_filename == _patches.__file__ and code.co_name in ("_end", "<lambda>", "_record_whole")

    def program():
        with _patches.Patches({id(math.sin)}) as patches:
            patches.add_functions(there)

    for number in itertools.count(1):
        is_over = not traced(program, Interruption(number, among))
        assert there["sine"] is math.sin
        if is_over:
            return


def entered(context, tracer) -> bool:
    def program():
        with context():
            pass

    return traced(program, tracer)


def made(context, tracer) -> bool:
    found: list = []
    is_interrupted = traced(lambda: found.append(context()), tracer)
    for one in found:  # made, whether interrupted afterwards or not
        one.__exit__(None, None, None)
    return is_interrupted


def left(context, tracer) -> bool:
    made = context()
    made.__enter__()
    return traced(lambda: made.__exit__(None, None, None), tracer)


def _of_the_process() -> tuple:
    return torchlike.is_anomaly_enabled(), dataclasses.astuple(config.settings), stack.executors, recorder.current.recorder


def everywhere(context, run) -> None:
    """Run it with an interruption at every place, and look at the modes after each."""
    run(context, Interruption(0))
    before = modes.snapshot(), _of_the_process()
    for number in itertools.count(1):
        tracer = Interruption(number)
        is_over = not run(context, tracer)
        changed = modes.changed(before[0])
        modes.restore(before[0])
        assert not changed and _of_the_process() == before[1], tracer.frame
        if is_over:
            return
