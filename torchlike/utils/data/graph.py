"""Which pipes a pipe reads from, directly and indirectly."""

import io
import pickle
import warnings
from collections.abc import Collection
from typing import Any

from torchlike.utils._import_utils import import_dill
from torchlike.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]

DataPipe = IterDataPipe | MapDataPipe
DataPipeGraph = dict[int, tuple[DataPipe, "DataPipeGraph"]]  # pyrefly: ignore[invalid-type-alias]
_KINDS = (IterDataPipe, MapDataPipe)
_DEPRECATED = ("`traverse` function is deprecated and will be removed after 1.13. Please use `traverse_dps` instead.")


def _stub_unpickler() -> str:
    return "STUB"


def _only_pipes(state):
    """What of a pipe's state can have pipes in it."""
    kept = (*_KINDS, Collection)
    if isinstance(state, dict):
        return {name: value for name, value in state.items() if isinstance(value, kept)}
    if isinstance(state, tuple | list):
        return [value for value in state if isinstance(value, kept)]
    return state if isinstance(state, kept) else None


def _write(pipe) -> None:
    """Pickle a pipe, by dill if pickle cannot; nobody wants the result."""
    file = io.BytesIO()
    dill: Any = import_dill()
    try:
        pickle.Pickler(file).dump(pipe)
    except (pickle.PickleError, AttributeError, TypeError):
        if dill is None:
            raise
        dill.Pickler(file).dump(pipe)
    finally:
        if dill is not None:
            dill.extend(False)


def _list_connected_datapipes(scan_obj, only_datapipe: bool, cache: set[int]) -> list:
    """The pipes that a pipe has in its state, found by pickling it; those in `cache` are left out."""
    found = []

    def met(pipe):
        if pipe == scan_obj or id(pipe) in cache:
            raise NotImplementedError  # it is pickled as it is
        found.append(pipe)
        cache.add(id(pipe))
        return _stub_unpickler, ()

    try:
        for kind in _KINDS:
            kind.set_reduce_ex_hook(met)
            if only_datapipe:
                kind.set_getstate_hook(_only_pipes)
        _write(scan_obj)
    finally:
        for kind in _KINDS:
            kind.set_reduce_ex_hook(None)
            if only_datapipe:
                kind.set_getstate_hook(None)
    return found


def _traverse_helper(datapipe, only_datapipe: bool, cache: set[int]) -> DataPipeGraph:
    if not isinstance(datapipe, _KINDS):
        raise RuntimeError(f"Expected `IterDataPipe` or `MapDataPipe`, but {type(datapipe)} is found")
    if id(datapipe) in cache:
        return {}
    path = cache | {id(datapipe)}  # a pipe may be in several places, but not below itself
    below: DataPipeGraph = {}
    for found in _list_connected_datapipes(datapipe, only_datapipe, set(path)):
        below.update(_traverse_helper(found, only_datapipe, path))
    return {id(datapipe): (datapipe, below)}


def traverse_dps(datapipe: DataPipe) -> DataPipeGraph:
    """The pipes that a pipe reads from, as far as they are its attributes or in collections that are.

    Args:
        datapipe: the pipe at the end.

    Returns: a dict from the `id` of the pipe to itself and such a dict of those that it reads from.
    """
    return _traverse_helper(datapipe, True, set())


def traverse(datapipe: DataPipe, only_datapipe: bool | None = None) -> DataPipeGraph:
    """`traverse_dps`, an older form.

    Args:
        datapipe: the pipe at the end.
        only_datapipe: False or None looks into all attributes, whatever they are.

    Returns: as for `traverse_dps`.
    """
    more = "" if only_datapipe else " And, the behavior will be changed to the equivalent of `only_datapipe=True`."
    warnings.warn(_DEPRECATED + more, FutureWarning, stacklevel=2)
    return _traverse_helper(datapipe, bool(only_datapipe), set())
