"""`torch.utils.weak`: entries by identity, which go with their keys. Against PyTorch."""

import gc

import pytest
import torch
import torch.utils.weak

import torchlike


@pytest.mark.parametrize("lib", [torch, torchlike])
def test_entries_go_with_their_keys(lib):
    weak = lib.utils.weak
    kept, lost = lib.ones(2), lib.ones(2)
    entries = weak.WeakIdKeyDictionary({kept: 1})
    entries[lost] = 2
    assert (len(entries), entries[kept], entries[lost], entries.get(lib.ones(2))) == (2, 1, 2, None)
    assert kept in entries
    held = weak.TensorWeakRef(lost)
    assert held() is lost
    assert entries.copy() == entries
    del lost
    gc.collect()
    assert (len(entries), next(iter(entries)) is kept, held()) == (1, True, None)
    del entries[kept]
    assert not entries
