"""`torch.distributed.fsdp._fully_shard`: where PyTorch has `fully_shard`.

All of it is in `_fully_shard.py`, with the class that modules become (`../_fsdp_module.py`); the parameters, their groups
and how they come and go are in the folder above. Packages import this name to ask what a module is. Nothing else is here.

Start with `_fully_shard.py`.
"""

from torchlike.distributed.fsdp._fully_shard._fully_shard import FSDPModule as FSDPModule
from torchlike.distributed.fsdp._fully_shard._fully_shard import UnshardHandle as UnshardHandle
from torchlike.distributed.fsdp._fully_shard._fully_shard import fully_shard as fully_shard
from torchlike.distributed.fsdp._fully_shard._fully_shard import register_fsdp_forward_method as register_fsdp_forward_method
from torchlike.distributed.fsdp._fully_shard._fully_shard import share_comm_ctx as share_comm_ctx
