"""Pipes that leave samples out."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.dataframe import dataframe_wrapper
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.utils.common import StreamWrapper, _check_unpickable_fn, validate_input_col

__all__ = ["FilterIterDataPipe"]

_T_co = TypeVar("_T_co", covariant=True)


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe[_T_co]):
    """The samples of which a function says True (``filter``). Streams in the others are closed.

    Args:
        datapipe: the source.
        filter_fn: the function, which returns a bool; or, of a data frame, a column of them, for its rows.
        input_col: the part or parts of a sample that it is called with: an index, a key, or a list of them. None means the
            whole sample.
    """

    datapipe: IterDataPipe[_T_co]
    filter_fn: Callable

    def __init__(self, datapipe: IterDataPipe[_T_co], filter_fn: Callable, input_col=None):
        super().__init__()
        self.datapipe = datapipe
        _check_unpickable_fn(filter_fn)
        self.filter_fn = filter_fn
        self.input_col = input_col
        validate_input_col(filter_fn, input_col)

    def _apply_filter_fn(self, data) -> bool:
        if self.input_col is None:
            return self.filter_fn(data)
        if isinstance(self.input_col, list | tuple):
            return self.filter_fn(*(data[column] for column in self.input_col))
        return self.filter_fn(data[self.input_col])

    def __iter__(self) -> Iterator[_T_co]:
        for data in self.datapipe:
            kept, sample = self._returnIfTrue(data)
            if kept:
                yield sample
            else:
                StreamWrapper.close_streams(data)

    def _returnIfTrue(self, data) -> tuple[bool, Any]:  # noqa: N802 - PyTorch's name
        condition = self._apply_filter_fn(data)
        if dataframe_wrapper.is_column(condition):
            kept = enumerate(dataframe_wrapper.iterate(condition))
            rows = [dataframe_wrapper.get_item(data, i) for i, wanted in kept if wanted]
            return (True, dataframe_wrapper.concat(rows)) if rows else (False, None)
        if not isinstance(condition, bool):
            raise ValueError("Boolean output is required for `filter_fn` of FilterIterDataPipe, got", type(condition))
        return condition, data
