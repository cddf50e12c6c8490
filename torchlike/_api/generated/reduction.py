"""Reductions: functions of the torch namespace.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import by_axis, integer, ints, numpys, static_number
from torchlike._api.generated import return_types
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._base.dtypes import dtype
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind, unary
from torchlike._record.tensor import Tensor

_SUM = ROWS["sum"]
_SUM_DIM_INTLIST = ROWS["sum.dim_IntList"]
_MEAN = ROWS["mean"]
_MEAN_DIM = ROWS["mean.dim"]
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
_DIST = ROWS["dist"]
_RENORM = ROWS["renorm"]
_record_any = unary(ROWS["any"])
_record_all = unary(ROWS["all"])
_record_median = unary(ROWS["median"])
_record_nanmedian = unary(ROWS["nanmedian"])


def sum(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: dtype | None = None,
        axis: int | Sequence[int] | None = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The sum of all elements.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        dtype: the dtype to compute in, and of the result.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.sum.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "sum", (), sum, input, dim, keepdim, dtype=dtype)
    if dim is None and not keepdim:
        return bind(_SUM, (input,), (), (dtype,))
    return bind(_SUM_DIM_INTLIST, (input,), (), (ints(dim), keepdim, dtype))


def mean(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: dtype | None = None,
         axis: int | Sequence[int] | None = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The mean of all elements.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        dtype: the dtype to compute in, and of the result.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.mean.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "mean", (), mean, input, dim, keepdim, dtype=dtype)
    if dim is None and not keepdim:
        return bind(_MEAN, (input,), (), (dtype,))
    return bind(_MEAN_DIM, (input,), (), (ints(dim), keepdim, dtype))


def amax(input: Tensor, dim: int | Sequence[int] = (), keepdim: bool = False, *, axis: int | Sequence[int] | None = None,
         keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The largest elements along `dim`; equal ones share the gradient.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.amax.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, ())
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "amax", (), amax, input, dim, keepdim)
    return bind(_AMAX, (input,), (), (ints(dim), keepdim))


def amin(input: Tensor, dim: int | Sequence[int] = (), keepdim: bool = False, *, axis: int | Sequence[int] | None = None,
         keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The smallest elements along `dim`; equal ones share the gradient.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.amin.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, ())
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "amin", (), amin, input, dim, keepdim)
    return bind(_AMIN, (input,), (), (ints(dim), keepdim))


def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False, axis: int | None = None,
            keepdims: bool | None = None, out: Sequence[Tensor] | None = None) -> return_types.aminmax:
    """The smallest and the largest elements along `dim`.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: min, max.

    https://pytorch.org/docs/stable/generated/torch.aminmax.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "aminmax", (), aminmax, input, dim=dim, keepdim=keepdim)
    return return_types.aminmax(*bind(_AMINMAX, (input,), (), (integer(dim), keepdim)))


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None,
           keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """Where the largest element along `dim` is.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.argmax.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "argmax", (), argmax, input, dim, keepdim)
    return bind(_ARGMAX, (input,), (), (integer(dim), keepdim))


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None,
           keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """Where the smallest element along `dim` is.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.argmin.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "argmin", (), argmin, input, dim, keepdim)
    return bind(_ARGMIN, (input,), (), (integer(dim), keepdim))


def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None,
         axis: int | None = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The product of all elements.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        dtype: the dtype to compute in, and of the result.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.prod.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "prod", (), prod, input, dim, keepdim, dtype=dtype)
    if dim is None:
        return bind(_PROD, (input,), (), (dtype,))
    return bind(_PROD_DIM_INT, (input,), (), (integer(dim), keepdim, dtype))


def any(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
        axis: int | Sequence[int] | None = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """Whether an element is nonzero.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.any.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "any", (), any, input, dim, keepdim)
    if dim is None and not keepdim:
        return _record_any(input)
    return bind(_ANY_DIMS, (input,), (), (ints(dim), keepdim))


def all(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
        axis: int | Sequence[int] | None = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """Whether all elements are nonzero.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.all.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "all", (), all, input, dim, keepdim)
    if dim is None and not keepdim:
        return _record_all(input)
    return bind(_ALL_DIMS, (input,), (), (ints(dim), keepdim))


