"""A process group. https://pytorch.org/docs/stable/distributed.html#groups"""

import collections
import threading
import time
from collections.abc import Callable

import numpy as np

from torchlike._base.forkable import forkable
from torchlike._c10d.channel import Channel, channel_to
from torchlike._c10d.devices import DeviceChannel
from torchlike._c10d.ledger import Ledger, watch
from torchlike._c10d.lines import Line
from torchlike._c10d.stores import PrefixStore
from torchlike._c10d.work import Work
from torchlike._compile.executors.together import together

_PATIENCE = 1.0  # seconds, for the threads of messages that are on their way


class ProcessGroup:
    """Processes that run collectives with one another. Made by `init_process_group` and `new_group`.
    https://pytorch.org/docs/stable/distributed.html#groups

    Args:
        store: a Store of this group alone.
        ranks: the global ranks of its members, in order.
        rank: this process's place among them.
        timeout: how many seconds a collective may take.
        group_name, group_desc: how it is called, and what it is for.
        backend: PyTorch's name of what moves the bytes.
    """

    def __init__(self, store, ranks: tuple, rank: int, timeout: float, group_name: str, group_desc: str, backend: str):
        self.store, self.ranks, self.timeout = store, ranks, timeout
        self.group_name, self.group_desc, self.backend = group_name, group_desc, backend
        self.bound_device_id = None
        self.ledger = Ledger(store, ranks, rank)
        self._rank = rank
        self._channel: Channel | DeviceChannel | None = None
        self._pending: list[Work] = []
        self._lines: dict[tuple, Line] = {}
        self._lock = forkable(threading.RLock())
        self._is_open, self._numbers = True, collections.Counter()
        if len(ranks) > 1:
            watch.add(self.ledger)
            together.begin()

    def rank(self) -> int:
        """This process's place among the members."""
        return self._rank

    def size(self) -> int:
        """How many members there are."""
        return len(self.ranks)

    def name(self) -> str:
        """PyTorch's name of what moves the bytes."""
        return self.backend

    @property
    def global_rank(self) -> int:
        """This process's rank in the default group."""
        return self.ranks[self._rank]

    def connect(self) -> None:
        """Meet the other members, if that has not been done: all of them must come."""
        if self._channel is None and self.size() > 1:
            with self._lock:
                if self._channel is None:
                    self._channel = channel_to(self.store, self._rank, self.size(), self.timeout)

    def start(self, name: str, kind: str, how: tuple, array: np.ndarray, arguments: tuple = (), shape=None):
        """Start a collective.

        Args:
            name, arguments: of the function that is called, and what all ranks must give it alike.
            kind, how, array: as for `Channel.start`.
            shape: what the others must have, too; that of `array` where it is None.

        Returns:
            (what comes back, see `Channel.start`, its entry in the ledger).

        Raises:
            RuntimeError: the group has been destroyed, or has failed.
        """
        if not self._is_open:
            raise RuntimeError("the process group has been destroyed")
        with self._lock:
            entry = self.ledger.note(name, arguments, str(array.dtype), tuple(array.shape if shape is None else shape))
            if self.ledger.failure is not None:
                raise RuntimeError(self.ledger.failure)
            if self.size() == 1 or not array.size:
                return array, entry
            self.connect()
            channel = self._channel
            assert channel is not None
            return channel.start(kind, how, array), entry

    def work(self, entry, arrays: list, finish: Callable, result: list) -> Work:
        """What `start` has begun, as a Work.

        Args:
            entry, arrays, finish, result: as for `Work`.

        Returns:
            the Work.
        """
        made = Work(self, entry, arrays, finish, result)
        with self._lock:
            self._pending.append(made)
        return made

    def run(self, name: str, kind: str, how: tuple, array: np.ndarray, arguments: tuple = ()) -> np.ndarray:
        """A collective, from its start to its end.

        Args:
            name, kind, how, array, arguments: as for `start`.

        Returns:
            the values that come back.
        """
        found: list = []
        back, entry = self.start(name, kind, how, array, arguments)
        self.work(entry, [back], found.extend, []).wait()
        return found[0]

    def settle(self, work: Work, seconds: float) -> None:
        """Wait for a Work, and put the results of all that began before it where they belong.

        Args:
            work: of this group.
            seconds: how long to wait.
        """
        with self._lock:
            while not work._done:
                self._pending[0].settle(seconds)
                self._pending.pop(0)

    def line(self, place: int, sends: bool) -> Line:
        """The line to a member, or from it.

        Args:
            place: the member's place in the group.
            sends: whether this process sends.

        Returns:
            the Line.
        """
        with self._lock:
            found = self._lines.get((place, sends))
            if found is None:
                ends = (self._rank, place) if sends else (place, self._rank)
                store = PrefixStore(f"line/{ends[0]}/{ends[1]}", self.store)
                found = self._lines[place, sends] = Line(store, sends, self.timeout)
            return found

    def next_number(self, kind: str) -> int:
        """How many things of a kind the group has begun, with this one: all ranks count alike.

        Args:
            kind: what it is.

        Returns:
            the number.
        """
        with self._lock:
            self._numbers[kind] += 1
            return self._numbers[kind]

    def close(self) -> None:
        """End it: what is pending is waited for. All members do so at the same place, or the others are told."""
        with self._lock:
            while self._pending and self.ledger.failure is None:
                self.settle(self._pending[-1], self.timeout)
            self.ledger.end()
            self.abandon()

    def abandon(self) -> None:
        """End it, and wait for nothing."""
        watch.remove(self.ledger)
        if self._is_open and self.size() > 1:
            together.end()
        for line in self._lines.values():
            line.close()
        deadline = time.monotonic() + _PATIENCE
        for line in self._lines.values():
            line.join(max(0.0, deadline - time.monotonic()))
        channel, self._channel, self._is_open = self._channel, None, False
        if channel is not None and (self._pending or self.ledger.failure is not None):
            channel.leave_behind()
        elif channel is not None:
            channel.close()
        self._lines.clear()

    def __repr__(self) -> str:
        return f"<torch.distributed.distributed_c10d.ProcessGroup object at {id(self):#x}>"
