"""`torch.distributed.constants`: how long a process group would wait."""

from torchlike.distributed.distributed_c10d import default_pg_timeout as default_pg_timeout

__all__ = ["default_pg_nccl_timeout", "default_pg_timeout"]
default_pg_nccl_timeout = None
