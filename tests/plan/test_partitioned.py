"""What XLA sends of itself when it is told how values lie, against what is planned."""

import pytest

import torchlike as torch
from benchmarks.programs import gpt
from torchlike._plan.compiling import compiled
from torchlike._plan.devices import DEVICES
from torchlike._plan.facts import Step
from torchlike._plan.lowering import placement
from torchlike._plan.mesh import parse
from torchlike._plan.partitioned import collectives
from torchlike._plan.recording import watched
from torchlike._plan.strategies import Setting, outcome, ways

HLO = """
  %all-reduce.32 = (f32[256,64]{1,0}, /*index=5*/bf16[8]{0}) all-reduce(%a, %b), replica_groups=mesh['x'=8,'y'=2] {'y'}, x=%r
  %all-gather = pred[8]{0} all-gather(%c), channel_id=34, replica_groups=[4,2]<=[8], dimensions={0}
  ROOT %r = s64[4]{0} reduce-scatter(%d), replica_groups={{0,1,2},{3,4,5}}, dimensions={0}
  %no = f32[4]{0} add(%all-reduce.32, %e)
"""


def test_collectives_of_a_text():
    assert collectives(HLO) == [("all-reduce", 256 * 64 * 4 + 8 * 2, 2, ["f32", "bf16"]), ("all-gather", 8, 2, ["pred"]),
                                ("reduce-scatter", 3 * 4 * 8, 3, ["s64"])]


def mlp_step():
    """A step of a network that reads no integers."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.LayerNorm(16), nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16), nn.LayerNorm(16))
    optimizer, x = torch.optim.Adam(model.parameters()), torch.randn(64, 16)

    def step():
        optimizer.zero_grad()
        loss = (model(x) - 1).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return step


def seen(make, mesh, name, *, is_global) -> tuple[Step, list, list]:
    """(the step, what is planned, what XLA sends) of a way."""
    one = make()
    step, ran = watched(lambda: [one() for _ in range(4)], 2)
    setting = Setting(step, parse(mesh), DEVICES["h100"], 8, is_global, 0)
    way = next(way for way in ways(setting.mesh) if way.name == name)
    placed = placement(step, way, is_global)
    assert placed is not None
    found = [each for result in compiled([(each, placed) for each in ran]) for each in result["collectives"]]
    return step, outcome(setting, way).collectives, found


LOSS = 4  # bytes: XLA adds up the loss over the ranks, too


@pytest.mark.slow
def test_replicas():
    _, planned, found = seen(mlp_step, "data=64", "DDP", is_global=True)
    sums = [size for kind, size, members, _ in found if kind == "all-reduce" and members == 64]
    assert sum(sums) == planned[0].bytes + LOSS
    assert {kind for kind, *_ in found} == {"all-reduce"}


@pytest.mark.slow
def test_split_layers():
    size = 8 * 64 * 128 * 4
    _, planned, found = seen(lambda: gpt.make_step(torch, lambda module: module), "model=4", "TP", is_global=False)
    parts = [part for kind, total, _, types in found if kind == "all-reduce" for part in [total - total % size] if part]
    assert sum(parts) == next(x.bytes for x in planned if x.kind == "all-reduce")
