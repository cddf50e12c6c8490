"""The directory of a checkpoint: ``.metadata`` and the data directory that it names."""

import os
import re
import secrets
import shutil

import jax
from orbax import checkpoint as orbax

from torchlike import serialization
from torchlike._base.errors import UnsupportedError
from torchlike._serialization import archive

METADATA = ".metadata"
_DATA = re.compile("data-[0-9a-f]{16}")


class CheckpointException(BaseException):
    """A save or load failed.

    Args:
        msg: "save" or "load".
        failures: a dict from ranks to errors; there is only rank 0.
    """

    def __init__(self, msg, failures):
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict:
        """A dict from ranks to errors."""
        return self._failures

    def __str__(self):
        return f"CheckpointException ranks:{self._failures.keys()}\n" + "\n".join(map(str, self._failures.values()))


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

    def write(self, arrays: dict, metadata: dict) -> None:
        """Writes the arrays, and then the metadata, which makes them the checkpoint.

        Args:
            arrays: a dict from names to jax arrays.
            metadata: a dict with "tensors" and "objects".

        Raises:
            RuntimeError: there is a checkpoint, and `overwrite` is False.
        """
        if not self.overwrite and os.path.exists(self.file):
            raise RuntimeError(f"Checkpoint already exists and self.overwrite={self.overwrite!r}.")
        os.makedirs(self.path, exist_ok=True)
        folder = f"data-{secrets.token_hex(8)}"
        try:
            if arrays:
                with orbax.PyTreeCheckpointer() as checkpointer:
                    checkpointer.save(os.path.join(self.path, folder), arrays)
            with archive.replacing(self.file) as file:
                serialization.save({**metadata, "data": folder}, file)
        except BaseException:
            shutil.rmtree(os.path.join(self.path, folder), ignore_errors=True)
            raise
        for old in os.listdir(self.path):
            if old.startswith("data-") and not old.startswith(folder):
                shutil.rmtree(os.path.join(self.path, old), ignore_errors=True)


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
        """The metadata: {"tensors": {name: (size, dtype)}, "objects": {name: value}, "data": directory}."""
        with open(self.file, "rb") as file:
            return serialization.load(file)

    def read(self, folder, wanted: dict) -> dict:
        """Reads arrays.

        Args:
            folder: the directory of the data, which the metadata names.
            wanted: a dict from names to arrays of the shape, dtype and sharding that are asked for.

        Returns:
            a dict from names to jax arrays.

        Raises:
            ValueError: `folder` is none that `FileSystemWriter` makes.
        """
        if not wanted:
            return {}
        if not isinstance(folder, str) or _DATA.fullmatch(folder) is None:
            raise ValueError("the metadata names no directory of data")  # it could be any on this machine
        arguments = {name: orbax.ArrayRestoreArgs(sharding=x.sharding, dtype=x.dtype) for name, x in wanted.items()}
        shapes = {name: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=x.sharding) for name, x in wanted.items()}
        with orbax.PyTreeCheckpointer() as checkpointer:
            return checkpointer.restore(os.path.join(self.path, folder), args=orbax.args.PyTreeRestore(
                item=shapes, restore_args=arguments, partial_restore=True))
