"""Passes on what workers print: line by line, with the rank before each."""

import contextlib
import os
import re
import selectors
import sys
import time
from typing import IO

_CHUNK = 1 << 16
_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)")  # a progress bar ends its lines with a carriage return


class Stream:
    """One stream of one worker.

    Args:
        pipe: where it comes from.
        to: where lines are shown, None for nowhere.
        prefix: what stands before each.
        log: a file that gets everything as it comes, None for none.
    """

    def __init__(self, pipe: IO[bytes], to: IO[str] | None, prefix: str, log: IO[bytes] | None):
        self.pipe, self.to, self.prefix, self.log = pipe, to, prefix.encode(), log
        self._rest = b""

    def take(self, data: bytes) -> None:
        """Shows the lines that are whole."""
        if self.log is not None:
            self.log.write(data)
            self.log.flush()
        self._rest += data
        end = max(self._rest.rfind(b"\n"), self._rest.rfind(b"\r")) + 1
        if end:
            whole, self._rest = self._rest[:end], self._rest[end:]
            self._show(b"".join(self.prefix + line for line in _LINES.findall(whole)))

    def end(self) -> None:
        """Shows what is left."""
        if self._rest:
            self._show(self.prefix + self._rest + b"\n")
        self._rest = b""
        self.pipe.close()
        if self.log is not None:
            self.log.close()

    def _show(self, data: bytes) -> None:
        if self.to is None:
            return
        raw = getattr(self.to, "buffer", None)
        if raw is None:  # a text stream that a test has put there
            self.to.write(data.decode(errors="replace"))
        else:
            self.to.flush()
            raw.write(data)
        self.to.flush()


class Output:
    """The streams of all workers."""

    def __init__(self):
        self._selector = selectors.DefaultSelector()

    def add(self, stream: Stream) -> None:
        """Passes on this one, too."""
        os.set_blocking(stream.pipe.fileno(), False)
        self._selector.register(stream.pipe, selectors.EVENT_READ, stream)

    def pump(self, timeout: float) -> None:
        """Passes on what there is; waits for it so long at most."""
        if not self._selector.get_map():
            time.sleep(timeout)
            return
        for key, _ in self._selector.select(timeout):
            self._read(key.data)

    def _read(self, stream: Stream) -> None:
        with contextlib.suppress(BlockingIOError):
            data = os.read(stream.pipe.fileno(), _CHUNK)
            if data:
                stream.take(data)
            else:
                self._selector.unregister(stream.pipe)
                stream.end()

    def finish(self, patience: float) -> None:
        """The workers have ended: passes on the rest. A process of theirs may still hold a pipe, so this has an end."""
        until = time.monotonic() + patience
        while self._selector.get_map() and time.monotonic() < until:
            self.pump(0.05)
        for key in list(self._selector.get_map().values()):
            self._selector.unregister(key.fileobj)
            key.data.end()
        self._selector.close()


def say(text: str) -> None:
    """A line of the launcher's own."""
    print(f"torchlike run: {text}", file=sys.stderr, flush=True)
