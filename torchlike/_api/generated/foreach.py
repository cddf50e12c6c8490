"""Operations on each tensor of a list, as optimizers call them.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.foreach import each, pair, ternary
from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.tensor import Tensor

_ADD = ROWS["add"]
_SUB = ROWS["sub"]
_MUL = ROWS["mul"]
_DIV = ROWS["div"]
_POW_TENSOR_TENSOR = ROWS["pow.Tensor_Tensor"]
_MAXIMUM = ROWS["maximum"]
_MINIMUM = ROWS["minimum"]
_CLAMP_MIN = ROWS["clamp_min"]
_CLAMP_MAX = ROWS["clamp_max"]


def _foreach_add(self: Sequence[Tensor] | Number, other: Sequence[Tensor] | Sequence[Number] | Tensor | Number, *,
                 alpha: Number = 1) -> Sequence[Tensor]:
    """`add` of each tensor of a list."""
    return pair(_ADD, "", self, other, alpha)


def _foreach_add_(self: Sequence[Tensor] | Number, other: Sequence[Tensor] | Sequence[Number] | Tensor | Number, *,
                  alpha: Number = 1) -> Sequence[Tensor]:
    """`add` of each tensor of a list, in place."""
    return pair(_ADD, "_", self, other, alpha)


def _foreach_sub(self: Sequence[Tensor] | Number, other: Sequence[Tensor] | Sequence[Number] | Tensor | Number, *,
                 alpha: Number = 1) -> Sequence[Tensor]:
    """`sub` of each tensor of a list."""
    return pair(_SUB, "", self, other, alpha)


def _foreach_sub_(self: Sequence[Tensor] | Number, other: Sequence[Tensor] | Sequence[Number] | Tensor | Number, *,
                  alpha: Number = 1) -> Sequence[Tensor]:
    """`sub` of each tensor of a list, in place."""
    return pair(_SUB, "_", self, other, alpha)


def _foreach_mul(self: Sequence[Tensor] | Number,
                 other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`mul` of each tensor of a list."""
    return pair(_MUL, "", self, other)


