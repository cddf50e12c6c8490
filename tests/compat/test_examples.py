"""The tool that runs the examples of docstrings."""

import pytest

import torchlike
from compat.examples import collecting, exam

AGREE = {
    "imports": ["import torch.nn as nn", "import torch", "from torch import ones", "nn.Linear(2, 3)(ones(1, 2))"],
    "raised": ["torch.ones(2) @ torch.ones(3)", "nosuch"], "printed": ["print(torch.ones(2))"],
    "warned": ["torch.cross(torch.ones(1, 3), torch.ones(1, 3))"], "drawn": ["torch.rand(2)"], "syntax": ["x ="],
    "file": ["torch.save(torch.ones(1), 'here.pt')", "torch.load('here.pt')"],
}


@pytest.mark.parametrize("name", AGREE)
def test_agrees(name):
    assert exam.difference(AGREE[name]) == ""


PLANTED = {
    "value": lambda *size: torchlike.zeros(*size), "print": lambda *size: print("here") or torchlike.zeros(*size) + 1,
    "fact": lambda *size: torchlike.zeros(*size).add_(1).requires_grad_(), "error": lambda *size: {}[size],
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_difference_is_seen(monkeypatch, name):
    monkeypatch.setattr(torchlike, "ones", PLANTED[name])
    assert exam.difference(["x = 1", "torch.ones(2)"])


def test_a_slow_statement_is_ended(monkeypatch):
    monkeypatch.setattr(exam, "_SECONDS", 0.05)
    assert exam.run(torchlike, ["while True: pass", "1"])[:3] == ["slow", "", 1]


def test_sources():
    assert collecting.sources("Text.\n\n    >>> x = 1\n    >>> for i in range(2):\n    ...     x\n    1\n") == \
        ["x = 1\n", "for i in range(2):\n    x\n"]
    assert collecting.sources(">>> a\n   >>>b\n") == ["a", "b"]


@pytest.mark.slow
@pytest.mark.exhaustive  # imports most of PyTorch
def test_examples_are_found():
    found = collecting.examples()
    assert len(found) > 800 and "nn.Linear" in found
    assert [name for name in ("nn.Linear", "torch.add", "Tensor.expand") if exam.difference(found[name])] == []
