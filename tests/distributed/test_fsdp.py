"""`torch.distributed.fsdp`: each line that a rank prints is PyTorch's, and memory falls with the number of ranks."""

import re

import pytest

import torchlike
from tests.c10d.ranks import differing, run
from tests.speed import case, sampled
from torchlike.distributed import fsdp
from torchlike.distributed.fsdp._trees import cast, mapped, tensors_in
from torchlike.nn.utils.rnn import pack_sequence

SLACK = 60_000  # bytes: activations and what was there before


@pytest.mark.parametrize(("script", "size"), [
    case("fully_sharded.py", 2, ci=False), case("fsdp.py", 2, ci=False), case("sharded_parallel.py", 4, ci=False),
    case("hybrid.py", 4, ci=False), case("fsdp.py", 3, ci=False)])
def test_lines_are_torchs(script, size):
    assert [*differing(script, size)] == []


def faults(kind, size):
    """What takes more or less memory than it should: parameters, gradients and two moments of Adam 1/n each, and besides one
    block that is whole while it computes."""
    for status, text in run("torchlike", "sharding.py", size, kind):
        found = re.search(r"whole (\d+) block (\d+) parameters (\d+) most (\d+) after (\d+)", text)
        assert status == 0
        assert found, text
        whole, block, parameters, most, after = map(int, found.groups())
        share = whole / size
        if not share <= parameters < share + SLACK:
            yield "parameters"
        if not 4 * share <= after < 4 * share + SLACK:
            yield "after a step"
        if not 3 * share + block <= most < 4 * share + block + SLACK:
            yield "while it computes"


@pytest.mark.parametrize(("kind", "size"), sampled(("fully_shard", "flat", "apart"), (2, 4), ci=lambda *at: not sum(at)))
def test_memory(kind, size):
    assert [*faults(kind, size)] == []


@pytest.mark.slow
@pytest.mark.exhaustive
def test_what_stays_is_seen():
    assert {"after a step", "while it computes"} <= {*faults("planted", 2)}


REFUSED = {
    "dims": lambda: fsdp.fully_shard(torchlike.nn.Linear(2, 2), dp_mesh_dims=fsdp.DataParallelMeshDims("dp")),
    "all_gather": lambda: fsdp.FSDPModule.set_custom_all_gather(None, None),
    "reduce_scatter": lambda: fsdp.FSDPModule.set_custom_reduce_scatter(None, None),
    "memory": lambda: fsdp.FSDPModule.set_symm_mem_for_comm(None),
    "hook": lambda: fsdp.FullyShardedDataParallel.register_comm_hook(None, None, None), "vector": fsdp.FlatParameter}


@pytest.mark.parametrize("name", REFUSED)
def test_what_refuses(name):
    with pytest.raises(torchlike.UnsupportedError):
        REFUSED[name]()


def test_dims():
    with pytest.raises(ValueError, match="At least one of shard or replicate must be set in DataParallelMeshDims"):
        fsdp.DataParallelMeshDims()
    dims = fsdp.DataParallelMeshDims("a", ("b", "c"))
    assert (dims.shard_names, dims.replicate_names) == (("a",), ("b", "c"))


def test_tensors_in_structures():
    one, two = torchlike.ones(2), torchlike.ones(1, dtype=torchlike.int64)
    packed = pack_sequence([torchlike.ones(2)])
    given = {"a": [one, (two, 3)], "b": packed, "c": torchlike.eye(2).max(0)}
    assert [x.dtype for x in tensors_in(given)] == [torchlike.float32, torchlike.int64, torchlike.float32, torchlike.float32,
                                                    torchlike.int64]
    found = cast(torchlike.float64, given)
    assert found["a"][0].dtype is torchlike.float64
    assert found["a"][1][0] is two
    assert found["a"][1][1] == 3
    assert found["b"].data.dtype is torchlike.float64
    assert type(found["c"]) is type(given["c"])
    assert mapped(lambda x: x, 3) == 3
    assert cast(None, given) is given
