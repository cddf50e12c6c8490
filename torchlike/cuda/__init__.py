"""`torch.cuda`: JAX's GPUs. https://pytorch.org/docs/stable/cuda.html

Devices and their properties are in this file. `memory.py` reports what JAX's allocator counts, in bytes; `streams.py` has
streams and events, which are names here because JAX orders the work itself; `amp/` has the deprecated aliases of
`torch.amp`. `random.py` has a generator for each GPU. `_nvml.py` asks the driver. `graphs.py`, `nvtx.py`, `_allocators.py`
and `_driver.py` refuse what JAX has to itself.

Without a GPU `is_available` is False and what needs one raises PyTorch's errors. `torch.accelerator` and
what saves random states (checkpoints, DataLoader) import this package; layers and operators do not.
"""

import types as _types

from torchlike._api.streams import settle as _settle
from torchlike._base import device as _dev
from torchlike._base.errors import AcceleratorError as AcceleratorError
from torchlike._base.errors import OutOfMemoryError as OutOfMemoryError
from torchlike._base.errors import UnsupportedError as _UnsupportedError
from torchlike._compile.backends.registry import accelerators as _accelerators
from torchlike._compile.backends.registry import backend_of as _backend_of
from torchlike.cuda import amp as amp
from torchlike.cuda import nvtx as nvtx
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
from torchlike.cuda._driver import CudaError as CudaError
from torchlike.cuda._driver import DeferredCudaCallError as DeferredCudaCallError
from torchlike.cuda._driver import ExternalStream as ExternalStream
from torchlike.cuda._driver import GreenContext as GreenContext
from torchlike.cuda._driver import check_error as check_error
from torchlike.cuda._driver import cudart as cudart
from torchlike.cuda._driver import cudaStatus as cudaStatus
from torchlike.cuda._driver import current_blas_handle as current_blas_handle
from torchlike.cuda._driver import current_solver_handle as current_solver_handle
from torchlike.cuda._driver import get_arch_list as get_arch_list
from torchlike.cuda._driver import get_gencode_flags as get_gencode_flags
from torchlike.cuda._driver import get_stream_from_external as get_stream_from_external
from torchlike.cuda._driver import get_sync_debug_mode as get_sync_debug_mode
from torchlike.cuda._driver import set_sync_debug_mode as set_sync_debug_mode
from torchlike.cuda._nvml import clock_rate as clock_rate
from torchlike.cuda._nvml import device_memory_used as device_memory_used
from torchlike.cuda._nvml import list_gpu_processes as list_gpu_processes
from torchlike.cuda._nvml import memory_usage as memory_usage
from torchlike.cuda._nvml import power_draw as power_draw
from torchlike.cuda._nvml import temperature as temperature
from torchlike.cuda._nvml import utilization as utilization
from torchlike.cuda.graphs import CUDAGraph as CUDAGraph
from torchlike.cuda.graphs import graph as graph
from torchlike.cuda.graphs import graph_pool_handle as graph_pool_handle
from torchlike.cuda.graphs import is_current_stream_capturing as is_current_stream_capturing
from torchlike.cuda.graphs import make_graphed_callables as make_graphed_callables
from torchlike.cuda.memory import MemPool as MemPool
from torchlike.cuda.memory import empty_cache as empty_cache
from torchlike.cuda.memory import host_memory_stats as host_memory_stats
from torchlike.cuda.memory import ipc_collect as ipc_collect
from torchlike.cuda.memory import max_memory_allocated as max_memory_allocated
from torchlike.cuda.memory import max_memory_cached as max_memory_cached
from torchlike.cuda.memory import max_memory_reserved as max_memory_reserved
from torchlike.cuda.memory import mem_get_info as mem_get_info
from torchlike.cuda.memory import memory_allocated as memory_allocated
from torchlike.cuda.memory import memory_cached as memory_cached
from torchlike.cuda.memory import memory_reserved as memory_reserved
from torchlike.cuda.memory import memory_stats as memory_stats
from torchlike.cuda.memory import memory_summary as memory_summary
from torchlike.cuda.memory import reset_accumulated_host_memory_stats as reset_accumulated_host_memory_stats
from torchlike.cuda.memory import reset_accumulated_memory_stats as reset_accumulated_memory_stats
from torchlike.cuda.memory import reset_max_memory_allocated as reset_max_memory_allocated
from torchlike.cuda.memory import reset_max_memory_cached as reset_max_memory_cached
from torchlike.cuda.memory import reset_peak_host_memory_stats as reset_peak_host_memory_stats
from torchlike.cuda.memory import reset_peak_memory_stats as reset_peak_memory_stats
from torchlike.cuda.random import default_generators as default_generators
from torchlike.cuda.random import get_rng_state as get_rng_state
from torchlike.cuda.random import get_rng_state_all as get_rng_state_all
from torchlike.cuda.random import initial_seed as initial_seed
from torchlike.cuda.random import manual_seed as manual_seed
from torchlike.cuda.random import manual_seed_all as manual_seed_all
from torchlike.cuda.random import seed as seed
from torchlike.cuda.random import seed_all as seed_all
from torchlike.cuda.random import set_rng_state as set_rng_state
from torchlike.cuda.random import set_rng_state_all as set_rng_state_all
from torchlike.cuda.streams import Event as Event
from torchlike.cuda.streams import Stream as Stream
from torchlike.cuda.streams import StreamContext as StreamContext
from torchlike.cuda.streams import current_stream as current_stream
from torchlike.cuda.streams import default_stream as default_stream
from torchlike.cuda.streams import set_stream as set_stream
from torchlike.cuda.streams import stream as stream

