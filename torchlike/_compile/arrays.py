"""Where values become arrays that programs can take: jax arrays, or numpy arrays in a forked process.

A process forked from one that uses JAX has none of XLA's threads: reading an array works there, running or compiling a
program hangs. `forked` is true in such a worker of `torchlike.utils.data`. Its values are numpy arrays, and what it
records runs in its parent (see ``instead`` in program.py).
"""

import jax
import numpy as np

from torchlike._base import device as dev

forked = [False]
_NO_CUDA = ("Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' "
            "start method")


def put(array, device):
    """The numpy or jax array on `device`. It may share the memory of a numpy array that nobody writes to."""
    if forked[0]:
        check_reachable(device)
        return np.asarray(array)
    with jax.enable_x64(True):
        return jax.device_put(array, dev.jax_device(device))


def check_reachable(device) -> None:
    """RuntimeError, PyTorch's, for values on a GPU that a forked process asks for."""
    if forked[0] and device.type == "cuda":
        raise RuntimeError(_NO_CUDA)
