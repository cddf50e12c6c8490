"""The processes of one round: started, watched and ended, with all that they have started."""

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import time
from typing import IO

from torchlike._base.orphans import ends_with_parent
from torchlike.distributed.elastic._output import Output, Stream
from torchlike.distributed.elastic.multiprocessing.errors import ProcessFailure

STDOUT, STDERR = 1, 2  # bits of what is redirected
_GRACE = 0.2  # seconds in which other failures come that may have been first
_REST = 1.0  # seconds for output after the end


@dataclasses.dataclass
class Streams:
    """What becomes of what a worker prints.

    Args:
        prefix: what stands before each line.
        folder: where its log files are, "" for nowhere.
        redirects, tee: bits of the streams that go to files only, or to files as well.
        is_shown: whether what is not redirected is shown.
    """

    prefix: str = ""
    folder: str = ""
    redirects: int = 0
    tee: int = 0
    is_shown: bool = True


class Worker:
    """One process, the first of a session of its own.

    Args:
        command, environment: what runs.
        local_rank, rank: which one it is.
        streams: what becomes of its output.
        output: passes it on.
    """

    def __init__(self, command: list[str], environment: dict[str, str], local_rank: int, rank: int, streams: Streams,
                 output: Output):
        self.local_rank, self.rank, self.error_file = local_rank, rank, environment["TORCHELASTIC_ERROR_FILE"]
        self.status: int | None = None
        self.signals: list[int] = []  # those that it was sent
        self.failure: ProcessFailure | None = None
        self.is_own_failure = False  # not after a signal that it was sent
        files = {bit: _log(streams, bit) for bit in (STDOUT, STDERR)}
        out, err = (files[bit] if streams.redirects & bit else subprocess.PIPE for bit in (STDOUT, STDERR))
        self._process = subprocess.Popen(command, env=environment, stdout=out, stderr=err, start_new_session=True,
                                         preexec_fn=ends_with_parent(signal.SIGKILL, os.getpid()))
        self.pid = self._process.pid
        for bit, pipe, shown in ((STDOUT, self._process.stdout, sys.stdout), (STDERR, self._process.stderr, sys.stderr)):
            if pipe is not None:
                output.add(Stream(pipe, shown if streams.is_shown else None, streams.prefix, files[bit]))
            elif (file := files[bit]) is not None:
                file.close()

    def poll(self) -> bool:
        """Whether it has ended."""
        if self.status is None:
            self.status = self._process.poll()
            if self.status:
                self.failure = ProcessFailure(self.local_rank, self.pid, self.status, self.error_file)
                self.is_own_failure = not self.signals
            if self.status or (self.status is not None and self.signals):
                self.send(signal.SIGKILL)  # what it has left; at once, as long as nobody else has its number
        return self.status is not None

    def send(self, number: int) -> None:
        """A signal to all processes of its session's first group."""
        self.signals.append(number)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)


def _log(streams: Streams, bit: int) -> IO[bytes] | None:
    if not (streams.redirects | streams.tee) & bit:
        return None
    os.makedirs(streams.folder, exist_ok=True)
    return open(os.path.join(streams.folder, "stdout.log" if bit == STDOUT else "stderr.log"), "wb")


class Workers:
    """All workers of this node.

    Args:
        shutdown: seconds from the first signal to SIGKILL.
    """

    def __init__(self, shutdown: float):
        self.all: list[Worker] = []
        self.output, self._shutdown = Output(), shutdown

    def start(self, command: list[str], environment: dict[str, str], local_rank: int, rank: int, streams: Streams) -> None:
        """Starts one more."""
        self.all.append(Worker(command, environment, local_rank, rank, streams, self.output))

    def watch(self, interval: float) -> list[Worker]:
        """Passes output on for so long; returns the workers that have failed by themselves."""
        self.output.pump(0.0 if self._poll() else interval)
        self._poll()
        failed = [worker for worker in self.all if worker.is_own_failure]
        if failed:
            until = time.monotonic() + _GRACE
            while time.monotonic() < until and not self._poll():
                self.output.pump(0.02)
        return [worker for worker in self.all if worker.is_own_failure]

    def _poll(self) -> bool:
        """Looks at all; whether they have ended."""
        for worker in self.all:
            worker.poll()
        return self.have_ended

    @property
    def have_ended(self) -> bool:
        """Whether all have ended."""
        return all(worker.status is not None for worker in self.all)

    def end(self, number: int = signal.SIGTERM, insists=lambda: False) -> None:
        """Ends those that run: by this signal, then by SIGKILL when the time is over or `insists` says so; and processes
        that any of them has left.
        """
        for worker in self.all:
            if not worker.poll():
                worker.send(number)
        until = time.monotonic() + self._shutdown
        while not self._poll() and time.monotonic() < until and not insists():
            self.output.pump(0.05)
        for worker in self.all:
            if not worker.poll():
                worker.send(signal.SIGKILL)
        while not self._poll():
            self.output.pump(0.05)

    def finish(self) -> None:
        """Passes on the rest of the output."""
        self.output.finish(_REST)
