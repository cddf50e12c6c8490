"""`torch.cuda`'s streams and events: https://pytorch.org/docs/stable/cuda.html#streams-and-events"""

from torchlike._api import streams
from torchlike._compile.backends.registry import accelerators as _accelerators


class Stream(streams.Stream):
    """A stream of a GPU. It is a name: JAX orders the work itself.
    https://pytorch.org/docs/stable/generated/torch.cuda.Stream.html

    Args:
        device: the GPU.
        priority: kept, without effect.
        kwargs: `stream_id` and `device_index`, for a stream that exists.

    Raises:
        RuntimeError: there is no GPU.
    """

    def __init__(self, device=None, priority=0, **kwargs):
        if not _accelerators():
            raise RuntimeError("torch.cuda.Stream requires CUDA support")
        super().__init__(device, priority=priority, **kwargs)

    def _new_event(self):
        return Event()

    @property
    def cuda_stream(self) -> int:
        """The stream's number, which is no address."""
        return self.stream_id

    def __repr__(self):
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class Event(streams.Event):
    """A point in the work of a GPU.
    https://pytorch.org/docs/stable/generated/torch.cuda.Event.html

    Args:
        enable_timing: whether each `record` runs what is recorded and waits for it, to take the time.
        blocking, external: without effect.
        interprocess: refused, UnsupportedError.

    Raises:
        RuntimeError: there is no GPU.
    """

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        if not _accelerators():
            raise RuntimeError("Tried to instantiate dummy base class Event")
        super().__init__(enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)

    def __repr__(self):
        return f"<torch.cuda.Event {f'{self.event_id:#x}' if self.event_id else 'uninitialized'}>"


class StreamContext:
    """A block in which a stream is the current one; nothing without a GPU.
    https://pytorch.org/docs/stable/generated/torch.cuda.StreamContext.html

    Args:
        stream: the stream, or None for nothing.
    """

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None and _accelerators():
            self._before = current_stream(self.stream.device_index)
            set_stream(self.stream)

    def __exit__(self, *error):
        if self.stream is not None and _accelerators():
            set_stream(self._before)


def stream(stream) -> StreamContext:
    """A block in which a stream is the current one.
    https://pytorch.org/docs/stable/generated/torch.cuda.stream.html

    Args:
        stream: the stream, or None for nothing.

    Returns:
        a `StreamContext`.
    """
    return StreamContext(stream)


def current_stream(device=None) -> Stream:
    """The stream that is set on this thread.
    https://pytorch.org/docs/stable/generated/torch.cuda.current_stream.html

    Args:
        device: the GPU; None means the first.

    Returns:
        a `Stream`.
    """
    return streams.current(Stream, device)


def default_stream(device=None) -> Stream:
    """The stream with number 0.
    https://pytorch.org/docs/stable/generated/torch.cuda.default_stream.html

    Args:
        device: the GPU; None means the first.

    Returns:
        a `Stream`.
    """
    return Stream(stream_id=0, device_index=streams.index_of(device))


def set_stream(stream) -> None:
    """Makes a stream the current one of this thread.
    https://pytorch.org/docs/stable/generated/torch.cuda.set_stream.html

    Args:
        stream: the stream, or None for nothing.
    """
    if stream is not None:
        streams.set_current(stream)
