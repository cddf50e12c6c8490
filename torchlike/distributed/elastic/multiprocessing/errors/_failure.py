"""How workers have failed."""

import datetime
import json
import os
import signal
import socket
import time

_NOT_AVAILABLE = "<N/A>"
_UNTOLD = "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
_WIDEST = 60


class ProcessFailure:
    """A worker that has failed: what its error file says, or when it was seen.
    https://pytorch.org/docs/stable/elastic/errors.html#torch.distributed.elastic.multiprocessing.errors.ProcessFailure

    Args:
        local_rank: which of this machine's workers.
        pid: its process id.
        exitcode: its status, minus the number of a signal.
        error_file: the file that it was to write to.
    """

    def __init__(self, local_rank: int, pid: int, exitcode: int, error_file: str):
        self.local_rank, self.pid, self.exitcode, self.error_file = local_rank, pid, exitcode, error_file
        self.time = time.time()  # with fractions of seconds, by which the first failure is found
        try:
            with open(error_file) as file:
                self.error_file_data = json.load(file)
            self.message = self.error_file_data["message"]
            extra = self.message.get("extraInfo", {}) if isinstance(self.message, dict) else self.error_file_data
            self.time = float(extra.get("time", extra.get("timestamp", self.time)))
        except (OSError, ValueError, KeyError):  # none, or one that was being written as the worker was killed
            self.error_file, self.error_file_data = _NOT_AVAILABLE, {"message": _NOT_AVAILABLE}
            self.message = f"Signal {-exitcode} ({self.signal_name()}) received by PID {pid}" if exitcode < 0 else _UNTOLD
        self.timestamp = int(self.time)

    def signal_name(self) -> str:
        """The name of the signal that ended it, "<N/A>" if none did."""
        try:
            return signal.Signals(-self.exitcode).name if self.exitcode < 0 else _NOT_AVAILABLE
        except ValueError:
            return _NOT_AVAILABLE

    def timestamp_isoformat(self) -> str:
        """When it failed, as YYYY-MM-DD_HH:MM:SS."""
        return datetime.datetime.fromtimestamp(self.timestamp).isoformat(sep="_")

    @property
    def traceback(self) -> str:
        """The traceback of what it has raised, "" if that is not known."""
        return self.message.get("extraInfo", {}).get("py_callstack", "") if isinstance(self.message, dict) else ""

    @property
    def brief(self) -> str:
        """How it ended, in a few words."""
        if isinstance(self.message, dict):
            return str(self.message.get("message", _NOT_AVAILABLE)).strip().partition("\n")[0]
        return self.signal_name() if self.exitcode < 0 else f"exit status {self.exitcode}"


class ChildFailedError(Exception):
    """Workers have failed.
    https://pytorch.org/docs/stable/elastic/errors.html#torch.distributed.elastic.multiprocessing.errors.ChildFailedError

    Args:
        name: the program's.
        failures: the ranks and how they failed, of one at least.
    """

    def __init__(self, name: str, failures: dict[int, ProcessFailure]):
        self.name, self.failures = name, failures
        super().__init__(self.format_msg())

    def get_first_failure(self) -> tuple[int, ProcessFailure]:
        """The rank that failed first, and how."""
        return min(self.failures.items(), key=lambda item: item[1].time)

    def format_msg(self, boarder_delim: str = "=", section_delim: str = "-") -> str:
        """The table of all failures.

        Args:
            boarder_delim: what its first and last line are made of.
            section_delim: what the lines between sections are made of.

        Returns:
            The text.
        """
        first, _ = self.get_first_failure()
        told = {rank: _paragraph(index, rank, failure) for index, (rank, failure) in enumerate(self.failures.items())}
        title = f"{self.name} FAILED"
        width = min(_WIDEST, max(len(line) for text in (title, *told.values()) for line in text.split("\n")))
        others = [text for rank, text in told.items() if rank != first] or ["  <NO_OTHER_FAILURES>"]
        border, section = boarder_delim * width, section_delim * width
        return "\n".join(["", border, title, section, "Failures:", *others, section, "Root Cause (first observed failure):",
                          told[first], border])


def _paragraph(index: int, rank: int, failure: ProcessFailure) -> str:
    message = failure.message
    if isinstance(message, dict):
        message = (failure.traceback or message.get("message", _NOT_AVAILABLE)).replace("\n", "\n  ")
    name = failure.signal_name()
    return (f"[{index}]:\n  time      : {failure.timestamp_isoformat()}\n  host      : {socket.getfqdn()}\n"
            f"  rank      : {rank} (local_rank: {failure.local_rank})\n"
            f"  exitcode  : {failure.exitcode} (pid: {failure.pid}) {'' if name == _NOT_AVAILABLE else f' ({name})'}\n"
            f"  error_file: {os.fspath(failure.error_file)}\n  traceback : {message}")
