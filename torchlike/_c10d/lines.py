"""Messages from one rank to another, each direction by a channel of its own.

A channel runs what it is given in order, and both ends must give it the same. A message is two hand-overs: a head with its
tag and size, then its bytes. Each end has a thread, since whoever sends need not wait until the other one receives: the
threads meet when the first message is sent.
"""

import queue
import threading
from collections.abc import Callable

import numpy as np

from torchlike._c10d.channel import Channel

_HEAD = 2  # numbers: tag, bytes
_SENDER = 0  # the sender's place in a channel


class Errand:
    """A message on its way: ``done`` is set at the end, ``error`` tells why it has failed. ``is_ready`` and so on are
    what a Work asks of an array."""

    def __init__(self, tag: int, data: np.ndarray | None, size: int):
        self.tag, self.data, self.size = tag, data, size
        self.error: Exception | None = None
        self._done = threading.Event()

    def is_ready(self) -> bool:
        """Whether it has arrived."""
        return self._done.is_set()

    def end(self, error: Exception | None = None) -> None:
        """It has arrived, or failed."""
        self.error = error
        self._done.set()

    def __array__(self, dtype=None, copy=None):
        if self.error is not None:
            raise self.error
        return self.data if self.data is not None else np.empty(0, np.uint8)


class Line:
    """One direction between two ranks.

    Args:
        store: a Store of this line alone.
        sends: whether this process is the one that sends.
        timeout: how many seconds the other one has to come.
    """

    def __init__(self, store, sends: bool, timeout: float):
        self._errands: queue.SimpleQueue = queue.SimpleQueue()
        self._early: list = []  # (tag, bytes) that have come before somebody asked for them
        work = self._send if sends else self._receive
        self._thread = threading.Thread(target=self._run, args=(store, 0 if sends else 1, timeout, work),
                                        name="torchlike-line", daemon=True)
        self._thread.start()

    def put(self, errand: Errand) -> None:
        """Have it done, after those before it."""
        self._errands.put(errand)

    def close(self) -> None:
        """End the thread after what it has to do."""
        self._errands.put(None)

    def join(self, seconds: float) -> None:
        """Wait until it has ended, or for so long: a process that ends while a thread lets go of XLA's client is aborted.

        Args:
            seconds: how long; a thread that waits for another rank does not end.
        """
        self._thread.join(seconds)

    def _run(self, store, place, timeout, work: Callable) -> None:
        channel = None
        while (errand := self._errands.get()) is not None:
            try:
                channel = channel or Channel(store, place, 2, timeout)
                work(channel, errand)
                errand.end()
            except Exception as error:  # noqa: BLE001 - whoever waits for it raises it
                errand.end(error)

    def _send(self, channel, errand) -> None:
        _handed(channel, np.array([errand.tag, errand.data.nbytes], np.int64))
        if errand.data.nbytes:
            _handed(channel, errand.data.view(np.uint8))
        errand.data = None

    def _receive(self, channel, errand) -> None:
        while True:
            for i, (tag, data) in enumerate(self._early):
                if tag == errand.tag:
                    del self._early[i]
                    errand.data = data
                    return
            tag, size = _handed(channel, np.zeros(_HEAD, np.int64)).view(np.int64).tolist()
            data = _handed(channel, np.zeros(size, np.uint8)) if size else np.empty(0, np.uint8)
            self._early.append((tag, data))


def _handed(channel, array) -> np.ndarray:
    return np.asarray(channel.start("hand_over", (_SENDER,), array))
