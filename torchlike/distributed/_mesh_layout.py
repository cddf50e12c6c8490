"""How the ranks of a mesh lie: which places of a list of ranks each dimension steps over.

A layout has an axis for each dimension, a tuple of (size, stride) pairs, the outermost first: none for a dimension of size
1, more than one where dimensions have been flattened that do not lie behind one another.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

Axis = tuple[tuple[int, int], ...]


def rows(shape: Sequence[int]) -> tuple[Axis, ...]:
    """The layout of a shape whose last dimension is the innermost."""
    return tuple(_axis(size, math.prod(shape[i + 1:])) for i, size in enumerate(shape))


def _axis(size: int, stride: int) -> Axis:
    return () if size == 1 else ((size, stride),)


def flattened(axes: Iterable[Axis]) -> Axis:
    """One axis that steps over several."""
    found: list = []
    for size, stride in (pair for axis in axes for pair in axis):
        if found and found[-1][1] == size * stride:
            found[-1] = found[-1][0] * size, stride
        else:
            found.append((size, stride))
    return tuple(found)


def unflattened(axis: Axis, sizes: Sequence[int]) -> tuple[Axis, ...]:
    """The axes of these sizes that `axis` steps over: it must be of one piece."""
    stride = axis[0][1] if axis else 1
    return tuple(_axis(size, stride * math.prod(sizes[i + 1:])) for i, size in enumerate(sizes))


def size_of(axis: Axis) -> int:
    """How many places an axis has."""
    return math.prod(size for size, _ in axis)


def stride_of(axis: Axis):
    """Its stride as PyTorch writes it: a number, a tuple of those of its pieces."""
    return axis[0][1] if len(axis) == 1 else tuple(stride for _, stride in axis)


def offsets(axes: Iterable[Axis]) -> np.ndarray:
    """The places that a layout steps over, of its shape."""
    found = np.zeros((), int)
    for axis in axes:
        steps = np.zeros(1, int)
        for size, stride in axis:
            steps = (steps[:, None] + np.arange(size) * stride).reshape(-1)
        found = found[..., None] + steps
    return found


def overlap(axes: Iterable[Axis]) -> bool:
    """Whether a layout comes to a place twice."""
    places = offsets(axes)
    return len(np.unique(places)) < places.size


def copies(axes: Iterable[Axis], count: int) -> np.ndarray:
    """All layouts of this kind that `count` places consist of, along a first dimension."""
    places = offsets(axes)
    free, found = np.ones(count, bool), []
    for start in range(count):
        if free[start]:
            found.append(start + places)
            free[found[-1].reshape(-1)] = False
    return np.stack(found)
