"""Signals of worker processes, for loaders that other packages write with PyTorch's private parts (torchdata's).

The DataLoader here asks its workers how they are, and needs none of this.
"""

import os
import signal
import threading

_pids: dict[int, tuple] = {}  # of loaders, by their id
_SIGCHLD_handler_set = False


def _set_worker_pids(key: int, pids: tuple) -> None:
    """The workers of a loader, whose end is an error from now on."""
    if key in _pids:
        raise ValueError("_set_worker_pids should be called only once for each _BaseDataLoaderIter.")
    _pids[key] = pids


def _remove_worker_pids(key: int) -> None:
    """A loader's workers may end."""
    if key not in _pids:
        raise ValueError(f"Cannot find worker information for _BaseDataLoaderIter with id {key}")
    del _pids[key]


def _error_if_any_worker_fails() -> None:
    """RuntimeError for a worker that was killed, or ended with another status than 0."""
    for pids in list(_pids.values()):
        for pid in pids:
            try:
                ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:  # somebody has waited for it
                continue
            if ended is not None and (ended.si_code != os.CLD_EXITED or ended.si_status):
                raise RuntimeError(_text(pid, ended))


def _text(pid: int, ended) -> str:
    """What PyTorch says of a worker that has failed."""
    if ended.si_code != os.CLD_EXITED:
        return f"DataLoader worker (pid {pid}) is killed by signal: {signal.strsignal(ended.si_status)}. "
    return (f"DataLoader worker (pid {pid}) exited unexpectedly with exit code {ended.si_status}. Details are lost due to "
            "multiprocessing. Rerunning with num_workers=0 may give better error trace.")


def _set_SIGCHLD_handler() -> None:  # noqa: N802 - PyTorch's name
    """Have the main thread look at the workers whenever a child ends; what was called before is called still."""
    global _SIGCHLD_handler_set
    if _SIGCHLD_handler_set or threading.current_thread() is not threading.main_thread():
        return
    before = signal.getsignal(signal.SIGCHLD)

    def handler(signum, frame):
        _error_if_any_worker_fails()
        if callable(before):
            before(signum, frame)

    signal.signal(signal.SIGCHLD, handler)
    _SIGCHLD_handler_set = True


def _set_worker_signal_handlers() -> None:
    """In a worker: it ends well where its parent terminates it."""
    signal.signal(signal.SIGTERM, lambda signum, frame: os._exit(0))
