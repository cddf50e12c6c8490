"""`torch.backends.openmp`: OpenMP, which torchlike does not use."""


def is_available() -> bool:
    """Whether OpenMP is there: False."""
    return False
