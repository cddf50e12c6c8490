"""The layer of an LSTM: PyTorch's operator is for float32 and has one derivative, so the others are those of its steps."""

import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import LAYERS

ORDERS = pytest.mark.parametrize("options", [{}, {"bias": False, "bidirectional": True, "num_layers": 2}],
                                 ids=["plain", "all"])


def trained(library, dtype, options, second):
    """The outputs of a layer and gradients: of all outputs, or of the squares of such gradients."""
    library.manual_seed(0)
    module = library.nn.LSTM(3, 4, **options)
    x, layers = library.randn(5, 2, 3), options.get("num_layers", 1) * (1 + options.get("bidirectional", False))
    state = library.randn(2, layers, 2, 4)
    module, x, state = module.to(dtype), x.to(dtype).requires_grad_(), state.to(dtype).requires_grad_()
    output, (h, c) = module(x, tuple(state))
    leaves = [x, state, *module.parameters()]
    total = (output * output.cos()).sum() + (2 * h).sin().sum() + (3 * c).sin().sum()
    found = library.autograd.grad(total, leaves, create_graph=second)
    if second:
        found = library.autograd.grad(sum((g * g).sum() for g in found), leaves)
    return [y.detach().double() for y in (output, h, c, *found)]


@ORDERS
def test_first_derivatives(options):
    check(lambda library: trained(library, library.float32, options, False), tolerance=LAYERS)


@ORDERS
def test_second_derivatives(options):
    expected = trained(torch, torch.float64, options, True)
    for mine, theirs in zip(trained(torchlike, torchlike.float32, options, True), expected, strict=True):
        torch.testing.assert_close(torch.from_numpy(mine.numpy()), theirs, rtol=1e-3, atol=1e-3)


def test_the_length_is_no_part_of_the_program():
    def instructions(steps):
        before = torchlike.counters()["nodes"]
        torchlike.nn.LSTM(3, 4)(torchlike.zeros(steps, 2, 3))[0].sum().backward()
        return torchlike.counters()["nodes"] - before

    assert instructions(40) < 2 * instructions(3)
