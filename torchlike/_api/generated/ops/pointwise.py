"""Pointwise operations: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike._api.arguments import ONE, integer, ints, numpys, static_number
from torchlike._api.generated import return_types
from torchlike._api.older_forms import older_form
from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind, unary
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor

_ADD = ROWS["add"]
_SUB = ROWS["sub"]
_RSUB_TENSOR = ROWS["rsub.Tensor"]
_RSUB_SCALAR = ROWS["rsub.Scalar"]
_MUL = ROWS["mul"]
_DIV = ROWS["div"]
_DIV_TENSOR_MODE = ROWS["div.Tensor_mode"]
_DIV_TENSOR_MODE_NONE = ROWS["div.Tensor_mode_none"]
_FLOOR_DIVIDE = ROWS["floor_divide"]
_REMAINDER_SCALAR = ROWS["remainder.Scalar"]
_REMAINDER_TENSOR = ROWS["remainder.Tensor"]
_FMOD_SCALAR = ROWS["fmod.Scalar"]
_FMOD_TENSOR = ROWS["fmod.Tensor"]
_POW_TENSOR_SCALAR = ROWS["pow.Tensor_Scalar"]
_POW_TENSOR_TENSOR = ROWS["pow.Tensor_Tensor"]
__POW_STATIC = ROWS["_pow_static"]
_ADDCMUL = ROWS["addcmul"]
_ADDCDIV = ROWS["addcdiv"]
_LERP_SCALAR = ROWS["lerp.Scalar"]
_LERP_TENSOR = ROWS["lerp.Tensor"]
_CLAMP = ROWS["clamp"]
_CLAMP_TENSOR = ROWS["clamp.Tensor"]
_CLAMP_MIN = ROWS["clamp_min"]
_CLAMP_MIN_TENSOR = ROWS["clamp_min.Tensor"]
_CLAMP_MAX = ROWS["clamp_max"]
_CLAMP_MAX_TENSOR = ROWS["clamp_max.Tensor"]
_ATAN2 = ROWS["atan2"]
_HYPOT = ROWS["hypot"]
_COPYSIGN = ROWS["copysign"]
_COPYSIGN_SCALAR = ROWS["copysign.Scalar"]
_XLOGY = ROWS["xlogy"]
_XLOGY_SCALAR_OTHER = ROWS["xlogy.Scalar_Other"]
_NEXTAFTER = ROWS["nextafter"]
_HEAVISIDE = ROWS["heaviside"]
_LDEXP = ROWS["ldexp"]
_GCD = ROWS["gcd"]
_LCM = ROWS["lcm"]
_FREXP_TENSOR = ROWS["frexp.Tensor"]
_HASH_TENSOR = ROWS["hash_tensor"]
_EXP = ROWS["exp"]
_EXP2 = ROWS["exp2"]
_EXPM1 = ROWS["expm1"]
_LOG = ROWS["log"]
_LOG2 = ROWS["log2"]
_LOG10 = ROWS["log10"]
_LOG1P = ROWS["log1p"]
_SQRT = ROWS["sqrt"]
_RSQRT = ROWS["rsqrt"]
_RECIPROCAL = ROWS["reciprocal"]
_SIN = ROWS["sin"]
_COS = ROWS["cos"]
_TAN = ROWS["tan"]
_ASIN = ROWS["asin"]
_ACOS = ROWS["acos"]
_ATAN = ROWS["atan"]
_SINH = ROWS["sinh"]
_COSH = ROWS["cosh"]
_TANH = ROWS["tanh"]
_ASINH = ROWS["asinh"]
_ACOSH = ROWS["acosh"]
_ATANH = ROWS["atanh"]
_NEG = ROWS["neg"]
_ABS = ROWS["abs"]
_SIGN = ROWS["sign"]
_SGN = ROWS["sgn"]
_CONJ_PHYSICAL = ROWS["conj_physical"]
_FLOOR = ROWS["floor"]
_CEIL = ROWS["ceil"]
_TRUNC = ROWS["trunc"]
_ROUND = ROWS["round"]
_ROUND_DECIMALS = ROWS["round.decimals"]
_FRAC = ROWS["frac"]
_DEG2RAD = ROWS["deg2rad"]
_RAD2DEG = ROWS["rad2deg"]
_NAN_TO_NUM = ROWS["nan_to_num"]
_LOGICAL_NOT = ROWS["logical_not"]
_BITWISE_NOT = ROWS["bitwise_not"]
_ERF = ROWS["erf"]
_ERFC = ROWS["erfc"]
_ERFINV = ROWS["erfinv"]
_LGAMMA = ROWS["lgamma"]
_DIGAMMA = ROWS["digamma"]
_POLYGAMMA = ROWS["polygamma"]
_SIGMOID = ROWS["sigmoid"]
_LOGIT = ROWS["logit"]
_SINC = ROWS["sinc"]
_I0 = ROWS["i0"]
_MVLGAMMA = ROWS["mvlgamma"]
_IGAMMA = ROWS["igamma"]
_IGAMMAC = ROWS["igammac"]
_record_add = binary(ROWS["add"])
_record_sub = binary(ROWS["sub"])
_record_rsub_Tensor = binary(ROWS["rsub.Tensor"])
_record_rsub_Scalar = binary(ROWS["rsub.Scalar"])
_record_mul = binary(ROWS["mul"])
_record_div = binary(ROWS["div"])
_record__zero_among = unary(ROWS["_zero_among"])
_record_div_Tensor_mode_none = binary(ROWS["div.Tensor_mode_none"])
_record_floor_divide = binary(ROWS["floor_divide"])
_record_remainder_Scalar = binary(ROWS["remainder.Scalar"])
_record_remainder_Tensor = binary(ROWS["remainder.Tensor"])
_record_remainder_Scalar_Tensor = binary(ROWS["remainder.Scalar_Tensor"])
_record_fmod_Scalar = binary(ROWS["fmod.Scalar"])
_record_fmod_Tensor = binary(ROWS["fmod.Tensor"])
_record_pow_Tensor_Scalar = binary(ROWS["pow.Tensor_Scalar"])
_record_pow_Tensor_Tensor = binary(ROWS["pow.Tensor_Tensor"])
_record_pow_Scalar = binary(ROWS["pow.Scalar"])
_record_maximum = binary(ROWS["maximum"])
_record_minimum = binary(ROWS["minimum"])
_record_fmax = binary(ROWS["fmax"])
_record_fmin = binary(ROWS["fmin"])
_record_clamp_min = binary(ROWS["clamp_min"])
_record_clamp_min_Tensor = binary(ROWS["clamp_min.Tensor"])
_record_clamp_max = binary(ROWS["clamp_max"])
_record_clamp_max_Tensor = binary(ROWS["clamp_max.Tensor"])
_record_atan2 = binary(ROWS["atan2"])
_record_hypot = binary(ROWS["hypot"])
_record_copysign = binary(ROWS["copysign"])
_record_copysign_Scalar = binary(ROWS["copysign.Scalar"])
_record_xlogy = binary(ROWS["xlogy"])
_record_xlogy_Scalar_Self = binary(ROWS["xlogy.Scalar_Self"])
_record_xlogy_Scalar_Other = binary(ROWS["xlogy.Scalar_Other"])
_record_logaddexp = binary(ROWS["logaddexp"])
_record_logaddexp2 = binary(ROWS["logaddexp2"])
_record_nextafter = binary(ROWS["nextafter"])
_record_heaviside = binary(ROWS["heaviside"])
_record_ldexp = binary(ROWS["ldexp"])
_record_gcd = binary(ROWS["gcd"])
_record_lcm = binary(ROWS["lcm"])
_record_exp = unary(ROWS["exp"])
_record_exp2 = unary(ROWS["exp2"])
_record_expm1 = unary(ROWS["expm1"])
_record_log = unary(ROWS["log"])
_record_log2 = unary(ROWS["log2"])
_record_log10 = unary(ROWS["log10"])
_record_log1p = unary(ROWS["log1p"])
_record_sqrt = unary(ROWS["sqrt"])
_record_rsqrt = unary(ROWS["rsqrt"])
_record_reciprocal = unary(ROWS["reciprocal"])
_record_sin = unary(ROWS["sin"])
_record_cos = unary(ROWS["cos"])
_record_tan = unary(ROWS["tan"])
_record_asin = unary(ROWS["asin"])
_record_acos = unary(ROWS["acos"])
_record_atan = unary(ROWS["atan"])
_record_sinh = unary(ROWS["sinh"])
_record_cosh = unary(ROWS["cosh"])
_record_tanh = unary(ROWS["tanh"])
_record_asinh = unary(ROWS["asinh"])
_record_acosh = unary(ROWS["acosh"])
_record_atanh = unary(ROWS["atanh"])
_record_neg = unary(ROWS["neg"])
_record_abs = unary(ROWS["abs"])
_record_sign = unary(ROWS["sign"])
_record_sgn = unary(ROWS["sgn"])
_record_conj_physical = unary(ROWS["conj_physical"])
_record_angle = unary(ROWS["angle"])
_record_floor = unary(ROWS["floor"])
_record_ceil = unary(ROWS["ceil"])
_record_trunc = unary(ROWS["trunc"])
_record_round = unary(ROWS["round"])
_record_frac = unary(ROWS["frac"])
_record_deg2rad = unary(ROWS["deg2rad"])
_record_rad2deg = unary(ROWS["rad2deg"])
_record_isnan = unary(ROWS["isnan"])
_record_isinf = unary(ROWS["isinf"])
_record_isfinite = unary(ROWS["isfinite"])
_record_isposinf = unary(ROWS["isposinf"])
_record_isneginf = unary(ROWS["isneginf"])
_record_signbit = unary(ROWS["signbit"])
_record_logical_not = unary(ROWS["logical_not"])
_record_bitwise_not = unary(ROWS["bitwise_not"])
_record_erf = unary(ROWS["erf"])
_record_erfc = unary(ROWS["erfc"])
_record_erfinv = unary(ROWS["erfinv"])
_record_lgamma = unary(ROWS["lgamma"])
_record_digamma = unary(ROWS["digamma"])
_record_sigmoid = unary(ROWS["sigmoid"])
_record_sinc = unary(ROWS["sinc"])
_record_i0 = unary(ROWS["i0"])
_record_igamma = binary(ROWS["igamma"])
_record_igammac = binary(ROWS["igammac"])


def add(self: Tensor | Number, other: Tensor | Number, *older: Any, alpha: Number = 1) -> Tensor:
    """`self` + `alpha` `other`."""
    if older:
        return older_form(add, _ADD, (self, other, *older))
    return _record_add(self, other) if alpha is ONE else bind(_ADD, (self, other), (None if alpha is ONE else alpha,))


def add_(input: Tensor, other: Tensor | Number, *older: Any, alpha: Number = 1) -> Tensor:
    """`add` in place."""
    if older:
        return older_form(add_, _ADD, (input, other, *older))
    return inplace(_ADD, (input, other), (None if alpha is ONE else alpha,))


def sub(self: Tensor | Number, other: Tensor | Number, *older: Any, alpha: Number = 1) -> Tensor:
    """`self` - `alpha` `other`."""
    if older:
        return older_form(sub, _SUB, (self, other, *older))
    return _record_sub(self, other) if alpha is ONE else bind(_SUB, (self, other), (None if alpha is ONE else alpha,))


def sub_(input: Tensor, other: Tensor | Number, *older: Any, alpha: Number = 1) -> Tensor:
    """`sub` in place."""
    if older:
        return older_form(sub_, _SUB, (input, other, *older))
    return inplace(_SUB, (input, other), (None if alpha is ONE else alpha,))


def rsub_Tensor(self: Tensor, other: Tensor | Number, *, alpha: Number = 1) -> Tensor:
    """`other` - `alpha` `self`."""
    return _record_rsub_Tensor(self, other) if alpha is ONE \
        else bind(_RSUB_TENSOR, (self, other), (None if alpha is ONE else alpha,))


def rsub_Scalar(self: Tensor, other: Tensor | Number, alpha: Number = 1) -> Tensor:
    """`other` - `alpha` `self`."""
    return _record_rsub_Scalar(self, other) if alpha is ONE \
        else bind(_RSUB_SCALAR, (self, other), (None if alpha is ONE else alpha,))


def mul(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The product, element by element."""
    return _record_mul(self, other)


