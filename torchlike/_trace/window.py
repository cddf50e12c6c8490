"""Views that are windows on memory: the elements of their base under other strides. They can be read on the host."""

import jax
import numpy as np

from torchlike._storage import storage_of

_OTHER_ELEMENTS = {"view_as_real", "view_as_complex", "real", "imag", "_conj"}


def is_window(chain) -> bool:
    """Whether the elements of a view by these steps are those of its base."""
    return not any(row.name in _OTHER_ELEMENTS for row, _ in chain)


def at_hand(cell) -> bool:
    """Whether the memory behind `cell` is computed, lies on the CPU, and a window on it can be read by its strides."""
    storage = storage_of(cell)
    aval = storage.aval
    return storage.array is not None and not isinstance(storage.array, jax.core.Tracer) and \
        aval.device.type == "cpu" and aval is aval.plain


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
    size = values.dtype.itemsize
    memory = values.reshape(-1).view(np.uint8)  # some of ml_dtypes' have no buffers
    return np.ndarray(aval.shape, values.dtype, memory, aval.offset * size, tuple(s * size for s in aval.strides))
