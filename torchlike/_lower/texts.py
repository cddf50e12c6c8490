"""Expressions of Python as text: how tightly they bind, and of what shape their value is."""

import dataclasses
import math
from typing import Any

import ml_dtypes
import numpy as np

# How tightly operators bind, from the loosest on.
COMPARE, OR, XOR, AND, SHIFT, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)
EVERYTHING = 1000  # elements at most of constants that are computed here


@dataclasses.dataclass(slots=True, frozen=True)
class Text:
    """An expression.

    Args:
        code: its text.
        level: how tightly it binds.
        shape: that of its value, which broadcasts to that of what it stands for.
        cost: how many operations it has.
        literal: the number that it is, as a numpy scalar of its dtype; None for anything else.
        inner: what it was before axes of length 1 were added at its end, as a Text, or None.
        picked: the axis along which it is a slice of one element, if that is how its text ends.
    """

    code: str
    level: int = ATOM
    shape: tuple = ()
    cost: int = 0
    literal: Any = None
    inner: Any = None
    picked: int | None = None

    @property
    def is_name(self) -> bool:
        """Whether it costs nothing to write it twice."""
        return self.cost == 0


def of_literal(value) -> Text:
    """The Text of a number.

    Args:
        value: a numpy scalar.

    Returns:
        The Text: a number of Python's, which takes the dtype of what it meets.
    """
    code = number(value)
    return Text(code, SIGN if code.startswith("-") else ATOM, literal=value)


def number(value) -> str:
    """A number in Python.

    Args:
        value: a numpy scalar, of which Python's number is rounded to the same.

    Returns:
        Its shortest text.
    """
    if value.dtype == np.bool_:
        return str(bool(value))
    if np.issubdtype(value.dtype, np.complexfloating):
        return f"complex({number(value.real)}, {number(value.imag)})"
    if not is_floating(value.dtype):
        return str(int(value))
    as_float = float(value)
    if math.isnan(as_float):
        return "jnp.nan"
    if math.isinf(as_float):
        return "jnp.inf" if as_float > 0 else "-jnp.inf"
    short = repr(float(str(value)))
    return short if value.dtype.type(float(short)) == value else repr(as_float)


def is_floating(dtype) -> bool:
    """Whether a dtype is one of real floating-point numbers.

    Args:
        dtype: a numpy dtype, also of ml_dtypes.

    Returns:
        A bool.
    """
    return np.issubdtype(dtype, np.floating) or (dtype.kind == "V" and hasattr(ml_dtypes, dtype.name)
                                                 and "int" not in dtype.name)


def dtype_name(dtype) -> str:
    """A dtype in Python.

    Args:
        dtype: a numpy dtype.

    Returns:
        For instance ``jnp.float32``.
    """
    return "jnp.bool_" if dtype == np.bool_ else f"jnp.{dtype.name}"


def typed(text: Text, dtype) -> str:
    """The code of a Text where its dtype would not follow from what it meets.

    Args:
        text: the Text.
        dtype: its numpy dtype.

    Returns:
        The code.
    """
    if text.literal is None:
        return text.code
    if text.code.endswith(("inf", "nan")):
        return f"jnp.array({text.code}, {dtype_name(dtype)})"
    return f"{dtype_name(dtype)}({text.code})"


def at(text: Text, level: int) -> str:
    """The code of a Text as an operand of what binds so tightly.

    Args:
        text: the Text.
        level: the level.

    Returns:
        The code, in parentheses if need be.
    """
    return text.code if text.level >= level else f"({text.code})"


def call(name: str, *arguments, shape=(), cost=1) -> Text:
    """A call.

    Args:
        name: of the function.
        arguments: codes, or Texts.
        shape: that of the result.
        cost: that of the call besides its arguments.

    Returns:
        The Text.
    """
    codes = [x.code if isinstance(x, Text) else x for x in arguments]
    total = cost + sum(x.cost for x in arguments if isinstance(x, Text))
    return Text(f"{name}({', '.join(codes)})", shape=tuple(shape), cost=total)


def method(x: Text, name: str, *arguments, shape=()) -> Text:
    """A call of a method.

    Args:
        x: whose method it is.
        name: its name.
        arguments: codes.
        shape: that of the result.

    Returns:
        The Text.
    """
    return Text(f"{at(x, ATOM)}.{name}({', '.join(arguments)})", shape=tuple(shape), cost=x.cost + 1)


def tuple_of(items) -> str:
    """A tuple in Python.

    Args:
        items: codes or numbers.

    Returns:
        Its text.
    """
    items = [str(item) for item in items]
    if not items:
        return "()"
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
