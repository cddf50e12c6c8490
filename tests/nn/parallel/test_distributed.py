"""DistributedDataParallel: each line that a rank prints is PyTorch's."""

import pytest

from tests.c10d.ranks import differing, run
from tests.speed import case, sampled


@pytest.mark.parametrize("size", sampled((2, 3), ci={2}))
def test_training(size):
    assert [*differing("ddp.py", size)] == []


@pytest.mark.slow
@pytest.mark.exhaustive
def test_sparse_gradients():
    assert [*differing("sparse.py", 2)] == []
    assert run("torchlike", "sparse.py", 2, "unused") == [(0, "True\n")] * 2


@pytest.mark.parametrize("arguments", [case((), ci=False), case(("hook",))])
def test_buckets_are_sent_during_the_backward_pass(arguments):
    for status, text in run("torchlike", "overlap.py", 2, *arguments):
        assert (status, text) == (0, "".join(f"{step} True True\n" for step in range(12)))
