"""Ctrl-C while a compiled program runs: its inputs may be gone, and what it returned must be kept."""

import functools
import inspect

import numpy as np
import pytest

import torchlike
from tests.campaigns.signals import Interruption, points, traced
from torchlike._compile import chains
from torchlike._compile.executors import hot, interruption
from torchlike._record.trace import state


def codes(*functions) -> set:
    """The code of functions, with that of what is defined in them."""
    own = {function.__code__ for function in functions}
    return own | {inner for code in own for inner in code.co_consts if inspect.iscode(inner)}


def interrupted(program, number, *functions) -> bool:
    """Run it, with an interruption at this place in these functions; False if it ended before."""
    return traced(program, Interruption(number, codes(*functions).__contains__, of=points))


def test_results_of_a_program_that_uses_its_inputs_up():
    """The values of a tensor that is overwritten are nowhere else once the program has begun."""
    with torchlike.configure(compile="now"):
        x, number, going_on = torchlike.zeros(1000), 0, True
        x.tolist()
        while going_on:
            x.add_(2.0)
            number += 1
            going_on = interrupted(x.tolist, number, hot._launched, interruption.keep_result)
            assert x[0].item() == 2.0 * number
    assert number > 4


def test_an_interruption_while_somebody_waits(monkeypatch):
    def interrupt(arrays):
        raise KeyboardInterrupt

    with torchlike.configure(compile="now"):
        x = torchlike.zeros(1013)  # a program of its own, whose first runs are timed
        x.tolist()
        x.add_(2.0)
        with monkeypatch.context() as patch:
            patch.setattr(hot.jax, "block_until_ready", interrupt)
            with pytest.raises(KeyboardInterrupt):
                x.tolist()
        assert x[0].item() == 2.0


def test_a_result_that_is_not_kept_is_seen(monkeypatch):
    def careless(compiled, given, kept):
        found = compiled(*given)
        len(given)
        kept.append(found)

    def trained(x):
        for number in range(1, 5):
            x.add_(2.0)
            interrupted(x.tolist, number, careless)
            assert x[0].item() == 2.0 * number

    monkeypatch.setattr(hot, "keep_result", careless)
    with torchlike.configure(compile="now"):
        x = torchlike.zeros(1000)
        x.tolist()
        try:
            with pytest.raises((RuntimeError, ValueError)):
                trained(x)
        finally:
            state.trace._reset()


def test_a_chain_goes_on_to_its_end():
    """Each of its programs is launched once, wherever the interruption comes."""
    number, tracer, none = 0, None, np.array([], np.intp)
    while tracer is None or tracer.frame is not None:
        number += 1
        launched: list = []

        def doubled(x, launched=launched):
            launched.append(x)
            return [2 * x]

        steps = [(doubled, (0,), (1,), none, (0,)), (doubled, (1,), (2,), none, (1,))]
        env, calls = [1.0, None, None], [(functools.partial(chains._followed, step, none, []),) for step in steps]
        tracer = Interruption(number, codes(chains._followed).__contains__, of=points)
        traced(functools.partial(interruption.to_the_end, calls, env), tracer)
        assert env == [None, None, 4.0] and launched == [1.0, 2.0], number
    assert number > 4
