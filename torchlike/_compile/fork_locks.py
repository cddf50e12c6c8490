"""What stands around each fork of this process."""

import contextlib
import os
import threading
import warnings
import weakref
from typing import Protocol

import jax

# Whoever forks takes these first: no other thread holds a lock of JAX's or XLA's then, which the child would inherit.
COMPILING = threading.RLock()  # held while a whole program is compiled; taken before QUIET
QUIET = threading.RLock()  # held by other threads than the user's while they trace

_FORKING = threading.RLock()  # by one thread at a time, while no new thread begins to run anything
_RUNNING: weakref.WeakSet = weakref.WeakSet()


def held_by_runs(lock):
    """A lock that a thread holds while it runs a trace, and whoever forks, too: taken before those above."""
    with _FORKING:
        _RUNNING.add(lock)
    return lock


@contextlib.contextmanager
def nobody_runs():
    """Inside, no other thread runs a trace."""
    with _FORKING, contextlib.ExitStack() as held:
        for lock in tuple(_RUNNING):
            held.enter_context(lock)
        yield


class AroundForks(Protocol):
    """What is called in the thread that forks."""

    def before(self) -> None:
        """Before the fork; of several, the one that was added last comes first."""

    def in_parent(self) -> None:
        """After it, in this process."""

    def in_child(self) -> None:
        """After it, in the new process."""


def around_forks(hooks: AroundForks) -> None:
    """Have these called around each fork from now on. On Windows nothing is forked."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=hooks.before, after_in_parent=hooks.in_parent, after_in_child=hooks.in_child)


class JaxAroundForks(AroundForks):
    """For a process in which JAX has a device, whose client is given. To be added after that: JAX warns in a hook of its own
    that the child is likely to hang. It does not, see executors/forked.py."""

    def __init__(self, client):
        self._client = client  # by its name, JAX would look it up behind a lock that another thread may hold
        self._until_done = contextlib.ExitStack()

    def before(self):
        self._until_done.enter_context(nobody_runs())
        self._until_done.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", r"os\.fork\(\) was called", RuntimeWarning)
        with contextlib.suppress(Exception):  # who reads an array that could not be computed meets the error
            jax.block_until_ready(self._client.live_arrays())  # in the child none would ever be ready

    def in_parent(self):
        self._until_done.pop_all().close()  # another thread that forks begins with the last of it

    in_child = in_parent
