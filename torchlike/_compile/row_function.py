"""From a row of the table to a function on flat arrays: its operands and numbers, in the form that kernels take.

The row's function takes operands by their places, lists as tuples, and numbers in the dtype in which it computes. What
stands between is here: promotion, the schema's defaults, rounding.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._compile.avals import NUMBER_DTYPES
from torchlike._ops import float8, promotion
from torchlike._ops.numerics import lean


def row_function(row, spec, ins, params):
    """The row on flat arrays, without their names and the numbers' types."""
    keywords = dict(zip(row.params, unwrap(row, params), strict=True))
    defaults = {a.name: a.default for a in row.schema.args if a.is_number}
    operand_spec, number_spec = spec[:len(row.operands)], spec[len(row.operands):]
    compute = common_dtype(row, operand_spec, ins)
    float8.check(row, spec, ins, compute, params)
    opmath = promotion.scalar_dtype(compute) if compute is not None else _scalar_for(ins)

    def function(*arrays):
        operands, numbers = place(operand_spec, number_spec, arrays, len(ins))
        if compute is not None:
            operands = tuple(_cast(o, opmath) for o in operands)
        else:
            operands = tuple(_raw_number(o, s) for o, s in zip(operands, operand_spec, strict=True))
        found = {name: scalar(*given(number, kind, defaults[name]), opmath)
                 for name, number, kind in zip(row.numbers, numbers, number_spec, strict=True)}
        result = row.fn(*operands, **keywords, **found)
        results = tuple(map(lean.raw, result if isinstance(result, tuple | list) else (result,)))
        if compute is not None and opmath is not compute:
            results = tuple(_round(r, compute) for r in results)
        return results

    return function


def unwrap(row, params) -> tuple:
    """Static numbers travel as (type, value) so that 2 and 2.0 are different keys."""
    if not row.static:
        return params
    return tuple(p[1] if name in row.static and isinstance(p, tuple) else p
                 for name, p in zip(row.params, params, strict=True))


def common_dtype(row, operand_spec, ins):
    """The dtype the row computes in, or None where it takes its operands as they are."""
    if row.promote is None:
        return None
    return promotion.compute_dtype(row.promote, promotion_operands(operand_spec, ins))


def promotion_operands(operand_spec, ins) -> list:
    """The operands as promotion sees them."""
    arrays, out = iter(ins), []
    for kind in operand_spec:
        if kind == "a":
            out.append(_of_aval(next(arrays)))
        elif isinstance(kind, type):
            out.append(promotion.Operand(promotion.of_number(kind()), 0))
        elif kind is not None:
            out.extend(_of_aval(next(arrays)) for there in kind if there)
    return out


def _of_aval(a):
    return promotion.Operand(a.dtype, 2 if a.ndim else 1)


def _scalar_for(ins):
    """Where a row takes operands as they are, numbers follow its first floating operand."""
    for a in ins:
        if a.dtype.category >= dt.FLOAT:
            return promotion.scalar_dtype(a.dtype)
    return None


def place(operand_spec, number_spec, arrays, n_arrays):
    """Flat arrays back into operands and numbers, in the row's order."""
    array, number = iter(arrays[:n_arrays]), iter(arrays[n_arrays:])
    operands = []
    for kind in operand_spec:
        if kind == "a":
            operands.append(next(array))
        elif isinstance(kind, type):
            operands.append(next(number))
        else:
            operands.append(None if kind is None else tuple(next(array) if there else None for there in kind))
    return tuple(operands), tuple(None if kind is None else next(number) for kind in number_spec)


def _cast(operand, to):
    if operand is None:
        return None
    if isinstance(operand, tuple):
        return tuple(promotion.cast_operand(o, to) for o in operand)
    return promotion.cast_operand(operand, to)


def _raw_number(operand, kind):
    return scalar(operand, kind, None) if isinstance(kind, type) else operand


def scalar(number, kind, opmath):
    """A number argument in the dtype in which the row computes."""
    if number is None:
        return None
    if kind is bool:
        return lax.convert_element_type(number, np.bool_)
    to = opmath
    if to is None or (to.category <= dt.INT and kind is not int):
        to = {int: dt.int64, complex: dt.complex128}.get(kind, dt.float64)
    elif kind is complex:
        to = to.to_complex()
    return lax.convert_element_type(number, to.np)


def given(number, kind, default):
    """(number, type) with the schema's default in place of a number that was left out."""
    if kind is not None or default is None or default is ...:
        return number, kind
    return jnp.asarray(default, NUMBER_DTYPES[type(default)]), type(default)


def _round(result, compute):
    return promotion.cast(result, compute) if result.dtype == jnp.float32 else result
