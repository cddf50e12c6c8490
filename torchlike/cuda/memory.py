"""The memory of a GPU, as JAX's allocator tells it. https://pytorch.org/docs/stable/cuda.html#memory-management"""

import collections
import warnings

from torchlike._api import streams
from torchlike._base import device as _dev
from torchlike._base.errors import UnsupportedError as _UnsupportedError
from torchlike._compile.backends.registry import accelerators as _accelerators
from torchlike._compile.backends.registry import backend_of as _backend_of
from torchlike._record import trace as _trace
from torchlike.cuda._allocators import CUDAPluggableAllocator as CUDAPluggableAllocator
from torchlike.cuda._allocators import caching_allocator_alloc as caching_allocator_alloc
from torchlike.cuda._allocators import caching_allocator_delete as caching_allocator_delete
from torchlike.cuda._allocators import caching_allocator_disabled as caching_allocator_disabled
from torchlike.cuda._allocators import caching_allocator_enable as caching_allocator_enable
from torchlike.cuda._allocators import change_current_allocator as change_current_allocator
from torchlike.cuda._allocators import get_allocator_backend as get_allocator_backend
from torchlike.cuda._allocators import get_per_process_memory_fraction as get_per_process_memory_fraction
from torchlike.cuda._allocators import memory_snapshot as memory_snapshot
from torchlike.cuda._allocators import set_per_process_memory_fraction as set_per_process_memory_fraction
from torchlike.cuda._allocators import use_mem_pool as use_mem_pool
from torchlike.cuda._driver import need_gpu as _need_gpu
from torchlike.cuda._nvml import list_gpu_processes as list_gpu_processes

_ROWS = (("Allocated memory", "bytes_in_use", "peak_bytes_in_use"), ("GPU reserved memory", "pool_bytes", "peak_pool_bytes"),
         ("Largest allocation", None, "largest_alloc_size"), ("Limit of JAX", "bytes_limit", None))
_UNITS = ("B  ", "KiB", "MiB", "GiB", "TiB")
_WIDTH = 51
# {(number of a GPU, name of the figure): (JAX's peak when it was reset, the largest value seen since)}
_reset: dict = {}
_counted: dict = {}  # {number of a GPU: how many allocations there had been when that was reset}
_FIGURES = {"peak_bytes_in_use": "bytes_in_use", "peak_pool_bytes": "pool_bytes"}


def _stats(device) -> dict:
    """JAX's figures; {} without a GPU."""
    if not _accelerators():
        return {}
    return dict(_backend_of(_dev.device("cuda", streams.index_of(device))).hardware().memory_stats() or {})


def _current(device) -> dict:
    """The same after what is recorded has run, with peaks since the last reset."""
    _trace.run(_trace.state.trace)
    found = _stats(device)
    if found:
        index = streams.index_of(device)
        for peak, now in _FIGURES.items():
            if (index, peak) in _reset:
                found[peak] = _since_reset(index, peak, found.get(peak, 0), found.get(now, 0))
        if index in _counted:
            found["num_allocs"] -= _counted[index]
    return found


def _since_reset(index, name, peak, now) -> int:
    """JAX's peak where it has grown since the reset; else the most that was seen by those who asked."""
    before, seen = _reset[index, name]
    seen = peak if peak > before else max(seen, now)
    _reset[index, name] = before, seen
    return seen


def memory_stats(device=None) -> dict:
    """What JAX's allocator counts, after what is recorded has run.
    https://pytorch.org/docs/stable/generated/torch.cuda.memory_stats.html

    Args:
        device: a GPU, by index, device or name; None means the first.

    Returns:
        a dict under JAX's names, in bytes; empty without a GPU.
    """
    return _current(device)


def memory_allocated(device=None) -> int:
    """How many bytes are in use.

    Args:
        device: as for `memory_stats`.

    Returns:
        a number of bytes; 0 without a GPU.
    """
    return int(_current(device).get("bytes_in_use", 0))


def max_memory_allocated(device=None) -> int:
    """The largest number of bytes in use so far, or since `reset_peak_memory_stats`.
    https://pytorch.org/docs/stable/generated/torch.cuda.max_memory_allocated.html

    Args:
        device: as for `memory_stats`.

    Returns:
        a number of bytes; 0 without a GPU.
    """
    return int(_current(device).get("peak_bytes_in_use", 0))


def memory_reserved(device=None) -> int:
    """How many bytes the allocator's pool has.

    Args:
        device: as for `memory_stats`.

    Returns:
        a number of bytes; 0 without a GPU.
    """
    return int(_current(device).get("pool_bytes", 0))


def max_memory_reserved(device=None) -> int:
    """The largest size of the pool so far, or since `reset_peak_memory_stats`.

    Args:
        device: as for `memory_stats`.

    Returns:
        a number of bytes; 0 without a GPU.
    """
    return int(_current(device).get("peak_pool_bytes", 0))


def mem_get_info(device=None) -> tuple:
    """How much memory JAX may use.

    Args:
        device: as for `memory_stats`.

    Returns:
        (free, total) bytes. RuntimeError without a GPU.
    """
    found = _backend_of(_dev.device("cuda", streams.index_of(device))).hardware().memory_stats() or {}
    return found.get("bytes_limit", 0) - found.get("bytes_in_use", 0), found.get("bytes_limit", 0)


