"""Comparisons, logic, bits, and choosing by a mask.

https://pytorch.org/docs/stable/torch.html#comparison-ops. All but `where` and `masked_fill` give
results without a gradient.
"""

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._ops import promotion
from torchlike._ops.number_ranges import as_result, as_scalar
from torchlike._ops.numerics import lean
from torchlike._ops.numerics.lean import Lean
from torchlike._ops.rules import (
    ELEMENTWISE,
    cpp_name,
    is_complex,
    is_integral,
    promote_whole,
    refuse,
    scalar_name,
    wide,
)
from torchlike._ops.table import Write, op

_PAIR = "(Tensor self, Tensor other) -> Tensor"
_OR_NUMBER = "(Tensor self, Tensor|Scalar other) -> Tensor"
_EITHER = "(Tensor|Scalar self, Tensor|Scalar other) -> Tensor"

# -- comparisons


def _ordered(name, fn):
    def compare(x, y):
        refuse(x, f"{name}_cpu", (dt.COMPLEX,))
        return fn(x, y)

    return compare


def _comparison(name, fn, *aliases, doc):
    """A row that PyTorch's dispatcher has two overloads of."""
    def dispatch(are_tensors, params):
        return f"{name}.{'Tensor' if are_tensors[1:] == (True,) else 'Scalar'}"

    op(name + _OR_NUMBER, fn, promote="default", aliases=aliases, dispatch=dispatch, doc=doc,
       write=Write(stand_in="_compared"), **ELEMENTWISE)


_comparison("eq", jnp.equal, doc="Whether the elements are equal.")
_comparison("ne", jnp.not_equal, "not_equal", doc="Whether the elements differ.")
_comparison("lt", _ordered("lt", jnp.less), "less", doc="Whether `self` is less than `other`.")
_comparison("le", _ordered("le", jnp.less_equal), "less_equal", doc="Whether `self` is less than or equal to `other`.")
_comparison("gt", _ordered("gt", jnp.greater), "greater", doc="Whether `self` is greater than `other`.")
_comparison("ge", _ordered("ge", jnp.greater_equal), "greater_equal",
            doc="Whether `self` is greater than or equal to `other`.")


@op("_compared(Tensor self, Tensor|Scalar other) -> Tensor", grads={"self": lambda g: jnp.zeros_like(g),
                                                             "other": lambda g: jnp.zeros_like(g)}, ours=True)
def _compared(x, y):
    """Stands for a comparison in place in the graph: its result has the dtype of `self`, its gradients are zero."""
    return x


# -- logic on any dtype

def _logical(fn):
    return lambda x, y: fn(x != 0, y != 0)


op("logical_and" + _PAIR, _logical(jnp.logical_and), write=Write(differentiable=False),
   doc="Whether both elements are nonzero.", **ELEMENTWISE)
op("logical_or" + _PAIR, _logical(jnp.logical_or), write=Write(differentiable=False),
   doc="Whether at least one of both elements is nonzero.", **ELEMENTWISE)
op("logical_xor" + _PAIR, _logical(jnp.logical_xor), write=Write(differentiable=False),
   doc="Whether exactly one of both elements is nonzero.", **ELEMENTWISE)


# -- bits

def _bits(name, kernel, fn, refused, doc):
    op(name + _EITHER, lambda x, y: fn(*jnp.broadcast_arrays(x, y)), promote=promote_whole(kernel, *refused),
       dispatch=f"{name}.Tensor", doc=doc, **ELEMENTWISE)


def _out_of_range(x, count):
    width = x.dtype.itemsize * 8
    return (count < 0) | (count >= width) if jnp.issubdtype(x.dtype, jnp.signedinteger) else count >= width


def _left_shift(x, count):
    """0 where the count is negative or not less than the width."""
    outside = _out_of_range(x, count)
    return jnp.where(outside, 0, jax.lax.shift_left(x, jnp.where(outside, 0, count)))


def _right_shift(x, count):
    """The sign where the count is negative or not less than the width."""
    last = x.dtype.itemsize * 8 - 1
    return jnp.right_shift(x, jnp.where(_out_of_range(x, count), last, count).astype(x.dtype)) if \
        jnp.issubdtype(x.dtype, jnp.signedinteger) else _unsigned_right_shift(x, count)


