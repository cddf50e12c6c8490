"""Pipes that call a function for each sample."""

import functools
import importlib
from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from torchlike.utils.data._utils.collate import default_collate
from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.dataframe import dataframe_wrapper
from torchlike.utils.data.datapipes.datapipe import IterDataPipe
from torchlike.utils.data.datapipes.utils.common import _check_unpickable_fn, _length, validate_input_col

__all__ = ["CollatorIterDataPipe", "MapperIterDataPipe"]

_T_co = TypeVar("_T_co", covariant=True)


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe[_T_co]):
    """What a function makes of each sample (``map``).

    Args:
        datapipe: the source.
        fn: the function.
        input_col: the part or parts of a sample that it is called with: an index of a list or tuple, a key of a dict, or a
            list of them. None means the whole sample.
        output_col: the part that the result takes the place of; -1 appends it. None means the first of `input_col`; the
            others are left out.

    Raises:
        ValueError: `output_col` without `input_col`, several of it, or a function of another number of arguments.
    """

    datapipe: IterDataPipe
    fn: Callable

    def __init__(self, datapipe: IterDataPipe, fn: Callable, input_col=None, output_col=None):
        super().__init__()
        self.datapipe = datapipe
        _check_unpickable_fn(fn)
        self.fn = fn
        self.input_col = input_col
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, list | tuple):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.output_col = output_col
        validate_input_col(fn, input_col)

    def _apply_fn(self, data) -> Any:
        chosen = self.input_col
        if chosen is None:
            return self.fn(data)
        several = isinstance(chosen, list | tuple)
        result = self.fn(*(data[column] for column in chosen)) if several else self.fn(data[chosen])
        made = list(data) if isinstance(data, tuple) else data
        if self.output_col == -1:
            made.append(result)
        elif self.output_col is not None:
            made[self.output_col] = result
        elif several:
            made[chosen[0]] = result
            for column in sorted(chosen[1:], reverse=True):
                del made[column]
        else:
            made[chosen] = result
        return tuple(made) if isinstance(data, tuple) else made

    def __iter__(self) -> Iterator[_T_co]:
        for data in self.datapipe:
            yield self._apply_fn(data)

    def __len__(self) -> int:
        return _length(self, self.datapipe)


def _default_column() -> Callable:
    """TorchArrow's function for columns that have none of their own."""
    try:
        return importlib.import_module("torcharrow.pytorch").rec.Default()
    except Exception as error:
        raise RuntimeError("unable to import default collation function from the TorchArrow") from error


def _collate_helper(conversion, item):
    """A batch of one data frame as a named tuple, a field for each column."""
    if len(item.items) > 1:
        raise RuntimeError("Only supports one DataFrame per batch")
    frame = item[0]
    columns = dataframe_wrapper.get_columns(frame)
    if any(name not in columns for name in conversion):
        raise RuntimeError("Conversion keys mismatch")
    values = []
    for name in columns:
        if name in conversion and not callable(conversion[name]):
            raise RuntimeError("Collate (DF)DataPipe requires callable as dict values")
        function = conversion[name] if name in conversion else _default_column()
        values.append(function(frame[name]))
    kind: Any = namedtuple("CollateResult", [str(name) for name in columns])  # pyrefly: ignore[bad-class-definition]
    return kind(*values)


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """Tensors made of batches (``collate``).

    Args:
        datapipe: the source.
        conversion: from a batch to what it becomes; or a dict of functions, one for each column of a data frame.
        collate_fn: the same, and goes first.
    """

    def __init__(self, datapipe: IterDataPipe,
                 conversion: Callable[..., Any] | dict[str | Any, Callable | Any] | None = default_collate,
                 collate_fn: Callable | None = None):
        if collate_fn is None:
            collate_fn = conversion if callable(conversion) else functools.partial(_collate_helper, conversion)
        super().__init__(datapipe, fn=collate_fn)
