"""Reductions: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import by_axis, integer, ints, numpys, static_number
from torchlike._api.generated import return_types
from torchlike._api.types import Number
from torchlike._base.dtypes import dtype
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind, unary
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor

_SUM = ROWS["sum"]
_SUM_DIM_INTLIST = ROWS["sum.dim_IntList"]
_MEAN = ROWS["mean"]
_MEAN_DIM = ROWS["mean.dim"]
_MAX_DIM = ROWS["max.dim"]
_MIN_DIM = ROWS["min.dim"]
_AMAX = ROWS["amax"]
_AMIN = ROWS["amin"]
_AMINMAX = ROWS["aminmax"]
_ARGMAX = ROWS["argmax"]
_ARGMIN = ROWS["argmin"]
_PROD = ROWS["prod"]
_PROD_DIM_INT = ROWS["prod.dim_int"]
_ANY_DIMS = ROWS["any.dims"]
_ALL_DIMS = ROWS["all.dims"]
_COUNT_NONZERO = ROWS["count_nonzero"]
_NANSUM = ROWS["nansum"]
_LOGSUMEXP = ROWS["logsumexp"]
_MEDIAN_DIM = ROWS["median.dim"]
_NANMEDIAN_DIM = ROWS["nanmedian.dim"]
_MODE = ROWS["mode"]
_VAR_CORRECTION = ROWS["var.correction"]
_STD_CORRECTION = ROWS["std.correction"]
_VAR_MEAN_CORRECTION = ROWS["var_mean.correction"]
_STD_MEAN_CORRECTION = ROWS["std_mean.correction"]
_DIST = ROWS["dist"]
_RENORM = ROWS["renorm"]
_record_max = unary(ROWS["max"])
_record_min = unary(ROWS["min"])
_record_any = unary(ROWS["any"])
_record_all = unary(ROWS["all"])
_record_median = unary(ROWS["median"])
_record_nanmedian = unary(ROWS["nanmedian"])


def sum(self: Tensor, *, dtype: dtype | None = None) -> Tensor:
    """The sum of all elements."""
    return bind(_SUM, (self,), (), (dtype,))


def sum_dim_IntList(self: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
                    dtype: dtype | None = None, axis: int | Sequence[int] | None = None,
                    keepdims: bool | None = None) -> Tensor:
    """The sums along `dim`."""
    if dim is None or axis is not None:
        dim = by_axis("sum", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_SUM_DIM_INTLIST, (self,), (), (ints(dim), keepdim, dtype))


def mean(self: Tensor, *, dtype: dtype | None = None) -> Tensor:
    """The mean of all elements."""
    return bind(_MEAN, (self,), (), (dtype,))


def mean_dim(self: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: dtype | None = None,
             axis: int | Sequence[int] | None = None, keepdims: bool | None = None) -> Tensor:
    """The means along `dim`."""
    if dim is None or axis is not None:
        dim = by_axis("mean", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_MEAN_DIM, (self,), (), (ints(dim), keepdim, dtype))


def max(self: Tensor) -> Tensor:
    """The largest element."""
    return _record_max(self)


def min(self: Tensor) -> Tensor:
    """The smallest element."""
    return _record_min(self)


def max_dim(self: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None,
            keepdims: bool | None = None) -> return_types.max:
    """The largest elements along `dim`, and where they are."""
    if dim is None or axis is not None:
        dim = by_axis("max", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return return_types.max(*bind(_MAX_DIM, (self,), (), (integer(dim), keepdim)))


def min_dim(self: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None,
            keepdims: bool | None = None) -> return_types.min:
    """The smallest elements along `dim`, and where they are."""
    if dim is None or axis is not None:
        dim = by_axis("min", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return return_types.min(*bind(_MIN_DIM, (self,), (), (integer(dim), keepdim)))


def amax(self: Tensor, dim: int | Sequence[int] = (), keepdim: bool = False, *, axis: int | Sequence[int] | None = None,
         keepdims: bool | None = None) -> Tensor:
    """The largest elements along `dim`; equal ones share the gradient."""
    if axis is not None:
        dim = numpys("axis", dim, axis, ())
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_AMAX, (self,), (), (ints(dim), keepdim))


def amin(self: Tensor, dim: int | Sequence[int] = (), keepdim: bool = False, *, axis: int | Sequence[int] | None = None,
         keepdims: bool | None = None) -> Tensor:
    """The smallest elements along `dim`; equal ones share the gradient."""
    if axis is not None:
        dim = numpys("axis", dim, axis, ())
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_AMIN, (self,), (), (ints(dim), keepdim))


def aminmax(self: Tensor, *, dim: int | None = None, keepdim: bool = False, axis: int | None = None,
            keepdims: bool | None = None) -> return_types.aminmax:
    """The smallest and the largest elements along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return return_types.aminmax(*bind(_AMINMAX, (self,), (), (integer(dim), keepdim)))


