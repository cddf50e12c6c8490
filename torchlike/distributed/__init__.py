"""`torch.distributed` as a program sees it that starts no process group: https://pytorch.org/docs/stable/distributed.html

There is none to start: `is_available` is False, where PyTorch's builds for Linux say True. What needs a group raises
PyTorch's ValueError; `init_process_group` is refused by name. JAX's own arrays are distributed by `jax.sharding`.
"""

from torchlike._base.errors import UnsupportedError
from torchlike.distributed import _group
from torchlike.distributed import nn as nn
from torchlike.distributed._group import ProcessGroup as ProcessGroup
from torchlike.distributed._group import ReduceOp as ReduceOp
from torchlike.distributed._group import group as group


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def is_torchelastic_launched() -> bool:
    """False."""
    return False


def init_process_group(*args, **kwargs):
    """Refused: UnsupportedError."""
    raise UnsupportedError("torch.distributed.init_process_group is not supported: torchlike is one process; for many "
                           "devices see jax.sharding")


for _name in (*_group.COLLECTIVES, "get_rank", "get_world_size", "get_backend", "new_group", "destroy_process_group"):
    globals()[_name] = _group.without_group(_name)
