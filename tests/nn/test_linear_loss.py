"""`linear_cross_entropy` in pieces against torch: losses, first gradients, and what is refused."""

import pytest
import torch

import torchlike
from tests.ops import checks

_O = "torch.nn.LinearCrossEntropyOptions(batch_chunk_size=2, allow_retain_graph=True)"
EXPRESSIONS = [
    f"F.linear_cross_entropy(x(5, 3), x(4, 3), i(4, 5), linear_bias=x(4), options={_O})",
    f"F.linear_cross_entropy(x(5, 3), x(4, 3), i(4, 5), reduction='none', ignore_index=2, options={_O})",
    f"F.linear_cross_entropy(x(5, 3), x(4, 3), i(4, 5), reduction='sum', weight=pos(4).detach(), options={_O})",
    f"F.linear_cross_entropy(x(3), x(4, 3), i(4), reduction='none', options={_O})",
    f"F.linear_cross_entropy(x(5, 3), x(4, 2, 3), i(4, 5, 2), options={_O})",
    "F.linear_cross_entropy(x(9, 3), x(8, 3), i(8, 9), options=torch.nn.LinearCrossEntropyOptions())",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.filterwarnings("ignore:linear_cross_entropy. ``options`` ignored")
def test_pieces(expression):
    checks.check_gradients(torchlike, torch, expression, "float64")


@pytest.mark.parametrize("package", [torch, torchlike], ids=lambda p: p.__name__)
def test_second_backward_is_refused(package):
    x, table = package.ones(4, 3, requires_grad=True), package.ones(5, 3)
    options = package.nn.LinearCrossEntropyOptions()
    loss = package.nn.functional.linear_cross_entropy(x, table, package.arange(4), options=options)
    loss.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="chunked backward called twice"):
        loss.backward()
