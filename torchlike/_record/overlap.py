"""Writes to memory that is read elsewhere in the same operation, which PyTorch refuses.

JAX has no such problem, but a program that is refused there must be refused here.
"""

import functools

import numpy as np

from torchlike._base.errors import INTERNAL_OVERLAP, UnsupportedError
from torchlike._compile.avals import is_dense
from torchlike._record.cell import storage_of
from torchlike._record.tensor import Tensor

_BETWEEN = ("unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
            "location. Please clone() the tensor before performing the operation.")
_POINTWISE = ("same", "apart", "apart first")


def check_internal(aval) -> None:
    """RuntimeError if elements of a tensor that is written to share their memory."""
    if _repeats(aval):
        raise RuntimeError(INTERNAL_OVERLAP)


def check_read(aval) -> None:
    """UnsupportedError if elements of a tensor that is read and written to overlap, which only their strides tell: PyTorch
    goes on with what it has written there."""
    if _overlaps(aval):
        raise UnsupportedError("a write in place that reads a tensor whose elements overlap in memory: clone() it before")


@functools.lru_cache(maxsize=1024)
def _overlaps(aval) -> bool:
    if aval.numel > 1 + sum(stride * (size - 1) for stride, size in zip(aval.strides, aval.shape, strict=True)):
        return True  # more elements than places
    last = 0
    for stride, size in sorted(zip(aval.strides, aval.shape, strict=True)):
        if size > 1 and stride <= last:  # else each step begins behind all that was there
            return len(np.unique(_places(aval))) < aval.numel
        last += stride * (size - 1)
    return False


def _places(aval) -> np.ndarray:
    found = np.zeros(1, np.int64)
    for stride, size in zip(aval.strides, aval.shape, strict=True):
        found = (found[:, None] + np.arange(size) * stride).reshape(-1)
    return found


def check_base(cell) -> None:
    """UnsupportedError for a view of memory that elements share: a gradient which PyTorch has as an expanded view."""
    if cell.base is not None and _repeats(cell.base.aval):
        raise UnsupportedError("writing to a part of a gradient whose elements share their memory: clone() it before")


def _repeats(aval) -> bool:
    if aval.contiguous or 0 not in aval.strides:
        return False
    return any(stride == 0 and size > 1 for stride, size in zip(aval.strides, aval.shape, strict=True))


def check_pointwise(row, operands) -> None:
    """RuntimeError if the first operand, which is written to, overlaps with one that is read: what PyTorch checks first."""
    if row.overlap in _POINTWISE:
        _check(operands, row.overlap != "same")


def check_scattering(row, operands) -> None:
    """The same for the operators that check shapes first."""
    if row.overlap == "apart late":
        _check(operands, True)


def check_out(out, operands, apart=True) -> None:
    """RuntimeError if ``out=`` overlaps with an operand; not `apart`: it may be one."""
    _check((out, *operands), apart)


def _check(operands, apart) -> None:
    written = operands[0]
    for x in operands[1:]:
        for y in x if x.__class__ is tuple else (x,):
            if y is written and apart:
                raise RuntimeError(_BETWEEN)
            if isinstance(y, Tensor) and storage_of(y._cell) is storage_of(written._cell):
                _check_between(written._cell.aval, y._cell.aval, apart)


def _check_between(mine, theirs, apart) -> None:
    if not mine.numel or not theirs.numel or not _dense(mine) or not _dense(theirs):
        return  # PyTorch does not look further either
    start, end = _range(mine)
    other_start, other_end = _range(theirs)
    same = (start, end) == (other_start, other_end) and mine.strides == theirs.strides
    if start < other_end and other_start < end and (apart or not same):
        raise RuntimeError(_BETWEEN)


def _dense(aval) -> bool:
    return aval.contiguous or is_dense(aval.shape, aval.strides)


def _range(aval) -> tuple:
    size = aval.dtype.itemsize
    return aval.offset * size, (aval.offset + aval.numel) * size
