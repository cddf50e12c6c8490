"""The zip archive: uncompressed records that begin at multiples of 64 bytes; files that are replaced as a whole."""

import contextlib
import functools
import io
import os
import secrets
import stat
import sys
import zipfile

ALIGNMENT = 64
_BROKEN = (
    "PytorchStreamReader failed reading zip archive: failed finding central directory. This is an internal miniz error. If "
    "you are seeing this error, there is a high likelihood that your checkpoint file is corrupted. This can happen if the "
    "checkpoint was not saved properly, was transferred incorrectly, or the file was modified after saving.")
_LOCAL_HEADER, _ZIP64_EXTRA, _EXTRA_HEADER = 30, 20, 4
_DATE = (1980, 1, 1, 0, 0, 0)


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
    """Writes the records ``<name>/<record>`` of an archive to a file, from where it stands."""

    def __init__(self, file, name):
        self.file, self.name = file, name
        self.start = file.tell()
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)

    def add(self, record, data) -> None:
        """A record of these bytes."""
        size = memoryview(data).nbytes
        info = zipfile.ZipInfo(f"{self.name}/{record}", _DATE)
        info.file_size = size
        large = size * 1.05 > zipfile.ZIP64_LIMIT
        begin = self.file.tell() - self.start + _LOCAL_HEADER + len(info.filename.encode()) + _EXTRA_HEADER
        padding = -(begin + _ZIP64_EXTRA * large) % ALIGNMENT
        info.extra = b"FB" + padding.to_bytes(2, "little") + bytes(padding)
        with self.zip.open(info, "w", force_zip64=large) as out:
            out.write(data)

    def close(self) -> None:
        """Write the directory."""
        self.zip.close()


class Reader:
    """Reads the records of an archive. RuntimeError for one that is broken or compressed, or whose records are larger
    than the file.
    """

    def __init__(self, file):
        try:
            self.zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise RuntimeError(_BROKEN) from error
        self.entries = {info.filename.partition("/")[2]: info for info in self.zip.infolist()}
        file.seek(0, io.SEEK_END)
        if any(info.compress_type != zipfile.ZIP_STORED for info in self.entries.values()) or \
                sum(info.file_size for info in self.zip.infolist()) > file.tell():
            raise RuntimeError("PytorchStreamReader: the archive's records must be uncompressed and within the file")

    def read(self, record) -> bytes:
        """The bytes of a record; RuntimeError if there is none."""
        if record not in self.entries:
            raise RuntimeError(f"PytorchStreamReader failed locating file {record}: file not found")
        try:
            return self.zip.read(self.entries[record])
        except (zipfile.BadZipFile, EOFError, OSError, ValueError) as error:
            raise RuntimeError(f"PytorchStreamReader failed reading file {record}: {error}") from error

    @functools.cached_property
    def byteorder(self) -> str:
        """The byte order of the numbers in the storages, "little" or "big"."""
        return self.read("byteorder").decode() if "byteorder" in self.entries else sys.byteorder


def is_archive(file) -> bool:
    """Whether an archive begins at the file's position."""
    at = file.tell()
    start = file.read(4)
    file.seek(at)
    return start == b"PK\x03\x04"
