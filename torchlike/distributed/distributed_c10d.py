"""`torch.distributed.distributed_c10d`: process groups and collectives, under the names that PyTorch's module has.
https://pytorch.org/docs/stable/distributed.html

They are made in `_c10d/`.
"""

import datetime
import importlib.util
import io
import warnings
from typing import Any

from torchlike._c10d import world as _world
from torchlike._c10d.backend import Backend as Backend
from torchlike._c10d.backend import BackendConfig as BackendConfig
from torchlike._c10d.collectives import all_gather as all_gather
from torchlike._c10d.collectives import all_gather_coalesced as all_gather_coalesced
from torchlike._c10d.collectives import all_gather_into_tensor as all_gather_into_tensor
from torchlike._c10d.collectives import all_gather_single as all_gather_single
from torchlike._c10d.collectives import all_reduce as all_reduce
from torchlike._c10d.collectives import all_reduce_coalesced as all_reduce_coalesced
from torchlike._c10d.collectives import all_to_all as all_to_all
from torchlike._c10d.collectives import all_to_all_single as all_to_all_single
from torchlike._c10d.collectives import barrier as barrier
from torchlike._c10d.collectives import broadcast as broadcast
from torchlike._c10d.collectives import gather as gather
from torchlike._c10d.collectives import gather_into_tensor as gather_into_tensor
from torchlike._c10d.collectives import gather_single as gather_single
from torchlike._c10d.collectives import reduce as reduce
from torchlike._c10d.collectives import reduce_scatter as reduce_scatter
from torchlike._c10d.collectives import reduce_scatter_single as reduce_scatter_single
from torchlike._c10d.collectives import reduce_scatter_tensor as reduce_scatter_tensor
from torchlike._c10d.collectives import scatter as scatter
from torchlike._c10d.group import ProcessGroup as ProcessGroup
from torchlike._c10d.monitored import monitored_barrier as monitored_barrier
from torchlike._c10d.objects import FORMATS
from torchlike._c10d.objects import all_gather_object as all_gather_object
from torchlike._c10d.objects import broadcast_object_list as broadcast_object_list
from torchlike._c10d.objects import gather_object as gather_object
from torchlike._c10d.objects import scatter_object_list as scatter_object_list
from torchlike._c10d.point_to_point import P2POp as P2POp
from torchlike._c10d.point_to_point import batch_isend_irecv as batch_isend_irecv
from torchlike._c10d.point_to_point import irecv as irecv
from torchlike._c10d.point_to_point import isend as isend
from torchlike._c10d.point_to_point import recv as recv
from torchlike._c10d.point_to_point import recv_object_list as recv_object_list
from torchlike._c10d.point_to_point import send as send
from torchlike._c10d.point_to_point import send_object_list as send_object_list
from torchlike._c10d.reduce_op import RedOpType as RedOpType
from torchlike._c10d.reduce_op import ReduceOp as ReduceOp
from torchlike._c10d.work import Work as Work
from torchlike._c10d.world import default_pg_timeout as default_pg_timeout
from torchlike._c10d.world import destroy_process_group as destroy_process_group
from torchlike._c10d.world import get_backend as get_backend
from torchlike._c10d.world import get_backend_config as get_backend_config
from torchlike._c10d.world import get_global_rank as get_global_rank
from torchlike._c10d.world import get_group_rank as get_group_rank
from torchlike._c10d.world import get_node_local_rank as get_node_local_rank
from torchlike._c10d.world import get_pg_count as get_pg_count
from torchlike._c10d.world import get_process_group_ranks as get_process_group_ranks
from torchlike._c10d.world import get_rank as get_rank
from torchlike._c10d.world import get_world_size as get_world_size
from torchlike._c10d.world import init_process_group as init_process_group
from torchlike._c10d.world import is_initialized as is_initialized
from torchlike._c10d.world import is_torchelastic_launched as is_torchelastic_launched
from torchlike._c10d.world import new_group as new_group
from torchlike._c10d.world import new_subgroups as new_subgroups
from torchlike._c10d.world import new_subgroups_by_enumeration as new_subgroups_by_enumeration
from torchlike._c10d.world import split_group as split_group
from torchlike.serialization import load, save


def _saved(obj) -> bytes:
    file = io.BytesIO()
    save(obj, file)
    return file.getvalue()


def _read(data: bytes) -> Any:
    return load(io.BytesIO(data), weights_only=True)


