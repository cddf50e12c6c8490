"""Reductions of consecutive rows. https://pytorch.org/docs/stable/torch.html#other-operations"""

from __future__ import annotations

import math

import numpy as np

from torchlike._api.from_data import tensor
from torchlike._api.generated import ops
from torchlike._api.sparse.products import reduction
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import judged


def _of_nothing(reduce) -> float:
    """What an empty segment has."""
    if reduce == "prod":
        return 1.0
    if reduce == "mean":
        return math.nan
    return 0.0 if reduce == "sum" else -math.inf if reduce == "amax" else math.inf


_KINDS = ("sum", "mean", "prod", "amax", "max", "amin", "min")


def _check_kinds(data, given, reduce) -> None:
    """The errors of a reduction, and of dtypes and dimensions, that there are not."""
    if reduce not in _KINDS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if data.dim() < given.dim():
        raise RuntimeError("Expected data.dim() >= lengths_value.dim() to be true, but got false.  (Could this error "
                           "message be improved?  If so, please report an enhancement request to PyTorch.)")
    if given.dtype not in (dt.int32, dt.int64):
        raise NotImplementedError("\"_segment_reduce_lengths_cpu_kernel1\" not implemented for "
                                  f"'{given.dtype.scalar_name}'")
    if not data.is_floating_point():
        raise NotImplementedError(f"\"_segment_reduce_cpu\" not implemented for '{data.dtype.scalar_name}'")


@judged
def segment_reduce(data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Tensor | None = None,
                   offsets: Tensor | None = None, axis: int = 0, unsafe: bool = False,
                   initial: Number | None = None) -> Tensor:
    """The sum, mean, product, maximum or minimum of consecutive rows; looks at their numbers, which `lengths` are, or
    differences of the `offsets`. UnsupportedError for another axis than 0.
    https://pytorch.org/docs/stable/generated/torch.segment_reduce.html"""
    given = lengths if lengths is not None else offsets
    if given is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    _check_kinds(data, given, reduce)
    if axis or given.dim() != 1:
        raise UnsupportedError("segment_reduce along another axis than 0")
    counts = host(given._cell) if lengths is not None else np.diff(host(given._cell))
    if (counts < 0).any() and not unsafe:
        raise RuntimeError("lengths contains negative value!")
    if lengths is not None and not unsafe and counts.sum() != data.shape[0]:
        raise RuntimeError("segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) "
                           "when !unsafe.")
    reduce = reduction(reduce)
    nothing = _of_nothing(reduce)
    at = tensor(np.repeat(np.arange(len(counts)), counts), device=data.device)
    rows = data[:len(at)]
    first = initial if initial is not None else 0.0 if reduce == "mean" else nothing
    start = data.new_full((len(counts), *data.shape[1:]), first)
    if reduce not in ("sum", "mean"):
        return ops.index_reduce(start, 0, at, rows, reduce)
    total = start.index_add(0, at, rows)
    if reduce == "sum":
        return total
    shape = (-1, *[1] * (data.dim() - 1))
    divided = total / tensor(np.maximum(counts, 1), device=data.device).reshape(shape).to(data.dtype)
    empty = tensor(counts == 0, device=data.device).reshape(shape)
    return divided.masked_fill(empty, nothing if initial is None else initial)


_segment_reduce = segment_reduce
FUNCTIONS: dict = {"segment_reduce": segment_reduce, "_segment_reduce": _segment_reduce}