def count_nonzero(input: Tensor, dim: int | Sequence[int] | None = None, *,
                  axis: int | Sequence[int] | None = None) -> Tensor:
    """How many elements are nonzero, along `dim`.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.count_nonzero.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    return bind(_COUNT_NONZERO, (input,), (), (ints(dim),))


def nansum(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *, dtype: dtype | None = None,
           axis: int | Sequence[int] | None = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The sums along `dim`, with NaN counted as 0.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        dtype: the dtype to compute in, and of the result.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.nansum.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "nansum", (), nansum, input, dim, keepdim, dtype=dtype)
    return bind(_NANSUM, (input,), (), (ints(dim), keepdim, dtype))


def logsumexp(input: Tensor, dim: int | Sequence[int] | None = None, keepdim: bool = False, *,
              axis: int | Sequence[int] | None = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sum of exponentials along `dim`, without overflow.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.logsumexp.html
    """
    if dim is None or axis is not None:
        dim = by_axis("logsumexp", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "logsumexp", (), logsumexp, input, dim, keepdim)
    return bind(_LOGSUMEXP, (input,), (), (ints(dim), keepdim))


def median(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None,
           keepdims: bool | None = None, out: Tensor | Sequence[Tensor] | None = None) -> Tensor | return_types.median:
    """The median of all elements; of two the lower one.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: values, indices.

    https://pytorch.org/docs/stable/generated/torch.median.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "median", (), median, input, dim, keepdim)
    if dim is None:
        return _record_median(input)
    return return_types.median(*bind(_MEDIAN_DIM, (input,), (), (integer(dim), keepdim)))


def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False, *, axis: int | None = None,
              keepdims: bool | None = None, out: Tensor | Sequence[Tensor] | None = None) -> Tensor | return_types.nanmedian:
    """The median of what is not NaN; of two the lower one.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: values, indices.

    https://pytorch.org/docs/stable/generated/torch.nanmedian.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "nanmedian", (), nanmedian, input, dim, keepdim)
    if dim is None:
        return _record_nanmedian(input)
    return return_types.nanmedian(*bind(_NANMEDIAN_DIM, (input,), (), (integer(dim), keepdim)))


def mode(input: Tensor, dim: int = -1, keepdim: bool = False, *, axis: int | None = None, keepdims: bool | None = None,
         out: Sequence[Tensor] | None = None) -> return_types.mode:
    """The smallest of the most frequent values, with its last index.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: values, indices.

    https://pytorch.org/docs/stable/generated/torch.mode.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "mode", (), mode, input, dim, keepdim)
    return return_types.mode(*bind(_MODE, (input,), (), (integer(dim), keepdim)))


def dist(input: Tensor, other: Tensor, p: Number = 2) -> Tensor:
    """The `p`-norm of `self` - `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        p: the exponent, or the probability.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.dist.html
    """
    return bind(_DIST, (input, other), (), (static_number(p),))


def renorm(input: Tensor, p: Number, dim: int | None = None, maxnorm: Number | None = None, *, axis: int | None = None,
           out: Tensor | None = None) -> Tensor:
    """Slices along `dim` whose p-norm is larger than `maxnorm` scaled down to it.

    Args:
        input: Tensor of any shape.
        p: the exponent, or the probability.
        dim: the dimension; negative ones count from the last.
        maxnorm: the largest norm.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.renorm.html
    """
    if dim is None or maxnorm is None or axis is not None:
        dim = by_axis("renorm", dim, axis, maxnorm=maxnorm)
    if out is not None:
        return written(out, "renorm", (), renorm, input, p, dim, maxnorm)
    return bind(_RENORM, (input,), (maxnorm,), (static_number(p), integer(dim)))
