"""A process that computes for a campaign, so that a crash or a hang is a finding and nothing more."""

import contextlib
import json
import os
import pathlib
import select
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).parents[2]


def finished(module: str, given: dict, limit: float) -> tuple:
    """Output, errors and status of a program; what does not end in time shows where it is, and is killed with its children.

    Args:
        module: what is run.
        given: its argument, as JSON.
        limit: seconds; where they are over the status is "hung".
    """
    command = [sys.executable, "-X", "faulthandler", "-m", module, json.dumps(given)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            out, errors = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGABRT)  # each shows where it is
            time.sleep(2)
            os.killpg(process.pid, signal.SIGKILL)
            out, errors = process.communicate()
            return out, errors, "hung"
    return out, errors, process.returncode


class Asked:
    """A process that answers each line of JSON with lines of JSON. It is made when it is asked, and anew when it has ended.

    Args:
        module: what is run.
        arguments: of its command line.
        environment: what it has besides this process's.
    """

    def __init__(self, module: str, *arguments: str, environment=None):
        self.command, self.process, self.rest = [sys.executable, "-m", module, *arguments], None, b""
        self.environment = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "TORCHLIKE_CACHE": "off", **(environment or {})}

    def begin(self) -> None:
        """Start it."""
        self.rest = b""  # what it has said beyond the last line
        self.process = subprocess.Popen(self.command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, start_new_session=True,
                                        env=os.environ | self.environment)
        self.answer(240)

    def ask(self, question) -> None:
        """Have something done."""
        if self.process is None:
            self.begin()
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(json.dumps(question).encode() + b"\n")
            self.process.stdin.flush()

    def answer(self, limit: float) -> dict:
        """A dict, or under "ended" how the process ended instead."""
        until, pipe = time.monotonic() + limit, self.process.stdout.fileno()
        while b"\n" not in self.rest:
            ready, _, _ = select.select([pipe], [], [], max(until - time.monotonic(), 0))
            if not ready:
                self.end()
                return {"ended": f"no answer in {limit:.0f} s"}
            more = os.read(pipe, 1 << 16)
            if not more:
                status = self.process.wait(10)
                self.end()
                return {"ended": f"the process, with status {status}"}
            self.rest += more
        line, _, self.rest = self.rest.partition(b"\n")
        return json.loads(line) if line.startswith(b"{") else {"ended": "began"}

    def end(self) -> None:
        """End it and what it has started."""
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.communicate()
            self.process = None
