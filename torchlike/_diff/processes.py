"""Processes that are bounded in time, and of which none is left, nor of the processes that they start."""

import collections
import contextlib
import dataclasses
import os
import signal
import subprocess
import threading

KEPT = 4000  # bytes of the end of what a process writes to stderr
PATIENCE = 1  # seconds that the rest of it may take once the process has ended


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
        with self._lock:
            if self._is_stopped:
                raise StoppedError
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env=environment, start_new_session=True)
            self._running.add(process)
        end: collections.deque = collections.deque(maxlen=KEPT)
        reader = threading.Thread(target=_keep_end, args=(process.stderr, end), daemon=True)
        reader.start()
        try:
            status, is_late = process.wait(timeout), False
        except subprocess.TimeoutExpired:
            status, is_late = None, True
        finally:
            with self._lock:
                self._running.discard(process)
                _end(process)
        reader.join(PATIENCE)  # a process that has left the group may still hold the pipe
        return Ended(status, is_late, bytes(end).decode(errors="replace"))

    def stop(self) -> None:
        """End the processes that run, and start no others."""
        with self._lock:
            self._is_stopped = True
            for process in self._running:
                _end(process)


def _keep_end(pipe, end) -> None:
    with pipe, contextlib.suppress(ValueError, OSError):
        while data := pipe.read1(1 << 16):
            end.extend(data[-KEPT:])


def _end(process) -> None:
    """Kill a process and its group; whoever of it has ended already is no error."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
