"""Pinning of batches, under PyTorch's name for it."""

import collections.abc
from typing import Any

from torchlike._record.tensor import Tensor


def pin_memory(data, device=None):
    """The same data with its tensors pinned, also inside containers, and objects by their own method `pin_memory`.

    Args:
        data: any object.
        device: for which kind of device; deprecated in PyTorch.

    Returns:
        The same form.
    """
    kind: Any = type(data)
    if isinstance(data, Tensor):
        return data.pin_memory() if device is None else data.pin_memory(device)
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, str | bytes):
        return data
    if isinstance(data, collections.abc.Mapping):
        return kind({key: pin_memory(value, device) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return kind(*(pin_memory(value, device) for value in data))
    if isinstance(data, tuple):
        return [pin_memory(value, device) for value in data]
    if isinstance(data, collections.abc.Sequence):
        return kind([pin_memory(value, device) for value in data])
    return data
