"""`torch.utils._foreach_utils`: what optimizers ask before they work on lists of tensors."""

from torchlike._base import dtypes as dt
from torchlike._base.device import CPU
from torchlike._record.tensor import Tensor

_STATES = (dt.float32, dt.float64, dt.bfloat16)  # dtypes that an optimizer's state may have whatever its parameters have
_MIXED = ("Tensors of the same index must be on the same device and the same dtype except `step` tensors that can be CPU "
          "and float32/64, and optimizer states that can be bfloat16 for mixed-precision training")


def _get_foreach_kernels_supported_devices() -> list:
    """Device types on which an optimizer of PyTorch takes its foreach form unasked."""
    return ["cuda"]


def _get_fused_kernels_supported_devices() -> list:
    """Device types for ``fused=True``."""
    return ["cuda", "cpu"]


def _device_has_foreach_support(device) -> bool:
    return device.type in [*_get_foreach_kernels_supported_devices(), CPU.type]


def _has_foreach_support(tensors, device) -> bool:
    return _device_has_foreach_support(device) and all(t is None or type(t) is Tensor for t in tensors)


def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False) -> dict:
    """{(device, dtype) of tensors of the first list: (the lists with what belongs to these tensors, indices)}.

    An empty list stays empty. RuntimeError where the first list has a None, or a tensor has another device or dtype than
    that of the first list at its index; float32, float64 and bfloat16 may be beside any.
    """
    groups: dict = {}
    for i, first in enumerate(tensorlistlist[0]):
        if first is None:
            raise RuntimeError("Tensors of the first list of nested Tensor lists are supposed to be defined but the "
                               f"{i}-th Tensor is not.")
        members = [tensors[i:i + 1] for tensors in tensorlistlist]
        if not all(_may_join(first, x) for member in members for x in member):
            raise RuntimeError(_MIXED)
        lists, indices = groups.setdefault((first.device, first.dtype), ([[] for _ in tensorlistlist], []))
        for tensors, member in zip(lists, members, strict=True):
            tensors.extend(member)
        if with_indices:
            indices.append(i)
    return groups


def _may_join(first, x) -> bool:
    if x is None:
        return True
    if x.device == first.device:
        return x.dtype is first.dtype or x.dtype in _STATES
    return x.is_cpu and x.dtype in _STATES
