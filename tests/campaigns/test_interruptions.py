"""The campaign of interruptions: a sample with a fixed seed, and that it sees planted errors."""

import math
import time

import pytest

from tests.campaigns import interruptions, recursion, signals
from tests.campaigns.loops_more import LOOPS
from torchlike.autograd.grad_mode import no_grad
from torchlike.optim.rule_optimizer import RuleOptimizer
from torchlike.optim.sgd import SGD

pytestmark = [pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors:UserWarning"),
              pytest.mark.filterwarnings("ignore:Sparse CSR tensor support:UserWarning"),
              pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning")]


def complaints(report) -> list:
    return [f"{failure.where}: {failure.what} ({failure.case})" for failure in report.causes().values()]


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, TimeoutError])
def test_sample(error):
    report = interruptions.run(7, math.inf, most=400, error=error)
    assert complaints(report) == []
    assert report.cases == 400 and len(report.points) > 250


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LOOPS)
def test_everywhere(name):
    assert complaints(interruptions.run(7, time.monotonic() + 500, names=(name,))) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
def test_recursion(name):
    report = recursion.run(0, math.inf, names=(name,))
    assert complaints(report) == [] and report.cases > 40


@pytest.mark.slow
def test_a_limit_that_leaves_something_behind_is_seen(monkeypatch):
    leave = no_grad.__exit__

    def left(self, kind, *others):
        return None if kind is RecursionError else leave(self, kind, *others)

    monkeypatch.setattr(no_grad, "__exit__", left)
    report = recursion.run(0, math.inf, names=("Functional",))
    assert any("ThreadState.grad" in failure.what for failure in report.failures)


def test_a_state_that_is_begun_in_place_is_seen(monkeypatch):
    monkeypatch.setattr(RuleOptimizer, "_begin", lambda self, entries, p, group: self._start(entries, p, group))
    points = [i + 1 for i, (code, _) in enumerate(interruptions.spots("Normalized", 0, 3)) if code.co_name == "filled"]
    found = [interruptions.interrupted("Normalized", 0, 3, point) for point in points[:6]]
    assert any(failure is not None and "KeyError" in failure.what for failure in found)


def test_places_where_signals_arrive():
    def example(values):
        try:
            len(values)
        finally:
            values.clear()
        for _ in values:
            pass

    assert len(signals.points(example.__code__)) >= 2
