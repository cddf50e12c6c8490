"""Comparisons and sorting: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from torchlike._api.arguments import integer, numpys, static_number
from torchlike._api.generated import return_types
from torchlike._api.in_place import compare
from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor

_SORT = ROWS["sort"]
_SORT_STABLE = ROWS["sort.stable"]
_ARGSORT = ROWS["argsort"]
_TOPK = ROWS["topk"]
_KTHVALUE = ROWS["kthvalue"]
_EQ = ROWS["eq"]
_NE = ROWS["ne"]
_LT = ROWS["lt"]
_LE = ROWS["le"]
_GT = ROWS["gt"]
_GE = ROWS["ge"]
_LOGICAL_AND = ROWS["logical_and"]
_LOGICAL_OR = ROWS["logical_or"]
_LOGICAL_XOR = ROWS["logical_xor"]
_BITWISE_AND = ROWS["bitwise_and"]
_BITWISE_OR = ROWS["bitwise_or"]
_BITWISE_XOR = ROWS["bitwise_xor"]
_BITWISE_LEFT_SHIFT = ROWS["bitwise_left_shift"]
_BITWISE_RIGHT_SHIFT = ROWS["bitwise_right_shift"]
_WHERE_SELF = ROWS["where.self"]
_MASKED_FILL_SCALAR = ROWS["masked_fill.Scalar"]
_MASKED_FILL_TENSOR = ROWS["masked_fill.Tensor"]
_ISCLOSE = ROWS["isclose"]
_record__unique2 = binary(ROWS["_unique2"])
_record__unique_dim = binary(ROWS["_unique_dim"])
_record__unique_consecutive = binary(ROWS["_unique_consecutive"])
_record_eq = binary(ROWS["eq"])
_record_ne = binary(ROWS["ne"])
_record_lt = binary(ROWS["lt"])
_record_le = binary(ROWS["le"])
_record_gt = binary(ROWS["gt"])
_record_ge = binary(ROWS["ge"])
_record__compared = binary(ROWS["_compared"])
_record_logical_and = binary(ROWS["logical_and"])
_record_logical_or = binary(ROWS["logical_or"])
_record_logical_xor = binary(ROWS["logical_xor"])
_record_bitwise_and = binary(ROWS["bitwise_and"])
_record_bitwise_or = binary(ROWS["bitwise_or"])
_record_bitwise_xor = binary(ROWS["bitwise_xor"])
_record_bitwise_left_shift = binary(ROWS["bitwise_left_shift"])
_record_bitwise_right_shift = binary(ROWS["bitwise_right_shift"])


def sort(self: Tensor, dim: int = -1, descending: bool = False, *, axis: int | None = None) -> return_types.sort:
    """The elements in order along `dim`, and where they were."""
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    return return_types.sort(*bind(_SORT, (self,), (), (integer(dim), descending)))


def sort_stable(self: Tensor, *, stable: bool | None, dim: int = -1, descending: bool = False,
                axis: int | None = None) -> return_types.sort:
    """The elements in order along `dim`, and where they were; equal ones keep their order."""
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    return return_types.sort(*bind(_SORT_STABLE, (self,), (), (stable, integer(dim), descending)))


def argsort(self: Tensor, dim: int = -1, descending: bool = False, stable: bool = False, *,
            axis: int | None = None) -> Tensor:
    """The indices that sort the elements along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    return bind(_ARGSORT, (self,), (), (integer(dim), descending, stable))


def topk(self: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *,
         axis: int | None = None) -> return_types.topk:
    """The `k` largest or smallest elements along `dim`, and where they are."""
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    return return_types.topk(*bind(_TOPK, (self,), (), (integer(k), integer(dim), largest, sorted)))


def kthvalue(self: Tensor, k: int, dim: int = -1, keepdim: bool = False, *, axis: int | None = None,
             keepdims: bool | None = None) -> return_types.kthvalue:
    """The `k`-th smallest element along `dim`, and where it is."""
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return return_types.kthvalue(*bind(_KTHVALUE, (self,), (), (integer(k), integer(dim), keepdim)))


def _unique2(self: Tensor, values: Tensor) -> Tensor:
    """`values` were found on the host; the row gives them PyTorch's history."""
    return _record__unique2(self, values)


def _unique_dim(self: Tensor, values: Tensor) -> Tensor:
    """`values` were found on the host; the row gives them PyTorch's history."""
    return _record__unique_dim(self, values)


def _unique_consecutive(self: Tensor, values: Tensor) -> Tensor:
    """`values` were found on the host; the row gives them PyTorch's history."""
    return _record__unique_consecutive(self, values)


