"""What stages and schedules refuse, and schedules of which one process has all stages: each line is PyTorch's."""

import pytest

import torchlike as torch
from tests.c10d.ranks import differing
from torchlike import distributed as dist
from torchlike.distributed import pipelining
from torchlike.distributed.device_mesh import init_device_mesh
from torchlike.distributed.pipelining import _metadata, stage
from torchlike.distributed.tensor import Replicate, distribute_tensor


@pytest.mark.slow
def test_lines_are_torchs():
    assert [*differing("stages.py", 1)] == []


@pytest.fixture
def alone():
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())
    yield
    dist.destroy_process_group()


def test_dtensors_between_stages_refuse(alone):
    whole = distribute_tensor(torch.ones(4, 2), init_device_mesh("cpu", (1,)), [Replicate()])
    with pytest.raises(torch.UnsupportedError, match="send DTensors"):
        pipelining.PipelineStage(torch.nn.Identity(), 0, 1, torch.device("cpu"), input_args=whole)


def test_what_differs_is_refused_by_debug_level(alone, monkeypatch):
    monkeypatch.setattr(stage, "get_debug_level", lambda: dist.DebugLevel.DETAIL)
    made = pipelining.PipelineStage(torch.nn.Identity(), 0, 1, torch.device("cpu"), input_args=torch.ones(3, 2))
    schedule = pipelining.ScheduleGPipe(made, 2)
    with pytest.raises(_metadata.PipeliningMetadataError, match=r"Stage 0 input\[0\]: shape mismatch"):
        schedule.step(torch.ones(4, 2))


def test_what_differs_from_what_was_said_is_warned_of(alone):
    made = pipelining.PipelineStage(torch.nn.Identity(), 0, 1, torch.device("cpu"), input_args=torch.ones(3, 2),
                                    output_args=(torch.ones(2, 2), torch.ones(1)))
    with pytest.warns(UserWarning, match="^Stage 0") as found:
        pipelining.ScheduleGPipe(made, 2).step(torch.ones(4, 2))
    assert [str(each.message) for each in found] == [
        "Stage 0 input[0]: Metadata mismatch. shape mismatch: torch.Size([3, 2]) vs torch.Size([2, 2]). Using dynamically "
        "inferred metadata instead.",
        "Stage 0 output: expected 2 tensors, got 1"]
