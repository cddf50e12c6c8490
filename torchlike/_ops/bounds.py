"""PyTorch's errors for indices out of bounds, for callers that know the indices' values.

``BOUNDS[row name](shape, indices, dim)`` looks at numpy arrays and raises; `shape` is that of the
tensor that is indexed, `indices` a numpy array (for index and index_put a tuple of arrays or None).
"""

import math

import numpy as np


def _outside(index, low, high):
    """The first element outside [low, high), or None."""
    if index.size == 0 or (index.min() >= low and index.max() < high):
        return None
    flat = index.reshape(-1)
    return int(flat[np.argmax((flat < low) | (flat >= high))])


def _size(shape, dim):
    return shape[dim] if shape else 1


def _text(value, dim, size):
    return f"index {value} is out of bounds for dimension {dim} with size {size}"


def _along(error, prefix="", negative=False):
    def check(shape, index, dim):
        dim = dim + max(len(shape), 1) if dim < 0 else dim
        size = _size(shape, dim)
        bad = _outside(index, -size if negative else 0, size)
        if bad is not None:
            raise error(prefix + _text(bad, dim, size))

    return check


def _index(shape, indices, dim=None):
    indexed = 0  # PyTorch counts the indexed dimensions only
    for size, index in zip(shape, indices, strict=False):
        if index is None:
            continue
        if index.dtype != np.bool_ and size:  # the row itself refuses empty dimensions
            bad = _outside(index, -size, size)
            if bad is not None:
                raise IndexError(_text(bad, indexed, size))
        indexed += 1


def _index_select(shape, index, dim):
    size = _size(shape, dim)
    if _outside(index, 0, size) is not None:
        raise IndexError("index out of range in self")


def _flat(shape, index, dim=None):
    count = math.prod(shape)
    bad = _outside(index, -count, count)
    if bad is not None:
        raise IndexError(f"out of range: tried to access index {bad} on a tensor of {count} elements.")


def _embedding(shape, index, dim=None):
    if _outside(index, 0, shape[0]) is not None:
        raise IndexError("index out of range in self")


def check_target(classes, target, ignored) -> None:
    """The error for a target of nll_loss that is no class."""
    outside = (target != ignored) & ((target < 0) | (target >= classes))
    if outside.any():
        raise IndexError(f"Target {target[outside].flat[0]} is out of bounds.")


BOUNDS = {
    "embedding": _embedding,
    "index.Tensor": _index, "index_put": _index, "take": _flat, "put": _flat, "index_select": _index_select,
    "index_copy": _along(IndexError, "index_copy_(): "),
    "index_fill.int_Scalar": _along(IndexError, negative=True),
    "index_fill.int_Tensor": _along(IndexError, negative=True),
    **{name: _along(RuntimeError) for name in (
        "gather", "scatter.src", "scatter.value", "scatter.reduce", "scatter.value_reduce", "scatter_add",
        "scatter_reduce.two", "index_add", "index_reduce")},
}
