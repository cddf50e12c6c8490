"""What the ranks that write or read a checkpoint tell one another. A process without a group is one rank."""

import datetime
import pickle
import time

from torchlike._c10d import world
from torchlike._c10d.objects import all_gather_object
from torchlike.distributed.checkpoint.errors import CheckpointException

_LOOK = 1.0  # seconds between two looks at whether the group has failed


class Ranks:
    """The ranks of one save or load.

    Args:
        process_group: their group; the default one where it is None.
        no_dist: whether this process is alone in any case.
        in_background: whether they go on while the program runs other collectives of the group: they talk by its store then.
    """

    def __init__(self, process_group, no_dist: bool, in_background: bool = False):
        has_group = not no_dist and world.is_initialized()
        self._group = world.group_of(process_group) if has_group else None
        self.rank, self.size = (self._group.rank(), self._group.size()) if self._group is not None else (0, 1)
        self._name, self._step = "", 0
        if in_background and self._group is not None:
            self._name = f"checkpoint/{self._group.next_number('checkpoint')}"

    def agree(self, what: str, function) -> list:
        """What a function returns on each rank.

        Args:
            what: "save" or "load".
            function: called on every rank, without arguments.

        Returns:
            a list of the results, which were pickled on the way.

        Raises:
            CheckpointException: on all ranks, if it has failed on any of them.
        """
        try:
            told = function(), None
        except Exception as error:  # noqa: BLE001 - all ranks are told
            told = None, _portable(error)
        try:
            every = self._gathered(told)
        except Exception as error:
            raise CheckpointException(what, {self.rank: error}) from error
        failures = {rank: error for rank, (_, error) in enumerate(every) if error is not None}
        if failures:
            raise CheckpointException(what, failures) from failures.get(self.rank)
        return [value for value, _ in every]

    def _gathered(self, value) -> list:
        if self._group is None or self.size == 1:
            return [value]
        if self._name:
            return self._by_store(self._group, value)
        every: list = [None] * self.size
        all_gather_object(every, value, self._group)
        return every

    def _by_store(self, group, value) -> list:
        """Who has come to a step has read all of the one before the last, which is removed."""
        step, self._step = self._step, self._step + 1
        group.store.set(f"{self._name}/{step}/{self.rank}", pickle.dumps(value))
        every = [pickle.loads(self._read(group, f"{self._name}/{step}/{rank}")) for rank in range(self.size)]
        if step:
            group.store.delete_key(f"{self._name}/{step - 1}/{self.rank}")
        return every

    def _read(self, group, key) -> bytes:
        until = time.monotonic() + group.timeout
        while not group.store.check([key]):
            if group.ledger.failure is not None:
                raise RuntimeError(group.ledger.failure)
            if time.monotonic() > until:
                raise RuntimeError(f"Timed out after {group.timeout:g} seconds waiting for rank {key.rpartition('/')[2]}")
            _wait(group.store, key)
        return group.store.get(key)


def _wait(store, key) -> None:
    try:
        store.wait([key], datetime.timedelta(seconds=_LOOK))
    except Exception:  # noqa: BLE001 - it has not come yet; `check` says what else there is
        return


def _portable(error: Exception) -> Exception:
    """An error that can be sent."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001 - whatever its class does
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
