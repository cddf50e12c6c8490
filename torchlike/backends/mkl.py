"""`torch.backends.mkl`: MKL, which torchlike does not use."""


def is_available() -> bool:
    """Whether MKL is there: False."""
    return False
