"""Memory that somebody else may write to: a numpy array under a tensor, as `from_numpy` and `numpy()` make.

numpy tells nobody that it writes. So such a Storage is in no trace: its ``array`` is the numpy array itself, and its
``trace`` an `Outside` for as long as anybody else holds that memory. The recorder takes any Storage whose trace is not its
own for another thread's (`Trace.enter`); of these the values are read when an operation is recorded, each time anew, and
what writes to one runs at once. Other Storages pay nothing for it.

https://pytorch.org/docs/stable/generated/torch.from_numpy.html
"""

import contextlib
from sys import getrefcount

import jax
import numpy as np

from torchlike._record.cell import Storage


class Outside:
    """The "trace" of a Storage whose values are in memory that others hold.

    Args:
        memory: the array; its `owner` is what all arrays on that memory refer to.
    """

    __slots__ = ("lock", "owner", "values")

    def __init__(self, memory: np.ndarray):
        self.owner = _owner(memory)
        self.lock = contextlib.nullcontext()  # there is nothing to wait for
        self.values = ()

    def is_held(self) -> bool:
        """Whether anybody but the Storage's own array holds the memory."""
        return self.owner.__class__ is not np.ndarray or getrefcount(self.owner) > _HELD_BY_US


def _owner(array):
    """What the arrays on a piece of memory have as their last `base`."""
    while array.__class__ is np.ndarray and array.base is not None:
        array = array.base
    return array


def share(storage: Storage, memory: np.ndarray) -> None:
    """Let the values of a computed Storage be those in `memory`, which others may write to.

    Args:
        storage: of no trace.
        memory: of the Storage's shape and dtype; the Storage holds an array of its own on that memory.
    """
    alias = memory.view(np.ndarray)
    storage.array, storage.trace = alias, Outside(alias)  # in this order: an interruption between them does no harm


def _held_by_us() -> int:
    """What getrefcount says of an array on whose memory there is one other array."""
    outside = Outside(np.empty(1).view(np.ndarray))
    alias = outside.owner.view(np.ndarray)
    found = getrefcount(outside.owner)
    del alias
    return found


_HELD_BY_US = _held_by_us()


def is_outside(cell) -> bool:
    """Whether the values of a Storage are in memory that others hold. Where nobody does any longer, it becomes a Storage as
    others are."""
    outside = cell.trace
    if outside.__class__ is not Outside:
        return False
    if outside.is_held():
        return True
    cell.trace = None
    return False


def put_outside(storage: Storage, value) -> None:
    """Write the computed `value` into the memory. Where it does not fit, the memory is read-only or the value is a
    transform's, the Storage parts from it."""
    memory: np.ndarray = storage.array  # pyrefly: ignore[bad-assignment] - of an Outside there is one
    if memory.flags.writeable and not isinstance(value, jax.core.Tracer) and value.shape == memory.shape:
        np.copyto(memory, np.asarray(value))
    else:
        storage.array, storage.trace = value, None
