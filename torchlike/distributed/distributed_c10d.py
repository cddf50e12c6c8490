"""Process groups, of which there are none: their types, and functions that say so.
https://pytorch.org/docs/stable/distributed.html
"""

import datetime
import enum
from typing import ClassVar

from torchlike._base import absent
from torchlike._base.errors import NO_PROCESS_GROUP, UnsupportedError
from torchlike.distributed.stores import FileStore as FileStore
from torchlike.distributed.stores import HashStore as HashStore
from torchlike.distributed.stores import PrefixStore as PrefixStore
from torchlike.distributed.stores import Store as Store
from torchlike.distributed.stores import TCPStore as TCPStore

_REASON = "torchlike is one process; for many devices see jax.sharding"
default_pg_timeout = datetime.timedelta(minutes=30)
_pg_map: dict = {}  # of process groups, of which there are none


class ProcessGroup:
    """A type for annotations and ``isinstance``."""


class GroupMember:
    """``GroupMember.WORLD``: None, as before a group is initialized."""

    WORLD = None
    NON_GROUP_MEMBER = -100


class group(GroupMember):  # noqa: N801 - PyTorch's name
    """The same under its other name."""


class RedOpType(enum.Enum):
    """How a reduction over processes combines: https://pytorch.org/docs/stable/distributed.html#torch.distributed.ReduceOp"""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8


# PyTorch's class has the members of its enumeration, under both names.
ReduceOp = RedOpType
setattr(ReduceOp, "RedOpType", RedOpType)  # noqa: B010 - no annotation of the class


class Backend(str):
    """The name of a way in which processes talk. https://pytorch.org/docs/stable/distributed.html#torch.distributed.Backend

    Args:
        name: a text; what it says is lower-case.

    Raises:
        ValueError: it is no text.
    """

    __slots__ = ()
    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"
    FAKE = "fake"
    backend_list: ClassVar[list] = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE]
    default_device_backend_map: ClassVar[dict] = {"cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO}
    backend_capability: ClassVar[dict] = {GLOO: ["cpu", "cuda"], NCCL: ["cuda"], XCCL: ["xpu"], UCC: ["cpu", "cuda"],
                                          MPI: ["cpu", "cuda"], FAKE: ["cpu", "cuda", "hpu", "xpu"]}

    def __new__(cls, name: str):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return super().__new__(cls, name.lower())

    @classmethod
    def register_backend(cls, name, func, extended_api=False, devices=None) -> None:
        """Refuses: nothing would call what is registered.

        Args:
            name, func, extended_api, devices: as PyTorch's.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError(f"torch.distributed.Backend.register_backend is not supported: {_REASON}")


def without_group(name: str, module: str = __name__):
    """A function of that name that needs a process group: it raises PyTorch's ValueError.

    Args:
        name, module: its own name and that of its module.

    Returns:
        the function.
    """
    return absent.failing(name, module, ValueError, NO_PROCESS_GROUP)


def is_available() -> bool:
    """False: there are no process groups."""
    return False


is_initialized = absent.answering("is_initialized", __name__, bool)
is_torchelastic_launched = absent.answering("is_torchelastic_launched", __name__, bool)
is_gloo_available = absent.answering("is_gloo_available", __name__, bool)
is_mpi_available = absent.answering("is_mpi_available", __name__, bool)
is_nccl_available = absent.answering("is_nccl_available", __name__, bool)
is_ucc_available = absent.answering("is_ucc_available", __name__, bool)
is_xccl_available = absent.answering("is_xccl_available", __name__, bool)
is_backend_available = absent.answering("is_backend_available", __name__, bool)


def _refused(make, name: str):
    return make(name, __name__, UnsupportedError, f"torch.distributed.{name} is not supported: {_REASON}")


init_process_group = _refused(absent.failing, "init_process_group")

# What a process group would do.
_get_default_group = without_group("_get_default_group")
all_gather = without_group("all_gather")
all_gather_coalesced = without_group("all_gather_coalesced")
all_gather_into_tensor = without_group("all_gather_into_tensor")
all_gather_object = without_group("all_gather_object")
all_reduce = without_group("all_reduce")
all_reduce_coalesced = without_group("all_reduce_coalesced")
all_to_all = without_group("all_to_all")
all_to_all_single = without_group("all_to_all_single")
barrier = without_group("barrier")
batch_isend_irecv = without_group("batch_isend_irecv")
broadcast = without_group("broadcast")
broadcast_object_list = without_group("broadcast_object_list")
destroy_process_group = without_group("destroy_process_group")
gather = without_group("gather")
gather_object = without_group("gather_object")
get_backend = without_group("get_backend")
get_backend_config = without_group("get_backend_config")
get_global_rank = without_group("get_global_rank")
get_group_rank = without_group("get_group_rank")
get_node_local_rank = without_group("get_node_local_rank")
get_pg_count = without_group("get_pg_count")
get_process_group_ranks = without_group("get_process_group_ranks")
get_rank = without_group("get_rank")
get_world_size = without_group("get_world_size")
irecv = without_group("irecv")
isend = without_group("isend")
monitored_barrier = without_group("monitored_barrier")
new_group = without_group("new_group")
new_subgroups = without_group("new_subgroups")
new_subgroups_by_enumeration = without_group("new_subgroups_by_enumeration")
recv = without_group("recv")
recv_object_list = without_group("recv_object_list")
reduce = without_group("reduce")
reduce_scatter = without_group("reduce_scatter")
reduce_scatter_tensor = without_group("reduce_scatter_tensor")
scatter = without_group("scatter")
scatter_object_list = without_group("scatter_object_list")
send = without_group("send")
send_object_list = without_group("send_object_list")
split_group = without_group("split_group")

# What a process group is made of.
BackendConfig = _refused(absent.uninstantiable, "BackendConfig")
P2POp = _refused(absent.uninstantiable, "P2POp")
ProcessGroupGloo = _refused(absent.uninstantiable, "ProcessGroupGloo")
Work = _refused(absent.uninstantiable, "Work")
