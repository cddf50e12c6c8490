"""Ranks that do something else, stall or die: each of the others gets an error that says so, in time."""

import re

import pytest

from tests.c10d.ranks import run
from tests.speed import sampled

LIMIT = 8.0  # seconds: the script's time-out is 6
# fault -> (the ranks that get an error, what it says on one of them at least)
FAULTS = {
    "order": ({0, 1, 2}, "broadcast(src=0) of float32 [4] on rank 1"),
    "shapes": ({0, 1, 2}, "all_reduce(op=RedOpType.SUM) of float32 [5] on rank 1"),
    "silent": ({0, 1, 2}, "all_reduce(op=RedOpType.MAX) of float32 [4] on rank 1"),
    "killed": ({0, 1}, "Gloo all-reduce failed"),
    "first killed": ({1, 2}, "Gloo all-reduce failed"),
    "raised": ({0, 2}, "Gloo all-reduce failed"),
    "stalled": ({0, 2}, "Rank 1 has started 1, the last of them all_reduce(op=RedOpType.SUM) of float32 [2]"),
    "killed in forward": ({0, 2}, "Gloo all-reduce failed"),
    "killed in backward": ({0, 2}, "Gloo all-reduce failed"),
    "models": ({0, 1, 2}, "in this process with sizes [3, 2] appears not to match sizes of the same param in process 0"),
    "late": ({0, 1}, "2/3 clients joined"),
    "world size": ({0, 1, 2}, "rank 1 is one of 4 processes, rank 0 of 3"),
    "left": ({0, 2}, "destroy_process_group"),
}


@pytest.mark.parametrize("fault", sampled(FAULTS, ci={"order"}))
def test_fault(fault):
    ranks, text = FAULTS[fault]
    found = [output for _, output in run("torchlike", "faults.py", 3, fault)]
    for rank in ranks:
        took = re.search(r"^([0-9.]+) s: ", found[rank], re.MULTILINE)
        assert took, (rank, found[rank])
        assert float(took[1]) < LIMIT
    assert any(text in found[rank] for rank in ranks), found

