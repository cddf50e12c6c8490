"""The groups of this process. https://pytorch.org/docs/stable/distributed.html#initialization"""

import atexit
import datetime
import os
import time
import warnings
from typing import Any

from torchlike._base.errors import NO_PROCESS_GROUP, UnsupportedError
from torchlike._base.turns import PerRank
from torchlike._c10d.backend import Backend, BackendConfig
from torchlike._c10d.group import ProcessGroup
from torchlike._c10d.ledger import PERIOD
from torchlike._c10d.rendezvous import rendezvous
from torchlike._c10d.stores import PrefixStore

default_pg_timeout = datetime.timedelta(minutes=30)
NON_MEMBER = -100  # what `new_group` returns where this process is not in the group


class _World:
    """``default``: the group of all. ``groups``: those that this process is in. ``made``: how many there have been.
    ``started``: how often there was a default group, which is the same on all ranks: the store may be an old one.
    ``served``: what this process serves for a default group of several. It outlives the group: a rank that has left it
    sooner looks for the next one there."""

    def __init__(self):
        self.started, self.served = 0, None
        self.reset()

    def reset(self) -> None:
        """There are no groups any more."""
        self.default: ProcessGroup | None = None
        self.groups: list[ProcessGroup] = []
        self.made = 0
        self.store: Any = None


_world: Any = PerRank(_World)


def is_initialized() -> bool:
    """Whether there is a default group."""
    return _world.default is not None


def default_or_none() -> ProcessGroup | None:
    """The group of all processes, if it has been started."""
    return _world.default


def default_group() -> ProcessGroup:
    """The group of all processes.

    Raises:
        ValueError: there is none.
    """
    if _world.default is None:
        raise ValueError(NO_PROCESS_GROUP)
    return _world.default


def group_of(group) -> ProcessGroup:
    """The group itself, the default one for None."""
    return default_group() if group is None else group


def group_named(name: str) -> ProcessGroup:
    """The group of this name.

    Raises:
        RuntimeError: this process is in none.
    """
    for group in _world.groups:
        if group.group_name == name:
            return group
    raise RuntimeError(f"Could not resolve the process group registered under the name {name}")


def group_among(ranks: tuple) -> ProcessGroup:
    """The group of these ranks: the first of those that there are, or a new one, for which only its members must ask.

    Raises:
        ValueError: this process is not among them.
    """
    for group in _world.groups:
        if group.ranks == ranks:
            return group
    made = new_group(list(ranks), use_local_synchronization=True)
    if made == NON_MEMBER:
        raise ValueError(f"rank {default_group().global_rank} is not among {list(ranks)}")
    return made


def is_member(group) -> bool:
    """Whether this process is in a group: what `new_group` has returned, or None."""
    return group is None or isinstance(group, ProcessGroup)


def is_outside(group, name: str) -> bool:
    """Whether this process is not in a group, with PyTorch's warning at the line that has called the function `name`."""
    if is_member(group):
        return False
    warnings.warn(f"Running {name} on global rank {get_rank()} which does not belong to the given group.", stacklevel=3)
    return True


def place_in(group: ProcessGroup, rank, place, name: str, operation: str = "") -> int:
    """The place in a group of a global rank, or `place` itself.

    Raises:
        ValueError: both or neither are given; the rank is not in the group. RuntimeError: PyTorch's, of no such root.
    """
    if rank is not None and place is not None:
        raise ValueError(f"Can't specify both group_{name} and {name}")
    if rank is None and place is None:
        raise ValueError(f"Must specify {name} or group_{name}")
    if place is None and rank in group.ranks:
        return group.ranks.index(rank)
    if place is not None and 0 <= place < group.size():
        return place
    if operation and group is _world.default:
        raise RuntimeError(f"ProcessGroupGloo::{operation}: invalid root rank: {rank if place is None else place}")
    raise ValueError(f"Global rank {rank} is not part of group {group}")


