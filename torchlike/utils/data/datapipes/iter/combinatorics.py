"""Pipes that change the order."""

from collections.abc import Iterator, Sized
from typing import Any, TypeVar

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes._shuffle import _Shuffle
from torchlike.utils.data.datapipes.datapipe import IterDataPipe, hooked_state
from torchlike.utils.data.datapipes.utils.common import _length
from torchlike.utils.data.sampler import Sampler, SequentialSampler

__all__ = ["SamplerIterDataPipe", "ShufflerIterDataPipe"]

_T_co = TypeVar("_T_co", covariant=True)


class SamplerIterDataPipe(IterDataPipe[_T_co]):
    """What a sampler gives for a source.

    Args:
        datapipe: the source, with a length.
        sampler: the sampler's class.
        sampler_args, sampler_kwargs: the arguments of its constructor besides ``data_source``, which is the source.

    Raises:
        AssertionError: the source has no length.
    """

    datapipe: IterDataPipe
    sampler: Sampler

    def __init__(self, datapipe: IterDataPipe, sampler: type[Sampler] = SequentialSampler, sampler_args: tuple | None = None,
                 sampler_kwargs: dict | None = None):
        source: Any = datapipe
        if not isinstance(source, Sized):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        super().__init__()
        self.datapipe = datapipe
        self.sampler_args = () if sampler_args is None else sampler_args
        self.sampler_kwargs = {} if sampler_kwargs is None else sampler_kwargs
        self.sampler_kwargs["data_source"] = self.datapipe
        self.sampler = sampler(*self.sampler_args, **self.sampler_kwargs)

    def __iter__(self) -> Iterator[_T_co]:
        return iter(self.sampler)

    def __len__(self) -> int:
        return _length(self, self.sampler)


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(_Shuffle, IterDataPipe[_T_co]):
    """Samples in a random order (``shuffle``): a buffer is filled, and each further sample takes the place of one of it.

    Args:
        datapipe: the source.
        buffer_size: how many samples the buffer holds.
        unbatch_level: how many levels of batches are taken apart first.

    Raises:
        AssertionError: `buffer_size` is not positive.
    """

    datapipe: IterDataPipe[_T_co]
    buffer_size: int
    _buffer: list[_T_co]

    def __init__(self, datapipe: IterDataPipe[_T_co], *, buffer_size: int = 10000, unbatch_level: int = 0):
        super().__init__()
        self._buffer = []
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level=unbatch_level)
        self.buffer_size = buffer_size
        self._start()

    def __iter__(self) -> Iterator[_T_co]:
        if not self._enabled:
            yield from self.datapipe
            return
        for sample in self.datapipe:
            if len(self._buffer) < self.buffer_size:
                self._buffer.append(sample)
                continue
            at = self._rng.randint(0, len(self._buffer) - 1)
            chosen, self._buffer[at] = self._buffer[at], sample
            yield chosen
        while self._buffer:
            yield self._buffer.pop(self._rng.randint(0, len(self._buffer) - 1))

    def __len__(self) -> int:
        return _length(self, self.datapipe)

    def reset(self) -> None:
        self._buffer = []
        if self._enabled:
            self._rng.seed(self._drawn_seed())
            self._seed = None

    def __getstate__(self):
        return hooked_state((self.datapipe, self.buffer_size, self._enabled, self._seed, self._buffer, self._rng.getstate(),
                             self._valid_iterator_id, self._number_of_samples_yielded))

    def __setstate__(self, state):
        (self.datapipe, self.buffer_size, self._enabled, self._seed, self._buffer, random_state, self._valid_iterator_id,
         self._number_of_samples_yielded) = state
        self._set_random_state(random_state)
