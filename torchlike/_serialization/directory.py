"""The directory at the end of a zip archive, read as strictly as PyTorch's reader (miniz) reads it, and no longer than the
file is.
"""

import dataclasses
import io
import struct

END, ENTRY, LOCAL = struct.Struct("<4s4H2IH"), struct.Struct("<4s6H3I5H2I"), struct.Struct("<4s5H3I2H")
_LARGE_END, _LARGE_PLACE = struct.Struct("<4sQ2H2I4Q"), struct.Struct("<4sIQI")
MOST, _MOST_COMMENT = 0xFFFFFFFF, 0xFFFF
_ENCRYPTED, _PATCHED, _MASKED = 0x41, 0x20, 0x2000  # flags
STORED = 0

NOT_FOUND, NO_ARCHIVE = "failed finding central directory", "not a ZIP archive"
CORRUPTED, PARTED = "invalid header or archive is corrupted", "unsupported multidisk archive"
ENCRYPTED = "unsupported encryption"


class BrokenError(Exception):
    """The archive is none; the text says why, in miniz's words."""


@dataclasses.dataclass
class Entry:
    """A record: its path, its size, and where its header begins; ``problem`` says why it cannot be read, if so."""

    path: str
    size: int
    stored: int  # bytes in the file
    start: int
    method: int
    problem: str | None


def entries(file, start: int) -> list[Entry]:
    """The records of the archive between `start` and the end of the file. BrokenError if it is none."""
    size = file.seek(0, io.SEEK_END) - start
    count, place, length, disk = _end(file, start, size)
    if length < count * ENTRY.size or place + length > size:
        raise BrokenError(CORRUPTED)
    file.seek(start + place)
    data = file.read(length)
    found, at = [], 0
    for _ in range(count):
        entry, at = _entry(data, at, size, disk)
        found.append(entry)
    return found


def _read(file, start, at, form) -> tuple:
    """The fields at a place, zeros where the file has none."""
    file.seek(start + max(at, 0))
    data = file.read(form.size) if at >= 0 else b""
    return form.unpack(data.ljust(form.size, b"\0"))


def _end(file, start, size) -> tuple:
    """(how many records, where the directory begins, its length, the number of its volume)."""
    begin = max(size - _MOST_COMMENT - END.size, 0)
    file.seek(start + begin)
    tail = file.read(size - begin)
    found = tail.rfind(b"PK\x05\x06", 0, max(len(tail) - END.size + 4, 0))
    if found < 0:
        raise BrokenError(NOT_FOUND)
    _, volume, disk, here, count, length, place, _ = END.unpack_from(tail, found)
    name, _, at, volumes = _read(file, start, begin + found - _LARGE_PLACE.size, _LARGE_PLACE)
    if name == b"PK\x06\x07":
        if at > size - _LARGE_END.size:
            raise BrokenError(NO_ARCHIVE)
        fields = _read(file, start, at, _LARGE_END)
        if fields[0] == b"PK\x06\x06":
            _, record, _, _, volume, disk, here, count, length, place = fields
            if record < _LARGE_END.size - 12:
                raise BrokenError(CORRUPTED)
            if volumes != 1:
                raise BrokenError(PARTED)
    if count != here or ((volume or disk) and (volume, disk) != (1, 1)):
        raise BrokenError(PARTED)
    return count, place, length, volume


def _entry(data, at, size, disk) -> tuple:
    """(the record whose entry begins at a place of the directory, where the next one begins)."""
    if len(data) - at < ENTRY.size:
        raise BrokenError(CORRUPTED)
    name, _, _, flags, method, _, _, _, stored, plain, *lengths, volume, _, _, start = ENTRY.unpack_from(data, at)
    after = at + ENTRY.size + sum(lengths)
    if name != b"PK\x01\x02" or after > len(data):
        raise BrokenError(CORRUPTED)
    if MOST not in (stored, plain) and ((not method and plain != stored) or (plain and not stored)):
        raise BrokenError(CORRUPTED)
    if volume == 0xFFFF or volume not in (disk, 1):
        raise BrokenError(PARTED)
    if stored != MOST and start + LOCAL.size + stored > size:
        raise BrokenError(CORRUPTED)
    if flags & _MASKED:
        raise BrokenError(ENCRYPTED)
    path = data[at + ENTRY.size:at + ENTRY.size + lengths[0]]
    extra = data[at + ENTRY.size + lengths[0]:at + ENTRY.size + lengths[0] + lengths[1]]
    plain, stored, start = _large(extra, plain, stored, start)
    try:
        text = path.partition(b"\0")[0].decode()
    except UnicodeDecodeError:
        raise BrokenError("the name of a record is not UTF-8") from None
    return Entry(text, plain, stored, start, method, _problem(flags, method)), after


def _problem(flags, method) -> str | None:
    if flags & _ENCRYPTED:
        return ENCRYPTED
    if flags & _PATCHED:
        return "unsupported feature"
    return None if method in (STORED, 8) else "unsupported method"


def _large(extra, *numbers) -> list:
    """The numbers, and instead of those that are too large for their field what the extra field says."""
    at = 0
    while MOST in numbers and at + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, at)
        if kind == 1:
            field = extra[at + 4:at + 4 + length]
            there = iter(struct.unpack(f"<{len(field) // 8}Q", field[:len(field) // 8 * 8]))
            return [next(there, n) if n == MOST else n for n in numbers]
        at += 4 + length
    return list(numbers)
