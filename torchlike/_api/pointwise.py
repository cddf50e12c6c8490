"""Elementwise functions with several overloads, and their other names.

A row is one function on arrays; here the kinds of the arguments choose the row, as PyTorch's argument
parser chooses an overload. https://pytorch.org/docs/stable/torch.html#pointwise-ops
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torchlike._api.arguments import integer
from torchlike._api.generated import ops
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._modes import vmap_levels
from torchlike._ops import promotion
from torchlike._ops.all import ROWS
from torchlike._ops.pointwise.arithmetic import STATIC_EXPONENTS
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor
from torchlike._record.warning import warn_once
from torchlike._record.wrong_calls import check_call, checked, instead_of, judged

# -- quotients and powers

_UNSET: Any = object()


def div(input: Tensor, other: Tensor | Number, *, rounding_mode: str | None = _UNSET, out: Tensor | None = None) -> Tensor:
    """The quotient; `rounding_mode` None, "trunc" or "floor".
    https://pytorch.org/docs/stable/generated/torch.div.html"""
    if out is not None:
        return written(out, "div", (), div, input, other, rounding_mode=rounding_mode)
    return _div(input, other, rounding_mode)


def _div(self, other, rounding_mode):
    if rounding_mode is _UNSET:
        return ops.div(self, other)
    if rounding_mode is None:
        return ops.div_Tensor_mode_none(self, other)
    return ops.div_Tensor_mode(self, other, rounding_mode=rounding_mode)


def div_(self: Tensor, other: Tensor | Number, *, rounding_mode: str | None = None) -> Tensor:
    """`div` in place."""
    if rounding_mode is None:
        return ops.div_(self, other)
    return ops.div_Tensor_mode_(self, other, rounding_mode=rounding_mode)


