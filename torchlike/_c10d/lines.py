"""Messages from one rank to another, each direction by a channel of its own.

A channel runs what it is given in order, and both ends must give it the same. A message is two hand-overs: a head with its
tag and size, then its bytes. Each end has a thread, since whoever sends need not wait until the other one receives: the
threads meet when the first message is sent.
"""

import queue
import threading
from collections.abc import Callable

import numpy as np

from torchlike._c10d.channel import channel_to

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

    @property
    def is_over(self) -> bool:
        """Whether nobody waits for it any more: another line has brought it."""
        return False

    def take(self, data: np.ndarray) -> bool:
        """A message of its tag is there.

        Args:
            data: its bytes.

        Returns:
            whether it is taken.
        """
        self.data = data
        return True

    def end(self, error: Exception | None = None) -> None:
        """It has arrived, or failed."""
        self.error = error
        self._done.set()

    def __array__(self, dtype=None, copy=None):
        if self.error is not None:
            raise self.error
        return self.data if self.data is not None else np.empty(0, np.uint8)


class FromAny(Errand):
    """A message from whichever rank sends one first: each line to this rank has a share of it. ``place``: that rank's."""

    def __init__(self, tag: int, size: int):
        super().__init__(tag, None, size)
        self.place: int | None = None
        self._lock, self._left = threading.Lock(), 0

    def share(self, place: int) -> Errand:
        """What the line from a rank is given.

        Args:
            place: the rank's place in the group.

        Returns:
            an Errand.
        """
        self._left += 1
        return _Share(self, place)

    def claim(self, place: int, data: np.ndarray) -> bool:
        """A line has a message for it. The first one's is taken."""
        with self._lock:
            if self.place is not None:
                return False
            self.place, self.data = place, data
        return True

    def lose(self, error: Exception) -> None:
        """A line has failed: it fails with the last one."""
        with self._lock:
            self._left -= 1
            is_lost = self.place is None and not self._left
        if is_lost:
            self.end(error)


class _Share(Errand):
    def __init__(self, whole: FromAny, place: int):
        super().__init__(whole.tag, None, whole.size)
        self._whole, self._place = whole, place

    @property
    def is_over(self) -> bool:
        return self._whole.place is not None

    def take(self, data: np.ndarray) -> bool:
        return self._whole.claim(self._place, data)

    def end(self, error: Exception | None = None) -> None:
        if error is None:
            self._whole.end()
        else:
            self._whole.lose(error)


class Line:
    """One direction between two ranks. Who receives is given what has come, or waits while the thread reads on; so nobody
    waits behind a message that may never come.

    Args:
        store: a Store of this line alone.
        sends: whether this process is the one that sends.
        timeout: how many seconds the other one has to come.
    """

    def __init__(self, store, sends: bool, timeout: float):
        self._errands: queue.SimpleQueue = queue.SimpleQueue()
        self._sends, self._lock = sends, threading.Lock()
        self._early: list = []  # (tag, bytes) that have come before somebody asked for them
        self._waiting: list[Errand] = []  # for messages that have not come
        work = self._send if sends else self._receive
        self._thread = threading.Thread(target=self._run, args=(store, 0 if sends else 1, timeout, work),
                                        name="torchlike-line", daemon=True)
        self._thread.start()

    def put(self, errand: Errand) -> None:
        """Have it done, after those before it."""
        if self._sends or not self._has_come(errand):
            self._errands.put(errand)

    def _has_come(self, errand) -> bool:
        """Give it what is there, or have it wait."""
        with self._lock:
            for i, (tag, data) in enumerate(self._early):
                if tag == errand.tag:
                    if errand.take(data):
                        del self._early[i]
                        errand.end()
                    return True
            self._waiting.append(errand)
        return False

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
                channel = channel or channel_to(store, place, 2, timeout)
                work(channel, errand)
            except Exception as error:  # noqa: BLE001 - whoever waits for it raises it
                self._fail(errand, error)

    def _fail(self, errand, error) -> None:
        with self._lock:
            failed, self._waiting = [errand] if self._sends else self._waiting, []
        for each in failed:
            each.end(error)

    def _send(self, channel, errand) -> None:
        _handed(channel, np.array([errand.tag, errand.data.nbytes], np.int64))
        if errand.data.nbytes:
            _handed(channel, errand.data.view(np.uint8))
        errand.data = None
        errand.end()

    def _receive(self, channel, errand) -> None:
        while self._waits_for(errand):
            tag, size = _handed(channel, np.zeros(_HEAD, np.int64)).view(np.int64).tolist()
            data = _handed(channel, np.zeros(size, np.uint8)) if size else np.empty(0, np.uint8)
            with self._lock:
                taker = next((each for each in self._waiting if each.tag == tag and each.take(data)), None)
                if taker is None:
                    self._early.append((tag, data))
                    continue
                self._waiting.remove(taker)
            taker.end()

    def _waits_for(self, errand) -> bool:
        with self._lock:
            self._waiting = [each for each in self._waiting if not each.is_over]
            return errand in self._waiting


def _handed(channel, array) -> np.ndarray:
    return np.asarray(channel.start("hand_over", (_SENDER,), array))
