"""Views that are windows on memory: the elements of their base under other strides. They can be read on the host."""

import jax
import numpy as np

from torchlike._compile.avals import span
from torchlike._compile.backends.registry import backend_of
from torchlike._record.cell import storage_of


def is_window(chain) -> bool:
    """Whether the elements of a view by these steps are those of its base."""
    return all(row.view.is_window for row, _ in chain)


def at_hand(cell) -> bool:
    """Whether the memory behind `cell` is computed, lies on the CPU, and a window on it can be read by its strides."""
    storage = storage_of(cell)
    aval, array = storage.aval, storage.array
    return array is not None and not isinstance(array, jax.core.Tracer) and backend_of(aval.device).in_host_memory and \
        (aval is aval.plain or (array.__class__ is np.ndarray and array.strides == _in_bytes(aval.strides, array)))


def _in_bytes(strides, array) -> tuple:
    return tuple(step * array.itemsize for step in strides)


def in_memory_as(aval, values) -> np.ndarray:
    """A copy of `values` that lies in memory as the strides of `aval` say."""
    if aval is aval.plain or not aval.numel:
        return np.array(values)
    memory = np.zeros(span(aval) * values.itemsize, np.uint8)  # some of ml_dtypes' have no buffers
    found = np.ndarray(tuple(aval.shape), values.dtype, memory, 0, _in_bytes(aval.strides, values))
    found[...] = values
    return found


def flat_memory_as(aval, values) -> np.ndarray:
    """The same as a vector of all elements that the memory has, zeros where none of `values` is."""
    found = in_memory_as(aval, values)
    return found.reshape(-1) if found.base is None else found.base.view(values.dtype)


def on_host(cell) -> np.ndarray | None:
    """The values of `cell`, not to be written to, if that takes no program; None otherwise."""
    if not at_hand(cell):
        return None
    values = np.asarray(storage_of(cell).array)
    if cell.base is None:
        return values
    aval = cell.aval
    if aval.dtype is not cell.base.aval.dtype or not is_window(cell.chain):
        return None
    return _strided(values, tuple(aval.shape), aval.strides, aval.offset)


def _strided(values, shape, strides, offset) -> np.ndarray | None:
    size, start = values.dtype.itemsize, 0
    whole = values
    if not values.flags.c_contiguous:
        while whole.base.__class__ is np.ndarray:
            whole = whole.base
        if not whole.flags.forc:
            return None
        start = values.ctypes.data - whole.ctypes.data
    memory = whole.reshape(-1, order="A").view(np.uint8)  # some of ml_dtypes' have no buffers
    return np.ndarray(shape, values.dtype, memory, start + offset * size, tuple(s * size for s in strides))


def stacked(cells) -> np.ndarray | None:
    """The values of cells of one shape and dtype along a new first dimension, if that takes no program."""
    base, shape, strides = cells[0].base, tuple(cells[0].aval.shape), cells[0].aval.strides
    if base is not None and all(c.base is base and c.apart and c.aval.strides == strides for c in cells):
        if not at_hand(base):
            return None
        # All windows of this form that the memory has; picked by where they begin.
        values = np.asarray(base.array)
        count = span(base.aval) - sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
        windows = _strided(values, (count, *shape), (1, *strides), 0)
        return None if windows is None else windows[np.array([c.aval.offset for c in cells])]
    found = []
    for c in cells:
        values = on_host(c)
        if values is None:
            return None
        found.append(values)
    return np.stack(found)
