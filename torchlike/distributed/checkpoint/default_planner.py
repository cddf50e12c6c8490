"""The planners of `save` and `load`: every tensor is written by one of the ranks that have it.
https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.DefaultSavePlanner
"""

import dataclasses
import io
from collections import ChainMap
from collections.abc import Iterable
from typing import Any

from torchlike import serialization
from torchlike._base.size import Size
from torchlike._record.tensor import Tensor
from torchlike.distributed.checkpoint.flat import flatten, name_of, put
from torchlike.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from torchlike.distributed.checkpoint.parts import overlap, part_of
from torchlike.distributed.checkpoint.planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    TensorWriteData,
    WriteItem,
    WriteItemType,
)

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner", "create_default_global_load_plan", "create_default_global_save_plan",
           "create_default_local_load_plan", "create_default_local_save_plan"]
_LONGEST = 500  # characters of errors in an error


class DefaultSavePlanner(SavePlanner):
    """Writes each entry of a nested dict once. What subclasses change as a rule are `lookup_object` and `transform_object`.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.DefaultSavePlanner

    Args:
        flatten_state_dict: whether entries of inner dicts are entries of the checkpoint.
        dedup_save_to_lowest_rank: whether what several ranks have is written by the first of them, and not by the one that
            has least to write.
        flatten_sharded_tensors, dedup_replicated_tensors, enable_plan_caching: without effect.
    """

    mappings: dict

    def __init__(self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True,
                 dedup_replicated_tensors: bool | None = None, dedup_save_to_lowest_rank: bool = False,
                 enable_plan_caching: bool = False):
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank
        self.mappings = {}

    def set_up_planner(self, state_dict: dict, storage_meta: StorageMeta | None = None,
                       is_coordinator: bool = False) -> None:
        """A save begins.

        Args:
            state_dict, storage_meta, is_coordinator: as for `SavePlanner`.
        """
        if self.flatten_state_dict:
            state_dict, self.mappings = _flat(state_dict)
        self.state_dict, self.is_coordinator = state_dict, is_coordinator

    def create_local_plan(self) -> SavePlan:
        """All that this rank has.

        Returns:
            the plan.
        """
        plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        self.plan = dataclasses.replace(plan, planner_data=self.mappings) if self.flatten_state_dict else plan
        return self.plan

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """Each entry on one rank.

        Args:
            all_plans: what the ranks have.

        Returns:
            the plans by rank, and what is in the checkpoint.

        Raises:
            ValueError: parts of a tensor overlap, or do not make it up.
        """
        plans, metadata = create_default_global_save_plan(_once(all_plans, self.dedup_save_to_lowest_rank))
        if self.flatten_state_dict:
            metadata = dataclasses.replace(metadata, planner_data=dict(ChainMap(*(plan.planner_data for plan in plans))))
        errors = "; ".join(_misfits(len(plans), metadata))
        if errors:
            more = "... (truncated)" if len(errors) > _LONGEST else ""
            raise ValueError(f"Failed to validate global plan: {errors[:_LONGEST]}{more}")
        self.global_plan, self.metadata = plans, metadata
        return plans, metadata

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """The plan as it is.

        Args:
            new_plan: it.

        Returns:
            the plan.
        """
        self.plan = new_plan
        return new_plan

    def resolve_data(self, write_item: WriteItem) -> Tensor | io.BytesIO:
        """The entry of an item.

        Args:
            write_item: the item.

        Returns:
            a tensor, or what `torch.save` has written.
        """
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index: MetadataIndex) -> Any:
        """An entry by its name.

        Args:
            index: the name.

        Returns:
            the entry.

        Raises:
            ValueError: there is none, or no such part.
        """
        return _entry(self.state_dict, index)

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """What is written of an entry.

        Args:
            write_item: the item.
            object: the entry.

        Returns:
            a tensor, or what `torch.save` has written.
        """
        if write_item.type is not WriteItemType.BYTE_IO:
            return object
        file = io.BytesIO()
        serialization.save(object, file)
        return file


