"""From a list of samples to one batch."""

import collections.abc
import copy
import re

import numpy as np

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._record.host_window import stacked
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.utils.data._utils.worker_info import get_worker_info

np_str_obj_array_pattern = re.compile("[SaUO]")  # kinds of numpy dtypes that no tensor has
_WRONG = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
_OUT_WITH_GRAD = ("stack(): functions with out=... arguments don't support automatic differentiation, but one of the "
                  "arguments requires grad.")


def default_convert(data):
    """Turns numpy's arrays and numbers into tensors, also inside containers. Anything else stays as it is.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.default_convert

    Args:
        data: any object.

    Returns:
        The same form.
    """
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_"):
        if kind.__name__ == "ndarray" and np_str_obj_array_pattern.search(data.dtype.str):
            return data
        return _api.as_tensor(data)
    if isinstance(data, collections.abc.Mapping):
        return _mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return kind(*map(default_convert, data))
    if isinstance(data, tuple):
        return [default_convert(x) for x in data]
    if isinstance(data, collections.abc.Sequence) and not isinstance(data, str | bytes):
        return _sequence(data, [default_convert(x) for x in data])
    return data


def _mapping(example, items):
    """`items` as a mapping like `example`: a changed copy of it, so that other attributes stay, or a dict if it cannot be
    copied.
    """
    try:
        if isinstance(example, collections.abc.MutableMapping):
            made = copy.copy(example)
            made.update(items)
            return made
        return type(example)(items)
    except TypeError:
        return items


def _sequence(example, items):
    """`items` as a sequence like `example`, or a list if it cannot be copied."""
    try:
        if isinstance(example, collections.abc.MutableSequence):
            made = copy.copy(example)
            for i, item in enumerate(items):
                made[i] = item
            return made
        return type(example)(items)
    except TypeError:
        return items


def collate(batch, *, collate_fn_map=None):
    """Joins samples to one batch. https://pytorch.org/docs/stable/data.html#torch.utils.data._utils.collate.collate

    Args:
        batch: a list of samples; containers are gone through.
        collate_fn_map: a function for each type of sample, ``function(batch, collate_fn_map=...)``.

    Returns:
        a batch in the form of a sample.

    Raises:
        TypeError: there is no function for a sample's type.
        RuntimeError: sequences of different lengths.
    """
    example = batch[0]
    kind = type(example)
    function = _function(example, collate_fn_map or {})
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(example, collections.abc.Mapping):
        return _mapping(example, {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map)
                                  for key in example})
    if isinstance(example, tuple) and hasattr(example, "_fields"):
        return kind(*_columns(batch, collate_fn_map))
    if isinstance(example, collections.abc.Sequence):
        if any(len(sample) != len(example) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = _columns(batch, collate_fn_map)
        return columns if isinstance(example, tuple) else _sequence(example, columns)
    raise TypeError(_WRONG.format(kind))


def _function(example, table):
    found = table.get(type(example))
    return found or next((function for kinds, function in table.items() if isinstance(example, kinds)), None)


def _columns(batch, table) -> list:
    return [collate(column, collate_fn_map=table) for column in zip(*batch, strict=False)]


def _on_host(batch) -> np.ndarray | None:
    """The tensors stacked on the host; None if their values are not there or stacking needs more."""
    aval = batch[0]._cell.aval
    if state.thread.frames:
        return None
    cells = []
    for x in batch:
        if type(x) is not Tensor or x._edge is not None:  # the subclass may handle it
            return None
        other = x._cell.aval
        if other.dtype is not aval.dtype or other.shape != aval.shape:
            return None
        cells.append(x._cell)
    return stacked(cells)


def collate_tensor_fn(batch, *, collate_fn_map=None):
    """Stacks tensors; on the host if all values are there."""
    values = _on_host(batch)
    if values is not None:
        return leaf(values)
    if get_worker_info() is not None and state.thread.grad and any(x.requires_grad for x in batch):
        raise RuntimeError(_OUT_WITH_GRAD)
    return _api.stack(batch, 0)


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    """numpy arrays, as tensors and stacked."""
    example = batch[0]
    if np_str_obj_array_pattern.search(example.dtype.str):
        raise TypeError(_WRONG.format(example.dtype))
    alike = all(type(x) is np.ndarray and x.shape == example.shape and x.dtype == example.dtype and x.flags.c_contiguous
                for x in batch)
    if alike and example.dtype.isnative and (collate_fn_map or {}).get(Tensor) is collate_tensor_fn:
        return _api.as_tensor(np.stack(batch))
    return collate([_api.as_tensor(x) for x in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    """numpy's numbers."""
    return _api.as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    """Python's floats, in float64."""
    return _api.tensor(batch, dtype=dt.float64)


def collate_int_fn(batch, *, collate_fn_map=None):
    """Python's integers and bools."""
    return _api.tensor(batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    """Strings stay a list."""
    return batch


default_collate_fn_map: dict = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch):
    """Joins samples to one batch: tensors, arrays and numbers get a first dimension, containers stay what they are. Where
    all values are on the host they are copied there, and no program is compiled.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.default_collate

    Args:
        batch: a list of samples.

    Returns:
        a batch in the form of a sample.

    Raises:
        As for `collate`.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
