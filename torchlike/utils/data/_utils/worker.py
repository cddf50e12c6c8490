"""What runs in a worker process of a DataLoader."""

import collections
import contextlib
import dataclasses
import io
import multiprocessing
import os
import pickle
import queue
import random
import threading
from typing import Any

import numpy as np

from torchlike._base.exception_wrapper import ExceptionWrapper
from torchlike._random.generator import Generator
from torchlike._record.facade import helped
from torchlike._record.tensor import Tensor
from torchlike.random import manual_seed
from torchlike.utils.data._utils.worker_info import WorkerInfo, process
from torchlike.utils.data._utils.worker_info import get_worker_info as get_worker_info
from torchlike.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe
from torchlike.utils.data.graph_settings import apply_random_seed, apply_sharding

CHECK_INTERVAL = 5.0  # seconds between checks that the other process is alive
RESUME = "resume"  # sent to a worker that stays for the next epoch, with the seed of its pipes, and back
_NOT_LEAF = (
    "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support crossing process "
    "boundaries.  If you just want to transfer the data, call detach() on the tensor before serializing (e.g., putting it "
    "on the queue).")
_LOW = 0xFFFFFFFF


@dataclasses.dataclass(frozen=True, slots=True)
class End:
    """Sent by a worker whose IterableDataset has no more samples."""

    worker_id: int


# -- what loaders that other packages write use of PyTorch's

_worker_info: WorkerInfo | None = None  # theirs
process.ask_too(lambda: _worker_info)


@dataclasses.dataclass(frozen=True, slots=True)
class _IterableDatasetStopIteration:
    """Sent by a worker whose IterableDataset has no more samples."""

    worker_id: int


@dataclasses.dataclass(frozen=True, slots=True)
class _ResumeIteration:
    """Sent to a worker that stays for the next epoch."""

    seed: int | None = None


class ManagerWatchdog:
    """Tells a worker whether the process that made it is there."""

    def __init__(self):
        self.manager_pid = os.getppid()
        self._manager = multiprocessing.parent_process()  # knows, too, of one that ended before this was made

    def is_alive(self) -> bool:
        """Whether it is."""
        return os.getppid() == self.manager_pid and (self._manager is None or self._manager.is_alive())


# -- messages

class _Pickler(pickle.Pickler):
    def reducer_override(self, obj):
        """A tensor by its values; RuntimeError for one with history."""
        if not isinstance(obj, Tensor):
            return NotImplemented
        if obj.requires_grad and not obj.is_leaf:
            raise RuntimeError(_NOT_LEAF)
        parts: Any = obj.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
        function, (kind, array, *rest, layout) = parts
        if layout is not None:  # of a view only the part of the memory that it covers
            size, strides, offset = layout
            array = array[offset:offset + 1 + sum((n - 1) * stride for n, stride in zip(size, strides, strict=True))]
            layout = (size, strides, 0)
        return function, (kind, array, *rest, layout)


def packed(message) -> list:
    """A message as a list of bytes: the pickle, then the memory of its arrays."""
    buffers: list = []
    file = io.BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL, buffer_callback=buffers.append).dump(message)
    return [file.getbuffer(), *(buffer.raw() for buffer in buffers)]


def receive(connection):
    """The message that a `_Sender` sent; EOFError or OSError if the worker dies meanwhile."""
    count = int.from_bytes(connection.recv_bytes(), "little")
    pieces = [connection.recv_bytes() for _ in range(count)]
    return pickle.loads(pieces[0], buffers=pieces[1:])


class _Sender:
    """A thread that writes messages to a pipe, so that a full pipe does not keep the worker from reading ahead."""

    def __init__(self, connection):
        self.connection = connection
        self.queue: queue.SimpleQueue = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._loop, daemon=True)
        self.thread.start()

    def _loop(self):
        with contextlib.suppress(OSError):  # the reader is gone
            while (pieces := self.queue.get()) is not None:
                self.connection.send_bytes(len(pieces).to_bytes(4, "little"))
                for piece in pieces:
                    self.connection.send_bytes(piece)

    def finish(self):
        """Wait until everything is written."""
        self.queue.put(None)
        self.thread.join()


# -- the process

