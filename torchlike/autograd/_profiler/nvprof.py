"""What nvprof has written, read as a profile: a database of SQLite with spans and the kernels that ran in them."""

import ctypes
import ctypes.util
import functools
import sqlite3

from torchlike.autograd._profiler.steps import EnforceUnique
from torchlike.autograd.profiler_util import EventList, FunctionEvent

_LAUNCH = 211  # CUDA's number of cudaLaunchKernel among its calls
_SPANS = """
SELECT opened.id AS id, opened.name AS name, opened.timestamp AS start, closed.timestamp AS stop
FROM CUPTI_ACTIVITY_KIND_MARKER AS opened JOIN CUPTI_ACTIVITY_KIND_MARKER AS closed USING (id)
WHERE opened.name != 0 AND closed.name = 0
"""
_KERNELS = """
SELECT span.id AS id, call._id_ AS call, call.cbid AS kind, kernel.name AS name, kernel.end - kernel.start AS duration
FROM CUPTI_ACTIVITY_KIND_MARKER AS span JOIN CUPTI_ACTIVITY_KIND_MARKER AS closed USING (id)
JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS call ON span.timestamp < call.start AND call.end < closed.timestamp
JOIN CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL AS kernel USING (correlationId)
"""


def load_nvprof(path):
    """A profile that nvprof has written.
    https://pytorch.org/docs/stable/generated/torch.autograd.profiler.load_nvprof.html

    Args:
        path: the file.

    Returns:
        an `EventList` of its spans.
    """
    return EventList(parse_nvprof_trace(path))


def parse_nvprof_trace(path):
    """The same as a list.
    https://pytorch.org/docs/stable/generated/torch.autograd.profiler.parse_nvprof_trace.html

    Args:
        path: the file.

    Returns:
        the spans, each with the kernels that were launched in it, in the order in which they began.

    Raises:
        RuntimeError: a span or a launch is there twice.
        AssertionError: a kernel was launched in another way than PyTorch's.
    """
    database = sqlite3.connect(path)
    try:
        database.row_factory = sqlite3.Row
        texts = database.execute("SELECT _id_ AS id, value FROM StringTable")
        names = {row["id"]: _demangled(row["value"]) for row in texts}
        spans, seen = {}, EnforceUnique()
        for row in database.execute(_SPANS):
            seen.see(row["id"])
            spans[row["id"]] = event = FunctionEvent(row["id"], names[row["name"]], 0, row["start"], row["stop"])
            event.node_id = 0
        seen = EnforceUnique()
        for row in database.execute(_KERNELS):
            seen.see(row["id"], row["call"])
            if row["kind"] != _LAUNCH:
                raise AssertionError(f"Expected cbid to be {_LAUNCH}, but got {row['kind']}")
            spans[row["id"]].append_kernel(row["name"], 0, row["duration"])
    finally:
        database.close()
    return sorted(spans.values(), key=lambda event: event.time_range.start)


@functools.cache
def _library():
    """C++'s own library, with the names' grammar; None where there is none."""
    found = ctypes.util.find_library("stdc++")
    library = None if found is None else ctypes.CDLL(found)
    if library is not None:
        library.__cxa_demangle.restype = ctypes.c_void_p
        library.__cxa_demangle.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return library


def _demangled(name: str) -> str:
    """A name of C++ as it is written in a program; any other as it is."""
    library = _library()
    made = library.__cxa_demangle(name.encode(), None, None, None) if library is not None and name.startswith("_Z") else None
    if not made:
        return name
    text = ctypes.string_at(made).decode()
    ctypes.CDLL(None).free(ctypes.c_void_p(made))
    return text
