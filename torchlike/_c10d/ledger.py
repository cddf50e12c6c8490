"""What the ranks of a group have started, so that they find out when it is not the same.

Each rank numbers its collectives and keeps a checksum of all of them so far. Twice a second, while there is something new or
somebody waits, it puts the last ones into the group's store and compares those of the rank before it with its own. So who
waits for what never comes learns why, and sums of what does not belong together do not go unnoticed. Collectives
themselves pay 2 us for it.
"""

import collections
import contextlib
import os
import pickle
import threading
import zlib
from typing import Any

from torchlike._base.forkable import forkable
from torchlike._record.site import describe, here

PERIOD = 0.5  # seconds between two looks
_KEPT, _TOLD = 8192, 32  # collectives: for oneself, and for others
_FAILED = "failed"


class Entry:
    """One collective: its ``number`` in the group, a checksum of all up to it, ``what`` it is, and the line that
    called it."""

    __slots__ = ("checksum", "number", "site", "what")

    def __init__(self, number, checksum, what, site):
        self.number, self.checksum, self.what, self.site = number, checksum, what, site

    def told(self) -> tuple:
        """What others are told."""
        return self.number, self.checksum, text_of(self.what), describe(self.site) if self.site else ""


def text_of(what: tuple) -> str:
    """A collective as text: its name, what it is given by name, dtype and shape."""
    name, arguments, dtype, shape = what
    given = ", ".join(f"{key}={value}" for key, value in arguments)
    return f"{name}({given})" if dtype is None else f"{name}({given}) of {dtype} {list(shape)}"


class Ledger:
    """What this rank has started in one group.

    Args:
        store: the group's.
        ranks: the global ranks of its members, in order.
        rank: this process's place among them.
    """

    def __init__(self, store, ranks: tuple, rank: int):
        self.store, self.ranks, self.rank = store, ranks, rank
        self.failure: str | None = None
        self.waiting = 0
        self._entries: collections.deque = collections.deque(maxlen=_KEPT)
        self._last = Entry(0, 0, None, None)
        self._posted = 0

    def note(self, name: str, arguments: tuple, dtype, shape: tuple) -> Entry:
        """A collective that starts now.

        Args:
            name: that of the function; `arguments`, pairs of names and values, `dtype` and `shape`: what has to be the same
                on all ranks.

        Returns:
            its Entry.
        """
        what = name, arguments, dtype, shape
        last = self._last
        entry = Entry(last.number + 1, zlib.crc32(repr(what).encode(), last.checksum), what, here())
        self._last = entry
        self._entries.append(entry)
        return entry

    def apart(self, name: str, arguments: tuple) -> Entry:
        """What only some of the ranks start, a message: it has no number."""
        return Entry(0, 0, (name, arguments, None, ()), here())

    def fail(self, text: str) -> None:
        """Tell all ranks that the group has failed."""
        self.failure = self.failure or text
        try:
            self.store.set(_FAILED, text)
        except Exception:  # noqa: BLE001 - whoever has the store may be gone, and this error is not the first
            return

    def exchange(self) -> None:
        """Post what is new, and compare. Called by the watch."""
        if self.failure is not None or (self._posted == self._last.number and not self.waiting):
            return
        self.post()
        before = (self.rank - 1) % len(self.ranks)
        differing = self._differing(self.told_by(before))
        if differing is not None:
            self.fail(self._difference(before, *differing))
        elif self.store.check([_FAILED]):
            self.failure = self.store.get(_FAILED).decode()

    def post(self) -> None:
        """Put the last collectives into the store."""
        entries = list(self._entries)[-_TOLD:]
        if entries and entries[-1].number != self._posted:
            self.store.set(f"ledger/{self.rank}", pickle.dumps([entry.told() for entry in entries]))
            self._posted = entries[-1].number

    def end(self) -> None:
        """This rank leaves the group: others who go on find it in the ledger."""
        self.note("destroy_process_group", (), None, ())
        self.leave()

    def leave(self) -> None:
        """The process may end: what it has done is posted, for whoever misses it."""
        with contextlib.suppress(Exception):  # whoever has the store may have left before
            self.post()

    def told_by(self, rank: int) -> list:
        """What a rank has put there."""
        key = f"ledger/{rank}"
        return pickle.loads(self.store.get(key)) if self.store.check([key]) else []

    def _differing(self, theirs) -> tuple | None:
        """(mine, theirs) of the first collective that is not the same."""
        mine: dict[int, Any] = {entry.number: entry for entry in list(self._entries)}
        for number, checksum, text, line in theirs:
            if number in mine and mine[number].checksum != checksum:
                return mine[number], (number, checksum, text, line)
        return None

    def _difference(self, rank, mine, theirs) -> str:
        number, _, text, line = mine.told()
        own, other = self.ranks[self.rank], self.ranks[rank]
        return (f"The ranks do not run the same collectives. Number {number} of this group is {text} on rank {own}, and "
                f"{theirs[2]} on rank {other}.\nRank {own}:\n{line}\nRank {other}:\n{theirs[3]}")

    def reason(self, text: str) -> str:
        """Why a collective has failed: that a rank does something else, if that can be seen by now, else `text` and what the
        others were last seen doing."""
        lines = []
        for place, rank in enumerate(self.ranks):
            if place == self.rank:
                continue
            try:
                self.post()
                told = self.told_by(place)
            except Exception:  # noqa: BLE001 - the store may be gone
                return f"{text}\nThe process that has the store cannot be reached."
            differing = self._differing(told)
            if differing is not None:
                return self._difference(place, *differing)
            lines.append(_standing(rank, told))
        return "\n".join([text, *lines])


def _standing(rank, told) -> str:
    if not told:
        return f"Rank {rank} has started no collective of this group."
    number, _, text, line = told[-1]
    return f"Rank {rank} has started {number}, the last of them {text}:\n{line}"


class Watch:
    """The thread that has the ledgers exchanged; there is one while there are groups."""

    def __init__(self):
        self._ledgers: tuple = ()
        self._lock = forkable(threading.Lock())
        self._wake = threading.Event()
        self._process = 0

    def add(self, ledger: Ledger) -> None:
        """From now on this one is exchanged."""
        with self._lock:
            self._ledgers = (*self._ledgers, ledger)
            if self._process != os.getpid():  # in a forked process no thread is left
                self._process, self._wake = os.getpid(), threading.Event()
                threading.Thread(target=self._run, args=(self._wake,), name="torchlike-collectives", daemon=True).start()

    def remove(self, ledger: Ledger) -> None:
        """No longer."""
        with self._lock:
            self._ledgers = tuple(each for each in self._ledgers if each is not ledger)
            if not self._ledgers:
                self._process = 0
                self._wake.set()

    def _run(self, wake) -> None:
        while not wake.wait(PERIOD):
            for ledger in self._ledgers:
                try:
                    ledger.exchange()
                except Exception as error:  # noqa: BLE001 - whoever has the store is gone
                    if ledger.waiting:
                        ledger.failure = f"The process that has the store of the group cannot be reached: {error}"


watch = Watch()
