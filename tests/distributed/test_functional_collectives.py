"""`torch.distributed._functional_collectives`: each line that a rank prints is PyTorch's."""

import pytest

import torchlike
from tests.c10d.ranks import differing
from torchlike.distributed import _functional_collectives as ours


@pytest.mark.slow
@pytest.mark.exhaustive
def test_functional_collectives():
    assert [*differing("functional.py", 2)] == []


def test_no_tensor_is_asynchronous():
    assert not isinstance(torchlike.ones(1), ours.AsyncCollectiveTensor)
    with pytest.raises(torchlike.UnsupportedError, match="ordinary tensors"):
        ours.AsyncCollectiveTensor(torchlike.ones(1))
