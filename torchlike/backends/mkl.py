"""`torch.backends.mkl`: MKL, which torchlike does not use."""


def is_available() -> bool:
    """Whether MKL is there: False."""
    return False


VERBOSE_OFF = 0
VERBOSE_ON = 1


class verbose:  # noqa: N801 - PyTorch's name
    """A block in which MKL tells what it does. It is not there, so that fails, as in a PyTorch that was built without it.
    https://pytorch.org/docs/stable/backends.html#torch.backends.mkl.verbose

    Args:
        enable: VERBOSE_OFF, which does nothing, or VERBOSE_ON, an AssertionError as the block is entered.
    """

    def __init__(self, enable):
        self.enable = enable

    def __enter__(self):
        if self.enable == VERBOSE_OFF:
            return None
        raise AssertionError("Failed to set MKL into verbose mode. Please consider to disable this verbose scope.")

    def __exit__(self, exc_type, exc_val, exc_tb):
        return False
