"""What is in streams."""

from collections.abc import Iterator
from io import IOBase

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe

__all__ = ["StreamReaderIterDataPipe"]


@functional_datapipe("read_from_stream")
class StreamReaderIterDataPipe(IterDataPipe[tuple[str, bytes]]):
    """Pairs of a name and what is in its stream, which is closed at its end (``read_from_stream``).

    Args:
        datapipe: gives pairs of a name and a stream.
        chunk: how much is read at a time; None means everything.
    """

    def __init__(self, datapipe: IterDataPipe[tuple[str, IOBase]], chunk: int | None = None):
        self.datapipe = datapipe
        self.chunk = chunk

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        for name, stream in self.datapipe:
            while read := stream.read(self.chunk):
                yield name, read
            stream.close()