def eq(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether the elements are equal."""
    return _record_eq(self, other)


def eq_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`eq` in place."""
    return compare(_EQ, input, other)


def ne(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether the elements differ."""
    return _record_ne(self, other)


def ne_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`ne` in place."""
    return compare(_NE, input, other)


def lt(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether `self` is less than `other`."""
    return _record_lt(self, other)


def lt_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`lt` in place."""
    return compare(_LT, input, other)


def le(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether `self` is less than or equal to `other`."""
    return _record_le(self, other)


def le_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`le` in place."""
    return compare(_LE, input, other)


def gt(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether `self` is greater than `other`."""
    return _record_gt(self, other)


def gt_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`gt` in place."""
    return compare(_GT, input, other)


def ge(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether `self` is greater than or equal to `other`."""
    return _record_ge(self, other)


def ge_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`ge` in place."""
    return compare(_GE, input, other)


def _compared(self: Tensor, other: Tensor | Number) -> Tensor:
    """Stands for a comparison in place in the graph: its result has the dtype of `self`, its gradients are zero."""
    return _record__compared(self, other)


def logical_and(self: Tensor, other: Tensor) -> Tensor:
    """Whether both elements are nonzero."""
    return _record_logical_and(self, other)


def logical_and_(input: Tensor, other: Tensor) -> Tensor:
    """`logical_and` in place."""
    return inplace(_LOGICAL_AND, (input, other))


def logical_or(self: Tensor, other: Tensor) -> Tensor:
    """Whether at least one of both elements is nonzero."""
    return _record_logical_or(self, other)


def logical_or_(input: Tensor, other: Tensor) -> Tensor:
    """`logical_or` in place."""
    return inplace(_LOGICAL_OR, (input, other))


def logical_xor(self: Tensor, other: Tensor) -> Tensor:
    """Whether exactly one of both elements is nonzero."""
    return _record_logical_xor(self, other)


def logical_xor_(input: Tensor, other: Tensor) -> Tensor:
    """`logical_xor` in place."""
    return inplace(_LOGICAL_XOR, (input, other))


def bitwise_and(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits that both integers have."""
    return _record_bitwise_and(self, other)


def bitwise_and_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`bitwise_and` in place."""
    return inplace(_BITWISE_AND, (input, other))


def bitwise_or(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits that at least one of both integers has."""
    return _record_bitwise_or(self, other)


def bitwise_or_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`bitwise_or` in place."""
    return inplace(_BITWISE_OR, (input, other))


def bitwise_xor(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits that exactly one of both integers has."""
    return _record_bitwise_xor(self, other)


def bitwise_xor_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`bitwise_xor` in place."""
    return inplace(_BITWISE_XOR, (input, other))


def bitwise_left_shift(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits moved up by `other` places."""
    return _record_bitwise_left_shift(self, other)


def bitwise_left_shift_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`bitwise_left_shift` in place."""
    return inplace(_BITWISE_LEFT_SHIFT, (input, other))


def bitwise_right_shift(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The bits moved down by `other` places; the sign stays."""
    return _record_bitwise_right_shift(self, other)


def bitwise_right_shift_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`bitwise_right_shift` in place."""
    return inplace(_BITWISE_RIGHT_SHIFT, (input, other))


def where_self(condition: Tensor, self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """`self` where `condition` is true, else `other`."""
    return bind(_WHERE_SELF, (condition, self, other))


def masked_fill_Scalar(self: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """`self` with `value` where `mask` is true."""
    return bind(_MASKED_FILL_SCALAR, (self, mask, value))


def masked_fill_Scalar_(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """`masked_fill` in place."""
    return inplace(_MASKED_FILL_SCALAR, (input, mask, value))


def masked_fill_Tensor(self: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """`self` with `value` where `mask` is true."""
    return bind(_MASKED_FILL_TENSOR, (self, mask, value))


def masked_fill_Tensor_(input: Tensor, mask: Tensor, value: Tensor | Number) -> Tensor:
    """`masked_fill` in place."""
    return inplace(_MASKED_FILL_TENSOR, (input, mask, value))


def isclose(self: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether the elements differ by at most `atol` + `rtol` times the absolute value of `other`."""
    return bind(_ISCLOSE, (self, other), (), (static_number(rtol), static_number(atol), equal_nan))


def not_equal(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether the elements differ."""
    return _record_ne(self, other)


def less(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether `self` is less than `other`."""
    return _record_lt(self, other)


def less_equal(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether `self` is less than or equal to `other`."""
    return _record_le(self, other)


def greater(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether `self` is greater than `other`."""
    return _record_gt(self, other)


def greater_equal(self: Tensor, other: Tensor | Number) -> Tensor:
    """Whether `self` is greater than or equal to `other`."""
    return _record_ge(self, other)


def not_equal_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`ne` in place."""
    return compare(_NE, input, other)


def less_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`lt` in place."""
    return compare(_LT, input, other)


def less_equal_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`le` in place."""
    return compare(_LE, input, other)


def greater_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`gt` in place."""
    return compare(_GT, input, other)


def greater_equal_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`ge` in place."""
    return compare(_GE, input, other)


__all__ = [
    "sort",
    "sort_stable",
    "argsort",
    "topk",
    "kthvalue",
    "_unique2",
    "_unique_dim",
    "_unique_consecutive",
    "eq",
    "eq_",
    "ne",
    "ne_",
    "lt",
    "lt_",
    "le",
    "le_",
    "gt",
    "gt_",
    "ge",
    "ge_",
    "_compared",
    "logical_and",
    "logical_and_",
    "logical_or",
    "logical_or_",
    "logical_xor",
    "logical_xor_",
    "bitwise_and",
    "bitwise_and_",
    "bitwise_or",
    "bitwise_or_",
    "bitwise_xor",
    "bitwise_xor_",
    "bitwise_left_shift",
    "bitwise_left_shift_",
    "bitwise_right_shift",
    "bitwise_right_shift_",
    "where_self",
    "masked_fill_Scalar",
    "masked_fill_Scalar_",
    "masked_fill_Tensor",
    "masked_fill_Tensor_",
    "isclose",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "not_equal_",
    "less_",
    "less_equal_",
    "greater_",
    "greater_equal_",
]
