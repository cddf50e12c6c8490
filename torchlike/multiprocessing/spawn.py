"""Processes that run one function, and whose first error the parent raises.
https://pytorch.org/docs/stable/multiprocessing.html#spawning-subprocesses
"""

import contextlib
import multiprocessing
import multiprocessing.connection
import signal
import sys
import time
import traceback
import warnings

from torchlike._base.orphans import ends_with_parent

__all__ = ["ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException", "SpawnContext", "spawn",
           "start_processes"]
_GRACE = 30  # seconds from SIGTERM to SIGKILL
_LONGEST = 30_000  # characters of a traceback: they wait in a pipe until the process has ended


class ProcessException(Exception):
    """A process of `start_processes` has failed.

    Args:
        msg: the text.
        error_index: which of the processes.
        error_pid: its process id.
    """

    def __init__(self, msg: str, error_index: int, error_pid: int):
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """It raised an exception, whose traceback is in the text."""


class ProcessExitedException(ProcessException):
    """It was ended by a signal, or left with a status.

    Args:
        msg, error_index, error_pid: as for `ProcessException`.
        exit_code: the status, minus the number of a signal.
        signal_name: the name of the signal, None if there was none.
    """

    def __init__(self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None):
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self):
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


class ProcessContext:
    """Processes that run; `join` waits for them.

    Args:
        processes: a list of them.
        errors: the pipe of each, which has the traceback when it has raised something.
    """

    def __init__(self, processes, errors):
        self.processes, self.errors = processes, errors
        self.sentinels = {process.sentinel: index for index, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The process ids."""
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits until one has failed or all have ended. When one has failed the others are ended.

        Args:
            timeout: how many seconds to wait; None means without end.
            grace_period: how many seconds the others have, None means none, before they are ended.

        Returns:
            Whether all have ended.

        Raises:
            ProcessException: one has failed.
        """
        if not self.sentinels:
            return True
        for sentinel in multiprocessing.connection.wait(self.sentinels, timeout):
            index = self.sentinels.pop(sentinel)
            self.processes[index].join()
            if self.processes[index].exitcode != 0:
                self._end(grace_period)
                raise self._failure(index)
        return not self.sentinels

    def _end(self, grace_period: float | None) -> None:
        for wait, end in ((grace_period, "terminate"), (_GRACE if grace_period is None else grace_period, "kill")):
            until = time.monotonic() + (wait or 0)
            for process in self.processes:
                process.join(max(0.0, until - time.monotonic()))
            for process in self.processes:
                if process.is_alive():
                    getattr(process, end)()
        for process in self.processes:
            process.join()

    def _failure(self, index: int) -> ProcessException:
        process = self.processes[index]
        code, pid = process.exitcode, process.pid
        with contextlib.suppress(EOFError):
            told = self.errors[index].recv()
            return ProcessRaisedException(f"\n\n-- Process {index} terminated with the following error:\n{told}", index, pid)
        if code > 0:
            return ProcessExitedException(f"process {index} terminated with exit code {code}", index, pid, code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"<Unknown signal {-code}>"
        return ProcessExitedException(f"process {index} terminated with signal {name}", index, pid, code, name)


class SpawnContext(ProcessContext):
    """The former name of `ProcessContext`.

    Args:
        processes, errors: as for `ProcessContext`.
    """

    def __init__(self, processes, errors):
        warnings.warn("SpawnContext is renamed to ProcessContext since 1.4 release.", stacklevel=2)
        super().__init__(processes, errors)


def _main(fn, index: int, args: tuple, error) -> None:
    """What a process runs. Like PyTorch's it is interrupted when its parent is killed."""
    if (ask := ends_with_parent(signal.SIGINT, 0)) is not None:
        ask()
    try:
        fn(index, *args)
    except KeyboardInterrupt:
        pass
    except Exception:  # noqa: BLE001 - the parent raises it
        error.send(traceback.format_exc()[-_LONGEST:])
        sys.exit(1)


def start_processes(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Runs a function in processes: ``fn(i, *args)`` in the i-th of them.

    Args:
        fn: the function; for "spawn" one that can be pickled.
        args: a tuple.
        nprocs: how many processes.
        join: whether to wait for them.
        daemon: whether they end with this process.
        start_method: "spawn", "fork" or "forkserver".

    Returns:
        None, or the `ProcessContext` if it does not wait.

    Raises:
        ProcessException: one has failed.
    """
    context = multiprocessing.get_context(start_method)
    processes, errors = [], []
    for index in range(nprocs):
        mine, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_main, args=(fn, index, args, theirs), daemon=daemon)
        process.start()
        theirs.close()
        processes.append(process)
        errors.append(mine)
    running = ProcessContext(processes, errors)
    while join and not running.join():
        pass
    return None if join else running


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """`start_processes` with "spawn".
    https://pytorch.org/docs/stable/multiprocessing.html#torch.multiprocessing.spawn.spawn

    Args:
        fn, args, nprocs, join, daemon: as for `start_processes`.
        start_method: "spawn"; another is warned of and not used.

    Returns:
        None, or the `ProcessContext` if it does not wait.
    """
    if start_method != "spawn":
        warnings.warn(f"This method only supports start_method=spawn (got: {start_method}).\n"
                      "To use a different start_method use:\n\t\t torch.multiprocessing.start_processes(...)", FutureWarning,
                      stacklevel=2)
    return start_processes(fn, args, nprocs, join, daemon)
