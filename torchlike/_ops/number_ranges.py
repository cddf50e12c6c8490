"""PyTorch's errors for Python numbers that do not fit the dtype which they are converted to.

A row's field `fits` says of which of its numbers that is asked: ``{name: rule}``, where a rule is a function here that gives
the Range from the dtype of the result. The other numbers wrap around or are rounded, as in PyTorch.
"""

import functools
import math

import ml_dtypes
import numpy as np

from torchlike._base import dtypes as dt
from torchlike._ops.promotion import scalar_dtype

HALVES = (dt.float16, dt.bfloat16)
_TYPEDEFS = (dt.uint8, dt.int8, dt.int16, dt.int64, dt.uint16, dt.uint32, dt.uint64)
ZERO_DIVISION = "ZeroDivisionError"


class Range:
    """Which numbers fit a dtype.

    Args:
        dtype: what numbers are converted to.
    """

    __slots__ = ("_dtype", "_high", "_low")

    def __init__(self, dtype: dt.dtype):
        self._dtype = dtype
        if dtype.category == dt.INT:
            limits = ml_dtypes.iinfo(dtype.np)
            self._low, self._high = int(limits.min), int(limits.max)
        elif dtype.category >= dt.FLOAT:
            limits = ml_dtypes.finfo(dtype.to_real().np)
            self._low, self._high = float(limits.min), float(limits.max)
        else:  # what is not 0 is true
            self._low, self._high = -math.inf, math.inf

    def check(self, value: complex) -> None:
        """RuntimeError, with PyTorch's text, if a number does not fit."""
        if value.__class__ is not complex and self._low <= value <= self._high:
            return
        if not self._fits(value):
            name = f"{self._dtype.name}_t" if self._dtype in _TYPEDEFS else self._dtype.cpp_name
            raise RuntimeError(f"value cannot be converted to type {name} without overflow")

    def _fits(self, value) -> bool:
        dtype = self._dtype
        if dtype is dt.bool_:
            return True
        if isinstance(value, complex):
            if dtype.is_complex:
                return self._fits(value.real) and self._fits(value.imag)
            return value.imag == 0 and self._fits(value.real)
        if isinstance(value, int) and not dtype.is_signed:
            return -self._high <= value <= self._high  # negative ones wrap around
        if dtype.category == dt.INT:
            return isinstance(value, float) and float(self._low) <= value <= float(self._high)
        if math.isfinite(value):
            return self._low <= value <= self._high
        return dtype not in dt.FLOAT8 or math.isnan(value) or dtype is dt.float8_e5m2


class Divisor:
    """Which numbers an integer can be divided by.

    Args:
        dtype: of the integer, in which the number wraps around.
    """

    __slots__ = ("_dtype",)

    def __init__(self, dtype: dt.dtype):
        self._dtype = dtype

    def check(self, value: int) -> None:
        """RuntimeError, with PyTorch's text, for 0."""
        if not np.asarray(value).astype(self._dtype.np):
            raise RuntimeError(ZERO_DIVISION)


class NotNegative:
    """Numbers that are no less than 0.

    Args:
        text: of the error, with a place for the number.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str):
        self._text = text

    def check(self, value: float) -> None:
        """RuntimeError for negative numbers and nan."""
        if not value >= 0:
            raise RuntimeError(self._text.format(value))


# -- rules

@functools.cache
def as_result(result: dt.dtype) -> Range:
    """The dtype of the result."""
    return Range(result)


def as_computed(result: dt.dtype) -> Range:
    """The dtype in which PyTorch's kernel computes: float32 for halves."""
    return as_result(scalar_dtype(result))


def as_scalar(result: dt.dtype) -> Range:
    """As `torch.scalar_tensor` takes numbers: halves may become infinite."""
    return as_result(dt.float64 if result in HALVES else result)


def as_exponent(result: dt.dtype) -> Range | None:
    """As `torch.pow` takes its exponent: floats of 32 and 64 bits take any, and so do complex numbers."""
    return as_result(result) if result.category <= dt.INT or result in HALVES else None


def as_limit(text: str):
    """The rule of numbers that are no less than 0; `text` is the error's."""
    found = NotNegative(text)
    return lambda result: found


def as_divisor(result: dt.dtype) -> Divisor | None:
    """As a divisor of integers."""
    return Divisor(result) if result.category == dt.INT else None


def ranges(row, spec: tuple, result: dt.dtype) -> tuple:
    """For each number that a row is given, in order, its Range, or None where any will do.

    Args:
        row: the row.
        spec: what stands for its operands and numbers, see `kernels.of_row`.
        result: the dtype of its result.
    """
    rules = [row.fits.get(name) for name, kind in zip((*row.operands, *row.numbers), spec, strict=True)
             if isinstance(kind, type)]
    return tuple([rule and rule(result) for rule in rules])
