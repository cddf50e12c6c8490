"""Gradients and signs of zeros of reductions that have one element, or another dtype than their operand, against torch."""

import math

import pytest
import torch

import torchlike

VALUES = (math.inf, math.nan, 0.0, 1e-40, 3.0)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "complex64"])
def test_product_of_one_number(dtype):
    for call in (lambda x: x.prod(), lambda x: x.prod(0), lambda x: x.prod(0, keepdim=True)):
        for value in VALUES:
            found = []
            for t in (torch, torchlike):
                x = t.tensor(value, dtype=getattr(t, dtype), requires_grad=True)
                call(x).backward(t.tensor(-1.5, dtype=x.dtype))
                found.append(x.grad.item())
            assert found[0] == found[1] == -1.5


@pytest.mark.parametrize("loss", ["nll_loss", "cross_entropy"])
def test_loss_of_one_sample_is_no_negative_zero(loss):
    for reduction in ("mean", "sum", "none"):
        found = []
        for t in (torch, torchlike):
            x = t.tensor([0.0, 0.0] if loss == "nll_loss" else [1e9, 0.0])
            found.append(getattr(t.nn.functional, loss)(x, t.tensor(0), reduction=reduction).item())
        assert found[0] == found[1] == 0 and math.copysign(1, found[0]) == math.copysign(1, found[1]), reduction


@pytest.mark.filterwarnings("ignore:Casting complex values to real:UserWarning")
@pytest.mark.parametrize("values", [[1 + 2j, 3 - 1j, 0.5 + 1j], [2 + 1j, 0, 3 - 1j]])
def test_real_products_of_complex_numbers(values):
    found = []
    for t in (torch, torchlike):
        x = t.tensor(values, dtype=t.complex64, requires_grad=True)
        x.cumprod(0, dtype=t.float64).sum().backward()
        found.append(x.grad.tolist())
    assert found[1] == pytest.approx(found[0], rel=1e-6)


@pytest.mark.parametrize("mode", ["off", "now"])
def test_norm_of_one_number_is_its_size(mode):
    """Whose square overflows, or is 0."""
    for value in (1e300, -1e-300, math.nan, -math.inf, 0.0):
        for order in (2, 3, 0.5, -1, 0):
            want = torch.linalg.vector_norm(torch.tensor([[value]], dtype=torch.float64), order, 1).item()
            with torchlike.configure(compile=mode):
                got = torchlike.linalg.vector_norm(torchlike.tensor([[value]], dtype=torchlike.float64), order, 1).item()
            assert got == want or (got != got and want != want), (value, order)
