"""`torch.distributed` for programs of one process. https://pytorch.org/docs/stable/distributed.html

No process group can be started: `is_available` is False (PyTorch's builds for Linux say True), functions that need a
group raise PyTorch's ValueError (`_group.py`), and `init_process_group` raises UnsupportedError. To spread arrays over
devices use `jax.sharding`.

`checkpoint/` does work: it writes large checkpoints with orbax. `nn/` has the collectives with gradients, which all
raise. Only programs import this package. Start with `checkpoint/`.
"""

from torchlike._base.errors import UnsupportedError
from torchlike.distributed import _group
from torchlike.distributed import nn as nn
from torchlike.distributed._group import ProcessGroup as ProcessGroup
from torchlike.distributed._group import ReduceOp as ReduceOp
from torchlike.distributed._group import group as group


def is_available() -> bool:
    """False: there are no process groups."""
    return False


def is_initialized() -> bool:
    """False: there are no process groups."""
    return False


def is_torchelastic_launched() -> bool:
    """False: there are no process groups."""
    return False


def init_process_group(*args, **kwargs):
    """Refused: torchlike is one process; `jax.sharding` spreads arrays over devices.

    Args:
        args, kwargs: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError("torch.distributed.init_process_group is not supported: torchlike is one process; for many "
                           "devices see jax.sharding")


for _name in (*_group.COLLECTIVES, "get_rank", "get_world_size", "get_backend", "new_group", "destroy_process_group"):
    globals()[_name] = _group.without_group(_name)