def mul_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`mul` in place."""
    return inplace(_MUL, (input, other))


def div(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The quotient, element by element; of integers it is a float."""
    return _record_div(self, other)


def div_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`div` in place."""
    return inplace(_DIV, (input, other))


def _zero_among(self: Tensor) -> Tensor:
    """(whether there is a 0, 0): `deferred_checks.py` asks."""
    return _record__zero_among(self)


def div_Tensor_mode(self: Tensor | Number, other: Tensor | Number, *, rounding_mode: str | None) -> Tensor:
    """The quotient rounded down ("floor") or towards zero ("trunc")."""
    return bind(_DIV_TENSOR_MODE, (self, other), (), (rounding_mode,))


def div_Tensor_mode_(input: Tensor, other: Tensor | Number, *, rounding_mode: str | None) -> Tensor:
    """`div` in place."""
    return inplace(_DIV_TENSOR_MODE, (input, other), (), (rounding_mode,))


def div_Tensor_mode_none(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The quotient, element by element; of integers it is a float."""
    return _record_div_Tensor_mode_none(self, other)


def div_Tensor_mode_none_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`div` in place."""
    return inplace(_DIV_TENSOR_MODE_NONE, (input, other))


def floor_divide(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The quotient rounded down."""
    return _record_floor_divide(self, other)


