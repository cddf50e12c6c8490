"""Checks of the indices and pairs that users give to containers."""

import operator
from collections.abc import Iterable, Iterator, Sequence


def position(index, size: int) -> int:
    """`index` in 0..size-1; IndexError outside."""
    index = operator.index(index)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range")
    return index % size


def pairs_of(name: str, items: Iterable[Sequence]) -> Iterator[Sequence]:
    """The (key, value) pairs of `items`, each checked as PyTorch does."""
    for i, item in enumerate(items):
        if not isinstance(item, Iterable):
            raise TypeError(f"{name} update sequence element #{i} should be Iterable; is"
                            f"{type(item).__name__}")
        if len(item) != 2:
            raise ValueError(f"{name} update sequence element #{i} has length {len(item)}; 2 is required")
        yield item
