"""One pass of a DataLoader over its data set."""

import itertools
import multiprocessing
import sys
import warnings

from torchlike import cuda
from torchlike._random.generator import Generator
from torchlike.utils.data._utils import fetch
from torchlike.utils.data._utils.processes import Pool, WorkerDied
from torchlike.utils.data._utils.worker import CHECK_INTERVAL, RESUME, End, ExceptionWrapper, Job
from torchlike.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe
from torchlike.utils.data.graph_settings import apply_random_seed, apply_sharding
from torchlike.utils.data.sampler import new_seed

_NOTHING = object()
_NO_ACCELERATOR = ("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be "
                   "used.")
_REPLICAS = (
    "For multiprocessing data-loading, this could be caused by not properly configuring the IterableDataset replica at each "
    "worker. Please see https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples.")


class _DatasetKind:
    """PyTorch's numbers of the kinds of data sets."""

    Map = 0
    Iterable = 1
    fetchers = (fetch.MapFetcher, fetch.IterableFetcher)

    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        """What reads a data set of a kind."""
        return _DatasetKind.fetchers[kind](dataset, auto_collation, collate_fn, drop_last)


class _BaseDataLoaderIter:
    """One pass over the data set of a loader. Making it draws a number from the generator, the seed of the workers."""

    def __init__(self, loader):
        self._dataset = loader.dataset
        self._shared_seed = self._new_shared_seed(loader)
        self._dataset_kind = loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._persistent_workers = loader.persistent_workers
        self._fetcher = _DatasetKind.fetchers[self._dataset_kind]
        _warn_of_pinning(loader)
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = new_seed(loader.generator)
        self._num_yielded = 0
        self._world_size, self._rank = 1, 0
        self._pin_memory = False  # jax arrays go to a GPU by JAX's own ways
        self._pin_memory_device = loader.pin_memory_device or None

    def __iter__(self):
        return self

    def __len__(self):
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)

    def _new_shared_seed(self, loader):
        """The seed that all workers give the pipes of one data set; None where the data set is no pipe."""
        if not isinstance(self._dataset, IterDataPipe):
            return None
        seed = new_seed(loader.generator)
        apply_random_seed(self._dataset, Generator().manual_seed(seed))
        return seed

    def _reset(self, loader, first_iter=False):
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._shared_seed = self._new_shared_seed(loader)

    def _next_index(self):
        return next(self._sampler_iter)

    def _next_data(self):
        raise NotImplementedError

    def __next__(self):
        data = self._next_data()
        self._num_yielded += 1
        told = self._IterableDataset_len_called
        if self._dataset_kind == _DatasetKind.Iterable and told is not None and self._num_yielded > told:
            text = (f"Length of IterableDataset {self._dataset} was reported to be {told}(when accessing len(dataloader)), "
                    f"but {self._num_yielded} samples have been fetched. ")
            warnings.warn(text + (_REPLICAS if self._num_workers else ""), stacklevel=2)
        return data


def _warn_of_pinning(loader) -> None:
    if loader.pin_memory and loader.pin_memory_device:
        warnings.warn("pin_memory_device is deprecated, the current accelerator will be used as the device,"
                      f"ignore pin_memory_device='{loader.pin_memory_device}'.", stacklevel=3)
    if loader.pin_memory and not cuda.is_available():
        warnings.warn(_NO_ACCELERATOR, stacklevel=3)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Reads in this process."""

    def __init__(self, loader):
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        if isinstance(self._dataset, IterDataPipe | MapDataPipe):
            apply_sharding(self._dataset, 1, 0)
        self._dataset_fetcher = self._fetcher(self._dataset, self._auto_collation, self._collate_fn, self._drop_last)

    def _next_data(self):
        return self._dataset_fetcher.fetch(self._next_index())


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Reads in workers. Tasks are numbered in the order of sending; each worker has `prefetch_factor` of them at a time."""

    def __init__(self, loader):
        super().__init__(loader)
        if loader.prefetch_factor <= 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        self._most = loader.prefetch_factor * self._num_workers
        self._in_order = loader.in_order
        jobs = [Job(self._fetcher, self._dataset, self._auto_collation, self._collate_fn, self._drop_last, self._base_seed,
                    self._shared_seed, loader.worker_init_fn, i, self._num_workers) for i in range(self._num_workers)]
        self._pool = Pool(loader.multiprocessing_context or multiprocessing.get_context(), jobs)
        self._workers = self._pool.processes
        super()._reset(loader)  # PyTorch begins twice: a sampler can tell, and another seed is drawn for pipes
        self._begin()

    def _begin(self):
        self._sent = self._returned = 0  # numbers of the next task to be sent, and to be returned
        self._owner: dict = {}  # number -> the worker that has the task
        self._done: dict = {}  # number -> a result that came before its turn
        self._load = [0] * self._num_workers
        self._active = [True] * self._num_workers
        self._turn = itertools.cycle(range(self._num_workers))
        for _ in range(self._most):
            self._send_next()

    def _reset(self, loader):
        """Begins another pass with the same workers; results of the last one that still come are dropped."""
        super()._reset(loader)
        for i in range(self._num_workers):
            self._pool.send(i, (RESUME, self._shared_seed))
        waiting = self._num_workers
        while waiting:
            waiting -= self._receive()[0] == RESUME
        self._begin()

    def _send_next(self):
        index = next(self._sampler_iter, _NOTHING)
        if index is _NOTHING:
            return
        worker = self._next_worker()
        if worker is not None:
            self._pool.send(worker, (self._sent, index))
            self._owner[self._sent] = worker
            self._load[worker] += 1
            self._sent += 1

    def _next_worker(self):
        """The next active worker in turn; if the order does not matter, one with fewer tasks than its share."""
        for _ in range(self._num_workers):
            worker = next(self._turn)
            if self._active[worker] and (self._in_order or self._load[worker] < self._most // sum(self._active)):
                return worker
        return None

    def _next_data(self):
        while self._has_task():
            if self._returned in self._done:
                number = self._returned
                data = self._done.pop(number)
            else:
                number, data = self._receive()
                if isinstance(data, End):
                    self._retire(data.worker_id)
                    continue
                if number != self._returned and self._in_order:
                    self._done[number] = data
                    continue
            self._returned += number == self._returned
            return self._taken(number, data)
        if not self._persistent_workers:
            self._shutdown_workers()
        raise StopIteration

    def _has_task(self) -> bool:
        """Whether a result is still to come; passes over tasks whose worker has reached its end."""
        while self._returned < self._sent:
            number = self._returned
            if number in self._done or (number in self._owner and self._active[self._owner[number]]):
                return True
            self._owner.pop(number, None)
            self._returned += 1
        return False

    def _retire(self, worker):
        self._active[worker] = False
        if not self._persistent_workers:
            self._pool.send(worker, None)
        self._send_next()

    def _taken(self, number, data):
        self._load[self._owner.pop(number)] -= 1
        self._send_next()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return data

    def _receive(self):
        """The next message of any worker. RuntimeError if one has died, or none comes in time."""
        try:
            message = self._pool.receive(
                [i for i in range(self._num_workers) if self._active[i] or self._persistent_workers], self._timeout or None)
        except WorkerDied as error:
            for i in error.workers:
                self._active[i] = False
            raise RuntimeError(f"DataLoader worker (pid(s) {error}) exited unexpectedly") from error.__cause__
        if message is None:
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        return message

    def _shutdown_workers(self):
        self._pool.end(CHECK_INTERVAL)

    def __del__(self):
        if not sys.is_finalizing() and hasattr(self, "_pool"):
            self._shutdown_workers()
