"""`torch.distributed.fsdp`: modules whose parameters, gradients and optimizer state are divided among ranks.
https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html

A `Group` (`_group.py`) gathers parameters and reduces their gradients, each by one collective. What a rank keeps in between
is said by a layout: parts of each parameter (`_parts.py`, for `fully_shard`) or of all as one (`_flat.py`, for
`FullyShardedDataParallel`). The whole values come and go in `_whole.py`; a `State` (`_state.py`) knows when. Start with
`_state.py`.
"""

from torchlike._api.homes import name_below as _name_below
from torchlike._base import absent as _absent
from torchlike._base.absent_modules import supply as _supply
from torchlike.distributed.fsdp._fsdp_module import FSDPModule as FSDPModule
from torchlike.distributed.fsdp._fsdp_module import UnshardHandle as UnshardHandle
from torchlike.distributed.fsdp._fully_shard import fully_shard as fully_shard
from torchlike.distributed.fsdp._fully_shard import register_fsdp_forward_method as register_fsdp_forward_method
from torchlike.distributed.fsdp._fully_shard import share_comm_ctx as share_comm_ctx
from torchlike.distributed.fsdp._policies import CPUOffloadPolicy as CPUOffloadPolicy
from torchlike.distributed.fsdp._policies import DataParallelMeshDims as DataParallelMeshDims
from torchlike.distributed.fsdp._policies import MixedPrecisionPolicy as MixedPrecisionPolicy
from torchlike.distributed.fsdp._policies import OffloadPolicy as OffloadPolicy
from torchlike.distributed.fsdp.api import BackwardPrefetch as BackwardPrefetch
from torchlike.distributed.fsdp.api import CPUOffload as CPUOffload
from torchlike.distributed.fsdp.api import FullOptimStateDictConfig as FullOptimStateDictConfig
from torchlike.distributed.fsdp.api import FullStateDictConfig as FullStateDictConfig
from torchlike.distributed.fsdp.api import LocalOptimStateDictConfig as LocalOptimStateDictConfig
from torchlike.distributed.fsdp.api import LocalStateDictConfig as LocalStateDictConfig
from torchlike.distributed.fsdp.api import MixedPrecision as MixedPrecision
from torchlike.distributed.fsdp.api import OptimStateDictConfig as OptimStateDictConfig
from torchlike.distributed.fsdp.api import OptimStateKeyType as OptimStateKeyType
from torchlike.distributed.fsdp.api import ShardedOptimStateDictConfig as ShardedOptimStateDictConfig
from torchlike.distributed.fsdp.api import ShardedStateDictConfig as ShardedStateDictConfig
from torchlike.distributed.fsdp.api import ShardingStrategy as ShardingStrategy
from torchlike.distributed.fsdp.api import StateDictConfig as StateDictConfig
from torchlike.distributed.fsdp.api import StateDictSettings as StateDictSettings
from torchlike.distributed.fsdp.api import StateDictType as StateDictType
from torchlike.distributed.fsdp.fully_sharded_data_parallel import FullyShardedDataParallel as FullyShardedDataParallel

FlatParameter = _absent.refusing("FlatParameter", __name__, "torch.distributed.fsdp.FlatParameter is not supported: the "
                                 "vector of a FullyShardedDataParallel is an ordinary Parameter")
_supply()
_name_below(".distributed.fsdp")
