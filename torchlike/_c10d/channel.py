"""The way between the processes of one group: an XLA client of their own, whose devices are one of each.

JAX's client for the process knows one machine, or has been told of all processes before anything was computed. This one is
beside it, so a program may compute before it starts a group, JAX's settings stay as the user has them, and a group is what
its members make it. Its processes find one another by JAX's coordinator, which is shut down as soon as gloo has connected
them: what comes later is between the members, and a coordinator that dies would end them all.
"""

import ctypes
import os
import socket
import sys
import tempfile
import threading
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from torchlike._base.turns import place
from torchlike._c10d import programs
from torchlike._c10d.devices import DeviceChannel
from torchlike._c10d.programs import Programs
from torchlike._compile import jax_private
from torchlike._compile.jax_private import own_work

_TRIES = 8  # ports
_ADDRESS, _READY, _HERE = "coordinator", "ready", "127.0.0.1"


class Channel:
    """What a group of more than one process is connected by.

    Args:
        store: a Store of this group alone.
        rank, size: this process's place among the members, and how many they are.
        timeout: how many seconds the members have to come.

    Raises:
        RuntimeError: a member does not come.
    """

    def __init__(self, store, rank: int, size: int, timeout: float):
        self.rank, self.size = rank, size
        self._client = _connected(store, rank, size, timeout, self._meet)

    def _meet(self, client) -> None:
        """Connects the members: gloo does so at the first collective."""
        devices = sorted(client.devices(), key=lambda device: device.process_index)
        self._programs = Programs(NamedSharding(Mesh(np.array(devices), (programs.AXIS,)), PartitionSpec()))
        self._device = client.local_devices()[0]
        with _without_greeting:
            jax.block_until_ready(self.start("all_reduce", ("sum",), np.zeros(1, np.int32)))

    def start(self, kind: str, how: tuple, array: np.ndarray) -> jax.Array:
        """Starts a collective. What comes back is there when it is done; of those in `programs.MOVES` it is bits.

        Args:
            kind, how: the function of `programs.py`, and its arguments.
            array: what this rank gives, one-dimensional. Nobody may write to it.

        Returns:
            what this rank gets.

        Raises:
            jax.errors.JaxRuntimeError: a member has gone; also when it is read.
        """
        with own_work():
            return self._started(kind, how, programs.bits(array) if kind in programs.MOVES else array)

    def _started(self, kind, how, array):
        placed = jax.device_put(array, self._device)
        given = jax.make_array_from_single_device_arrays(array.shape, self._programs.sharding, [placed])
        return self._programs.of(kind, how, given)(given)[0].addressable_data(0)

    def close(self) -> None:
        """Lets go of the client: the others see that this process has gone."""
        self._programs.clear()
        self._client = self._device = None

    def leave_behind(self) -> None:
        """Keeps the client for ever: what will never be done is waited for when it is destroyed."""
        ctypes.pythonapi.Py_IncRef(ctypes.py_object((self._client, self._device, self._programs)))


def _connected(store, rank, size, timeout, meet):
    """A client of XLA's for the CPU that knows the devices of all members, which have met."""
    service = None
    if rank == 0:
        host = _own_address(store)
        service, port = _service(size)
        store.set(_ADDRESS, f"{host}:{port}")
    address = store.get(_ADDRESS).decode()
    agent = jax_private.agent(address, rank, max(1, int(timeout)))
    agent.connect()
    found = jax_private.cpu_client(1, agent, jax_private.gloo(agent, _own_address(store)), rank, size)
    meet(found)
    agent.wait_at_barrier(_READY, max(1, int(timeout * 1000)))
    agent.shutdown()
    if service is not None:
        service.shutdown()
    return found


def _service(size) -> tuple:
    """(JAX's coordinator, its port), at a port that is free."""
    for left in reversed(range(_TRIES)):
        with socket.socket(socket.AF_INET6 if socket.has_ipv6 else socket.AF_INET) as probe:
            probe.bind(("", 0))
            port = probe.getsockname()[1]
        try:
            return jax_private.coordinator(f"[::]:{port}", size), port
        except Exception:
            if not left:
                raise
    raise AssertionError("not reached")


def _own_address(store) -> str:
    """This machine's address as the others know it: the one from which the machine that has the store is reached."""
    while not hasattr(store, "host") and hasattr(store, "underlying_store"):
        store = store.underlying_store
    host = getattr(store, "host", None) or os.environ.get("MASTER_ADDR", _HERE)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:  # nothing is sent
            probe.connect((host, 9))
            return probe.getsockname()[0]
    except OSError:
        return _HERE


def channel_to(store, rank: int, size: int, timeout: float) -> Channel | DeviceChannel:
    """This rank's end of the way between the members of a group, processes or threads of one.

    Args:
        store, rank, size, timeout: as for `Channel`.

    Returns:
        the channel.

    Raises:
        RuntimeError: a member does not come.
    """
    return (Channel if place.rank is None else DeviceChannel)(store, rank, size, timeout)


class _WithoutGreeting:
    """A block in which gloo greets its peers: by a line on standard output, which is the user's. What else is written
    meanwhile, by other threads, comes after it. Several threads may be inside: each waits there for another process, whose
    threads come in another order."""

    def __init__(self):
        self._lock, self._inside = threading.Lock(), 0
        self._kept = -1  # standard output; -1: the process has none
        self._caught: Any = None

    def __enter__(self):
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._catch()

    def __exit__(self, *error):
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._release()

    def _catch(self) -> None:
        try:
            self._kept = os.dup(1)
        except OSError:
            self._kept = -1
            return
        _flush()
        self._caught = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `_release`
        os.dup2(self._caught.fileno(), 1)

    def _release(self) -> None:
        if self._kept < 0:
            return
        _flush()
        os.dup2(self._kept, 1)
        os.close(self._kept)
        with self._caught as caught:
            caught.seek(0)
            others = b"".join(line for line in caught if not line.startswith(b"[Gloo] Rank "))
        if others:
            os.write(1, others)


_without_greeting = _WithoutGreeting()


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()
