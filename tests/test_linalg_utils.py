"""Functions that PyTorch has removed raise its error."""

import pytest
import torch

import torchlike


@pytest.mark.parametrize("name", ["eig", "lstsq", "matrix_rank", "solve", "symeig"])
def test_removed(name):
    with pytest.raises(RuntimeError) as theirs:
        getattr(torch, name)(torch.ones(2, 2), torch.ones(2, 2))
    with pytest.raises(RuntimeError) as ours:
        getattr(torchlike, name)(torchlike.ones(2, 2), torchlike.ones(2, 2))
    assert str(ours.value) == str(theirs.value)
