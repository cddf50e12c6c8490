"""`torch.backends.mps`: Apple's GPUs, which torchlike does not use."""

_NONE = "PyTorch is not linked with support for mps devices"


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


def get_name() -> str:
    """The name of the Metal device.

    Raises:
        RuntimeError: there is none. PyTorch's builds without Metal stumble here.
    """
    raise RuntimeError(_NONE)


def get_core_count() -> int:
    """How many cores the Metal device has.

    Raises:
        RuntimeError: as for `get_name`.
    """
    raise RuntimeError(_NONE)