class DefaultLoadPlanner(LoadPlanner):
    """Reads what is in a nested dict, in place. What subclasses change as a rule are `lookup_tensor` and `transform_tensor`.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.DefaultLoadPlanner

    Args:
        flatten_state_dict: as for `DefaultSavePlanner`.
        flatten_sharded_tensors: without effect.
        allow_partial_load: whether what is not in the checkpoint stays as it is.
    """

    original_state_dict: dict
    mappings: dict

    def __init__(self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True,
                 allow_partial_load: bool = False):
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.allow_partial_load = allow_partial_load
        self.original_state_dict, self.mappings = {}, {}

    def set_up_planner(self, state_dict: dict, metadata: Metadata | None = None, is_coordinator: bool = False) -> None:
        """A load begins. Tensors on the device "meta" become tensors on the CPU.

        Args:
            state_dict, metadata, is_coordinator: as for `LoadPlanner`.
        """
        for path, value in flatten(state_dict).items():
            if isinstance(value, Tensor) and value.is_meta:
                put(state_dict, path, value.new_empty(value.shape, device="cpu"))
        self.original_state_dict = state_dict
        if self.flatten_state_dict:
            state_dict, self.mappings = _flat(state_dict)
        self.state_dict, self.metadata, self.is_coordinator = state_dict, metadata, is_coordinator

    def create_local_plan(self) -> LoadPlan:
        """All that is in the dict.

        Returns:
            the plan.

        Raises:
            RuntimeError: something is not in the checkpoint. ValueError: it has another size there. AssertionError: there is
                no metadata.
        """
        if self.metadata is None:
            raise AssertionError("self.metadata is not None")
        return create_default_local_load_plan(self.state_dict, self.metadata, not self.allow_partial_load)

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """The plans as they are.

        Args:
            global_plan: them.

        Returns:
            the plans.
        """
        return create_default_global_load_plan(global_plan)

    def finish_plan(self, new_plan: LoadPlan) -> LoadPlan:
        """The plan as it is.

        Args:
            new_plan: it.

        Returns:
            the plan.
        """
        return new_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Puts what is no tensor into the dict.

        Args:
            read_item: the item.
            value: what `torch.save` has written.
        """
        name = read_item.dest_index.fqn
        found = serialization.load(value, weights_only=False)
        if self.flatten_state_dict:
            put(self.original_state_dict, self.mappings[name], found)
        else:
            self.state_dict[name] = found

    def resolve_tensor(self, read_item: ReadItem) -> Tensor:
        """The tensor of the dict that is written to.

        Args:
            read_item: the item.

        Returns:
            the tensor.
        """
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item: ReadItem, tensor: Tensor) -> None:
        """Nothing is left to do.

        Args:
            read_item, tensor: as for `LoadPlanner`.
        """

    def lookup_tensor(self, index: MetadataIndex) -> Tensor:
        """A tensor by its name.

        Args:
            index: the name.

        Returns:
            the tensor.

        Raises:
            ValueError: there is none, or no such part.
        """
        return _entry(self.state_dict, index)

    def transform_tensor(self, read_item: ReadItem, tensor: Tensor) -> Tensor:
        """The part of a tensor that an item is of.

        Args:
            read_item: the item.
            tensor: the tensor.

        Returns:
            a view.
        """
        return narrowed(tensor, read_item.dest_offsets, read_item.lengths)


def narrowed(tensor: Tensor, offsets, lengths) -> Tensor:
    """A part of a tensor.

    Args:
        tensor: the tensor.
        offsets, lengths: where the part begins and how large it is, in each dimension.

    Returns:
        a view.
    """
    for dim, (start, length) in enumerate(zip(offsets, lengths, strict=True)):
        if length < tensor.size(dim):
            tensor = tensor.narrow(dim, start, length)
    return tensor


def _flat(state_dict) -> tuple[dict, dict]:
    """({name: entry}, {name: the keys that lead to it})."""
    entries = flatten(state_dict)
    return {name_of(path): value for path, value in entries.items()}, {name_of(path): path for path in entries}


def _entry(state_dict, index: MetadataIndex):
    if index.fqn not in state_dict:
        raise ValueError(f"Could not find FQN: '{index.fqn}'")
    found = state_dict[index.fqn]
    part = part_of(found) if isinstance(found, Tensor) else None
    if index.offset is not None and (part is None or tuple(index.offset) != part.place[0]):
        raise ValueError(f"FQN: '{index.fqn}' is not a ShardedTensor, can't find by offset: '{index.offset}'")
    return found if part is None else part.tensor


# plans of saves

def create_default_local_save_plan(state_dict: dict, is_coordinator: bool) -> SavePlan:
    """All entries of a flat dict. An object with a ``__create_write_items__`` says itself what is written of it.

    Args:
        state_dict: the dict.
        is_coordinator: without effect.

    Returns:
        the plan.
    """
    items: list[WriteItem] = []
    for name, value in state_dict.items():
        if hasattr(value, "__create_write_items__"):
            items += value.__create_write_items__(name, value)
        elif isinstance(value, Tensor):
            part, chunk = part_of(value), _chunk(value)
            kind = WriteItemType.TENSOR if part.tensor is value else WriteItemType.SHARD
            data = TensorWriteData(chunk, TensorProperties.create_from_tensor(part.tensor), Size(part.size))
            items.append(WriteItem(MetadataIndex(name, chunk.offsets), kind, tensor_data=data))
        else:
            items.append(WriteItem(MetadataIndex(name), WriteItemType.BYTE_IO))
    return SavePlan(items)


def _chunk(tensor) -> ChunkStorageMetadata:
    """What this rank has of a tensor."""
    return ChunkStorageMetadata(*map(Size, part_of(tensor).place))


def _once(plans: list[SavePlan], is_first: bool) -> list[SavePlan]:
    """The plans with what is in several of them in one."""
    found: dict = {}
    for rank, plan in enumerate(plans):
        for item in plan.items:
            found.setdefault(item.index, []).append((rank, item))
    loads, chosen = [0] * len(plans), set()
    for index, places in found.items():
        rank = min((rank for rank, _ in places), key=None if is_first else loads.__getitem__)
        loads[rank] += places[0][1].tensor_storage_size() or 1
        chosen.add((rank, index))
    return [dataclasses.replace(plan, items=[item for item in plan.items if (rank, item.index) in chosen])
            for rank, plan in enumerate(plans)]


def create_default_global_save_plan(all_plans: list[SavePlan], rewrite_index_hints: bool = True,
                                    ) -> tuple[list[SavePlan], Metadata]:
    """The plans as they are, and what will be in the checkpoint.

    Args:
        all_plans: the plans by rank, each entry in one of them.
        rewrite_index_hints: whether items of tensors are told which part of it they are.

    Returns:
        (the plans, the Metadata).

    Raises:
        AssertionError: an entry is in several plans, or a tensor's item does not say what it is like.
    """
    entries: dict = {}
    plans = []
    for plan in all_plans:
        items = []
        for item in plan.items:
            if item.type is not WriteItemType.SHARD and item.index.fqn in entries:
                raise AssertionError("item.index.fqn not in md")
            if item.type is WriteItemType.BYTE_IO:
                entries[item.index.fqn] = BytesStorageMetadata()
            elif item.tensor_data is None:
                raise AssertionError("item.tensor_data is not None")
            else:
                data = item.tensor_data
                chunks = entries.setdefault(item.index.fqn, TensorStorageMetadata(data.properties, data.size, [])).chunks
                if rewrite_index_hints:
                    item = dataclasses.replace(item, index=dataclasses.replace(item.index, index=len(chunks)))
                chunks.append(data.chunk)
            items.append(item)
        plans.append(dataclasses.replace(plan, items=items))
    return plans, Metadata(entries)


def _misfits(ranks: int, metadata: Metadata) -> Iterable[str]:
    """What is wrong with the parts of tensors."""
    for name, entry in metadata.state_dict_metadata.items():
        if isinstance(entry, BytesStorageMetadata) or not entry.size:
            continue
        for chunk in entry.chunks:
            ends = zip(chunk.offsets, chunk.sizes, entry.size, strict=True)
            if any(start < 0 or length < 0 or start + length > size for start, length, size in ends):
                yield f"key:{name} has out of bounds chunk: tensor-size:{entry.size} chunk: {chunk}"
        for place, chunk in enumerate(entry.chunks):
            for other in entry.chunks[:place]:
                if _common(other, chunk) is not None:
                    yield f"key:{name} has overlapping chunks: {other} {chunk}"
        volume, parts = entry.size.numel(), sum(Size(chunk.sizes).numel() for chunk in entry.chunks)
        if ranks > 1 and parts != volume:
            yield f"key:{name} invalid fill tensor-volume: {volume} chunks-volume: {parts}"


def _common(one: ChunkStorageMetadata, other: ChunkStorageMetadata) -> tuple[Size, Size] | None:
    """(where what two parts share begins, how large it is), None if they share nothing."""
    shared = overlap((one.offsets, one.sizes), (other.offsets, other.sizes))
    return None if shared is None else (Size(shared[0]), Size(shared[1]))


# plans of loads

def create_default_local_load_plan(state_dict: dict, metadata: Metadata, strict: bool = True) -> LoadPlan:
    """All entries of a flat dict, each of the parts in which the checkpoint has it.

    Args:
        state_dict: the dict.
        metadata: what is in the checkpoint.
        strict: whether all of them have to be there.

    Returns:
        the plan.

    Raises:
        RuntimeError: something is not in the checkpoint. ValueError: it has another size there, or is no tensor here.
    """
    items: list[ReadItem] = []
    for name, value in state_dict.items():
        if name not in metadata.state_dict_metadata:
            if strict:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
            continue
        entry = metadata.state_dict_metadata[name]
        if isinstance(entry, BytesStorageMetadata):
            index, none = MetadataIndex(name), Size((0,))
            items.append(ReadItem(LoadItemType.BYTE_IO, index, none, index, none, none))
            continue
        if not isinstance(value, Tensor):
            raise ValueError(f"Invalid checkpoint metadata for {name}, expected BytesStorageMetadata but found "
                             f"{type(entry)}")
        if entry.size != value.size():
            raise ValueError(f"Size mismatch between saved {entry.size} and current: {value.size()} for {name}")
        items += _of_parts(name, entry, _chunk(value))
    return LoadPlan(items)


def _of_parts(name: str, entry: TensorStorageMetadata, wanted: ChunkStorageMetadata) -> Iterable[ReadItem]:
    for place, chunk in enumerate(entry.chunks):
        shared = _common(wanted, chunk)
        if shared is not None:
            starts, lengths = shared
            here, there = (Size(a - b for a, b in zip(starts, part.offsets, strict=True)) for part in (wanted, chunk))
            yield ReadItem(LoadItemType.TENSOR, MetadataIndex(name, wanted.offsets, 0), here,
                           MetadataIndex(name, chunk.offsets, place), there, lengths)


def create_default_global_load_plan(all_plans: list[LoadPlan]) -> list[LoadPlan]:
    """The plans as they are.

    Args:
        all_plans: them.

    Returns:
        the plans.
    """
    return all_plans
