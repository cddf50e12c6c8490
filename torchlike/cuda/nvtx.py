"""`torch.cuda.nvtx`: https://pytorch.org/docs/stable/cuda.html#nvidia-tools-extension-nvtx

There are no NVTX ranges, as in PyTorch's builds for the CPU; jax.profiler works with Nsight.
"""

import contextlib

from torchlike._base import absent

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

_NONE = "NVTX functions not installed. Are you sure you have a CUDA build?"
mark = absent.failing("mark", __name__, RuntimeError, _NONE)
range_end = absent.failing("range_end", __name__, RuntimeError, _NONE)
range_pop = absent.failing("range_pop", __name__, RuntimeError, _NONE)
range_push = absent.failing("range_push", __name__, RuntimeError, _NONE)
range_start = absent.failing("range_start", __name__, RuntimeError, _NONE)


@contextlib.contextmanager
def range(msg, *args, **kwargs):
    """A block that is a range; RuntimeError where it begins.

    Args:
        msg, args, kwargs: the text, and what it is formatted with.

    Returns:
        a context manager.
    """
    range_push(msg.format(*args, **kwargs))
    yield
