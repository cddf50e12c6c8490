"""DistributedDataParallel: each line that a rank prints is PyTorch's."""

import pytest

from tests.c10d.ranks import differing
from tests.speed import sampled


@pytest.mark.parametrize("size", sampled((2, 3), ci={2}))
def test_training(size):
    assert [*differing("ddp.py", size)] == []