def _unsigned_right_shift(x, count):
    outside = _out_of_range(x, count)
    return jnp.where(outside, 0, jax.lax.shift_right_logical(x, jnp.where(outside, 0, count)))


for _name, _fn, _which in (("bitwise_and", jnp.bitwise_and, "both integers have"),
                           ("bitwise_or", jnp.bitwise_or, "at least one of both integers has"),
                           ("bitwise_xor", jnp.bitwise_xor, "exactly one of both integers has")):
    _bits(_name, f"{_name}_cpu", _fn, (dt.FLOAT, dt.COMPLEX), doc=f"The bits that {_which}.")
_bits("bitwise_left_shift", "lshift_cpu", _left_shift, (dt.BOOL, dt.FLOAT, dt.COMPLEX),
      doc="The bits moved up by `other` places.")
_bits("bitwise_right_shift", "rshift_cpu", _right_shift, (dt.BOOL, dt.FLOAT, dt.COMPLEX),
      doc="The bits moved down by `other` places; the sign stays.")


# -- choosing by a mask

def _promote_choice(operands):
    """The common dtype of the two choices. The condition takes no part, and is cast along."""
    condition = operands[0].dtype
    if condition not in (dt.bool_, dt.uint8):
        raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                           f"{condition.scalar_name}")
    return promotion.result_type(operands[1:])


promotion.RULES["choice"] = _promote_choice
op("where.self(Tensor condition, Tensor|Scalar self, Tensor|Scalar other) -> Tensor",
   lambda condition, x, y: lean.where(Lean(condition) != 0, x, y), promote="choice", layout="pointwise",
   fits={"self": as_scalar, "other": as_scalar},
   grads={"self": lambda g, condition: lean.where(Lean(condition) != 0, g, 0),
          "other": lambda g, condition: lean.where(Lean(condition) != 0, 0, g)},
   doc="`self` where `condition` is true, else `other`.", by_hand="function method")


def _masked_fill(x, mask, value):
    if mask.dtype != jnp.bool_:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{cpp_name(mask)}")
    if value.ndim:
        raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{value.ndim} dimension(s).")
    return lean.where(mask, promotion.cast(value, dt.from_np(x.dtype)), x)


def _masked_fill_tensor(x, mask, value):
    if is_complex(value) and not is_complex(x):
        as_result(dt.from_np(x.dtype)).check(1j)
    return _masked_fill(x, mask, value)


_UNMASKED = {"self": lambda g, mask: lean.where(mask, 0, g)}
op("masked_fill.Scalar(Tensor self, Tensor mask, Tensor|Scalar value) -> Tensor", _masked_fill, grads=_UNMASKED,
   layout="broadcast", inplace=True, out=False, doc="`self` with `value` where `mask` is true.", scalars="value",
   fits={"value": as_result})
op("masked_fill.Tensor(Tensor self, Tensor mask, Tensor|Scalar value) -> Tensor", _masked_fill_tensor,
   node="MaskedFillBackward1",
   grads={**_UNMASKED, "value": lambda g, mask: jnp.sum(jnp.where(mask, g, 0))},
   layout="broadcast", inplace=True, out=False, doc="`self` with `value` where `mask` is true.")


# -- nearness

@op("isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
    layout="pointwise", static=("rtol", "atol"), out=False,
    doc="Whether the elements differ by at most `atol` + `rtol` times the absolute value of `other`.")
def _isclose(x, y, *, rtol, atol, equal_nan):
    if x.dtype != y.dtype:
        raise RuntimeError(f"{scalar_name(x)} did not match {scalar_name(y)}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:  # nan neither
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")
    close = x == y
    if equal_nan and not is_integral(x):
        close |= (x != x) & (y != y)
    if (rtol == 0 and atol == 0) or x.dtype == jnp.bool_:
        return close
    if is_integral(x):
        x, y = x.astype(jnp.float32), y.astype(jnp.float32)
    x, y = wide(x), wide(y)
    allowed = atol + jnp.abs(rtol * y)
    distance = jnp.abs(x - y)
    return close | (jnp.isfinite(distance) & (distance <= allowed))
