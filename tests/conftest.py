"""For all tests: both libraries start each test from the same seed."""

import pytest
import torch

import torchlike

SEED = 1234


@pytest.fixture(autouse=True)
def seeded():
    """The same random numbers in PyTorch and torchlike, whichever tests ran before."""
    torch.manual_seed(SEED)
    torchlike.manual_seed(SEED)
