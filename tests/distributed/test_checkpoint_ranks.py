"""`torch.distributed.checkpoint` of several ranks: each line is PyTorch's; other numbers of ranks; ranks that end."""

import os

import pytest

import torchlike
import torchlike.distributed.checkpoint as dcp
from tests.c10d.ranks import differing, run
from tests.speed import sampled


def told(folder, action, size):
    return run("torchlike", "checkpoints.py", size, str(folder), action)


def loaded(folder):
    """What a process without a group reads."""
    state = {"same": torchlike.zeros(5000), "step": None, "rank": None}
    dcp.load(state, checkpoint_id=folder)
    return state["same"].unique().tolist(), state["step"], state["rank"]


@pytest.mark.slow
def test_lines_are_torchs(tmp_path):
    assert [*differing("saving.py", 2, str(tmp_path))] == []


@pytest.mark.slow
@pytest.mark.exhaustive
def test_planners_are_called_as_torchs(tmp_path):
    assert [*differing("planners.py", 2, str(tmp_path))] == []


@pytest.mark.slow
def test_written_by_two_and_read_by_one(tmp_path):
    assert told(tmp_path, "write", 2) == [(0, "")] * 2
    assert loaded(tmp_path) == ([1.0], 1, 0)
    metadata = dcp.FileSystemReader(tmp_path).contents()
    assert metadata["by_rank"] == {"rank": {0: 0, 1: 1}}
    assert metadata["objects"] == {"step": 1, "rank": 0}
    assert sorted(metadata["parts"]) == ["own0", "own1", "same"]
    assert [rank for _, rank in metadata["parts"]["own1"]] == [1]
    held = sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(tmp_path) for name in names)
    assert held < 5000 * 4 * 2  # once, with what orbax writes beside it


@pytest.mark.slow
@pytest.mark.exhaustive
def test_written_by_four_and_read_by_two(tmp_path):
    told(tmp_path, "write", 4)
    assert told(tmp_path, "read", 2) == [(0, f"[1.0] 1 {rank} [1.0, 1.0, 1.0]\n") for rank in range(2)]


# action -> (the ranks that get an error, whose failure it is, what it says)
FAULTS = {
    "failing": ([0, 1, 2], {"[2]"}, "no space\nfailed [2] True x has size [3] and dtype torch.float32 on rank 2, and [2]"),
    "killed after": ([0, 1], {"[0]", "[1]"}, ""),
    "async killed": ([0, 1], {"[0]", "[1]"}, ""),
}


@pytest.mark.parametrize("action", sampled(FAULTS, ci=3))
def test_the_last_checkpoint_is_whole(action, tmp_path):
    ranks, whose, text = FAULTS[action]
    found = told(tmp_path, action, 3)
    for rank in ranks:
        assert found[rank][1].startswith(tuple(f"failed {each} True" for each in whose)), found
        assert text in found[rank][1]
    assert loaded(tmp_path) == ([1.0], 1, 0)


@pytest.mark.slow
def test_saves_run_beside_other_collectives(tmp_path):
    for status, text in told(tmp_path, "overlap", 2):
        assert (status, text) == (0, "0 7.0\n1 7.0\n2 7.0\nsteps True\n")
