"""DistributedDataParallel: each line that a rank prints is PyTorch's."""

import pytest

from tests.c10d.ranks import differing


@pytest.mark.slow
def test_training():
    assert [*differing("ddp.py", 2)] == []


@pytest.mark.slow
def test_training_of_three():
    assert [*differing("ddp.py", 3)] == []
