"""Which GPU is meant by a device, a number or None."""

from torchlike import cuda
from torchlike._api import streams
from torchlike._base import device as dev
from torchlike._compile.backends.registry import accelerators, backend_of


def there() -> None:
    """RuntimeError without a GPU."""
    if not accelerators():
        raise RuntimeError(streams.NONE)


def current() -> int:
    """The number of the current GPU; RuntimeError without one."""
    there()
    return cuda.current_device()


def index_of(device) -> int:
    """The number of a GPU; RuntimeError without one, ValueError for another device."""
    if isinstance(device, int):
        return device
    if device is not None:
        found = dev.device(device)
        if not accelerators():
            raise RuntimeError("Accelerator expected")
        if not backend_of(found).is_accelerator:
            raise ValueError(f"{found.type} doesn't match the current accelerator cuda.")
        if found.index is not None:
            return found.index
    return current()
