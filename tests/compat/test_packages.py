"""The comparison of what packages print (`python -m compat.packages` runs the packages; CI has none of them)."""

import pytest

from compat.packages.__main__ import PROGRAMS, difference


@pytest.mark.parametrize(("want", "got", "same"), [
    ("loss 1.2345\n", "loss 1.2346\n", True), ("loss 1.23\n", "loss 1.25\n", False),
    ("tensor(32.)\n", "tensor(32.0000)\n", True),
    ("a nan inf\n", "a nan inf\n", True), ("a nan\n", "a 1.0\n", False), ("shape [2, 3]\n", "shape [2, 3, 1]\n", False),
    ("one\ntwo\n", "one\n", False), ("SumBackward0\n", "MeanBackward0\n", False), ("-1e-06\n", "1e-06\n", True),
])
def test_difference(want, got, same):
    assert (difference(want, got) == "") == same


def test_programs_are_plain_pytorch():
    for path in PROGRAMS.glob("use_*.py"):
        text = path.read_text()
        assert "import torch" in text
        assert "torchlike" not in text
