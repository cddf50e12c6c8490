"""Pipelines of several ranks: each line that a rank prints is PyTorch's; and what is told when a stage fails."""

import re

import pytest

from tests.c10d.ranks import differing, run
from tests.speed import sampled

LIMIT = 15.0  # seconds; the time-out of the group is 20
# fault -> (the ranks that get an error, what all of those say but rank 1, what rank 1 says)
FAULTS = {
    "raises": ({0, 2}, "The pipeline has failed on rank 1, in 1F2: ValueError: no such batch",
               "[Stage 1] failed to run forward"),
    "loss": ({0, 1}, "The pipeline has failed on rank 2, in 2F1: ZeroDivisionError: no loss", "in 2F1"),
    "another shape": ({0, 2}, "PipeliningMetadataError: Stage 1 forward outputs[0]: shape mismatch: torch.Size([2, 3]) vs "
                              "torch.Size([1, 3])", "Stage 1 forward outputs[0]: shape mismatch"),
    "another dtype": ({0, 2}, "dtype mismatch: torch.float32 vs torch.float64", "dtype mismatch"),
    "is killed": ({0, 2}, "Connection closed by peer", ""),
}


@pytest.mark.slow
def test_lines_are_torchs():
    assert [*differing("pipelines.py", 2)] == []


@pytest.mark.slow
@pytest.mark.exhaustive
def test_lines_of_four_ranks_are_torchs():
    assert [*differing("pipelines.py", 4)] == []


@pytest.mark.slow
@pytest.mark.exhaustive
def test_activations_in_memory():  # of 8 microbatches on 3 ranks, at most and after the step
    assert run("torchlike", "pipeline_memory.py", 3) == [
        (0, f"ScheduleGPipe 8 0\nSchedule1F1B {3 - rank} 0\nthreads 0\n") for rank in range(3)]


@pytest.mark.parametrize("fault", sampled(FAULTS, ci=()))
def test_all_ranks_are_told(fault):
    ranks, text, own = FAULTS[fault]
    found = [output for _, output in run("torchlike", "pipeline_faults.py", 3, fault)]
    assert own in found[1]
    for rank in ranks:
        took = re.search(r"^([0-9.]+) s: ", found[rank], re.MULTILINE)
        assert took, (rank, found[rank])
        assert float(took[1]) < LIMIT
        assert text in found[rank]
