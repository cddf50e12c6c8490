"""The derivative of digamma, where PyTorch's own series is good to about 1e-9 only."""

import numpy as np
import torch

import torchlike

POINTS = [0.3, 0.7, 1.0, 2.5, 10.0, -0.3, -1.7]


def test_gradient_of_digamma_agrees_to_the_precision_of_torch():
    mine = torchlike.tensor(POINTS, dtype=torchlike.float64, requires_grad=True)
    theirs = torch.tensor(POINTS, dtype=torch.float64, requires_grad=True)
    mine.digamma().sum().backward()
    theirs.digamma().sum().backward()
    np.testing.assert_allclose(mine.grad.numpy(), theirs.grad.numpy(), rtol=1e-7)


def test_polygamma_of_order_one_is_the_trigamma_function():
    mine = torchlike.polygamma(1, torchlike.tensor([1.0], dtype=torchlike.float64))
    np.testing.assert_allclose(mine.numpy(), [np.pi ** 2 / 6], rtol=1e-12)
