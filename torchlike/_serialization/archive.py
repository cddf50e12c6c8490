"""The zip archive: uncompressed records that begin at multiples of 64 bytes; files that are replaced as a whole."""

import contextlib
import functools
import io
import os
import re
import secrets
import stat
import struct
import sys
import zlib

import numpy as np

from torchlike._serialization import config, directory

_BROKEN = (
    "This is an internal miniz error. If you are seeing this error, there is a high likelihood that your checkpoint file is "
    "corrupted. This can happen if the checkpoint was not saved properly, was transferred incorrectly, or the file was "
    "modified after saving.")
_LOCAL, _CENTRAL, _EXTRA_HEADER = directory.LOCAL, directory.ENTRY, 4
_VERSION_TEXT, _OLDEST, _NEWEST = re.compile(r"\s*[+-]?\d{1,19}", re.ASCII), 1, 10  # of the format, see PyTorch's reader
_VERSION = 45
_PLAIN = (0, 0, 0, 33)  # flags, no compression, midnight, 1980-01-01
_MOST, _MOST_ENTRIES = 0xFFFFFFFF, 0xFFFF  # larger ones are told elsewhere
_CHUNK = 1 << 20
_ORDERS: dict[config.LoadEndianness | None, str] = {config.LoadEndianness.LITTLE: "little", config.LoadEndianness.BIG: "big"}


@contextlib.contextmanager
def replacing(path):
    """A file that takes the place of the one at `path` when the block ends; if it does not, nothing has changed.

    RuntimeError with PyTorch's text if there is no such directory. What is no plain file (a pipe) is written to directly.
    """
    path = os.path.realpath(os.fspath(path))
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as file:
            yield file
        return
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {folder} does not exist.")
    temporary = os.path.join(folder, f".{os.fsdecode(name)}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            os.chmod(temporary, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


class Writer:
    """Writes the records ``<name>/<record>`` of an archive to a file, which need only have `write`."""

    def __init__(self, file, name):
        self.file, self.name = file, name
        self.at = 0  # bytes written
        self.entries: list = []

    def _put(self, data) -> None:
        self.file.write(data)
        self.at += len(data)

    def add(self, record, data) -> None:
        """A record of these bytes, or of as many zeros as the number `data` says."""
        size = data if isinstance(data, int) else memoryview(data).nbytes
        sum_ = 0 if isinstance(data, int) or not config.save.compute_crc32 else zlib.crc32(data)
        path = f"{self.name}/{record}".encode()
        fields = (*_PLAIN, sum_)
        self.entries.append((path, fields, size, self.at))
        large = struct.pack("<HHQQ", 1, 16, size, size) if size >= _MOST else b""
        begin = self.at + _LOCAL.size + len(path) + len(large) + _EXTRA_HEADER
        padding = -begin % config.save.storage_alignment
        shown = min(size, _MOST)
        self._put(_LOCAL.pack(b"PK\x03\x04", _VERSION, *fields, shown, shown, len(path),
                              len(large) + _EXTRA_HEADER + padding) + path + large)
        self._put(b"FB" + padding.to_bytes(2, "little") + bytes(padding))
        if isinstance(data, int):
            for start in range(0, size, _CHUNK):
                self._put(bytes(min(_CHUNK, size - start)))
        elif size:
            self._put(memoryview(data).cast("B"))

    def close(self) -> None:
        """Write the directory."""
        start = self.at
        for path, fields, size, at in self.entries:
            large = [x for x in (size, size, at) if x >= _MOST]
            more = struct.pack(f"<HH{len(large)}Q", 1, 8 * len(large), *large) if large else b""
            shown = min(size, _MOST)
            lengths = len(path), len(more), 0
            self._put(_CENTRAL.pack(b"PK\x01\x02", _VERSION, _VERSION, *fields, shown, shown, *lengths, 0, 0, 0,
                                    min(at, _MOST)))
            self._put(path + more)
        count, size = len(self.entries), self.at - start
        if max(start, size) >= _MOST or count >= _MOST_ENTRIES:
            end = self.at
            self._put(struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", 44, _VERSION, _VERSION, 0, 0, count, count, size, start))
            self._put(struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1))
        entries = min(count, _MOST_ENTRIES)
        self._put(struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, entries, entries, min(size, _MOST), min(start, _MOST), 0))


