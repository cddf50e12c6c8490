"""Pipes with several sources, or with several results.

Those with several results return pipes for them, the children. What they read from the source is kept in a container that
the children share, so all children have one valid generation of iterators.
"""

import copy as copying
import warnings
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeVar

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes._hook_iterator import _SnapshotState
from torchlike.utils.data.datapipes.datapipe import IterDataPipe, hooked_state
from torchlike.utils.data.datapipes.utils.common import StreamWrapper, _check_unpickable_fn, _length

__all__ = ["ConcaterIterDataPipe", "DemultiplexerIterDataPipe", "ForkerIterDataPipe", "MultiplexerIterDataPipe",
           "ZipperIterDataPipe"]

_T_co = TypeVar("_T_co", covariant=True)
_NOT_EXHAUSTED = ("Some child DataPipes are not exhausted when __iter__ is called. We are resetting the buffer and each "
                  "child DataPipe will read from the start again.")


def _lengths(pipe) -> list[int]:
    """Those of the sources; TypeError if one has none."""
    return [_length(pipe, source) for source in pipe.datapipes]


@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe):
    """The samples of one source after those of another (``concat``).

    Args:
        *datapipes: the sources.

    Raises:
        ValueError: there are none.
        TypeError: one is no IterDataPipe.
    """

    datapipes: tuple[IterDataPipe, ...]

    def __init__(self, *datapipes: IterDataPipe):
        if len(datapipes) == 0:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(source, IterDataPipe) for source in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator:
        for source in self.datapipes:
            yield from source

    def __len__(self) -> int:
        return sum(_lengths(self))


@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe):
    """Several pipes that each give all samples of a source (``fork``).

    Args:
        datapipe: the source.
        num_instances: how many pipes; for 1 it is the source itself.
        buffer_size: how many samples one of them may be ahead of another; -1 means without bound.
        copy: None gives all pipes the same objects, "shallow" and "deep" such copies.

    Raises:
        ValueError: `num_instances` is not positive, or another `copy`.
    """

    def __new__(cls, datapipe: IterDataPipe, num_instances: int, buffer_size: int = 1000,
                copy: Literal["shallow", "deep"] | None = None):
        if num_instances < 1:
            raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")
        if num_instances == 1:
            return datapipe
        container = _ForkerIterDataPipe(datapipe, num_instances, buffer_size, copy)
        return [_ChildDataPipe(container, i) for i in range(num_instances)]


class _ContainerTemplate(ABC):
    """What a child needs of the container that it reads from."""

    @abstractmethod
    def get_next_element_by_instance(self, instance_id: int):
        """Gives the samples of one child."""

    @abstractmethod
    def is_every_instance_exhausted(self) -> bool:
        """Whether all children are at their end."""

    @abstractmethod
    def reset(self) -> None:
        """Go back to the beginning."""

    @abstractmethod
    def get_length_by_instance(self, instance_id: int) -> int:
        """How many samples a child gives; TypeError where nobody knows."""


def _warn_of_no_bound(name, buffer_size) -> None:
    if buffer_size < 0:
        warnings.warn(f"Unlimited buffer size is set for `{name}`, please be aware of OOM at random places", UserWarning,
                      stacklevel=3)


def _no_op(x):
    return x


def _copier(copy):
    """A function that pickle can write."""
    if copy is None:
        return _no_op
    if copy in ("shallow", "deep"):
        return copying.copy if copy == "shallow" else copying.deepcopy
    raise ValueError(f"Unknown copy method `{copy}` requested, choose one of None, `shallow` or `deep`.")


