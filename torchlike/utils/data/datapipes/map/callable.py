"""A pipe that calls a function for each sample."""

from collections.abc import Callable
from typing import Any, TypeVar

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import MapDataPipe
from torchlike.utils.data.datapipes.utils.common import _check_unpickable_fn

__all__ = ["MapperMapDataPipe", "default_fn"]

_T_co = TypeVar("_T_co", covariant=True)


def default_fn(data):
    """A function that pickle can write and that changes nothing.

    Args:
        data: a sample.

    Returns: it.
    """
    return data


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe[_T_co]):
    """What a function makes of each sample (``map``).

    Args:
        datapipe: the source.
        fn: the function.
    """

    datapipe: Any
    fn: Callable

    def __init__(self, datapipe: MapDataPipe, fn: Callable = default_fn):
        super().__init__()
        self.datapipe = datapipe
        _check_unpickable_fn(fn)
        self.fn = fn

    def __len__(self) -> int:
        return len(self.datapipe)

    def __getitem__(self, index) -> _T_co:
        return self.fn(self.datapipe[index])
