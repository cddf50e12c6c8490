"""Sizes left open: symbols in the place of numbers, which `jax.export` computes with."""

import functools
import operator
from collections.abc import Callable

from jax import export

COUNT = 6  # how many symbols there are
_NAMES = [f"s{i}" for i in range(COUNT)]
SYMBOLS = export.symbolic_shape(", ".join(_NAMES), scope=export.SymbolicScope([f"{name} >= 2" for name in _NAMES]))
_SYMBOLIC = SYMBOLS[0].__class__
_FUNCTIONS = {"floordiv": operator.floordiv, "mod": operator.mod, "max": max, "min": min}


def is_open(shape: tuple) -> bool:
    """Whether a shape has symbols."""
    return any(size.__class__ is _SYMBOLIC for size in shape)


def size_at(size, values: tuple) -> int:
    """What a size is where the symbols have these values; anything else as it is."""
    return _formula(size)(*values) if size.__class__ is _SYMBOLIC else size


@functools.lru_cache(maxsize=4096)
def _formula(size) -> Callable[..., int]:
    """JAX writes a size as an expression that is Python's, too, but for powers."""
    return eval(f"lambda {', '.join(_NAMES)}: {str(size).replace('^', '**')}", _FUNCTIONS)
