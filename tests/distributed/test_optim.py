"""`torch.distributed.optim`: each line that a rank prints is PyTorch's."""

import pytest

import torchlike
from tests.c10d.ranks import differing
from torchlike.distributed import optim


@pytest.mark.slow
@pytest.mark.exhaustive
def test_lines_are_torchs():
    assert [*differing("zero.py", 2)] == []


def test_what_refuses():
    for refusing in (optim.DistributedOptimizer, optim.as_functional_optim):
        with pytest.raises(torchlike.UnsupportedError, match="there is no RPC"):
            refusing()
    with pytest.raises(torchlike.UnsupportedError, match="overlap_with_ddp"):
        optim.ZeroRedundancyOptimizer([torchlike.ones(1)], torchlike.optim.SGD, overlap_with_ddp=True, lr=0.1)
