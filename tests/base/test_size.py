"""`torch.Size` of what programs and files give it, against torch."""

import numpy as np
import pytest
import torch

import torchlike

GIVEN = ["[1, 2]", "(True, 2)", "(t.tensor(2),)", "(t.tensor([2]),)", "(t.tensor(2.0),)", "(t.tensor([2, 3]),)",
         "t.tensor([1, 2])", "t.tensor([1.0])", "(1.0,)", "('a',)", "'ab'", "3", "None", "(np.float32(1),)", "[[1]]",
         "(-1,)"]


def outcome(library, given):
    try:
        found = library.Size(eval(given, {"t": library, "np": np}))
    except TypeError as error:
        return str(error)
    return repr(found), [type(n) for n in found]


@pytest.mark.parametrize("given", GIVEN)
def test_given(given):
    assert outcome(torchlike, given) == outcome(torch, given)


def test_numbers_of_numpy_stay():
    for library in (torch, torchlike):
        assert type(library.Size((np.int64(3), True))[0]) is np.int64
