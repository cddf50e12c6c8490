"""`torch.backends.mps`: Apple's GPUs, which torchlike does not use."""


def is_built() -> bool:
    """Whether Metal is supported: False."""
    return False


def is_available() -> bool:
    """Whether a Metal device is there: False."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Whether a Metal device of this system is there.

    Args:
        major, minor: the version of macOS.

    Returns:
        False: there is none.
    """
    return False


def is_macos13_or_newer(minor: int = 0) -> bool:
    """`is_macos_or_newer` of macOS 13.

    Args:
        minor: as there.

    Returns:
        False: there is none.
    """
    return False
