"""Elementwise functions with several overloads, and their other names.

A row is one function on arrays; here the kinds of the arguments choose the row, as PyTorch's argument
parser chooses an overload. https://pytorch.org/docs/stable/torch.html#pointwise-ops
"""

import math

from torchlike._api.creation import FUNCTIONS as _MAKE
from torchlike._api.generate import inplace_face, plain_face
from torchlike._api.generated import ops
from torchlike._api.out import with_out
from torchlike._base import dtypes as dt
from torchlike._modes import vmap_levels
from torchlike._ops import promotion
from torchlike._ops.all import ROWS
from torchlike._ops.pointwise.arithmetic import STATIC_EXPONENTS
from torchlike._record.inplace import write_out
from torchlike._record.tensor import Tensor


def _out(result, out):
    return result if out is None else write_out(out, result)


# -- rows for a tensor and rows for a number as the second operand

def _by_kind(base, number, tensor, reversed_row=None):
    """The function, method and in-place method that pick the row by the class of `other`."""
    with_number, with_tensor = plain_face(ROWS[number]), plain_face(ROWS[tensor])
    number_first = plain_face(ROWS[reversed_row]) if reversed_row else None

    def method(self, other):
        return with_tensor(self, other) if isinstance(other, Tensor) else with_number(self, other)

    def function(input, other, *, out=None):
        if number_first is not None and not isinstance(input, Tensor):
            return _out(number_first(input, other), out)
        return _out(method(input, other), out)

    function.__name__ = function.__qualname__ = method.__name__ = method.__qualname__ = base
    function.__doc__ = method.__doc__ = ROWS[tensor].fn.__doc__ or \
        f"``{base}``: https://pytorch.org/docs/stable/generated/torch.{base}.html"
    return function, method


def _inplace_by_kind(base, number, tensor):
    with_number, with_tensor = inplace_face(ROWS[number]), inplace_face(ROWS[tensor])

    def method(self, other):
        return with_tensor(self, other) if isinstance(other, Tensor) else with_number(self, other)

    method.__name__ = method.__qualname__ = base + "_"
    return method


_KINDS = {
    "remainder": ("remainder.Scalar", "remainder.Tensor", "remainder.Scalar_Tensor"),
    "fmod": ("fmod.Scalar", "fmod.Tensor", None),
    "copysign": ("copysign.Scalar", "copysign", None),
    "xlogy": ("xlogy.Scalar_Other", "xlogy", "xlogy.Scalar_Self"),
    "special_xlog1py": ("special_xlog1py.other_scalar", "special_xlog1py", "special_xlog1py.self_scalar"),
}
_PAIRS = {name: _by_kind(name, *rows) for name, rows in _KINDS.items()}
_INPLACE_PAIRS = {f"{name}_": _inplace_by_kind(name, *rows[:2]) for name, rows in _KINDS.items()
                  if ROWS[rows[0]].inplace and ROWS[rows[1]].inplace}


def rsub(input, other, *, alpha=1):
    """other - alpha input. https://pytorch.org/docs/stable/generated/torch.sub.html"""
    return (ops.rsub_Tensor if isinstance(other, Tensor) else ops.rsub_Scalar)(input, other, alpha=alpha)


# -- quotients and powers

_UNSET = object()


def div(input, other, *, rounding_mode=_UNSET, out=None):
    """The quotient; `rounding_mode` None, "trunc" or "floor".
    https://pytorch.org/docs/stable/generated/torch.div.html"""
    return _out(_div(input, other, rounding_mode), out)


def _div(self, other, rounding_mode):
    if rounding_mode is _UNSET:
        return ops.div(self, other)
    if rounding_mode is None:
        return ops.div_Tensor_mode_none(self, other)
    return ops.div_Tensor_mode(self, other, rounding_mode=rounding_mode)


_div_ = inplace_face(ROWS["div"])
_div_mode_ = inplace_face(ROWS["div.Tensor_mode"])


def div_(self, other, *, rounding_mode=None):
    """`div` in place."""
    if rounding_mode is None:
        return _div_(self, other)
    return _div_mode_(self, other, rounding_mode=rounding_mode)


def true_divide(input, other, *, out=None):
    """The true quotient. https://pytorch.org/docs/stable/generated/torch.true_divide.html"""
    return _out(ops.div(input, other), out)


def true_divide_(self, other):
    """`true_divide` in place."""
    return _div_(self, other)


def pow(input, exponent, *, out=None):
    """input ** exponent; either may be a number. RuntimeError for an integer tensor with a negative
    integer exponent. https://pytorch.org/docs/stable/generated/torch.pow.html"""
    return _out(_pow(input, exponent), out)


