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
@pytest.mark.exhaustive
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


FLAT = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]
PAIR = "[{'rank': 0, 'x': tensor([1., 1.])}, {'rank': 1, 'x': tensor([1., 1.])}]"
# What the ranks of tests/c10d/scripts/later.py print, as under PyTorch 2.14.1, whose gloo cannot gather into one tensor.
LATER = (
    {"flat": f"[] {FLAT}", "stacked": "[] None", "along": f"[] {FLAT}", "older name": f"['FutureWarning'] {FLAT}",
     "group_dst": f"[] {FLAT}", "nothing to write to": "ValueError gather_tensor must be specified on the destination rank",
     "dtypes": "ValueError Invalid usage of tensors with different dtypesFound torch.float32 and  torch.float64",
     "no tensor": "TypeError Invalid function argument. Expected parameter `tensor` of type torch.Tensor",
     "no tensor to write to": "TypeError Invalid function argument. Expected parameter `gather_tensor` of type torch.Tensor",
     "size": "ValueError gather_tensor size must be equal to world_size times tensor size"},
    {"flat": "[] None", "stacked": f"[] {FLAT}", "along": "[] None", "older name": "['FutureWarning'] None",
     "group_dst": "[] None", "outside": "['UserWarning'] None",
     "timeout outside": "ValueError Invalid process group specified",
     "backend outside": "ValueError Invalid process group specified"})
LATER_OF_ALL = {
    "both": "ValueError Can't specify both group_dst and dst", "timeout": "[] None", "no timeout": "TypeError set_timeout()",
    "no group": "AssertionError Expected ProcessGroup, got <class 'int'>", "backend": "[] gloo", "backend by name": "[] 2",
    "backend of no group": "RuntimeError Could not resolve the process group registered under the name nobody",
    "weights": f"[] {PAIR}", "anything": "[] [datetime.date(2000, 1, 1), datetime.date(2000, 1, 1)]",
    "no groups": "ValueError Default process group has not been initialized, please make sure to call init_process_group."}


@pytest.mark.slow
def test_what_pytorch_has_since_2_14():
    for rank, (status, text) in enumerate(run("torchlike", "later.py", 2)):
        assert status == 0
        *lines, refused, _, _ = text.splitlines()
        expected = {**LATER[rank], **LATER_OF_ALL, "backend of a device": f"[] {rank}"}
        assert refused.startswith("not weights UnpicklingError Weights only load failed.")
        assert [line for line in (*lines, *text.splitlines()[-2:])
                if line not in {f"{title} {told}" for title, told in expected.items()}] == []
        assert len(text.splitlines()) == len(expected) + 1


def test_a_group_that_changes_is_refused():
    with pytest.raises(torchlike.UnsupportedError, match=r"init_process_group\(enable_reconfigure=True\) is not supported"):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1, enable_reconfigure=True)


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
