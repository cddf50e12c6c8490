"""A pipe of what is in memory."""

import copy
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from torchlike.utils.data.datapipes.datapipe import MapDataPipe

__all__ = ["SequenceWrapperMapDataPipe"]

_T = TypeVar("_T")
_NO_COPY = "The input sequence can not be deepcopied, please be aware of in-place modification would affect source data"


class SequenceWrapperMapDataPipe(MapDataPipe[_T]):
    """The items of a sequence or a mapping.

    Args:
        sequence: the items.
        deepcopy: whether a copy is kept, so that what is written to them later is not seen.
    """

    sequence: Sequence[_T] | Mapping[Any, _T]

    def __init__(self, sequence: Sequence[_T] | Mapping[Any, _T], deepcopy: bool = True):
        self.sequence = sequence
        if deepcopy:
            try:
                self.sequence = copy.deepcopy(sequence)
            except TypeError:
                warnings.warn(_NO_COPY, stacklevel=2)

    def __getitem__(self, index) -> _T:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)
