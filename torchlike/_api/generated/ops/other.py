"""Other operations: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from torchlike._api.arguments import by_axis, integer
from torchlike._api.generated import return_types
from torchlike._api.types import DeviceLike, Number
from torchlike._base.dtypes import dtype
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor

__OUTSIDE = ROWS["_outside"]
_SEARCHSORTED_TENSOR = ROWS["searchsorted.Tensor"]
_BUCKETIZE_TENSOR = ROWS["bucketize.Tensor"]
_ISIN_TENSOR_TENSOR = ROWS["isin.Tensor_Tensor"]
__BINCOUNT = ROWS["_bincount"]
_HISTC = ROWS["histc"]
_TRIL = ROWS["tril"]
_TRIU = ROWS["triu"]
_DIAG_EMBED = ROWS["diag_embed"]
__DIAGONAL_COPY = ROWS["_diagonal_copy"]
__EYE = ROWS["_eye"]
_CUMSUM = ROWS["cumsum"]
_CUMPROD = ROWS["cumprod"]
_LOGCUMSUMEXP = ROWS["logcumsumexp"]
_CUMMAX = ROWS["cummax"]
_CUMMIN = ROWS["cummin"]
_record__histogram = binary(ROWS["_histogram"])


def _outside(self: Tensor, low: int, high: int, ignored: int | None = None) -> Tensor:
    """(whether a value lies outside [low, high), the first that does)."""
    return bind(__OUTSIDE, (self,), (), (integer(low), integer(high), integer(ignored)))


def searchsorted_Tensor(sorted_sequence: Tensor, self: Tensor | Number, *, out_int32: bool = False, right: bool = False,
                        side: str | None = None, sorter: Tensor | None = None) -> Tensor:
    """Where each value would be inserted into a sorted sequence to keep its order."""
    return bind(_SEARCHSORTED_TENSOR, (sorted_sequence, self, sorter), (), (out_int32, right, side))


def bucketize_Tensor(self: Tensor | Number, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """Which of the intervals between sorted `boundaries` each value lies in."""
    return bind(_BUCKETIZE_TENSOR, (self, boundaries), (), (out_int32, right))


def isin_Tensor_Tensor(elements: Tensor | Number, test_elements: Tensor | Number, *, assume_unique: bool = False,
                       invert: bool = False) -> Tensor:
    """Whether each element is one of `test_elements`."""
    return bind(_ISIN_TENSOR_TENSOR, (elements, test_elements), (), (assume_unique, invert))


def _histogram(value: Tensor, source: Tensor) -> Tensor:
    """`value`, counted on the host; the row gives it PyTorch's history."""
    return _record__histogram(value, source)


def _bincount(self: Tensor, weights: Tensor | None, size: int) -> Tensor:
    """`size` is one more than the largest element, which only the caller can know."""
    return bind(__BINCOUNT, (self, weights), (), (integer(size),))


def histc(self: Tensor, bins: int = 100, min: Number = 0, max: Number = 0) -> Tensor:
    """How many elements fall into each of `bins` equal intervals from `min` to `max`."""
    return bind(_HISTC, (self,), (None if min == 0 else min, None if max == 0 else max), (integer(bins),))


def tril(self: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of matrices, with zeros above `diagonal`."""
    return bind(_TRIL, (self,), (), (integer(diagonal),))


def tril_(input: Tensor, diagonal: int = 0) -> Tensor:
    """`tril` in place."""
    return inplace(_TRIL, (input,), (), (integer(diagonal),))


def triu(self: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of matrices, with zeros below `diagonal`."""
    return bind(_TRIU, (self,), (), (integer(diagonal),))


def triu_(input: Tensor, diagonal: int = 0) -> Tensor:
    """`triu` in place."""
    return inplace(_TRIU, (input,), (), (integer(diagonal),))


def diag_embed(self: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last dimension of `self` on a diagonal and zeros elsewhere."""
    return bind(_DIAG_EMBED, (self,), (), (integer(offset), integer(dim1), integer(dim2)))


def _diagonal_copy(self: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """PyTorch's operator `aten::_diagonal_copy`."""
    return bind(__DIAGONAL_COPY, (self,), (), (integer(offset), integer(dim1), integer(dim2)))


def _eye(n: int, m: int, *, dtype: dtype, device: DeviceLike) -> Tensor:
    """PyTorch's operator `aten::_eye`."""
    return bind(__EYE, (), (), (integer(n), integer(m), dtype, device))


def cumsum(self: Tensor, dim: int | None = None, *, dtype: dtype | None = None, axis: int | None = None) -> Tensor:
    """The running sums along `dim`."""
    if dim is None or axis is not None:
        dim = by_axis("cumsum", dim, axis)
    return bind(_CUMSUM, (self,), (), (integer(dim), dtype))


def cumsum_(input: Tensor, dim: int | None = None, *, dtype: dtype | None = None, axis: int | None = None) -> Tensor:
    """`cumsum` in place."""
    if dim is None or axis is not None:
        dim = by_axis("cumsum", dim, axis)
    return inplace(_CUMSUM, (input,), (), (integer(dim), dtype))


def cumprod(self: Tensor, dim: int | None = None, *, dtype: dtype | None = None, axis: int | None = None) -> Tensor:
    """The running products along `dim`."""
    if dim is None or axis is not None:
        dim = by_axis("cumprod", dim, axis)
    return bind(_CUMPROD, (self,), (), (integer(dim), dtype))


def cumprod_(input: Tensor, dim: int | None = None, *, dtype: dtype | None = None, axis: int | None = None) -> Tensor:
    """`cumprod` in place."""
    if dim is None or axis is not None:
        dim = by_axis("cumprod", dim, axis)
    return inplace(_CUMPROD, (input,), (), (integer(dim), dtype))


def logcumsumexp(self: Tensor, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """The logarithms of the running sums of exponentials along `dim`."""
    if dim is None or axis is not None:
        dim = by_axis("logcumsumexp", dim, axis)
    return bind(_LOGCUMSUMEXP, (self,), (), (integer(dim),))


def cummax(self: Tensor, dim: int | None = None, *, axis: int | None = None) -> return_types.cummax:
    """The running maxima along `dim`, and where they are."""
    if dim is None or axis is not None:
        dim = by_axis("cummax", dim, axis)
    return return_types.cummax(*bind(_CUMMAX, (self,), (), (integer(dim),)))


def cummin(self: Tensor, dim: int | None = None, *, axis: int | None = None) -> return_types.cummin:
    """The running minima along `dim`, and where they are."""
    if dim is None or axis is not None:
        dim = by_axis("cummin", dim, axis)
    return return_types.cummin(*bind(_CUMMIN, (self,), (), (integer(dim),)))


__all__ = [
    "_outside",
    "searchsorted_Tensor",
    "bucketize_Tensor",
    "isin_Tensor_Tensor",
    "_histogram",
    "_bincount",
    "histc",
    "tril",
    "tril_",
    "triu",
    "triu_",
    "diag_embed",
    "_diagonal_copy",
    "_eye",
    "cumsum",
    "cumsum_",
    "cumprod",
    "cumprod_",
    "logcumsumexp",
    "cummax",
    "cummin",
]
