"""The pipes of data frames. Their functional names begin with an underscore: `dataframes.py` calls them."""

import random
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.dataframe import dataframe_wrapper
from torchlike.utils.data.datapipes.datapipe import DFIterDataPipe, IterDataPipe

__all__ = ["ConcatDataFramesPipe", "DataFramesAsTuplesPipe", "ExampleAggregateAsDataFrames", "FilterDataFramesPipe",
           "PerRowDataFramesPipe", "ShuffleDataFramesPipe"]


def _joined(rows, size):
    """Frames of so many of these, and one of the rest."""
    for start in range(0, len(rows), size or 1):
        yield dataframe_wrapper.concat(rows[start:start + size])


@functional_datapipe("_dataframes_as_tuples")
class DataFramesAsTuplesPipe(IterDataPipe):
    """The rows of frames as tuples.

    Args:
        source_datapipe: gives frames.
    """

    def __init__(self, source_datapipe):
        super().__init__()
        self.source_datapipe = source_datapipe

    def __iter__(self):
        for frame in self.source_datapipe:
            yield from dataframe_wrapper.iterate(frame)


@functional_datapipe("_dataframes_per_row", enable_df_api_tracing=True)
class PerRowDataFramesPipe(DFIterDataPipe):
    """The rows of frames as frames.

    Args:
        source_datapipe: gives frames.
    """

    def __init__(self, source_datapipe):
        self.source_datapipe = source_datapipe

    def __iter__(self):
        for frame in self.source_datapipe:
            for i in range(len(frame)):
                yield frame[i:i + 1]


@functional_datapipe("_dataframes_concat", enable_df_api_tracing=True)
class ConcatDataFramesPipe(DFIterDataPipe):
    """Several frames as one.

    Args:
        source_datapipe: gives frames.
        batch: how many.
    """

    def __init__(self, source_datapipe, batch=3):
        self.source_datapipe = source_datapipe
        self.n_batch = batch

    def __iter__(self):
        buffer = []
        for frame in self.source_datapipe:
            buffer.append(frame)
            if len(buffer) == self.n_batch:
                yield dataframe_wrapper.concat(buffer)
                buffer = []
        if buffer:
            yield dataframe_wrapper.concat(buffer)


@functional_datapipe("_dataframes_shuffle", enable_df_api_tracing=True)
class ShuffleDataFramesPipe(DFIterDataPipe):
    """All rows in a random order of Python's `random`, in frames of the first one's length.

    Args:
        source_datapipe: gives frames.
    """

    def __init__(self, source_datapipe):
        self.source_datapipe = source_datapipe

    def __iter__(self):
        size = None
        rows: list[Any] = []
        for frame in self.source_datapipe:
            count = dataframe_wrapper.get_len(frame)
            size = count if size is None else size
            rows += [dataframe_wrapper.get_item(frame, i) for i in range(count)]
        random.shuffle(rows)
        yield from _joined(rows, size)


@functional_datapipe("_dataframes_filter", enable_df_api_tracing=True)
class FilterDataFramesPipe(DFIterDataPipe):
    """The rows of which a function says True, in frames of the first one's length.

    Args:
        source_datapipe: gives frames.
        filter_fn: from a row to a bool.
    """

    def __init__(self, source_datapipe, filter_fn):
        self.source_datapipe = source_datapipe
        self.filter_fn = filter_fn

    def __iter__(self):
        size = None
        rows: list[Any] = []
        for frame in self.source_datapipe:
            count = len(frame.index)
            size = count if size is None else size
            rows += [frame[i:i + 1] for i in range(count) if self.filter_fn(frame.iloc[i])]
        yield from _joined(rows, size)


@functional_datapipe("_to_dataframes_pipe", enable_df_api_tracing=True)
class ExampleAggregateAsDataFrames(DFIterDataPipe):
    """Frames made of samples, a row each.

    Args:
        source_datapipe: gives samples.
        dataframe_size: how many rows a frame has.
        columns: the names of the columns; None numbers them.
    """

    def __init__(self, source_datapipe, dataframe_size=10, columns=None):
        self.source_datapipe = source_datapipe
        self.columns = columns
        self.dataframe_size = dataframe_size

    def _as_list(self, item):
        try:
            return list(item)
        except Exception:  # noqa: BLE001 - whatever it raises, it is one value
            return [item]

    def __iter__(self):
        rows = []
        for item in self.source_datapipe:
            rows.append(self._as_list(item))
            if len(rows) == self.dataframe_size:
                yield dataframe_wrapper.create_dataframe(rows, columns=self.columns)
                rows = []
        if rows:
            yield dataframe_wrapper.create_dataframe(rows, columns=self.columns)
