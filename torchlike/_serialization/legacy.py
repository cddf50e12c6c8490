"""The format before PyTorch 1.6: a stream of pickles (a magic number, the version, the machine, the object, the keys of its
storages), and behind them each storage: how many elements, and their bytes.

So the values of a tensor follow the pickle that makes it: what is read shares memory with an array that is filled
afterwards.
"""

import os
import sys

import numpy as np

from torchlike._api.untyped_storage import TypedStorage, UntypedStorage
from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import backend_of

MAGIC_NUMBER, PROTOCOL_VERSION = 0x1950A86A20F9469CFC6C, 1001
MACHINE = {"protocol_version": PROTOCOL_VERSION, "little_endian": sys.byteorder == "little",
           "type_sizes": {"short": 2, "int": 4, "long": 4}}


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
        here = file.tell()
        self.limit = file.seek(0, os.SEEK_END)
        file.seek(here)

    def get(self, kind, key, location, count, view):
        """The TypedStorage of a storage, or of a part of it."""
        if key not in self.whole:
            if not isinstance(count, int) or not 0 <= count * kind.dtype.itemsize <= self.limit:
                raise RuntimeError(f"storage {key} of {count} elements is larger than the file")
            memory = UntypedStorage(count * kind.dtype.itemsize)
            self.memories[key] = kind.dtype.itemsize, memory._bytes.memory()
            self.whole[key] = self.place(kind, location, count, memory)
            if backend_of(self.whole[key].device).is_accelerator:
                raise UnsupportedError("torch.load of a file from before PyTorch 1.6 to a GPU: map_location='cpu' reads it")
        if view is None:
            return self.whole[key]
        part, offset, size = view
        if part not in self.parts:
            width, memory = self.memories[key]
            held = UntypedStorage.on_memory(memory[offset * width:(offset + size) * width])
            self.parts[part] = TypedStorage(wrap_storage=held, dtype=kind.dtype, _internal=True)
        return self.parts[part]

    def read(self, keys) -> None:
        """Fill the storages with these keys, in this order. RuntimeError where the file ends, or has other sizes."""
        for key in keys:
            if key not in self.whole:
                raise RuntimeError(f"storage key {key!r} not found in deserialized_objects")
            width, memory = self.memories[key]
            count = int.from_bytes(self.file.read(8), "little")
            if count * width != memory.size:
                raise RuntimeError(f"storage {key} has {count} elements, not {memory.size // width}")
            data = self.file.read(memory.size)
            if len(data) != memory.size:
                raise RuntimeError(f"unexpected EOF, expected {memory.size - len(data)} more bytes. The file might be "
                                   "corrupted.")
            memory[:] = np.frombuffer(data, np.uint8)
