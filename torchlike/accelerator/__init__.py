"""`torch.accelerator`: the GPU under a name for all kinds. https://pytorch.org/docs/stable/accelerator.html

The accelerator is 'cuda' where JAX has a GPU, and there is none where it has not. `random.py` asks the generators of GPUs,
`_indices.py` says which GPU a device, a number or None means. Without a GPU what asks one raises PyTorch's RuntimeError.
Only the torch namespace imports this package.
"""

import functools as _functools
import warnings as _warnings

from torchlike import cuda as _cuda
from torchlike._api import streams
from torchlike._base import device as _dev
from torchlike._base import dtypes as _dtypes
from torchlike._base.errors import UnsupportedError as _UnsupportedError
from torchlike._compile.backends.registry import accelerators as _accelerators
from torchlike._compile.backends.registry import backend_of as _backend_of
from torchlike.accelerator import random as random
from torchlike.accelerator._indices import current as _current
from torchlike.accelerator._indices import index_of as _index
from torchlike.accelerator._indices import there as _there

_ON_GPUS = (_dtypes.bool_, _dtypes.uint8, _dtypes.int8, _dtypes.int16, _dtypes.int32, _dtypes.int64, _dtypes.float16,
            _dtypes.bfloat16, _dtypes.float32, _dtypes.float64, _dtypes.complex64, _dtypes.complex128)


def current_accelerator(check_available: bool = False):
    """``torch.device("cuda")``, or None without a GPU.
    https://pytorch.org/docs/stable/generated/torch.accelerator.current_accelerator.html

    Args:
        check_available: without effect.

    Returns:
        a device or None.
    """
    return _dev.device("cuda") if _accelerators() else None


def is_available() -> bool:
    """Whether there is a GPU. https://pytorch.org/docs/stable/generated/torch.accelerator.is_available.html"""
    return _cuda.is_available()


def device_count() -> int:
    """How many GPUs there are. https://pytorch.org/docs/stable/generated/torch.accelerator.device_count.html"""
    return _cuda.device_count()


def current_device_index() -> int:
    """0, the first GPU's number; RuntimeError without one.
    https://pytorch.org/docs/stable/generated/torch.accelerator.current_device_index.html"""
    return _current()


def set_device_index(device, /) -> None:
    """Accepted for the first GPU, which is what 'cuda' means.
    https://pytorch.org/docs/stable/generated/torch.accelerator.set_device_index.html

    Args:
        device: an index or a device; a negative index does nothing.

    Raises:
        RuntimeError: there is no GPU.
        UnsupportedError: another GPU than the first.
        ValueError: `device` is None, or on another device than a GPU.
    """
    if device is None:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    index = _index(device)
    if index >= 0:
        _there()
        _cuda.set_device(index)


def current_device_idx() -> int:
    """`current_device_index` by its older name, which warns.
    https://pytorch.org/docs/stable/generated/torch.accelerator.current_device_idx.html"""
    _warnings.warn("Use `current_device_index` instead.", FutureWarning, stacklevel=2)
    return current_device_index()


def set_device_idx(device, /) -> None:
    """`set_device_index` by its older name, which warns.
    https://pytorch.org/docs/stable/generated/torch.accelerator.set_device_idx.html

    Args:
        device: as there.
    """
    _warnings.warn("Use `set_device_index` instead.", FutureWarning, stacklevel=2)
    set_device_index(device)


@_functools.cache
def get_device_capability(device=None, /) -> dict:
    """What a GPU can do: the dtypes that tensors on it may have.
    https://pytorch.org/docs/stable/generated/torch.accelerator.get_device_capability.html

    Args:
        device: a GPU; None means the first.

    Returns:
        a dict with ``supported_dtypes``, a set.

    Raises:
        RuntimeError: there is no GPU.
    """
    index = _index(device)
    _there()
    _backend_of(_dev.device("cuda", index)).hardware()
    return {"supported_dtypes": set(_ON_GPUS)}


