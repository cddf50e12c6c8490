"""Who says what of a state dict is written and read: plans, their items, and what planners do.
https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.SavePlanner
"""

import abc
import dataclasses
import enum
import io
import math
from typing import Any

from torchlike._base.size import Size
from torchlike._record.tensor import Tensor
from torchlike.distributed.checkpoint.metadata import (
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
)

__all__ = ["BytesIOWriteData", "LoadItemType", "LoadPlan", "LoadPlanner", "ReadItem", "SavePlan", "SavePlanner",
           "TensorWriteData", "WriteItem", "WriteItemType"]


class WriteItemType(enum.Enum):
    """What is written: a tensor, a part of one, or bytes."""

    TENSOR = enum.auto()
    SHARD = enum.auto()
    BYTE_IO = enum.auto()


class LoadItemType(enum.Enum):
    """What is read: a tensor, or bytes."""

    TENSOR = enum.auto()
    BYTE_IO = enum.auto()


@dataclasses.dataclass(frozen=True)
class BytesIOWriteData:
    """Bytes that are to be written.

    Args:
        nbytes: how many.
    """

    nbytes: int


@dataclasses.dataclass(frozen=True)
class TensorWriteData:
    """A tensor that is to be written.

    Args:
        chunk: which part of it.
        properties: what it is like.
        size: that of the whole.
    """

    chunk: ChunkStorageMetadata
    properties: TensorProperties
    size: Size


@dataclasses.dataclass(frozen=True)
class WriteItem:
    """One thing to be written.

    Args:
        index: its name.
        type: what it is.
        bytes_io_data, tensor_data: more of it, if it is that.
    """

    index: MetadataIndex
    type: WriteItemType
    bytes_io_data: BytesIOWriteData | None = None
    tensor_data: TensorWriteData | None = None

    def tensor_storage_size(self) -> int | None:
        """How many bytes the whole tensor has.

        Returns:
            the number; None for what is none.
        """
        if self.tensor_data is None:
            return None
        return math.prod(self.tensor_data.size) * self.tensor_data.properties.dtype.itemsize


@dataclasses.dataclass(frozen=True)
class ReadItem:
    """One thing to be read.

    Args:
        type: what it is.
        dest_index, dest_offsets: where it goes.
        storage_index, storage_offsets: where it is in the checkpoint.
        lengths: how large it is.
    """

    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: Size
    storage_index: MetadataIndex
    storage_offsets: Size
    lengths: Size


@dataclasses.dataclass(frozen=True)
class SavePlan:
    """What a rank writes.

    Args:
        items: in order.
        storage_data, planner_data: the writer's and the planner's.
        usable: whether it is a plan, of plans that are kept.
    """

    items: list[WriteItem]
    storage_data: Any = None
    planner_data: Any = None
    usable: bool = True


@dataclasses.dataclass
class LoadPlan:
    """What a rank reads.

    Args:
        items: in order.
        storage_data, planner_data: the reader's and the planner's.
    """

    items: list[ReadItem]
    storage_data: Any = None
    planner_data: Any = None


class SavePlanner(abc.ABC):
    """Plans a save. On each rank `set_up_planner` and `create_local_plan` are called, on rank 0 `create_global_plan`, on
    each `finish_plan`, and then `resolve_data` for what is written.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.SavePlanner
    """

    @abc.abstractmethod
    def set_up_planner(self, state_dict: dict, storage_meta: StorageMeta | None = None,
                       is_coordinator: bool = False) -> None:
        """A save begins.

        Args:
            state_dict: what is saved.
            storage_meta: what the writer says of itself.
            is_coordinator: whether this is rank 0.
        """

    @abc.abstractmethod
    def create_local_plan(self) -> SavePlan:
        """What this rank would write.

        Returns:
            the plan.
        """

    @abc.abstractmethod
    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """What each rank is to write.

        Args:
            all_plans: what they would, by rank.

        Returns:
            the plans by rank, and what the checkpoint will say of its entries.
        """

    @abc.abstractmethod
    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """What this rank writes.

        Args:
            new_plan: what it is to write.

        Returns:
            the plan.
        """

    @abc.abstractmethod
    def resolve_data(self, write_item: WriteItem) -> Tensor | io.BytesIO:
        """The data of an item.

        Args:
            write_item: the item.

        Returns:
            a tensor, or what `torch.save` has written.
        """


class LoadPlanner:
    """Plans a load. On each rank `set_up_planner` and `create_local_plan` are called, on rank 0 `create_global_plan`, on
    each `finish_plan`, and then for what is read `load_bytes`, or `resolve_tensor` and `commit_tensor`.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.LoadPlanner
    """

    @abc.abstractmethod
    def set_up_planner(self, state_dict: dict, metadata: Metadata | None = None, is_coordinator: bool = False) -> None:
        """A load begins.

        Args:
            state_dict: where it goes.
            metadata: what is in the checkpoint.
            is_coordinator: whether this is rank 0.
        """

    @abc.abstractmethod
    def create_local_plan(self) -> LoadPlan:
        """What this rank would read.

        Returns:
            the plan.
        """

    @abc.abstractmethod
    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """What each rank is to read.

        Args:
            global_plan: what they would, by rank.

        Returns:
            the plans by rank.
        """

    @abc.abstractmethod
    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """What this rank reads.

        Args:
            central_plan: what it is to read.

        Returns:
            the plan.
        """

    @abc.abstractmethod
    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Takes what is no tensor.

        Args:
            read_item: the item.
            value: what `torch.save` has written.
        """

    def resolve_bytes(self, read_item: ReadItem) -> io.BytesIO:
        """Where bytes go; nothing calls it, as in PyTorch.

        Args:
            read_item: the item.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("LoadPlanner.resolve_bytes is not implemented")

    @abc.abstractmethod
    def resolve_tensor(self, read_item: ReadItem) -> Tensor:
        """The tensor that is written to.

        Args:
            read_item: the item.

        Returns:
            the tensor, of the item's lengths.
        """

    @abc.abstractmethod
    def commit_tensor(self, read_item: ReadItem, tensor: Tensor) -> None:
        """The tensor has been written to.

        Args:
            read_item: the item.
            tensor: what `resolve_tensor` has returned.
        """
