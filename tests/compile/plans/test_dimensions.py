"""Tensors of many dimensions, which some of numpy's functions do not take."""

import pytest
import torch

import torchlike

OPERATIONS = {
    "add": lambda lib, x: x + x.sum(),
    "sort": lambda lib, x: x.sort(-1, descending=True).values,
    "where": lambda lib, x: lib.where(x > 2, x, -x),
    "softmax": lambda lib, x: x.softmax(-1),
    "matmul": lambda lib, x: x @ x.transpose(-1, -2),
    "cat": lambda lib, x: lib.cat([x, x], 0),
    "gradient": lambda lib, x: lib.autograd.grad((x.requires_grad_() ** 2).sum(), x)[0],
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("count", [33, 64])
def test_many_dimensions(name, count):
    def found(lib):
        x = lib.arange(6.0).view([2] + [1] * (count - 2) + [3])
        return OPERATIONS[name](lib, x)

    ours, theirs = found(torchlike), found(torch)
    assert tuple(ours.shape) == tuple(theirs.shape)
    assert ours.flatten().tolist() == pytest.approx(theirs.flatten().tolist())


@pytest.mark.parametrize("count", [65, 100])
def test_more_than_numpy_has_are_refused(count):
    x = torchlike.zeros([1] * count)
    assert x.dim() == count
    with pytest.raises(torchlike.UnsupportedError, match="more than 64 dimensions"):
        (x + 1).tolist()
