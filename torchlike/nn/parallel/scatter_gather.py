"""Tensors in parts on GPUs, and back: https://pytorch.org/docs/stable/nn.html#dataparallel-layers-multi-gpu-distributed"""

import warnings

from torchlike import _api
from torchlike._base import device as devices
from torchlike._record.tensor import Tensor

_SCALARS = ("Was asked to gather along dimension 0, but all input tensors were scalars; will instead unsqueeze and return a "
            "vector.")


def gpu_of(place) -> devices.device:
    """The GPU of a number, a name or a device.

    Args:
        place: that; a negative number is the CPU.

    Returns:
        The device.

    Raises:
        ValueError: it is the CPU by name.
    """
    if isinstance(place, int):
        return devices.device("cuda", place) if place >= 0 else devices.CPU
    found = devices.device(place)
    if found == devices.CPU:
        raise ValueError(f"Expected a non cpu device, but got: {place}")
    return found


def scatter(inputs, target_gpus, dim: int = 0):
    """Divides tensors among GPUs; whatever else there is goes to each.

    Args:
        inputs: a tensor, or a structure of tuples, lists and dicts.
        target_gpus: their numbers or names.
        dim: which dimension is divided.

    Returns:
        A tuple of tensors, or a list of structures, one for each GPU.

    Raises:
        ValueError: a CPU among `target_gpus`.
    """
    if isinstance(inputs, Tensor):
        places = list(map(gpu_of, target_gpus))
        return tuple(part.to(place) for part, place in zip(inputs.chunk(len(places), dim), places, strict=False))
    if isinstance(inputs, dict) and inputs:
        items = zip(*(scatter(item, target_gpus, dim) for item in inputs.items()), strict=False)
        return [type(inputs)(each) for each in items]
    if isinstance(inputs, tuple | list) and len(inputs):
        parts = zip(*(scatter(x, target_gpus, dim) for x in inputs), strict=False)
        if isinstance(inputs, list):
            return [list(each) for each in parts]
        return [type(inputs)(*each) for each in parts] if hasattr(inputs, "_fields") else list(parts)
    return [inputs for _ in target_gpus]


def scatter_kwargs(inputs: tuple, kwargs: dict | None, target_gpus, dim: int = 0) -> tuple:
    """`scatter` of arguments and of those by keyword.

    Args:
        inputs, kwargs: the arguments.
        target_gpus, dim: as for `scatter`.

    Returns:
        Two tuples, of as many tuples and dicts.
    """
    given = list(scatter(inputs, target_gpus, dim)) if inputs else []
    named = list(scatter(kwargs, target_gpus, dim)) if kwargs else []
    given += [() for _ in range(len(named) - len(given))]
    named += [{} for _ in range(len(given) - len(named))]
    return tuple(given), tuple(named)


def gather(outputs, target_device, dim: int = 0):
    """Joins tensors of several GPUs on one device.

    Args:
        outputs: tensors, or structures of them, one for each GPU.
        target_device: a GPU's number or name, or "cpu".
        dim: along which dimension.

    Returns:
        A tensor, or a structure of tensors.

    Raises:
        AssertionError: a tensor is on the CPU.
        ValueError: dicts have other keys.
    """
    first = outputs[0]
    if isinstance(first, Tensor):
        return _joined(list(outputs), target_device, dim)
    if first is None:
        return None
    if isinstance(first, dict):
        if any(len(first) != len(each) for each in outputs):
            raise ValueError("All dicts must have the same number of keys")
        return type(first)((key, gather([each[key] for each in outputs], target_device, dim)) for key in first)
    parts = [gather(each, target_device, dim) for each in zip(*outputs, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)


def _joined(tensors, target, dim) -> Tensor:
    if any(x.is_cpu for x in tensors):
        raise AssertionError("Gather function not implemented for CPU tensors")
    if dim == 0 and not any(x.dim() for x in tensors):
        warnings.warn(_SCALARS, UserWarning, stacklevel=4)
        tensors = [x.view(1) for x in tensors]
    place = devices.CPU if target == "cpu" else gpu_of(target)
    return _api.cat([x.to(place) for x in tensors], dim)
