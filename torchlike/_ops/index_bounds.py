"""PyTorch's errors for indices out of bounds.

A row's field `bounds` is one of the functions ``(shape, indices, dim)`` here, which gives the Bound of each index: what
must hold for it. `shape` is that of the tensor that is indexed, `indices` the index (for index and index_put a tuple of
indices or None). Callers that know the values look at once; the row ``_outside`` finds the first bad value where they
are not computed yet.
"""

import dataclasses
import math
from collections.abc import Callable

import jax.numpy as jnp
from jax import lax

from torchlike._ops.numerics.lean import Lean
from torchlike._ops.table import op


@dataclasses.dataclass(frozen=True, slots=True)
class Bound:
    """`index` lies in [low, high) (or is `ignored`), or there is the exception ``error(bad value)``."""

    index: object
    low: int
    high: int
    error: Callable
    ignored: int | None = None

    def check(self, values) -> None:
        """Raise the error if one of the index's values, a numpy array, is outside."""
        if values.size == 0 or (values.min() >= self.low and values.max() < self.high):
            return
        outside = (values < self.low) | (values >= self.high)
        if self.ignored is not None:
            outside &= values != self.ignored
        if outside.any():
            raise self.error(int(values[outside].flat[0]))


@op("_outside(Tensor self, int low, int high, int? ignored=None) -> Tensor", function=False, method=False, ours=True)
def _outside(x, *, low, high, ignored):
    """(whether a value lies outside [low, high), the first that does)."""
    if x.size == 0:
        return jnp.zeros(2, jnp.int64)
    x = Lean(x).astype(jnp.int64).reshape(x.size)  # a limit may be more than a byte has
    outside = (x < low) | (x >= high)
    if ignored is not None:
        outside &= x != ignored
    first = lax.argmax(outside.array, 0, jnp.int64)
    found = Lean(lax.reduce_or(outside.array, (0,))), Lean(lax.dynamic_slice(x.array, (first,), (1,)))
    return lax.concatenate([part.reshape(1).astype(jnp.int64).array for part in found], 0)


def _size(shape, dim):
    return shape[dim] if shape else 1


def _text(value, dim, size):
    return f"index {value} is out of bounds for dimension {dim} with size {size}"


def along(error, prefix="", negative=False):
    """Of an index along `dim`; `negative` numbers count from its end."""
    def bounds(shape, index, dim):
        dim = dim + max(len(shape), 1) if dim < 0 else dim
        size = _size(shape, dim)
        return [Bound(index, -size if negative else 0, size, lambda bad: error(prefix + _text(bad, dim, size)))]

    return bounds


def index(shape, indices, dim=None):
    """Of each index of ``x[...]``."""
    indexed = [(size, index) for size, index in zip(shape, indices, strict=False) if index is not None]
    return [Bound(index, -size, size, lambda bad, place=place, size=size: IndexError(_text(bad, place, size)))
            for place, (size, index) in enumerate(indexed) if size]  # the row itself refuses empty dimensions


def index_add(shape, index, dim):
    """As `along`; PyTorch has another kernel for a vector."""
    if len(shape) <= 1:
        return [Bound(index, 0, math.prod(shape), lambda bad: IndexError("index out of range in self"))]
    return along(RuntimeError)(shape, index, dim)


def index_reduce(shape, index, dim):
    """Of an index along `dim`, in the words of that operator."""
    return [Bound(index, 0, _size(shape, dim), lambda bad: IndexError("index out of range in self"))]


def index_select(shape, index, dim):
    """As `index_reduce`; PyTorch has another kernel for the second dimension."""
    if len(shape) < 2 or dim % len(shape) != 1:
        return index_reduce(shape, index, dim)
    size = shape[1]
    return [Bound(index, 0, size, lambda bad: RuntimeError(
        f"INDICES element is out of DATA bounds, id={bad} axis_dim={size}"))]


def flat(shape, index, dim=None):
    """Of positions in the flattened tensor."""
    count = math.prod(shape)
    return [Bound(index, -count, count, lambda bad: IndexError(
        f"out of range: tried to access index {bad} on a tensor of {count} elements."))]


def embedding(shape, index, dim=None):
    """Of the number of a row of the table."""
    return [Bound(index, 0, shape[0], lambda bad: IndexError("index out of range in self"))]


def of_places(extents, places) -> list:
    """The Bound of the flat positions that max_unpool writes to in a block of these extents."""
    block = "x".join(map(str, extents))
    return [Bound(places, 0, math.prod(extents), lambda bad: RuntimeError(
        f"Found an invalid max index: {bad} (output volumes are of size {block})"))]


def of_target(classes, target, ignored) -> list:
    """The Bound of a target of nll_loss, which must be a class or `ignored`."""
    return [Bound(target, 0, classes, lambda bad: IndexError(f"Target {bad} is out of bounds."), ignored)]

