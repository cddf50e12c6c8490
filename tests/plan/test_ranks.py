"""Plans against what ranks measure: under PyTorch and torchlike, as DistributedDataParallel."""

import json

import pytest

from tests.c10d.ranks import run
from tests.plan.checks import CLOSE, unlike_measured
from tests.plan.plans import SCRIPT, planned
from tests.speed import sampled


def told(text) -> dict:
    """What a rank has printed."""
    return json.loads(text.strip().splitlines()[-1])


@pytest.mark.parametrize(("model", "optimizer"), sampled((("gpt", "adamw"), ("cnn", "momentum")), ci=()))
def test_two_ranks(model, optimizer):
    way = planned("data=2", model, optimizer, options=["--no-compile"])["DDP"]
    for library in ("torch", "torchlike"):
        for status, text in run(library, str(SCRIPT), 2, model, optimizer):
            assert status == 0, text
            assert list(unlike_measured(way, told(text))) == []


@pytest.mark.parametrize("size", sampled((2, 4, 8), ci=()))
def test_sharded_parameters(size):
    way = planned(f"data={size}", "gpt", "adamw", options=["--no-compile"])["FSDP"]
    for library in ("torch", "torchlike"):
        for status, text in run(library, str(SCRIPT), size, "gpt", "adamw", "--sharded"):
            assert status == 0, text
            for kind in ("parameters", "gradients", "moments"):
                assert abs(way["memory"][kind] - told(text)[kind]) <= CLOSE * told(text)[kind], kind


@pytest.mark.slow
@pytest.mark.exhaustive
def test_split_layers():
    way = planned("model=2", "mlp", "momentum", options=["--no-compile"])["TP"]
    for library in ("torch", "torchlike"):
        for status, text in run(library, str(SCRIPT), 2, "mlp", "momentum", "--tensor"):
            assert status == 0, text
            kinds = ("parameters", "gradients", "moments")
            assert [told(text)[kind] for kind in kinds] == [way["memory"][kind] for kind in kinds]
