"""`torch.cpu`: the CPU under the names that `torch.cuda` has for GPUs. https://pytorch.org/docs/stable/cpu.html

There is one device, streams and events are names without an effect, and `synchronize` runs what is recorded.

`amp/` has the deprecated aliases of `torch.amp`. Programs and the torch namespace import this package;
nothing else inside torchlike does.
"""

import threading as _threading

from torchlike._record import trace as _trace
from torchlike.cpu import amp as amp


def is_available() -> bool:
    """True. https://pytorch.org/docs/stable/generated/torch.cpu.is_available.html"""
    return True


def is_initialized() -> bool:
    """True. https://pytorch.org/docs/stable/cpu.html"""
    return True


def synchronize(device=None) -> None:
    """Run what is recorded. https://pytorch.org/docs/stable/generated/torch.cpu.synchronize.html"""
    _trace.run(_trace.state.trace)


def current_device() -> str:
    """"cpu". https://pytorch.org/docs/stable/generated/torch.cpu.current_device.html"""
    return "cpu"


def device_count() -> int:
    """1. https://pytorch.org/docs/stable/generated/torch.cpu.device_count.html"""
    return 1


def set_device(device) -> None:
    """Accepted. https://pytorch.org/docs/stable/generated/torch.cpu.set_device.html"""


# -- streams: the CPU has one

class Stream:
    """Accepted. https://pytorch.org/docs/stable/generated/torch.cpu.Stream.html"""

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream) -> None:
        """Nothing: the work is in order."""

    def record_event(self) -> None:
        """Nothing, as in PyTorch."""

    def wait_event(self, event) -> None:
        """Nothing: the work is in order."""


class Event:
    """Accepted, as PyTorch's, which takes no time. https://pytorch.org/docs/stable/cpu.html"""

    def query(self) -> bool:
        """True."""
        return True

    def record(self, stream=None) -> None:
        """Nothing: the work is in order."""

    def synchronize(self) -> None:
        """Run what is recorded."""
        synchronize()

    def wait(self, stream=None) -> None:
        """Nothing: the work is in order."""


class _Current(_threading.local):
    stream = Stream()


_current = _Current()


def current_stream(device=None) -> Stream:
    """The stream that is set on this thread. https://pytorch.org/docs/stable/generated/torch.cpu.current_stream.html"""
    return _current.stream


class StreamContext:
    """Makes a stream the current one for a block; nothing for None.
    https://pytorch.org/docs/stable/generated/torch.cpu.StreamContext.html"""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self._before, _current.stream = _current.stream, self.stream

    def __exit__(self, *error):
        if self.stream is not None:
            _current.stream = self._before


def stream(stream) -> StreamContext:
    """A `StreamContext`. https://pytorch.org/docs/stable/generated/torch.cpu.stream.html"""
    return StreamContext(stream)
