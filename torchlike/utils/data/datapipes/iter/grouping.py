"""Batches: made of so many samples or by a key, and taken apart."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from torchlike.utils.data.datapipes._decorator import functional_datapipe
from torchlike.utils.data.datapipes.datapipe import DataChunk, IterDataPipe, hooked_state
from torchlike.utils.data.datapipes.utils.common import _check_unpickable_fn, _length

__all__ = ["BatcherIterDataPipe", "GrouperIterDataPipe", "UnBatcherIterDataPipe"]


@functional_datapipe("batch")
class BatcherIterDataPipe(IterDataPipe[DataChunk]):
    """Batches of so many samples (``batch``).

    Args:
        datapipe: the source.
        batch_size: how many samples.
        drop_last: whether a last, smaller batch is left out.
        wrapper_class: what is made of each list.

    Raises:
        AssertionError: `batch_size` is not positive.
    """

    datapipe: IterDataPipe
    batch_size: int
    drop_last: bool

    def __init__(self, datapipe: IterDataPipe, batch_size: int, drop_last: bool = False,
                 wrapper_class: type[DataChunk] = DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        super().__init__()
        self.datapipe = datapipe
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.wrapper_class = wrapper_class

    def __iter__(self) -> Iterator[DataChunk]:
        batch: list = []
        for sample in self.datapipe:
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self) -> int:
        return (_length(self, self.datapipe) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe):
    """The samples of batches (``unbatch``).

    Args:
        datapipe: the source.
        unbatch_level: how many levels of lists are taken apart; -1 means all.
    """

    def __init__(self, datapipe: IterDataPipe, unbatch_level: int = 1):
        self.datapipe = datapipe
        self.unbatch_level = unbatch_level

    def __iter__(self):
        for element in self.datapipe:
            yield from self._dive(element, self.unbatch_level)

    def _dive(self, element, level):
        if level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if level == 0 or (level == -1 and not isinstance(element, list)):
            yield element
        elif isinstance(element, list):
            for item in element:
                yield from self._dive(item, max(level - 1, -1))
        else:
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")


@functional_datapipe("groupby")
class GrouperIterDataPipe(IterDataPipe[DataChunk]):
    """Batches of samples with one key (``groupby``): as soon as there are enough, and of the key with the most when the
    buffer is full.

    Args:
        datapipe: the source.
        group_key_fn: from a sample to its key.
        keep_key: whether pairs of key and batch are given.
        buffer_size: how many samples may wait.
        group_size: how many make a batch; None means that only the end and a full buffer do.
        guaranteed_group_size: how many a batch of a full buffer must have; None means `group_size`.
        drop_remaining: whether such a batch that is too small is left out, instead of a RuntimeError.

    Raises:
        AssertionError: sizes that are not positive, or larger than what they are a part of.
    """

    def __init__(self, datapipe: IterDataPipe, group_key_fn: Callable[[Any], Any], *, keep_key: bool = False,
                 buffer_size: int = 10000, group_size: int | None = None, guaranteed_group_size: int | None = None,
                 drop_remaining: bool = False):
        _check_unpickable_fn(group_key_fn)
        self.buffer_elements: defaultdict[Any, list] = defaultdict(list)
        self.datapipe = datapipe
        self.group_key_fn = group_key_fn
        self.keep_key = keep_key
        self.max_buffer_size = buffer_size
        self.curr_buffer_size = 0
        self.group_size = group_size
        self.guaranteed_group_size = None
        if group_size is not None and buffer_size is not None:
            if not 0 < group_size <= buffer_size:
                raise AssertionError("group_size must be > 0 and <= buffer_size")
            self.guaranteed_group_size = group_size
        if guaranteed_group_size is not None:
            if group_size is None or not 0 < guaranteed_group_size <= group_size:
                raise AssertionError("guaranteed_group_size must be > 0 and <= group_size and group_size must be set")
            self.guaranteed_group_size = guaranteed_group_size
        self.drop_remaining = drop_remaining
        self.wrapper_class = DataChunk

    def _remove_biggest_key(self):
        """Takes the largest group, the first of several, out of the buffer. None if it is too small and dropped."""
        sizes = {key: len(group) for key, group in self.buffer_elements.items()}
        key = max(sizes, key=sizes.__getitem__)
        wanted = self.guaranteed_group_size
        enough = wanted is None or sizes[key] >= wanted
        if not enough and not self.drop_remaining:
            raise RuntimeError("Failed to group items", str(self.buffer_elements[key]))
        self.curr_buffer_size -= sizes[key]
        group = self.buffer_elements.pop(key)
        return (key, group) if enough else None

    def _result(self, key, group):
        batch = self.wrapper_class(group)
        return (key, batch) if self.keep_key else batch

    def __iter__(self):
        for sample in self.datapipe:
            key = self.group_key_fn(sample)
            self.buffer_elements[key].append(sample)
            self.curr_buffer_size += 1
            if self.group_size is not None and len(self.buffer_elements[key]) == self.group_size:
                result = self._result(key, self.buffer_elements[key])
                yield result
                self.curr_buffer_size -= len(self.buffer_elements[key])
                del self.buffer_elements[key]
            if self.curr_buffer_size == self.max_buffer_size:
                removed = self._remove_biggest_key()
                if removed is not None:
                    yield self._result(key, removed[1])  # PyTorch names the last sample's key
        for key in tuple(self.buffer_elements):
            group = self.buffer_elements.pop(key)
            self.curr_buffer_size -= len(group)
            yield self._result(key, group)

    def reset(self) -> None:
        self.curr_buffer_size = 0
        self.buffer_elements = defaultdict(list)

    def __getstate__(self):
        return hooked_state((self.datapipe, self.group_key_fn, self.keep_key, self.max_buffer_size, self.group_size,
                             self.guaranteed_group_size, self.drop_remaining, self.wrapper_class, self._valid_iterator_id,
                             self._number_of_samples_yielded))

    def __setstate__(self, state):
        (self.datapipe, self.group_key_fn, self.keep_key, self.max_buffer_size, self.group_size, self.guaranteed_group_size,
         self.drop_remaining, self.wrapper_class, self._valid_iterator_id, self._number_of_samples_yielded) = state
        self.curr_buffer_size = 0
        self.buffer_elements = defaultdict(list)
