"""`torch.backends.openmp`: OpenMP, which torchlike does not use."""


def is_available() -> bool:
    """False."""
    return False