class Graph:
    """Refused: JAX orders the work itself, without captured graphs.
    https://pytorch.org/docs/stable/generated/torch.accelerator.Graph.html

    Args:
        keep_graph, pool, capture_error_mode: not looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's RuntimeError.
    """

    def __new__(cls, keep_graph=False, *, pool=None, capture_error_mode="default"):
        _there()
        raise _UnsupportedError("torch.accelerator.Graph is not supported: JAX orders the work itself")


class device_index:  # noqa: N801 - PyTorch's name
    """`set_device_index` for a block.
    https://pytorch.org/docs/stable/generated/torch.accelerator.device_index.html

    Args:
        device: an index; None does nothing.
    """

    def __init__(self, device: int | None, /) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None:
            set_device_index(self.idx)

    def __exit__(self, *error) -> None:
        return None


def current_stream(device=None, /):
    """The stream that is set on this thread.
    https://pytorch.org/docs/stable/generated/torch.accelerator.current_stream.html

    Args:
        device: a GPU; None means the first.

    Returns:
        a `torch.Stream`.

    Raises:
        RuntimeError: there is no GPU.
    """
    index = _index(device)
    _there()
    return streams.current(streams.Stream, index)


def set_stream(stream) -> None:
    """Makes a stream the current one of this thread.
    https://pytorch.org/docs/stable/generated/torch.accelerator.set_stream.html

    Args:
        stream: a `torch.Stream`.
    """
    streams.set_current(stream)


def synchronize(device=None, /) -> None:
    """Runs what is recorded, and waits for it.
    https://pytorch.org/docs/stable/generated/torch.accelerator.synchronize.html

    Args:
        device: a GPU; None means the first.

    Raises:
        RuntimeError: there is no GPU.
    """
    _index(device)
    _there()
    _cuda.synchronize()


# -- memory

def empty_cache() -> None:
    """Does nothing: JAX's allocator keeps its pool. Without a GPU RuntimeError."""
    _there()


def empty_host_cache() -> None:
    """Does nothing: memory of the host is not pinned. Without a GPU RuntimeError."""
    _there()


def memory_stats(device_index=None, /) -> dict:
    """What JAX's allocator counts, as `torch.cuda.memory_stats`. Without a GPU RuntimeError, here and in the functions
    below.

    Args:
        device_index: a GPU; None means the first.

    Returns:
        a dict, under JAX's names.
    """
    _there()
    return _cuda.memory_stats(device_index)


def memory_allocated(device_index=None, /) -> int:
    """How many bytes are in use.

    Args:
        device_index: as for `memory_stats`.

    Returns:
        a number of bytes.
    """
    _there()
    return _cuda.memory_allocated(device_index)


def max_memory_allocated(device_index=None, /) -> int:
    """The largest number of bytes in use so far, or since `reset_peak_memory_stats`.

    Args:
        device_index: as for `memory_stats`.

    Returns:
        a number of bytes.
    """
    _there()
    return _cuda.max_memory_allocated(device_index)


def memory_reserved(device_index=None, /) -> int:
    """How many bytes the allocator's pool has.

    Args:
        device_index: as for `memory_stats`.

    Returns:
        a number of bytes.
    """
    _there()
    return _cuda.memory_reserved(device_index)


def max_memory_reserved(device_index=None, /) -> int:
    """The largest size of the pool so far, or since `reset_peak_memory_stats`.

    Args:
        device_index: as for `memory_stats`.

    Returns:
        a number of bytes.
    """
    _there()
    return _cuda.max_memory_reserved(device_index)


def reset_peak_memory_stats(device_index=None, /) -> None:
    """Starts the peaks anew, as `torch.cuda.reset_peak_memory_stats`.

    Args:
        device_index: as for `memory_stats`.
    """
    _there()
    _cuda.reset_peak_memory_stats(device_index)


def reset_accumulated_memory_stats(device_index=None, /) -> None:
    """Counts allocations anew, as `torch.cuda.reset_accumulated_memory_stats`.

    Args:
        device_index: as for `memory_stats`.
    """
    _there()
    _cuda.reset_accumulated_memory_stats(device_index)


def get_memory_info(device_index=None, /) -> tuple:
    """How much memory JAX may use.

    Args:
        device_index: as for `memory_stats`.

    Returns:
        (free, total) bytes.
    """
    _there()
    return _cuda.mem_get_info(device_index)