def true_divide(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The true quotient. https://pytorch.org/docs/stable/generated/torch.true_divide.html"""
    if out is not None:
        return written(out, "true_divide", (), true_divide, input, other)
    return ops.div(input, other)


def true_divide_(self: Tensor, other: Tensor | Number) -> Tensor:
    """`true_divide` in place."""
    return ops.div_(self, other)


def pow(input: Tensor, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """input ** exponent; either may be a number. RuntimeError for an integer tensor with a negative
    integer exponent. https://pytorch.org/docs/stable/generated/torch.pow.html"""
    if out is not None:
        return written(out, "pow", (), pow, input, exponent)
    return _pow(input, exponent)


def _pow(self: Tensor, exponent: Tensor | Number) -> Tensor:
    if not isinstance(self, Tensor):
        return ops.pow_Scalar(self, exponent)
    if isinstance(exponent, Tensor):
        return ops.pow_Tensor_Tensor(self, exponent)
    if exponent in STATIC_EXPONENTS and _stays(self, exponent):
        return ops._pow_static(self, exponent)
    _check_exponent(self, exponent)
    return ops.pow_Tensor_Scalar(self, exponent)


def _stays(self, exponent) -> bool:
    """Whether the power has the dtype of `self`."""
    dtype = self.dtype
    if exponent.__class__ is complex:
        return dtype.is_complex
    if dtype is dt.bool_:
        return exponent.__class__ is bool
    return dtype.category >= dt.FLOAT or (exponent.__class__ is int and dtype.category == dt.INT)


def _check_exponent(self, exponent):
    if exponent.__class__ is int and exponent < 0 and self.dtype.category <= dt.INT:
        raise RuntimeError("Integers to negative integer powers are not allowed.")


def pow_(self: Tensor, exponent: Tensor | Number) -> Tensor:
    """`pow` in place."""
    if isinstance(exponent, Tensor):
        return ops.pow_Tensor_Tensor_(self, exponent)
    if exponent in STATIC_EXPONENTS and _stays(self, exponent):
        return ops._pow_static_(self, exponent)
    _check_exponent(self, exponent)
    return ops.pow_Tensor_Scalar_(self, exponent)


def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """input * input. https://pytorch.org/docs/stable/generated/torch.square.html"""
    if out is not None:
        return written(out, "square", (), square, input)
    return _pow(input, 2)


def float_power_dtype(*operands):
    """complex128 if one of these tensors and numbers is complex, else float64."""
    dtypes = [v.dtype if isinstance(v, Tensor) else promotion.of_number(v) for v in operands]
    return dt.complex128 if any(d.is_complex for d in dtypes) else dt.float64


def float_power(input: Tensor, exponent: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`pow` in float64, or complex128 if either is complex.
    https://pytorch.org/docs/stable/generated/torch.float_power.html"""
    if out is not None:
        return written(out, "float_power", (), float_power, input, exponent)
    to = float_power_dtype(input, exponent)
    kind: Callable[[Any], Any] = complex if to.is_complex else float
    base, power = (v.to(to) if isinstance(v, Tensor) else kind(v) for v in (input, exponent))
    return _pow(base, power)


# -- choosing by a mask

def where(condition: Tensor, input: Tensor | Number = _UNSET, other: Tensor | Number = _UNSET, *,
          out: Tensor | None = None) -> Tensor:
    """Elements of `input` where `condition` is true, else of `other`; with one argument the indices of
    the true elements as a tuple. https://pytorch.org/docs/stable/generated/torch.where.html"""
    try:
        if out is not None:
            if not (isinstance(input, Tensor) and isinstance(other, Tensor)):
                check_call()
            return written(out, "where", (), where, condition, input, other)
        if input is _UNSET:
            vmap_levels.check_shape(condition, "where")
            return condition.nonzero(as_tuple=True)
        return _chosen(condition, input, other)
    except AttributeError as error:
        raise instead_of(error) from None


def _where_method(self: Tensor, condition: Tensor, other: Tensor | Number) -> Tensor:
    return _chosen(condition, self, other)


def _chosen(condition, input, other):
    if isinstance(condition, Tensor) and condition._cell.aval.dtype is dt.uint8:
        warn_once("where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
                  "version of PyTorch. Use a boolean condition instead.")
    return ops.where_self(condition, input, other)


# -- answers that are Python bools

_ALLCLOSE = ("vmap over torch.allclose isn't supported yet. Please file an issue at "
             "https://github.com/pytorch/pytorch/issues if you need this feature.")


@checked
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape and elements.
    https://pytorch.org/docs/stable/generated/torch.equal.html"""
    if input.shape != other.shape:
        return False
    for x in (input, other):
        vmap_levels.check_rule(x, "equal")
    return bool(ops.all(ops.eq(input, other)))


@judged
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close. https://pytorch.org/docs/stable/generated/torch.allclose.html"""
    for x in (input, other):
        vmap_levels.refuse_batched(x, _ALLCLOSE)
    return bool(ops.all(ops.isclose(input, other, rtol, atol, equal_nan)))


# -- composites

@checked
def positive(input: Tensor) -> Tensor:
    """input itself; RuntimeError for bool. https://pytorch.org/docs/stable/generated/torch.positive.html"""
    if input.dtype is dt.bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def special_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The normal distribution function. https://pytorch.org/docs/stable/special.html"""
    if out is not None:
        return written(out, "special_ndtr", (), special_ndtr, input)
    return (ops.erf(input / math.sqrt(2)) + 1) * 0.5


def _polygamma_method(self: Tensor, n: int) -> Tensor:
    return ops.polygamma(n, self)


def square_(input: Tensor) -> Tensor:
    """`square` in place."""
    try:
        return pow_(input, 2)
    except AttributeError as error:
        raise instead_of(error) from None


@checked
def float_power_(self: Tensor, exponent: Tensor | Number) -> Tensor:
    """`float_power` in place: of float64, or of complex128 where either is complex; RuntimeError for other dtypes.
    https://pytorch.org/docs/stable/generated/torch.Tensor.float_power_.html"""
    wanted = float_power_dtype(self, exponent)
    if self.dtype is not wanted:
        raise RuntimeError(f"the base given to float_power_ has dtype {self.dtype.scalar_name} but the operation's result "
                           f"requires dtype {wanted.scalar_name}")
    if isinstance(exponent, Tensor):
        exponent = exponent.to(wanted)
    return pow_(self, exponent)


def polygamma_(self: Tensor, n: int) -> Tensor:
    """`polygamma` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.polygamma_.html"""
    return inplace(ROWS["polygamma"], (self,), (), (integer(n),))


def rsub(input: Tensor, other: Tensor | Number, alpha: Number = 1) -> Tensor:
    """`other` - `alpha` `input`; `alpha` by position only where `other` is a number."""
    return ops.rsub_Tensor(input, other, alpha=alpha) if isinstance(other, Tensor) else ops.rsub_Scalar(input, other, alpha)


FUNCTIONS: dict = {"rsub": rsub, "div": div, "divide": div, "true_divide": true_divide, "pow": pow, "square": square,
                   "float_power": float_power, "where": where, "equal": equal, "allclose": allclose, "positive": positive,
                   "special_ndtr": special_ndtr, "square_": square_}
METHODS: dict = {"rsub": rsub, "div": div, "div_": div_, "divide": div, "divide_": div_, "true_divide": true_divide,
                 "true_divide_": true_divide_, "pow": _pow, "pow_": pow_, "square": square, "square_": square_,
                 "float_power": float_power, "where": _where_method, "equal": equal, "allclose": allclose,
                 "positive": positive, "polygamma": _polygamma_method, "float_power_": float_power_,
                 "polygamma_": polygamma_}
