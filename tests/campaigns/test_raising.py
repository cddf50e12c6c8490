"""The campaign of exceptions from the user's own code: a sample, and that it sees planted errors."""

import math

import pytest

from tests.campaigns import raising
from tests.campaigns.loops_raising import LOOPS
from tests.speed import sampled
from torchlike.autograd.grad_mode import no_grad, set_grad_enabled
from torchlike.optim.lr_scheduler import LambdaLR

pytestmark = [pytest.mark.filterwarnings("ignore:.torch.jit.:DeprecationWarning"),
              pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning"),
              pytest.mark.filterwarnings("ignore:Using a non-full backward hook:UserWarning")]
FAST = {"Saving", "Functions"}


@pytest.mark.parametrize("name", sampled(LOOPS, fast=FAST))
def test_sample(name):
    most = 4 if name == "Transforms" else 12  # which compiles much
    report = raising.run(7, math.inf, (name,), most=most)
    assert report.complaints() == [] and report.cases == most


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("name", LOOPS)
def test_everywhere(name):
    assert raising.run(7, math.inf, (name,)).complaints() == []


def test_a_mode_that_stays_is_seen(monkeypatch):
    leave = no_grad.__exit__

    def left(self, kind, *rest):
        return None if kind is raising.Stop else leave(self, kind, *rest)

    monkeypatch.setattr(no_grad, "__exit__", left)
    try:
        assert "grad" in raising.difference("Contexts", 0, 1, 1, "Stop", False)
    finally:
        set_grad_enabled(True)


def test_a_state_that_is_not_as_pytorch_leaves_it_is_seen(monkeypatch):
    step = LambdaLR.step

    def careful(self):
        before = self.last_epoch
        try:
            step(self)
        except raising.Stop:
            self.last_epoch = before
            raise

    monkeypatch.setattr(LambdaLR, "step", careful)
    assert ".left.epoch" in raising.difference("Fed", 0, 5, 1, "Stop", False)