class Reader:
    """Reads the records of the archive that begins where a file stands. RuntimeError for one that is broken, and for
    records of one name, or that are compressed or together larger than the file: PyTorch reads those, but a small file
    could take all memory, and each program could read another record.
    """

    def __init__(self, file):
        self.file, self.start = file, file.tell()
        try:
            listed = directory.entries(file, self.start)
        except directory.BrokenError as error:
            raise _failed("reading zip archive", error) from None
        self.end = file.seek(0, io.SEEK_END)
        self.folder = listed[0].path.partition("/")[0] if listed else ""
        for entry in listed:
            if not entry.path.startswith(self.folder + "/"):
                raise RuntimeError(f"file in archive is not in a subdirectory {self.folder}/: {entry.path}")
        if any(entry.method != directory.STORED and entry.problem is None for entry in listed) or \
                sum(entry.size for entry in listed) > self.end - self.start:
            raise RuntimeError("PytorchStreamReader: the archive's records must be uncompressed and within the file")
        self.entries = {entry.path.partition("/")[2]: entry for entry in listed}
        if len(self.entries) < len(listed):
            raise RuntimeError("the archive has two records of one name")
        self._check()

    def _check(self) -> None:
        """Read what an archive says of itself. RuntimeError for a version that PyTorch does not read."""
        if ".data/serialization_id" in self.entries:
            self.read(".data/serialization_id")
        record = ".data/version" if ".data/version" in self.entries else "version"
        if record not in self.entries:
            raise RuntimeError('Expected hasRecord("version") to be true, but got false.')
        text = self.read(record).tobytes().decode("latin1")
        found = _VERSION_TEXT.match(text)
        if found is None:
            raise RuntimeError(f"Couldn't parse the version {text[:60]} as Long Long.")
        version = int(found.group())
        if not _OLDEST <= version <= _NEWEST:
            which, limit = ("minimum", _OLDEST) if version < _OLDEST else ("maximum", _NEWEST)
            raise RuntimeError(f"Attempted to read a PyTorch file with version {version}, but the {which} supported version "
                               f"for reading is {limit}.")

    def check_format(self) -> None:
        """Read how the storages are said to lie. RuntimeError or ValueError where that is none."""
        if ".data/serialization_id" in self.entries:
            self.read(".data/serialization_id").tobytes().decode()
        if ".format_version" in self.entries:
            self.read(".format_version")
        if self.byteorder and ".storage_alignment" in self.entries:
            int(self.read(".storage_alignment").tobytes())

    def read(self, record) -> np.ndarray:
        """The bytes of a record, in memory of their own; RuntimeError if there is none, or the file ends within it.

        The sum is not compared, as in PyTorch: who maps a file into memory may write to it."""
        start, size = self.place(record)
        memory = np.empty(size, np.uint8)
        self.file.seek(self.start + start)
        data = self.file.read(size) if size else b""
        if len(data) != size:
            raise _failed(f"reading file {record}", "file read failed")
        memory[:] = np.frombuffer(data, np.uint8)
        return memory

    def place(self, record) -> tuple[int, int]:
        """Where the bytes of a record begin in the archive, and how many they are."""
        if record not in self.entries:
            raise _failed(f"locating file {record}", "file not found")
        found = self.entries[record]
        if found.problem is not None:
            raise _failed(f"retrieving file meta-data for {record}", found.problem)
        if not found.stored:
            return 0, 0
        self.file.seek(self.start + min(found.start, self.end - self.start))
        header = self.file.read(_LOCAL.size)
        if len(header) != _LOCAL.size:
            raise _failed(f"reading file {record}", "file read failed")
        name, *_, path, extra = _LOCAL.unpack(header)
        start = found.start + _LOCAL.size + path + extra
        if name != b"PK\x03\x04" or start + found.stored > self.end - self.start:
            raise _failed(f"reading file {record}", directory.CORRUPTED)
        return start, found.size

    @functools.cached_property
    def byteorder(self) -> str:
        """The byte order of the numbers in the storages, "little" or "big". ValueError for another."""
        if "byteorder" not in self.entries:
            return _ORDERS.get(config.load.endianness, sys.byteorder)
        found = self.read("byteorder").tobytes().decode()
        if found not in ("little", "big"):
            raise ValueError(f"Unknown endianness type: {found}")
        return found


def _failed(what, why) -> RuntimeError:
    return RuntimeError(f"PytorchStreamReader failed {what}: {why}. {_BROKEN}")


def is_archive(file) -> bool:
    """Whether an archive begins at the file's position."""
    at = file.tell()
    start = file.read(4)
    file.seek(at)
    return start == b"PK\x03\x04"
