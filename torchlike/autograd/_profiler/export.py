"""A profile as a trace for Perfetto (https://ui.perfetto.dev) and chrome://tracing: the "trace event format" in JSON, with
the categories and arguments of PyTorch's traces.
"""

import gzip
import json
import os

from torchlike.version import __version__

_GPU = 1 << 20  # process numbers of GPUs: above those of processes


def write(path: str, session, metadata: dict) -> None:
    """Write the trace, compressed where the path ends in ".gz". `metadata`: names to JSON texts."""
    found = _as_dict(session, metadata, path)
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "wt") as file:
        json.dump(found, file, indent=1)


def _as_dict(session, metadata, name) -> dict:
    """The trace as what JSON is made of; times are microseconds since the profile began."""
    events = session.function_events
    return {
        "schemaVersion": 1,
        "deviceProperties": [],
        "torchlike_version": __version__,
        **{key: json.loads(text) for key, text in metadata.items()},
        "baseTimeNanoseconds": session.wall,
        "displayTimeUnit": "ms",
        "traceName": str(name),
        "trace_id": session.trace_id,
        "traceEvents": [*_names(events), *(entry for event in events for entry in _entries(event))],
    }


def _entries(event) -> list:
    """The event on its thread, and what it made a GPU do."""
    span = event.time_range
    entry = {"ph": "X", "cat": event.kind, "name": event.trace_name, "pid": os.getpid(), "tid": event.thread,
             "ts": span.start, "dur": span.elapsed_us(), "args": _arguments(event)}
    found = [entry]
    for kernel in event.kernels:
        found.append({**entry, "cat": "kernel", "pid": _GPU + kernel.device, "tid": 0, "dur": kernel.duration,
                      "args": {"External id": event.id, "device": kernel.device}})
    return found


def _arguments(event) -> dict:
    found = {"External id": event.id}
    if event.input_shapes:
        found["Input Dims"] = event.input_shapes
        found["Input type"] = event.input_dtypes
    if event.stack:
        found["Call stack"] = ";".join(event.stack)
    if event.text:
        found["kernels" if event.kind == "compilation" else "args"] = event.text
    for label, value in (("Bytes", event.cpu_memory_usage + event.device_memory_usage), ("flops", event.flops)):
        if value:
            found[label] = value
    return found


def _names(events) -> list:
    """What the processes and threads are called."""
    pid = os.getpid()
    found = [_meta("process_name", pid, 0, {"name": "python"}), _meta("process_labels", pid, 0, {"labels": "CPU"}),
             _meta("process_sort_index", pid, 0, {"sort_index": 0})]
    for thread in sorted({event.thread for event in events}):
        found.append(_meta("thread_name", pid, thread, {"name": f"thread {thread} (python)"}))
    for device in sorted({kernel.device for event in events for kernel in event.kernels}):
        found += [_meta("process_name", _GPU + device, 0, {"name": "python"}),
                  _meta("process_labels", _GPU + device, 0, {"labels": f"GPU {device}"}),
                  _meta("thread_name", _GPU + device, 0, {"name": "waited for"})]
    return found


def _meta(name, pid, tid, arguments) -> dict:
    return {"ph": "M", "name": name, "ts": 0.0, "pid": pid, "tid": tid, "args": arguments}
