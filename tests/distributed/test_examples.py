"""The examples of the documentation print under torchlike what they print under PyTorch."""

import pathlib

import pytest

from tests.c10d.ranks import differing
from tests.speed import sampled

EXAMPLES = pathlib.Path(__file__).parents[2] / "docs" / "examples"
CASES = [("ddp.py", 2), ("fsdp.py", 2), ("tensor_parallel_fsdp.py", 4), ("federated.py", 2), ("ddp.py", 4), ("fsdp.py", 4),
         ("federated.py", 4)]


@pytest.mark.parametrize(("name", "size"), sampled(CASES, ci=()))
def test_lines_are_torchs(name, size):
    assert [*differing(str(EXAMPLES / name), size)] == []


def test_each_is_run():
    assert {name for name, _ in CASES} == {path.name for path in EXAMPLES.glob("*.py")}
