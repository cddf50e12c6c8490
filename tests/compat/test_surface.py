"""Every public name of PyTorch is there or refuses by name; the rows of compat/gaps.toml are exact."""

import importlib

import pytest
import torch

import torchlike
from compat import gaps
from compat.surface import documented, introspection
from compat.surface.__main__ import examine, unlisted
from compat.surface.standing import ABSENT, EXISTS, REFUSES, same_signature, standing
from torchlike._base.refused import REFUSED

FOUND = {space: examine(space) for space in documented.SPACES}
NAMES = [(space, name) for space, reasons in REFUSED.items() for names in reasons.values() for name in names.split()
         if not name.endswith("?")]


def test_no_name_is_absent_and_no_row_is_stale():
    assert unlisted(FOUND) == []


@pytest.mark.parametrize(("space", "name"), NAMES, ids=".".join)
def test_refused_names_refuse_when_called(space, name):
    where = torchlike
    for part in space.split(".")[1:]:
        if not hasattr(where, part):  # a module that `import torchlike` leaves out
            importlib.import_module(f"{where.__name__}.{part}")
        where = getattr(where, part)
    if where is torchlike.Tensor:
        where = torchlike.ones(1)
        assert not hasattr(where, name)
    with pytest.raises(torchlike.UnsupportedError, match=rf"{space}\.{name} is not supported: "):
        getattr(where, name)(1)


def test_questions_have_an_answer():
    assert torchlike.backends.cuda.is_flash_attention_available() is False
    assert torchlike.masked.is_masked_tensor(torchlike.ones(1)) is False
    with pytest.raises(torchlike.UnsupportedError, match=r"ExecutionTraceObserver is not supported"):
        type("Observer", (torchlike.profiler.ExecutionTraceObserver,), {})()


def test_import_of_a_refused_module_says_why():
    with torchlike.install(force=True), pytest.raises(ImportError, match=r"torch\.profiler\.itt is not supported: "):
        exec("import torch.profiler.itt")


def test_unknown_attributes_of_tensors_are_plain_errors():
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'oness'"):
        torchlike.ones(1).oness  # noqa: B018 - only the error matters


def test_names_say_of_themselves_what_pytorchs_say():
    said = introspection.examine()
    assert [each for each in said if each.why == introspection.UNEXPLAINED] == []
    assert sum(not each.why for each in said) > 0.9 * len(said) > 20_000


# -- the checker sees what it must

def test_standing():
    assert standing("torch", "sin") == EXISTS
    assert standing("compiler", "load_compiled_function") == REFUSES
    assert standing("torch", "oness") == ABSENT
    assert standing("autograd.profiler", "profile") == EXISTS
    assert standing("profiler", "ExecutionTraceObserver") == REFUSES
    assert standing("Tensor", "share_memory_") == REFUSES
    assert standing("Tensor", "sine") == ABSENT
    assert standing("nn", "utils") == ABSENT  # a module is no name


def test_planted_absence_and_planted_row(monkeypatch):
    planted = {"fft": {EXISTS: ["fft"], REFUSES: [], ABSENT: ["ifft"], "signatures": {}}}
    assert unlisted(planted) == ["fft.ifft: absent, and not in compat/gaps.toml"]
    monkeypatch.setattr(gaps, "names", lambda: {("fft", "ifft"): "planted"})
    assert unlisted(planted) == []
    monkeypatch.setattr(gaps, "names", lambda: {("fft", "ifft"): "planted", ("fft", "fft"): "planted"})
    assert unlisted(planted) == ["fft.fft: not absent, but listed in compat/gaps.toml"]


def test_signatures_are_compared(monkeypatch):
    assert same_signature("nn", "Linear")
    assert same_signature("nn", "Transformer")  # a default is a function, whose address is no difference
    assert same_signature("torch", "add") is not None
    monkeypatch.setattr(torchlike.nn, "Linear", lambda in_features, out_features, bias=False, device=None, dtype=None: 0)
    assert not same_signature("nn", "Linear")


def test_what_counts():
    names = documented.names("torch")
    assert {"add", "relu", "quantile", "broadcast_shapes", "set_default_dtype"} <= {*names}
    assert not {"quantize_per_tensor", "ScriptModule", "nn", "_assert", "mkldnn_convolution"} & {*names}


def test_what_a_class_says_is_compared():
    assert {each.why for each in introspection.compare("torch.nn.Linear", torch.nn.Linear, torchlike.nn.Linear)} == {""}
    planted = type("Linaer", (torchlike.nn.Linear,), {})
    found = introspection.compare("torch.nn.Linear", torch.nn.Linear, planted)
    assert [each.attribute for each in found[:4] if each.why] == ["__module__", "__qualname__", "__name__", "repr"]


def test_what_a_method_says_is_compared(monkeypatch):
    monkeypatch.setattr(torchlike.nn.Linear.forward, "__module__", "torchlike._base")
    found = introspection.compare("torch.nn.Linear", torch.nn.Linear, torchlike.nn.Linear)
    assert [(each.path, each.ours, each.why) for each in found if each.why] == [
        ("torch.nn.Linear.forward", "torch._base", introspection.UNEXPLAINED)]