def floor_divide_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`floor_divide` in place."""
    return inplace(_FLOOR_DIVIDE, (input, other))


def remainder_Scalar(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """What is left after division, with the sign of the divisor."""
    return _record_remainder_Scalar(self, other)


def remainder_Scalar_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`remainder` in place."""
    return inplace(_REMAINDER_SCALAR, (input, other))


def remainder_Tensor(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """What is left after division, with the sign of the divisor."""
    return _record_remainder_Tensor(self, other)


def remainder_Tensor_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`remainder` in place."""
    return inplace(_REMAINDER_TENSOR, (input, other))


def remainder_Scalar_Tensor(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """What is left after division, with the sign of the divisor."""
    return _record_remainder_Scalar_Tensor(self, other)


def fmod_Scalar(self: Tensor, other: Tensor | Number) -> Tensor:
    """What is left after division, with the sign of the dividend."""
    return _record_fmod_Scalar(self, other)


def fmod_Scalar_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`fmod` in place."""
    return inplace(_FMOD_SCALAR, (input, other))


def fmod_Tensor(self: Tensor, other: Tensor | Number) -> Tensor:
    """What is left after division, with the sign of the dividend."""
    return _record_fmod_Tensor(self, other)


def fmod_Tensor_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`fmod` in place."""
    return inplace(_FMOD_TENSOR, (input, other))


def pow_Tensor_Scalar(self: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """`self` to the power of `exponent`."""
    return _record_pow_Tensor_Scalar(self, exponent)


def pow_Tensor_Scalar_(input: Tensor, exponent: Tensor | Number) -> Tensor:
    """`pow` in place."""
    return inplace(_POW_TENSOR_SCALAR, (input, exponent))


def pow_Tensor_Tensor(self: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """`self` to the power of `exponent`."""
    return _record_pow_Tensor_Tensor(self, exponent)


def pow_Tensor_Tensor_(input: Tensor, exponent: Tensor | Number) -> Tensor:
    """`pow` in place."""
    return inplace(_POW_TENSOR_TENSOR, (input, exponent))


def pow_Scalar(self: Tensor | Number, exponent: Tensor | Number) -> Tensor:
    """`self` to the power of `exponent`."""
    return _record_pow_Scalar(self, exponent)


def _pow_static(self: Tensor, exponent: Number) -> Tensor:
    """PyTorch's operator `aten::_pow_static`."""
    return bind(__POW_STATIC, (self,), (), (static_number(exponent),))


def _pow_static_(input: Tensor, exponent: Number) -> Tensor:
    """`_pow_static` in place."""
    return inplace(__POW_STATIC, (input,), (), (static_number(exponent),))


def addcmul(self: Tensor, tensor1: Tensor, tensor2: Tensor, *older: Any, value: Number = 1) -> Tensor:
    """`self` + `value` `tensor1` `tensor2`."""
    if older:
        return older_form(addcmul, _ADDCMUL, (self, tensor1, tensor2, *older))
    return bind(_ADDCMUL, (self, tensor1, tensor2), (None if value is ONE else value,))


def addcmul_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *older: Any, value: Number = 1) -> Tensor:
    """`addcmul` in place."""
    if older:
        return older_form(addcmul_, _ADDCMUL, (input, tensor1, tensor2, *older))
    return inplace(_ADDCMUL, (input, tensor1, tensor2), (None if value is ONE else value,))


def addcdiv(self: Tensor, tensor1: Tensor, tensor2: Tensor, *older: Any, value: Number = 1) -> Tensor:
    """`self` + `value` `tensor1` / `tensor2`."""
    if older:
        return older_form(addcdiv, _ADDCDIV, (self, tensor1, tensor2, *older))
    return bind(_ADDCDIV, (self, tensor1, tensor2), (None if value is ONE else value,))


def addcdiv_(input: Tensor, tensor1: Tensor, tensor2: Tensor, *older: Any, value: Number = 1) -> Tensor:
    """`addcdiv` in place."""
    if older:
        return older_form(addcdiv_, _ADDCDIV, (input, tensor1, tensor2, *older))
    return inplace(_ADDCDIV, (input, tensor1, tensor2), (None if value is ONE else value,))


