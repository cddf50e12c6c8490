"""The directory of a checkpoint. In it lie

- ``data-<random>/rank-<n>/``: what rank n has written, a checkpoint of orbax's. What several ranks have is written by one of
  them, the one that has least to write; of a DTensor that is a part.
- ``.metadata``: {"data": that directory, "parts": of each tensor where its parts lie in it and the ranks that have written
  them, "tensors": their sizes and dtypes, "objects": all other values, "by_rank": those of each rank where they are not the
  same}.
"""

import os
import re
import secrets
import shutil

import jax
from orbax import checkpoint as orbax

from torchlike import serialization
from torchlike._base.errors import UnsupportedError
from torchlike._serialization import archive
from torchlike.distributed.checkpoint.parts import assembled, overlap
from torchlike.distributed.checkpoint.plan import part_name

METADATA = ".metadata"
_DATA = re.compile("data-[0-9a-f]{16}")


class _Place:
    """Where a checkpoint is."""

    def __init__(self, path):
        self.path = os.path.abspath(os.fspath(path))
        self.checkpoint_id = path

    @property
    def file(self) -> str:
        """The path of the metadata."""
        return os.path.join(self.path, METADATA)


class FileSystemWriter(_Place):
    """Writes a checkpoint to a directory. orbax decides how many files and threads there are.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.FileSystemWriter

    Args:
        path: the directory.
        overwrite: whether a checkpoint that is there may be replaced.
        single_file_per_rank, sync_files, thread_count, per_thread_copy_ahead, cache_staged_state_dict: without effect.
        serialization_format: refused.

    Raises:
        UnsupportedError: a `serialization_format`.
    """

    def __init__(self, path, single_file_per_rank=True, sync_files=True, thread_count=1, per_thread_copy_ahead=10_000_000,
                 cache_staged_state_dict=False, overwrite=True, _extensions=None, serialization_format=None):
        super().__init__(path)
        if _extensions is not None or serialization_format is not None:
            raise UnsupportedError("torch.distributed.checkpoint.FileSystemWriter(_extensions=, serialization_format=)")
        self.overwrite = overwrite

    def begin(self) -> str:
        """Looks whether a checkpoint may be written, and makes the directory.

        Returns:
            the name of a new directory in it.

        Raises:
            RuntimeError: there is a checkpoint, and `overwrite` is False.
        """
        if not self.overwrite and os.path.exists(self.file):
            raise RuntimeError(f"Checkpoint already exists and self.overwrite={self.overwrite!r}.")
        os.makedirs(self.path, exist_ok=True)
        return f"data-{secrets.token_hex(8)}"

    def write(self, folder: str, rank: int, arrays: dict) -> None:
        """Writes what one rank has to write.

        Args:
            folder: what `begin` has returned on one of the ranks.
            rank: this one.
            arrays: a dict from names to jax arrays.
        """
        place = os.path.join(self.path, folder)
        os.makedirs(place, exist_ok=True)
        if arrays:
            with orbax.PyTreeCheckpointer() as checkpointer:
                checkpointer.save(os.path.join(place, f"rank-{rank}"), arrays)

    def finish(self, metadata: dict) -> None:
        """Makes what all ranks have written the checkpoint, and removes the one before. One rank does so.

        Args:
            metadata: see `plan.joined`.
        """
        try:
            with archive.replacing(self.file) as file:
                serialization.save(metadata, file)
        except BaseException:
            self.discard(metadata["data"])
            raise
        for old in os.listdir(self.path):
            if old.startswith("data-") and old != metadata["data"]:
                shutil.rmtree(os.path.join(self.path, old), ignore_errors=True)

    def discard(self, folder: str) -> None:
        """Removes what has been written.

        Args:
            folder: as for `write`.
        """
        shutil.rmtree(os.path.join(self.path, folder), ignore_errors=True)


class FileSystemReader(_Place):
    """Reads the checkpoint in a directory.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.FileSystemReader

    Args:
        path: the directory.

    Raises:
        UnsupportedError: an extension registry.
    """

    def __init__(self, path, _extension_registry=None):
        super().__init__(path)
        if _extension_registry is not None:
            raise UnsupportedError("torch.distributed.checkpoint.FileSystemReader(_extension_registry=)")

    def read_metadata(self) -> dict:
        """The metadata: see `plan.joined`."""
        with open(self.file, "rb") as file:
            return serialization.load(file)

    def read(self, metadata: dict, wanted: dict) -> dict:
        """Reads parts of tensors, each from those parts that overlap with it.

        Args:
            metadata: what `read_metadata` has returned.
            wanted: a dict from names to (where the part lies, an array of the shape, dtype and sharding that are asked for).

        Returns:
            a dict from names to jax arrays.

        Raises:
            ValueError: the metadata names no directory that `FileSystemWriter` makes, or no part of what is asked for.
        """
        by_folder: dict = {}
        sources: dict = {}
        for name, (place, array) in wanted.items():
            sources[name] = []
            for other, folder in _parts(metadata, name):
                if overlap(place, other) is not None or other == place:
                    key = part_name(name, other)
                    sources[name].append((other, folder, key))
                    same = array if other == place else jax.ShapeDtypeStruct(other[1], array.dtype, sharding=array.sharding)
                    by_folder.setdefault(folder, {})[key] = same
        read = {folder: _read(os.path.join(self.path, folder), {k: x for k, x in arrays.items() if 0 not in x.shape})
                for folder, arrays in by_folder.items()}
        return {name: wanted[name][1] if 0 in wanted[name][0][1] else assembled(
            wanted[name][0], [(place, read[folder][key]) for place, folder, key in found], wanted[name][1])
            for name, found in sources.items()}


def _parts(metadata, name) -> list[tuple]:
    """[(where it lies, the directory)] of the parts of a tensor. A checkpoint of an earlier version has whole tensors, and a
    yet earlier one has one directory for all."""
    folder = metadata["data"]
    whole = (0,) * len(metadata["tensors"][name][0]), tuple(metadata["tensors"][name][0])
    if not isinstance(folder, str) or _DATA.fullmatch(folder) is None:
        raise ValueError("the metadata names no directory of data")  # it could be any on this machine
    found = metadata["parts"][name] if "parts" in metadata else [(whole, metadata.get("places", {}).get(name))]
    if not all(isinstance(rank, int | None) for _, rank in found):
        raise ValueError("the metadata names no directory of data")
    return [(place, folder if rank is None else os.path.join(folder, f"rank-{rank}")) for place, rank in found]


def _read(place, wanted) -> dict:
    if not wanted:
        return {}
    arguments = {name: orbax.ArrayRestoreArgs(sharding=x.sharding, dtype=x.dtype) for name, x in wanted.items()}
    shapes = {name: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding) for name, x in wanted.items()}
    with orbax.PyTreeCheckpointer() as checkpointer:
        return checkpointer.restore(place, args=orbax.args.PyTreeRestore(
            item=shapes, restore_args=arguments, partial_restore=True))
