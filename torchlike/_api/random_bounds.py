"""PyTorch's errors for the bounds and dtypes of random numbers."""

import math
import operator
import warnings

import ml_dtypes
import numpy as np

from torchlike._api.type_info import finfo
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._record.tensor import Tensor


def integer_bounds(name: str, *bounds) -> list:
    """The bounds of the function `name` as ints; TypeError for floats and bools."""
    for bound in bounds:
        floating = isinstance(bound, Tensor) and bound._cell.aval.dtype.category != dt.INT
        if floating or isinstance(bound, bool) or not hasattr(bound, "__index__"):
            kinds = ", ".join(type(b).__name__ for b in bounds)
            raise TypeError(f"{name}() received an invalid combination of arguments - got ({kinds}), but bounds are ints")
    return [operator.index(bound) for bound in bounds]


def checked_integers(low: int, high: int, kind: dtype) -> tuple:
    """(low, high) as PyTorch draws from [low, high) for `kind`: where not all integers are such floats the range is smaller.

    RuntimeError unless there are such integers and they fit `kind`; a warning if floats cannot tell them apart.
    """
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if kind.is_floating_point:
        low, high = _representable(low, high, kind)
    if kind.is_complex:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    if kind is dt.bool_:
        least, most = 0, 1
    elif kind.is_floating_point:
        least, most = (float(limit) for limit in (ml_dtypes.finfo(kind.np).min, ml_dtypes.finfo(kind.np).max))
    else:
        least, most = ml_dtypes.iinfo(kind.np).min, ml_dtypes.iinfo(kind.np).max
    for word, bound in (("from", low), ("to - 1", high - 1)):
        if not least <= bound <= most:
            raise RuntimeError(f"{word} is out of bounds for {kind.cpp_name}")
        if kind.is_floating_point and abs(bound) > 1 << (digits := ml_dtypes.finfo(kind.np).nmant + 1):
            warnings.warn(f"{word} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                          f"{kind.cpp_name} can support discrete uniform distribution only within this range. This warning "
                          "will become an error in version 1.7 release, please fix the code in advance", UserWarning,
                          stacklevel=4)
    return low, high


def _representable(low: int, high: int, kind: dtype) -> tuple:
    digits = ml_dtypes.finfo(kind.np).nmant + 1
    first, last = (float(np.asarray(bound, np.float64).astype(kind.np)) for bound in (low + 1, high - 1))
    if math.isfinite(first) and first < low:
        low = int(first) + (1 << abs(low + 1).bit_length() - digits)
    if math.isfinite(last) and last >= high:
        high = int(last) - (1 << abs(high - 1).bit_length() - digits)
    return low, high


def check_continuous(name: str, word: str, kind: dtype) -> None:
    """RuntimeError unless `kind` is one of floats; `word` is its name in PyTorch's text about the distribution `name`."""
    if not kind.is_floating_point:
        raise RuntimeError(f"{name} distribution is a continuous probability distribution. dtype must be a floating point "
                           f"but you specified {word}")


def check_bound(word: str, value: float, kind: dtype) -> None:
    """RuntimeError unless the number `value` lies between the least and the largest one of a dtype of floats."""
    info = finfo(kind)
    if not info.min <= value <= info.max:
        raise RuntimeError(f"{word} is out of bounds for {kind.to_real().cpp_name}")


def check_kernel(name: str, kind: dtype, *refused: int) -> None:
    """NotImplementedError if PyTorch's kernel `name` has no numbers of a dtype of these categories."""
    if kind.category in refused:
        raise NotImplementedError(f"\"{name}\" not implemented for '{kind.scalar_name}'")
