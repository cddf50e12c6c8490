"""The settings of `torch.utils.serialization.config`."""

import importlib

import pytest
import torch

import torchlike


def test_settings_are_pytorchs():
    ours, theirs = (importlib.import_module(f"{t.__name__}.utils.serialization.config") for t in (torchlike, torch))
    assert ours.get_config_copy().items() <= theirs.get_config_copy().items()
    with ours.patch({"load.mmap": True}), ours.patch("save.storage_alignment", 128):
        assert (ours.load.mmap, ours.save.storage_alignment) == (True, 128)
    assert (ours.load.mmap, ours.save.storage_alignment) == (False, 64)
    with pytest.raises(AttributeError, match=r"config\.load\.nosuch does not exist"):
        ours.load.nosuch = 3
