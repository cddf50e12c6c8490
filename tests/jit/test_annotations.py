"""`torch.jit.annotations`: names for signatures."""

import torch

import torchlike
from torchlike.jit import annotations


def test_names():
    theirs = torch.jit.annotations
    for name in annotations.__all__:
        if not name.startswith("BroadcastingList"):
            assert getattr(annotations, name) is getattr(theirs, name)
    assert annotations.BroadcastingList2[int] is theirs.BroadcastingList2[int] is None
    assert torchlike.jit.annotations is annotations
