"""Compiling many kernels at once."""

import concurrent.futures
import os
import threading
from collections.abc import Collection

from torchlike._compile.kernels import Kernel


class _Pool:
    """Threads, one for each core, started on first use."""

    def __init__(self):
        self.forget()

    def forget(self) -> None:
        """Start new threads at the next use."""
        self.lock = threading.Lock()
        self.threads: concurrent.futures.Executor | None = None

    def map(self, function, values) -> None:
        with self.lock:
            if self.threads is None:
                self.threads = concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1, "torchlike-kernels")
        list(self.threads.map(function, values))


_pool = _Pool()


def forget_threads() -> None:
    """This process has just been forked: there are none."""
    _pool.forget()


def compile_together(kernels: Collection[Kernel]) -> None:
    """Compile these kernels, a thread for each core: XLA lets go of Python while it compiles.

    A kernel that cannot be compiled stays as it is; who needs it meets the error.
    """
    if len(kernels) > 1:
        _pool.map(_try, kernels)


def _try(kernel) -> None:
    try:
        _ = kernel.compiled
    except Exception:  # noqa: BLE001 - raised again, at the user's line, when the kernel is called
        return
