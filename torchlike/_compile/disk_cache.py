"""What XLA has compiled, kept on disk for later processes: a folder of files, each named by what it was compiled of.

The setting ``cache`` (``TORCHLIKE_CACHE``) is the folder, "off", or "" for ``torchlike`` in the user's cache folder. It is
the package's own: JAX's cache and its settings stay the user's. Reading a file means running its code, so a folder counts
only if it is this user's and nobody else may write to it.

Nothing here raises, and nobody waits for another process: a file appears whole, by renaming; one that is damaged, or that
has gone, is as if it had never been; where nothing can be written, nothing is. Beyond ``cache_bytes`` bytes the files
that have not been used for longest go.
"""

import collections
import contextlib
import functools
import hashlib
import os
import pathlib
import re
import stat
import struct
import tempfile
import threading

from torchlike._base import config
from torchlike._base.forkable import forkable

OFF = "off"
counters = {"cache_hits": 0, "cache_writes": 0}
_CHECK = hashlib.sha256().digest_size  # bytes at the start of a file: the digest of the others
_LEFT = 0.9  # of the bound: what stays when files have to go
_MAGIC = b"torchlike compiled programs 1\n"
_NAME = re.compile(r"[\w.-]{1,200}")
_MOST_NAMES = 10_000  # of those that this process has used, the last ones
_used: collections.OrderedDict[str, None] = collections.OrderedDict()
_using = forkable(threading.Lock())


def _note_use(name: str) -> None:
    with _using:
        _used[name] = None
        _used.move_to_end(name)
        if len(_used) > _MOST_NAMES:
            _used.popitem(last=False)


class Folder:
    """A folder of files that belongs to this user."""

    def __init__(self, path: pathlib.Path):
        """`path` exists."""
        self._path = path
        self._bytes: int | None = None  # as far as this process knows; None before it has looked
        self._writable = True
        self._lock = forkable(threading.Lock())

    def holds(self, name: str) -> bool:
        """Whether there is such a file."""
        return (self._path / name).exists()

    def read(self, name: str) -> bytes | None:
        """What was written under this name, if it is there and whole."""
        path = self._path / name
        try:
            data = path.read_bytes()
        except OSError:
            return None
        if hashlib.sha256(data[_CHECK:]).digest() != data[:_CHECK]:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # used now
        _note_use(name)
        return data[_CHECK:]

    def write(self, name: str, data: bytes | None) -> None:
        """Keep `data` under this name, if there is any."""
        if data is None or not self._writable or len(data) > config.settings.cache_bytes:
            return
        try:
            handle, temporary = tempfile.mkstemp(dir=self._path)
            with open(handle, "wb") as file:
                file.write(hashlib.sha256(data).digest())
                file.write(data)
            os.replace(temporary, self._path / name)
        except OSError:
            self._writable = False
            return
        counters["cache_writes"] += 1
        _note_use(name)
        with self._lock:
            self._keep_bound(len(data) + _CHECK)

    def _keep_bound(self, written):
        if self._bytes is not None:
            self._bytes += written
        if self._bytes is None or self._bytes > config.settings.cache_bytes:
            self._bytes = self._trimmed(config.settings.cache_bytes)

    def _trimmed(self, bound) -> int:
        """The bytes in the folder, after the oldest files have gone if these were too many."""
        files = sorted((found.st_mtime, found.st_size, path) for path, found in self._files())
        total = sum(size for _, size, _ in files)
        if total > bound:
            for _, size, path in files:
                if total <= _LEFT * bound:
                    break
                with contextlib.suppress(OSError):
                    os.unlink(path)
                total -= size
        return total

    def _files(self):
        with contextlib.suppress(OSError), os.scandir(self._path) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # another process has removed it
                    if entry.is_file():
                        yield entry.path, entry.stat()


def folder() -> Folder | None:
    """The Folder that the settings name; None if there is to be none, or cannot be."""
    return _folder(config.settings.cache)


@functools.lru_cache(maxsize=8)
def _folder(setting: str) -> Folder | None:
    if setting == OFF:
        return None
    try:
        path = pathlib.Path(setting) if setting else _users()
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Folder(path) if _is_private(path.stat()) else None
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None


def _users() -> pathlib.Path:
    base = pathlib.Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else pathlib.Path.home() / ".cache") / "torchlike"


def _is_private(found: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):  # Windows, where the profile is the user's
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


# -- in one piece, for another machine's folder

def pack() -> tuple[bytes, list[str]] | None:
    """What this process has read and written, and the names of it; None if that is nothing."""
    found = folder()
    with _using:
        names = [*_used]
    parts = {} if found is None else {name: found.read(name) for name in names}
    there = {name: data for name, data in parts.items() if data is not None}
    if not there:
        return None
    body = b"".join(_part(name.encode()) + _part(data) for name, data in there.items())
    return _MAGIC + hashlib.sha256(body).digest() + body, [*there]


def _part(data: bytes) -> bytes:
    return struct.pack("<Q", len(data)) + data


def unpack(packed: bytes) -> list[str]:
    """Put what `pack` gave into the folder; the names of it. ValueError for anything else."""
    start = len(_MAGIC) + _CHECK
    body = packed[start:]
    if packed[:len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != packed[len(_MAGIC):start]:
        raise ValueError("these are no compiled programs of torchlike's, or they are damaged")
    parts = _parts(body)
    names = [name.decode() for name in parts[::2]]
    if not all(map(_NAME.fullmatch, names)):
        raise ValueError("a name of a compiled program is none of torchlike's")
    found = folder()
    if found is None:
        return []
    for name, data in zip(names, parts[1::2], strict=True):
        found.write(name, data)
    return names


def _parts(body: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(body):
        (size,) = struct.unpack_from("<Q", body, at)
        found.append(body[at + 8:at + 8 + size])
        at += 8 + size
    return found
