"""A random order of samples by key."""

from collections.abc import Iterator
from typing import Any, TypeVar

from torchlike.utils.data.datapipes._shuffle import _Shuffle
from torchlike.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe, hooked_state

__all__ = ["ShufflerIterDataPipe"]

_T_co = TypeVar("_T_co", covariant=True)


class ShufflerIterDataPipe(_Shuffle, IterDataPipe[_T_co]):
    """The samples of a pipe by key, in a random order (``shuffle``). It is an iterable pipe.

    Args:
        datapipe: the source.
        indices: its keys; None means 0, 1, and so on.
    """

    datapipe: Any

    def __init__(self, datapipe: MapDataPipe[_T_co], *, indices: list | None = None):
        super().__init__()
        source: Any = datapipe
        self.datapipe = source
        self.indices = list(range(len(source))) if indices is None else indices
        self._start()
        self._shuffled_indices: list = self.indices

    def __iter__(self) -> Iterator[_T_co]:
        if not self._enabled:
            for index in self.indices:
                yield self.datapipe[index]
        else:
            while self._shuffled_indices:
                yield self.datapipe[self._shuffled_indices.pop()]

    def reset(self) -> None:
        self._rng.seed(self._drawn_seed() if self._enabled else self._seed)
        self._seed = None
        self._shuffled_indices = self._rng.sample(self.indices, len(self.indices))

    def __len__(self) -> int:
        return len(self.datapipe)

    def __getstate__(self):
        return hooked_state((self.datapipe, self.indices, self._enabled, self._seed, self._rng.getstate(),
                             self._shuffled_indices, self._valid_iterator_id, self._number_of_samples_yielded))

    def __setstate__(self, state):
        (self.datapipe, self.indices, self._enabled, self._seed, random_state, self._shuffled_indices,
         self._valid_iterator_id, self._number_of_samples_yielded) = state
        self._set_random_state(random_state)


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)
