"""What is refused is refused by name, and only where it would be wrong to go on."""

import pytest

import torchlike as torch
import torchlike.nn.functional as F
from torchlike import nn

INDICES = torch.tensor([0, 2, 2])


@pytest.mark.parametrize(("call", "name"), [
    (lambda: nn.Embedding(3, 2, sparse=True)(INDICES), r"embedding\(sparse=True\)"),
    (lambda: F.embedding(INDICES, torch.ones(3, 2, requires_grad=True), sparse=True), r"embedding\(sparse=True\)"),
    (lambda: torch.ones(3, requires_grad=True).gather(0, INDICES, sparse_grad=True), r"gather\(sparse_grad=True\)"),
], ids=["module", "function", "gather"])
def test_sparse_gradients(call, name):
    with pytest.raises(torch.UnsupportedError, match=name):
        call()
    with torch.no_grad():
        assert call().shape[0] == 3
