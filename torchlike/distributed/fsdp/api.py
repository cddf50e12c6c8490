"""Settings of `FullyShardedDataParallel`. https://pytorch.org/docs/stable/fsdp.html"""

import dataclasses
import enum
from collections.abc import Sequence
from typing import Any

from torchlike.nn.modules.batchnorm import _BatchNorm


class ShardingStrategy(enum.Enum):
    """What is divided. https://pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.ShardingStrategy

    FULL_SHARD: all, and whole parameters go after the forward pass. SHARD_GRAD_OP: they stay until the backward pass has
    ended. NO_SHARD: nothing. HYBRID_SHARD: FULL_SHARD in one group, with copies in another.
    """

    FULL_SHARD = enum.auto()
    SHARD_GRAD_OP = enum.auto()
    NO_SHARD = enum.auto()
    HYBRID_SHARD = enum.auto()
    _HYBRID_SHARD_ZERO2 = enum.auto()


class BackwardPrefetch(enum.Enum):
    """When the parameters of the next module are gathered in a backward pass. Without effect: when they are needed."""

    BACKWARD_PRE = enum.auto()
    BACKWARD_POST = enum.auto()


@dataclasses.dataclass
class MixedPrecision:
    """In which dtypes modules compute. https://pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.MixedPrecision

    Args:
        param_dtype: that of gathered parameters; None: their own.
        reduce_dtype: in which gradients are summed; None: `param_dtype`.
        buffer_dtype: that of buffers; None: their own.
        keep_low_precision_grads: whether gradients stay in it.
        cast_forward_inputs: whether floating inputs are cast to `param_dtype`.
        cast_root_forward_inputs: the same for the root.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Sequence[type] = (_BatchNorm,)


@dataclasses.dataclass
class CPUOffload:
    """Whether parts of parameters and gradients are in the CPU's memory.

    Args:
        offload_params: whether they are.
    """

    offload_params: bool = False


class StateDictType(enum.Enum):
    """What a state dict has: whole parameters, or parts of them. LOCAL_STATE_DICT is refused."""

    FULL_STATE_DICT = enum.auto()
    LOCAL_STATE_DICT = enum.auto()
    SHARDED_STATE_DICT = enum.auto()


@dataclasses.dataclass
class StateDictConfig:
    """How a state dict is made.

    Args:
        offload_to_cpu: whether its tensors are in the CPU's memory.
    """

    offload_to_cpu: bool = False


@dataclasses.dataclass
class FullStateDictConfig(StateDictConfig):
    """The same of whole parameters.

    Args:
        rank0_only: whether the first rank alone gets them, and the others nothing.
    """

    rank0_only: bool = False


@dataclasses.dataclass
class LocalStateDictConfig(StateDictConfig):
    """Those of this kind are refused."""


@dataclasses.dataclass
class ShardedStateDictConfig(StateDictConfig):
    """The same of parts, which are DTensors."""

    _use_dtensor: bool = False


@dataclasses.dataclass
class OptimStateDictConfig:
    """How the state dict of an optimizer is made.

    Args:
        offload_to_cpu: whether its tensors are in the CPU's memory.
    """

    offload_to_cpu: bool = True


@dataclasses.dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """The same of whole parameters.

    Args:
        rank0_only: whether the first rank alone gets them, and the others nothing.
    """

    rank0_only: bool = False


@dataclasses.dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """Those of this kind are refused.

    Args:
        offload_to_cpu: as for `OptimStateDictConfig`.
    """

    offload_to_cpu: bool = False


@dataclasses.dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """The same of parts, which are DTensors."""

    _use_dtensor: bool = False


@dataclasses.dataclass
class StateDictSettings:
    """What state dicts of a module are like.

    Args:
        state_dict_type: of what.
        state_dict_config, optim_state_dict_config: how those of the module and of optimizers are made.
    """

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig


class OptimStateKeyType(enum.Enum):
    """By what the state dict of an optimizer names parameters."""

    PARAM_NAME = enum.auto()
    PARAM_ID = enum.auto()
