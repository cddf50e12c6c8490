"""The format before PyTorch 1.6: a stream of pickles (a magic number, the version, the machine, the object, the keys of its
storages), and behind them each storage: how many elements, and their bytes.

So the values of a tensor follow the pickle that makes it: what is read shares memory with an array that is filled
afterwards.
"""

import os
import sys
from collections.abc import Iterable

import numpy as np

from torchlike._api.typed_storages import TypedStorage
from torchlike._api.untyped_storage import UntypedStorage
from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import backend_of
from torchlike._serialization.pickled_names import told

MAGIC_NUMBER, PROTOCOL_VERSION = 0x1950A86A20F9469CFC6C, 1001
_LARGE = 1 << 16
MACHINE = {"protocol_version": PROTOCOL_VERSION, "little_endian": sys.byteorder == "little",
           "type_sizes": {"short": 2, "int": 4, "long": 4}}


def _end(file) -> int:
    here = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(here)
    return end


class Within:
    """A file of which nothing behind its end is asked for: a read allocates what it asks for."""

    def __init__(self, file):
        self.file, self.limit = file, _end(file)
        self.readline = file.readline

    def read(self, size) -> bytes:
        """The next bytes, fewer at the end of the file."""
        return self.file.read(size if size < _LARGE else min(size, self.limit - self.file.tell()))


def _is_view(view) -> bool:
    return isinstance(view, tuple) and len(view) == 3 and isinstance(view[0], str) and all(
        isinstance(x, int) and x >= 0 for x in view[1:])


class Storages:
    """The storages of a file, by their keys: made when the pickle names them, filled by `read`.

    Args:
        file: where they are.
        place: puts a storage where it belongs, by where it was.
    """

    def __init__(self, file, place):
        self.file, self.place = file, place
        self.memories: dict = {}
        self.whole: dict = {}
        self.parts: dict = {}
        self.left = _end(file)  # bytes that storages may still have

    def get(self, kind, key, location, count, view):
        """The TypedStorage of a storage, or of a part of it."""
        if key not in self.whole:
            if count * kind.dtype.itemsize > self.left:
                raise RuntimeError(f"storage {key} is larger than the file")
            self.left -= count * kind.dtype.itemsize
            memory = UntypedStorage(count * kind.dtype.itemsize)
            self.memories[key] = kind.dtype.itemsize, memory._bytes.memory()
            self.whole[key] = self.place(kind, location, count, memory)
            if backend_of(self.whole[key].device).is_accelerator:
                raise UnsupportedError("torch.load of a file from before PyTorch 1.6 to a GPU: map_location='cpu' reads it")
        if view is None:
            return self.whole[key]
        if not _is_view(view):
            raise RuntimeError(f"storage {key} has a part that is none")
        part, offset, size = view
        if part not in self.parts:
            width, memory = self.memories[key]
            held = UntypedStorage.on_memory(memory[offset * width:(offset + size) * width])
            self.parts[part] = TypedStorage(wrap_storage=held, dtype=kind.dtype, _internal=True)
        return self.parts[part]

    def read(self, keys) -> None:
        """Fill the storages with these keys, in this order. RuntimeError where the file ends, has other sizes, or lacks
        one."""
        if not isinstance(keys, Iterable):
            raise RuntimeError(f"{type(keys).__name__!r} object is not iterable: the keys of the storages are no list")
        keys = [key if isinstance(key, str) else told(key) for key in keys]
        for key in keys:
            if key not in self.whole:
                raise RuntimeError(f"storage key {key!r:.60} not found in deserialized_objects")
            width, memory = self.memories[key]
            begin = self.file.read(8)
            count = int.from_bytes(begin, "little")
            if len(begin) == 8 and count * width % (1 << 64) != memory.size:  # PyTorch's product has 64 bits
                raise RuntimeError(f"storage {key} has {count} elements, not {memory.size // width}")
            data = self.file.read(memory.size)
            if len(begin + data) != 8 + memory.size:
                missing = 8 + memory.size - len(begin + data)
                raise RuntimeError(f"unexpected EOF, expected {missing} more bytes. The file might be corrupted.")
            memory[:] = np.frombuffer(data, np.uint8)
        without = [key for key in self.whole if key not in keys and self.memories[key][1].size]
        if without:
            raise RuntimeError(f"storage {without[0]:.60} has no values in the file")
