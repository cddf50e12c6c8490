"""A pipe of what is in memory."""

import copy
import warnings
from collections.abc import Iterable, Iterator
from typing import TypeVar

from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.utils.common import _length

__all__ = ["IterableWrapperIterDataPipe"]

_T = TypeVar("_T")
_NO_COPY = ("The input iterable can not be deepcopied, please be aware of in-place modification would affect source data.")


class IterableWrapperIterDataPipe(IterDataPipe[_T]):
    """The items of an iterable.

    Args:
        iterable: the items.
        deepcopy: whether each pass goes over a copy, so that what is written to its items is not seen by the next one.
    """

    def __init__(self, iterable: Iterable[_T], deepcopy: bool = True):
        self.iterable = iterable
        self.deepcopy = deepcopy

    def __iter__(self) -> Iterator[_T]:
        items = self.iterable
        if self.deepcopy:
            try:
                items = copy.deepcopy(self.iterable)
            except TypeError:
                warnings.warn(_NO_COPY, stacklevel=2)
        yield from items

    def __len__(self) -> int:
        return _length(self, self.iterable)
