"""`torch.distributed` for programs of one process. https://pytorch.org/docs/stable/distributed.html

No process group can be started: `is_available` is False (PyTorch's builds for Linux say True), functions that need a
group raise PyTorch's ValueError (`_group.py`), and `init_process_group` raises UnsupportedError. To spread arrays over
devices use `jax.sharding`.

`checkpoint/` does work: it writes large checkpoints with orbax. `nn/` has the collectives with gradients, which all
raise; `device_mesh.py` and `tensor/` have names. Only programs import this package. Start with `checkpoint/`.
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


all_gather = _group.without_group("all_gather")
all_gather_into_tensor = _group.without_group("all_gather_into_tensor")
all_gather_object = _group.without_group("all_gather_object")
all_reduce = _group.without_group("all_reduce")
all_to_all = _group.without_group("all_to_all")
all_to_all_single = _group.without_group("all_to_all_single")
barrier = _group.without_group("barrier")
broadcast = _group.without_group("broadcast")
broadcast_object_list = _group.without_group("broadcast_object_list")
destroy_process_group = _group.without_group("destroy_process_group")
gather = _group.without_group("gather")
gather_object = _group.without_group("gather_object")
get_backend = _group.without_group("get_backend")
get_rank = _group.without_group("get_rank")
get_world_size = _group.without_group("get_world_size")
irecv = _group.without_group("irecv")
isend = _group.without_group("isend")
new_group = _group.without_group("new_group")
recv = _group.without_group("recv")
reduce = _group.without_group("reduce")
reduce_scatter = _group.without_group("reduce_scatter")
reduce_scatter_tensor = _group.without_group("reduce_scatter_tensor")
scatter = _group.without_group("scatter")
scatter_object_list = _group.without_group("scatter_object_list")
send = _group.without_group("send")
