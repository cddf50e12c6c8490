"""A process that was forked computes by itself: numpy does, as in the first runs of every trace.

None of XLA's threads survive a fork: what numpy has no way for is refused there by name, and in a worker of a DataLoader it
is asked of the parent, kernel by kernel (`Server`). Whole programs are not compiled.
"""

import atexit
import contextlib
import ctypes
import gc
import multiprocessing.connection
import os
import pickle
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from torchlike._base.forkable import open_locks
from torchlike._compile import blas, eager, jax_private, kernels
from torchlike._compile.backends import forked, registry
from torchlike._compile.executors import parallel
from torchlike._compile.executors.cold import ColdTier
from torchlike._compile.executors.hot import compiler
from torchlike._compile.executors.stack import stack
from torchlike._compile.fork_locks import COMPILING, QUIET, AroundForks, around_forks, nobody_runs
from torchlike._compile.jax_private import own_work

_PATIENCE = 5.0  # seconds between two looks at whether the parent is alive
_OF_JAX = {"jax", "jaxlib"}


# -- the fork

class _Fork(AroundForks):
    """What is done around each fork of this process. Its methods are called in the thread that forks."""

    def __init__(self):
        self._until_done = contextlib.ExitStack()
        self.is_like_new = False

    def before(self) -> None:
        """No other thread runs, traces or compiles, so the child inherits no lock of JAX's that nobody will open."""
        until_done = contextlib.ExitStack()
        until_done.enter_context(nobody_runs())
        until_done.enter_context(COMPILING)
        until_done.enter_context(QUIET)
        until_done.enter_context(kernels.cache.lock)  # held by whoever traces a kernel
        self._until_done = until_done

    def in_parent(self) -> None:
        """All goes on."""
        self._until_done.pop_all().close()

    def in_child(self) -> None:
        """From here on numpy computes."""
        self._until_done.close()
        open_locks()
        open_locks(jax_private.locks())
        if self.is_like_new:
            return
        gc.freeze()  # the collector must leave JAX's objects alone: they belong to the parent
        registry.after_fork()
        forked.helper.run = None
        stack.executors = (ColdTier(),)
        parallel.forget_threads()
        compiler.forget_thread()
        eager.compiler.forget_thread()
        atexit.register(_leave_to_the_parent)


def _leave_to_the_parent() -> None:
    """Keep whatever JAX holds from being destroyed as the interpreter ends: its pools would wait for their threads, which
    are not here, and crash."""
    held = [[*vars(module).values()] for name, module in [*sys.modules.items()] if name.partition(".")[0] in _OF_JAX]
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(held))


_fork = _Fork()
around_forks(_fork)


@contextlib.contextmanager
def like_new() -> Iterator[None]:
    """Inside, this process has only imported torchlike, and XLA has no threads: what it forks can do what a new
    process can."""
    _fork.is_like_new = True
    try:
        yield
    finally:
        _fork.is_like_new = False


# -- in a worker of a DataLoader

@contextlib.contextmanager
def helped(link) -> Iterator[None]:
    """Inside, this process asks the Server at the other end of `link`, a Connection, for what numpy cannot do. Its products
    have one thread, as in PyTorch: the other workers have the other cores."""
    forked.helper.run = _Parent(link).run
    try:
        with blas.one_thread():
            yield
    finally:
        forked.helper.run = None


class _Parent:
    """The process that this one was forked from."""

    def __init__(self, link):
        self._link, self._lock = link, threading.Lock()
        process = multiprocessing.parent_process()
        self._pid = os.getppid() if process is None else process.pid  # also where it has ended meanwhile

    def run(self, kernel, arrays) -> list:
        """The results of a kernel; raises what was raised there."""
        with self._lock:
            self._link.send_bytes(pickle.dumps((kernel, arrays), pickle.HIGHEST_PROTOCOL))
            while not self._link.poll(_PATIENCE):
                if os.getppid() != self._pid:
                    os._exit(1)
            results, error = pickle.loads(self._link.recv_bytes())
        if error is not None:
            raise error
        return results


class Server:
    """A thread that runs the kernels that workers ask for at the other ends of `links`, until they are gone or `close`."""

    def __init__(self):
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
                    link.send_bytes(_answer(link.recv_bytes()))
                except (EOFError, OSError):  # the process has ended
                    open_links.remove(link)


def _answer(question) -> bytes:
    try:
        with QUIET, own_work():
            kernel, arrays = pickle.loads(question)
            answer = [np.asarray(x) for x in kernel.compiled(*arrays)], None
    except Exception as error:  # noqa: BLE001 - it is raised in the process that asked
        answer = None, error
    try:
        return pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
    except Exception:  # noqa: BLE001 - an error that cannot be pickled
        return pickle.dumps((None, RuntimeError(str(answer[1]))))
