"""Constructors of classes, as ``python -m compat.forms`` finds them; all of them is slow, a sample always runs."""

import pytest
import torch

import torchlike
from compat import findings, gaps
from compat.forms import constructors
from compat.opinfo.translate import attribute
from tests.speed import sampled

CLASSES = constructors.classes()


@pytest.fixture(autouse=True)
def one_thread():
    """As the command."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("path", sampled(CLASSES, fast=20, ci=4))
def test_every_argument(path):
    assert not findings.unlisted({path: constructors.examine(path, CLASSES[path])}, gaps.forms(), whole=False)


def test_calls():
    """By position, by keyword, with each default and other values."""
    assert len(CLASSES) > 260
    shown = constructors.texts("nn.Linear", CLASSES["nn.Linear"])
    assert {"t.nn.Linear(4, 3)", "t.nn.Linear(in_features=4, out_features=3)", "t.nn.Linear(4, 3, True, None, None)",
            "t.nn.Linear(4, 3, bias=False)", "t.nn.Linear(4, 3, dtype=t.float64)"} <= set(shown)
    few = [path for path, kind in CLASSES.items() if len(constructors.texts(path, kind)) == 0]
    assert len(few) < 12, few


class WithoutBias(torchlike.nn.Linear):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__(in_features, out_features, True, device, dtype)


class Forgetful(torchlike.nn.Linear):
    def __init__(self, in_features, out_features, bias=True, device=None):
        super().__init__(in_features, out_features, bias, device)


class Wrong(torchlike.nn.Linear):
    def forward(self, input):
        return super().forward(input) + 1


@pytest.mark.parametrize("broken", [WithoutBias, Forgetful, Wrong])
def test_an_error_is_seen(broken, monkeypatch):
    assert not constructors.examine("nn.Linear", CLASSES["nn.Linear"])["calls"]["failed"]
    broken.__name__ = broken.__qualname__ = "Linear"
    monkeypatch.setattr(torchlike.nn, "Linear", broken)
    assert constructors.examine("nn.Linear", CLASSES["nn.Linear"])["calls"]["failed"]


def test_settings_are_put_back():
    for path in ("utils.data.guaranteed_datapipes_determinism", "utils.data.runtime_validation_disabled",
                 "set_grad_enabled"):
        before = [_settings(package) for package in (torch, torchlike)]
        constructors.examine(path, attribute(torch, path))
        assert [_settings(package) for package in (torch, torchlike)] == before, path


def _settings(package):
    data = package.utils.data
    made = [data.guaranteed_datapipes_determinism(), data.runtime_validation_disabled()]
    for each in made:
        each.__exit__(None, None, None)
    return [each.prev for each in made], package.is_grad_enabled()