def _pow(self, exponent):
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
    return dtype.category >= dt.FLOAT or (exponent.__class__ is int and dtype.category == dt.INT)


def _check_exponent(self, exponent):
    if exponent.__class__ is int and exponent < 0 and self.dtype.category <= dt.INT:
        raise RuntimeError("Integers to negative integer powers are not allowed.")


_pow_tensor_ = inplace_face(ROWS["pow.Tensor_Tensor"])
_pow_number_ = inplace_face(ROWS["pow.Tensor_Scalar"])
_pow_static_ = inplace_face(ROWS["_pow_static"])


def pow_(self, exponent):
    """`pow` in place."""
    if isinstance(exponent, Tensor):
        return _pow_tensor_(self, exponent)
    if exponent in STATIC_EXPONENTS and _stays(self, exponent):
        return _pow_static_(self, exponent)
    _check_exponent(self, exponent)
    return _pow_number_(self, exponent)


def square(input, *, out=None):
    """input * input. https://pytorch.org/docs/stable/generated/torch.square.html"""
    return _out(_pow(input, 2), out)


def float_power_dtype(*operands):
    """complex128 if one of these tensors and numbers is complex, else float64."""
    dtypes = [v.dtype if isinstance(v, Tensor) else promotion.of_number(v) for v in operands]
    return dt.complex128 if any(d.is_complex for d in dtypes) else dt.float64


def float_power(input, exponent, *, out=None):
    """`pow` in float64, or complex128 if either is complex.
    https://pytorch.org/docs/stable/generated/torch.float_power.html"""
    to = float_power_dtype(input, exponent)
    kind = complex if to.is_complex else float
    base, power = (v.to(to) if isinstance(v, Tensor) else kind(v) for v in (input, exponent))
    return _out(_pow(base, power), out)


def round(input, *, decimals=0, out=None):
    """The nearest whole number (to even at a half), or with `decimals` digits.
    https://pytorch.org/docs/stable/generated/torch.round.html"""
    return _out(ops.round(input) if decimals == 0 else ops.round_decimals(input, decimals=decimals), out)


_round_ = inplace_face(ROWS["round"])
_round_decimals_ = inplace_face(ROWS["round.decimals"])


def round_(self, *, decimals=0):
    """`round` in place."""
    return _round_(self) if decimals == 0 else _round_decimals_(self, decimals=decimals)


def lerp(input, end, weight, *, out=None):
    """input + weight (end - input); `weight` a number or a tensor.
    https://pytorch.org/docs/stable/generated/torch.lerp.html"""
    row = ops.lerp_Tensor if isinstance(weight, Tensor) else ops.lerp_Scalar
    return _out(row(input, end, weight), out)


_lerp_number_ = inplace_face(ROWS["lerp.Scalar"])
_lerp_tensor_ = inplace_face(ROWS["lerp.Tensor"])


def lerp_(self, end, weight):
    """`lerp` in place."""
    return (_lerp_tensor_ if isinstance(weight, Tensor) else _lerp_number_)(self, end, weight)


# -- clamp

def clamp(input, min=None, max=None, *, out=None):
    """input with what is below `min` or above `max` moved there; both numbers or both tensors.
    https://pytorch.org/docs/stable/generated/torch.clamp.html"""
    tensors = isinstance(min, Tensor) or isinstance(max, Tensor)
    return _out((ops.clamp_Tensor if tensors else ops.clamp)(input, min, max), out)


_clamp_number_ = inplace_face(ROWS["clamp"])
_clamp_tensor_ = inplace_face(ROWS["clamp.Tensor"])


def clamp_(self, min=None, max=None):
    """`clamp` in place."""
    tensors = isinstance(min, Tensor) or isinstance(max, Tensor)
    return (_clamp_tensor_ if tensors else _clamp_number_)(self, min, max)


def clamp_min(input, min, *, out=None):
    """The larger of input and `min`."""
    return _out((ops.clamp_min_Tensor if isinstance(min, Tensor) else ops.clamp_min)(input, min), out)


def clamp_max(input, max, *, out=None):
    """The smaller of input and `max`."""
    return _out((ops.clamp_max_Tensor if isinstance(max, Tensor) else ops.clamp_max)(input, max), out)


_CLAMP_INPLACE = {
    "clamp_min_": _inplace_by_kind("clamp_min", "clamp_min", "clamp_min.Tensor"),
    "clamp_max_": _inplace_by_kind("clamp_max", "clamp_max", "clamp_max.Tensor"),
}


# -- choosing by a mask

