"""`torch.cuda`'s allocators: https://pytorch.org/docs/stable/notes/cuda.html#cuda-memory-management

Memory is JAX's to manage, so nothing can take its place. Without a GPU the errors are those of `_driver.py`.
"""

import contextlib
import ctypes
import os

from torchlike._api import streams
from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import accelerators as _accelerators
from torchlike.cuda._driver import need_gpu, refused

__all__ = ["CUDAPluggableAllocator", "caching_allocator_alloc", "caching_allocator_delete", "caching_allocator_disabled",
           "caching_allocator_enable", "change_current_allocator", "get_allocator_backend",
           "get_per_process_memory_fraction", "memory_snapshot", "set_per_process_memory_fraction", "use_mem_pool"]

_REASON = "JAX manages the device's memory"
_DEFAULT_FRACTION = 0.75  # JAX's


class _CUDAAllocator:
    """An allocator of C functions."""

    def __init__(self, allocator):
        self._allocator = allocator

    def allocator(self):
        """What PyTorch knows it by."""
        return self._allocator


class CUDAPluggableAllocator(_CUDAAllocator):
    """Refused: memory is JAX's to manage. The library is opened first, so that the errors of that are PyTorch's.
    https://pytorch.org/docs/stable/generated/torch.cuda.CUDAPluggableAllocator.html

    Args:
        path_to_so_file: a library.
        alloc_fn_name, free_fn_name: two of its functions.

    Raises:
        UnsupportedError: the library has the functions. Without it OSError, without them AttributeError.
    """

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str):
        library = ctypes.CDLL(path_to_so_file)
        for name in (alloc_fn_name, free_fn_name):
            getattr(library, name)
        raise UnsupportedError(f"torch.cuda.CUDAPluggableAllocator is not supported: {_REASON}")


def change_current_allocator(allocator: _CUDAAllocator) -> None:
    """Refused: memory is JAX's to manage.
    https://pytorch.org/docs/stable/generated/torch.cuda.change_current_allocator.html

    Args:
        allocator: not looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's AssertionError.
    """
    raise refused("change_current_allocator", _REASON)


def caching_allocator_alloc(size, device=None, stream=None):
    """Refused: JAX gives out no memory by address.
    https://pytorch.org/docs/stable/generated/torch.cuda.caching_allocator_alloc.html

    Args:
        size, device, stream: not looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's AssertionError.
    """
    raise refused("caching_allocator_alloc", _REASON)


def caching_allocator_delete(mem_ptr):
    """Refused: JAX gives out no memory by address.
    https://pytorch.org/docs/stable/generated/torch.cuda.caching_allocator_delete.html

    Args:
        mem_ptr: not looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's AssertionError.
    """
    raise refused("caching_allocator_delete", _REASON)


def caching_allocator_enable(value: bool = True) -> None:
    """Accepts True: JAX's allocator keeps what was freed. Without a GPU it does nothing, as in PyTorch.
    https://pytorch.org/docs/stable/generated/torch.cuda.caching_allocator_enable.html

    Args:
        value: whether freed memory is kept.

    Raises:
        UnsupportedError: `value` is false, and there is a GPU.
    """
    if not value and _accelerators():
        raise refused("caching_allocator_enable(False)", "JAX's allocator is chosen by XLA_PYTHON_CLIENT_ALLOCATOR")


@contextlib.contextmanager
def caching_allocator_disabled():
    """Refused when it is entered: `caching_allocator_enable` cannot switch JAX's allocator off.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's AssertionError.
    """
    need_gpu()
    caching_allocator_enable(False)
    yield


def get_allocator_backend() -> str:
    """Whose allocator there is. Without a GPU PyTorch's AssertionError.
    https://pytorch.org/docs/stable/generated/torch.cuda.get_allocator_backend.html

    Returns:
        "cudaMallocAsync" where JAX was told so by XLA_PYTHON_CLIENT_ALLOCATOR, else "native": JAX's own.
    """
    need_gpu()
    return "cudaMallocAsync" if os.environ.get("XLA_PYTHON_CLIENT_ALLOCATOR") == "cuda_async" else "native"


def memory_snapshot(mempool_id=None, include_traces=True):
    """Refused: JAX's allocator does not tell its blocks; `jax.profiler.save_device_memory_profile` has what it tells.
    https://pytorch.org/docs/stable/generated/torch.cuda.memory_snapshot.html

    Args:
        mempool_id, include_traces: not looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's AssertionError.
    """
    raise refused("memory_snapshot", "JAX's allocator does not tell its blocks")


@contextlib.contextmanager
def use_mem_pool(pool, device=None):
    """Refused when it is entered: there are no pools.
    https://pytorch.org/docs/stable/generated/torch.cuda.memory.use_mem_pool.html

    Args:
        pool, device: not looked at.

    Returns:
        a context manager.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's AssertionError.
    """
    raise refused("use_mem_pool", _REASON)
    yield  # a context manager is made of a generator


# -- how much a process may have

def get_per_process_memory_fraction(device=None) -> float:
    """The part of a GPU's memory that JAX may have: XLA_PYTHON_CLIENT_MEM_FRACTION, 0.75 where that is not set.

    Args:
        device: a GPU, by index, device or name; None means the first.

    Returns:
        a number between 0 and 1. Without a GPU PyTorch's AssertionError.
    """
    need_gpu()
    streams.index_of(device)
    return float(os.environ.get("XLA_PYTHON_CLIENT_MEM_FRACTION", _DEFAULT_FRACTION))


def set_per_process_memory_fraction(fraction, device=None) -> None:
    """Refused: JAX takes its part as it starts. Set XLA_PYTHON_CLIENT_MEM_FRACTION before that.
    https://pytorch.org/docs/stable/generated/torch.cuda.set_per_process_memory_fraction.html

    Args:
        fraction: a float between 0 and 1.
        device: a GPU, by index, device or name; None means the first.

    Raises:
        TypeError: `fraction` is no float.
        ValueError: it is not between 0 and 1.
        UnsupportedError: it is. Without a GPU PyTorch's AssertionError.
    """
    need_gpu()
    streams.index_of(device)
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if fraction < 0 or fraction > 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    raise refused("set_per_process_memory_fraction", "set XLA_PYTHON_CLIENT_MEM_FRACTION before JAX starts")