@dataclasses.dataclass(slots=True)
class Job:
    """What a worker is to do. ``fetcher(dataset, batched, collate_fn, drop_last)`` makes what reads the data set."""

    fetcher: Any
    dataset: Any
    batched: bool
    collate_fn: Any
    drop_last: bool
    base_seed: int
    shared_seed: int | None
    init_fn: Any
    worker_id: int
    num_workers: int

    def new_fetcher(self):
        """Start to read from the beginning."""
        return self.fetcher(self.dataset, self.batched, self.collate_fn, self.drop_last)

    def share_out(self):
        """Have pipes give this worker's share."""
        if isinstance(self.dataset, IterDataPipe | MapDataPipe):
            apply_sharding(self.dataset, self.num_workers, self.worker_id)

    def seed_pipes(self, seed):
        """Give random pipes the seeds that they have in all workers, so that the shares are of one order."""
        if isinstance(self.dataset, IterDataPipe):
            apply_random_seed(self.dataset, Generator().manual_seed(seed))

    @property
    def where(self):
        """For error texts."""
        return f"in DataLoader worker process {self.worker_id}"


def forked_main(link, job, tasks, results) -> None:
    """`main` in a process that was forked."""
    with helped(link):
        main(job, tasks, results)


def main(job, tasks, results) -> None:
    """Answer the tasks (number, index) by (number, batch or ExceptionWrapper or End) until there comes None."""
    parent = ManagerWatchdog()
    sender = _Sender(results)
    try:
        _seed(job.base_seed, job.worker_id)
        job.seed_pipes(job.shared_seed)
        process.info = WorkerInfo(job.worker_id, job.num_workers, job.base_seed + job.worker_id, job.dataset)
        _work(job, tasks, sender, parent)
    except KeyboardInterrupt:
        return  # the main process has it, too
    except BaseException:
        sender.finish()
        raise


def _seed(base_seed, worker_id) -> None:
    random.seed(base_seed + worker_id)
    manual_seed(base_seed + worker_id)
    np.random.seed(_generate_state(base_seed, worker_id))


def _generate_state(base_seed, worker_id):
    """What numpy is seeded with: four numbers."""
    words = [worker_id, base_seed & _LOW, base_seed >> 32, 0]
    return np.random.SeedSequence(words).generate_state(4).tolist()


def _work(job, tasks, sender, parent) -> None:
    fetcher, failure = None, None
    try:
        job.share_out()
        if job.init_fn is not None:
            job.init_fn(job.worker_id)
        fetcher = job.new_fetcher()
    except Exception:  # noqa: BLE001 - any goes to the caller, with the first batch
        failure = ExceptionWrapper(where=job.where)
    ended = False
    waiting: collections.deque = collections.deque()
    while (task := _next_task(tasks, parent, waiting)) is not None:
        number, index = task
        if number == RESUME:
            sender.queue.put(packed(task))
            job.seed_pipes(index)
            fetcher, ended = job.new_fetcher(), False
        elif not ended:
            if failure is None:
                result = _fetched(job, fetcher, index)
            else:
                result, failure = failure, None
            ended = isinstance(result, End)
            sender.queue.put(_safely_packed(job, number, result))


def _next_task(tasks, parent, waiting):
    """The next task; None if a None was sent, even behind other tasks, or if the main process is gone."""
    try:
        while not waiting and not tasks.poll(CHECK_INTERVAL):
            if not parent.is_alive():
                return None
        while tasks.poll(0):
            waiting.append(tasks.recv())
    except EOFError:
        return None
    return None if waiting[-1] is None else waiting.popleft()


def _fetched(job, fetcher, index):
    try:
        return fetcher.fetch(index)
    except Exception as error:  # noqa: BLE001 - any goes to the caller
        if isinstance(error, StopIteration) and job.fetcher.iterates:
            return End(job.worker_id)
        return ExceptionWrapper(where=job.where)


def _safely_packed(job, number, result) -> list:
    """A message as a list of bytes; one that says why if it cannot be pickled or computed."""
    try:
        return packed((number, result))
    except Exception:  # noqa: BLE001 - any goes to the caller
        failure = ExceptionWrapper(where=job.where)
    if isinstance(result, ExceptionWrapper):  # its class cannot be imported by other processes
        result.exc_type, failure = RuntimeError, result
    return packed((number, failure))