def init_process_group(backend: str | None = None, init_method: str | None = None, timeout=None, world_size: int = -1,
                       rank: int = -1, store=None, group_name: str = "", pg_options=None, device_id=None,
                       _ranks=None, enable_reconfigure: bool = False) -> None:
    """Start the default group: all its processes must call this, and wait for one another.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.init_process_group

    Args:
        backend: "gloo", "nccl", "mpi" or "ucc", also by device ("cpu:gloo,cuda:nccl"): names, for XLA's collectives over
            gloo move the bytes in any case.
        init_method: a URL that says how they find one another; ``env://`` if neither this nor `store` is given.
        timeout: a timedelta, how long a collective may take; 30 minutes where it is None.
        world_size, rank: how many processes there are, and which one this is, where the URL does not say it.
        store: a Store that all of them have, instead of a URL.
        group_name, pg_options, device_id: without effect.
        enable_reconfigure: must be False: the members of a group do not change.

    Raises:
        UnsupportedError: `enable_reconfigure`.
        ValueError: there is a default group already; something is missing. RuntimeError: a process does not come.
        TypeError: another `timeout`. AssertionError: both a URL and a store; a store without a rank.
        torch.distributed.DistNetworkError: the port is in use.
    """
    if enable_reconfigure:
        raise UnsupportedError("torch.distributed.init_process_group(enable_reconfigure=True) is not supported: the members "
                               "of a group do not change")
    if _world.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if timeout is not None and not isinstance(timeout, datetime.timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    name = _checked_backend(backend)
    timeout = default_pg_timeout if timeout is None else timeout
    if store is None:
        store, rank, world_size = next(rendezvous(init_method or "env://", rank, world_size, timeout=timeout))
        store.set_timeout(timeout)
        _world.served = store if world_size > 1 else None
    elif world_size <= 0 or rank < 0:
        raise AssertionError("world_size must be positive if using store" if world_size <= 0 else
                             "rank must be non-negative if using store")
    _world.started += 1
    _world.store = PrefixStore(f"groups/{_world.started}", store)
    ranks = tuple(range(world_size))
    made = _made(PrefixStore("default_pg", _world.store), ranks, rank, timeout, "default_pg", name)
    _arrived(made)
    made.connect()
    _world.default = made


def _arrived(group: ProcessGroup) -> None:
    """Wait until all members are there, or say who is not."""
    size = str(group.size()).encode()
    group.store.set(f"arrived/{group.rank()}", size)
    for place in range(group.size()):
        try:
            group.store.wait([f"arrived/{place}"], datetime.timedelta(seconds=group.timeout))
            other = group.store.get(f"arrived/{place}")
        except Exception as error:
            group.close()
            missing = [group.ranks[p] for p in range(group.size()) if not group.store.check([f"arrived/{p}"])]
            raise RuntimeError(f"Timed out after {group.timeout:g} seconds waiting for the process group: "
                               f"ranks {missing} of {group.size()} have not come") from error
        if other != size:
            group.close()
            raise RuntimeError(f"rank {group.ranks[place]} is one of {other.decode()} processes, rank {group.global_rank} "
                               f"of {size.decode()}: WORLD_SIZE must be the same for all")


def _checked_backend(backend) -> str:
    """What `get_backend` says. AssertionError for a name that PyTorch does not know."""
    if backend is None:
        return "undefined"
    names = [part.rpartition(":")[2] for part in Backend(backend).split(",")]
    for name in names:
        if name not in Backend.backend_list:
            raise AssertionError(f"Unknown backend type {name}")
        if name == Backend.FAKE:
            raise UnsupportedError("torch.distributed: the backend 'fake' is not supported, ranks that do not exist have "
                                   "no data")
    return names[0]


def _made(store, ranks, rank, timeout, description, backend) -> ProcessGroup:
    group = ProcessGroup(store, ranks, ranks.index(rank), timeout.total_seconds(), str(_world.made), description, backend)
    _world.made += 1
    _world.groups.append(group)
    return group


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization: bool = False,
              group_desc=None, device_id=None, sort_ranks: bool = True):
    """A group of some of the processes. All of them call this, in the same order.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.new_group

    Args:
        ranks: the global ranks of its members; all where it is None.
        timeout: as for `init_process_group`; that of the default group where it is None.
        backend: as for `init_process_group`.
        pg_options, device_id: without effect.
        use_local_synchronization: whether only the members call this.
        group_desc: what it is for.
        sort_ranks: whether the members are numbered in the order of their global ranks.

    Returns:
        a ProcessGroup; `GroupMember.NON_GROUP_MEMBER` where this process is none of them.

    Raises:
        ValueError: there is no default group; a rank that does not exist, or twice.
    """
    default = default_group()
    members = list(default.ranks) if ranks is None else [int(rank) for rank in ranks]
    if len(set(members)) != len(members):
        raise ValueError(f"ranks list must not contain duplicate entries, got {members}")
    for member in members:
        if member not in default.ranks:
            raise ValueError(f"Rank {member} is out of range. Valid ranks are 0 to {default.size() - 1} "
                             f"(world_size={default.size()})")
    members = sorted(members) if sort_ranks else members
    name = default.backend if backend is None else _checked_backend(backend)
    timeout = datetime.timedelta(seconds=default.timeout) if timeout is None else timeout
    number = "-".join(map(str, members)) if use_local_synchronization else str(_world.made)
    if default.global_rank not in members:
        if not use_local_synchronization:
            _world.made += 1
        return NON_MEMBER
    return _made(PrefixStore(f"group/{number}", _world.store), tuple(members), default.global_rank, timeout,
                 group_desc or "undefined", name)


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Groups of `group_size` processes each, one after the other.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.new_subgroups

    Args:
        group_size: how many members each has; LOCAL_WORLD_SIZE where it is None.
        group: the group that is divided; None means all.
        timeout, backend, pg_options, group_desc: as for `new_group`.

    Returns:
        (the group that this process is in, all of them).

    Raises:
        ValueError: the number of processes cannot be divided by `group_size`.
    """
    ranks = group_of(group).ranks
    size = int(os.environ.get("LOCAL_WORLD_SIZE", len(ranks))) if group_size is None else group_size
    if size <= 0:
        raise ValueError(f"The arg 'group_size' ({size}) must be positive")
    if len(ranks) < size:
        raise ValueError(f"The arg 'group_size' ({size}) must not exceed the world size ({len(ranks)})")
    if len(ranks) % size:
        raise ValueError(f"The world size ({len(ranks)}) must be divisible by 'group_size={size}'")
    return new_subgroups_by_enumeration([list(ranks[i:i + size]) for i in range(0, len(ranks), size)], timeout, backend,
                                        pg_options, group_desc)


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Groups of the given members.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.new_subgroups_by_enumeration

    Args:
        ranks_per_subgroup_list: for each group the global ranks of its members.
        timeout, backend, pg_options, group_desc: as for `new_group`.

    Returns:
        (the group that this process is in, or None, all of them).

    Raises:
        ValueError: no groups; a rank in two of them.
    """
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    mine, made, seen = None, [], set()
    for ranks in ranks_per_subgroup_list:
        if not seen.isdisjoint(ranks):
            raise ValueError(f"Rank {min(seen & set(ranks))} has appeared in both subgroups")
        seen.update(ranks)
        group = new_group(list(ranks), timeout, backend, pg_options, group_desc=group_desc)
        made.append(group)
        mine = group if isinstance(group, ProcessGroup) else mine
    return mine, made


