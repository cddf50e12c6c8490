"""The directory of a checkpoint. In it lie

- ``data-<random>/rank-<n>/``: what rank n has written, a checkpoint of orbax's. What several ranks have is written by one of
  them, the one that has least to write; of a DTensor that is a part.
- ``.metadata``: {"data": that directory, "parts": of each tensor where its parts lie in it and the ranks that have written
  them, "tensors": their sizes and dtypes, "objects": all other values, "by_rank": those of each rank where they are not the
  same, "paths": the keys that lead to each entry}.
"""

import dataclasses
import io
import os
import re
import secrets
import shutil
from typing import Any

import jax
from orbax import checkpoint as orbax

from torchlike import serialization
from torchlike._base.errors import UnsupportedError
from torchlike._base.size import Size
from torchlike._compile.jax_private import own_work
from torchlike._record.leaf import leaf, to_jax
from torchlike._serialization import archive
from torchlike.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from torchlike.distributed.checkpoint.parts import assembled, overlap
from torchlike.distributed.checkpoint.plan import part_name
from torchlike.distributed.checkpoint.planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    SavePlan,
    SavePlanner,
    WriteItemType,
)
from torchlike.distributed.checkpoint.storage import StorageReader, StorageWriter, WriteResult
from torchlike.futures import Future

METADATA = ".metadata"
_DATA = re.compile("data-[0-9a-f]{16}")


class _Place:
    """Where a checkpoint is."""

    def __init__(self, path):
        self.reset(path)
        self._rank = 0

    def reset(self, checkpoint_id=None) -> None:
        """From now on it is another directory.

        Args:
            checkpoint_id: the directory; None for the same.
        """
        if checkpoint_id is not None:
            self.path, self.checkpoint_id = os.path.abspath(os.fspath(checkpoint_id)), checkpoint_id

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id) -> bool:
        """Whether it is a path that is there, or could be made.

        Args:
            checkpoint_id: the path.

        Returns:
            a bool.
        """
        path = os.fspath(checkpoint_id)
        return "://" not in path and (os.path.exists(path) or os.access(os.path.dirname(os.path.abspath(path)), os.W_OK))

    def prepare_local_plan(self, plan):
        """The plan as it is.

        Args:
            plan: it.

        Returns:
            the plan.
        """
        return plan

    @property
    def file(self) -> str:
        """The path of the metadata."""
        return os.path.join(self.path, METADATA)


