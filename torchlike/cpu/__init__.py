"""`torch.cpu`: the CPU under the names that `torch.cuda` has for GPUs. https://pytorch.org/docs/stable/cpu.html

There is one device, streams and events are names without an effect, and `synchronize` runs what is recorded.

`_capabilities.py` asks the system what the processor can do. `amp/` has the deprecated aliases of `torch.amp`. Programs and
the torch namespace import this package; nothing else inside torchlike does.
"""

import threading as _threading

from torchlike._record import trace as _trace
from torchlike.cpu import amp as amp
from torchlike.cpu._capabilities import _is_amx_fp16_supported as _is_amx_fp16_supported
from torchlike.cpu._capabilities import _is_amx_tile_supported as _is_amx_tile_supported
from torchlike.cpu._capabilities import _is_avx2_supported as _is_avx2_supported
from torchlike.cpu._capabilities import _is_avx512_bf16_supported as _is_avx512_bf16_supported
from torchlike.cpu._capabilities import _is_avx512_supported as _is_avx512_supported
from torchlike.cpu._capabilities import _is_vnni_supported as _is_vnni_supported
from torchlike.cpu._capabilities import get_capabilities as get_capabilities


def is_available() -> bool:
    """True: there is always a CPU.
    https://pytorch.org/docs/stable/generated/torch.cpu.is_available.html
    """
    return True


def is_initialized() -> bool:
    """True: nothing has to be started.
    https://pytorch.org/docs/stable/cpu.html
    """
    return True


def synchronize(device=None) -> None:
    """Runs what is recorded.
    https://pytorch.org/docs/stable/generated/torch.cpu.synchronize.html

    Args:
        device: not looked at.
    """
    _trace.run(_trace.state.trace)


def current_device() -> str:
    """The name of the device, "cpu".
    https://pytorch.org/docs/stable/generated/torch.cpu.current_device.html
    """
    return "cpu"


def device_count() -> int:
    """How many devices there are, 1.
    https://pytorch.org/docs/stable/generated/torch.cpu.device_count.html
    """
    return 1


def set_device(device) -> None:
    """Does nothing: there is one device.
    https://pytorch.org/docs/stable/generated/torch.cpu.set_device.html

    Args:
        device: not looked at.
    """


# -- streams: the CPU has one

class Stream:
    """The CPU's stream: work runs in order.
    https://pytorch.org/docs/stable/generated/torch.cpu.Stream.html

    Args:
        priority: without effect.
    """

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream) -> None:
        """Does nothing: work runs in order.

        Args:
            stream: not looked at.
        """

    def record_event(self) -> None:
        """Does nothing, as in PyTorch."""

    def wait_event(self, event) -> None:
        """Does nothing: work runs in order.

        Args:
            event: not looked at.
        """


class Event:
    """A point in the CPU's work, without a time, as in PyTorch.
    https://pytorch.org/docs/stable/cpu.html
    """

    def query(self) -> bool:
        """True: work runs in order."""
        return True

    def record(self, stream=None) -> None:
        """Does nothing: work runs in order.

        Args:
            stream: not looked at.
        """

    def synchronize(self) -> None:
        """Runs what is recorded."""
        synchronize()

    def wait(self, stream=None) -> None:
        """Does nothing: work runs in order.

        Args:
            stream: not looked at.
        """


class _Current(_threading.local):
    stream = Stream()


_current = _Current()


def current_stream(device=None) -> Stream:
    """The stream that is set on this thread.
    https://pytorch.org/docs/stable/generated/torch.cpu.current_stream.html

    Args:
        device: not looked at.

    Returns:
        a `Stream`.
    """
    return _current.stream


class StreamContext:
    """A block in which a stream is the current one.
    https://pytorch.org/docs/stable/generated/torch.cpu.StreamContext.html

    Args:
        stream: the stream, or None for nothing.
    """

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self._before, _current.stream = _current.stream, self.stream

    def __exit__(self, *error):
        if self.stream is not None:
            _current.stream = self._before


def stream(stream) -> StreamContext:
    """A block in which a stream is the current one.
    https://pytorch.org/docs/stable/generated/torch.cpu.stream.html

    Args:
        stream: the stream, or None for nothing.

    Returns:
        a `StreamContext`.
    """
    return StreamContext(stream)
