"""The stack of executors: who runs a trace."""

import pytest

import torchlike as torch
from torchlike._compile.executors.background import BackgroundCompiler
from torchlike._compile.executors.cold import ColdTier
from torchlike._compile.executors.hot import HotTier
from torchlike._compile.executors.stack import ExecutorStack, stack
from torchlike._compile.program import for_one_run


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
