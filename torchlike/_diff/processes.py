"""Processes that are bounded in time, and of which none is left, nor of the processes that they start."""

import collections
import contextlib
import dataclasses
import json
import math
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from torchlike._diff import forkserver

KEPT = 4000  # bytes of the end of what a process writes to stderr
PATIENCE = 1  # seconds that the rest of it may take once the process has ended
GRACE = 10  # seconds that processes have to end when one that they wait for has failed
_LOOK = 0.2  # seconds between looks at whether one has


@dataclasses.dataclass
class Ended:
    """How a process ended: its status, None if it was stopped; whether that was for the time; the end of its errors."""

    status: int | None
    is_late: bool
    errors: str

    @property
    def reason(self) -> str:
        """The status in words."""
        if self.status is not None and self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        return f"exit status {self.status}"


class StoppedError(Exception):
    """No process is started any more."""


class Company:
    """Processes that wait for one another. When the first has failed, the others have `GRACE` seconds left."""

    def __init__(self):
        self.failed: float | None = None

    def note(self, ended: Ended) -> None:
        """One has ended."""
        if ended.status != 0 and self.failed is None:
            self.failed = time.monotonic()

    def wait(self, process, timeout: float | None) -> int:
        """The status of one of them; subprocess.TimeoutExpired if it has not ended in time."""
        until = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            now = time.monotonic()
            until = until if self.failed is None else min(until, self.failed + GRACE)
            try:
                return process.wait(max(0.0, min(_LOOK, until - now)))
            except subprocess.TimeoutExpired:
                if now >= until:
                    raise


class Processes:
    """Runs processes, each as the first of a group of its own; `stop` ends all groups. Its methods may be called by any
    thread.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self._running: set = set()
        self._is_stopped = False

    def run(self, command: list[str], environment: dict[str, str], timeout: float | None) -> Ended:
        """Runs a command without input until it ends, or for so many seconds. StoppedError after `stop`."""
        return self.until_end(lambda: Command(command, environment), timeout)

    def until_end(self, start: Callable, timeout: float | None, company: Company | None = None) -> Ended:
        """`run` of the process that `start` makes, a `Command` or a `Forked`; one of a company, perhaps."""
        with self._lock:
            if self._is_stopped:
                raise StoppedError
            process = start()
            self._running.add(process)
        end: collections.deque = collections.deque(maxlen=KEPT)
        reader = threading.Thread(target=_keep_end, args=(process.stderr, end), daemon=True)
        reader.start()
        try:
            status, is_late = process.wait(timeout) if company is None else company.wait(process, timeout), False
        except subprocess.TimeoutExpired:
            status, is_late = None, True
        finally:
            with self._lock:
                self._running.discard(process)
                process.end()
            process.close()
        reader.join(PATIENCE)  # a process that has left the group may still hold the pipe
        ended = Ended(status, is_late, bytes(end).decode(errors="replace"))
        if company is not None:
            company.note(ended)
        return ended

    def stop(self) -> None:
        """End the processes that run, and start no others."""
        with self._lock:
            self._is_stopped = True
            for process in self._running:
                process.end()


def _keep_end(pipe, end) -> None:
    with pipe, contextlib.suppress(ValueError, OSError):
        while data := pipe.read1(1 << 16):
            end.extend(data[-KEPT:])


class Command(subprocess.Popen):
    """A process without input, the first of a group of its own."""

    def __init__(self, command: list[str], environment: dict[str, str], **settings):
        super().__init__(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                         env=environment, start_new_session=True, **settings)

    def end(self) -> None:
        """Kill it and its group."""
        if hasattr(os, "killpg"):
            _kill_group(self.pid)
        else:
            self.kill()
        self.wait()

    def close(self) -> None:
        """It holds nothing that its reader does not close."""


def _kill_group(process: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # who has ended already is no error
        os.killpg(process, signal.SIGKILL)


class ForkServer:
    """A fork server, see `forkserver.py`. Its `start` may be called by any thread."""

    is_possible = sys.platform == "linux"  # elsewhere libraries of the system do not survive a fork

    def __init__(self, command: list[str], environment: dict[str, str]):
        """`command` starts a process that calls `forkserver.main` with what follows it."""
        self.link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            number = theirs.fileno()
            self.process = Command([*command, forkserver.SERVE, str(number)], environment, pass_fds=(number,))
        self._errors: collections.deque = collections.deque(maxlen=KEPT)
        self._reader = threading.Thread(target=_keep_end, args=(self.process.stderr, self._errors), daemon=True)
        self._reader.start()

    def errors(self) -> str:
        """The end of what the server itself has said of errors; all of that where it has ended."""
        if self.process.poll() is not None:
            self._reader.join(PATIENCE)
        return bytes(self._errors).decode(errors="replace")

    def start(self, task: str, arguments: list[str]) -> "Forked":
        """Has a task run in a process of its own."""
        return Forked(self, task, arguments)

    def stop(self) -> None:
        """End the server; what it has forked ends with it."""
        self.link.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(PATIENCE)
        self.process.end()


class Forked:
    """A process that a fork server is asked for: what `Processes` needs of a `Command`."""

    def __init__(self, server: ForkServer, task: str, arguments: list[str]):
        self.server = server
        self.pid: int | None = None
        self.status: int | None = None
        (self.told, told), (errors, theirs) = os.pipe(), os.pipe()
        self.stderr = open(errors, "rb")  # noqa: SIM115 - closed by its reader
        with contextlib.suppress(OSError):  # where it has ended there is nobody who tells a status
            socket.send_fds(server.link, [json.dumps([task, *arguments]).encode()], [told, theirs])
        os.close(told)
        os.close(theirs)

    def wait(self, timeout: float | None = None) -> int:
        """The status; subprocess.TimeoutExpired if there is none within so many seconds of the fork."""
        if self.pid is None:
            self.pid = self._told(None)
        until = None if timeout is None else time.monotonic() + timeout
        if self.status is None and self.pid is not None:
            self.status = self._told(until)
        if self.status is None:  # the server has ended
            self.status = self.server.process.wait() or 1
        return self.status

    def _told(self, until: float | None) -> int | None:
        """The next number; None if there will be none."""
        poll = select.poll()
        poll.register(self.told, select.POLLIN)
        rest = None if until is None else max(0.0, until - time.monotonic())
        if not poll.poll(None if rest is None else 1000 * rest):
            raise subprocess.TimeoutExpired(self.server.process.args, rest or 0.0)
        data = os.read(self.told, forkserver.NUMBER.size)
        return forkserver.NUMBER.unpack(data)[0] if data else None

    def end(self) -> None:
        """Kill it and its group."""
        if self.pid is not None:
            _kill_group(self.pid)

    def close(self) -> None:
        """Wait until it is gone."""
        if self.pid is not None and self.status is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._told(time.monotonic() + PATIENCE)
        os.close(self.told)
