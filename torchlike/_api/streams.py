"""Streams and events. JAX orders the work of a device itself, so a stream is a name, and waiting for another
stream waits for nothing. An event that takes the time runs what is recorded, waits for it, and looks at the clock.
"""

import itertools
import threading
import time

from torchlike._base import device as _dev
from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import accelerators as _accelerators
from torchlike._compile.backends.registry import backend_of as _backend_of
from torchlike._record import trace as _trace

_ids = itertools.count(1)  # 0 is the default stream
NONE = "Cannot access accelerator device when none is available."


def settle(backends) -> None:
    """Run what is recorded and wait until the devices of these backends have nothing to do."""
    _trace.run(_trace.state.trace)
    for backend in backends:
        backend.synchronize()


def index_of(device) -> int:
    """The number of a GPU given as a number, a device, its name or None; RuntimeError where there is none."""
    if device is None or (isinstance(device, int) and device < 0):
        device = 0
    if not isinstance(device, int):
        device = _dev.device(device)
        if not _backend_of(device).is_accelerator:
            raise ValueError(f"Expected a cuda device, but got: {device}")
        device = device.index or 0
    _backend_of(_dev.device("cuda", device)).hardware()  # there is one
    return device


class _Current(threading.local):
    """{number of a GPU: the stream that is set on this thread}."""

    def __init__(self):
        self.streams: dict = {}


_current = _Current()


class Stream:
    """A stream: a name, since JAX orders the work itself. https://pytorch.org/docs/stable/generated/torch.Stream.html

    As a context it is the current stream of its GPU. RuntimeError for a device that is not there.

    Args:
        device: a device, its name, or the number of a GPU; None is the first GPU, or the CPU where there is none.
        priority: for PyTorch's signature.
        stream_id: the number of an existing stream, with the next two; None makes a new one.
        device_index: the number of its GPU.
        device_type: for PyTorch's signature.
    """

    def __init__(self, device=None, *, priority=0, stream_id=None, device_index=None, device_type=None):
        found = _place(device) if device_index is None else _dev.device("cuda", index_of(device_index))
        on_gpu = _backend_of(found).is_accelerator
        self.device, self.device_index = found, found.index or 0 if on_gpu else -1
        self.device_type = int(on_gpu)
        self.stream_id = (next(_ids) if on_gpu else 0) if stream_id is None else stream_id

    def query(self) -> bool:
        """True: what is recorded is run, and waited for."""
        self.synchronize()
        return True

    def synchronize(self) -> None:
        """Run what is recorded and wait for it."""
        settle(_gpus_of(self.device))

    def is_capturing(self) -> bool:
        """False: there are no captured graphs."""
        return False

    def wait_event(self, event) -> None:
        """Nothing: the work is in order.

        Args:
            event: an Event.
        """

    def wait_stream(self, stream) -> None:
        """Nothing: the work is in order. RuntimeError for streams of the CPU, which PyTorch has no events for.

        Args:
            stream: the other Stream.
        """
        stream.record_event()

    def record_event(self, event=None):
        """Record an event.

        Args:
            event: an Event; None makes a new one.

        Returns:
            The event.
        """
        made = self._new_event() if event is None else event
        made.record(self)
        return made

    def _new_event(self):
        return Event(self.device)

    def __eq__(self, other):
        return isinstance(other, Stream) and (self.stream_id, self.device) == (other.stream_id, other.device)

    def __hash__(self):
        return hash((self.stream_id, self.device))

    def __repr__(self):
        return f"torch.Stream device_type={self.device.type}, device_index={self.device_index}, stream_id={self.stream_id}"

    def __enter__(self):
        if _backend_of(self.device).is_accelerator:
            self._outer = [*getattr(self, "_outer", ()), current(type(self), self.device_index)]
            set_current(self)
        return self

    def __exit__(self, *error):
        if _backend_of(self.device).is_accelerator:
            set_current(self._outer.pop())


def _place(device):
    """The device of a stream or an event."""
    if device is None:
        return _dev.device("cuda", 0) if _accelerators() else _dev.CPU
    if isinstance(device, int) and not _accelerators():
        raise RuntimeError(NONE)
    found = _dev.device(device)
    if _backend_of(found).is_accelerator:
        if not _accelerators():
            raise RuntimeError("PyTorch is not linked with support for cuda devices")
        return _dev.device("cuda", index_of(found))
    return found


def _gpus_of(device) -> list:
    backend = _backend_of(device)
    return [backend] if backend.is_accelerator else []


def current(kind, device=None):
    """The stream that is set on this thread, a `kind`."""
    index = index_of(device)
    found = _current.streams.get(index)
    return kind(stream_id=0 if found is None else found.stream_id, device_index=index)


def set_current(stream) -> None:
    """Make it the current one of its device, on this thread."""
    _current.streams[stream.device_index] = stream


class Event:
    """A point in the work of a GPU. https://pytorch.org/docs/stable/generated/torch.Event.html

    ``record()`` with ``enable_timing=True`` runs what is recorded, waits for it and takes the time, so `elapsed_time` is
    the time of what was between two events. PyTorch does not wait there: here such an event is a synchronization.
    Without a GPU it is an event of the CPU, which cannot be recorded, as in PyTorch.

    Args:
        device: as `Stream` takes it.
        enable_timing: whether it takes the time.
        blocking: for PyTorch's signature; waiting always blocks.
        interprocess: whether other processes may wait for it; not on a GPU.

    Raises:
        UnsupportedError: `interprocess` on a GPU.
    """

    def __init__(self, device=None, *, enable_timing=False, blocking=False, interprocess=False):
        self.device = _place(device)
        if interprocess and _backend_of(self.device).is_accelerator:
            raise UnsupportedError("torch.Event(interprocess=True): JAX shares no events between processes")
        self.event_id = 0  # PyTorch's until it is recorded
        self._timed = enable_timing
        self._at: float | None = None

    def record(self, stream=None) -> None:
        """It is here, in the stream's order of work.

        Args:
            stream: a Stream; None is the current one.

        Raises:
            RuntimeError: the stream is of the CPU, or of another device than the event.
        """
        device = self.device if stream is None else stream.device
        if not _backend_of(device).is_accelerator:
            raise RuntimeError(f"{device.type} backend doesn't support events.")
        if device != self.device:
            raise RuntimeError(f"Event device {self.device} does not match recording stream's device {device}.")
        self.event_id = self.event_id or next(_ids)
        if self._timed:
            settle(_gpus_of(device))
            self._at = time.perf_counter()

    def wait(self, stream=None) -> None:
        """Nothing: the work is in order.

        Args:
            stream: the Stream that would wait.
        """

    def query(self) -> bool:
        """True: what is recorded is run, and waited for."""
        self.synchronize()
        return True

    def synchronize(self) -> None:
        """Wait for what came before it."""
        if self.event_id and self._at is None:
            settle(_gpus_of(self.device))

    def elapsed_time(self, other) -> float:
        """The time from this event to another.

        Args:
            other: the later Event.

        Returns:
            Milliseconds.

        Raises:
            ValueError: one of them takes no time, or was not recorded.
        """
        if not (self._timed and other._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._at is None or other._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (other._at - self._at) * 1e3

    def ipc_handle(self):
        """Not there, as in PyTorch.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("torch.Event ipc is not supported yet, please open an issue if you need this!")

    def __repr__(self):
        index = -1 if self.device.index is None else self.device.index
        return (f"torch.Event device_type={self.device.type}, device_index={index}, event_flag={int(self._timed)}, "
                f"event_id={self.event_id}")
