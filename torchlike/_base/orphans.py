"""Processes that end with the one that has started them, however that ends."""

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1


def ends_with_parent(number: int, parent: int):
    """A function that a process calls when it begins.

    Args:
        number: the signal that the system sends it when the thread that started it has ended.
        parent: the process id of its parent; 0 if that may be another one.

    Returns:
        The function; None where there is no such call, as on macOS. What it needs is looked up here: the forked child of a
        process with threads runs as little as possible.
    """
    if not sys.platform.startswith("linux"):
        return None
    prctl, getppid, leave, signal_number = ctypes.CDLL(None).prctl, os.getppid, os._exit, int(number)

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0)
        if parent and getppid() != parent:
            leave(1)

    return ask
