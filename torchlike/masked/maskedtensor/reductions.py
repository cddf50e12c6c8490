"""Reductions of a MaskedTensor: those of `torch.masked`, masked out where nothing counts."""

import contextlib

from torchlike import _api as ops
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike.masked import _ops as masked
from torchlike.masked._names import PLACES_OF_EXTREMES, REDUCE_NAMES
from torchlike.masked.maskedtensor.core import (
    DISPATCH,
    _get_data,
    dispatched,
    function,
    is_masked_tensor,
    packet_name,
    warn_of_missing,
)
from torchlike.masked.maskedtensor.creation import as_masked_tensor, masked_tensor


def _multidim_any(mask, dim, keepdim):
    """Where something counts along several dimensions."""
    for d in sorted([dim] if isinstance(dim, int) else dim, reverse=True):
        mask = ops.any(mask, dim=d, keepdim=keepdim)
    return mask


def _reduced_wholly(name, masked_input):
    """All elements to one."""
    data = masked_input.get_data()
    mask = masked_input.get_mask().values() if masked_input.is_sparse else masked_input.get_mask()
    if name == "all":
        result = data.masked_fill(~mask, True).all()
    elif name in PLACES_OF_EXTREMES and masked_input.is_sparse_coo():
        place = getattr(masked, name)(data.values(), mask=mask).to(dtype=dt.int32)
        size = ops.tensor(data.size(), device=data.device)
        result = ops.sum(data.indices().unbind(1)[place] * (data.size().numel() / size.cumprod(0)))
    elif masked_input.is_sparse:
        result = getattr(masked, name)(masked_tensor(data.values(), mask))
    else:
        result = getattr(masked, name)(masked_input, mask=mask)
    return as_masked_tensor(result, ops.any(mask))


def _reduced_along(name, masked_input, dim, keepdim=False, dtype=None):
    """Some dimensions."""
    if masked_input.is_sparse:
        warn_of_missing(f"The sparse version of {name} is not implemented in reductions.", stacklevel=4)
        return NotImplemented
    if not is_masked_tensor(masked_input):
        raise TypeError("Input to reduce_dim must be a MaskedTensor")
    mask = masked_input.get_mask()
    if name == "all":
        result = ops.all(masked_input.get_data().masked_fill(~mask, True), dim=dim, keepdim=keepdim)
    else:
        result = getattr(masked, name)(masked_input, dim=dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return as_masked_tensor(result, _multidim_any(mask, dim, keepdim))


def _reduced(name, *args, **kwargs):
    if len(args) == 1 and not kwargs:
        return _reduced_wholly(name, args[0])
    return _reduced_along(name, *args, **kwargs)


@dispatched(*REDUCE_NAMES)
def _dispatched_reduction(func, *args, **kwargs):
    return _reduced(packet_name(func), *args, **kwargs)


def _check_call(func, masked_input, *args, **kwargs) -> None:
    """TypeError for arguments that the function itself does not take. What is recorded here is not computed."""
    with contextlib.suppress(RuntimeError, ValueError, IndexError):
        func(_get_data(masked_input).detach().to(dt.float32), *args, **kwargs)


@function(*(getattr(space, name) for name in REDUCE_NAMES for space in (ops, Tensor)))
def _apply_reduction(func, *args, **kwargs):
    if func.__name__ == "norm":  # PyTorch's own hands its `p` on, which nothing takes
        raise TypeError("_reduce_dim_args() got an unexpected keyword argument 'p'")
    _check_call(func, *args, **kwargs)
    return _reduced(func.__name__, *args, **kwargs)


def _is_reduction(fn) -> bool:
    return DISPATCH.get(packet_name(fn)) is _dispatched_reduction
