"""DTensors on several ranks: each line is PyTorch's, and each operator is that of the whole tensor."""

import pytest

from tests.c10d.ranks import SCRIPTS, differing, run
from tests.speed import sampled

LINES = {"dtensor_ops.py": 2, "tensor_parallel.py": 2, "dtensor_mesh.py": 4}


@pytest.mark.parametrize("script", sampled(LINES, ci={"tensor_parallel.py"}))
def test_lines_are_torchs(script):
    assert [*differing(script, LINES[script])] == []


@pytest.mark.parametrize("size", sampled((2, 4), ci=()))
def test_operators_of_the_whole(size):
    assert run("torchlike", "dtensor_whole.py", size) == [(0, "True\n")] * size


SPACED = [0.0, 0.25, 0.5, 0.75, 1.0]
# What ranks print under PyTorch 2.14.1.
SPACED_LINES = [f"torch.Size([5]) torch.float32 True {local} {whole}" for local, whole in (
    (SPACED, SPACED), ("PART", SPACED), (SPACED, [0.0, 0.5, 1.0, 1.5, 2.0]))]
SPACED_TEXT = "\n".join([*SPACED_LINES, "PART [1.0, 10.0, 100.0]", "(Replicate(),) [1.0, 2.0, 4.0, 8.0]"]) + "\n"
SPACED_PARTS = ([0.0, 0.25, 0.5], [1.0, 10.0]), ([0.75, 1.0], [100.0])


@pytest.mark.slow
def test_linspace_and_logspace():
    texts = [SPACED_TEXT.replace("PART", str(first), 1).replace("PART", str(second)) for first, second in SPACED_PARTS]
    assert run("torchlike", "dtensor_spaced.py", 2) == [(0, text) for text in texts]


# A rule that is not true: cumulative products of parts; a mean of sums.
PLANTED = {"cumprod": "RULES['cumprod'] = RULES['clone']", "mean": "reduction.REDUCES['mean'] = 'sum'"}


@pytest.mark.slow
def test_a_wrong_rule_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.c10d.ranks.SCRIPTS", tmp_path)
    (tmp_path / "planted.py").write_text(
        "from torchlike.distributed.tensor._rules import reduction\n"
        "from torchlike.distributed.tensor._rules.table import RULES\n" + "\n".join(PLANTED.values()) + "\n"
        + (SCRIPTS / "dtensor_whole.py").read_text())
    for status, text in run("torchlike", "planted.py", 2, *PLANTED):
        assert status == 0
        assert {line.split()[0] for line in text.splitlines() if "False" in line} == set(PLANTED)


@pytest.mark.slow
@pytest.mark.exhaustive
def test_checkpoints_of_other_numbers_of_ranks(tmp_path):
    assert run("torchlike", "dtensor_checkpoint.py", 4, str(tmp_path), "write") == [(0, "written\n")] * 4
    assert run("torchlike", "dtensor_checkpoint.py", 2, str(tmp_path), "read") == [(0, "read True True True\n")] * 2
