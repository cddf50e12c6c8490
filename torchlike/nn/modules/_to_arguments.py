"""The arguments of `Module.to`."""

from torchlike._base.device import device as Device
from torchlike._base.dtypes import dtype as DType
from torchlike._record.tensor import Tensor

_BAD = (
    "to() received an invalid combination of arguments - got ({}), but expected one of:\n"
    " * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, "
    "bool copy = False, *, torch.memory_format memory_format = None)\n"
    " * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, "
    "torch.memory_format memory_format = None)\n"
    " * (Tensor tensor, bool non_blocking = False, bool copy = False, *, "
    "torch.memory_format memory_format = None)\n"
)


def parse_to(*args, device=None, dtype=None, tensor=None, non_blocking=False, copy=False,
             memory_format=None):
    """(device or None, dtype or None, non_blocking, memory_format) from any of PyTorch's three forms."""
    rest = list(args)
    if rest and (isinstance(rest[0], Tensor) or tensor is not None):
        tensor = rest.pop(0)
    elif rest and isinstance(rest[0], DType):
        dtype = rest.pop(0)
    elif rest:
        device = rest.pop(0)
        if rest and (rest[0] is None or isinstance(rest[0], DType)):
            dtype = rest.pop(0)
    if rest and isinstance(rest[0], bool):
        non_blocking = rest.pop(0)
    if rest and isinstance(rest[0], bool):
        rest.pop(0)  # copy: parameters are replaced anyway
    if tensor is not None:
        device, dtype = tensor.device, tensor.dtype
    if rest or not isinstance(device, (Device, str, int, type(None))):
        raise TypeError(_BAD.format(", ".join(type(a).__name__ for a in args)))
    return (None if device is None else Device(device)), dtype, non_blocking, memory_format
