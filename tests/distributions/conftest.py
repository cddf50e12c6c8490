"""For the tests of distributions."""

import pytest

import torchlike


@pytest.fixture(autouse=True)
def cold():
    """Small kernels only: nothing here runs often enough to be compiled as a whole."""
    with torchlike.configure(compile="off"):
        yield
