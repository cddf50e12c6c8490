"""Whether there can be mixed precision on a GPU."""

from torchlike._compile.backends.registry import accelerators

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available() -> bool:
    """Whether there is no GPU."""
    return not accelerators()
