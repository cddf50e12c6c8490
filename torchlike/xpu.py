"""`torch.xpu`: Intel's GPUs, of which there are none here, as in PyTorch's builds for the CPU.
https://pytorch.org/docs/stable/xpu.html
"""

import collections as _collections
import functools as _functools

from torchlike._base import absent as _absent

_NONE = "Torch not compiled with XPU enabled"
_answers = _functools.partial(_absent.answering, module=__name__)
_fails = _functools.partial(_absent.failing, module=__name__, error=AssertionError, text=_NONE)


def _dummy(name: str) -> type:
    return _absent.uninstantiable(name, __name__, RuntimeError, f"Tried to instantiate dummy base class {name}")


def is_available() -> bool:
    """False: there are no such devices."""
    return False


def device_count() -> int:
    """0: there are no such devices."""
    return 0


Event, Stream, XPUGraph, MemPool = map(_dummy, ("Event", "Stream", "XPUGraph", "MemPool"))
default_generators = ()

# What there is of no device: nothing.
is_initialized = _answers("is_initialized", answer=bool)
is_bf16_supported = _answers("is_bf16_supported", answer=bool)
is_tf32_supported = _answers("is_tf32_supported", answer=bool)
get_arch_list = _answers("get_arch_list", answer=list)
get_gencode_flags = _answers("get_gencode_flags", answer=str)
get_rng_state_all = _answers("get_rng_state_all", answer=list)
max_memory_allocated = _answers("max_memory_allocated", answer=int)
max_memory_reserved = _answers("max_memory_reserved", answer=int)
memory_allocated = _answers("memory_allocated", answer=int)
memory_reserved = _answers("memory_reserved", answer=int)
memory_snapshot = _answers("memory_snapshot", answer=list)
memory_stats = _answers("memory_stats", answer=_collections.OrderedDict)
memory_stats_as_nested_dict = _answers("memory_stats_as_nested_dict", answer=dict)

# What is done for all devices: nothing.
empty_cache = _answers("empty_cache", answer=lambda: None)
manual_seed = _answers("manual_seed", answer=lambda: None)
manual_seed_all = _answers("manual_seed_all", answer=lambda: None)
seed = _answers("seed", answer=lambda: None)
seed_all = _answers("seed_all", answer=lambda: None)
set_rng_state_all = _answers("set_rng_state_all", answer=lambda: None)

# What is asked of one device.
can_device_access_peer = _fails("can_device_access_peer")
current_device = _fails("current_device")
current_stream = _fails("current_stream")
get_device_capability = _fails("get_device_capability")
get_device_name = _fails("get_device_name")
get_device_properties = _fails("get_device_properties")
get_per_process_memory_fraction = _fails("get_per_process_memory_fraction")
get_rng_state = _fails("get_rng_state")
get_stream_from_external = _fails("get_stream_from_external")
init = _fails("init")
list_gpu_processes = _fails("list_gpu_processes")
initial_seed = _fails("initial_seed")
mem_get_info = _fails("mem_get_info")
reset_peak_memory_stats = _fails("reset_peak_memory_stats")
set_device = _fails("set_device")
set_per_process_memory_fraction = _fails("set_per_process_memory_fraction")
set_rng_state = _fails("set_rng_state")
set_stream = _fails("set_stream")
synchronize = _fails("synchronize")
is_current_stream_capturing = _fails("is_current_stream_capturing", error=RuntimeError,
                                     text="Tried to instantiate dummy base class _xpu_isCurrentStreamCapturing")


class StreamContext:
    """A block with a stream; with None, the only one there is, nothing.

    Args:
        stream: None.
    """

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception) -> None:
        return None


stream = StreamContext


class device:  # noqa: N801 - PyTorch's name
    """A block on a device; NotImplementedError where it begins.

    Args:
        device: not looked at.
    """

    def __init__(self, device):
        self.idx = device

    def __enter__(self) -> None:
        raise NotImplementedError("PyTorch was compiled without XPU support")

    def __exit__(self, *exception) -> None:
        return None


class device_of(device):  # noqa: N801 - PyTorch's name
    """As for `device`.

    Args:
        obj: not looked at.
    """

    def __init__(self, obj):
        super().__init__(obj)
