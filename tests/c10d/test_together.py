"""Replicas on several ranks stay the same to the bit, in a thousand steps, and their memory stays as it is."""

import re

import pytest

from tests.c10d.ranks import run
from tests.speed import sampled
from torchlike._compile.executors.together import RUNS, Together

MORE = 8.0  # MB


@pytest.mark.parametrize("size", sampled((2, 4), ci=()))
def test_a_thousand_steps(size):
    for status, text in run("torchlike", "memory.py", size):
        found = re.search(r"agree (\w+) more ([-0-9.]+)", text)
        assert status == 0
        assert found, text
        assert found[1] == "True"
        assert float(found[2]) < MORE


def test_groups_are_counted():
    together = Together()
    together.begin()
    together.begin()
    together.end()
    assert together.groups == 1
    assert RUNS > 0
