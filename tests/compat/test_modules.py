"""Some inputs of each module of PyTorch's database, training and not; all of them: ``python -m compat.modules``."""

import pytest

import torchlike
from compat import gaps
from compat.findings import misses
from compat.modules import exam
from tests.speed import sampled

MODULES = exam.modules()
LISTED = gaps.modules()


# Every sixth is in CI, where tests/nn/test_layers.py has them all.
@pytest.mark.parametrize("name", sampled(MODULES, ci=12))
def test_as_in_the_database(name):
    found = exam.examine(MODULES[name], ["float32"], 3)
    assert not {check: found[check] for check in misses(found) if (name, check) not in LISTED}


def test_every_row_names_a_module_and_a_check():
    for name, check in LISTED:
        assert name in MODULES
        assert check in {*exam.CHECKS, "missing"}


# -- the checker sees what it must: each of these is an error planted in a module

def linear(monkeypatch, name, planted):
    monkeypatch.setattr(torchlike.nn.Linear, name, planted)
    return {check for check in misses(exam.examine(MODULES["nn.Linear"], ["float32"], 1)) if check != "errors"}


def test_planted_initial_values_are_seen(monkeypatch):
    assert linear(monkeypatch, "reset_parameters", lambda self: None) == {"init"}


def test_planted_repr_is_seen(monkeypatch):
    assert linear(monkeypatch, "extra_repr", lambda self: "") == {"repr"}


def test_planted_forward_is_seen(monkeypatch):
    function = torchlike.nn.functional.linear
    assert linear(monkeypatch, "forward", lambda self, input: function(input, self.weight, self.bias) + 1) == {"forward"}
    assert linear(monkeypatch, "forward", lambda self, input: function(input, self.weight.detach(), self.bias)) == {"grads"}


def test_planted_state_is_seen(monkeypatch):
    init = torchlike.nn.Linear.__init__

    def planted(self, *args, **kwargs):
        init(self, *args, **kwargs)
        self.register_buffer("more", None if self.bias is None else torchlike.ones(1))

    assert linear(monkeypatch, "__init__", planted) == {"init", "state"}


def test_planted_dropout_is_seen(monkeypatch):
    monkeypatch.setattr(torchlike.nn.Softplus, "forward", lambda self, input: input * torchlike.rand(()))
    assert "forward" in misses(exam.examine(MODULES["nn.Softplus"], ["float32"], 1))


def test_planted_conversion_is_seen(monkeypatch):
    monkeypatch.setattr(torchlike.nn.Linear, "half", lambda self: self)
    assert misses(exam.examine(MODULES["nn.Linear"], ["float32"], 1)) == {"conversions"}


def test_planted_copy_is_seen(monkeypatch):
    monkeypatch.setattr(torchlike.nn.Linear, "__deepcopy__", lambda self, memo: torchlike.nn.Linear(10, 8), raising=False)
    assert "copies" in misses(exam.examine(MODULES["nn.Linear"], ["float32"], 1))
