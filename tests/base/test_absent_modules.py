"""Modules that are names only: the names are PyTorch's, and refuse when they are called."""

import enum
import importlib

import pytest
import torch  # noqa: F401 - its modules are compared with

import torchlike
import torchlike.distributed.checkpoint
import torchlike.distributed.tensor
from torchlike._base import absent, absent_modules

MODULES = {module: names for modules in absent_modules.MODULES.values() for module, names in modules.items()}


def unknown(module: str, names: list[str]) -> list[str]:
    """The names that PyTorch's module has not."""
    theirs = importlib.import_module(module)
    found = []
    for name in names:
        owner = theirs
        for part in name.rstrip("?@").split("."):
            owner = getattr(owner, part, None)
        found += [name] if owner is None else []
    return found


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.filterwarnings("ignore")
def test_names_are_pytorchs(module):
    assert unknown(module, [*MODULES[module].split(), *absent_modules.ENUMS.get(module, ())]) == []


def test_an_unknown_name_is_seen():
    assert unknown("torch.distributed.fsdp", ["wrap", "wrapp", "MixedPrecision.x"]) == ["wrapp", "MixedPrecision.x"]


@pytest.mark.parametrize("module", MODULES)
def test_names_refuse_when_called(module):
    ours = importlib.import_module(module.replace("torch", "torchlike", 1))
    for name in MODULES[module].split():
        owner, _, last = name.rpartition(".")
        if last.endswith("?"):
            assert getattr(ours, last[:-1])(1) is False
            continue
        if last.endswith("@"):
            assert getattr(ours, last[:-1])("an operator")(unknown) is unknown
            continue
        found = getattr(getattr(ours, owner) if owner else ours, last)
        with pytest.raises(torchlike.UnsupportedError, match=f"^{module}.{owner or last} is not supported: "):
            found(1)


@pytest.mark.parametrize(("module", "name"), [(m, name) for m, names in absent_modules.ENUMS.items() for name in names])
@pytest.mark.filterwarnings("ignore")
def test_enumerations_are_pytorchs(module, name):
    ours = getattr(importlib.import_module(module.replace("torch", "torchlike", 1)), name)
    assert issubclass(ours, enum.Enum)
    assert list(ours.__members__) == list(getattr(importlib.import_module(module), name).__members__)


@pytest.mark.parametrize("module", absent_modules.SAME)
@pytest.mark.filterwarnings("ignore")
def test_second_names(module):
    importlib.import_module(module)
    found = importlib.import_module(module.replace("torch", "torchlike", 1))
    assert isinstance(found, absent.Module)
    assert found.__name__ == absent_modules.SAME[module].replace("torch", "torchlike", 1)


def test_what_a_module_says_of_itself():
    ours = torchlike.ao.quantization
    assert "QConfig" in dir(ours)
    assert ours.QConfig is ours.qconfig.QConfig
    assert not isinstance(torchlike.ones(1), ours.QConfig)
    with pytest.raises(AttributeError, match=r"module 'torchlike.ao.quantization' has no attribute 'nothing'"):
        _ = ours.nothing


@pytest.mark.parametrize("module", absent_modules.SETTINGS)
def test_settings_are_pytorchs_and_kept(module):
    ours, theirs = importlib.import_module(module.replace("torch", "torchlike", 1)), importlib.import_module(module)
    for name, value in absent_modules.SETTINGS[module].items():
        if isinstance(value, dict):
            assert value == {each: getattr(getattr(theirs, name), each) for each in value}, name
            assert vars(getattr(ours, name)) == value
        elif name != "compile_threads":  # as many as the machine has
            assert getattr(ours, name) == value == getattr(theirs, name), name
    with ours.patch({"triton.cudagraphs": True}, freezing=True):
        assert ours.triton.cudagraphs and ours.freezing
    assert not ours.triton.cudagraphs and not ours.freezing