has_half = True
has_magma = False
_initialized = False  # checkpoints ask: there is no random state of GPUs beside the generators'


def is_available() -> bool:
    """Whether JAX has a GPU."""
    return bool(_accelerators())


def device_count() -> int:
    """How many GPUs JAX has."""
    return len(_accelerators())


def current_device() -> int:
    """The index of the GPU that 'cuda' means, 0. RuntimeError without a GPU."""
    _backend_of(_dev.device("cuda")).hardware()
    return 0


def get_device_name(device=None) -> str:
    """The name of a GPU. https://pytorch.org/docs/stable/generated/torch.cuda.get_device_name.html

    Args:
        device: a GPU, by index, device or name; None means the first.

    Returns:
        a text. RuntimeError without a GPU.
    """
    return _gpu(device).device_kind


def synchronize(device=None) -> None:
    """Runs what is recorded, and waits for it. https://pytorch.org/docs/stable/generated/torch.cuda.synchronize.html

    Args:
        device: not looked at: all GPUs are waited for.
    """
    _settle(_accelerators())


def _gpu(device):
    return _backend_of(_dev.device("cuda", 0 if device is None else _index(device))).hardware()


def _index(device) -> int:
    """The number of a GPU given as a number or a device."""
    return device if isinstance(device, int) else _dev.device(device).index or 0


# -- one GPU a process

def init() -> None:
    """Makes sure that there is a GPU; RuntimeError without one."""
    current_device()


def is_initialized() -> bool:
    """Whether JAX has a GPU: it starts them all at once."""
    return is_available()


def _check_first(device) -> None:
    if _index(device) > 0:
        raise _UnsupportedError("torch.cuda.set_device: 'cuda' is always JAX's first GPU; name the others, 'cuda:1'")


def set_device(device) -> None:
    """Accepted for the first GPU, which is what 'cuda' means.
    https://pytorch.org/docs/stable/generated/torch.cuda.set_device.html

    Args:
        device: a GPU; UnsupportedError for another than the first.
    """
    _check_first(device)


class device:  # noqa: N801 - PyTorch's name
    """`set_device` for a block.
    https://pytorch.org/docs/stable/generated/torch.cuda.device.html

    Args:
        device: a GPU.
    """

    def __init__(self, device):
        self.idx = _index(device)

    def __enter__(self) -> None:
        _check_first(self.idx)

    def __exit__(self, *exception) -> None:
        return None


class device_of(device):  # noqa: N801 - PyTorch's name
    """`device` of a tensor; nothing for a tensor that is not on a GPU.
    https://pytorch.org/docs/stable/generated/torch.cuda.device_of.html

    Args:
        obj: a tensor.
    """

    def __init__(self, obj):
        self.idx = obj.get_device() if obj.is_cuda else -1


def can_device_access_peer(device, peer_device) -> bool:
    """False for a GPU and itself. JAX does not tell it of two.
    https://pytorch.org/docs/stable/generated/torch.cuda.can_device_access_peer.html

    Args:
        device, peer_device: GPUs.

    Returns:
        False.

    Raises:
        AssertionError: there is no such GPU.
        UnsupportedError: two GPUs.
        RuntimeError: there is no GPU.
    """
    init()
    first, second = map(_index, (device, peer_device))
    for index, text in ((first, "Invalid device id"), (second, "Invalid peer device id")):
        if not 0 <= index < device_count():
            raise AssertionError(text)
    if first != second:
        raise _UnsupportedError("torch.cuda.can_device_access_peer of two GPUs: JAX does not tell")
    return False


def get_device_capability(device=None) -> tuple:
    """The compute capability of a GPU.
    https://pytorch.org/docs/stable/generated/torch.cuda.get_device_capability.html

    Args:
        device: as for `get_device_name`.

    Returns:
        (major, minor). RuntimeError without a GPU.
    """
    major, minor = str(_gpu(device).compute_capability).split(".")
    return int(major), int(minor)


def get_device_properties(device=None):
    """What is known of a GPU.
    https://pytorch.org/docs/stable/generated/torch.cuda.get_device_properties.html

    Args:
        device: as for `get_device_name`.

    Returns:
        an object with name, major, minor, total_memory (what JAX may use, in bytes) and multi_processor_count.
        RuntimeError without a GPU.
    """
    gpu = _gpu(device)
    major, minor = get_device_capability(device)
    return _types.SimpleNamespace(name=gpu.device_kind, major=major, minor=minor,
                                  total_memory=(gpu.memory_stats() or {}).get("bytes_limit", 0),
                                  multi_processor_count=gpu.core_count)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether there is a GPU for bfloat16.

    Args:
        including_emulation: whether one counts on which XLA computes in float32 instead.

    Returns:
        a bool.
    """
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


def is_tf32_supported() -> bool:
    """Whether there is a GPU with TF32."""
    return is_available() and get_device_capability()[0] >= 8
