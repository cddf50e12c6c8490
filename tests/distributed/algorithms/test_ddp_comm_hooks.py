"""Communication hooks, uneven inputs and averages of parameters: each line that a rank prints is PyTorch's."""

import pytest

from tests.c10d.ranks import differing


@pytest.mark.slow
def test_hooks():
    assert [*differing("hooks.py", 2)] == []
