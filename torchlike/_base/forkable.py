"""Locks that a forked process finds open."""

import weakref

_LOCKS: weakref.WeakSet = weakref.WeakSet()


def forkable(lock):
    """A Lock or RLock that is open in a child, whichever thread of the parent held it: what it guards must be sound
    whenever Python may go on to another thread."""
    _LOCKS.add(lock)
    return lock


def open_locks() -> None:
    """This process has just been forked: the locks that other threads held are open."""
    for lock in _LOCKS:
        if not (hasattr(lock, "_is_owned") and lock._is_owned()):
            lock._at_fork_reinit()
