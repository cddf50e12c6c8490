"""`torch.mps`: Apple's GPUs, of which there are none here, as in PyTorch's builds for other machines.
https://pytorch.org/docs/stable/mps.html
"""

from torchlike._base import absent as _absent


def _fails(name: str, wanted: str):
    return _absent.failing(name, __name__, RuntimeError, f"Cannot execute {wanted}() without MPS backend.")


def is_available() -> bool:
    """False: there are no such devices."""
    return False


def device_count() -> int:
    """0: there are no such devices."""
    return 0


manual_seed = _absent.answering("manual_seed", __name__, lambda: None)
Event = _absent.uninstantiable("Event", __name__, RuntimeError, "Cannot execute acquireEvent() without MPS backend.")
compile_shader = _absent.failing("compile_shader", __name__, RuntimeError, "MPS is not available")
load_metallib = _absent.failing("load_metallib", __name__, RuntimeError, "MPS is not available")
current_allocated_memory = _fails("current_allocated_memory", "getCurrentAllocatedMemory")
driver_allocated_memory = _fails("driver_allocated_memory", "getDriverAllocatedMemory")
empty_cache = _fails("empty_cache", "emptyCache")
get_rng_state = _fails("get_rng_state", "getDefaultGenerator")
recommended_max_memory = _fails("recommended_max_memory", "getRecommendedMaxMemory")
seed = _fails("seed", "getDefaultGenerator")
set_per_process_memory_fraction = _fails("set_per_process_memory_fraction", "setMemoryFraction")
set_rng_state = _fails("set_rng_state", "getDefaultGenerator")
synchronize = _fails("synchronize", "deviceSynchronize")
