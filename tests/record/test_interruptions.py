"""Ctrl-C while something is recorded: what is recorded next is right, and what was recorded before is there."""

import inspect
import os

import pytest

import torchlike
from tests.campaigns.signals import Interruption, places, traced
from tests.speed import sampled
from torchlike._compile.executors import cold
from torchlike._compile.executors.interruption import to_the_end
from torchlike._record import deferred_checks, torch_function
from torchlike._record.trace import state

RECORDER = os.path.join(os.path.dirname(torchlike.__file__), "_record")


def in_recorder(code) -> bool:
    """Whether code is of the recorder."""
    return code.co_filename.startswith(RECORDER)


def interrupted(program, number: int, among=in_recorder) -> bool:
    """Run the program, with an interruption at this place; False if it ended before."""
    return traced(program, Interruption(number, among, of=places))


def elementwise():
    x = torchlike.tensor([1.0, 2.0, 3.0])
    y = (x * 2).tanh() + x
    return y * y - x


def with_views_and_numbers():
    x = torchlike.arange(6.0).reshape(2, 3)
    y = x.t() * 1.5 + x[0, 1]
    y[1].add_(2)
    return y.sum(1) - 0.5


def backward():
    w = torchlike.tensor([1.0, -2.0], requires_grad=True)
    ((w * 3).exp() * w).sum().backward()
    return w.grad


PROGRAMS = [elementwise, with_views_and_numbers, backward]


def everywhere(program) -> int:
    """Interrupt the program at every place, and look at what comes next. The number of interruptions."""
    right = program().tolist()
    kept = torchlike.tensor([0.5, 0.25]) + 1  # recorded before, and still pending
    number = 1
    while interrupted(program, number):
        pending = torchlike.tensor([7.0, 8.0]) * 2 - 1
        assert pending.tolist() == [13.0, 15.0], number
        assert program().tolist() == pytest.approx(right, rel=1e-5), number
        assert kept.tolist() == [1.5, 1.25], number
        kept = torchlike.tensor([0.5, 0.25]) + 1
        number += 1
    return number - 1


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_interruptions(program):
    assert everywhere(program) > 40


def interrupted_twice(program) -> int:
    """Interrupt the program at every place, and then what mends the trace at every place of that. The number of both."""
    mending = {type(state.trace).mend.__code__}.__contains__
    right, number, again, both = program().tolist(), 1, 1, 0
    while interrupted(program, number):
        if interrupted(program, again, mending):
            again, both = again + 1, both + 1
        else:
            number, again = number + 1, 1
        assert program().tolist() == right, (number, again)
    return both


@pytest.mark.parametrize("program", sampled(PROGRAMS, fast=3), ids=lambda program: program.__name__)
def test_interruptions_of_the_mending(program):
    assert interrupted_twice(program) > 20


def test_interruptions_of_a_run_that_uses_its_inputs_up():
    """The values of a tensor that is overwritten are nowhere else from some step on."""
    codes, number = {to_the_end.__code__, next(c for c in cold._let_go_step.__code__.co_consts if inspect.iscode(c))}, 0
    going_on = True
    with torchlike.configure(compile="off"):
        while going_on:
            first, second = torchlike.ones(100, 100) + 1, torchlike.ones(100, 100) + 2
            first.tolist()
            first.mul_(2.0)
            second.add_(1.0)
            number += 1
            going_on = interrupted(first.tolist, number, codes.__contains__)
            assert first[0, 0].item() == 4.0 and second[0, 0].item() == 4.0, number
    assert number > 4


def test_an_error_that_is_due_still_comes():
    """What was expected of values, and is looked at when they are computed, is not forgotten."""
    for number in range(1, 8):
        chosen = torchlike.arange(6.0)[torchlike.tensor([1, 7]) * 1]
        assert interrupted(chosen.tolist, number, {deferred_checks.settle.__code__}.__contains__)
        with pytest.raises(IndexError, match="index 7"):
            chosen.tolist()


def test_planted_error_is_seen(monkeypatch):
    """A recorder that does not mend what an interrupted operation has left."""
    monkeypatch.setattr(type(state.trace), "mend", lambda self: None)
    try:
        with pytest.raises(Exception):  # noqa: B017, PT011 - wrong values, or whatever wrong slots lead to
            everywhere(elementwise)
    finally:
        monkeypatch.undo()
        state.trace._reset()


@pytest.mark.slow
def test_classes_take_calls_over_afterwards():
    """A function that looks for classes switches them off while it calls others."""
    torch_function.activate()
    number = 1
    while interrupted(elementwise, number):
        assert torch_function.local.usual and not torch_function.local.classes_off
        number += 1
    assert number > 50