class _ForkerIterDataPipe(IterDataPipe, _ContainerTemplate):
    """What the children of a fork share: the samples from the slowest child's to the fastest one's.

    Positions count from 1: `child_pointers` has the number of the last sample that each child took.
    """

    def __init__(self, datapipe: Any, num_instances: int, buffer_size: int = 1000,
                 copy: Literal["shallow", "deep"] | None = None):
        self.main_datapipe = datapipe
        self.num_instances = num_instances
        self.buffer_size = buffer_size
        self._start()
        _warn_of_no_bound("fork", buffer_size)
        self.copy_fn = _copier(copy)

    def _start(self) -> None:
        self._datapipe_iterator: Iterator[Any] | None = None
        self.buffer: deque = deque()
        self.child_pointers = [0] * self.num_instances
        self.slowest_ptr = 0
        self.leading_ptr = 0
        self.end_ptr: int | None = None
        self._child_stop = [True] * self.num_instances

    def __len__(self) -> int:
        return len(self.main_datapipe)

    def get_next_element_by_instance(self, instance_id: int):
        if self._datapipe_iterator is None and self._child_stop[instance_id]:
            self._datapipe_iterator = iter(self.main_datapipe)
            self._snapshot_state = _SnapshotState.Iterating
            self._child_stop = [False] * self.num_instances
        try:
            while not self._child_stop[instance_id]:
                self.child_pointers[instance_id] += 1
                if self.child_pointers[instance_id] == self.end_ptr:
                    self._child_stop[instance_id] = True
                    break
                try:
                    sample = self._sample(instance_id)
                except StopIteration:
                    self._child_stop[instance_id] = True
                    self._datapipe_iterator = None
                    self.end_ptr = self.leading_ptr
                    continue
                self._forget(instance_id)
                yield self.copy_fn(sample)
        finally:
            self._child_stop[instance_id] = True
            if all(self._child_stop):
                self._datapipe_iterator = None
                self._cleanup()

    def _sample(self, child):
        """The child's next sample, from the buffer or the source; StopIteration at its end."""
        number = self.child_pointers[child]
        if self.buffer and number <= self.leading_ptr:
            return self.buffer[number - self.slowest_ptr - 1]
        self.leading_ptr = number
        source: Any = self._datapipe_iterator
        sample = next(source)
        self.buffer.append(sample)
        return sample

    def _forget(self, child) -> None:
        """Drop the oldest sample if the child was the last to want it; BufferError if too many are kept."""
        if self.child_pointers[child] == self.slowest_ptr + 1 and min(self.child_pointers) > self.slowest_ptr:
            self.slowest_ptr = min(self.child_pointers)
            self.buffer.popleft()
        if 0 <= self.buffer_size < self.leading_ptr - self.slowest_ptr:
            raise BufferError(f"ForkerIterDataPipe buffer overflow,buffer size {self.buffer_size} is insufficient.")

    def is_every_instance_exhausted(self) -> bool:
        return self.end_ptr is not None and all(self._child_stop)

    def get_length_by_instance(self, instance_id: int) -> int:
        return len(self.main_datapipe)

    def reset(self) -> None:
        self._start()

    def __getstate__(self):
        return hooked_state((self.main_datapipe, self.num_instances, self.buffer_size, self.copy_fn, self._valid_iterator_id,
                             self._number_of_samples_yielded))

    def __setstate__(self, state):
        (self.main_datapipe, self.num_instances, self.buffer_size, self.copy_fn, self._valid_iterator_id,
         self._number_of_samples_yielded) = state
        self._start()

    def _cleanup(self) -> None:
        while self.buffer:
            StreamWrapper.close_streams(self.buffer.popleft())

    def __del__(self):
        self._cleanup()


class _ChildDataPipe(IterDataPipe):
    """One of the results of a pipe with several.

    An iterator of a child belongs to the generation that its container has. A child that makes its second iterator of a
    generation begins a new one, in which the iterators of all children are invalid.

    Args:
        main_datapipe: the container.
        instance_id: the number of the result.
    """

    _is_child_datapipe: bool = True

    def __init__(self, main_datapipe: Any, instance_id: int):
        if not isinstance(main_datapipe, _ContainerTemplate):
            raise AssertionError("main_datapipe must implement _ContainerTemplate")
        self.main_datapipe = main_datapipe
        self.instance_id = instance_id

    def __iter__(self):
        return self.main_datapipe.get_next_element_by_instance(self.instance_id)

    def __len__(self) -> int:
        return self.main_datapipe.get_length_by_instance(self.instance_id)

    def _set_main_datapipe_valid_iterator_id(self) -> int:
        """Join the container's generation, or begin a new one."""
        container: Any = self.main_datapipe
        if container._valid_iterator_id is None:
            container._valid_iterator_id = 0
        elif container._valid_iterator_id == self._valid_iterator_id:
            container._valid_iterator_id += 1
            if not container.is_every_instance_exhausted():
                warnings.warn(_NOT_EXHAUSTED, UserWarning, stacklevel=2)
            container.reset()
        self._valid_iterator_id = container._valid_iterator_id
        return self._valid_iterator_id

    def _check_valid_iterator_id(self, iterator_id) -> bool:
        return iterator_id == self._valid_iterator_id == self.main_datapipe._valid_iterator_id


@functional_datapipe("demux")
class DemultiplexerIterDataPipe(IterDataPipe):
    """Several pipes that share the samples of a source (``demux``).

    Args:
        datapipe: the source.
        num_instances: how many pipes.
        classifier_fn: from a sample to the number of its pipe.
        drop_none: whether samples are left out of which it says None.
        buffer_size: how many samples may wait for their pipes; -1 means without bound.

    Raises:
        ValueError: `num_instances` is not positive.
    """

    def __new__(cls, datapipe: IterDataPipe, num_instances: int, classifier_fn: Callable[[_T_co], int | None],
                drop_none: bool = False, buffer_size: int = 1000):
        if num_instances < 1:
            raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")
        _check_unpickable_fn(classifier_fn)
        container = _DemultiplexerIterDataPipe(datapipe, num_instances, classifier_fn, drop_none, buffer_size)
        return [_ChildDataPipe(container, i) for i in range(num_instances)]


