"""What a checkpoint says of its entries: the dataclasses that planners, readers and writers exchange."""

import dataclasses
import os
from collections.abc import Sequence
from typing import Any

from torchlike._api.type_info import get_default_dtype
from torchlike._base.dtypes import dtype
from torchlike._base.settings import contiguous_format, layout, memory_format, strided
from torchlike._base.size import Size

__all__ = ["BytesStorageMetadata", "ChunkStorageMetadata", "Metadata", "MetadataIndex", "StorageMeta", "TensorProperties",
           "TensorStorageMetadata"]


@dataclasses.dataclass
class ChunkStorageMetadata:
    """A part of a tensor.

    Args:
        offsets: where it begins.
        sizes: how large it is.
    """

    offsets: Size
    sizes: Size


@dataclasses.dataclass
class TensorProperties:
    """What a tensor is like. All but the dtype is of no use any more, as in PyTorch.

    Args:
        dtype, layout, requires_grad, memory_format, pin_memory: those of the tensor.
    """

    dtype: dtype = dataclasses.field(default_factory=get_default_dtype)
    layout: layout = strided
    requires_grad: bool = False
    memory_format: memory_format = contiguous_format
    pin_memory: bool = False

    @staticmethod
    def create_from_tensor(tensor) -> "TensorProperties":
        """Those of a tensor.

        Args:
            tensor: the tensor.

        Returns:
            the TensorProperties.
        """
        return TensorProperties(tensor.dtype, tensor.layout, tensor.requires_grad, pin_memory=tensor.is_pinned())


@dataclasses.dataclass
class TensorStorageMetadata:
    """A tensor in a checkpoint.

    Args:
        properties: what it is like.
        size: its size.
        chunks: the parts that it is written in.
    """

    properties: TensorProperties
    size: Size
    chunks: list[ChunkStorageMetadata]


@dataclasses.dataclass
class BytesStorageMetadata:
    """What is no tensor."""


@dataclasses.dataclass
class StorageMeta:
    """What a writer tells a planner of itself.

    Args:
        checkpoint_id: where it writes.
        save_id, load_id, modules: of PyTorch's own use.
    """

    checkpoint_id: str | os.PathLike | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Metadata:
    """What is in a checkpoint.

    Args:
        state_dict_metadata: {name: a `TensorStorageMetadata` or a `BytesStorageMetadata`}.
        planner_data: the planner's; of the default one {name: the keys that lead to it in the nested dict}.
        storage_data: the writer's.
        storage_meta, version: of PyTorch's own use.
    """

    state_dict_metadata: dict[str, TensorStorageMetadata | BytesStorageMetadata]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@dataclasses.dataclass(frozen=True)
class MetadataIndex:
    """The name of an entry, or of a part of a tensor.

    Args:
        fqn: its name.
        offset: where the part begins.
        index: which part it may be: a hint.
    """

    fqn: str
    offset: Size | None = None
    index: int | None = dataclasses.field(hash=False, compare=False, default=None)

    def __init__(self, fqn: str, offset: Sequence[int] | None = None, index: int | None = None):
        object.__setattr__(self, "fqn", fqn)
        object.__setattr__(self, "index", index)
        if offset is not None:
            object.__setattr__(self, "offset", Size(offset))
