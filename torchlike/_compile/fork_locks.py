"""Locks that let a process be forked when no other thread holds a lock of JAX's or XLA's, which the child would inherit."""

import contextlib
import threading

COMPILING = threading.RLock()  # held while a whole program is compiled; taken before QUIET
QUIET = threading.RLock()  # held by other threads than the user's while they trace


@contextlib.contextmanager
def forking():
    """While this is entered, no other thread traces or compiles. A child that is forked in it has to leave it, too."""
    with COMPILING, QUIET:
        yield