def split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None, backend=None):
    """The groups that a group is split into.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.split_group

    Args:
        parent_pg: the group that is split; None means all.
        split_ranks: for each new group the ranks of its members in that group.
        timeout, pg_options, group_desc, backend: as for `new_group`.

    Returns:
        the group that this process is in; None if it is in none.

    Raises:
        ValueError: no groups.
    """
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    ranks = group_of(parent_pg).ranks
    return new_subgroups_by_enumeration([[ranks[place] for place in places] for places in split_ranks], timeout, backend,
                                        pg_options, group_desc)[0]


def destroy_process_group(group=None) -> None:
    """End a group, or all where it is None. What is pending is waited for.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.destroy_process_group

    Args:
        group: a ProcessGroup.

    Raises:
        AssertionError: there is none. ValueError: it has been destroyed.
    """
    if group == NON_MEMBER:
        return
    chosen = _world.default if group is None else group
    if chosen is None:
        raise AssertionError("Process group cannot be None")
    if chosen not in _world.groups:
        raise ValueError("Invalid process group specified or has been destroyed.")
    if chosen is not _world.default:
        _world.groups.remove(chosen)
        chosen.close()
        return
    for each in reversed(_world.groups):
        each.close()
    _world.reset()


@atexit.register
def leave() -> None:
    """A process that ends with groups: who waits for it is told by the connection that closes."""
    for each in _world.groups:
        each.ledger.leave()
    failed = [each for each in _world.groups if each.ledger.failure is not None]
    if failed and _world.default is not None and _world.default.rank() == 0:
        time.sleep(2 * PERIOD)  # as a rule this process has the store, where the others read why
    for each in _world.groups:
        each.abandon()


