"""Whether there can be mixed precision on a GPU."""

from torchlike._base.device import gpu_devices

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available() -> bool:
    """Whether there is no GPU."""
    return not gpu_devices()
