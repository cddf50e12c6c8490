"""The format before PyTorch 1.6: a stream of pickles (a magic number, the version, the machine, the object, the keys of its
storages), and behind them each storage: how many elements, and their bytes.

So the values of a tensor follow the pickle that makes it: what is read shares memory with an array that is filled
afterwards.
"""

import os
import sys

import numpy as np

from torchlike._base import device as dev
from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import backend_of
from torchlike._record.leaf import leaf_in
from torchlike._serialization.pickled_names import STORAGE_OF
from torchlike._serialization.storage import Memory

MAGIC_NUMBER, PROTOCOL_VERSION = 0x1950A86A20F9469CFC6C, 1001
MACHINE = {"protocol_version": PROTOCOL_VERSION, "little_endian": sys.byteorder == "little",
           "type_sizes": {"short": 2, "int": 4, "long": 4}}


class Unread(Memory):
    """A storage whose values come later."""

    def __init__(self, values, dtype, device=dev.CPU):
        super().__init__(b"", dtype, device)
        self.values = values

    def on(self, device):
        """The same on a device; UnsupportedError for a GPU."""
        if backend_of(device).is_accelerator:
            raise UnsupportedError("torch.load of a file from before PyTorch 1.6 to a GPU: map_location='cpu' reads it")
        return Unread(self.values, self.dtype, device)

    def leaf(self, values):
        """A tensor on the very memory."""
        return leaf_in(values)

    def check_bits(self, metadata) -> None:
        """UnsupportedError for a tensor that is made of its values, which are not there yet."""
        if metadata and (metadata.get("conj") or metadata.get("neg")):
            raise UnsupportedError("a conjugated tensor in a file of the format before PyTorch 1.6")


class Storages:
    """The storages of a file, by their keys: made when the pickle names them, filled by `read`.

    Args:
        file: where they are.
        place: puts a storage where it belongs, by where it was.
    """

    def __init__(self, file, place):
        self.file, self.place = file, place
        self.whole: dict = {}
        self.parts: dict = {}
        here = file.tell()
        self.limit = file.seek(0, os.SEEK_END)
        file.seek(here)

    def get(self, kind, key, location, count, view):
        """The Memory of a storage, or of a part of it."""
        if key not in self.whole:
            if not isinstance(count, int) or not 0 <= count * kind.dtype.itemsize <= self.limit:
                raise RuntimeError(f"storage {key} of {count} elements is larger than the file")
            self.whole[key] = self.place(location, Unread(np.empty(count, kind.dtype.np), kind.dtype))
        whole = self.whole[key]
        if view is None:
            return whole
        part, offset, size = view
        if part not in self.parts:
            self.parts[part] = Unread(whole.values[offset:offset + size], whole.dtype, whole.device)
        return self.parts[part]

    def read(self, keys) -> None:
        """Fill the storages with these keys, in this order. RuntimeError where the file ends, or has other sizes."""
        for key in keys:
            if key not in self.whole:
                raise RuntimeError(f"storage key {key!r} not found in deserialized_objects")
            values = self.whole[key].values
            count = int.from_bytes(self.file.read(8), "little")
            if count != values.size:
                raise RuntimeError(f"storage {key} has {count} elements, not {values.size}")
            data = self.file.read(values.nbytes)
            if len(data) != values.nbytes:
                raise RuntimeError(f"unexpected EOF, expected {values.nbytes - len(data)} more bytes. The file might be "
                                   "corrupted.")
            values.view(np.uint8)[:] = np.frombuffer(data, np.uint8)


def check_dtypes(dtypes) -> None:
    """UnsupportedError for a dtype that came after this format."""
    for dtype in dtypes:
        if dtype not in STORAGE_OF:
            raise UnsupportedError(f"torch.save(_use_new_zipfile_serialization=False): the format has no name for {dtype}")
