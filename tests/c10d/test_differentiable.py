"""Collectives that autograd follows, and batch norm over ranks: each line that a rank prints is PyTorch's."""

import pytest

from tests.c10d.ranks import differing


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3])
def test_gradients(size):
    assert [*differing("synced.py", size)] == []