_get_default_group = _world.default_group
_resolve_process_group = _world.group_named
FORMATS.of[True] = _saved, _read
ProcessGroupGloo = ProcessGroup  # XLA's collectives over gloo move the bytes of every group


class _WorldMeta(type):
    """The metaclass that PyTorch gives `group`: WORLD is looked up anew each time."""

    @property
    def WORLD(cls) -> Any:  # noqa: N802 - PyTorch's name
        """The default group; None before it is initialized."""
        return _world.default_or_none()


class GroupMember(metaclass=_WorldMeta):
    """``GroupMember.WORLD`` is the default group, ``NON_GROUP_MEMBER`` what `new_group` returns to others."""

    NON_GROUP_MEMBER = _world.NON_MEMBER


class group(GroupMember):  # noqa: N801 - PyTorch's name
    """The same under its other name."""


def set_timeout(timeout: datetime.timedelta, group: ProcessGroup | None = None) -> None:
    """Change how long the collectives of a group may take from now on. PyTorch has it since 2.14.
    https://pytorch.org/docs/2.14/distributed.html#torch.distributed.set_timeout

    Args:
        timeout: a timedelta.
        group: a ProcessGroup that this process is in; the default one where it is None.

    Raises:
        ValueError: there is no default group; this process is not in `group`. AssertionError: no group.
        TypeError: another `timeout`.
    """
    chosen = _of_this_process(group)
    if not isinstance(timeout, datetime.timedelta):
        raise TypeError(f"set_timeout(): timeout must be a datetime.timedelta, not {type(timeout).__name__}")
    chosen.timeout = timeout.total_seconds()


def get_backend_impl(group: str | ProcessGroup | None = None, device=None) -> ProcessGroup:
    """The object that moves the bytes of a group: the group itself, whatever the device. PyTorch has it since 2.14.
    https://pytorch.org/docs/2.14/distributed.html#torch.distributed.get_backend_impl

    Args:
        group: a ProcessGroup that this process is in, or its name; the default one where it is None.
        device: without effect.

    Returns:
        The group.

    Raises:
        ValueError: there is no default group; this process is not in `group`. RuntimeError: no group has this name.
    """
    return _of_this_process(_world.group_named(group) if isinstance(group, str) else group)


def _of_this_process(group) -> ProcessGroup:
    if group == _world.NON_MEMBER:
        raise ValueError("Invalid process group specified")
    if group is not None and not isinstance(group, ProcessGroup):
        raise AssertionError(f"Expected ProcessGroup, got {type(group)}")
    return _world.group_of(group)


def get_default_backend_for_device(device) -> str:
    """The name of the backend that a type of device has unless another is asked for.

    Args:
        device: a device, or its name.

    Returns:
        "gloo" or "nccl", say.

    Raises:
        ValueError: it has none.
    """
    kind = str(device).partition(":")[0]
    if kind not in Backend.default_device_backend_map:
        raise ValueError(f"Default backend not registered for device : {device}")
    return Backend.default_device_backend_map[kind]


class _DeprecatedReduceOp:
    """`reduce_op`: the older name of `ReduceOp`."""

    def __getattr__(self, name):
        warnings.warn("`torch.distributed.reduce_op` is deprecated, please use `torch.distributed.ReduceOp` instead",
                      FutureWarning, stacklevel=2)
        return getattr(ReduceOp, name)


reduce_op = _DeprecatedReduceOp()


def is_available() -> bool:
    """Whether there are process groups: always."""
    return True


def is_gloo_available() -> bool:
    """True: XLA's collectives over gloo move the bytes."""
    return True


def is_nccl_available() -> bool:
    """Whether the name "nccl" stands for GPUs here, as in PyTorch's builds for CUDA."""
    return any(importlib.util.find_spec(name) for name in ("jax_cuda12_plugin", "jax_cuda13_plugin"))


def is_mpi_available() -> bool:
    """False, as in PyTorch's builds."""
    return False


def is_ucc_available() -> bool:
    """False, as in PyTorch's builds."""
    return False


def is_xccl_available() -> bool:
    """False, as in PyTorch's builds."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether a backend is there.

    Args:
        backend: its name.

    Returns:
        whether `init_process_group` moves bytes under that name in PyTorch's build of this kind.
    """
    return {"gloo": is_gloo_available, "nccl": is_nccl_available}.get(backend.lower(), bool)()
