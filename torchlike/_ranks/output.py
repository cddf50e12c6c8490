"""What ranks that are threads print: by whole lines, with the rank before each."""

import io
import re
import threading

from torchlike._base.turns import place

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)")  # a progress bar ends its lines with a carriage return


class Prefixed(io.TextIOBase):
    """A text stream for all ranks.

    Args:
        stream: where it is shown.
    """

    def __init__(self, stream):
        self._stream, self._rests, self._lock = stream, {}, threading.Lock()

    def write(self, text: str) -> int:
        """Shows the lines that are whole."""
        with self._lock:
            whole = self._rests.get(place.rank, "") + text
            end = max(whole.rfind("\n"), whole.rfind("\r")) + 1
            self._rests[place.rank] = whole[end:]
            if end:
                self._stream.write("".join(_prefix() + line for line in _LINES.findall(whole[:end])))
        return len(text)

    def writable(self) -> bool:
        """True."""
        return True

    def flush(self) -> None:
        """Hands on what has been shown."""
        self._stream.flush()

    def finish(self) -> None:
        """Shows what is left of this rank's last line."""
        if self._rests.get(place.rank):
            self.write("\n")
        self.flush()

    def __getattr__(self, name):
        return getattr(self._stream, name)


def _prefix() -> str:
    return "" if place.rank is None else f"[rank{place.rank}]: "
