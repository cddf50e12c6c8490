"""What packages use of `torch._utils`: the modules of devices, by type, and how tensors are rebuilt from files."""

from torchlike import _api, cpu, cuda, mps, mtia, xpu
from torchlike._base.device import CPU
from torchlike._base.device import device as Device
from torchlike._base.exception_wrapper import ExceptionWrapper  # noqa: F401
from torchlike._compile.backends.registry import accelerators
from torchlike._serialization.storage import rebuild_parameter as _rebuild_parameter  # noqa: F401
from torchlike._serialization.storage import rebuild_parameter_with_state as _rebuild_parameter_with_state  # noqa: F401
from torchlike._serialization.storage import rebuild_sparse_tensor as _rebuild_sparse_tensor  # noqa: F401
from torchlike._serialization.storage import rebuild_tensor as _rebuild_tensor  # noqa: F401
from torchlike._serialization.storage import rebuild_tensor_v2 as _rebuild_tensor_v2  # noqa: F401
from torchlike._serialization.storage import rebuild_tensor_v3 as _rebuild_tensor_v3  # noqa: F401

_MODULES = {"cpu": cpu, "cuda": cuda, "mps": mps, "mtia": mtia, "xpu": xpu}


def get_device_module(device=None):
    """The module of a device's functions: ``torch.cuda``, say.
    https://pytorch.org/docs/stable/generated/torch.get_device_module.html

    Args:
        device: a device or its name; None means the GPU, or the CPU where there is none.

    Returns:
        a module.

    Raises:
        RuntimeError: such devices have none.
    """
    kind = _get_available_device_type() or "cpu" if device is None else Device(device).type
    if kind not in _MODULES:
        raise RuntimeError(f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'.")
    return _MODULES[kind]


def _get_available_device_type() -> str | None:
    """"cuda" where there is a GPU, else None."""
    return "cuda" if accelerators() else None


def _get_device_module(device_type: str):
    """The module of a type of devices."""
    return get_device_module(device_type)


def _element_size(dtype) -> int:
    """Bytes of one element."""
    return dtype.itemsize


def _get_device_index(device, optional=False, allow_cpu=False) -> int:
    """The number of a GPU; -1 of the CPU, if that is allowed."""
    if isinstance(device, int):
        return device
    found = Device("cuda" if device is None else device)
    if found.type == CPU.type and not allow_cpu:
        raise ValueError(f"Expected a non cpu device, but got: {device}")
    return -1 if found.type == CPU.type else found.index or 0


def _flatten_dense_tensors(tensors):
    """The elements of several tensors of one dtype, one behind the other, in one dimension."""
    return _api.cat([tensor.contiguous().view(-1) for tensor in tensors]) if len(tensors) else _api.empty(0)


def _unflatten_dense_tensors(flat, tensors) -> tuple:
    """Views of parts of `flat`, of the shapes of `tensors`, in their order."""
    parts = flat.split([tensor.numel() for tensor in tensors])
    return tuple(part.view(tensor.shape) for part, tensor in zip(parts, tensors, strict=True))


def _take_tensors(tensors, size_limit):
    """Yields lists of tensors of one type, each of at most so many bytes where it has more than one tensor."""
    lists: dict = {}
    for tensor in tensors:
        parts = [tensor._indices(), tensor._values()] if tensor.is_sparse else [tensor]
        size = sum(part.numel() * part.element_size() for part in parts)
        found, filled = lists.get(tensor.type(), ([], 0))
        if filled and filled + size > size_limit:
            yield found
            found, filled = [], 0
        lists[tensor.type()] = [*found, tensor], filled + size
    yield from (found for found, _ in lists.values() if found)
