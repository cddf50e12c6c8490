"""What a rank waits in, without a collective: others go on meanwhile."""

import contextlib
import os
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator

from torchlike._base.turns import active, away, place

_HELD = contextlib.nullcontext()


@contextlib.contextmanager
def giving_turns() -> Iterator[None]:
    """A block in which a program that sleeps, waits for a Condition (Events, queues and futures have one) or joins a thread
    gives its turn away, and in which threads belong to the rank of those that start them."""
    kept = time.sleep, threading.Condition.wait, threading.Thread.join, threading.Thread.start
    time.sleep = _away(kept[0])
    threading.Condition.wait = _waiting(kept[1])  # type: ignore[method-assign]
    threading.Thread.join = _away(kept[2])  # type: ignore[method-assign]
    threading.Thread.start = _starting(kept[3])  # type: ignore[method-assign]
    try:
        yield
    finally:
        time.sleep, threading.Condition.wait, threading.Thread.join, threading.Thread.start = kept  # type: ignore[method-assign]


def _away(function):
    def given_away(*args, **kwargs):
        with away() if _may_wait_for_ranks() else _HELD:
            return function(*args, **kwargs)

    return given_away


def _waiting(wait):
    """A Condition wakes with its lock, for which the rank whose turn it is may wait: it is opened before the turn comes."""
    def given_away(self, timeout=None):
        turns = active.turns
        if turns is None or not turns.has() or not _may_wait_for_ranks():
            return wait(self, timeout)
        turns.give()
        try:
            return wait(self, timeout)
        finally:
            held = self._release_save()
            try:
                turns.take()
            finally:
                self._acquire_restore(held)

    return given_away


_RANKS = ("torchlike._c10d", "torchlike.distributed", "torchlike.futures", "torchlike.nn.parallel")
_AT_ONCE = ("start", "submit")  # a thread, to an executor: with locks of all executors
_WAITING = ("threading", "queue", "concurrent.futures", __name__)
_PACKAGES = (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib"),
             os.path.dirname(os.path.dirname(__file__)))


def _may_wait_for_ranks() -> bool:
    """Whether it is the program that waits here, or what waits for ranks. A package waits for threads of its own, and may
    hold a lock meanwhile that all ranks need."""
    frame = sys._getframe(1)
    while frame is not None and _is_of(frame, _WAITING):
        if frame.f_code.co_name in _AT_ONCE:
            return False
        frame = frame.f_back
    return frame is None or _is_of(frame, _RANKS) or not frame.f_code.co_filename.startswith((*_PACKAGES, "<frozen "))


def _is_of(frame, packages) -> bool:
    name = frame.f_globals.get("__name__") or ""
    return any(name == package or name.startswith(package + ".") for package in packages)


def _starting(start):
    def started(self):
        rank, run = place.rank, self.run

        def of_rank():
            place.rank = rank
            try:
                run()
            finally:
                del self.run  # which knows the thread, as the thread knows it

        self.run = of_rank  # the thread looks it up some time after `start` has returned
        start(self)

    return started
