"""Where checkpoints lie: what writers and readers do. `filesystem.py` has those of directories.
https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.StorageReader
"""

import abc
import dataclasses
from typing import Any

from torchlike.distributed.checkpoint.metadata import Metadata, MetadataIndex, StorageMeta
from torchlike.distributed.checkpoint.planner import LoadPlan, LoadPlanner, SavePlan, SavePlanner
from torchlike.futures import Future

__all__ = ["StorageReader", "StorageWriter", "WriteResult"]


@dataclasses.dataclass(frozen=True)
class WriteResult:
    """What has been written.

    Args:
        index: its name.
        size_in_bytes: how large it is.
        storage_data: the writer's.
    """

    index: MetadataIndex
    size_in_bytes: int
    storage_data: Any


class StorageWriter(abc.ABC):
    """Writes checkpoints. On each rank `set_up_storage_writer` and `prepare_local_plan` are called, on rank 0
    `prepare_global_plan`, on each `write_data`, and on rank 0 `finish`.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.StorageWriter
    """

    @abc.abstractmethod
    def reset(self, checkpoint_id=None) -> None:
        """The next save is another checkpoint.

        Args:
            checkpoint_id: where it goes.
        """

    @abc.abstractmethod
    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """A save begins.

        Args:
            is_coordinator: whether this is rank 0.
            args, kwargs: ``rank`` and ``use_collectives``, of a writer that takes any.
        """

    @abc.abstractmethod
    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """What this rank would write, as the writer wants it.

        Args:
            plan: the planner's.

        Returns:
            the plan.
        """

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """What each rank is to write, as the writer wants it.

        Args:
            plans: the planner's, by rank.

        Returns:
            the plans by rank.
        """

    @abc.abstractmethod
    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Writes what this rank has to write.

        Args:
            plan: what that is.
            planner: whose `resolve_data` has the data.

        Returns:
            a Future of what has been written.
        """

    @abc.abstractmethod
    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """All ranks have written: the checkpoint is there.

        Args:
            metadata: what is in it.
            results: what the ranks have written.
        """

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id) -> bool:
        """Whether a checkpoint could be there.

        Args:
            checkpoint_id: where.

        Returns:
            a bool.
        """

    def storage_meta(self) -> StorageMeta | None:
        """What a planner is told of the writer.

        Returns:
            a StorageMeta, or None.
        """
        return None


class StorageReader(abc.ABC):
    """Reads checkpoints. On each rank `read_metadata`, `set_up_storage_reader` and `prepare_local_plan` are called, on rank
    0 `prepare_global_plan`, on each `read_data`.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.StorageReader
    """

    @abc.abstractmethod
    def reset(self, checkpoint_id=None) -> None:
        """The next load is of another checkpoint.

        Args:
            checkpoint_id: where that is.
        """

    @abc.abstractmethod
    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """What is in the checkpoint.

        Args:
            args, kwargs: for PyTorch's signature.

        Returns:
            the Metadata.
        """

    @abc.abstractmethod
    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """A load begins.

        Args:
            metadata: what is in the checkpoint.
            is_coordinator: whether this is rank 0.
            args, kwargs: ``rank`` and ``use_collectives``, of a reader that takes any.
        """

    @abc.abstractmethod
    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """What this rank would read, as the reader wants it.

        Args:
            plan: the planner's.

        Returns:
            the plan.
        """

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """What each rank is to read, as the reader wants it.

        Args:
            plans: the planner's, by rank.

        Returns:
            the plans by rank.
        """

    @abc.abstractmethod
    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Reads what this rank has to read.

        Args:
            plan: what that is.
            planner: who takes the data.

        Returns:
            a Future that is done when all has been read.
        """

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id) -> bool:
        """Whether a checkpoint could be there.

        Args:
            checkpoint_id: where.

        Returns:
            a bool.
        """
