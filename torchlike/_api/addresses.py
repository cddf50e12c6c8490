"""Addresses: where C code and ctypes find the values of a tensor, as `data_ptr` tells.

A write gives a Storage a new jax array, at another place, and XLA may take the old one's memory. So the address is that of
a copy, which belongs to the Storage as long as it lives; asking for the address brings the copy up to date. What is
written there is not seen by the tensor.
"""

import collections
import contextlib
import threading
import weakref

import jax
import numpy as np

from torchlike._api.tensor_copies import flat_memory
from torchlike._base.forkable import forkable
from torchlike._compile.avals import span
from torchlike._compile.backends.registry import backend_of
from torchlike._record.shared_memory import is_outside
from torchlike._record.trace import force, state

ALIGNMENT = 64  # bytes, as PyTorch's allocator on the CPU
_COPIES: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
_LOCK = forkable(threading.Lock())
# The memory of Storages that are gone waits here. ``x.contiguous().data_ptr() == x.data_ptr()``: x had its memory before
# the other one's was free again, so it must not get that address now.
_GONE: collections.deque = collections.deque()
_MOST, _MOST_BYTES = 256, 1 << 25


class _Copy:
    """``memory``: the bytes. ``of``: a weak reference to the jax array that they were copied from."""

    __slots__ = ("memory", "of")

    def __init__(self, size):
        whole = np.empty(size + ALIGNMENT, np.uint8)
        start = -whole.ctypes.data % ALIGNMENT
        self.memory = whole[start:start + size]
        self.of: weakref.ref | None = None

    def __del__(self):
        _GONE.append(self.memory)
        with contextlib.suppress(RuntimeError, IndexError):  # another one went in the middle, and does the same
            while len(_GONE) > _MOST or (len(_GONE) > 1 and sum(m.size for m in _GONE) > _MOST_BYTES):
                _GONE.popleft()


def memory_of(storage) -> np.ndarray:
    """The bytes of a Storage: at the same place as long as it lives, with today's values where there are any.

    There are none, and the bytes are anything, for a tensor on a GPU and inside of `jax.jit` and `torch.func`. Memory that
    others hold is given itself.
    """
    if is_outside(storage) and storage.array.flags.c_contiguous:
        return storage.array.reshape(-1).view(np.uint8)
    with _LOCK:
        copy = _COPIES.get(storage)
        if copy is None:
            copy = _COPIES[storage] = _Copy(span(storage.aval) * storage.aval.dtype.itemsize)
    array = _array(storage)
    if array is not None and (copy.of is None or copy.of() is not array):
        copy.memory[:] = flat_memory(storage).view(np.uint8)
        copy.of = weakref.ref(array)
    return copy.memory


def address_of(storage) -> int:
    """Where `memory_of` is; 0 for an empty tensor and on device 'meta'."""
    if storage.aval.numel == 0 or not backend_of(storage.aval.device).has_values:
        return 0
    return memory_of(storage).ctypes.data


def _array(storage):
    if state.thread.frames or storage.handler is not None or not backend_of(storage.aval.device).in_host_memory:
        return None
    array = force(storage)
    return None if isinstance(array, jax.core.Tracer) else array
