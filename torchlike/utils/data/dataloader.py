"""`DataLoader`: https://pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader

Workers are processes, by Python's start method or the one that `multiprocessing_context` names.

A forked worker (the default on Linux) runs whatever the program has in memory: data sets of ``__main__``, lambdas, local
classes, open files. XLA's threads do not survive a fork, so numpy computes there, on one thread; the few kernels that numpy
has no way for are run by a thread of the parent (`torchlike/_compile/executors/forked.py`). JAX must not be called in a
forked worker, nor `torchlike.func`. A worker started by 'spawn' or 'forkserver' has a JAX of its own, and wants everything
picklable.
"""

import math
import multiprocessing
import multiprocessing.context
import os
import warnings
from collections.abc import Callable
from typing import Any, Generic, TypeAlias, TypeVar

from torchlike.utils.data._utils.collate import default_collate, default_convert
from torchlike.utils.data._utils.iterators import (
    _BaseDataLoaderIter,  # noqa: F401 - PyTorch has it here
    _DatasetKind,
    _MultiProcessingDataLoaderIter,
    _SingleProcessDataLoaderIter,
)
from torchlike.utils.data._utils.worker import get_worker_info
from torchlike.utils.data.datapipes.datapipe import (
    IterDataPipe,
    MapDataPipe,
    _IterDataPipeSerializationWrapper,
    _MapDataPipeSerializationWrapper,
)
from torchlike.utils.data.dataset import IterableDataset
from torchlike.utils.data.graph_settings import apply_sharding, apply_shuffle_settings
from torchlike.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_T_co = TypeVar("_T_co", covariant=True)
_collate_fn_t: TypeAlias = Callable[[list], Any]
_worker_init_fn_t: TypeAlias = Callable[[int], None]
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
_MANY_WORKERS = (
    "This DataLoader will create {} worker processes in total. Our suggested max number of worker in current system is {}{}"
    ", which is smaller than what this DataLoader is going to create. Please be aware that excessive worker creation might "
    "get DataLoader running slow or even freeze, lower the worker number to avoid potential slowness/freeze if necessary.")


class _InfiniteConstantSampler(Sampler):
    """Stands for the order of an IterableDataset, which has its own."""

    def __iter__(self):
        while True:
            yield None


def _sharding_worker_init_fn(worker_init_fn, world_size, rank_id, worker_id) -> None:
    """What a worker does first: it takes its share of a pipe's samples, then what the program says."""
    info: Any = get_worker_info()
    apply_sharding(info.dataset, info.num_workers * world_size, worker_id * world_size + rank_id)
    if worker_init_fn is not None:
        worker_init_fn(worker_id)


class DataLoader(Generic[_T_co]):
    """Goes over a data set, in batches, in this process or with workers. The module's docstring says what workers may do.
    https://pytorch.org/docs/stable/data.html#torch.utils.data.DataLoader

    Args:
        dataset: a `Dataset` or an `IterableDataset`.
        batch_size: how many samples a batch has; None gives samples without batches.
        shuffle: whether the order is random.
        sampler: an order instead of `shuffle`.
        batch_sampler: an order of batches instead of `batch_size`, `shuffle`, `sampler` and `drop_last`.
        num_workers: how many processes read; 0 means this one.
        collate_fn: from a list of samples to a batch; None stacks tensors.
        pin_memory, pin_memory_device: without effect: JAX moves arrays to a GPU in its own way.
        drop_last: whether a last, smaller batch is left out.
        timeout: how many seconds to wait for a batch of a worker; 0 means for ever.
        worker_init_fn: called with its number in each worker.
        multiprocessing_context: a start method ("fork", "spawn", "forkserver") or a context; None means Python's default.
        generator: for the order and the workers' seeds; None means the default one.
        prefetch_factor: how many batches each worker is ahead.
        persistent_workers: whether workers stay for the next pass.
        in_order: whether batches of several workers come in order.

    Raises:
        ValueError: options that exclude each other, or a negative number.
        TypeError: `multiprocessing_context` is no context.
    """

    _initialized = False

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
                 pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, multiprocessing_context=None,
                 generator=None, *, prefetch_factor=None, persistent_workers=False, pin_memory_device="", in_order=True):
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = _wrapped(dataset)
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        iterable = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if iterable else _DatasetKind.Map
        if isinstance(dataset, IterDataPipe):
            dataset = apply_shuffle_settings(dataset, shuffle=shuffle)
            _check_order_of_iterable(None, sampler, batch_sampler)
        elif iterable:
            _check_order_of_iterable(shuffle, sampler, batch_sampler)
        _check_order(batch_size, bool(shuffle), sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None:
            if iterable:
                sampler = _InfiniteConstantSampler()
            else:
                sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn: Any = collate_fn if collate_fn is not None else \
            default_collate if self._auto_collation else default_convert
        self.persistent_workers = persistent_workers
        self._initialized = True
        self._IterableDataset_len_called = None
        self._iterator = None
        self.check_worker_number_rationality()

    @property
    def multiprocessing_context(self):
        """The context that was given; None means Python's default."""
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, given):
        if given is not None:
            given = _checked_context(given, self.num_workers)
        self._context = given

    def __setattr__(self, attr, val):
        if self._initialized and attr in _FIXED:
            raise ValueError(f"{attr} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(attr, val)

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def _get_iterator(self):
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        return _MultiProcessingDataLoaderIter(self)

    def __iter__(self):
        if not self.persistent_workers:
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def __len__(self):
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else math.ceil(length / self.batch_size)

    def check_worker_number_rationality(self):
        """Warns if there are more workers than processors."""
        if not self.num_workers:
            return
        counted = hasattr(os, "sched_getaffinity")
        processors = len(os.sched_getaffinity(0)) if counted else os.cpu_count()
        if processors is None or self.num_workers > processors:
            note = "" if counted else " (`cpuset` is not taken into account)"
            warnings.warn(_MANY_WORKERS.format(self.num_workers, processors, note), stacklevel=2)


def _wrapped(dataset):
    """A pipe in a form that workers can be sent."""
    if isinstance(dataset, IterDataPipe):
        return _IterDataPipeSerializationWrapper(dataset)
    return _MapDataPipeSerializationWrapper(dataset) if isinstance(dataset, MapDataPipe) else dataset


def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers) -> None:
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError("prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
                         "multiprocessing, otherwise set prefetch_factor to None.")
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_order_of_iterable(shuffle, sampler, batch_sampler) -> None:
    for name, given in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
        if given is not None:
            raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={given}")


def _check_order(batch_size, shuffle, sampler, batch_sampler, drop_last) -> None:
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
    if batch_sampler is None and batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


def _checked_context(given, num_workers):
    if num_workers == 0:
        raise ValueError("multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                         f"num_workers={num_workers}")
    if isinstance(given, str):
        known = multiprocessing.get_all_start_methods()
        if given not in known:
            raise ValueError(f"multiprocessing_context option should specify a valid start method in {known!r}, but got "
                             f"multiprocessing_context={given!r}")
        given = multiprocessing.get_context(given)
    if not isinstance(given, multiprocessing.context.BaseContext):
        raise TypeError("multiprocessing_context option should be a valid context object or a string specifying the start "
                        f"method, but got multiprocessing_context={given}")
    return given
