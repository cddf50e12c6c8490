"""The keys, values and queues of a store, and how requests and answers are written in bytes.

A request is an operation of `Table`, how long it may wait, and fields of bytes; an answer is a word and fields.
"""

import datetime
import re
import struct
from collections import deque

_LENGTH = struct.Struct("!I")
WAITING = {"get": 1, "multi_get": None, "wait": None, "queue_pop": 1}  # operations that need keys: so many of their fields
OPERATIONS = {*WAITING, "set", "add", "compare_set", "delete_key", "check", "num_keys", "list_keys", "append", "multi_set",
              "queue_push", "queue_len"}
_LEADING = re.compile(rb"\s*([+-]?\d+)")


def packed(*fields: bytes) -> bytes:
    """A message: the length of all, then of each field, before it."""
    whole = b"".join(part for field in fields for part in (_LENGTH.pack(len(field)), field))
    return _LENGTH.pack(len(whole)) + whole


def message_length(start: bytes | bytearray | memoryview) -> int | None:
    """How long the message is that begins so, with its own length; None as long as that is not to be seen."""
    return None if len(start) < _LENGTH.size else _LENGTH.size + _LENGTH.unpack_from(start)[0]


def unpacked(message: bytes) -> list[bytes]:
    """The fields of a message."""
    fields, place = [], _LENGTH.size
    while place < len(message):
        size, = _LENGTH.unpack_from(message, place)
        place += _LENGTH.size + size
        fields.append(message[place - size:place])
    return fields


def plus(value: bytes, amount: int) -> int:
    """What `Store.add` makes of a value: of its leading number, as C++ reads and adds it. ValueError without one."""
    found = _LEADING.match(value)
    if found is None:
        raise ValueError("stoll")
    return (int(found[1]) + amount + (1 << 63)) % (1 << 64) - (1 << 63)


def seconds(timeout: datetime.timedelta | float) -> float:
    """A timeout as a number."""
    return timeout.total_seconds() if isinstance(timeout, datetime.timedelta) else float(timeout)


def field(operation: str, value) -> bytes:
    """A key or value as bytes; TypeError for what is neither text nor bytes."""
    if isinstance(value, bytes):
        return value
    if not isinstance(value, str):
        raise TypeError(f"{operation}(): incompatible function arguments.")
    return value.encode("utf-8", "surrogateescape")


class Table:
    """What a store has. Each operation takes and gives fields of bytes; none waits."""

    def __init__(self):
        self.values: dict[bytes, bytes] = {}
        self.queues: dict[bytes, deque] = {}

    def lacks(self, operation: str, fields: list[bytes]) -> bytes | None:
        """A key that the operation has to wait for, None if there is none."""
        if operation == "queue_pop":
            return None if self.queues.get(fields[0]) else fields[0]
        if operation not in WAITING:
            return None
        return next((key for key in fields[:WAITING[operation]] if key not in self.values
                     and (operation != "wait" or not self.queues.get(key))), None)

    def apply(self, operation: str, fields: list[bytes]) -> list[bytes]:
        """The answer to a request that lacks nothing."""
        return getattr(self, operation)(*fields)

    def get(self, key):
        return [self.values[key]]

    def multi_get(self, *keys):
        return [self.values[key] for key in keys]

    def wait(self, *keys):
        return []

    def set(self, key, value):
        self.values[key] = value
        return []

    def multi_set(self, *fields):
        self.values.update(zip(fields[::2], fields[1::2], strict=True))
        return []

    def add(self, key, amount):
        self.values[key] = b"%d" % plus(self.values.get(key, b"0"), int(amount))
        return [self.values[key]]

    def append(self, key, value):
        self.values[key] = self.values.get(key, b"") + value
        return []

    def compare_set(self, key, expected, desired):
        """A key that is not there is set if nothing is expected; else the answer is what was expected, as PyTorch's."""
        if self.values.get(key, b"") == expected:
            self.values[key] = desired
        return [self.values.get(key, expected)]

    def delete_key(self, key):
        return [b"%d" % (self.values.pop(key, None) is not None)]

    def check(self, *keys):
        return [b"%d" % all(key in self.values or bool(self.queues.get(key)) for key in keys)]

    def num_keys(self):
        return [b"%d" % len(self.values)]

    def list_keys(self):
        return list(self.values)

    def queue_push(self, key, value):
        self.queues.setdefault(key, deque()).append(value)
        return []

    def queue_pop(self, key):
        queue = self.queues[key]
        value = queue.popleft()
        if not queue:
            del self.queues[key]
        return [value]

    def queue_len(self, key):
        return [b"%d" % len(self.queues.get(key, ()))]
