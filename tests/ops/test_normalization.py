"""Normalizations of what is large beside its variation are at least as exact as PyTorch's, in every tier."""

import numpy as np
import pytest
import torch as real

import torchlike

TIERS = ("off", "now", "kernels")
FUNCTIONS = {
    "layer_norm": lambda f, x: f.layer_norm(x, x.shape[1:]),
    "group_norm": lambda f, x: f.group_norm(x, 2),
    "instance_norm": lambda f, x: f.instance_norm(x),
    "batch_norm": lambda f, x: f.batch_norm(x, None, None, training=True),
}


def normalized(name, x, tier) -> np.ndarray:
    with torchlike.configure(compile=tier, hot=1, patience=0.0):
        for _ in range(3):  # the second is a whole program
            found = FUNCTIONS[name](torchlike.nn.functional, torchlike.tensor(x)).numpy()
    return found.astype(np.float64)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_constant_has_no_variance(name, tier):
    for value in (0.1, 1e4 + 0.1, -7e6):
        for size in (3, 7, 33, 100):
            found = normalized(name, np.full((2, 4, size), value, np.float32), tier)
            assert np.abs(found).max() < 1e-6, (value, size)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_as_exact_as_pytorch(name, tier):
    draws = np.random.default_rng(0)
    for offset, scale in ((0.0, 1.0), (100.0, 0.1), (1e4, 1.0), (-1e5, 0.5)):
        x = (offset + scale * draws.standard_normal((2, 4, 50))).astype(np.float32)
        exact = FUNCTIONS[name](real.nn.functional, real.tensor(x.astype(np.float64))).numpy()
        theirs = FUNCTIONS[name](real.nn.functional, real.tensor(x)).numpy().astype(np.float64)
        ours = normalized(name, x, tier)
        assert np.abs(ours - exact).max() <= 2 * np.abs(theirs - exact).max() + 1e-6, (offset, scale)
