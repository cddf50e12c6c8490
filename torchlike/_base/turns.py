"""Ranks that are threads of one process (`_ranks/`): which one a thread belongs to, and whose turn it is.

One of them runs at a time, until it waits for something; then another one goes on. So what a process has once, its random
numbers, say, can be each rank's own: it is exchanged when another rank goes on. Where ranks are processes nothing here does
anything.
"""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

_SHORT = 1e-4  # seconds


class _Place(threading.local):
    """``rank``: of this thread, None where ranks are processes."""

    rank: int | None = None


class RanksEndedError(BaseException):
    """The other ranks are ended: no Exception, so that programs do not go on after it."""


class Turns:
    """Whose turn it is.

    Args:
        exchange: called with the rank that has run last, or None, and with the one that goes on.
    """

    def __init__(self, exchange: Callable[[int | None, int], None]):
        self._exchange, self._lock = exchange, threading.Lock()
        self.holder: int | None = None  # the thread whose turn it is
        self._last: int | None = None
        self.is_over = False

    def take(self) -> None:
        """Wait for this thread's turn.

        Raises:
            RanksEndedError: the ranks are to end.
        """
        self._lock.acquire()
        self.holder = threading.get_ident()
        if self.is_over:
            self.give()
            raise RanksEndedError
        rank = place.rank
        if rank is not None and self._last != rank:
            self._exchange(self._last, rank)
            self._last = rank

    def give(self) -> None:
        """Let another rank go on."""
        self.holder = None
        self._lock.release()

    def has(self) -> bool:
        """Whether it is this thread's turn."""
        return self.holder == threading.get_ident()

    def end(self) -> None:
        """Each rank ends when it is its turn again."""
        self.is_over = True


class _Active:
    turns: Turns | None = None


place, active = _Place(), _Active()


@contextlib.contextmanager
def away() -> Iterator[None]:
    """A block in which this thread waits, and other ranks go on."""
    turns = active.turns
    if turns is None or not turns.has():
        yield
        return
    turns.give()
    try:
        yield
    finally:
        turns.take()


def pause() -> None:
    """Lets other ranks go on, for whoever asks again and again whether something is done."""
    turns = active.turns
    if turns is not None and turns.has():
        with away():
            time.sleep(_SHORT)


class PerRank:
    """An object of which each rank has one, and the process one where ranks are processes.

    Args:
        make: makes one.
    """

    def __init__(self, make: Callable[[], Any]):
        vars(self).update(_make=make, _found={})

    def _here(self):
        found = self._found.get(place.rank)
        return self._found.setdefault(place.rank, self._make()) if found is None else found

    def __getattr__(self, name):
        return getattr(self._here(), name)

    def __setattr__(self, name, value):
        setattr(self._here(), name, value)


def _alone() -> None:
    """In a forked process one thread is left."""
    active.turns = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_alone)
