"""Traces of a forked process, run in its parent: pickled there, and answered by a thread here.

Everything that a trace is made of pickles: rows by their names, avals by their facts, kernels by their recipes. Arrays from
before the fork go by their identity, which both processes know them by; the parent asks for the values of one that it has
let go of, or overwritten, since.
"""

import contextlib
import multiprocessing.connection
import os
import pickle
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from torchlike._compile.backends import registry
from torchlike._compile.executors.stack import stack
from torchlike._compile.fork_locks import QUIET
from torchlike._compile.program import Call, Input, for_one_run, needed_items

_PATIENCE = 5.0  # seconds between two looks at whether the parent is alive
_GONE = "an array of before the fork is gone"


class Missing(Exception):
    """The parent no longer has an array."""


# -- in the forked process

@contextlib.contextmanager
def delegated(link) -> Iterator[None]:
    """Inside, the traces of this process, which has just been forked, run at the other end of `link`, a Connection."""
    registry.after_fork()
    with stack.executing(Parent(link), alone=True):
        yield


class Parent:
    """An executor: the process that this one was forked from."""

    def __init__(self, link):
        self._link, self._lock, self._pid = link, threading.Lock(), os.getppid()

    def run(self, program, inputs, numbers):
        """See `Executor.run`. It raises what was raised there."""
        task = _pruned(program.items, program.live, inputs, numbers)
        with self._lock:
            try:
                return self._ask(task, by_value=False)
            except Missing:
                return self._ask(task, by_value=True)

    def _ask(self, task, by_value):
        items, live, inputs, numbers = task
        sent = [np.asarray(x) if by_value or isinstance(x, np.ndarray) else id(x) for x in inputs]
        self._link.send_bytes(pickle.dumps((items, live, sent, numbers), pickle.HIGHEST_PROTOCOL))
        while not self._link.poll(_PATIENCE):
            if os.getppid() != self._pid:
                os._exit(1)
        results, error = pickle.loads(self._link.recv_bytes())
        if error is not None:
            raise error
        return results


def _pruned(items, live, inputs, numbers) -> tuple:
    """The same task without the instructions and inputs that no live result needs."""
    needed, arrays_left, numbers_left = needed_items(items, live), iter(inputs), iter(numbers)
    wanted = {*live} | {s for item, flag in zip(items, needed, strict=True) if flag for s in item.slots}
    places: dict = {}  # old slot -> new slot
    slot, kept, values, constants = 0, [], [], []
    for item, flag in zip(items, needed, strict=True):
        if item.__class__ is Input:
            array = next(arrays_left)
            if slot in wanted:
                places[slot] = len(places)
                kept.append(Input(item.aval))
                values.append(array)
            slot += 1
            continue
        own = [next(numbers_left) for _ in item.kernel.numbers]
        if flag:
            kept.append(Call(item.kernel, tuple(places[s] for s in item.slots)))
            constants += own
            for k in range(len(item.kernel.outs)):
                places[slot + k] = len(places)
        slot += len(item.kernel.outs)
    return kept, tuple(places[s] for s in live), values, constants


# -- in the parent

class Server:
    """A thread that runs what forked processes ask for at the other ends of `links`, until they are gone or `close`."""

    def __init__(self):
        with QUIET:
            self.arrays = weakref.WeakValueDictionary({id(x): x for x in jax.live_arrays()})
            jax.block_until_ready([*self.arrays.values()])
        self.stop, self._stopped = multiprocessing.connection.Pipe(duplex=False)

    def start(self, links) -> None:
        """Begin to answer."""
        self.thread = threading.Thread(target=self._serve, args=(links,), name="torchlike-workers", daemon=True)
        self.thread.start()

    def close(self) -> None:
        """End the thread."""
        self._stopped.close()

    def _serve(self, links):
        open_links: list[Any] = [*links, self.stop]
        while True:
            ready: list[Any] = multiprocessing.connection.wait(open_links)
            for link in ready:
                if link is self.stop:
                    return
                try:
                    link.send_bytes(self._answer(link.recv_bytes()))
                except (EOFError, OSError):  # the process has ended
                    open_links.remove(link)

    def _answer(self, question) -> bytes:
        try:
            with QUIET:
                items, live, inputs, numbers = pickle.loads(question)
                results = stack.run(for_one_run(items, live), [self._array(x) for x in inputs], numbers)
                answer = [np.asarray(x) for x in results], None
        except Exception as error:  # noqa: BLE001 - it is raised in the process that asked
            answer = None, error
        try:
            return pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        except Exception:  # noqa: BLE001 - an error that cannot be pickled
            return pickle.dumps((None, RuntimeError(str(answer[1]))))

    def _array(self, given):
        if isinstance(given, np.ndarray):
            return given
        found = self.arrays.get(given)
        if found is None or found.is_deleted():
            raise Missing(_GONE)
        return found
