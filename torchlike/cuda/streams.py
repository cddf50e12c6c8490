"""`torch.cuda`'s streams and events: https://pytorch.org/docs/stable/cuda.html#streams-and-events"""

from torchlike._api import streams
from torchlike._compile.backends.registry import accelerators as _accelerators


class Stream(streams.Stream):
    """A stream of a GPU, which is a name: JAX orders the work itself.
    https://pytorch.org/docs/stable/generated/torch.cuda.Stream.html

    RuntimeError without a GPU.
    """

    def __init__(self, device=None, priority=0, **kwargs):
        if not _accelerators():
            raise RuntimeError("torch.cuda.Stream requires CUDA support")
        super().__init__(device, priority=priority, **kwargs)

    def _new_event(self):
        return Event()

    @property
    def cuda_stream(self) -> int:
        """Its number; no address of a stream of CUDA's."""
        return self.stream_id

    def __repr__(self):
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class Event(streams.Event):
    """A point in the work of a GPU. https://pytorch.org/docs/stable/generated/torch.cuda.Event.html

    With ``enable_timing=True`` each `record` runs what is recorded and waits for it, see `torch.Event`. UnsupportedError
    for ``interprocess`` events; `blocking` and `external` change nothing.
    """

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        if not _accelerators():
            raise RuntimeError("Tried to instantiate dummy base class Event")
        super().__init__(enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)

    def __repr__(self):
        return f"<torch.cuda.Event {f'{self.event_id:#x}' if self.event_id else 'uninitialized'}>"


class StreamContext:
    """Makes a stream the current one for a block; nothing for None, and without a GPU.
    https://pytorch.org/docs/stable/generated/torch.cuda.StreamContext.html"""

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
    """A `StreamContext`. https://pytorch.org/docs/stable/generated/torch.cuda.stream.html"""
    return StreamContext(stream)


def current_stream(device=None) -> Stream:
    """The stream that is set on this thread. https://pytorch.org/docs/stable/generated/torch.cuda.current_stream.html"""
    return streams.current(Stream, device)


def default_stream(device=None) -> Stream:
    """The stream with number 0. https://pytorch.org/docs/stable/generated/torch.cuda.default_stream.html"""
    return Stream(stream_id=0, device_index=streams.index_of(device))


def set_stream(stream) -> None:
    """Make it the current one; None changes nothing. https://pytorch.org/docs/stable/generated/torch.cuda.set_stream.html"""
    if stream is not None:
        streams.set_current(stream)
