"""Pointwise operations: functions of the torch namespace.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchlike._api.arguments import ONE, integer, ints, numpys
from torchlike._api.generated import return_types
from torchlike._api.older_forms import older_form
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind, unary
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor

_ADD = ROWS["add"]
_SUB = ROWS["sub"]
_ADDCMUL = ROWS["addcmul"]
_ADDCDIV = ROWS["addcdiv"]
_LERP_SCALAR = ROWS["lerp.Scalar"]
_LERP_TENSOR = ROWS["lerp.Tensor"]
_CLAMP = ROWS["clamp"]
_CLAMP_TENSOR = ROWS["clamp.Tensor"]
_FREXP_TENSOR = ROWS["frexp.Tensor"]
_HASH_TENSOR = ROWS["hash_tensor"]
_ROUND_DECIMALS = ROWS["round.decimals"]
_NAN_TO_NUM = ROWS["nan_to_num"]
_POLYGAMMA = ROWS["polygamma"]
_LOGIT = ROWS["logit"]
_MVLGAMMA = ROWS["mvlgamma"]
_REMAINDER_SCALAR = ROWS["remainder.Scalar"]
_REMAINDER_TENSOR = ROWS["remainder.Tensor"]
_FMOD_SCALAR = ROWS["fmod.Scalar"]
_FMOD_TENSOR = ROWS["fmod.Tensor"]
_CLAMP_MIN = ROWS["clamp_min"]
_CLAMP_MIN_TENSOR = ROWS["clamp_min.Tensor"]
_CLAMP_MAX = ROWS["clamp_max"]
_CLAMP_MAX_TENSOR = ROWS["clamp_max.Tensor"]
_COPYSIGN = ROWS["copysign"]
_COPYSIGN_SCALAR = ROWS["copysign.Scalar"]
_XLOGY = ROWS["xlogy"]
_XLOGY_SCALAR_OTHER = ROWS["xlogy.Scalar_Other"]
_ROUND = ROWS["round"]
_record_add = binary(ROWS["add"])
_record_sub = binary(ROWS["sub"])
_record_mul = binary(ROWS["mul"])
_record_floor_divide = binary(ROWS["floor_divide"])
_record_remainder_Scalar_Tensor = binary(ROWS["remainder.Scalar_Tensor"])
_record_remainder_Scalar = binary(ROWS["remainder.Scalar"])
_record_remainder_Tensor = binary(ROWS["remainder.Tensor"])
_record_fmod_Scalar = binary(ROWS["fmod.Scalar"])
_record_fmod_Tensor = binary(ROWS["fmod.Tensor"])
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
_record_copysign_Scalar = binary(ROWS["copysign.Scalar"])
_record_copysign = binary(ROWS["copysign"])
_record_xlogy_Scalar_Self = binary(ROWS["xlogy.Scalar_Self"])
_record_xlogy_Scalar_Other = binary(ROWS["xlogy.Scalar_Other"])
_record_xlogy = binary(ROWS["xlogy"])
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


def add(input: Tensor | Number, other: Tensor | Number, *older: Any, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """`self` + `alpha` `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        alpha: a factor of the second operand.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.add.html
    """
    if older:
        return older_form(add, _ADD, (input, other, *older), out=out)
    if out is not None:
        return written(out, "add", (input, other), add, input, other, alpha=alpha)
    return _record_add(input, other) if alpha is ONE else bind(_ADD, (input, other), (None if alpha is ONE else alpha,))


def sub(input: Tensor | Number, other: Tensor | Number, *older: Any, alpha: Number = 1, out: Tensor | None = None) -> Tensor:
    """`self` - `alpha` `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        alpha: a factor of the second operand.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.sub.html
    """
    if older:
        return older_form(sub, _SUB, (input, other, *older), out=out)
    if out is not None:
        return written(out, "sub", (input, other), sub, input, other, alpha=alpha)
    return _record_sub(input, other) if alpha is ONE else bind(_SUB, (input, other), (None if alpha is ONE else alpha,))


def subtract(input: Tensor | Number, other: Tensor | Number, *older: Any, alpha: Number = 1,
             out: Tensor | None = None) -> Tensor:
    """Another name of `torch.sub`: `self` - `alpha` `other`."""
    if older:
        return older_form(subtract, _SUB, (input, other, *older), out=out)
    if out is not None:
        return written(out, "sub", (input, other), subtract, input, other, alpha=alpha)
    return _record_sub(input, other) if alpha is ONE else bind(_SUB, (input, other), (None if alpha is ONE else alpha,))


def mul(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The product, element by element.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.mul.html
    """
    if out is not None:
        return written(out, "mul", (input, other), mul, input, other)
    return _record_mul(input, other)