class FileSystemWriter(_Place, StorageWriter):
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
        self._folder = ""

    def storage_meta(self) -> StorageMeta:
        """Where it writes.

        Returns:
            a StorageMeta.
        """
        return StorageMeta(self.checkpoint_id)

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """A save begins.

        Args:
            is_coordinator, args, kwargs: as for `StorageWriter`.
        """
        self._folder = ""

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Makes the directory that all ranks write to.

        Args:
            plans: the plans by rank.

        Returns:
            the plans, which name it.
        """
        self._folder = self.begin()
        return [dataclasses.replace(plan, storage_data=(self._folder, rank)) for rank, plan in enumerate(plans)]

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Writes what this rank has to write; that has been done when it returns.

        Args:
            plan: what that is.
            planner: who has the data.

        Returns:
            a Future of what has been written.
        """
        folder, rank = plan.storage_data
        arrays, results = {}, []
        for item in plan.items:
            data = planner.resolve_data(item)
            if item.type is WriteItemType.BYTE_IO:
                text = data.getvalue()
                results.append(WriteResult(item.index, len(text), serialization.load(io.BytesIO(text), weights_only=False)))
                continue
            place = tuple(item.tensor_data.chunk.offsets), tuple(item.tensor_data.chunk.sizes)
            arrays[part_name(item.index.fqn, place)] = array = to_jax(data.detach())
            results.append(WriteResult(item.index, array.nbytes, (place, rank, data.dtype)))
        with own_work():
            self.write(folder, rank, {name: array for name, array in arrays.items() if array.size})
        return _done(results)

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Makes what all ranks have written the checkpoint.

        Args:
            metadata: what is in it.
            results: what the ranks have written.
        """
        contents: dict = {"data": self._folder, "tensors": {}, "parts": {}, "objects": {}, "by_rank": {},
                          "paths": metadata.planner_data or {}}
        for result in (result for each in results for result in each):
            name = result.index.fqn
            entry = metadata.state_dict_metadata[name]
            if isinstance(entry, TensorStorageMetadata):
                place, rank, dtype = result.storage_data
                contents["tensors"][name] = list(entry.size), dtype
                contents["parts"].setdefault(name, []).append((place, rank))
            else:
                contents["objects"][name] = result.storage_data
        self.publish(contents)
        self._folder = ""

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

    def publish(self, contents: dict) -> None:
        """Makes what all ranks have written the checkpoint, and removes the one before. One rank does so.

        Args:
            contents: see `plan.joined`.
        """
        try:
            with archive.replacing(self.file) as file:
                serialization.save(contents, file)
        except BaseException:
            self.discard(contents["data"])
            raise
        for old in os.listdir(self.path):
            if old.startswith("data-") and old != contents["data"]:
                shutil.rmtree(os.path.join(self.path, old), ignore_errors=True)

    def abandon(self) -> None:
        """Removes what has been written since `set_up_storage_writer`, if the save is not done."""
        if self._folder:
            self.discard(self._folder)

    def discard(self, folder: str) -> None:
        """Removes what has been written.

        Args:
            folder: as for `write`.
        """
        shutil.rmtree(os.path.join(self.path, folder), ignore_errors=True)


class FileSystemReader(_Place, StorageReader):
    """Reads the checkpoint in a directory.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.FileSystemReader

    Args:
        path: the directory.

    Raises:
        UnsupportedError: an extension registry.
    """

    def __init__(self, path, _extension_registry=None):
        super().__init__(path)
        self._contents: dict = {}
        if _extension_registry is not None:
            raise UnsupportedError("torch.distributed.checkpoint.FileSystemReader(_extension_registry=)")

    def contents(self) -> dict:
        """What the writer has written beside the tensors: see `plan.joined`."""
        with open(self.file, "rb") as file:
            return serialization.load(file)

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """What is in the checkpoint.

        Args:
            args, kwargs: without effect.

        Returns:
            the Metadata; its ``storage_data`` is torchlike's own.
        """
        return metadata_of(self.contents())

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """A load begins.

        Args:
            metadata, is_coordinator, args, kwargs: as for `StorageReader`.
        """
        self._contents, self._rank = metadata.storage_data, kwargs.get("rank") or 0

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """The plans as they are.

        Args:
            plans: them.

        Returns:
            the plans.
        """
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Reads what this rank has to read; that has been done when it returns.

        Args:
            plan: what that is.
            planner: who takes the data.

        Returns:
            a Future that is done.
        """
        targets = [(item, planner.resolve_tensor(item).detach()) for item in plan.items if item.type is LoadItemType.TENSOR]
        rounds: list[dict] = []  # of each tensor one part
        for item, target in targets:
            name = item.storage_index.fqn
            free = next((each for each in rounds if name not in each), None)
            if free is None:
                rounds.append(free := {})
            free[name] = item, target
        for item in plan.items:
            if item.type is LoadItemType.BYTE_IO:
                file = io.BytesIO()
                serialization.save(object_of(self._contents, item.storage_index.fqn, self._rank), file)
                file.seek(0)
                planner.load_bytes(item, file)
        for each in rounds:
            with own_work():
                arrays = self.read(self._contents, {name: (_place_of(item), to_jax(target))
                                                    for name, (item, target) in each.items()})
            for name, (item, target) in each.items():
                target.copy_(leaf(arrays[name], target.device))
                planner.commit_tensor(item, target)
        return _done(None)

    def read(self, metadata: dict, wanted: dict) -> dict:
        """Reads parts of tensors, each from those parts that overlap with it.

        Args:
            metadata: what `contents` has returned.
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


def metadata_of(contents: dict) -> Metadata:
    """What is in a checkpoint, as planners want it.

    Args:
        contents: see `plan.joined`.

    Returns:
        the Metadata.
    """
    entries: dict = {name: BytesStorageMetadata() for name in contents["objects"]}
    for name, (sizes, dtype) in contents["tensors"].items():
        chunks = [ChunkStorageMetadata(*map(Size, place)) for place, _ in _parts(contents, name)]
        entries[name] = TensorStorageMetadata(TensorProperties(dtype), Size(sizes), chunks)
    return Metadata(entries, planner_data=contents.get("paths"), storage_data=contents)


def object_of(contents: dict, name: str, rank: int):
    """What is no tensor.

    Args:
        contents: see `plan.joined`.
        name: its name.
        rank: whose it is, if not all ranks had the same.

    Returns:
        the object.
    """
    return contents.get("by_rank", {}).get(name, {}).get(rank, contents["objects"].get(name))


def _place_of(item) -> tuple[tuple, tuple]:
    """Where in the whole tensor the part lies that an item reads."""
    begins = item.storage_index.offset or (0,) * len(item.lengths)
    return tuple(a + b for a, b in zip(begins, item.storage_offsets, strict=True)), tuple(item.lengths)


def _done(value) -> Future:
    future: Future = Future()
    future.set_result(value)
    return future


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
