"""PyTorch's type promotion: the one file that decides dtypes.

Facts from https://pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc, checked
against torch in tests/ops/test_promotion.py. A rule takes the operands as `Operand`s and gives the
dtype the row computes in; results that differ from it (comparisons) come from the function itself.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._ops import float8


@dataclasses.dataclass(slots=True)
class Default:
    """The dtype of Python's floats, for all threads; `torch.set_default_dtype` changes it."""

    dtype: dt.dtype = dt.float32


default = Default()


class Operand(NamedTuple):
    """What promotion looks at: a dtype and whether it has dimensions, or is a Python number."""

    dtype: dt.dtype
    kind: int  # 2 a tensor with dimensions, 1 a 0-d tensor, 0 a Python number


_SIGNED_LADDER = (dt.int8, dt.int16, dt.int32, dt.int64)
_FLOAT_RANK = {dt.float16: 0, dt.bfloat16: 0, dt.float32: 1, dt.float64: 2}


def of_number(value) -> dt.dtype:
    """The dtype of a Python number as an operand."""
    if isinstance(value, bool):
        return dt.bool_
    if isinstance(value, int):
        return dt.int64
    if isinstance(value, float):
        return default.dtype
    return default.dtype.to_complex()


def promote_types(a: dt.dtype, b: dt.dtype) -> dt.dtype:
    """The smallest dtype that holds both. https://pytorch.org/docs/stable/generated/torch.promote_types.html"""
    if a is b:
        return a
    if a in dt.FLOAT8 or b in dt.FLOAT8:
        raise RuntimeError("Promotion for Float8 Types is not supported, attempted to promote "
                           f"{a.scalar_name} and {b.scalar_name}")
    if a.category > b.category:
        a, b = b, a
    if a.category != b.category:
        return b if not (b.is_complex and a.is_floating_point) else _widest_complex(a, b)
    if b.is_complex:
        return dt.complex128 if dt.complex128 in (a, b) else dt.complex64
    if b.is_floating_point:
        if _FLOAT_RANK[a] == _FLOAT_RANK[b]:
            return dt.float32
        return a if _FLOAT_RANK[a] > _FLOAT_RANK[b] else b
    return _promote_ints(a, b)


def _widest_complex(real: dt.dtype, cplx: dt.dtype) -> dt.dtype:
    return dt.complex128 if real is dt.float64 else cplx


def _promote_ints(a: dt.dtype, b: dt.dtype) -> dt.dtype:
    is_small = a in dt.SMALL or b in dt.SMALL
    if a.is_signed == b.is_signed and not is_small:
        return a if a.itemsize > b.itemsize else b
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    if unsigned is not dt.uint8 or is_small:
        raise RuntimeError("Promotion for uint16, uint32, uint64 types is not supported, attempted "
                           f"to promote {a.scalar_name} and {b.scalar_name}")
    return signed if signed.itemsize > 1 else dt.int16


def result_type(operands) -> dt.dtype:
    """The common dtype: dimensioned tensors decide within a category, then 0-d, then numbers."""
    levels: list = [None, None, None]
    for operand in operands:
        had = levels[operand.kind]
        levels[operand.kind] = operand.dtype if had is None else promote_types(had, operand.dtype)
    numbers, zero_d, dimensioned = levels
    return _combine(_combine(dimensioned, zero_d), numbers)


def _combine(higher, lower):
    if higher is None:
        return lower
    if lower is None or higher.category >= lower.category:
        return higher
    if higher.is_floating_point and lower.is_complex:  # float64 tensor with a complex number
        return higher.to_complex()
    return lower


def _default(operands):
    return result_type(operands)


def _to_float(operands):
    common = result_type(operands)
    return common if common.category >= dt.FLOAT else default.dtype


def _ints_to_int64(operands):
    common = result_type(operands)
    return dt.int64 if common.category <= dt.INT else common


def _first(operands):
    return operands[0].dtype


RULES = {
    "default": _default,  # add, mul, comparisons: the common dtype
    "float": _to_float,  # sin, div: integers become the default float
    "sum": _ints_to_int64,  # sum, prod, cumsum: integers accumulate in int64
    "first": _first,  # fill, masked_fill, index_put: everything becomes self's dtype
}


def compute_dtype(rule: str, operands) -> dt.dtype:
    """The dtype in which a row with this rule computes."""
    return RULES[rule](operands)


def cast(x, dtype: dt.dtype):
    """An array in another dtype, by C's rules on x86: fractions truncate, complex numbers lose i, but 1j is true."""
    if x.dtype == dtype.np:
        return x
    if dtype.category < dt.COMPLEX and dtype is not dt.bool_ and jnp.issubdtype(x.dtype, jnp.complexfloating):
        x = x.real
    if dtype in dt.FLOAT8:
        return float8.rounded(x, dtype, jnp)
    if x.dtype.itemsize == 1 and jnp.issubdtype(x.dtype, jnp.floating):
        x = x.astype(jnp.float32)
    if dtype is dt.bool_:
        return lax.ne(x, np.zeros((), x.dtype))
    if jnp.issubdtype(x.dtype, jnp.floating) and dtype.category == dt.INT:
        x = _unsigned(x) if dtype is dt.uint64 else _integers(x, np.dtype(np.int32 if dtype in _BY_32_BITS else np.int64))
    if x.dtype == jnp.bool_:
        # XLA makes select(mask, x, 0) of convert(mask) * x, and so 0 * inf and 0 * nan 0. Not of this.
        x = lax.convert_element_type(x, jnp.uint8)
    return lax.convert_element_type(x, dtype.np)


_BY_32_BITS = {dt.int8, dt.int16, dt.int32, dt.uint16}  # floats become these by way of int32, other integers by int64


def _integers(x, kind):
    """Floats as int32 or int64: what does not fit, nan too, is the least number, as of x86's instructions."""
    limit = np.asarray(np.inf if x.dtype == np.float16 else 2.0 ** (8 * kind.itemsize - 1), x.dtype)
    return lax.select(lax.lt(x, limit), lax.convert_element_type(x, kind), lax.full_like(x, np.iinfo(kind).min, kind))


def _unsigned(x):
    """Floats as uint64, in the bits of int64. What does not fit is 0, from 2**63 on the rest is converted."""
    x = x.astype(np.float32) if x.dtype.itemsize == 2 else x
    limit = lax.full_like(x, 2.0 ** 63)
    high = lax.ge(x, limit)
    found = _integers(lax.select(high, lax.sub(x, limit), x), np.dtype(np.int64))
    return lax.select(high, lax.bitwise_xor(found, lax.full_like(found, np.iinfo(np.int64).min)), found)


def cast_operand(value, to: dt.dtype):
    """A number or array as an array of `to`."""
    return cast(value, to) if isinstance(value, jax.Array) else jnp.asarray(value, to.np)


def scalar_dtype(d: dt.dtype) -> dt.dtype:
    """The dtype in which PyTorch's kernels keep a number beside data of dtype `d`."""
    return dt.float32 if d in (dt.float16, dt.bfloat16, *dt.FLOAT8) else d


def can_cast(source: dt.dtype, target: dt.dtype) -> bool:
    """Whether a result of `source` may be written into `target` (in-place and ``out=``)."""
    if source.category > target.category:
        return False
    return not (source.category == dt.INT and target is dt.bool_)