def multiply(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.mul`: the product, element by element."""
    if out is not None:
        return written(out, "mul", (input, other), multiply, input, other)
    return _record_mul(input, other)


def floor_divide(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The quotient rounded down.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.floor_divide.html
    """
    if out is not None:
        return written(out, "floor_divide", (input, other), floor_divide, input, other)
    return _record_floor_divide(input, other)


def remainder(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """What is left after division, with the sign of the divisor.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.remainder.html
    """
    if out is not None:
        return written(out, "remainder", (input, other), remainder, input, other)
    if not isinstance(input, Tensor):
        return _record_remainder_Scalar_Tensor(input, other)
    if not isinstance(other, Tensor):
        return _record_remainder_Scalar(input, other)
    return _record_remainder_Tensor(input, other)


def fmod(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """What is left after division, with the sign of the dividend.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.fmod.html
    """
    if out is not None:
        return written(out, "fmod", (input, other), fmod, input, other)
    if not isinstance(other, Tensor):
        return _record_fmod_Scalar(input, other)
    return _record_fmod_Tensor(input, other)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *older: Any, value: Number = 1,
            out: Tensor | None = None) -> Tensor:
    """`self` + `value` `tensor1` `tensor2`.

    Args:
        input: Tensor of any shape.
        tensor1: the first factor.
        tensor2: the second factor.
        value: a factor, or what is written.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.addcmul.html
    """
    if older:
        return older_form(addcmul, _ADDCMUL, (input, tensor1, tensor2, *older), out=out)
    if out is not None:
        return written(out, "addcmul", (input, tensor1, tensor2), addcmul, input, tensor1, tensor2, value=value)
    return bind(_ADDCMUL, (input, tensor1, tensor2), (None if value is ONE else value,))


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *older: Any, value: Number = 1,
            out: Tensor | None = None) -> Tensor:
    """`self` + `value` `tensor1` / `tensor2`.

    Args:
        input: Tensor of any shape.
        tensor1: the first factor.
        tensor2: the second factor.
        value: a factor, or what is written.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.addcdiv.html
    """
    if older:
        return older_form(addcdiv, _ADDCDIV, (input, tensor1, tensor2, *older), out=out)
    if out is not None:
        return written(out, "addcdiv", (input, tensor1, tensor2), addcdiv, input, tensor1, tensor2, value=value)
    return bind(_ADDCDIV, (input, tensor1, tensor2), (None if value is ONE else value,))


def lerp(input: Tensor, end: Tensor, weight: Number | Tensor, *, out: Tensor | None = None) -> Tensor:
    """`self` + `weight` (`end` - `self`).

    Args:
        input: Tensor of any shape.
        end: where it ends.
        weight: the weights.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.lerp.html
    """
    if out is not None:
        return written(out, "lerp", (input, end), lerp, input, end, weight)
    if not isinstance(weight, Tensor):
        return bind(_LERP_SCALAR, (input, end), (weight,))
    return bind(_LERP_TENSOR, (input, end, weight))


def maximum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two elements; NaN if either is.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.maximum.html
    """
    if out is not None:
        return written(out, "maximum", (input, other), maximum, input, other)
    return _record_maximum(input, other)


def minimum(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two elements; NaN if either is.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.minimum.html
    """
    if out is not None:
        return written(out, "minimum", (input, other), minimum, input, other)
    return _record_minimum(input, other)


def fmax(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The larger of two elements, or the one that is not NaN.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.fmax.html
    """
    if out is not None:
        return written(out, "fmax", (input, other), fmax, input, other)
    return _record_fmax(input, other)


def fmin(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smaller of two elements, or the one that is not NaN.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.fmin.html
    """
    if out is not None:
        return written(out, "fmin", (input, other), fmin, input, other)
    return _record_fmin(input, other)


def clamp(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None, *,
          out: Tensor | None = None) -> Tensor:
    """`self`, but not below `min` and not above `max`.

    Args:
        input: Tensor of any shape.
        min: the lower bound, or None.
        max: the upper bound, or None.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.clamp.html
    """
    if out is not None:
        return written(out, "clamp", (input, min, max), clamp, input, min, max)
    if not isinstance(min, Tensor) and not isinstance(max, Tensor):
        return bind(_CLAMP, (input, min, max))
    return bind(_CLAMP_TENSOR, (input, min, max))


def clip(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None, *,
         out: Tensor | None = None) -> Tensor:
    """Another name of `torch.clamp`: `self`, but not below `min` and not above `max`."""
    if out is not None:
        return written(out, "clamp", (input, min, max), clip, input, min, max)
    if not isinstance(min, Tensor) and not isinstance(max, Tensor):
        return bind(_CLAMP, (input, min, max))
    return bind(_CLAMP_TENSOR, (input, min, max))


def clamp_min(input: Tensor, min: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`self`, but not below `min`.

    Args:
        input: Tensor of any shape.
        min: the lower bound, or None.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.clamp_min.html
    """
    if out is not None:
        return written(out, "clamp_min", (input, min), clamp_min, input, min)
    if not isinstance(min, Tensor):
        return _record_clamp_min(input, min)
    return _record_clamp_min_Tensor(input, min)


def clamp_max(input: Tensor, max: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`self`, but not above `max`.

    Args:
        input: Tensor of any shape.
        max: the upper bound, or None.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.clamp_max.html
    """
    if out is not None:
        return written(out, "clamp_max", (input, max), clamp_max, input, max)
    if not isinstance(max, Tensor):
        return _record_clamp_max(input, max)
    return _record_clamp_max_Tensor(input, max)


def atan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of the point (`other`, `self`) in the plane.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.atan2.html
    """
    if out is not None:
        return written(out, "atan2", (input, other), atan2, input, other)
    return _record_atan2(input, other)


def arctan2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.atan2`: the angle of the point (`other`, `self`) in the plane."""
    if out is not None:
        return written(out, "atan2", (input, other), arctan2, input, other)
    return _record_atan2(input, other)


def hypot(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root of the sum of the squares.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.hypot.html
    """
    if out is not None:
        return written(out, "hypot", (input, other), hypot, input, other)
    return _record_hypot(input, other)


def copysign(input: Tensor, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """The absolute value of `self` with the sign of `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.copysign.html
    """
    if out is not None:
        return written(out, "copysign", (input, other), copysign, input, other)
    if not isinstance(other, Tensor):
        return _record_copysign_Scalar(input, other)
    return _record_copysign(input, other)


def xlogy(input: Tensor | Number, other: Tensor | Number, *, out: Tensor | None = None) -> Tensor:
    """`self` log(`other`), and 0 where `self` is 0.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.xlogy.html
    """
    if out is not None:
        return written(out, "xlogy", (input, other), xlogy, input, other)
    if not isinstance(input, Tensor):
        return _record_xlogy_Scalar_Self(input, other)
    if not isinstance(other, Tensor):
        return _record_xlogy_Scalar_Other(input, other)
    return _record_xlogy(input, other)


def logaddexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(exp(`self`) + exp(`other`)) without overflow.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.logaddexp.html
    """
    if out is not None:
        return written(out, "logaddexp", (input, other), logaddexp, input, other)
    return _record_logaddexp(input, other)


def logaddexp2(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The same as `logaddexp` to the base 2.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.logaddexp2.html
    """
    if out is not None:
        return written(out, "logaddexp2", (input, other), logaddexp2, input, other)
    return _record_logaddexp2(input, other)


def nextafter(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The next number after `self` in the direction of `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.nextafter.html
    """
    if out is not None:
        return written(out, "nextafter", (input, other), nextafter, input, other)
    return _record_nextafter(input, other)


def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """0 for negative numbers, 1 for positive ones, `values` at 0.

    Args:
        input: Tensor of any shape.
        values: what is written.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.heaviside.html
    """
    if out is not None:
        return written(out, "heaviside", (input, values), heaviside, input, values)
    return _record_heaviside(input, values)


def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`self` times 2 to the power of `other`.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.ldexp.html
    """
    if out is not None:
        return written(out, "ldexp", (input, other), ldexp, input, other)
    return _record_ldexp(input, other)


def gcd(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The greatest common divisor.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.gcd.html
    """
    if out is not None:
        return written(out, "gcd", (input, other), gcd, input, other)
    return _record_gcd(input, other)


def lcm(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The least common multiple.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.lcm.html
    """
    if out is not None:
        return written(out, "lcm", (input, other), lcm, input, other)
    return _record_lcm(input, other)


def frexp(input: Tensor, *, out: Sequence[Tensor] | None = None) -> return_types.frexp:
    """(mantissa in [0.5, 1), int32 exponent) with x = mantissa * 2 ** exponent; RuntimeError unless floating-point.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: mantissa, exponent.

    https://pytorch.org/docs/stable/generated/torch.frexp.html
    """
    if out is not None:
        return written(out, "frexp", (input,), frexp, input)
    return return_types.frexp(*bind(_FREXP_TENSOR, (input,)))


def hash_tensor(input: Tensor, dim: int | Sequence[int] = (), *, keepdim: bool = False, mode: int = 0,
                axis: int | Sequence[int] | None = None, keepdims: bool | None = None, out: Tensor | None = None) -> Tensor:
    """The exclusive or of all elements along `dim` (all dimensions if there is none), as uint64.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        keepdim: keep what is reduced as a dimension of size 1.
        mode: the kind.
        axis: numpy's name of `dim`.
        keepdims: numpy's name of `keepdim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.hash_tensor.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, ())
    if keepdims is not None:
        keepdim = numpys("keepdims", keepdim, keepdims, False)
    if out is not None:
        return written(out, "hash_tensor", (), hash_tensor, input, dim, keepdim=keepdim, mode=mode)
    return bind(_HASH_TENSOR, (input,), (), (ints(dim), keepdim, integer(mode)))


def exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """e to the power of each element.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.exp.html
    """
    if out is not None:
        return written(out, "exp", (input,), exp, input)
    return _record_exp(input)


def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """2 to the power of each element.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.exp2.html
    """
    if out is not None:
        return written(out, "exp2", (input,), exp2, input)
    return _record_exp2(input)


def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """exp(x) - 1, exact also near 0.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.expm1.html
    """
    if out is not None:
        return written(out, "expm1", (input,), expm1, input)
    return _record_expm1(input)


def log(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The natural logarithm.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.log.html
    """
    if out is not None:
        return written(out, "log", (input,), log, input)
    return _record_log(input)


def log2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to the base 2.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.log2.html
    """
    if out is not None:
        return written(out, "log2", (input,), log2, input)
    return _record_log2(input)


def log10(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm to the base 10.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.log10.html
    """
    if out is not None:
        return written(out, "log10", (input,), log10, input)
    return _record_log10(input)


def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """log(1 + x), exact also near 0.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.log1p.html
    """
    if out is not None:
        return written(out, "log1p", (input,), log1p, input)
    return _record_log1p(input)


def sqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The square root.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.sqrt.html
    """
    if out is not None:
        return written(out, "sqrt", (input,), sqrt, input)
    return _record_sqrt(input)


def rsqrt(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / sqrt(x).

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.rsqrt.html
    """
    if out is not None:
        return written(out, "rsqrt", (input,), rsqrt, input)
    return _record_rsqrt(input)


def reciprocal(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / x.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.reciprocal.html
    """
    if out is not None:
        return written(out, "reciprocal", (input,), reciprocal, input)
    return _record_reciprocal(input)


def sin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The sine.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.sin.html
    """
    if out is not None:
        return written(out, "sin", (input,), sin, input)
    return _record_sin(input)


def cos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The cosine.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.cos.html
    """
    if out is not None:
        return written(out, "cos", (input,), cos, input)
    return _record_cos(input)


def tan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The tangent.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.tan.html
    """
    if out is not None:
        return written(out, "tan", (input,), tan, input)
    return _record_tan(input)


def asin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the sine.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.asin.html
    """
    if out is not None:
        return written(out, "asin", (input,), asin, input)
    return _record_asin(input)


def arcsin(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.asin`: the inverse of the sine."""
    if out is not None:
        return written(out, "asin", (input,), arcsin, input)
    return _record_asin(input)


def acos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the cosine.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.acos.html
    """
    if out is not None:
        return written(out, "acos", (input,), acos, input)
    return _record_acos(input)


def arccos(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.acos`: the inverse of the cosine."""
    if out is not None:
        return written(out, "acos", (input,), arccos, input)
    return _record_acos(input)


def atan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the tangent.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.atan.html
    """
    if out is not None:
        return written(out, "atan", (input,), atan, input)
    return _record_atan(input)


def arctan(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.atan`: the inverse of the tangent."""
    if out is not None:
        return written(out, "atan", (input,), arctan, input)
    return _record_atan(input)


def sinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic sine.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.sinh.html
    """
    if out is not None:
        return written(out, "sinh", (input,), sinh, input)
    return _record_sinh(input)


def cosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic cosine.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.cosh.html
    """
    if out is not None:
        return written(out, "cosh", (input,), cosh, input)
    return _record_cosh(input)


def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The hyperbolic tangent.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.tanh.html
    """
    if out is not None:
        return written(out, "tanh", (input,), tanh, input)
    return _record_tanh(input)


def asinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the hyperbolic sine.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.asinh.html
    """
    if out is not None:
        return written(out, "asinh", (input,), asinh, input)
    return _record_asinh(input)


def arcsinh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.asinh`: the inverse of the hyperbolic sine."""
    if out is not None:
        return written(out, "asinh", (input,), arcsinh, input)
    return _record_asinh(input)


def acosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the hyperbolic cosine.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.acosh.html
    """
    if out is not None:
        return written(out, "acosh", (input,), acosh, input)
    return _record_acosh(input)


def arccosh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.acosh`: the inverse of the hyperbolic cosine."""
    if out is not None:
        return written(out, "acosh", (input,), arccosh, input)
    return _record_acosh(input)


def atanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the hyperbolic tangent.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.atanh.html
    """
    if out is not None:
        return written(out, "atanh", (input,), atanh, input)
    return _record_atanh(input)


def arctanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.atanh`: the inverse of the hyperbolic tangent."""
    if out is not None:
        return written(out, "atanh", (input,), arctanh, input)
    return _record_atanh(input)


def neg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """-x.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.neg.html
    """
    if out is not None:
        return written(out, "neg", (input,), neg, input)
    return _record_neg(input)


def negative(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.neg`: -x."""
    if out is not None:
        return written(out, "neg", (input,), negative, input)
    return _record_neg(input)


def abs(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The absolute value.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.abs.html
    """
    if out is not None:
        return written(out, "abs", (input,), abs, input)
    return _record_abs(input)


def absolute(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.abs`: the absolute value."""
    if out is not None:
        return written(out, "abs", (input,), absolute, input)
    return _record_abs(input)


def sign(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1, 0 or -1: the sign of each element.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.sign.html
    """
    if out is not None:
        return written(out, "sign", (input,), sign, input)
    return _record_sign(input)


def sgn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x / |x|, and 0 at 0 and NaN, as PyTorch has it; its derivative is finite everywhere.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.sgn.html
    """
    if out is not None:
        return written(out, "sgn", (input,), sgn, input)
    return _record_sgn(input)


def angle(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The angle of a complex number; of a real one 0, or pi where it is negative.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.angle.html
    """
    if out is not None:
        return written(out, "angle", (input,), angle, input)
    return _record_angle(input)


def floor(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The largest whole number that is not above x.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.floor.html
    """
    if out is not None:
        return written(out, "floor", (input,), floor, input)
    return _record_floor(input)


def ceil(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The smallest whole number that is not below x.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.ceil.html
    """
    if out is not None:
        return written(out, "ceil", (input,), ceil, input)
    return _record_ceil(input)


def trunc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x without its fraction.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.trunc.html
    """
    if out is not None:
        return written(out, "trunc", (input,), trunc, input)
    return _record_trunc(input)


def fix(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Another name of `torch.trunc`: x without its fraction."""
    if out is not None:
        return written(out, "trunc", (input,), fix, input)
    return _record_trunc(input)


def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """The nearest whole number, the even one at a half.

    Args:
        input: Tensor of any shape.
        decimals: how many digits stay.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.round.html
    """
    if out is not None:
        return written(out, "round", (input,), round, input, decimals=decimals)
    if decimals == 0:
        return _record_round(input)
    return bind(_ROUND_DECIMALS, (input,), (), (integer(decimals),))


def frac(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x minus x without its fraction.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.frac.html
    """
    if out is not None:
        return written(out, "frac", (input,), frac, input)
    return _record_frac(input)


def deg2rad(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Degrees as radians.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.deg2rad.html
    """
    if out is not None:
        return written(out, "deg2rad", (input,), deg2rad, input)
    return _record_deg2rad(input)


def rad2deg(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Radians as degrees.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.rad2deg.html
    """
    if out is not None:
        return written(out, "rad2deg", (input,), rad2deg, input)
    return _record_rad2deg(input)


def nan_to_num(input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None, *,
               out: Tensor | None = None) -> Tensor:
    """`self` with finite numbers in the place of NaN and of the infinities.

    Args:
        input: Tensor of any shape.
        nan: what is put in the place of NaN.
        posinf: what is put in the place of infinity.
        neginf: what is put in the place of minus infinity.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.nan_to_num.html
    """
    if out is not None:
        return written(out, "nan_to_num", (input,), nan_to_num, input, nan, posinf, neginf)
    return bind(_NAN_TO_NUM, (input,), (nan, posinf, neginf))


def isnan(input: Tensor) -> Tensor:
    """Whether the element is NaN.

    Args:
        input: Tensor of any shape.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.isnan.html
    """
    return _record_isnan(input)


def isinf(input: Tensor) -> Tensor:
    """Whether the element is infinite.

    Args:
        input: Tensor of any shape.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.isinf.html
    """
    return _record_isinf(input)


def isfinite(input: Tensor) -> Tensor:
    """Whether the element is neither infinite nor NaN.

    Args:
        input: Tensor of any shape.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.isfinite.html
    """
    return _record_isfinite(input)


def isposinf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the element is positive infinity.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.isposinf.html
    """
    if out is not None:
        return written(out, "isposinf", (input,), isposinf, input)
    return _record_isposinf(input)


def isneginf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the element is negative infinity.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.isneginf.html
    """
    if out is not None:
        return written(out, "isneginf", (input,), isneginf, input)
    return _record_isneginf(input)


def signbit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the sign bit is set, also that of -0.0.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.signbit.html
    """
    if out is not None:
        return written(out, "signbit", (input,), signbit, input)
    return _record_signbit(input)


def logical_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Whether the element is zero.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.logical_not.html
    """
    if out is not None:
        return written(out, "logical_not", (input,), logical_not, input)
    return _record_logical_not(input)


def bitwise_not(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The integer with all bits flipped.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.bitwise_not.html
    """
    if out is not None:
        return written(out, "bitwise_not", (input,), bitwise_not, input)
    return _record_bitwise_not(input)


def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The error function.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.erf.html
    """
    if out is not None:
        return written(out, "erf", (input,), erf, input)
    return _record_erf(input)


def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 minus the error function.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.erfc.html
    """
    if out is not None:
        return written(out, "erfc", (input,), erfc, input)
    return _record_erfc(input)


def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of the error function.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.erfinv.html
    """
    if out is not None:
        return written(out, "erfinv", (input,), erfinv, input)
    return _record_erfinv(input)


def lgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the gamma function's absolute value.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.lgamma.html
    """
    if out is not None:
        return written(out, "lgamma", (input,), lgamma, input)
    return _record_lgamma(input)


def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The derivative of the logarithm of the gamma function.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.digamma.html
    """
    if out is not None:
        return written(out, "digamma", (input,), digamma, input)
    return _record_digamma(input)


def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The `n`-th derivative of `digamma`.

    Args:
        n: the order, an integer.
        self: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.polygamma.html
    """
    if out is not None:
        return written(out, "polygamma", (input,), polygamma, n, input)
    return bind(_POLYGAMMA, (input,), (), (integer(n),))


def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """1 / (1 + exp(-x)).

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.sigmoid.html
    """
    if out is not None:
        return written(out, "sigmoid", (input,), sigmoid, input)
    return _record_sigmoid(input)


def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """log(x / (1 - x)), with x moved to between `eps` and 1 - `eps`.

    Args:
        input: Tensor of any shape.
        eps: a small number against division by zero, or a bound.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.logit.html
    """
    if out is not None:
        return written(out, "logit", (input,), logit, input, eps)
    return bind(_LOGIT, (input,), (eps,))


def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """sin(pi x) / (pi x), and 1 at 0.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.sinc.html
    """
    if out is not None:
        return written(out, "sinc", (input,), sinc, input)
    return _record_sinc(input)


def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The modified Bessel function of the first kind, of order 0.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`; integers become the default dtype.

    https://pytorch.org/docs/stable/generated/torch.i0.html
    """
    if out is not None:
        return written(out, "i0", (input,), i0, input)
    return _record_i0(input)


def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`.

    Args:
        input: Tensor of any shape.
        p: the exponent, or the probability.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.mvlgamma.html
    """
    if out is not None:
        return written(out, "mvlgamma", (input,), mvlgamma, input, p)
    return bind(_MVLGAMMA, (input,), (), (integer(p),))


def igamma(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularized lower incomplete gamma function.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.igamma.html
    """
    if out is not None:
        return written(out, "igamma", (input, other), igamma, input, other)
    return _record_igamma(input, other)


def igammac(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The regularized upper incomplete gamma function.

    Args:
        input: Tensor of any shape.
        other: the second operand, of a shape that broadcasts with the first.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.igammac.html
    """
    if out is not None:
        return written(out, "igammac", (input, other), igammac, input, other)
    return _record_igammac(input, other)


def remainder_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`remainder` in place."""
    if not isinstance(other, Tensor):
        return inplace(_REMAINDER_SCALAR, (input, other))
    return inplace(_REMAINDER_TENSOR, (input, other))


def fmod_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`fmod` in place."""
    if not isinstance(other, Tensor):
        return inplace(_FMOD_SCALAR, (input, other))
    return inplace(_FMOD_TENSOR, (input, other))


def lerp_(input: Tensor, end: Tensor, weight: Number | Tensor) -> Tensor:
    """`lerp` in place."""
    if not isinstance(weight, Tensor):
        return inplace(_LERP_SCALAR, (input, end), (weight,))
    return inplace(_LERP_TENSOR, (input, end, weight))


def clamp_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`clamp` in place."""
    if not isinstance(min, Tensor) and not isinstance(max, Tensor):
        return inplace(_CLAMP, (input, min, max))
    return inplace(_CLAMP_TENSOR, (input, min, max))


def clip_(input: Tensor, min: Tensor | Number | None = None, max: Tensor | Number | None = None) -> Tensor:
    """`clamp` in place."""
    if not isinstance(min, Tensor) and not isinstance(max, Tensor):
        return inplace(_CLAMP, (input, min, max))
    return inplace(_CLAMP_TENSOR, (input, min, max))


def clamp_min_(input: Tensor, min: Tensor | Number) -> Tensor:
    """`clamp_min` in place."""
    if not isinstance(min, Tensor):
        return inplace(_CLAMP_MIN, (input, min))
    return inplace(_CLAMP_MIN_TENSOR, (input, min))


def clamp_max_(input: Tensor, max: Tensor | Number) -> Tensor:
    """`clamp_max` in place."""
    if not isinstance(max, Tensor):
        return inplace(_CLAMP_MAX, (input, max))
    return inplace(_CLAMP_MAX_TENSOR, (input, max))


def copysign_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`copysign` in place."""
    if not isinstance(other, Tensor):
        return inplace(_COPYSIGN_SCALAR, (input, other))
    return inplace(_COPYSIGN, (input, other))


def xlogy_(input: Tensor, other: Tensor | Number) -> Tensor:
    """`xlogy` in place."""
    if not isinstance(other, Tensor):
        return inplace(_XLOGY_SCALAR_OTHER, (input, other))
    return inplace(_XLOGY, (input, other))


def round_(input: Tensor, *, decimals: int = 0) -> Tensor:
    """`round` in place."""
    if decimals == 0:
        return inplace(_ROUND, (input,))
    return inplace(_ROUND_DECIMALS, (input,), (), (integer(decimals),))
