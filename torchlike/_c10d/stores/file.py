"""A store in a file that processes share."""

import contextlib
import os
import time
import weakref

from torchlike._c10d.stores._table import Table, message_length, packed, unpacked
from torchlike._c10d.stores.base import Store

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_USERS = b"cnt/"  # how many stores are open
_PAUSE = 0.01  # seconds between looks
_CHANGES = {"set", "add", "append", "compare_set", "delete_key", "multi_set"}


class _File:
    """Requests that change something, one behind the other; each process plays them on a table of its own."""

    def __init__(self, path: str, removes: bool):
        self.path, self.removes, self.process = path, removes, os.getpid()
        self.table, self.read = Table(), 0
        self.ask("add", [_USERS, b"1"])

    def ask(self, operation: str, fields: list[bytes]) -> list[bytes] | None:
        """The answer, None if a key is missing."""
        with self._locked() as file:
            self._catch_up(file)
            if self.table.lacks(operation, fields) is not None:
                return None
            answer = self.table.apply(operation, fields)
            if operation in _CHANGES:
                record = packed(operation.encode(), *fields)
                os.lseek(file, self.read, os.SEEK_SET)
                os.write(file, record)
                self.read += len(record)
        return answer

    @contextlib.contextmanager
    def _locked(self):
        file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)

    def _catch_up(self, file: int) -> None:
        size = os.fstat(file).st_size
        if size < self.read:  # another file by now
            self.table, self.read = Table(), 0
        os.lseek(file, self.read, os.SEEK_SET)
        come = memoryview(os.read(file, size - self.read))
        while (length := message_length(come[:4])) is not None and len(come) >= length:
            operation, *fields = unpacked(bytes(come[:length]))
            self.table.apply(operation.decode(), fields)
            self.read += length
            come = come[length:]

    def close(self) -> None:
        """One store less; the last one removes the file if the number of processes was told."""
        if self.process == os.getpid() and os.path.exists(self.path):
            left = self.ask("add", [_USERS, b"-1"])
            if self.removes and left == [b"0"]:
                os.remove(self.path)


class FileStore(Store):
    """Keys and values in a file. https://pytorch.org/docs/stable/distributed.html#torch.distributed.FileStore

    Args:
        file_name: the file, which all processes can write to. It must not have been used before, unless it was removed.
        world_size: how many processes use it; if it is told, the last store to be deleted removes the file.

    Raises:
        OSError: it cannot be written to; PyTorch's ends the process there.
    """

    def __init__(self, file_name: str, world_size: int = -1):
        super().__init__()
        self._world_size = world_size
        self._file = _File(file_name, world_size >= 0)
        weakref.finalize(self, self._file.close)

    @property
    def path(self) -> str:
        """The file's name."""
        return self._file.path

    def _ask(self, operation, fields, timeout=None):
        wanted = self._timeout.total_seconds() if timeout is None else timeout
        until = time.monotonic() + wanted
        while (answer := self._file.ask(operation, fields)) is None:
            if wanted and time.monotonic() > until:
                asked = operation != "wait"
                raise RuntimeError(f"Timeout waiting for key: {self._missing(fields)} after {round(wanted * 1000)} ms"
                                   if asked else "Wait timeout")
            time.sleep(_PAUSE)
        return answer

    def _missing(self, fields: list[bytes]) -> str:
        return next(key for key in fields if key not in self._file.table.values).decode("utf-8", "replace")

    def list_keys(self):
        return [key for key in super().list_keys() if key != _USERS.decode()]

    def clone(self):
        return FileStore(self.path, self._world_size)
