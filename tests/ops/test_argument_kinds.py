"""What stands where a tensor belongs: PyTorch's TypeError, and its words for what was given."""

import collections
import decimal

import numpy as np
import pytest
import torch

import torchlike

GIVEN = {
    "None": None, "text": "x", "a list": [1.0], "a tuple": (1, 2), "an array": np.ones(2), "a dict": {},
    "an OrderedDict": collections.OrderedDict(), "a Decimal": decimal.Decimal(1), "a deque": collections.deque(),
    "an object": object(), "a function": len,
}
CALLS = {
    "one operand": lambda t, x: t.sin(x),
    "the first of two": lambda t, x: t.mm(x, t.ones(2, 2)),
    "the second of two": lambda t, x: t.mm(t.ones(2, 2), x),
    "two operands": lambda t, x: t.add(x, x),
    "the second, which may be a number": lambda t, x: t.atan2(t.ones(2), x),
    "a view": lambda t, x: t.transpose(x, 0, 1),
    "in place": lambda t, x: t.abs_(x),
    "copy_": lambda t, x: t.ones(2).copy_(x),
    "zeros_like": lambda t, x: t.zeros_like(x),
    "a reduction": lambda t, x: t.cumsum(x, 0),
}


def raised(package, call, x) -> str:
    with pytest.raises(TypeError) as caught:
        call(package, x)
    return str(caught.value).splitlines()[0]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("call", CALLS)
def test_what_is_no_tensor(call, given):
    want, got = (raised(package, CALLS[call], GIVEN[given]) for package in (torch, torchlike))
    assert want == got
