"""Objects made of files."""

from collections.abc import Callable, Iterable, Iterator
from io import BufferedIOBase
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.utils.common import _deprecation_warning, _length
from torchlike.utils.data.datapipes.utils.decoder import Decoder, basichandlers, extension_extract_fn, imagehandler

__all__ = ["RoutedDecoderIterDataPipe"]


@functional_datapipe("routed_decode")
class RoutedDecoderIterDataPipe(IterDataPipe[tuple[str, Any]]):
    """Pairs of a path and what handlers make of its stream (``routed_decode``).

    Args:
        datapipe: gives pairs of a path and a stream or bytes.
        *handlers: functions of a key and bytes; the first result that is not None counts. Without any: those for texts,
            numbers, JSON, pickles and images.
        key_fn: from a path to the key.
    """

    def __init__(self, datapipe: Iterable[tuple[str, BufferedIOBase]], *handlers: Callable,
                 key_fn: Callable = extension_extract_fn):
        super().__init__()
        self.datapipe = datapipe
        self.decoder = Decoder(*(handlers or (basichandlers, imagehandler("torch"))), key_fn=key_fn)
        _deprecation_warning(type(self).__name__, deprecation_version="1.12", removal_version="1.13",
                             old_functional_name="routed_decode")

    def add_handler(self, *handler: Callable) -> None:
        """Add handlers, which go before the others.

        Args:
            *handler: the functions.
        """
        self.decoder.add_handler(*handler)

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for data in self.datapipe:
            pathname = data[0]
            yield pathname, self.decoder(data)[pathname]

    def __len__(self) -> int:
        return _length(self, self.datapipe)
