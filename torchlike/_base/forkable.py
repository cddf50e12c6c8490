"""Locks that a forked process finds open."""

import weakref

_LOCKS: weakref.WeakSet = weakref.WeakSet()


def forkable(lock):
    """A Lock or RLock that is open in a child, whichever thread of the parent held it: what it guards must be sound
    whenever Python may go on to another thread."""
    _LOCKS.add(lock)
    return lock


def open_locks(locks=_LOCKS) -> None:
    """Open locks in a process that has just been forked: other threads may have held them, and are not there.

    Args:
        locks: those to open; by default all that `forkable` was given.
    """
    for lock in locks:
        if not (hasattr(lock, "_is_owned") and lock._is_owned()):
            lock._at_fork_reinit()