def lerp_Scalar(self: Tensor, end: Tensor, weight: Number) -> Tensor:
    """`self` + `weight` (`end` - `self`)."""
    return bind(_LERP_SCALAR, (self, end), (weight,))


def lerp_Scalar_(input: Tensor, end: Tensor, weight: Number) -> Tensor:
    """`lerp` in place."""
    return inplace(_LERP_SCALAR, (input, end), (weight,))


def lerp_Tensor(self: Tensor, end: Tensor, weight: Tensor) -> Tensor:
    """`self` + `weight` (`end` - `self`)."""
    return bind(_LERP_TENSOR, (self, end, weight))


def lerp_Tensor_(input: Tensor, end: Tensor, weight: Tensor) -> Tensor:
    """`lerp` in place."""
    return inplace(_LERP_TENSOR, (input, end, weight))


def maximum(self: Tensor, other: Tensor) -> Tensor:
    """The larger of two elements; NaN if either is."""
    return _record_maximum(self, other)


def minimum(self: Tensor, other: Tensor) -> Tensor:
    """The smaller of two elements; NaN if either is."""
    return _record_minimum(self, other)


def fmax(self: Tensor, other: Tensor) -> Tensor:
    """The larger of two elements, or the one that is not NaN."""
    return _record_fmax(self, other)


def fmin(self: Tensor, other: Tensor) -> Tensor:
    """The smaller of two elements, or the one that is not NaN."""
    return _record_fmin(self, other)


