"""The threads of numpy's BLAS, while XLA compiles.

OpenBLAS's threads wait for each other by spinning. On two cores, beside a compiler that takes one of them, products with a
tanh took 4.3 ms instead of 1.1 with two threads, and 1.4 instead of 1.2 with one. So numpy's products have one thread as
long as the background compiler works; the number that was set before is set again afterwards.

Only the OpenBLAS that numpy's wheels bring is known here; with another BLAS nothing happens.
"""

import contextlib
import ctypes
import functools
import pathlib
import threading
from collections.abc import Iterator

import numpy as np

from torchlike._base.forkable import forkable

_FOLDERS = ("../numpy.libs", ".dylibs", "../.dylibs")  # beside numpy's package: Linux and Windows, macOS
_SYMBOLS = (("scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"),
            ("scipy_openblas_get_num_threads", "scipy_openblas_set_num_threads"),
            ("openblas_get_num_threads64_", "openblas_set_num_threads64_"),
            ("openblas_get_num_threads", "openblas_set_num_threads"))


class _Users:
    """Who wants one thread at the moment, and the number of threads before the first of them."""

    def __init__(self):
        self.lock = forkable(threading.Lock())
        self.count = self.before = 0


_users = _Users()


@functools.lru_cache(maxsize=1)
def threads() -> tuple | None:
    """(a function that tells the number of threads, one that sets it), None where this BLAS is not known."""
    package = pathlib.Path(np.__file__).parent
    for folder in _FOLDERS:
        for file in sorted((package / folder).glob("*openblas*")):
            with contextlib.suppress(OSError):
                library = ctypes.CDLL(str(file))
                for get, set_to in _SYMBOLS:
                    if hasattr(library, get) and hasattr(library, set_to):
                        return getattr(library, get), getattr(library, set_to)
    return None


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Inside, numpy's products have one thread, in all threads of the process."""
    found = threads()
    if found is None:
        yield
        return
    get, set_to = found
    with _users.lock:
        _users.count += 1
        if _users.count == 1:
            _users.before = get()
            set_to(1)
    try:
        yield
    finally:
        with _users.lock:
            _users.count -= 1
            if not _users.count:
                set_to(_users.before)
