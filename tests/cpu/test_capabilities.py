"""What the processor can do, as PyTorch tells it."""

import platform

import pytest
import torch

import torchlike
from torchlike.cpu import _capabilities


@pytest.mark.skipif(platform.system() != "Linux" or platform.machine() != "x86_64", reason="of Linux on x86")
def test_as_pytorch():
    theirs, mine = dict(torch.cpu.get_capabilities()), dict(torchlike.cpu.get_capabilities())
    assert {*theirs.pop("cpu_name").split()} <= {*mine.pop("cpu_name").split()}
    assert mine == theirs


@pytest.mark.parametrize(("name", "short"), [
    ("Intel(R) Xeon(R) Processor", "Intel Xeon"), ("Intel(R) Core(TM) i7 CPU 930  @ 2.80GHz", "Intel Core i7 930"),
    ("AMD EPYC 7R13 Processor", "AMD EPYC 7R13"), ("", "")])
def test_names(name, short):
    assert _capabilities.short_name(name) == short


def test_it_is_asked_once_and_cannot_be_changed():
    found = torchlike.cpu.get_capabilities()
    assert found is torchlike.cpu.get_capabilities()
    with pytest.raises(TypeError):
        found["avx"] = False


def test_where_the_system_tells_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(_capabilities, "_INFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(_capabilities, "_DEVICES", tmp_path)
    found = _capabilities.get_capabilities.__wrapped__()
    assert found["architecture"] == platform.machine() and found["num_logical_cores"] == found["num_physical_cores"] >= 1
    assert not {"avx", "l2_cache_size"} & {*found}


@pytest.mark.parametrize("name", [name for name in dir(torch.cpu) if name.startswith("_is_")])
def test_questions(name):
    assert getattr(torchlike.cpu, name)() is getattr(torch.cpu, name)()
    assert getattr(torchlike.cpu, name).__name__ == name
