"""The campaign of threads: a sample, and that it sees planted errors."""

import sys
import threading

import pytest

from tests.campaigns import thread_groups, thread_uses, threaded, threads
from tests.speed import sampled
from torchlike._record import trace
from torchlike._record.trace import peek

FAST = ("Separate", "Read", "Accumulated", "Watched", "Rows", "Counted", "Handed", "Expected", "Modes", "Hooked", "Programs",
        "Hogwild")


@pytest.mark.slow
def test_sample():
    report = threads.run(0, float("inf"), most=2)
    assert report.complaints() == []
    assert report.cases == 2 * threads.ROUNDS and len(report.points) > 12


@pytest.mark.parametrize("name", sampled(FAST, ci=3))
def test_group(name):
    before = sys.getswitchinterval()
    assert [what for seed in range(5) for _, what in threaded.round_([name], seed)] == []
    assert sys.getswitchinterval() == before


def _kept_always(cell):
    """`peek`, for which the value that was computed is the cell's in any case."""
    array = peek(cell)
    cell.array = array
    return array


@pytest.mark.slow
def test_a_value_that_comes_too_late_is_seen(monkeypatch):
    """As it was: a thread that looked at a parameter undid what its owner had written meanwhile."""
    monkeypatch.setattr(trace, "peek", _kept_always)
    found = (what for seed in range(400) for _, what in threaded.round_(["Watched"], seed))  # until one is seen
    assert any(", not {" in what or "Error" in what for what in found)


@pytest.mark.slow
def test_lost_writes_are_seen(monkeypatch):
    """Two threads that write to different rows, without the lock."""
    monkeypatch.setattr("torchlike._record.inplace._WRITING", thread_groups.NO_LOCK)
    found = (what for seed in range(400) for _, what in threaded.round_(["Rows"], seed))
    assert any("'whole'" in what for what in found)


def test_an_error_of_a_thread_and_a_wrong_result_are_seen(monkeypatch):
    class Failing(thread_groups.Group):
        def parts(self):
            return [self.fail, lambda: self.found.update(name=self.torch.__name__)]

        def fail(self):
            if "torchlike" in self.torch.__name__ and self.draw.random() < 2:
                raise ValueError("planted")

    class Wrong(Failing):
        def fail(self):
            """Nothing is wrong but the result."""

    monkeypatch.setitem(thread_uses.GROUPS, "Failing", Failing)
    monkeypatch.setitem(thread_uses.GROUPS, "Wrong", Wrong)
    (where, what), = threaded.round_(["Failing"], 0)
    assert where == "Failing" and "ValueError: planted" in what
    (where, what), = threaded.round_(["Wrong"], 0)
    assert where == "Wrong" and what == "{'name': 'torchlike'}, not {'name': 'torch'}"


def test_a_hang_is_seen(monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr(threaded, "PATIENCE", 0.1)
    with pytest.raises(TimeoutError):
        threaded._together([gate.wait])
    gate.set()


def test_programs_are_the_same_for_a_seed():
    assert threads.program(5) == threads.program(5) != threads.program(6)
    rounds = [names for k in range(40) for names, _ in threads.program(k)["rounds"]]
    assert {name for names in rounds for name in names} == {*thread_uses.GROUPS}
