"""Settings of `fully_shard`. https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html"""

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class MixedPrecisionPolicy:
    """In which dtypes a module computes. Parameters, and what the optimizer does, stay in their own.
    https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html#torch.distributed.fsdp.MixedPrecisionPolicy

    Args:
        param_dtype: that of the gathered parameters; None: their own.
        reduce_dtype: in which gradients are summed, and kept until then; None: their own.
        output_dtype: to which floating outputs are cast; None: not at all.
        cast_forward_inputs: whether floating inputs are cast to `param_dtype`.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclasses.dataclass
class OffloadPolicy:
    """Parameters stay where they are used."""


@dataclasses.dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parameters, gradients and the optimizer's state are in the CPU's memory.
    https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html#torch.distributed.fsdp.CPUOffloadPolicy

    Args:
        pin_memory: without effect: JAX decides how it copies.
    """

    pin_memory: bool = True


@dataclasses.dataclass
class DataParallelMeshDims:
    """Which dimensions of a mesh of all ranks share the data.

    Args:
        shard: the name of the dimension, or the names of the dimensions, that divide parameters.
        replicate: of those that have the same parts.

    Raises:
        ValueError: neither.
    """

    shard: str | tuple[str, ...] | None = None
    replicate: str | tuple[str, ...] | None = None

    def __post_init__(self):
        if self.shard is None and self.replicate is None:
            raise ValueError("At least one of shard or replicate must be set in DataParallelMeshDims")

    @property
    def shard_names(self) -> tuple[str, ...]:
        """The names of those that divide."""
        return _names(self.shard)

    @property
    def replicate_names(self) -> tuple[str, ...]:
        """The names of those that replicate."""
        return _names(self.replicate)


def _names(given) -> tuple[str, ...]:
    return () if given is None else (given,) if isinstance(given, str) else tuple(given)