def where(condition, input=_UNSET, other=_UNSET, *, out=None):
    """Elements of `input` where `condition` is true, else of `other`; with one argument the indices of
    the true elements as a tuple. https://pytorch.org/docs/stable/generated/torch.where.html"""
    if input is _UNSET:
        vmap_levels.check_shape(condition, "where")
        return condition.nonzero(as_tuple=True)
    return _out(ops.where_self(condition, input, other), out)


def _where_method(self, condition, other):
    return ops.where_self(condition, self, other)


def masked_fill(input, mask, value):
    """input with `value`, a number or a 0-d tensor, where `mask` is true.
    https://pytorch.org/docs/stable/generated/torch.Tensor.masked_fill.html"""
    row = ops.masked_fill_Tensor if isinstance(value, Tensor) else ops.masked_fill_Scalar
    return row(input, mask, value)


_masked_fill_number_ = inplace_face(ROWS["masked_fill.Scalar"])
_masked_fill_tensor_ = inplace_face(ROWS["masked_fill.Tensor"])


def masked_fill_(self, mask, value):
    """`masked_fill` in place."""
    return (_masked_fill_tensor_ if isinstance(value, Tensor) else _masked_fill_number_)(self, mask, value)


# -- answers that are Python bools

_ALLCLOSE = ("vmap over torch.allclose isn't supported yet. Please file an issue at "
             "https://github.com/pytorch/pytorch/issues if you need this feature.")


def equal(input, other) -> bool:
    """Whether both have the same shape and elements.
    https://pytorch.org/docs/stable/generated/torch.equal.html"""
    if input.shape != other.shape:
        return False
    for x in (input, other):
        vmap_levels.check_rule(x, "equal")
    return bool(ops.all(ops.eq(input, other)))


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """Whether all elements are close. https://pytorch.org/docs/stable/generated/torch.allclose.html"""
    for x in (input, other):
        vmap_levels.refuse_batched(x, _ALLCLOSE)
    return bool(ops.all(ops.isclose(input, other, rtol, atol, equal_nan)))


# -- composites

def positive(input):
    """input itself; RuntimeError for bool. https://pytorch.org/docs/stable/generated/torch.positive.html"""
    if input.dtype is dt.bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def conj_physical(input, *, out=None):
    """The complex conjugate, computed at once. A real tensor is returned itself."""
    return _out(ops.conj_physical(input) if input.dtype.is_complex else input, out)


def isreal(input):
    """Where the imaginary part is zero. https://pytorch.org/docs/stable/generated/torch.isreal.html"""
    return input.imag == 0 if input.dtype.is_complex else _MAKE["ones_like"](input, dtype=dt.bool_)


def special_ndtr(input):
    """The normal distribution function. https://pytorch.org/docs/stable/special.html"""
    return (ops.erf(input / math.sqrt(2)) + 1) * 0.5


def _polygamma_method(self, n):
    return ops.polygamma(n, self)


def square_(self):
    """`square` in place."""
    return pow_(self, 2)


METHODS: dict = {
    **{name: method for name, (_, method) in _PAIRS.items() if name != "special_xlog1py"},
    **_INPLACE_PAIRS, **_CLAMP_INPLACE,
    "div": div, "div_": div_, "divide": div, "divide_": div_,
    "true_divide": true_divide, "true_divide_": true_divide_,
    "pow": _pow, "pow_": pow_, "square": square, "square_": square_, "float_power": float_power,
    "round": round, "round_": round_, "lerp": lerp, "lerp_": lerp_,
    "clamp": clamp, "clamp_": clamp_, "clip": clamp, "clip_": clamp_, "clamp_min": clamp_min,
    "clamp_max": clamp_max, "where": _where_method, "masked_fill": masked_fill, "masked_fill_": masked_fill_,
    "equal": equal, "allclose": allclose, "positive": positive, "conj_physical": conj_physical,
    "isreal": isreal, "polygamma": _polygamma_method,
}
FUNCTIONS: dict = {
    **{name: function for name, (function, _) in _PAIRS.items()},
    "rsub": rsub, "div": div, "divide": div, "true_divide": true_divide,
    "pow": pow, "square": square, "float_power": float_power, "round": round, "lerp": lerp, "clamp": clamp,
    "clip": clamp, "clamp_min": clamp_min, "clamp_max": clamp_max, "where": where, "masked_fill": masked_fill,
    "equal": equal, "allclose": allclose, "positive": positive, "conj_physical": conj_physical,
    "isreal": isreal, "special_ndtr": with_out(special_ndtr), "special_round": round,
    "special_xlogy": _PAIRS["xlogy"][0], "square_": square_,
}
