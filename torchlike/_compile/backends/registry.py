"""The backend of a device."""

from collections.abc import Callable

from torchlike._base import device as dev
from torchlike._compile.backends import xla_cuda
from torchlike._compile.backends.absent import AbsentDevice
from torchlike._compile.backends.backend import Backend
from torchlike._compile.backends.forked import InForkedProcess
from torchlike._compile.backends.meta import Meta
from torchlike._compile.backends.xla_cpu import XlaCpu

# By the type of a device; the other types are absent.
MAKERS: dict[str, Callable[[dev.device], Backend]] = {"cpu": XlaCpu, "cuda": xla_cuda.XlaCuda, "meta": Meta}
_found: dict[dev.device, Backend] = {}


def backend_of(device: dev.device) -> Backend:
    """The Backend of a device. The device need not be there: only what needs it raises."""
    found = _found.get(device)
    if found is None:
        found = _found[device] = MAKERS.get(device.type, AbsentDevice)(device)
    return found


def accelerators() -> tuple[Backend, ...]:
    """The backends of all GPUs that JAX has, in the order of their numbers."""
    return tuple(backend_of(dev.device("cuda", i)) for i in range(len(xla_cuda.gpu_devices())))


def device_of(array) -> dev.device:
    """The device of a jax array."""
    (first, *_) = array.devices()
    gpus = xla_cuda.gpu_devices()
    return dev.device("cuda", gpus.index(first)) if first in gpus else dev.CPU


def after_fork() -> None:
    """This process has just been forked: from now on all devices are as such a process sees them."""
    if backend_of(dev.CPU).runs_jax:  # else its parent was forked, too
        for kind, make in MAKERS.items():
            MAKERS[kind] = _in_forked_process(make)
    _found.clear()


def _in_forked_process(make):
    return lambda device: InForkedProcess(make(device))
