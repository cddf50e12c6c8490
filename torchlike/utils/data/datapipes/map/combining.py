"""Pipes with several sources."""

from collections.abc import Sized
from typing import Any, TypeVar

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import MapDataPipe

__all__ = ["ConcaterMapDataPipe", "ZipperMapDataPipe"]

_T_co = TypeVar("_T_co", covariant=True)


def _checked(sources) -> tuple:
    if len(sources) == 0:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    if not all(isinstance(source, MapDataPipe) for source in sources):
        raise TypeError("Expected all inputs to be `MapDataPipe`")
    if not all(isinstance(source, Sized) for source in sources):
        raise TypeError("Expected all inputs to be `Sized`")
    return sources


@functional_datapipe("concat")
class ConcaterMapDataPipe(MapDataPipe):
    """The samples of one source after those of another (``concat``).

    Args:
        *datapipes: the sources, with lengths: at least one. ValueError without any, TypeError for what is no such pipe.
    """

    datapipes: tuple[Any, ...]

    def __init__(self, *datapipes: MapDataPipe):
        self.datapipes = _checked(datapipes)

    def __getitem__(self, index):
        offset = 0
        for source in self.datapipes:
            if index - offset < len(source):
                return source[index - offset]
            offset += len(source)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self) -> int:
        return sum(len(source) for source in self.datapipes)


@functional_datapipe("zip")
class ZipperMapDataPipe(MapDataPipe[tuple[_T_co, ...]]):
    """Tuples of the samples of each source with one key (``zip``).

    Args:
        *datapipes: as for `ConcaterMapDataPipe`.
    """

    datapipes: tuple[Any, ...]

    def __init__(self, *datapipes: MapDataPipe[_T_co]):
        self.datapipes = _checked(datapipes)

    def __getitem__(self, index) -> tuple[_T_co, ...]:
        found = []
        for source in self.datapipes:
            try:
                found.append(source[index])
            except IndexError as error:
                raise IndexError(f"Index {index} is out of range for one of the input MapDataPipes {source}.") from error
        return tuple(found)

    def __len__(self) -> int:
        return min(len(source) for source in self.datapipes)
