"""`torch.mtia`: Meta's accelerators, of which there are none here, as in PyTorch's builds for the CPU.
https://pytorch.org/docs/stable/mtia.html
"""

import functools as _functools

from torchlike._base import absent as _absent

_answers = _functools.partial(_absent.answering, module=__name__)
_none = _functools.partial(_answers, answer=lambda: None)
_uninitialized = _functools.partial(
    _absent.failing, module=__name__, error=AssertionError,
    text="Torch not compiled with MTIA enabled. Ensure you have `import mtia.host_runtime.torch_mtia.dynamic_library` in "
         "your python src file and include `//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!")


def _fails(name: str, wanted: str = "getCurrentDevice"):
    return _absent.failing(name, __name__, RuntimeError, f"Cannot execute {wanted}() without MTIA backend.")


def is_available() -> bool:
    """False: there are no such devices."""
    return False


def device_count() -> int:
    """0: there are no such devices."""
    return 0


is_initialized = _answers("is_initialized", answer=bool)
is_bf16_supported = _answers("is_bf16_supported", answer=lambda: True)  # so PyTorch says
get_rng_state_all = _answers("get_rng_state_all", answer=list)
max_memory_allocated = _answers("max_memory_allocated", answer=int)
memory_allocated = _answers("memory_allocated", answer=int)
memory_stats = _answers("memory_stats", answer=dict)
manual_seed = _none("manual_seed")
manual_seed_all = _none("manual_seed_all")
record_memory_history = _none("record_memory_history")
reset_peak_memory_stats = _none("reset_peak_memory_stats")
seed = _none("seed")
seed_all = _none("seed_all")

MTIAGraph = _absent.uninstantiable("MTIAGraph", __name__, RuntimeError,
                                   "Cannot execute mtiagraphCreate() without MTIA backend.")
init = _uninitialized("init")
get_rng_state = _uninitialized("get_rng_state")
initial_seed = _uninitialized("initial_seed")
current_device = _fails("current_device")
current_stream = _fails("current_stream")
default_stream = _fails("default_stream")
device = _fails("device")
empty_cache = _fails("empty_cache", "emptyCache")
get_device_capability = _fails("get_device_capability")
get_device_properties = _fails("get_device_properties")
graph_pool_handle = _fails("graph_pool_handle", "graphPoolHandle")
set_device = _fails("set_device", "setCurrentDevice")
snapshot = _fails("snapshot", "memorySnapshot")
stream = _fails("stream")
synchronize = _fails("synchronize")
