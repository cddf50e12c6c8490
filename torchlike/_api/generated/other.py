"""Other operations: functions of the torch namespace.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import by_axis, integer
from torchlike._api.generated import return_types
from torchlike._api.out import written
from torchlike._base.dtypes import dtype
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.tensor import Tensor

_TRIL = ROWS["tril"]
_TRIU = ROWS["triu"]
_DIAG_EMBED = ROWS["diag_embed"]
_CUMSUM = ROWS["cumsum"]
_CUMPROD = ROWS["cumprod"]
_LOGCUMSUMEXP = ROWS["logcumsumexp"]
_CUMMAX = ROWS["cummax"]
_CUMMIN = ROWS["cummin"]


def tril(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The lower triangle of matrices, with zeros above `diagonal`.

    Args:
        input: Tensor of any shape.
        diagonal: which diagonal; 0 is the main one.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.tril.html
    """
    if out is not None:
        return written(out, "tril", (), tril, input, diagonal)
    return bind(_TRIL, (input,), (), (integer(diagonal),))


def triu(input: Tensor, diagonal: int = 0, *, out: Tensor | None = None) -> Tensor:
    """The upper triangle of matrices, with zeros below `diagonal`.

    Args:
        input: Tensor of any shape.
        diagonal: which diagonal; 0 is the main one.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.triu.html
    """
    if out is not None:
        return written(out, "triu", (), triu, input, diagonal)
    return bind(_TRIU, (input,), (), (integer(diagonal),))


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices with the last dimension of `self` on a diagonal and zeros elsewhere.

    Args:
        input: Tensor of any shape.
        offset: which diagonal; 0 is the main one.
        dim1: the first of two dimensions.
        dim2: the second of two dimensions.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.diag_embed.html
    """
    return bind(_DIAG_EMBED, (input,), (), (integer(offset), integer(dim1), integer(dim2)))


def cumsum(input: Tensor, dim: int | None = None, *, dtype: dtype | None = None, axis: int | None = None,
           out: Tensor | None = None) -> Tensor:
    """The running sums along `dim`.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        dtype: the dtype to compute in, and of the result.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.cumsum.html
    """
    if dim is None or axis is not None:
        dim = by_axis("cumsum", dim, axis)
    if out is not None:
        return written(out, "cumsum", (), cumsum, input, dim, dtype=dtype)
    return bind(_CUMSUM, (input,), (), (integer(dim), dtype))


def cumprod(input: Tensor, dim: int | None = None, *, dtype: dtype | None = None, axis: int | None = None,
            out: Tensor | None = None) -> Tensor:
    """The running products along `dim`.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        dtype: the dtype to compute in, and of the result.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.cumprod.html
    """
    if dim is None or axis is not None:
        dim = by_axis("cumprod", dim, axis)
    if out is not None:
        return written(out, "cumprod", (), cumprod, input, dim, dtype=dtype)
    return bind(_CUMPROD, (input,), (), (integer(dim), dtype))


def logcumsumexp(input: Tensor, dim: int | None = None, *, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """The logarithms of the running sums of exponentials along `dim`.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.logcumsumexp.html
    """
    if dim is None or axis is not None:
        dim = by_axis("logcumsumexp", dim, axis)
    if out is not None:
        return written(out, "logcumsumexp", (), logcumsumexp, input, dim)
    return bind(_LOGCUMSUMEXP, (input,), (), (integer(dim),))


def cummax(input: Tensor, dim: int | None = None, *, axis: int | None = None,
           out: Sequence[Tensor] | None = None) -> return_types.cummax:
    """The running maxima along `dim`, and where they are.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: values, indices.

    https://pytorch.org/docs/stable/generated/torch.cummax.html
    """
    if dim is None or axis is not None:
        dim = by_axis("cummax", dim, axis)
    if out is not None:
        return written(out, "cummax", (), cummax, input, dim)
    return return_types.cummax(*bind(_CUMMAX, (input,), (), (integer(dim),)))


def cummin(input: Tensor, dim: int | None = None, *, axis: int | None = None,
           out: Sequence[Tensor] | None = None) -> return_types.cummin:
    """The running minima along `dim`, and where they are.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: values, indices.

    https://pytorch.org/docs/stable/generated/torch.cummin.html
    """
    if dim is None or axis is not None:
        dim = by_axis("cummin", dim, axis)
    if out is not None:
        return written(out, "cummin", (), cummin, input, dim)
    return return_types.cummin(*bind(_CUMMIN, (input,), (), (integer(dim),)))
