"""`torch.backends.mps`: Apple's GPUs, which torchlike does not use."""


def is_built() -> bool:
    """False."""
    return False


def is_available() -> bool:
    """False."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """False: it asks for what a Metal device could do, and there is none."""
    return False


def is_macos13_or_newer(minor: int = 0) -> bool:
    """False, as `is_macos_or_newer`."""
    return False