def get_rank(group=None) -> int:
    """This process's rank. https://pytorch.org/docs/stable/distributed.html#torch.distributed.get_rank

    Args:
        group: the group whose rank is asked for; None means the default one.

    Returns:
        the rank; -1 where this process is not in the group.

    Raises:
        ValueError: there is no default group.
    """
    return group_of(group).rank() if is_member(group) else -1


def get_world_size(group=None) -> int:
    """How many processes a group has. https://pytorch.org/docs/stable/distributed.html#torch.distributed.get_world_size

    Args:
        group: the group; None means the default one.

    Returns:
        the number; -1 where this process is not in the group.

    Raises:
        ValueError: there is no default group.
    """
    return group_of(group).size() if is_member(group) else -1


def get_backend(group=None) -> Backend:
    """PyTorch's name of what moves the bytes of a group.

    Args:
        group: the group; None means the default one.

    Returns:
        the Backend.

    Raises:
        ValueError: there is no default group, or this process is not in the group.
    """
    if not is_member(group):
        raise ValueError("Invalid process group specified")
    return Backend(group_of(group).backend)


def get_backend_config(group=None) -> str:
    """The backend of each type of device, as text.

    Args:
        group: the group; None means the default one.

    Returns:
        "cpu:gloo,cuda:gloo", say.

    Raises:
        ValueError: there is no default group.
    """
    name = get_backend(group)
    return repr(BackendConfig(name))


def get_process_group_ranks(group) -> list[int]:
    """The global ranks of a group's members.

    Args:
        group: the group; None means the default one.

    Returns:
        a list, by their ranks in the group.

    Raises:
        ValueError: there is no default group.
    """
    return list(group_of(group).ranks)


def get_group_rank(group, global_rank: int) -> int:
    """The rank in a group of a global rank.

    Args:
        group: a ProcessGroup.
        global_rank: the other's.

    Returns:
        the rank; `global_rank` itself for the default group, as in PyTorch.

    Raises:
        ValueError: it is not in the group.
    """
    if group is _world.default:
        return global_rank
    if global_rank not in group.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return group.ranks.index(global_rank)


def get_global_rank(group, group_rank: int) -> int:
    """The global rank of a rank in a group.

    Args:
        group: a ProcessGroup.
        group_rank: the rank there.

    Returns:
        the global rank; `group_rank` itself for the default group, as in PyTorch.

    Raises:
        ValueError: the group has no such rank.
    """
    if group is _world.default:
        return group_rank
    if not 0 <= group_rank < group.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return group.ranks[group_rank]


def get_pg_count() -> int:
    """How many groups have been made."""
    return _world.made


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """This process's rank on its machine, from LOCAL_RANK.

    Args:
        fallback_rank: what to return where that is not set.

    Returns:
        the rank.

    Raises:
        RuntimeError: it is not set, and there is no `fallback_rank`.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` "
                       "to work, assuming you are not running in a multi-device context and want the code to run locally "
                       "instead.")


def is_torchelastic_launched() -> bool:
    """Whether this process was started by ``torchlike run --nproc-per-node``, or by torchrun."""
    return "TORCHELASTIC_RUN_ID" in os.environ

