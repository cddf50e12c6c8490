"""`monitored_barrier`: a barrier that says who has not come. It needs no channel, only the store.
https://pytorch.org/docs/stable/distributed.html#torch.distributed.monitored_barrier
"""

import datetime

from torchlike._c10d import world


def monitored_barrier(group=None, timeout=None, wait_all_ranks: bool = False) -> None:
    """Wait for all ranks, or say which one does not come.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.monitored_barrier

    Args:
        group: a ProcessGroup; the default one where it is None.
        timeout: a timedelta; that of the group where it is None.
        wait_all_ranks: whether all that are missing are named, not the first only.

    Raises:
        RuntimeError: on rank 0 which ranks have not come in time; on the others that rank 0 has not.
        ValueError: there is no default group.
    """
    if not world.is_member(group):
        return
    group = world.group_of(group)
    seconds = group.timeout if timeout is None else timeout.total_seconds()
    number, rank = group.next_number("monitored"), group.rank()
    waits = datetime.timedelta(seconds=seconds)
    if rank:
        group.store.set(f"monitored/{number}/{rank}", "")
        key, others = f"monitored/{number}/go", [0]
    else:
        key, others = "", list(range(1, group.size()))
    missing = [place for place in others if not _came(group.store, key or f"monitored/{number}/{place}", waits,
                                                        others.index(place) == 0 or wait_all_ranks)]
    if not rank and not missing:
        group.store.set(f"monitored/{number}/go", "")
    if missing:
        names = ", ".join(str(group.ranks[place]) for place in missing)
        milliseconds = round(seconds * 1000)
        raise RuntimeError(f"[Rank {group.global_rank}]: Rank{'s' if len(missing) > 1 else ''} {names} failed to pass "
                           f"monitoredBarrier in {milliseconds} ms")


def _came(store, key, waits, _first) -> bool:
    try:
        store.wait([key], waits)
    except Exception:  # noqa: BLE001 - PyTorch's DistStoreError, or the store has gone
        return False
    return True
