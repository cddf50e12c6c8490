"""Options of printing for a block, compared with torch."""

import torch

import torchlike


def test_printoptions():
    found = []
    for t in (torch, torchlike):
        x = t.tensor([1.23456, 2e-5])
        with t._tensor_str.printoptions(precision=2, sci_mode=False):
            found.append([str(x)])
        found[-1].append(str(x))
    assert found[0] == found[1]
