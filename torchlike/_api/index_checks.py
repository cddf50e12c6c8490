"""What is known on the host of the values of indices, and PyTorch's errors for those out of bounds.

Known ones are checked at the user's line, others when they are computed: see `torchlike._record.deferred_checks`.
"""

from __future__ import annotations

import jax
import numpy as np

from torchlike._api.arguments import integer
from torchlike._base import dtypes as dt
from torchlike._compile.backends.registry import backend_of
from torchlike._modes import intercept
from torchlike._ops.all import ROWS
from torchlike._ops.index_bounds import of_places, of_target
from torchlike._record.bind import bind
from torchlike._record.cell import storage_of
from torchlike._record.host_window import is_window
from torchlike._record.inplace import check_written, inplace
from torchlike._record.site import here
from torchlike._record.trace import state
from torchlike._record.wrong_calls import instead_of

_OUTSIDE = ROWS["_outside"]


def known(x):
    """The values of `x` as a numpy array if they, or those of its base, are at hand on the CPU, else None. Runs nothing."""
    try:
        cell = x._cell
    except AttributeError as error:
        raise instead_of(error) from None
    base = storage_of(cell)
    array = cell.array if cell.array is not None or base is cell or not is_window(cell.chain) else base.array
    if array is None or isinstance(array, jax.core.Tracer) or not backend_of(cell.aval.device).in_host_memory:
        return None
    values = np.asarray(array)
    if array is cell.array:
        return values
    aval, size = cell.aval, values.itemsize
    if not base.aval.contiguous or not aval.numel:
        return None
    return np.lib.stride_tricks.as_strided(values.reshape(-1)[aval.offset:], tuple(aval.shape),
                                           [stride * size for stride in aval.strides], writeable=False)


def check_bounds(row: str, x, index, dim=None) -> list:
    """Raise PyTorch's error if the index (a Tensor, or a tuple of Tensors and None) is known to be out of bounds.

    Returns the Bounds that must wait for the values: `expect` them once the operation is recorded.
    """
    rank = max(x._cell.aval.ndim, 1)
    return _unknown(ROWS[row].bounds(x._cell.aval.shape, index, dim)) if dim is None or -rank <= dim < rank else []


def check_classes(classes, target, ignored) -> list:
    """The same for a target that names one of so many classes."""
    return _unknown(of_target(classes, target, ignored))


def check_places(extents, places) -> list:
    """The same for flat positions in a block of these extents."""
    return _unknown(of_places(extents, places))


def _unknown(bounds) -> list:
    left = []
    for bound in bounds:
        if bound.index._cell.aval.dtype.category != dt.INT:
            continue
        values = known(bound.index)
        if values is None:
            left.append(bound)
        else:
            bound.check(values)
    return left


def expect(bounds) -> None:
    """Have these Bounds looked at when the values of their indices are computed."""
    for bound in bounds:
        if state.thread.frames or bound.index._cell.handler is not None:
            continue  # under a transform nothing may look at values
        with intercept.unintercepted():
            flag = bind(_OUTSIDE, (bound.index,), (), (bound.low, bound.high, bound.ignored))
        if not isinstance(flag._cell.array, jax.core.Tracer):
            state.thread.expected.append((flag, bound.error, here()))


def recorded(record, row, self, dim, index, tensors=(), numbers=(), params=()):
    """What `record`, which is `bind` or `inplace`, makes of a row (self, dim, index, ...) once the index is checked."""
    dim = integer(dim)
    operands, params = (self, index, *tensors), (dim, *params)
    try:
        kind = index._cell.aval.dtype.category
    except AttributeError as error:
        raise instead_of(error) from None
    if kind == dt.INT:
        try:
            later = check_bounds(row.name, self, index, dim)
        except (IndexError, RuntimeError):
            if record is inplace:
                check_written(row, operands)
            bind(row, operands, numbers, params)  # what is wrong with the shapes comes first
            raise
        if later:
            made = record(row, operands, numbers, params)
            expect(later)
            return made
    return record(row, operands, numbers, params)


