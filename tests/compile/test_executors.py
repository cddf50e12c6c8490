"""The stack of executors: who runs a trace."""

import pytest

import torchlike as torch
from torchlike._compile.executors.background import BackgroundCompiler
from torchlike._compile.executors.cold import ColdTier
from torchlike._compile.executors.hot import HotTier
from torchlike._compile.executors.interruption import to_the_end
from torchlike._compile.executors.stack import ExecutorStack, stack
from torchlike._compile.program import for_one_run
from torchlike._record.trace import state


class Noting:
    """Declines all, or answers `found`; ``asked`` are the programs."""

    def __init__(self, found=None):
        self.found, self.asked = found, []

    def run(self, program, inputs, numbers):
        self.asked.append(program)
        return self.found


def test_the_tiers_are_always_there():
    assert [type(each) for each in stack.executors] == [HotTier, ColdTier]


def test_the_last_one_is_asked_first_and_may_decline():
    declines, answers, unasked = Noting(), Noting(["found"]), Noting()
    made, program = ExecutorStack(), for_one_run([], ())
    with made.executing(unasked), made.executing(answers), made.executing(declines):
        assert made.run(program, [], []) == ["found"]
    assert (declines.asked, answers.asked, unasked.asked) == ([program], [program], [])
    assert len(made.executors) == 2


class Once:
    """A step that is interrupted `times` times before it does anything."""

    def __init__(self, times):
        self.left = times

    def __call__(self, env):
        if self.left:
            self.left -= 1
            raise KeyboardInterrupt
        env.append("done")


def test_an_interruption_waits_for_the_end():
    env: list = []
    calls = [[lambda env: env.append("first")], [Once(1)], [lambda env: env.append("last")]]
    assert isinstance(to_the_end(calls, env), KeyboardInterrupt)
    assert env == ["first", "done", "last"]
    assert to_the_end(calls, []) is None


def test_what_fails_twice_is_the_end():
    env: list = []
    assert isinstance(to_the_end([[Once(2)], [lambda env: env.append("last")]], env), KeyboardInterrupt)
    assert env == []


def interrupted_updates(times):
    """Two tensors. The step that updates the second one was interrupted so often; the old values of the first were gone."""
    first, second = torch.ones(100, 100), torch.ones(100, 100)
    for _ in range(2):
        first.tolist()
        first.mul_(2.0)
        second.add_(1.0)
    node = state.trace.node
    first.tolist()
    (program,) = node.programs.values()
    first.mul_(2.0)
    second.add_(1.0)
    program.schedule._final[-1].insert(0, Once(times))
    with pytest.raises(KeyboardInterrupt):
        first.tolist()
    return first, second


def test_no_value_is_lost_when_an_update_is_interrupted():
    with torch.configure(compile="off"):
        first, second = interrupted_updates(1)
        assert state.trace.node.depth == 0
        assert first[0, 0].item() == 8.0 and second[0, 0].item() == 4.0


def test_only_what_cannot_be_computed_is_lost():
    other = torch.ones(3)
    with torch.configure(compile="off"):
        first, second = interrupted_updates(2)
        assert first[0, 0].item() == 8.0 and (other + 1).tolist() == [2.0] * 3
        for use in (second.tolist, lambda: (second + 1).tolist()):
            with pytest.raises(RuntimeError, match="could not be computed"):
                use()
        second = torch.ones(2)
        assert (second + 1).tolist() == [2.0, 2.0]


def test_blocks_need_not_be_nested():
    made, first, second = ExecutorStack(), Noting(), Noting()
    one, two = made.executing(first), made.executing(second)
    one.__enter__()
    two.__enter__()
    one.__exit__(None, None, None)
    assert made.executors[0] is second
    two.__exit__(None, None, None)
    assert len(made.executors) == 2


def test_an_error_takes_an_executor_off():
    made = ExecutorStack()
    with pytest.raises(KeyError), made.executing(Noting()):
        raise KeyError
    assert len(made.executors) == 2


def test_an_executor_sees_the_traces_of_a_program():
    watching = Noting()
    with stack.executing(watching):
        x = torch.ones(3) + 1
        assert watching.asked == []
        assert x.tolist() == [2.0, 2.0, 2.0]
    (program,) = watching.asked
    assert len(program.live) == 1


def test_a_trace_that_runs_once_is_never_compiled_as_a_whole():
    program = for_one_run([], ())
    with torch.configure(compile="now"):
        assert HotTier().run(program, [], []) is None
    assert (program.runs, program.state) == (0, "single")


def test_the_background_compiler_is_waited_for():
    done = []
    compiler = BackgroundCompiler(done.append)
    assert compiler.wait(0)
    for i in range(3):
        compiler.put(i)
    assert compiler.wait(60)
    assert done == [0, 1, 2]
