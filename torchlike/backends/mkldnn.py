"""`torch.backends.mkldnn`: oneDNN, which torchlike does not use."""

import contextlib

enabled = False
deterministic = False


def is_available() -> bool:
    """Whether oneDNN is there: False."""
    return False


@contextlib.contextmanager
def flags(enabled=False, deterministic=False, allow_tf32=True, fp32_precision="none"):
    """A block without an effect: there is nothing to switch.

    Args:
        enabled, deterministic, allow_tf32, fp32_precision: without effect.

    Yields:
        None.
    """
    yield
