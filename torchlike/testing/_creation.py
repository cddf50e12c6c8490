"""`torch.testing.make_tensor`."""

import math

from torchlike import _api
from torchlike._api.type_info import finfo, iinfo
from torchlike._base import dtypes as dt


def make_tensor(*shape, dtype, device, low=None, high=None, requires_grad=False, noncontiguous=False, exclude_zero=False,
                memory_format=None):
    """A tensor of uniform numbers from `low` on and below `high`.
    https://pytorch.org/docs/stable/testing.html#torch.testing.make_tensor

    Args:
        shape: the extents, as several arguments or one sequence.
        dtype, device: of the tensor.
        low, high: the interval; None means from -9 to 9 (from 0 for uint8, both values for bool).
        requires_grad: whether it requires grad.
        noncontiguous: whether it has strides that leave gaps.
        exclude_zero: whether zeros become the smallest positive number, 1 for integers.
        memory_format: its layout, a `torch.memory_format`.

    Returns:
        a tensor (*shape).

    Raises:
        ValueError: an interval that is empty, not a number or outside the dtype; integers that require grad; or
            `noncontiguous` with a `memory_format`.
    """
    shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if noncontiguous and memory_format is not None:
        raise ValueError("The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got "
                         f"noncontiguous={noncontiguous} and memory_format={memory_format}")
    if requires_grad and dtype.category < dt.FLOAT:
        raise ValueError("`requires_grad=True` is not supported for boolean and integral dtypes, but got "
                         f"dtype={dtype}")
    spread = noncontiguous and math.prod(shape) > 1
    made = _draw((*shape[:-1], 2 * shape[-1]) if spread else shape, dtype, device, *_interval(dtype, low, high))
    if spread:
        made = made[..., 1::2]
    elif memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = 1 if dtype.category < dt.FLOAT else finfo(dtype).tiny
    return made.requires_grad_(requires_grad) if requires_grad else made


def _interval(dtype, low, high):
    lowest, highest, default_low, default_high = _limits(dtype)
    low, high = default_low if low is None else low, default_high if high is None else high
    if any(isinstance(bound, float) and math.isnan(bound) for bound in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}")
    if low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    if high < lowest or low > highest:
        raise ValueError(f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} only supports "
                         f"[{lowest}, {highest})")
    low, high = max(low, lowest), min(high, highest)
    return (math.ceil(low), math.ceil(high)) if dtype.category < dt.FLOAT else (low, high)


def _limits(dtype) -> tuple:
    """(lowest, highest, default low, default high); integers end before the highest."""
    if dtype is dt.bool_:
        return 0, 2, 0, 2
    if dtype.category == dt.INT:
        found = iinfo(dtype)
        return found.min, found.max + (dtype is not dt.int64), 0 if not dtype.is_signed else -9, 10
    found = finfo(dtype)
    return found.min, found.max, -9, 9


def _draw(shape, dtype, device, low, high):
    if dtype.category < dt.FLOAT:
        return _api.randint(low, high, shape, device=device, dtype=dtype)
    if dtype.is_complex:
        parts = _api.empty((*shape, 2), device=device, dtype=dtype.to_real())
        return _api.view_as_complex(parts.uniform_(low, high))
    return _api.empty(shape, device=device, dtype=dtype).uniform_(low, high)
