"""Schedules, and what a profile does with them, as PyTorch's."""

import itertools
import warnings

import pytest
import torch

import torchlike
from tests.profiler.steps import counts, raised

BOTH = (torch, torchlike)


def actions(lib, schedule):
    return [lib.profiler.ProfilerAction(schedule(i)).name for i in range(40)]


SCHEDULES = [dict(zip(("wait", "warmup", "active", "repeat", "skip_first", "skip_first_wait"), numbers, strict=True))
             for numbers in itertools.product((0, 2), (1, 3), (1, 4), (0, 2), (0, 3), (0, 1))]


@pytest.mark.parametrize("given", SCHEDULES, ids=str)
def test_schedule(given):
    assert actions(torchlike, torchlike.profiler.schedule(**given)) == actions(torch, torch.profiler.schedule(**given))


@pytest.mark.parametrize("given", [{"wait": -1, "warmup": 1, "active": 1}, {"wait": 0, "warmup": 1, "active": 0},
                                   {"wait": 0, "warmup": 1, "active": 1, "repeat": -1}], ids=str)
def test_errors_of_schedules(given):
    errors = [raised(lib.profiler.schedule, **given) for lib in BOTH]
    assert errors[0].args == errors[1].args and type(errors[0]) is type(errors[1]) is AssertionError


def test_no_warmup_warns():
    for lib in BOTH:
        with pytest.warns(UserWarning, match="Profiler won't be using warmup, this can skew profiler results"):
            schedule = lib.profiler.schedule(wait=0, warmup=0, active=1)
        assert str(raised(schedule, -1)) == "Step must be non-negative. Got -1."


SEQUENCES = ["NNRSN", "NWRRSNWS", "WN", "RN", "RWRS", "WWS", "SSS", "RRR", "SW", "N", "W"]
LETTERS = {"N": "NONE", "W": "WARMUP", "R": "RECORD", "S": "RECORD_AND_SAVE"}


def cycles(lib, letters):
    """How often a trace was ready, at which steps, and the warnings."""
    action = lib.profiler.ProfilerAction
    ready = []
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        with lib.profiler.profile(activities=[lib.profiler.ProfilerActivity.CPU],
                                  schedule=lambda i: action[LETTERS[letters[min(i, len(letters) - 1)]]],
                                  on_trace_ready=lambda p: ready.append(p.step_num)) as found:
            for _ in range(len(letters) - 1):
                lib.ones(2).exp().tolist()
                found.step()
    texts = sorted({str(w.message) for w in given if "Incorrect schedule" in str(w.message)})
    return ready, texts, found.step_num, found.current_action.name


@pytest.mark.parametrize("letters", SEQUENCES)
def test_sequences_of_actions(letters):
    if letters == "RWRS":  # PyTorch starts a trace that it has not prepared
        assert cycles(torchlike, letters)[0] == [3]
    else:
        assert cycles(torchlike, letters) == cycles(torch, letters)


def test_a_schedule_must_not_say_stopped():
    for lib in BOTH:
        with pytest.raises(ValueError, match=r"ProfilerAction\.DEVICE_STOPPED is set internally by the profiler"):
            lib.profiler.profile(schedule=lambda step, lib=lib: lib.profiler.ProfilerAction.DEVICE_STOPPED)


def test_cycles_clear_events_unless_told_otherwise():
    schedule = torchlike.profiler.schedule(wait=0, warmup=1, active=1, repeat=2)
    found = {}
    for keep in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torchlike.profiler.profile(schedule=schedule, acc_events=keep) as p:
                for _ in range(4):
                    torchlike.ones(2).exp().tolist()
                    p.step()
        found[keep] = counts(p)["aten::exp"]
    assert found == {False: 1, True: 2}


