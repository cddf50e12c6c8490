"""The way between ranks that are threads of one process: an XLA client with a device for each of them.

Whoever comes last to a collective starts it, for all.
"""

import collections
import itertools
import threading

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from torchlike._c10d import programs
from torchlike._c10d.programs import Programs
from torchlike._compile import jax_private
from torchlike._compile.jax_private import own_work

_KEY = "devices"
_numbers = itertools.count()
_meetings: dict[int, "_Meeting"] = {}


class GoneError(RuntimeError):
    """A rank has left the group."""


class Result:
    """What one rank gets from a collective, when all have come."""

    def __init__(self):
        self._come = threading.Event()
        self._array: jax.Array | None = None
        self._error: Exception | None = None

    def put(self, array) -> None:
        """The collective has been started."""
        self._array = array
        self._come.set()

    def fail(self, error: Exception) -> None:
        """It will never be."""
        self._error = error
        self._come.set()

    def is_ready(self) -> bool:
        """Whether the values are there, or an error."""
        return self._come.is_set() and (self._array is None or self._array.is_ready())

    def __array__(self, dtype=None, copy=None):
        self._come.wait()
        if self._error is not None:
            raise self._error
        return np.asarray(self._array)


class _Meeting:
    """What the members of a group have in common."""

    def __init__(self, size: int):
        devices = jax_private.cpu_client(size).devices()
        self._devices = sorted(devices, key=lambda device: device.id)
        self._programs = Programs(NamedSharding(Mesh(np.array(self._devices), (programs.AXIS,)), PartitionSpec()))
        self._lock = threading.RLock()
        self._begun: collections.deque = collections.deque()  # {place: (what, array, Result)} of what not all have begun
        self._counts = [0] * size  # how many of these each has begun
        self._left: set[int] = set()

    def start(self, place: int, what: tuple, array: np.ndarray) -> Result:
        """One rank has come to its next collective."""
        made = Result()
        with self._lock:
            if self._counts[place] == len(self._begun):
                self._begun.append({})
            self._begun[self._counts[place]][place] = what, array, made
            self._counts[place] += 1
            if len(self._begun[0]) == len(self._devices):
                self._launch(self._begun.popleft())
                self._counts = [count - 1 for count in self._counts]
            else:
                self._fail_without_those_who_left()
        return made

    def _launch(self, of_all) -> None:
        """Starts it, unless ranks have come to different ones: then nobody gets anything, and the ledger tells why."""
        kind, how, shape, _ = of_all[0][0]
        if any(what != of_all[0][0] for what, _, _ in of_all.values()):
            return
        try:
            placed = [jax.device_put(of_all[i][1], device) for i, device in enumerate(self._devices)]
            given = jax.make_array_from_single_device_arrays(shape, self._programs.sharding, placed)
            found = self._programs.of(kind, how, given)(given)[0].addressable_shards
        except Exception as error:  # noqa: BLE001 - each rank raises it where it waits
            for _, _, result in of_all.values():
                result.fail(error)
            return
        by_device = {shard.device: shard.data for shard in found}
        for i, device in enumerate(self._devices):
            of_all[i][2].put(by_device[device])

    def leave(self, place: int) -> None:
        """A rank starts no more: those who wait for it are told."""
        with self._lock:
            self._left.add(place)
            self._fail_without_those_who_left()

    def _fail_without_those_who_left(self) -> None:
        for number, begun in enumerate(self._begun):
            if any(self._counts[place] <= number for place in self._left):
                for _, _, result in begun.values():
                    result.fail(GoneError("a rank has left the group"))


class DeviceChannel:
    """A rank's end of it; what `Channel` is where ranks are processes.

    Args:
        store: a Store of this group alone.
        rank, size: this rank's place among the members, and how many they are.
        timeout: how many seconds the members have to come; without effect on ranks that are here.
    """

    def __init__(self, store, rank: int, size: int, timeout: float):
        self.rank, self.size = rank, size
        if rank == 0:
            number = next(_numbers)
            _meetings[number] = _Meeting(size)
            store.set(_KEY, str(number))
        number = int(store.get(_KEY))
        self._meeting = _meetings[number]
        np.asarray(self.start("all_reduce", ("sum",), np.zeros(1, np.int32)))  # all have come
        if rank == 0:
            del _meetings[number]

    def start(self, kind: str, how: tuple, array: np.ndarray) -> Result:
        """Starts a collective.

        Args:
            kind, how, array: as for `Channel.start`.

        Returns:
            what this rank gets.
        """
        given = programs.bits(array) if kind in programs.MOVES else array
        with own_work():
            return self._meeting.start(self.rank, (kind, how, given.shape, given.dtype.str), given)

    def close(self) -> None:
        """This rank leaves."""
        self._meeting.leave(self.rank)

    leave_behind = close
