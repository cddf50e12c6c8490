"""Operators that are said to round nothing give in float32 what they give of the same numbers in float64."""

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db

from tests.speed import sampled
from torchlike._ops.exact import EXACT

SAMPLES = {info.name: info for info in op_db if not info.variant_test_name}


def rounds(info) -> bool:
    """Whether some result of PyTorch's samples is another number in float64."""
    for sample in info.sample_inputs("cpu", torch.float32):
        wide = sample.transform(lambda x: x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x)
        narrow, exact = (torch.utils._pytree.tree_leaves(info.op(each.input, *each.args, **each.kwargs))
                         for each in (sample, wide))
        pairs = [(a, b) for a, b in zip(narrow, exact, strict=True) if isinstance(a, torch.Tensor)]
        if not all(torch.equal(a.double(), b.double()) for a, b in pairs):
            return True
    return False


@pytest.mark.parametrize("name", sampled(sorted(EXACT & SAMPLES.keys()), fast=4))
def test_nothing_is_rounded(name):
    assert not rounds(SAMPLES[name])


@pytest.mark.parametrize("name", ["exp", "add", "sum", "cumsum"])
def test_rounding_is_seen(name):
    assert rounds(SAMPLES[name])


def test_most_are_looked_at():
    assert len(EXACT & SAMPLES.keys()) > 0.7 * len(EXACT)
