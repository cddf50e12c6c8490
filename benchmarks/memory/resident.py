"""The resident memory of this process, as Linux counts it."""

import ctypes
import re
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_PEAK = "5"  # what makes Linux forget the largest size so far
_libc = ctypes.CDLL(None)


def now() -> int:
    """Bytes, after what the allocator keeps for later has gone back."""
    _libc.malloc_trim(0)
    return _field("VmRSS")


def peak() -> int:
    """The most bytes since `forget_peak`."""
    return _field("VmHWM")


def forget_peak() -> None:
    """`peak` begins anew."""
    _libc.malloc_trim(0)
    _CLEAR.write_text(_PEAK)


def _field(name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+) kB", _STATUS.read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024
