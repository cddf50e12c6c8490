"""Collectives, groups and messages: each line that a rank prints is PyTorch's."""

import pytest

import torchlike
from tests.c10d.ranks import differing, run
from tests.speed import sampled
from torchlike import distributed as dist


@pytest.mark.slow
def test_collectives():
    assert [*differing("collectives.py", 2)] == []


@pytest.mark.parametrize("size", sampled((3, 4), ci=()))  # CI has 3 in one process, see distributed/test_devices.py
def test_collectives_of_many_ranks(size):
    assert [*differing("collectives.py", size)] == []


@pytest.mark.slow
def test_messages_of_any_rank():
    assert [*differing("from_any.py", 3)] == []


@pytest.mark.slow
def test_a_second_group():  # PyTorch's own ranks may miss one another there
    assert run("torchlike", "again.py", 2) == [(0, "[3.0, 3.0] 1 18.0\n[5.0, 5.0] 1 18.0\n")] * 2


def test_sparse_tensors_are_refused_by_name():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        with pytest.raises(torchlike.UnsupportedError, match="a sparse tensor is not sent"):
            dist.all_reduce(torchlike.ones(2).to_sparse())
    finally:
        dist.destroy_process_group()


@pytest.mark.slow
def test_groups_that_are_connected_in_another_order():
    assert run("torchlike", "crossed.py", 2) == [(0, "['a', 'b']\n")] * 2


@pytest.mark.slow
def test_a_difference_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.c10d.ranks.SCRIPTS", tmp_path)
    (tmp_path / "planted.py").write_text("import torch\nprint('like' in torch.__file__, 1)\nprint(2)\n")
    assert [line.split(":")[0] for line in differing("planted.py", 2)] == ["rank 0", "rank 1"]


def test_outputs_are_by_rank(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.c10d.ranks.SCRIPTS", tmp_path)
    (tmp_path / "ranks.py").write_text("import os, sys\nprint(os.environ['RANK'])\nsys.exit(3)\n")
    assert run("torch", "ranks.py", 3) == [(3, "0\n"), (3, "1\n"), (3, "2\n")]
