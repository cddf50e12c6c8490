"""`torch.cuda`: JAX's GPUs. https://pytorch.org/docs/stable/cuda.html

Streams do not exist here: JAX orders the work itself.
"""

import jax

from torchlike import device as _dev
from torchlike._trace import trace as _trace


def is_available() -> bool:
    """Whether JAX has a GPU."""
    return bool(_dev.gpu_devices())


def device_count() -> int:
    """How many GPUs JAX has."""
    return len(_dev.gpu_devices())


def current_device() -> int:
    """The index of the default GPU; RuntimeError without one."""
    _dev.jax_device(_dev.canonical(_dev.device("cuda")))
    return 0


def get_device_name(device=None) -> str:
    """The GPU's name."""
    return _gpu(device).device_kind


def synchronize(device=None) -> None:
    """Run what is recorded and wait for it."""
    _trace.run(_trace.state.trace)
    for gpu in _dev.gpu_devices():
        jax.device_put(0, gpu).block_until_ready()


def empty_cache() -> None:
    """Accepted: JAX's allocator keeps its pool."""


def _gpu(device):
    index = 0 if device is None else (device if isinstance(device, int) else _dev.device(device).index or 0)
    return _dev.jax_device(_dev.device("cuda", index))


def _stat(name, device) -> int:
    _trace.run(_trace.state.trace)
    return int((_gpu(device).memory_stats() or {}).get(name, 0)) if is_available() else 0


def memory_allocated(device=None) -> int:
    """Bytes in use on the GPU; 0 without one."""
    return _stat("bytes_in_use", device)


def max_memory_allocated(device=None) -> int:
    """The largest number of bytes in use so far."""
    return _stat("peak_bytes_in_use", device)


def manual_seed(seed) -> None:
    """Accepted: the one generator is seeded by `torch.manual_seed`."""


def manual_seed_all(seed) -> None:
    """As `manual_seed`."""