def argmax(self: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None,
           keepdims: bool | None = None) -> Tensor:
    """Where the largest element along `dim` is."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_ARGMAX, (self,), (), (integer(dim), keepdim))


def argmin(self: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None,
           keepdims: bool | None = None) -> Tensor:
    """Where the smallest element along `dim` is."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_ARGMIN, (self,), (), (integer(dim), keepdim))


def prod(self: Tensor, *, dtype: dtype | None = None) -> Tensor:
    """The product of all elements."""
    return bind(_PROD, (self,), (), (dtype,))


def prod_dim_int(self: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None,
                 axis: int | None = None, keepdims: bool | None = None) -> Tensor:
    """The products along `dim`."""
    if dim is None or axis is not None:
        dim = by_axis("prod", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_PROD_DIM_INT, (self,), (), (integer(dim), keepdim, dtype))


def any(self: Tensor) -> Tensor:
    """Whether an element is nonzero."""
    return _record_any(self)


def any_dims(self: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
             axis: int | Sequence[int] | None = None, keepdims: bool | None = None) -> Tensor:
    """Whether an element is nonzero, along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_ANY_DIMS, (self,), (), (ints(dim), keepdim))


def all(self: Tensor) -> Tensor:
    """Whether all elements are nonzero."""
    return _record_all(self)


def all_dims(self: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
             axis: int | Sequence[int] | None = None, keepdims: bool | None = None) -> Tensor:
    """Whether all elements are nonzero, along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_ALL_DIMS, (self,), (), (ints(dim), keepdim))


def count_nonzero(self: Tensor, dim: int | Sequence[int] | None = None, *,
                  axis: int | Sequence[int] | None = None) -> Tensor:
    """How many elements are nonzero, along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    return bind(_COUNT_NONZERO, (self,), (), (ints(dim),))


def nansum(self: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: dtype | None = None,
           axis: int | Sequence[int] | None = None, keepdims: bool | None = None) -> Tensor:
    """The sums along `dim`, with NaN counted as 0."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_NANSUM, (self,), (), (ints(dim), keepdim, dtype))


def logsumexp(self: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
              axis: int | Sequence[int] | None = None, keepdims: bool | None = None) -> Tensor:
    """The logarithm of the sum of exponentials along `dim`, without overflow."""
    if dim is None or axis is not None:
        dim = by_axis("logsumexp", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_LOGSUMEXP, (self,), (), (ints(dim), keepdim))


def median(self: Tensor) -> Tensor:
    """The median of all elements; of two the lower one."""
    return _record_median(self)


