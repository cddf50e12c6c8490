"""How the launchers of several machines find each other, before each round and when one has to end.

They meet in a `TCPStore` that one of them serves. In each round every launcher writes how many workers it has, and all read
the same list, so all know all ranks. The launcher of rank 0 serves another store for the workers, the one of MASTER_ADDR and
MASTER_PORT, anew in each round.
"""

import contextlib
import dataclasses
import json
import socket
import time
from collections.abc import Callable

from torchlike._c10d.errors import DistError, DistNetworkError
from torchlike._c10d.stores import PrefixStore, TCPStore

_PAUSE = 0.05  # seconds between looks
_BEAT = 1.0  # seconds between signs of life
_TRY = 0.5  # seconds of one attempt to connect
_READING = 1.0  # seconds in which the others read why there is no round
_FAREWELL = 5.0  # seconds that the store is served to those that still end


class RendezvousError(Exception):
    """The launchers do not find each other; the text says why."""


class SignalError(Exception):
    """A signal has come while this waited."""


@dataclasses.dataclass
class Place:
    """Where this node stands in a round."""

    group_rank: int
    group_world_size: int
    first_rank: int
    world_size: int
    role_rank: int
    role_world_size: int
    address: str
    port: int
    store: TCPStore | None  # for the workers, of the launcher of rank 0


def place_of(nodes: list[dict], index: int, address: str, port: int, store: TCPStore | None) -> Place:
    """Where the node of that index stands, of all nodes' own words."""
    def total(some: list[dict]) -> int:
        return sum(node["workers"] for node in some)

    role = [node for node in nodes if node["role"] == nodes[index]["role"]]
    before = [node for node in nodes[:index] if node["role"] == nodes[index]["role"]]
    return Place(index, len(nodes), total(nodes[:index]), total(nodes), total(before), total(role), address, port, store)


class OneNode:
    """There are no others.

    Args:
        workers: how many this node has.
        address: MASTER_ADDR.
    """

    def __init__(self, workers: int, address: str):
        self._workers, self._address = workers, address

    def join(self, number: int) -> Place:
        """The round of that number."""
        store = TCPStore(self._address, 0, None, True)
        return place_of([{"workers": self._workers, "role": ""}], 0, self._address, store.port, store)

    def elsewhere(self) -> str:
        """What has failed on another node, "" if nothing has."""
        return ""

    def fail(self, text: str) -> None:
        """Tells the others that workers of this node have failed."""

    def have_all_ended(self) -> bool:
        """Whether the workers of all nodes have ended well, as those of this one."""
        return True

    def leave(self) -> None:
        """Nothing more is asked."""


@dataclasses.dataclass
class Meeting:
    """What `Nodes` is told.

    Args:
        run_id: the name of the run, the same everywhere.
        host, port: where launchers meet.
        node_rank: this one's place, None for the order in which they come.
        least, most: how many nodes there are.
        workers, role: of this node.
        local_address: where others reach this node, "" to find out.
        timeout: seconds to wait for the others.
        last_call: seconds to wait for more than `least`.
        keep_alive: seconds after which a launcher that gives no sign of life is given up.
        interrupted: whether a signal has come.
    """

    run_id: str
    host: str
    port: int
    node_rank: int | None
    least: int
    most: int
    workers: int
    role: str
    local_address: str
    timeout: float
    last_call: float
    keep_alive: float
    interrupted: Callable[[], bool]