def reset_peak_memory_stats(device=None) -> None:
    """Starts the peaks anew. Differs from PyTorch: JAX cannot reset its peak. If it grows from here on, that is the peak
    since. Otherwise what is reported is the largest use at the reset and at each look since, a lower bound.
    https://pytorch.org/docs/stable/generated/torch.cuda.reset_peak_memory_stats.html

    Args:
        device: as for `memory_stats`.
    """
    _trace.run(_trace.state.trace)
    found = _stats(device)
    index = streams.index_of(device)
    for peak, now in _FIGURES.items():
        _reset[index, peak] = found.get(peak, 0), found.get(now, 0)


def reset_max_memory_allocated(device=None) -> None:
    """Another name of `reset_peak_memory_stats`, as in PyTorch.
    https://pytorch.org/docs/stable/generated/torch.cuda.reset_max_memory_allocated.html

    Args:
        device: as for `memory_stats`.
    """
    reset_peak_memory_stats(device)


def reset_accumulated_memory_stats(device=None) -> None:
    """Counts allocations anew: ``num_allocs`` is the one figure of JAX's that only grows. Without a GPU AssertionError.
    https://pytorch.org/docs/stable/generated/torch.cuda.reset_accumulated_memory_stats.html

    Args:
        device: as for `memory_stats`.
    """
    _need_gpu()
    _trace.run(_trace.state.trace)
    found = _stats(device)
    if "num_allocs" in found:
        _counted[streams.index_of(device)] = found["num_allocs"]


# -- names of before: PyTorch warns of them

def memory_cached(device=None) -> int:
    """`memory_reserved` by its older name, which warns.
    https://pytorch.org/docs/stable/generated/torch.cuda.memory_cached.html

    Args:
        device: as for `memory_stats`.

    Returns:
        a number of bytes; 0 without a GPU.
    """
    warnings.warn("`torch.cuda.memory_cached` has been renamed to `torch.cuda.memory_reserved`", FutureWarning, stacklevel=2)
    return memory_reserved(device)


def max_memory_cached(device=None) -> int:
    """`max_memory_reserved` by its older name, which warns.
    https://pytorch.org/docs/stable/generated/torch.cuda.max_memory_cached.html

    Args:
        device: as for `memory_stats`.

    Returns:
        a number of bytes; 0 without a GPU.
    """
    warnings.warn("`torch.cuda.max_memory_cached` has been renamed to `torch.cuda.max_memory_reserved`", FutureWarning,
                  stacklevel=2)
    return max_memory_reserved(device)


def reset_max_memory_cached(device=None) -> None:
    """`reset_peak_memory_stats` by an older name, which warns.
    https://pytorch.org/docs/stable/generated/torch.cuda.reset_max_memory_cached.html

    Args:
        device: as for `memory_stats`.
    """
    warnings.warn("torch.cuda.reset_max_memory_cached now calls torch.cuda.reset_peak_memory_stats, which resets /all/ peak "
                  "memory stats.", FutureWarning, stacklevel=2)
    reset_peak_memory_stats(device)


# -- pinned memory of the host: there is no such allocator

def host_memory_stats() -> dict:
    """Nothing: memory of the host is not pinned here. In PyTorch, where that allocator has not been used, as well.
    https://pytorch.org/docs/stable/generated/torch.cuda.host_memory_stats.html

    Returns:
        an empty dict.
    """
    return collections.OrderedDict()


def reset_accumulated_host_memory_stats() -> None:
    """Does nothing: memory of the host is not pinned here. Without a GPU AssertionError.
    https://pytorch.org/docs/stable/generated/torch.cuda.reset_accumulated_host_memory_stats.html
    """
    _need_gpu()


def reset_peak_host_memory_stats() -> None:
    """Does nothing: memory of the host is not pinned here. Without a GPU AssertionError.
    https://pytorch.org/docs/stable/generated/torch.cuda.reset_peak_host_memory_stats.html
    """
    _need_gpu()


def memory_summary(device=None, abbreviated=False) -> str:
    """What JAX's allocator counts, as a table. Differs from PyTorch: the rows are those that JAX has, without pools of
    small and large blocks.
    https://pytorch.org/docs/stable/generated/torch.cuda.memory_summary.html

    Args:
        device: as for `memory_stats`.
        abbreviated: without effect.

    Returns:
        a text of several lines.
    """
    index, found = streams.index_of(device), _current(device)
    rows = [f" torchlike CUDA memory summary, device ID {index}", "", " Metric               | Cur Usage  | Peak Usage", ""]
    rows += [f" {name:<20} | {_size(found.get(now))} | {_size(found.get(peak))}" for name, now, peak in _ROWS]
    rows += ["", f" {'Allocations':<20} | {found.get('num_allocs', 0):>10} |"]
    rule = "=" * _WIDTH
    lines = [rule, *(f"{row:<{_WIDTH}}" if row else "-" * _WIDTH for row in rows), rule]
    return "".join(f"|{line}|\n" for line in lines)


def _size(number) -> str:
    if number is None:
        return " " * 10
    for unit in _UNITS:
        if number < 10240 or unit == _UNITS[-1]:
            break
        number //= 1024
    return f"{number:>6} {unit}"


def ipc_collect() -> None:
    """Does nothing: no memory is shared between processes."""


def empty_cache() -> None:
    """Does nothing: JAX's allocator keeps its pool."""


class MemPool:
    """Refused: JAX's allocator has no pools.
    https://pytorch.org/docs/stable/generated/torch.cuda.memory.MemPool.html

    Args:
        allocator, use_on_oom, no_split: not looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's RuntimeError.
    """

    def __new__(cls, allocator=None, use_on_oom=False, no_split=False):
        if _accelerators():
            raise _UnsupportedError("torch.cuda.MemPool is not supported: JAX manages the device's memory")
        raise RuntimeError("Tried to instantiate dummy base class _MemPool")
