"""Every form of a call, as ``python -m compat.forms`` finds them; all of them is slow, a sample always runs."""

import pytest
import torch

import torchlike
from compat import findings, gaps
from compat.forms import constructors, exam
from compat.forms.signatures import forms
from tests.speed import sampled

FORMS = {path: listed for path, listed in forms().items() if exam.exists(path)}


@pytest.fixture(autouse=True)
def one_thread():
    """As the command: with several, PyTorch writes what has repeated indices in any order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("path", sampled(FORMS, fast=40, ci=3))
def test_every_form(path):
    assert not findings.unlisted({path: exam.examine(FORMS[path])}, gaps.forms(), whole=False)


def test_settings_are_put_back():
    for path in ("set_default_device", "set_deterministic_debug_mode", "set_warn_always"):
        exam.examine(FORMS[path])
    assert not torch.is_warn_always_enabled() and not torchlike.is_warn_always_enabled()
    assert torch.get_deterministic_debug_mode() == torchlike.get_deterministic_debug_mode() == 0
    assert not exam.examine(FORMS["chain_matmul"])["calls"]["failed"]


def test_what_is_listed_exists():
    assert {path for path, _ in gaps.forms()} <= FORMS.keys() | constructors.classes().keys()


def test_forms_are_those_of_the_parser():
    """Overloads from the stubs with deprecated ones, schemas, Python functions, varargs."""
    shown = {str(form) for path in ("addcmul", "linalg.norm", "stft", "Tensor.view") for form in FORMS[path]}
    assert {"addcmul(input, value, tensor1, tensor2)", "addcmul(input, tensor1, tensor2, value=1)"} <= shown
    assert "linalg.norm(input, ord=None, dim=None, keepdim=False, dtype=None)" in shown
    assert any(text.startswith("stft(input, n_fft, hop_length=None") for text in shown)
    assert {"Tensor.view(dtype)", "Tensor.view(size)"} <= shown
    assert len(FORMS) > 1250


@pytest.mark.parametrize("broken", [
    lambda input, tensor1, tensor2, *older, value=1, out=None: torchlike.zeros(3, 3, dtype=torchlike.float64),
    lambda input, tensor1, tensor2, *, value=1, out=None: input + value * tensor1 * tensor2,
    lambda input, tensor1, tensor2, *older, out=None: torchlike.Tensor.addcmul(input, tensor1, tensor2, *older),
], ids=["another value", "a form less", "an argument less"])
def test_an_error_is_seen(broken, monkeypatch):
    assert not exam.examine(FORMS["addcmul"])["calls"]["failed"]
    monkeypatch.setattr(torchlike, "addcmul", broken)
    assert exam.examine(FORMS["addcmul"])["calls"]["failed"]


def test_a_call_that_only_pytorch_refuses_is_seen(monkeypatch):
    monkeypatch.setattr(torchlike, "bincount", lambda *arguments, **named: torchlike.ones(1))
    [form] = FORMS["bincount"]
    call = exam.Call(form, "", [torch.ones(2, 2, dtype=torch.int64)], {})
    assert exam.judge(call).startswith("torch raises RuntimeError")