class Nodes:
    """Several nodes.

    Args:
        meeting: what is known of them.
    """

    def __init__(self, meeting: Meeting):
        self._of = meeting
        self._until = time.monotonic() + meeting.timeout
        self._meeting_store = self._connected()
        self._round: PrefixStore = PrefixStore("", self._meeting_store)
        self._count, self._index, self._has_ended = 0, 0, False
        self._next_beat, self._beats = 0.0, {}

    def _connected(self) -> TCPStore:
        """The store where launchers meet: served here if this is its machine and nobody else there does."""
        of = self._of
        if of.node_rank == 0 or (of.node_rank is None and _is_here(of.host)):
            try:
                return TCPStore(of.host, of.port, None, True, of.timeout)
            except DistNetworkError:
                if of.node_rank == 0:
                    raise RendezvousError(f"port {of.port} of {of.host} is in use: choose another one by --rdzv-endpoint or "
                                          "--master-port on all nodes") from None
        while True:
            self._check_time(f"nobody answers at {of.host}:{of.port}: is the launcher of node 0 there, with the same "
                             "--rdzv-endpoint?")
            try:
                return TCPStore(of.host, of.port, None, False, _TRY)
            except DistNetworkError:
                time.sleep(_PAUSE)

    def _check_time(self, missing: str) -> None:
        if self._of.interrupted():
            raise SignalError
        if time.monotonic() > self._until:
            raise RendezvousError(f"{missing} Waited {self._of.timeout:g} s (--rdzv-conf timeout=SECONDS)")

    def join(self, number: int) -> Place:
        """The round of that number: returns when all nodes have come. RendezvousError if they do not."""
        try:
            return self._joined(number)
        except DistError as error:
            raise RendezvousError(f"the connection to {self._of.host}:{self._of.port} is lost: {error}") from None

    def _joined(self, number: int) -> Place:
        self._until = time.monotonic() + self._of.timeout
        self._has_ended, self._beats = False, {}
        self._round = store = PrefixStore(f"torchlike.run/{self._of.run_id}/{number}", self._meeting_store)
        self._agree(store)
        slot = self._slot(store)
        mine = {"workers": self._of.workers, "role": self._of.role, "address": self._address()}
        store.set(f"node/{slot}", json.dumps(mine))
        self._count = self._all_have_come(store, slot)
        nodes = [json.loads(value) for value in store.multi_get([f"node/{each}" for each in range(self._count)])]
        self._index, served = slot, None
        if slot == 0:
            served = TCPStore(nodes[0]["address"], 0, None, True)
            store.set("master", f"{nodes[0]['address']} {served.port}")
        address, port = store.get("master").decode().rsplit(" ", 1)
        return place_of(nodes, slot, address, int(port), served)

    def _agree(self, store: PrefixStore) -> None:
        mine = f"{self._of.least}:{self._of.most}" if self._of.least != self._of.most else f"{self._of.most}"
        first = store.compare_set("nnodes", "", mine).decode()
        if first != mine:
            text = f"one node was started with --nnodes {first}, another with --nnodes {mine}"
            store.set("failed", text)
            time.sleep(_READING if self._meeting_store.is_master else 0)
            raise RendezvousError(text)

    def _slot(self, store: PrefixStore) -> int:
        """The place of this node: as it was told, or the next one that is free."""
        slot = self._of.node_rank
        if slot is None:
            slot = store.add("come", 1) - 1
            if slot >= self._of.most or store.check(["closed"]):
                raise RendezvousError(f"this node comes too late: the {self._of.most} nodes of run {self._of.run_id!r} are "
                                      "there already")
        elif store.add(f"taken/{slot}", 1) > 1:
            raise RendezvousError(f"two nodes were started with --node-rank {slot}")
        return slot

    def _all_have_come(self, store: PrefixStore, slot: int) -> int:
        """Waits for the others; how many nodes there are."""
        last_call = None
        while True:
            if self.elsewhere():
                raise RendezvousError(self.elsewhere())
            come = [index for index in range(self._of.most) if store.check([f"node/{index}"])]
            if store.check(["closed"]):
                count = int(store.get("closed"))
                if slot < count:
                    return count
                raise RendezvousError(f"this node comes too late: run {self._of.run_id!r} has begun with {count} nodes")
            if len(come) >= self._of.least and last_call is None:
                last_call = time.monotonic() + self._of.last_call
            if slot == 0 and (len(come) == self._of.most or (last_call is not None and time.monotonic() > last_call)):
                store.set("closed", str(len(come)))
                continue
            missing = [str(index) for index in range(self._of.most) if index not in come]
            self._check_time(f"{len(come)} of {self._of.least} nodes have come"
                             + (f"; missing: --node-rank {', '.join(missing)}." if self._of.node_rank is not None else "."))
            time.sleep(_PAUSE)

    def _address(self) -> str:
        """Where the others reach this node: by the interface that leads to the meeting."""
        of = self._of
        if of.local_address or self._meeting_store.is_master:
            return of.local_address or of.host
        with socket.create_connection((of.host, of.port)) as connection:
            return connection.getsockname()[0]

    def elsewhere(self) -> str:
        """What has failed on another node, "" if nothing has."""
        try:
            if self._round.check(["failed"]):
                return self._round.get("failed").decode()
            return self._silent()
        except DistError:
            return f"the launcher that serves {self._of.host}:{self._of.port} has ended"

    def _silent(self) -> str:
        """Gives a sign of life, and looks for those of the others; which one gives none, "" if all do."""
        now = time.monotonic()
        if now < self._next_beat or not self._count:
            return ""
        self._next_beat = now + _BEAT
        self._round.add(f"beat/{self._index}", 1)
        for index in set(range(self._count)) - {self._index}:
            if self._round.check([f"left/{index}"]):
                continue
            beat = self._round.add(f"beat/{index}", 0)
            last, seen = self._beats.get(index, (None, now))
            self._beats[index] = (beat, seen if beat == last else now)
            if beat == last and now - seen > self._of.keep_alive:
                return f"the launcher of node {index} gives no sign of life since {now - seen:.0f} s"
        return ""

    def fail(self, text: str) -> None:
        """Tells the others that workers of this node have failed."""
        with contextlib.suppress(DistError):  # they see that the store is gone
            self._round.set("failed", text)

    def have_all_ended(self) -> bool:
        """Whether the workers of all nodes have ended well, as those of this one."""
        if not self._has_ended:
            self._has_ended = True
            self._round.add("ended", 1)
        return self._round.add("ended", 0) >= self._count

    def leave(self) -> None:
        """Nothing more is asked. Who serves the store waits a little for the others."""
        with contextlib.suppress(DistError):
            self._round.set(f"left/{self._index}", "")
            others = [f"left/{index}" for index in range(self._count)]
            if self._meeting_store.is_master and self._count:
                self._round.wait(others, min(_FAREWELL, self._of.keep_alive))


def _is_here(host: str) -> bool:
    """Whether an address is of this machine."""
    with contextlib.suppress(OSError):
        for family, kind, _, _, address in socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM):
            with socket.socket(family, kind) as trial:
                trial.bind(address)
                return True
    return False