class _DemultiplexerIterDataPipe(IterDataPipe, _ContainerTemplate):
    """What the pipes of a `demux` share: for each the samples that the others came across."""

    def __init__(self, datapipe: IterDataPipe, num_instances: int, classifier_fn: Callable, drop_none: bool,
                 buffer_size: int):
        self.main_datapipe = datapipe
        self.num_instances = num_instances
        self.buffer_size = buffer_size
        self._start()
        _warn_of_no_bound("demux", buffer_size)
        self.classifier_fn = classifier_fn
        self.drop_none = drop_none

    def _start(self) -> None:
        self._datapipe_iterator: Iterator[Any] | None = None
        self.current_buffer_usage = 0
        self.child_buffers: list[deque] = [deque() for _ in range(self.num_instances)]
        self._child_stop = [True] * self.num_instances
        self.main_datapipe_exhausted = False

    def _find_next(self, instance_id: int):
        """The next sample of one pipe, from the source; StopIteration at its end."""
        while not self.main_datapipe_exhausted and not self._child_stop[instance_id]:
            if self._datapipe_iterator is None:
                raise ValueError(
                    "_datapipe_iterator has not been set, likely because this private method is called directly "
                    "without invoking get_next_element_by_instance() first.")
            sample = next(self._datapipe_iterator)
            number = self.classifier_fn(sample)
            if number is None and self.drop_none:
                StreamWrapper.close_streams(sample)
                continue
            if number is None or not 0 <= number < self.num_instances:
                raise ValueError(f"Output of the classification fn should be between 0 and {self.num_instances - 1}. "
                                 f"{number} is returned.")
            if number == instance_id:
                return sample
            self.child_buffers[number].append(sample)
            self.current_buffer_usage += 1
            if 0 <= self.buffer_size < self.current_buffer_usage:
                raise BufferError(
                    f"DemultiplexerIterDataPipe buffer overflow, buffer size {self.buffer_size} is insufficient.")
        raise StopIteration

    def get_next_element_by_instance(self, instance_id: int):
        if self._datapipe_iterator is None and self._child_stop[instance_id]:
            self._datapipe_iterator = iter(self.main_datapipe)
            self._snapshot_state = _SnapshotState.Iterating
            self.main_datapipe_exhausted = False
            self._child_stop = [False] * self.num_instances
        try:
            while not self._child_stop[instance_id]:
                if self.child_buffers[instance_id]:
                    self.current_buffer_usage -= 1
                    yield self.child_buffers[instance_id].popleft()
                    continue
                try:
                    sample = self._find_next(instance_id)
                except StopIteration:
                    self._child_stop[instance_id] = True
                    self.main_datapipe_exhausted = True
                    self._datapipe_iterator = None
                else:
                    yield sample
        finally:
            self._child_stop[instance_id] = True
            if all(self._child_stop):
                self._datapipe_iterator = None
            self._cleanup(instance_id)

    def is_every_instance_exhausted(self) -> bool:
        return self.main_datapipe_exhausted and all(self._child_stop)

    def get_length_by_instance(self, instance_id: int) -> int:
        raise TypeError

    def reset(self) -> None:
        self._start()

    def __getstate__(self):
        return hooked_state((self.main_datapipe, self.num_instances, self.buffer_size, self.classifier_fn, self.drop_none,
                             self._valid_iterator_id, self._number_of_samples_yielded))

    def __setstate__(self, state):
        (self.main_datapipe, self.num_instances, self.buffer_size, self.classifier_fn, self.drop_none,
         self._valid_iterator_id, self._number_of_samples_yielded) = state
        self._start()

    def _cleanup(self, instance_id: int | None = None) -> None:
        for waiting in self.child_buffers if instance_id is None else [self.child_buffers[instance_id]]:
            while waiting:
                StreamWrapper.close_streams(waiting.popleft())

    def __del__(self):
        self._cleanup()


@functional_datapipe("mux")
class MultiplexerIterDataPipe(IterDataPipe):
    """One sample of each source in turn, until one of them ends (``mux``).

    Args:
        *datapipes: the sources.
    """

    def __init__(self, *datapipes):
        self.datapipes = datapipes
        self.buffer: list = []

    def __iter__(self):
        iterators = [iter(source) for source in self.datapipes]
        while iterators:
            for iterator in iterators:
                try:
                    self.buffer.append(next(iterator))
                except StopIteration:
                    self.buffer.clear()
                    return
            yield from self.buffer
            self.buffer.clear()

    def __len__(self) -> int:
        return min(_lengths(self)) * len(self.datapipes)

    def reset(self) -> None:
        self.buffer = []

    def __getstate__(self):
        return hooked_state((self.datapipes, self._valid_iterator_id, self._number_of_samples_yielded))

    def __setstate__(self, state):
        self.datapipes, self._valid_iterator_id, self._number_of_samples_yielded = state
        self.buffer = []


@functional_datapipe("zip")
class ZipperIterDataPipe(IterDataPipe[tuple[_T_co]]):
    """Tuples of one sample of each source, until one of them ends (``zip``).

    Args:
        *datapipes: the sources.

    Raises:
        TypeError: one is no IterDataPipe.
    """

    datapipes: tuple[IterDataPipe, ...]

    def __init__(self, *datapipes: IterDataPipe):
        if not all(isinstance(source, IterDataPipe) for source in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        super().__init__()
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[tuple[_T_co]]:
        yield from zip(*[iter(source) for source in self.datapipes], strict=False)

    def __len__(self) -> int:
        return min(_lengths(self))
