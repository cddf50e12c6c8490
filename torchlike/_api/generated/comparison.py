"""Comparisons and sorting: functions of the torch namespace.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import integer, numpys, static_number
from torchlike._api.generated import return_types
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor

_ARGSORT = ROWS["argsort"]
_TOPK = ROWS["topk"]
_MASKED_FILL_SCALAR = ROWS["masked_fill.Scalar"]
_MASKED_FILL_TENSOR = ROWS["masked_fill.Tensor"]
_ISCLOSE = ROWS["isclose"]
_record_eq = binary(ROWS["eq"])
_record_ne = binary(ROWS["ne"])
_record_lt = binary(ROWS["lt"])
_record_le = binary(ROWS["le"])
_record_gt = binary(ROWS["gt"])
_record_ge = binary(ROWS["ge"])
_record_logical_and = binary(ROWS["logical_and"])
_record_logical_or = binary(ROWS["logical_or"])
_record_logical_xor = binary(ROWS["logical_xor"])
_record_bitwise_and = binary(ROWS["bitwise_and"])
_record_bitwise_or = binary(ROWS["bitwise_or"])
_record_bitwise_xor = binary(ROWS["bitwise_xor"])
_record_bitwise_left_shift = binary(ROWS["bitwise_left_shift"])
_record_bitwise_right_shift = binary(ROWS["bitwise_right_shift"])


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False, *, axis: int | None = None,
            out: Tensor | None = None) -> Tensor:
    """The indices that sort the elements along `dim`.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        descending: the largest first.
        stable: keep the order of equal elements.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.argsort.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    if out is not None:
        return written(out, "argsort", (), argsort, input, dim, descending, stable)
    return bind(_ARGSORT, (input,), (), (integer(dim), descending, stable))


def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *, axis: int | None = None,
         out: Sequence[Tensor] | None = None) -> return_types.topk:
    """The `k` largest or smallest elements along `dim`, and where they are.

    Args:
        input: Tensor of any shape.
        k: how many, or which: 1 is the smallest.
        dim: the dimension; negative ones count from the last.
        largest: take the largest elements, else the smallest.
        sorted: give them in order.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: values, indices.

    https://pytorch.org/docs/stable/generated/torch.topk.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    if out is not None:
        return written(out, "topk", (), topk, input, k, dim, largest, sorted)
    return return_types.topk(*bind(_TOPK, (input,), (), (integer(k), integer(dim), largest, sorted)))


def eq(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether the elements are equal.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.eq.html
    """
    if out is not None:
        return written(out, "eq", (input, other), eq, input, other)
    return _record_eq(input, other)


def ne(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether the elements differ.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.ne.html
    """
    if out is not None:
        return written(out, "ne", (input, other), ne, input, other)
    return _record_ne(input, other)


def not_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.ne`: whether the elements differ."""
    if out is not None:
        return written(out, "ne", (input, other), not_equal, input, other)
    return _record_ne(input, other)


def lt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether `self` is less than `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.lt.html
    """
    if out is not None:
        return written(out, "lt", (input, other), lt, input, other)
    return _record_lt(input, other)


def less(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.lt`: whether `self` is less than `other`."""
    if out is not None:
        return written(out, "lt", (input, other), less, input, other)
    return _record_lt(input, other)


def le(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether `self` is less than or equal to `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.le.html
    """
    if out is not None:
        return written(out, "le", (input, other), le, input, other)
    return _record_le(input, other)


def less_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.le`: whether `self` is less than or equal to `other`."""
    if out is not None:
        return written(out, "le", (input, other), less_equal, input, other)
    return _record_le(input, other)


def gt(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether `self` is greater than `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.gt.html
    """
    if out is not None:
        return written(out, "gt", (input, other), gt, input, other)
    return _record_gt(input, other)


def greater(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.gt`: whether `self` is greater than `other`."""
    if out is not None:
        return written(out, "gt", (input, other), greater, input, other)
    return _record_gt(input, other)


def ge(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Whether `self` is greater than or equal to `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.ge.html
    """
    if out is not None:
        return written(out, "ge", (input, other), ge, input, other)
    return _record_ge(input, other)


def greater_equal(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.ge`: whether `self` is greater than or equal to `other`."""
    if out is not None:
        return written(out, "ge", (input, other), greater_equal, input, other)
    return _record_ge(input, other)


def logical_and(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether both elements are nonzero.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.logical_and.html
    """
    if out is not None:
        return written(out, "logical_and", (input, other), logical_and, input, other)
    return _record_logical_and(input, other)


def logical_or(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether at least one of both elements is nonzero.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.logical_or.html
    """
    if out is not None:
        return written(out, "logical_or", (input, other), logical_or, input, other)
    return _record_logical_or(input, other)


def logical_xor(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether exactly one of both elements is nonzero.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.logical_xor.html
    """
    if out is not None:
        return written(out, "logical_xor", (input, other), logical_xor, input, other)
    return _record_logical_xor(input, other)


def bitwise_and(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bits that both integers have.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.bitwise_and.html
    """
    if out is not None:
        return written(out, "bitwise_and", (input, other), bitwise_and, input, other)
    return _record_bitwise_and(input, other)


def bitwise_or(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bits that at least one of both integers has.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.bitwise_or.html
    """
    if out is not None:
        return written(out, "bitwise_or", (input, other), bitwise_or, input, other)
    return _record_bitwise_or(input, other)


def bitwise_xor(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bits that exactly one of both integers has.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.bitwise_xor.html
    """
    if out is not None:
        return written(out, "bitwise_xor", (input, other), bitwise_xor, input, other)
    return _record_bitwise_xor(input, other)


def bitwise_left_shift(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bits moved up by `other` places.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.bitwise_left_shift.html
    """
    if out is not None:
        return written(out, "bitwise_left_shift", (input, other), bitwise_left_shift, input, other)
    return _record_bitwise_left_shift(input, other)


def bitwise_right_shift(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The bits moved down by `other` places; the sign stays.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.bitwise_right_shift.html
    """
    if out is not None:
        return written(out, "bitwise_right_shift", (input, other), bitwise_right_shift, input, other)
    return _record_bitwise_right_shift(input, other)


def masked_fill(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """`self` with `value` where `mask` is true.

    Args:
        input: Tensor of any shape.
        mask: bool, of a shape that broadcasts with `input`.
        value: a factor, or what is written.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.masked_fill.html
    """
    if not isinstance(value, Tensor):
        return bind(_MASKED_FILL_SCALAR, (input, mask, value))
    return bind(_MASKED_FILL_TENSOR, (input, mask, value))


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether the elements differ by at most `atol` + `rtol` times the absolute value of `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        rtol: the relative tolerance.
        atol: the absolute tolerance.
        equal_nan: take NaN and NaN as equal.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.isclose.html
    """
    return bind(_ISCLOSE, (input, other), (), (static_number(rtol), static_number(atol), equal_nan))


def masked_fill_(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """`masked_fill` in place."""
    if not isinstance(value, Tensor):
        return inplace(_MASKED_FILL_SCALAR, (input, mask, value))
    return inplace(_MASKED_FILL_TENSOR, (input, mask, value))
