"""The campaign of interruptions: a sample with a fixed seed, and that it sees planted errors."""

import math
import time

import pytest

from tests.campaigns import interruptions, recursion, signals, timers
from tests.campaigns.loops_more import LOOPS
from tests.campaigns.report import Failure
from tests.speed import sampled
from torchlike._compile.kernels import KernelCache
from torchlike._record import update
from torchlike.autograd.grad_mode import no_grad
from torchlike.optim.rule_optimizer import RuleOptimizer

pytestmark = [pytest.mark.filterwarnings("ignore:.torch.jit.:DeprecationWarning"),
              pytest.mark.filterwarnings("ignore:The PyTorch API of MaskedTensors:UserWarning"),
              pytest.mark.filterwarnings("ignore:Sparse CSR tensor support:UserWarning"),
              pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning"),
              pytest.mark.filterwarnings("ignore:Error detected in:UserWarning")]  # of a pass that is interrupted under it


@pytest.mark.parametrize("error", sampled([KeyboardInterrupt, MemoryError, TimeoutError], ci={KeyboardInterrupt}))
def test_sample(error):
    report = interruptions.run(7, math.inf, most=100, error=error, each=10)
    assert report.complaints() == []
    assert report.cases == 100 and len(report.points) > 60


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LOOPS)
def test_everywhere(name):
    assert interruptions.run(7, time.monotonic() + 500, names=(name,)).complaints() == []


@pytest.mark.parametrize("name", sampled(recursion.ASKED, ci=5))
def test_recursion(name):
    report = recursion.run(0, math.inf, names=(name,))
    assert report.complaints() == [] and report.cases > 40


@pytest.mark.slow
def test_timers():
    report = timers.run(7, math.inf, names=("Loop", "Viewed", "Twice"), most=40)
    assert report.complaints() == [] and len(report.points) > 10


@pytest.mark.slow
def test_what_pytorch_leaves_within_a_statement():
    before, after = (state for state, _ in interruptions.expected("Normalized", 0, 3))
    states = [state for state, _ in interruptions.left_by_torch("Normalized", 0, 3)]
    for whole in (before, after):  # PyTorch's own last bits may differ from run to run
        assert any(whole.keys() == state.keys() and all(interruptions.near(whole[key], state[key]) for key in whole)
                   for state in states)
    assert not all(interruptions.near(before[key], after[key]) for key in before)
    assert any("state.0.step" in state and "state.1.step" not in state for state in states)  # parameter by parameter


def test_a_version_that_is_not_counted_is_seen(monkeypatch):
    overwrite = update._overwrite

    def forgetful(trace, child, cells, numbers):
        overwrite(trace, child, cells, numbers)
        cells[0].version -= 1

    monkeypatch.setattr(update, "_overwrite", forgetful)
    last = len(interruptions.spots("Loop", 1, 3))
    assert "version" in interruptions.interrupted("Loop", 1, 3, last).what


@pytest.mark.slow
def test_a_limit_that_leaves_something_behind_is_seen(monkeypatch):
    leave = no_grad.__exit__

    def left(self, kind, *others):
        return None if kind is RecursionError else leave(self, kind, *others)

    monkeypatch.setattr(no_grad, "__exit__", left)
    found = [interruptions.examined("Functional", 0, 1, recursion.Shallow(room), False, Failure("", "", "", room))
             for room in range(3, 30)]
    assert any(failure is not None and "ThreadState.grad" in failure.what for failure in found)


def test_a_state_that_is_begun_in_place_is_seen(monkeypatch):
    monkeypatch.setattr(RuleOptimizer, "_begin", lambda self, entries, p, group: self._start(entries, p, group))
    points = [i + 1 for i, (code, _) in enumerate(interruptions.spots("Normalized", 0, 3)) if code.co_name == "filled"]
    found = [interruptions.interrupted("Normalized", 0, 3, point) for point in points[:6]]
    assert any(failure is not None and "KeyError" in failure.what for failure in found)


def test_a_kernel_that_is_kept_before_it_is_made_is_seen(monkeypatch):
    def hasty(self, key, make):
        if key not in self.kernels:
            self.kernels[key] = None
            self.kernels[key] = made = make()
            made.key = key
        return self.kernels[key]

    monkeypatch.setattr(KernelCache, "intern", hasty)
    met = [code.co_name for code, _ in interruptions.spots("Loop", 0, 1, fresh=True)]
    assert "_traced_outs" not in [code.co_name for code, _ in interruptions.spots("Loop", 0, 1)]
    assert "NoneType" in interruptions.interrupted("Loop", 0, 1, met.index("_traced_outs") + 1, fresh=True).what


def test_places_where_signals_arrive():
    def example(values):
        try:
            len(values)
        finally:
            values.clear()
        for _ in values:
            pass

    assert len(signals.points(example.__code__)) >= 2
