"""A batch of data frames."""

from collections.abc import Iterator
from typing import Any

from torchlike.utils.data.datapipes.dataframe import dataframe_wrapper
from torchlike.utils.data.datapipes.datapipe import DataChunk

__all__ = ["DataChunkDF"]


class DataChunkDF(DataChunk):
    """A batch of frames, whose samples are their rows; `raw_iterator` gives the frames.

    Args: as for `DataChunk`.
    """

    def __iter__(self) -> Iterator[Any]:
        for frame in self.items:
            yield from dataframe_wrapper.iterate(frame)

    def __len__(self) -> int:
        return sum(dataframe_wrapper.get_len(frame) for frame in self.items)
