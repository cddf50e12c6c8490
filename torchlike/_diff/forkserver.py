"""A fork server: a process that has imported a library, and forks for each task that it is asked for.

What takes longest about a process that runs a small program is to import the library. This file imports nothing of
torchlike: the server of the engine "torch" has no torchlike in it. It forks before the library has computed anything, so
that there are no threads, and the child is like a process that has just imported it.

A request is a message with a JSON list, the task's name and its arguments, and two file descriptors: one for the process
number and later the status, as two integers, and one for what the task writes to stderr.
"""

import contextlib
import json
import os
import select
import signal
import socket
import struct
import sys
import warnings
from collections.abc import Callable, Mapping

SERVE = "--serve"
LONGEST = 100_000  # bytes of a request
NUMBER = struct.Struct("q")


def main(tasks: Mapping[str, Callable[[], None]], forking=contextlib.nullcontext) -> None:
    """What a worker's process does: the task named by its first argument, or serve, and run tasks in forked processes.

    Args:
        tasks: what can be run; each takes its arguments from `sys.argv`.
        forking: makes the block in which forks are made.
    """
    task = sys.argv.pop(1)
    if task == SERVE:
        task = _Server(socket.socket(fileno=int(sys.argv.pop(1)))).serve(forking)
    tasks[task]()


class _Server:
    def __init__(self, link: socket.socket):
        self.link = link
        self.statuses: dict[int, int] = {}  # {process: where its status goes}
        self.awoken, self.wake = os.pipe()

    def serve(self, forking) -> str:
        """Answers requests; exits when nobody can make any more. In a forked process it returns the task's name."""
        for end in (self.awoken, self.wake):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)  # for `wake` to be written to
        signal.set_wakeup_fd(self.wake)
        while True:
            ready, _, _ = select.select([self.link, self.awoken], [], [])
            if self.awoken in ready:
                self.note_ends()
            if self.link in ready:
                data, descriptors, _, _ = socket.recv_fds(self.link, LONGEST, 2)
                if not data:
                    self.leave()
                task, *arguments = json.loads(data)
                if self.fork(forking, *descriptors) == 0:
                    sys.argv[1:] = arguments
                    return task

    def fork(self, forking, status: int, errors: int) -> int:
        with warnings.catch_warnings(), forking():
            warnings.simplefilter("ignore", DeprecationWarning)  # numpy's threads, which know of forks
            process = os.fork()
        if process == 0:
            self.begin(status, errors)
            return 0
        os.close(errors)
        self.statuses[process] = status
        if not _tell(status, process):  # who asked is gone
            os.kill(process, signal.SIGKILL)
        return process

    def begin(self, status: int, errors: int) -> None:
        """A forked process has a group of its own, and nothing of the server's."""
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(errors, sys.__stderr__.fileno() if sys.__stderr__ else 2)
        self.link.close()
        for end in (self.awoken, self.wake, status, errors, *self.statuses.values()):
            os.close(end)

    def note_ends(self) -> None:
        """Tells the statuses of processes that have ended."""
        with contextlib.suppress(BlockingIOError):
            while os.read(self.awoken, 4096):
                pass
        for process in list(self.statuses):
            ended, status = os.waitpid(process, os.WNOHANG)
            if ended:
                end = self.statuses.pop(process)
                _tell(end, os.waitstatus_to_exitcode(status))
                os.close(end)

    def leave(self) -> None:
        """Ends the processes that run, and this one."""
        for process in self.statuses:
            for kill in (os.killpg, os.kill):  # it may not have its group yet
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    kill(process, signal.SIGKILL)
        os._exit(0)


def _tell(end: int, number: int) -> bool:
    try:
        os.write(end, NUMBER.pack(number))
    except OSError:
        return False
    return True