def median_dim(self: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None,
               keepdims: bool | None = None) -> return_types.median:
    """The medians of all elements along `dim`, of two the lower one, and where they are."""
    if dim is None or axis is not None:
        dim = by_axis("median", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return return_types.median(*bind(_MEDIAN_DIM, (self,), (), (integer(dim), keepdim)))


def nanmedian(self: Tensor) -> Tensor:
    """The median of what is not NaN; of two the lower one."""
    return _record_nanmedian(self)


def nanmedian_dim(self: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None,
                  keepdims: bool | None = None) -> return_types.nanmedian:
    """The medians of what is not NaN along `dim`, of two the lower one, and where they are."""
    if dim is None or axis is not None:
        dim = by_axis("nanmedian", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return return_types.nanmedian(*bind(_NANMEDIAN_DIM, (self,), (), (integer(dim), keepdim)))


def mode(self: Tensor, dim: int = -1, keepdim: bool = False, *, axis: int | None = None,
         keepdims: bool | None = None) -> return_types.mode:
    """The smallest of the most frequent values, with its last index."""
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return return_types.mode(*bind(_MODE, (self,), (), (integer(dim), keepdim)))


def var_correction(self: Tensor, dim: int | Sequence[int] | None = None, *, correction: Number | None = None,
                   keepdim: bool = False, axis: int | Sequence[int] | None = None, keepdims: bool | None = None) -> Tensor:
    """The variances along `dim`, divided by the count minus `correction`."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_VAR_CORRECTION, (self,), (correction,), (ints(dim), keepdim))


def std_correction(self: Tensor, dim: int | Sequence[int] | None = None, *, correction: Number | None = None,
                   keepdim: bool = False, axis: int | Sequence[int] | None = None, keepdims: bool | None = None) -> Tensor:
    """The standard deviations along `dim`, with the count minus `correction`."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_STD_CORRECTION, (self,), (correction,), (ints(dim), keepdim))


def var_mean_correction(self: Tensor, dim: int | Sequence[int] | None = None, *, correction: Number | None = None,
                        keepdim: bool = False, axis: int | Sequence[int] | None = None,
                        keepdims: bool | None = None) -> tuple[Tensor, Tensor]:
    """The variances and means along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_VAR_MEAN_CORRECTION, (self,), (correction,), (ints(dim), keepdim))


def std_mean_correction(self: Tensor, dim: int | Sequence[int] | None = None, *, correction: Number | None = None,
                        keepdim: bool = False, axis: int | Sequence[int] | None = None,
                        keepdims: bool | None = None) -> tuple[Tensor, Tensor]:
    """The standard deviations and means along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_STD_MEAN_CORRECTION, (self,), (correction,), (ints(dim), keepdim))


def dist(self: Tensor, other: Tensor, p: Number = 2) -> Tensor:
    """The `p`-norm of `self` - `other`."""
    return bind(_DIST, (self, other), (), (static_number(p),))


def renorm(self: Tensor, p: Number, dim: int | None = None, maxnorm: Number | None = None, *,
           axis: int | None = None) -> Tensor:
    """Slices along `dim` whose p-norm is larger than `maxnorm` scaled down to it."""
    if dim is None or maxnorm is None or axis is not None:
        dim = by_axis("renorm", dim, axis, maxnorm=maxnorm)
    return bind(_RENORM, (self,), (maxnorm,), (static_number(p), integer(dim)))


def renorm_(input: Tensor, p: Number, dim: int | None = None, maxnorm: Number | None = None, *,
            axis: int | None = None) -> Tensor:
    """`renorm` in place."""
    if dim is None or maxnorm is None or axis is not None:
        dim = by_axis("renorm", dim, axis, maxnorm=maxnorm)
    return inplace(_RENORM, (input,), (maxnorm,), (static_number(p), integer(dim)))


__all__ = [
    "sum",
    "sum_dim_IntList",
    "mean",
    "mean_dim",
    "max",
    "min",
    "max_dim",
    "min_dim",
    "amax",
    "amin",
    "aminmax",
    "argmax",
    "argmin",
    "prod",
    "prod_dim_int",
    "any",
    "any_dims",
    "all",
    "all_dims",
    "count_nonzero",
    "nansum",
    "logsumexp",
    "median",
    "median_dim",
    "nanmedian",
    "nanmedian_dim",
    "mode",
    "var_correction",
    "std_correction",
    "var_mean_correction",
    "std_mean_correction",
    "dist",
    "renorm",
    "renorm_",
]
