"""Programs are compiled in the background where that gains something: others like those where it did not are not."""

import pytest

import torchlike as torch
from torchlike._compile.executors import cold, hot
from torchlike._record.caches import caches


class Clock:
    """In the place of the module `time`: between two looks goes by what a run of the cold tier is to take."""

    def __init__(self):
        self.now = self.run = 0.0

    def perf_counter(self):
        self.now += self.run
        return self.now


@pytest.fixture
def compiled(monkeypatch):
    """How many programs a loop over sizes has had compiled. A run of the cold tier takes `runs` seconds for each size, a
    launch of a program `launch` more."""
    clock, launched = Clock(), hot._launched

    def loop(runs, launch, patience=1e-9):
        def later(*arguments):
            clock.now += launch
            return launched(*arguments)

        monkeypatch.setattr(hot, "_launched", later)
        monkeypatch.setattr(hot, "_gainless", hot._Gainless())
        monkeypatch.setattr(hot, "time", clock)
        monkeypatch.setattr(cold, "time", clock)
        caches.clear()
        before = torch.counters()["programs"]
        with torch.configure(compile="background", patience=patience, hot=1, cache="off"):
            for size, clock.run in enumerate(runs, 4):
                x = torch.ones(size, 3)
                for _ in range(4):  # it is sought on disk, then compiled
                    before_it = x.cosh().sum().item()
                    hot.compiler.wait(60)
                for _ in range(hot._TRIALS):
                    with_it = x.cosh().sum().item()
                assert with_it == pytest.approx(before_it)
                loop.hot = torch.counters()["hot_runs"]
                x.cosh().sum().item()
                loop.hot = torch.counters()["hot_runs"] - loop.hot
        return torch.counters()["programs"] - before

    return loop


def test_a_loop_over_sizes_is_not_compiled_in_vain(compiled):
    assert compiled([0.001] * 4, 0.002) == 1


@pytest.mark.parametrize(("launch", "hot_runs"), [(0.002, 0), (0.0003, 1), (-0.0005, 1)])
def test_what_is_much_slower_when_compiled_is_given_up(compiled, launch, hot_runs):
    assert compiled([0.001], launch) == 1 and compiled.hot == hot_runs


def test_without_patience_it_is_kept(compiled):
    assert compiled([0.001], 0.002, patience=0.0) == 1 and compiled.hot == 1


def test_what_takes_much_longer_is_another_matter(compiled):
    assert compiled([0.001, 0.0015, 0.005], 0.002) == 2


def test_what_gains_is_compiled_for_every_size(compiled):
    assert compiled([0.001] * 3, -0.0005) == 3


def test_without_patience_everything_is_compiled(compiled):
    assert compiled([0.001] * 3, 0.002, patience=0.0) == 3
