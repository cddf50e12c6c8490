"""Operators that a vmap calls slice by slice; what they give is compared with torch in the program func_once."""

import pytest

import torchlike as torch


def test_warns_as_pytorch_does():
    with pytest.warns(UserWarning, match="batching rule for aten::bincount"):
        torch.vmap(torch.bincount)(torch.tensor([[0, 1], [1, 1]]))


def test_a_rule_warns_of_nothing():
    found = torch.vmap(lambda a: torch.linspace(a, 2, 3))(torch.tensor([0.0, 1.0]))
    assert found.tolist() == [[0, 1, 2], [1, 1.5, 2]]


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_slices_of_unequal_shape():
    with pytest.raises(RuntimeError, match=r"got \[3\] at entry 0 and \[2\] at entry 1"):
        torch.vmap(torch.bincount)(torch.tensor([[1, 2], [0, 1]]))


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_no_derivative_is_lost():
    with pytest.raises(RuntimeError, match="derivative for aten::bincount is not implemented"):
        torch.vmap(torch.func.grad(lambda w: torch.bincount(torch.tensor([0, 1]), w).sum()))(torch.ones(2, 2))
