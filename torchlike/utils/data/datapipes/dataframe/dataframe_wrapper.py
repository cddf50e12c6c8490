"""What is done with data frames, in functions of a wrapper that can be replaced; the first one is of pandas."""

import functools
import importlib
from typing import Any


@functools.cache
def _pandas() -> Any:
    """pandas, None without it."""
    try:
        return importlib.import_module("pandas")
    except ImportError:
        return None


def _needed() -> Any:
    if _pandas() is None:
        raise RuntimeError("DataFrames prototype requires pandas to function")
    return _pandas()


class PandasWrapper:
    """The functions for frames of pandas. Without it there are no frames, and what needs one raises RuntimeError."""

    @classmethod
    def create_dataframe(cls, data, columns):
        """A frame.

        Args:
            data: its rows.
            columns: the names of the columns; None numbers them.

        Returns: the frame.
        """
        return _needed().DataFrame(data, columns=columns)

    @classmethod
    def is_dataframe(cls, data):
        """Whether something is a frame.

        Args:
            data: what.

        Returns: a bool.
        """
        return _pandas() is not None and isinstance(data, _pandas().core.frame.DataFrame)

    @classmethod
    def is_column(cls, data):
        """Whether something is a column.

        Args:
            data: what.

        Returns: a bool.
        """
        return _pandas() is not None and isinstance(data, _pandas().core.series.Series)

    @classmethod
    def iterate(cls, data):
        """Gives the rows of a frame.

        Args:
            data: the frame.

        Yields: named tuples.
        """
        _needed()
        yield from data.itertuples(index=False)

    @classmethod
    def concat(cls, buffer):
        """The rows of several frames as one.

        Args:
            buffer: the frames.

        Returns: the frame.
        """
        return _needed().concat(buffer)

    @classmethod
    def get_item(cls, data, idx):
        """A frame of one row.

        Args:
            data: the frame.
            idx: the row's number.

        Returns: the other frame.
        """
        _needed()
        return data[idx:idx + 1]

    @classmethod
    def get_len(cls, df):
        """How many rows a frame has.

        Args:
            df: the frame.

        Returns: an int.
        """
        _needed()
        return len(df.index)

    @classmethod
    def get_columns(cls, df):
        """The names of a frame's columns.

        Args:
            df: the frame.

        Returns: a list.
        """
        _needed()
        return list(df.columns.values.tolist())


default_wrapper: Any = PandasWrapper


def get_df_wrapper():
    """The wrapper that is used now."""
    return default_wrapper


def set_df_wrapper(wrapper) -> None:
    """Use another wrapper.

    Args:
        wrapper: a class with the functions of `PandasWrapper`.
    """
    global default_wrapper
    default_wrapper = wrapper


def create_dataframe(data, columns=None):
    """A frame, by the wrapper.

    Args: as for `PandasWrapper.create_dataframe`.

    Returns: the frame.
    """
    return default_wrapper.create_dataframe(data, columns)


def is_dataframe(data):
    """Whether something is a frame, by the wrapper.

    Args: as for `PandasWrapper.is_dataframe`.

    Returns: a bool.
    """
    return default_wrapper.is_dataframe(data)


def get_columns(data):
    """The names of a frame's columns, by the wrapper.

    Args:
        data: the frame.

    Returns: a list.
    """
    return default_wrapper.get_columns(data)


def is_column(data):
    """Whether something is a column, by the wrapper.

    Args: as for `PandasWrapper.is_column`.

    Returns: a bool.
    """
    return default_wrapper.is_column(data)


def concat(buffer):
    """The rows of several frames as one, by the wrapper.

    Args: as for `PandasWrapper.concat`.

    Returns: the frame.
    """
    return default_wrapper.concat(buffer)


def iterate(data):
    """Gives the rows of a frame, by the wrapper.

    Args: as for `PandasWrapper.iterate`.

    Returns: an iterator.
    """
    return default_wrapper.iterate(data)


def get_item(data, idx):
    """A frame of one row, by the wrapper.

    Args: as for `PandasWrapper.get_item`.

    Returns: the other frame.
    """
    return default_wrapper.get_item(data, idx)


def get_len(df):
    """How many rows a frame has, by the wrapper.

    Args: as for `PandasWrapper.get_len`.

    Returns: an int.
    """
    return default_wrapper.get_len(df)
