"""What a rule is: how numpy computes one of lax's primitives."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

LARGE = 16384  # bytes: the memory of a smaller array is not worth the trouble to drop it early or to use it again
MANY = 1024  # elements: arrays of more than these have plans of their own, apart from arrays of fewer


class Declined(Exception):
    """Numpy has no way to compute this, or a slow one: the kernel is XLA's. The text says which primitive and why."""


class Form(NamedTuple):
    """Shape and dtype of an operand or result."""

    shape: tuple
    dtype: np.dtype

    @property
    def ndim(self) -> int:
        """How many dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """How much memory an array of this form takes."""
        return self.size * self.dtype.itemsize


class Equation(NamedTuple):
    """One equation of a jaxpr. ``known``: for each operand its value as an array, None where it is not known before the
    plan runs. ``plan`` makes a jaxpr that is a parameter a function of arrays that returns a list, or raises Declined:
    its ``operations`` are the calls."""

    name: str
    params: dict
    ins: tuple[Form, ...]
    outs: tuple[Form, ...]
    known: tuple
    plan: Callable[[Any], Any]

    def declined(self, why: str) -> Declined:
        """The exception that sends the kernel to XLA."""
        return Declined(f"{self.name}: {why}")

    @property
    def is_complex(self) -> bool:
        """Whether an operand or a result is."""
        return any(f.dtype.kind == "c" for f in (*self.ins, *self.outs))

    def refuse_complex(self) -> None:
        """Leaves a complex equation, and with it the kernel, to XLA."""
        if self.is_complex:
            raise self.declined("complex")


class Fresh(NamedTuple):
    """A function of the operands whose results are new arrays, one for each result of the equation: a tuple where the
    equation has several. Zero-dimensional operands and results may be numpy scalars."""

    call: Callable[..., Any]


class Pointwise(NamedTuple):
    """As Fresh with one result, element by element, of operands that it broadcasts as numpy does."""

    call: Callable[..., Any]


class View(NamedTuple):
    """A function of the first operand whose result may share its memory. ``whole``: it has the same elements in the same
    order, each once, so who may overwrite one may overwrite the other."""

    call: Callable[..., Any]
    whole: bool = False


class Ufunc(NamedTuple):
    """As Pointwise, of one or two operands; takes as ``out`` an array to write to, which may be one of them."""

    call: Callable[..., Any]


class Spread(NamedTuple):
    """The operand in the shape ``narrow``, broadcast to ``shape``. It stays narrow where a ufunc broadcasts it anyway."""

    narrow: tuple
    shape: tuple


class Constant(NamedTuple):
    """``value``, which is known beforehand, broadcast to ``shape``."""

    value: np.ndarray
    shape: tuple


class Operand(NamedTuple):
    """The result is the operand at that place."""

    place: int


Step = Fresh | Pointwise | View | Ufunc | Spread | Constant | Operand | None
"""None: the results are the operands."""
RULES: dict[str, Callable[[Equation], Step]] = {}


def rule(*names: str):
    """Makes the function the rule of these primitives: it takes an Equation and returns a Step, or raises Declined."""
    def decorate(make):
        for name in names:
            if name in RULES:
                raise ValueError(f"two rules for the primitive '{name}'")
            RULES[name] = make
        return make

    return decorate


def is_half(dtype) -> bool:
    """Whether numpy computes in float32 for this dtype and rounds: the 16-bit and 8-bit floats, as XLA on the CPU."""
    return dtype.itemsize < 4 and jnp.issubdtype(dtype, np.floating)
