"""For the tests of distributions."""

import contextlib

import pytest

import torchlike

with contextlib.suppress(ImportError):  # then all files of this folder are left out
    import torch


@pytest.fixture(autouse=True)
def cold():
    """Small kernels only: nothing here runs often enough to be compiled as a whole. What torch._dynamo, once somebody
    imports it, says of torch's validation does not count."""
    distribution = torch.distributions.Distribution
    before = distribution._validate_args
    distribution.set_default_validate_args(True)
    with torchlike.configure(compile="off"):
        yield
    distribution.set_default_validate_args(before)
