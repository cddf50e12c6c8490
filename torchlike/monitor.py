"""`torch.monitor`: events, and statistics that become events. https://pytorch.org/docs/stable/monitor.html"""

import dataclasses
import datetime
import enum
import sys
import threading
import time
from collections.abc import Callable

from torchlike._base.forkable import forkable

STAT_EVENT = "torch.monitor.Stat"
data_value_t = int | float | bool | str


class Aggregation(enum.Enum):
    """What is told of the values of a window.
    https://pytorch.org/docs/stable/monitor.html#torch.monitor.Aggregation
    """

    VALUE = 1
    MEAN = 2
    COUNT = 3
    SUM = 4
    MAX = 5
    MIN = 6


VALUE, MEAN, COUNT = Aggregation.VALUE, Aggregation.MEAN, Aggregation.COUNT
SUM, MAX, MIN = Aggregation.SUM, Aggregation.MAX, Aggregation.MIN
_TOLD = {MEAN: lambda values: sum(values) / len(values), COUNT: len, SUM: sum, MAX: max, MIN: min}  # PyTorch tells no VALUE


@dataclasses.dataclass
class Event:
    """Something that happened.
    https://pytorch.org/docs/stable/monitor.html#torch.monitor.Event

    Args:
        name: what it is.
        timestamp: a `datetime`.
        data: a dict of numbers and texts.
    """

    name: str
    timestamp: datetime.datetime
    data: dict


class EventHandlerHandle:
    """What `register_event_handler` returns.

    Args:
        callback: the handler.
    """

    def __init__(self, callback: Callable):
        self.callback = callback


_handlers: list[EventHandlerHandle] = []
_lock = forkable(threading.Lock())


def register_event_handler(callback: Callable) -> EventHandlerHandle:
    """Has a function called with each event.
    https://pytorch.org/docs/stable/monitor.html#torch.monitor.register_event_handler

    Args:
        callback: the function.

    Returns:
        a handle for `unregister_event_handler`.
    """
    handle = EventHandlerHandle(callback)
    with _lock:
        _handlers.append(handle)
    return handle


def unregister_event_handler(handler: EventHandlerHandle) -> None:
    """Has the function called no longer.
    https://pytorch.org/docs/stable/monitor.html#torch.monitor.unregister_event_handler

    Args:
        handler: its handle.
    """
    with _lock:
        _handlers.remove(handler)


def log_event(event: Event) -> None:
    """Gives an event to all handlers.
    https://pytorch.org/docs/stable/monitor.html#torch.monitor.log_event

    Args:
        event: the event.
    """
    with _lock:
        found = list(_handlers)
    for handle in found:
        handle.callback(event)


class Stat:
    """Values of windows of time; at the end of each an event tells of them.
    https://pytorch.org/docs/stable/monitor.html#torch.monitor.Stat

    Args:
        name: what the values are.
        aggregations: what is told of them.
        window_size: a `timedelta`.
        max_samples: with so many values the window is told of, and takes no more.
    """

    def __init__(self, name: str, aggregations, window_size: datetime.timedelta, max_samples: int = sys.maxsize):
        self.name, self._aggregations = name, [kind for kind in aggregations if kind in _TOLD]
        self._length, self._most = window_size.total_seconds(), max_samples
        self._values: list = []
        self._told = dict.fromkeys(self._aggregations, 0.0)
        self._end, self._full = time.monotonic() + self._length, False

    @property
    def count(self) -> int:
        """How many values the open window has."""
        return len(self._values)

    def add(self, v: float) -> None:
        """Adds a value.

        Args:
            v: a number.
        """
        now = time.monotonic()
        if now >= self._end:
            self._tell()
            self._end, self._full = now + self._length, False
        if self._full:
            return
        self._values.append(float(v))
        if len(self._values) >= self._most:
            self._tell()
            self._full = True

    def get(self) -> dict:
        """What is told of the last window that has ended; zeros before."""
        return dict(self._told)

    def _tell(self) -> None:
        if self._values:
            self._told = {kind: float(_TOLD[kind](self._values)) for kind in self._aggregations}
            self._values = []
            data = {f"{self.name}.{kind.name.lower()}": value for kind, value in self._told.items()}
            log_event(Event(STAT_EVENT, datetime.datetime.now(), data))

    def __del__(self):
        if not sys.is_finalizing():
            self._tell()


class TensorboardEventHandler:
    """Writes the values of statistics to a `SummaryWriter`, for `register_event_handler`.
    https://pytorch.org/docs/stable/monitor.html#torch.monitor.TensorboardEventHandler

    Args:
        writer: the writer.
    """

    def __init__(self, writer):
        self._writer = writer

    def __call__(self, event: Event) -> None:
        if event.name == STAT_EVENT:
            for name, value in event.data.items():
                self._writer.add_scalar(name, value, walltime=event.timestamp.timestamp())