def clamp(self: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`self`, but not below `min` and not above `max`."""
    return bind(_CLAMP, (self, min, max))


def clamp_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`clamp` in place."""
    return inplace(_CLAMP, (input, min, max))


def clamp_Tensor(self: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`self`, but not below `min` and not above `max`."""
    return bind(_CLAMP_TENSOR, (self, min, max))


def clamp_Tensor_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`clamp` in place."""
    return inplace(_CLAMP_TENSOR, (input, min, max))


def clamp_min(self: Tensor, min: Tensor | Number) -> Tensor:
    """`self`, but not below `min`."""
    return _record_clamp_min(self, min)


def clamp_min_(input: Tensor, min: Tensor | Number) -> Tensor:
    """`clamp_min` in place."""
    return inplace(_CLAMP_MIN, (input, min))


def clamp_min_Tensor(self: Tensor, min: Tensor | Number) -> Tensor:
    """`self`, but not below `min`."""
    return _record_clamp_min_Tensor(self, min)


def clamp_min_Tensor_(input: Tensor, min: Tensor | Number) -> Tensor:
    """`clamp_min` in place."""
    return inplace(_CLAMP_MIN_TENSOR, (input, min))


def clamp_max(self: Tensor, max: Tensor | Number) -> Tensor:
    """`self`, but not above `max`."""
    return _record_clamp_max(self, max)


def clamp_max_(input: Tensor, max: Tensor | Number) -> Tensor:
    """`clamp_max` in place."""
    return inplace(_CLAMP_MAX, (input, max))


def clamp_max_Tensor(self: Tensor, max: Tensor | Number) -> Tensor:
    """`self`, but not above `max`."""
    return _record_clamp_max_Tensor(self, max)


def clamp_max_Tensor_(input: Tensor, max: Tensor | Number) -> Tensor:
    """`clamp_max` in place."""
    return inplace(_CLAMP_MAX_TENSOR, (input, max))


def atan2(self: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (`other`, `self`) in the plane."""
    return _record_atan2(self, other)


def atan2_(input: Tensor, other: Tensor) -> Tensor:
    """`atan2` in place."""
    return inplace(_ATAN2, (input, other))


def hypot(self: Tensor, other: Tensor) -> Tensor:
    """The square root of the sum of the squares."""
    return _record_hypot(self, other)


def hypot_(input: Tensor, other: Tensor) -> Tensor:
    """`hypot` in place."""
    return inplace(_HYPOT, (input, other))


def copysign(self: Tensor, other: Tensor | Number) -> Tensor:
    """The absolute value of `self` with the sign of `other`."""
    return _record_copysign(self, other)


def copysign_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`copysign` in place."""
    return inplace(_COPYSIGN, (input, other))


def copysign_Scalar(self: Tensor, other: Tensor | Number) -> Tensor:
    """The absolute value of `self` with the sign of `other`."""
    return _record_copysign_Scalar(self, other)


def copysign_Scalar_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`copysign` in place."""
    return inplace(_COPYSIGN_SCALAR, (input, other))


def xlogy(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """`self` log(`other`), and 0 where `self` is 0."""
    return _record_xlogy(self, other)


def xlogy_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`xlogy` in place."""
    return inplace(_XLOGY, (input, other))


def xlogy_Scalar_Self(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """`self` log(`other`), and 0 where `self` is 0."""
    return _record_xlogy_Scalar_Self(self, other)


def xlogy_Scalar_Other(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """`self` log(`other`), and 0 where `self` is 0."""
    return _record_xlogy_Scalar_Other(self, other)


def xlogy_Scalar_Other_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`xlogy` in place."""
    return inplace(_XLOGY_SCALAR_OTHER, (input, other))


def logaddexp(self: Tensor, other: Tensor) -> Tensor:
    """log(exp(`self`) + exp(`other`)) without overflow."""
    return _record_logaddexp(self, other)


def logaddexp2(self: Tensor, other: Tensor) -> Tensor:
    """The same as `logaddexp` to the base 2."""
    return _record_logaddexp2(self, other)


def nextafter(self: Tensor, other: Tensor) -> Tensor:
    """The next number after `self` in the direction of `other`."""
    return _record_nextafter(self, other)


def nextafter_(input: Tensor, other: Tensor) -> Tensor:
    """`nextafter` in place."""
    return inplace(_NEXTAFTER, (input, other))


def heaviside(self: Tensor, values: Tensor) -> Tensor:
    """0 for negative numbers, 1 for positive ones, `values` at 0."""
    return _record_heaviside(self, values)


def heaviside_(input: Tensor, values: Tensor) -> Tensor:
    """`heaviside` in place."""
    return inplace(_HEAVISIDE, (input, values))


def ldexp(self: Tensor, other: Tensor) -> Tensor:
    """`self` times 2 to the power of `other`."""
    return _record_ldexp(self, other)


def ldexp_(input: Tensor, other: Tensor) -> Tensor:
    """`ldexp` in place."""
    return inplace(_LDEXP, (input, other))


def gcd(self: Tensor, other: Tensor) -> Tensor:
    """The greatest common divisor."""
    return _record_gcd(self, other)


def gcd_(input: Tensor, other: Tensor) -> Tensor:
    """`gcd` in place."""
    return inplace(_GCD, (input, other))


def lcm(self: Tensor, other: Tensor) -> Tensor:
    """The least common multiple."""
    return _record_lcm(self, other)


def lcm_(input: Tensor, other: Tensor) -> Tensor:
    """`lcm` in place."""
    return inplace(_LCM, (input, other))


def frexp_Tensor(self: Tensor) -> return_types.frexp:
    """(mantissa in [0.5, 1), int32 exponent) with x = mantissa * 2 ** exponent; RuntimeError unless floating-point."""
    return return_types.frexp(*bind(_FREXP_TENSOR, (self,)))


def hash_tensor(self: Tensor, dim: int | Sequence[int] = (), *, keepdim: bool = False, mode: int = 0,
                axis: int | Sequence[int] | None = None, keepdims: bool | None = None) -> Tensor:
    """The exclusive or of all elements along `dim` (all dimensions if there is none), as uint64."""
    if axis is not None:
        dim = numpys("axis", dim, axis, ())
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    return bind(_HASH_TENSOR, (self,), (), (ints(dim), keepdim, integer(mode)))


def exp(self: Tensor) -> Tensor:
    """e to the power of each element."""
    return _record_exp(self)


def exp_(input: Tensor) -> Tensor:
    """`exp` in place."""
    return inplace(_EXP, (input,))


def exp2(self: Tensor) -> Tensor:
    """2 to the power of each element."""
    return _record_exp2(self)


def exp2_(input: Tensor) -> Tensor:
    """`exp2` in place."""
    return inplace(_EXP2, (input,))


def expm1(self: Tensor) -> Tensor:
    """exp(x) - 1, exact also near 0."""
    return _record_expm1(self)


def expm1_(input: Tensor) -> Tensor:
    """`expm1` in place."""
    return inplace(_EXPM1, (input,))


def log(self: Tensor) -> Tensor:
    """The natural logarithm."""
    return _record_log(self)


def log_(input: Tensor) -> Tensor:
    """`log` in place."""
    return inplace(_LOG, (input,))


def log2(self: Tensor) -> Tensor:
    """The logarithm to the base 2."""
    return _record_log2(self)


def log2_(input: Tensor) -> Tensor:
    """`log2` in place."""
    return inplace(_LOG2, (input,))


def log10(self: Tensor) -> Tensor:
    """The logarithm to the base 10."""
    return _record_log10(self)


def log10_(input: Tensor) -> Tensor:
    """`log10` in place."""
    return inplace(_LOG10, (input,))


def log1p(self: Tensor) -> Tensor:
    """log(1 + x), exact also near 0."""
    return _record_log1p(self)


def log1p_(input: Tensor) -> Tensor:
    """`log1p` in place."""
    return inplace(_LOG1P, (input,))


def sqrt(self: Tensor) -> Tensor:
    """The square root."""
    return _record_sqrt(self)


def sqrt_(input: Tensor) -> Tensor:
    """`sqrt` in place."""
    return inplace(_SQRT, (input,))


def rsqrt(self: Tensor) -> Tensor:
    """1 / sqrt(x)."""
    return _record_rsqrt(self)


def rsqrt_(input: Tensor) -> Tensor:
    """`rsqrt` in place."""
    return inplace(_RSQRT, (input,))


def reciprocal(self: Tensor) -> Tensor:
    """1 / x."""
    return _record_reciprocal(self)


def reciprocal_(input: Tensor) -> Tensor:
    """`reciprocal` in place."""
    return inplace(_RECIPROCAL, (input,))


def sin(self: Tensor) -> Tensor:
    """The sine."""
    return _record_sin(self)


def sin_(input: Tensor) -> Tensor:
    """`sin` in place."""
    return inplace(_SIN, (input,))


def cos(self: Tensor) -> Tensor:
    """The cosine."""
    return _record_cos(self)


def cos_(input: Tensor) -> Tensor:
    """`cos` in place."""
    return inplace(_COS, (input,))


def tan(self: Tensor) -> Tensor:
    """The tangent."""
    return _record_tan(self)


def tan_(input: Tensor) -> Tensor:
    """`tan` in place."""
    return inplace(_TAN, (input,))


def asin(self: Tensor) -> Tensor:
    """The inverse of the sine."""
    return _record_asin(self)


def asin_(input: Tensor) -> Tensor:
    """`asin` in place."""
    return inplace(_ASIN, (input,))


def acos(self: Tensor) -> Tensor:
    """The inverse of the cosine."""
    return _record_acos(self)


def acos_(input: Tensor) -> Tensor:
    """`acos` in place."""
    return inplace(_ACOS, (input,))


def atan(self: Tensor) -> Tensor:
    """The inverse of the tangent."""
    return _record_atan(self)


def atan_(input: Tensor) -> Tensor:
    """`atan` in place."""
    return inplace(_ATAN, (input,))


def sinh(self: Tensor) -> Tensor:
    """The hyperbolic sine."""
    return _record_sinh(self)


def sinh_(input: Tensor) -> Tensor:
    """`sinh` in place."""
    return inplace(_SINH, (input,))


def cosh(self: Tensor) -> Tensor:
    """The hyperbolic cosine."""
    return _record_cosh(self)


def cosh_(input: Tensor) -> Tensor:
    """`cosh` in place."""
    return inplace(_COSH, (input,))


def tanh(self: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return _record_tanh(self)


def tanh_(input: Tensor) -> Tensor:
    """`tanh` in place."""
    return inplace(_TANH, (input,))


def asinh(self: Tensor) -> Tensor:
    """The inverse of the hyperbolic sine."""
    return _record_asinh(self)


def asinh_(input: Tensor) -> Tensor:
    """`asinh` in place."""
    return inplace(_ASINH, (input,))


def acosh(self: Tensor) -> Tensor:
    """The inverse of the hyperbolic cosine."""
    return _record_acosh(self)


def acosh_(input: Tensor) -> Tensor:
    """`acosh` in place."""
    return inplace(_ACOSH, (input,))


def atanh(self: Tensor) -> Tensor:
    """The inverse of the hyperbolic tangent."""
    return _record_atanh(self)


def atanh_(input: Tensor) -> Tensor:
    """`atanh` in place."""
    return inplace(_ATANH, (input,))


def neg(self: Tensor) -> Tensor:
    """-x."""
    return _record_neg(self)


def neg_(input: Tensor) -> Tensor:
    """`neg` in place."""
    return inplace(_NEG, (input,))


def abs(self: Tensor) -> Tensor:
    """The absolute value."""
    return _record_abs(self)


def abs_(input: Tensor) -> Tensor:
    """`abs` in place."""
    return inplace(_ABS, (input,))


def sign(self: Tensor) -> Tensor:
    """1, 0 or -1: the sign of each element."""
    return _record_sign(self)


def sign_(input: Tensor) -> Tensor:
    """`sign` in place."""
    return inplace(_SIGN, (input,))


def sgn(self: Tensor) -> Tensor:
    """x / |x|, and 0 at 0 and NaN, as PyTorch has it; its derivative is finite everywhere."""
    return _record_sgn(self)


def sgn_(input: Tensor) -> Tensor:
    """`sgn` in place."""
    return inplace(_SGN, (input,))


def conj_physical(self: Tensor) -> Tensor:
    """The complex conjugate, computed at once."""
    return _record_conj_physical(self)


def conj_physical_(input: Tensor) -> Tensor:
    """`conj_physical` in place."""
    return inplace(_CONJ_PHYSICAL, (input,))


def angle(self: Tensor) -> Tensor:
    """The angle of a complex number; of a real one 0, or pi where it is negative."""
    return _record_angle(self)


def floor(self: Tensor) -> Tensor:
    """The largest whole number that is not above x."""
    return _record_floor(self)


def floor_(input: Tensor) -> Tensor:
    """`floor` in place."""
    return inplace(_FLOOR, (input,))


def ceil(self: Tensor) -> Tensor:
    """The smallest whole number that is not below x."""
    return _record_ceil(self)


def ceil_(input: Tensor) -> Tensor:
    """`ceil` in place."""
    return inplace(_CEIL, (input,))


def trunc(self: Tensor) -> Tensor:
    """x without its fraction."""
    return _record_trunc(self)


def trunc_(input: Tensor) -> Tensor:
    """`trunc` in place."""
    return inplace(_TRUNC, (input,))


def round(self: Tensor) -> Tensor:
    """The nearest whole number, the even one at a half."""
    return _record_round(self)


def round_(input: Tensor) -> Tensor:
    """`round` in place."""
    return inplace(_ROUND, (input,))


def round_decimals(self: Tensor, *, decimals: int) -> Tensor:
    """x rounded to `decimals` digits after the point."""
    return bind(_ROUND_DECIMALS, (self,), (), (integer(decimals),))


def round_decimals_(input: Tensor, *, decimals: int) -> Tensor:
    """`round` in place."""
    return inplace(_ROUND_DECIMALS, (input,), (), (integer(decimals),))


def frac(self: Tensor) -> Tensor:
    """x minus x without its fraction."""
    return _record_frac(self)


def frac_(input: Tensor) -> Tensor:
    """`frac` in place."""
    return inplace(_FRAC, (input,))


def deg2rad(self: Tensor) -> Tensor:
    """Degrees as radians."""
    return _record_deg2rad(self)


def deg2rad_(input: Tensor) -> Tensor:
    """`deg2rad` in place."""
    return inplace(_DEG2RAD, (input,))


def rad2deg(self: Tensor) -> Tensor:
    """Radians as degrees."""
    return _record_rad2deg(self)


def rad2deg_(input: Tensor) -> Tensor:
    """`rad2deg` in place."""
    return inplace(_RAD2DEG, (input,))


def nan_to_num(self: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """`self` with finite numbers in the place of NaN and of the infinities."""
    return bind(_NAN_TO_NUM, (self,), (nan, posinf, neginf))


def nan_to_num_(input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Tensor:
    """`nan_to_num` in place."""
    return inplace(_NAN_TO_NUM, (input,), (nan, posinf, neginf))


def isnan(self: Tensor) -> Tensor:
    """Whether the element is NaN."""
    return _record_isnan(self)


def isinf(self: Tensor) -> Tensor:
    """Whether the element is infinite."""
    return _record_isinf(self)


def isfinite(self: Tensor) -> Tensor:
    """Whether the element is neither infinite nor NaN."""
    return _record_isfinite(self)


def isposinf(self: Tensor) -> Tensor:
    """Whether the element is positive infinity."""
    return _record_isposinf(self)


def isneginf(self: Tensor) -> Tensor:
    """Whether the element is negative infinity."""
    return _record_isneginf(self)


def signbit(self: Tensor) -> Tensor:
    """Whether the sign bit is set, also that of -0.0."""
    return _record_signbit(self)


def logical_not(self: Tensor) -> Tensor:
    """Whether the element is zero."""
    return _record_logical_not(self)


def logical_not_(input: Tensor) -> Tensor:
    """`logical_not` in place."""
    return inplace(_LOGICAL_NOT, (input,))


def bitwise_not(self: Tensor) -> Tensor:
    """The integer with all bits flipped."""
    return _record_bitwise_not(self)


def bitwise_not_(input: Tensor) -> Tensor:
    """`bitwise_not` in place."""
    return inplace(_BITWISE_NOT, (input,))


def erf(self: Tensor) -> Tensor:
    """The error function."""
    return _record_erf(self)


def erf_(input: Tensor) -> Tensor:
    """`erf` in place."""
    return inplace(_ERF, (input,))


def erfc(self: Tensor) -> Tensor:
    """1 minus the error function."""
    return _record_erfc(self)


def erfc_(input: Tensor) -> Tensor:
    """`erfc` in place."""
    return inplace(_ERFC, (input,))


def erfinv(self: Tensor) -> Tensor:
    """The inverse of the error function."""
    return _record_erfinv(self)


def erfinv_(input: Tensor) -> Tensor:
    """`erfinv` in place."""
    return inplace(_ERFINV, (input,))


def lgamma(self: Tensor) -> Tensor:
    """The logarithm of the gamma function's absolute value."""
    return _record_lgamma(self)


def lgamma_(input: Tensor) -> Tensor:
    """`lgamma` in place."""
    return inplace(_LGAMMA, (input,))


def digamma(self: Tensor) -> Tensor:
    """The derivative of the logarithm of the gamma function."""
    return _record_digamma(self)


def digamma_(input: Tensor) -> Tensor:
    """`digamma` in place."""
    return inplace(_DIGAMMA, (input,))


def polygamma(n: int, self: Tensor) -> Tensor:
    """The `n`-th derivative of `digamma`."""
    return bind(_POLYGAMMA, (self,), (), (integer(n),))


def sigmoid(self: Tensor) -> Tensor:
    """1 / (1 + exp(-x))."""
    return _record_sigmoid(self)


def sigmoid_(input: Tensor) -> Tensor:
    """`sigmoid` in place."""
    return inplace(_SIGMOID, (input,))


def logit(self: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 - x)), with x moved to between `eps` and 1 - `eps`."""
    return bind(_LOGIT, (self,), (eps,))


def logit_(input: Tensor, eps: float | None = None) -> Tensor:
    """`logit` in place."""
    return inplace(_LOGIT, (input,), (eps,))


def sinc(self: Tensor) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0."""
    return _record_sinc(self)


def sinc_(input: Tensor) -> Tensor:
    """`sinc` in place."""
    return inplace(_SINC, (input,))


def i0(self: Tensor) -> Tensor:
    """The modified Bessel function of the first kind, of order 0."""
    return _record_i0(self)


def i0_(input: Tensor) -> Tensor:
    """`i0` in place."""
    return inplace(_I0, (input,))


def mvlgamma(self: Tensor, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`."""
    return bind(_MVLGAMMA, (self,), (), (integer(p),))


def mvlgamma_(input: Tensor, p: int) -> Tensor:
    """`mvlgamma` in place."""
    return inplace(_MVLGAMMA, (input,), (), (integer(p),))


def igamma(self: Tensor, other: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function."""
    return _record_igamma(self, other)


def igamma_(input: Tensor, other: Tensor) -> Tensor:
    """`igamma` in place."""
    return inplace(_IGAMMA, (input, other))


def igammac(self: Tensor, other: Tensor) -> Tensor:
    """The regularized upper incomplete gamma function."""
    return _record_igammac(self, other)


def igammac_(input: Tensor, other: Tensor) -> Tensor:
    """`igammac` in place."""
    return inplace(_IGAMMAC, (input, other))


def subtract(self: Tensor | Number, other: Tensor | Number, *older: Any, alpha: Number = 1) -> Tensor:
    """`self` - `alpha` `other`."""
    if older:
        return older_form(subtract, _SUB, (self, other, *older))
    return _record_sub(self, other) if alpha is ONE else bind(_SUB, (self, other), (None if alpha is ONE else alpha,))


def multiply(self: Tensor | Number, other: Tensor | Number) -> Tensor:
    """The product, element by element."""
    return _record_mul(self, other)


def arctan2(self: Tensor, other: Tensor) -> Tensor:
    """The angle of the point (`other`, `self`) in the plane."""
    return _record_atan2(self, other)


def frexp(self: Tensor) -> return_types.frexp:
    """(mantissa in [0.5, 1), int32 exponent) with x = mantissa * 2 ** exponent; RuntimeError unless floating-point."""
    return return_types.frexp(*bind(_FREXP_TENSOR, (self,)))


def arcsin(self: Tensor) -> Tensor:
    """The inverse of the sine."""
    return _record_asin(self)


def arccos(self: Tensor) -> Tensor:
    """The inverse of the cosine."""
    return _record_acos(self)


def arctan(self: Tensor) -> Tensor:
    """The inverse of the tangent."""
    return _record_atan(self)


def arcsinh(self: Tensor) -> Tensor:
    """The inverse of the hyperbolic sine."""
    return _record_asinh(self)


def arccosh(self: Tensor) -> Tensor:
    """The inverse of the hyperbolic cosine."""
    return _record_acosh(self)


def arctanh(self: Tensor) -> Tensor:
    """The inverse of the hyperbolic tangent."""
    return _record_atanh(self)


def negative(self: Tensor) -> Tensor:
    """-x."""
    return _record_neg(self)


def absolute(self: Tensor) -> Tensor:
    """The absolute value."""
    return _record_abs(self)


def fix(self: Tensor) -> Tensor:
    """x without its fraction."""
    return _record_trunc(self)


def subtract_(input: Tensor, other: Tensor | Number, *older: Any, alpha: Number = 1) -> Tensor:
    """`sub` in place."""
    if older:
        return older_form(subtract_, _SUB, (input, other, *older))
    return inplace(_SUB, (input, other), (None if alpha is ONE else alpha,))


def multiply_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`mul` in place."""
    return inplace(_MUL, (input, other))


def arctan2_(input: Tensor, other: Tensor) -> Tensor:
    """`atan2` in place."""
    return inplace(_ATAN2, (input, other))


def arcsin_(input: Tensor) -> Tensor:
    """`asin` in place."""
    return inplace(_ASIN, (input,))


def arccos_(input: Tensor) -> Tensor:
    """`acos` in place."""
    return inplace(_ACOS, (input,))


def arctan_(input: Tensor) -> Tensor:
    """`atan` in place."""
    return inplace(_ATAN, (input,))


def arcsinh_(input: Tensor) -> Tensor:
    """`asinh` in place."""
    return inplace(_ASINH, (input,))


def arccosh_(input: Tensor) -> Tensor:
    """`acosh` in place."""
    return inplace(_ACOSH, (input,))


def arctanh_(input: Tensor) -> Tensor:
    """`atanh` in place."""
    return inplace(_ATANH, (input,))


def negative_(input: Tensor) -> Tensor:
    """`neg` in place."""
    return inplace(_NEG, (input,))


def absolute_(input: Tensor) -> Tensor:
    """`abs` in place."""
    return inplace(_ABS, (input,))


def fix_(input: Tensor) -> Tensor:
    """`trunc` in place."""
    return inplace(_TRUNC, (input,))


__all__ = [
    "add",
    "add_",
    "sub",
    "sub_",
    "rsub_Tensor",
    "rsub_Scalar",
    "mul",
    "mul_",
    "div",
    "div_",
    "_zero_among",
    "div_Tensor_mode",
    "div_Tensor_mode_",
    "div_Tensor_mode_none",
    "div_Tensor_mode_none_",
    "floor_divide",
    "floor_divide_",
    "remainder_Scalar",
    "remainder_Scalar_",
    "remainder_Tensor",
    "remainder_Tensor_",
    "remainder_Scalar_Tensor",
    "fmod_Scalar",
    "fmod_Scalar_",
    "fmod_Tensor",
    "fmod_Tensor_",
    "pow_Tensor_Scalar",
    "pow_Tensor_Scalar_",
    "pow_Tensor_Tensor",
    "pow_Tensor_Tensor_",
    "pow_Scalar",
    "_pow_static",
    "_pow_static_",
    "addcmul",
    "addcmul_",
    "addcdiv",
    "addcdiv_",
    "lerp_Scalar",
    "lerp_Scalar_",
    "lerp_Tensor",
    "lerp_Tensor_",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "clamp",
    "clamp_",
    "clamp_Tensor",
    "clamp_Tensor_",
    "clamp_min",
    "clamp_min_",
    "clamp_min_Tensor",
    "clamp_min_Tensor_",
    "clamp_max",
    "clamp_max_",
    "clamp_max_Tensor",
    "clamp_max_Tensor_",
    "atan2",
    "atan2_",
    "hypot",
    "hypot_",
    "copysign",
    "copysign_",
    "copysign_Scalar",
    "copysign_Scalar_",
    "xlogy",
    "xlogy_",
    "xlogy_Scalar_Self",
    "xlogy_Scalar_Other",
    "xlogy_Scalar_Other_",
    "logaddexp",
    "logaddexp2",
    "nextafter",
    "nextafter_",
    "heaviside",
    "heaviside_",
    "ldexp",
    "ldexp_",
    "gcd",
    "gcd_",
    "lcm",
    "lcm_",
    "frexp_Tensor",
    "hash_tensor",
    "exp",
    "exp_",
    "exp2",
    "exp2_",
    "expm1",
    "expm1_",
    "log",
    "log_",
    "log2",
    "log2_",
    "log10",
    "log10_",
    "log1p",
    "log1p_",
    "sqrt",
    "sqrt_",
    "rsqrt",
    "rsqrt_",
    "reciprocal",
    "reciprocal_",
    "sin",
    "sin_",
    "cos",
    "cos_",
    "tan",
    "tan_",
    "asin",
    "asin_",
    "acos",
    "acos_",
    "atan",
    "atan_",
    "sinh",
    "sinh_",
    "cosh",
    "cosh_",
    "tanh",
    "tanh_",
    "asinh",
    "asinh_",
    "acosh",
    "acosh_",
    "atanh",
    "atanh_",
    "neg",
    "neg_",
    "abs",
    "abs_",
    "sign",
    "sign_",
    "sgn",
    "sgn_",
    "conj_physical",
    "conj_physical_",
    "angle",
    "floor",
    "floor_",
    "ceil",
    "ceil_",
    "trunc",
    "trunc_",
    "round",
    "round_",
    "round_decimals",
    "round_decimals_",
    "frac",
    "frac_",
    "deg2rad",
    "deg2rad_",
    "rad2deg",
    "rad2deg_",
    "nan_to_num",
    "nan_to_num_",
    "isnan",
    "isinf",
    "isfinite",
    "isposinf",
    "isneginf",
    "signbit",
    "logical_not",
    "logical_not_",
    "bitwise_not",
    "bitwise_not_",
    "erf",
    "erf_",
    "erfc",
    "erfc_",
    "erfinv",
    "erfinv_",
    "lgamma",
    "lgamma_",
    "digamma",
    "digamma_",
    "polygamma",
    "sigmoid",
    "sigmoid_",
    "logit",
    "logit_",
    "sinc",
    "sinc_",
    "i0",
    "i0_",
    "mvlgamma",
    "mvlgamma_",
    "igamma",
    "igamma_",
    "igammac",
    "igammac_",
    "subtract",
    "multiply",
    "arctan2",
    "frexp",
    "arcsin",
    "arccos",
    "arctan",
    "arcsinh",
    "arccosh",
    "arctanh",
    "negative",
    "absolute",
    "fix",
    "subtract_",
    "multiply_",
    "arctan2_",
    "arcsin_",
    "arccos_",
    "arctan_",
    "arcsinh_",
    "arccosh_",
    "arctanh_",
    "negative_",
    "absolute_",
    "fix_",
]