def _foreach_mul_(self: Sequence[Tensor] | Number,
                  other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`mul` of each tensor of a list, in place."""
    return pair(_MUL, "_", self, other)


def _foreach_div(self: Sequence[Tensor] | Number,
                 other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`div` of each tensor of a list."""
    return pair(_DIV, "", self, other)


def _foreach_div_(self: Sequence[Tensor] | Number,
                  other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`div` of each tensor of a list, in place."""
    return pair(_DIV, "_", self, other)


def _foreach_pow(self: Sequence[Tensor] | Number,
                 other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`pow` of each tensor of a list."""
    return pair(_POW_TENSOR_TENSOR, "", self, other)


def _foreach_pow_(self: Sequence[Tensor] | Number,
                  other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`pow` of each tensor of a list, in place."""
    return pair(_POW_TENSOR_TENSOR, "_", self, other)


def _foreach_addcmul(self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor],
                     value: Number | Sequence[Number] | Tensor = 1, *,
                     scalars: Sequence[Number] | Tensor | None = None) -> Sequence[Tensor]:
    """`addcmul` of each tensor of a list."""
    return ternary("addcmul", "", self, tensor1, tensor2, value, scalars)


def _foreach_addcmul_(self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor],
                      value: Number | Sequence[Number] | Tensor = 1, *,
                      scalars: Sequence[Number] | Tensor | None = None) -> Sequence[Tensor]:
    """`addcmul` of each tensor of a list, in place."""
    return ternary("addcmul", "_", self, tensor1, tensor2, value, scalars)


def _foreach_addcdiv(self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor],
                     value: Number | Sequence[Number] | Tensor = 1, *,
                     scalars: Sequence[Number] | Tensor | None = None) -> Sequence[Tensor]:
    """`addcdiv` of each tensor of a list."""
    return ternary("addcdiv", "", self, tensor1, tensor2, value, scalars)


def _foreach_addcdiv_(self: Sequence[Tensor], tensor1: Sequence[Tensor], tensor2: Sequence[Tensor],
                      value: Number | Sequence[Number] | Tensor = 1, *,
                      scalars: Sequence[Number] | Tensor | None = None) -> Sequence[Tensor]:
    """`addcdiv` of each tensor of a list, in place."""
    return ternary("addcdiv", "_", self, tensor1, tensor2, value, scalars)


def _foreach_maximum(self: Sequence[Tensor] | Number,
                     other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`maximum` of each tensor of a list."""
    return pair(_MAXIMUM, "", self, other)


def _foreach_maximum_(self: Sequence[Tensor] | Number,
                      other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`maximum` of each tensor of a list, in place."""
    return pair(_MAXIMUM, "_", self, other)


def _foreach_minimum(self: Sequence[Tensor] | Number,
                     other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`minimum` of each tensor of a list."""
    return pair(_MINIMUM, "", self, other)


def _foreach_minimum_(self: Sequence[Tensor] | Number,
                      other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`minimum` of each tensor of a list, in place."""
    return pair(_MINIMUM, "_", self, other)


def _foreach_clamp_min(self: Sequence[Tensor] | Number,
                       other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`clamp_min` of each tensor of a list."""
    return pair(_CLAMP_MIN, "", self, other)


def _foreach_clamp_min_(self: Sequence[Tensor] | Number,
                        other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`clamp_min` of each tensor of a list, in place."""
    return pair(_CLAMP_MIN, "_", self, other)


def _foreach_clamp_max(self: Sequence[Tensor] | Number,
                       other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`clamp_max` of each tensor of a list."""
    return pair(_CLAMP_MAX, "", self, other)


def _foreach_clamp_max_(self: Sequence[Tensor] | Number,
                        other: Sequence[Tensor] | Sequence[Number] | Tensor | Number) -> Sequence[Tensor]:
    """`clamp_max` of each tensor of a list, in place."""
    return pair(_CLAMP_MAX, "_", self, other)


def _foreach_exp(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`exp` of each tensor of a list."""
    return each("exp", "", self)


def _foreach_exp_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`exp` of each tensor of a list, in place."""
    return each("exp", "_", self)


def _foreach_expm1(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`expm1` of each tensor of a list."""
    return each("expm1", "", self)


def _foreach_expm1_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`expm1` of each tensor of a list, in place."""
    return each("expm1", "_", self)


def _foreach_log(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`log` of each tensor of a list."""
    return each("log", "", self)


def _foreach_log_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`log` of each tensor of a list, in place."""
    return each("log", "_", self)


def _foreach_log2(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`log2` of each tensor of a list."""
    return each("log2", "", self)


def _foreach_log2_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`log2` of each tensor of a list, in place."""
    return each("log2", "_", self)


def _foreach_log10(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`log10` of each tensor of a list."""
    return each("log10", "", self)


def _foreach_log10_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`log10` of each tensor of a list, in place."""
    return each("log10", "_", self)


def _foreach_log1p(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`log1p` of each tensor of a list."""
    return each("log1p", "", self)


def _foreach_log1p_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`log1p` of each tensor of a list, in place."""
    return each("log1p", "_", self)


def _foreach_sqrt(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`sqrt` of each tensor of a list."""
    return each("sqrt", "", self)


def _foreach_sqrt_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`sqrt` of each tensor of a list, in place."""
    return each("sqrt", "_", self)


def _foreach_rsqrt(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`rsqrt` of each tensor of a list."""
    return each("rsqrt", "", self)


def _foreach_rsqrt_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`rsqrt` of each tensor of a list, in place."""
    return each("rsqrt", "_", self)


def _foreach_reciprocal(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`reciprocal` of each tensor of a list."""
    return each("reciprocal", "", self)


def _foreach_reciprocal_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`reciprocal` of each tensor of a list, in place."""
    return each("reciprocal", "_", self)


def _foreach_sin(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`sin` of each tensor of a list."""
    return each("sin", "", self)


def _foreach_sin_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`sin` of each tensor of a list, in place."""
    return each("sin", "_", self)


def _foreach_cos(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`cos` of each tensor of a list."""
    return each("cos", "", self)


def _foreach_cos_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`cos` of each tensor of a list, in place."""
    return each("cos", "_", self)


def _foreach_tan(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`tan` of each tensor of a list."""
    return each("tan", "", self)


def _foreach_tan_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`tan` of each tensor of a list, in place."""
    return each("tan", "_", self)


def _foreach_asin(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`asin` of each tensor of a list."""
    return each("asin", "", self)


def _foreach_asin_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`asin` of each tensor of a list, in place."""
    return each("asin", "_", self)


def _foreach_acos(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`acos` of each tensor of a list."""
    return each("acos", "", self)


def _foreach_acos_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`acos` of each tensor of a list, in place."""
    return each("acos", "_", self)


def _foreach_atan(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`atan` of each tensor of a list."""
    return each("atan", "", self)


def _foreach_atan_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`atan` of each tensor of a list, in place."""
    return each("atan", "_", self)


def _foreach_sinh(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`sinh` of each tensor of a list."""
    return each("sinh", "", self)


def _foreach_sinh_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`sinh` of each tensor of a list, in place."""
    return each("sinh", "_", self)


def _foreach_cosh(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`cosh` of each tensor of a list."""
    return each("cosh", "", self)


def _foreach_cosh_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`cosh` of each tensor of a list, in place."""
    return each("cosh", "_", self)


def _foreach_tanh(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`tanh` of each tensor of a list."""
    return each("tanh", "", self)


def _foreach_tanh_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`tanh` of each tensor of a list, in place."""
    return each("tanh", "_", self)


def _foreach_neg(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`neg` of each tensor of a list."""
    return each("neg", "", self)


def _foreach_neg_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`neg` of each tensor of a list, in place."""
    return each("neg", "_", self)


def _foreach_abs(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`abs` of each tensor of a list."""
    return each("abs", "", self)


def _foreach_abs_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`abs` of each tensor of a list, in place."""
    return each("abs", "_", self)


def _foreach_sign(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`sign` of each tensor of a list."""
    return each("sign", "", self)


def _foreach_sign_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`sign` of each tensor of a list, in place."""
    return each("sign", "_", self)


def _foreach_floor(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`floor` of each tensor of a list."""
    return each("floor", "", self)


def _foreach_floor_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`floor` of each tensor of a list, in place."""
    return each("floor", "_", self)


def _foreach_ceil(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`ceil` of each tensor of a list."""
    return each("ceil", "", self)


def _foreach_ceil_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`ceil` of each tensor of a list, in place."""
    return each("ceil", "_", self)


def _foreach_trunc(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`trunc` of each tensor of a list."""
    return each("trunc", "", self)


def _foreach_trunc_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`trunc` of each tensor of a list, in place."""
    return each("trunc", "_", self)


def _foreach_round(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`round` of each tensor of a list."""
    return each("round", "", self)


def _foreach_round_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`round` of each tensor of a list, in place."""
    return each("round", "_", self)


def _foreach_frac(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`frac` of each tensor of a list."""
    return each("frac", "", self)


def _foreach_frac_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`frac` of each tensor of a list, in place."""
    return each("frac", "_", self)


def _foreach_erf(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`erf` of each tensor of a list."""
    return each("erf", "", self)


def _foreach_erf_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`erf` of each tensor of a list, in place."""
    return each("erf", "_", self)


def _foreach_erfc(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`erfc` of each tensor of a list."""
    return each("erfc", "", self)


def _foreach_erfc_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`erfc` of each tensor of a list, in place."""
    return each("erfc", "_", self)


def _foreach_lgamma(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`lgamma` of each tensor of a list."""
    return each("lgamma", "", self)


def _foreach_lgamma_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`lgamma` of each tensor of a list, in place."""
    return each("lgamma", "_", self)


def _foreach_sigmoid(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`sigmoid` of each tensor of a list."""
    return each("sigmoid", "", self)


def _foreach_sigmoid_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """`sigmoid` of each tensor of a list, in place."""
    return each("sigmoid", "_", self)
