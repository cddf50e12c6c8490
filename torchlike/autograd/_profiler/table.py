"""A profile as a table, in PyTorch's columns."""

import math

_WIDTH = 12
_UNITS = {"s": 1e6, "ms": 1e3, "us": 1.0}
_FLOPS = ("FLOPs", "KFLOPs", "MFLOPs", "GFLOPs", "TFLOPs", "PFLOPs")
_ONLY_TOP = "This report only display top-level ops statistics"


def format_time(time_us, unit=None) -> str:
    """In this unit, or in a fitting one."""
    if unit not in _UNITS:
        unit = "s" if time_us >= 1e6 else "ms" if time_us >= 1e3 else "us"
    return f"{time_us / _UNITS[unit]:.3f}{unit}"


def _share(time_us, total_us) -> str:
    return f"{time_us * 100.0 / total_us:.2f}%" if total_us else "NaN"


def _memory(nbytes) -> str:
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(nbytes) >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} B"


def _tail(text, width) -> str:
    """The end of a path that is too long."""
    return text if len(text) <= width else "..." + text[len(text) - width + 3:]


def build_table(events, sort_by, row_limit, widths, header, profile_memory, with_flops, top_level_only, time_unit) -> str:
    """`widths`: the most for names, shapes and source lines; None: as wide as needed."""
    if not events:
        return ""
    if sort_by is not None:
        attribute = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        events = sorted(events, key=lambda event: getattr(event, attribute), reverse=True)
    columns = _columns(events, widths, profile_memory, with_flops, time_unit)
    shown = [event for event in events if not (top_level_only and event.cpu_parent is not None)]
    rule = "".join("-" * width + "  " for _, width, _, _ in columns)
    length = sum(width + 2 for _, width, _, _ in columns) - 2
    lines = []
    if header is not None:
        lines += ["=" * length, header]
    if top_level_only:
        lines += ["=" * length, _ONLY_TOP]
    lines += [rule, _row(columns, [name for name, _, _, _ in columns]), rule]
    has_lines = columns[-1][0] == "Source Location" or (len(columns) > 1 and columns[-2][0] == "Source Location")
    for event in shown if row_limit < 0 else shown[:row_limit]:
        lines.append(_row(columns, [value(event) for _, _, _, value in columns]))
        if has_lines:
            lines += _more_lines(columns, event)
    return "\n".join([*lines, rule, *_totals(events, time_unit)]) + "\n"


def _row(columns, values) -> str:
    return "".join(f"{value!s:{align}{width}}  " for (_, width, align, _), value in zip(columns, values, strict=True))


def _more_lines(columns, event) -> list:
    """The lines of the stack below the first one, and an empty one."""
    at, width = next((i, column[1]) for i, column in enumerate(columns) if column[0] == "Source Location")
    rows = [[_tail(entry, width) if i == at else "" for i in range(len(columns))] for entry in event.stack[1:]]
    return [_row(columns, row) for row in [*rows, [""] * len(columns)]]


def _totals(events, unit) -> list:
    lines = [f"Self CPU time total: {format_time(_sum(events, 'self_cpu_time_total'), unit)}"]
    if _on_device(events):
        name = (events[0].use_device or "None").upper()
        lines.append(f"Self {name} time total: {format_time(_sum(events, 'self_device_time_total'), unit)}")
    return lines


def _sum(events, attribute):
    return sum(getattr(event, attribute) for event in events)


def _on_device(events) -> bool:
    return any(event.self_device_time_total > 0 for event in events)


def _columns(events, widths, profile_memory, with_flops, unit) -> list:
    """(header, width, alignment, the value of an event) of each column."""
    most_name, most_shapes, most_source = widths
    width = _fitting(max(len(event.key) for event in events) + 4, most_name)
    found = [("Name", width, ">", lambda e: _clipped(e.key, most_name))]
    if any(event.overload_name for event in events):
        found.append(("Overload Name", width, ">", lambda e: _clipped(e.overload_name, most_name)))
    found += _times(events, unit)
    if profile_memory:
        found += _memories(events)
    found.append(("# of Calls", _WIDTH, ">", lambda e: e.count))
    if any(event.node_id != -1 for event in events):
        found.append(("Node ID", _WIDTH, ">", lambda e: e.node_id))
    if any(event.input_shapes for event in events):
        shapes = _fitting(max(len(str(event.input_shapes)) for event in events) + 4, most_shapes)
        found.append(("Input Shapes", shapes, ">", lambda e: str(e.input_shapes)[:shapes]))
    source = []
    if any(event.stack for event in events):
        place = _fitting(max(len(entry) for event in events for entry in event.stack or ()) + 4, most_source)
        source.append(("Source Location", place, "<", lambda e: _tail(e.stack[0], place) if e.stack else ""))
    return [*found, *source, *(_flops(events) if with_flops else ())]


def _fitting(needed, most) -> int:
    return needed if most is None else min(needed, most)


def _clipped(name, most) -> str:
    return name if most is None or len(name) < most - 3 else name[:most - 3] + "..."


def _times(events, unit) -> list:
    total = _sum(events, "self_cpu_time_total")
    found = [
        ("Self CPU %", _WIDTH, ">", lambda e: _share(e.self_cpu_time_total, total)),
        ("Self CPU", _WIDTH, ">", lambda e: format_time(e.self_cpu_time_total, unit)),
        ("CPU total %", _WIDTH, ">", lambda e: _share(e.cpu_time_total, total)),
        ("CPU total", _WIDTH, ">", lambda e: format_time(e.cpu_time_total, unit)),
        ("CPU time avg", _WIDTH, ">", lambda e: format_time(e.cpu_time, unit)),
    ]
    if _on_device(events):
        name, on_device = (events[0].use_device or "None").upper(), _sum(events, "self_device_time_total")
        found += [
            (f"Self {name}", _WIDTH, ">", lambda e: format_time(e.self_device_time_total, unit)),
            (f"Self {name} %", _WIDTH, ">", lambda e: _share(e.self_device_time_total, on_device)),
            (f"{name} total", _WIDTH, ">", lambda e: format_time(e.device_time_total, unit)),
            (f"{name} time avg", _WIDTH, ">", lambda e: format_time(e.device_time, unit)),
        ]
    return found


def _memories(events) -> list:
    found = [("CPU Mem", _WIDTH, ">", lambda e: _memory(e.cpu_memory_usage)),
             ("Self CPU Mem", _WIDTH, ">", lambda e: _memory(e.self_cpu_memory_usage))]
    if events[0].use_device and any(event.self_device_memory_usage > 0 for event in events):
        name = events[0].use_device.upper()
        found += [(f"{name} Mem", _WIDTH, ">", lambda e: _memory(e.device_memory_usage)),
                  (f"Self {name} Mem", _WIDTH, ">", lambda e: _memory(e.self_device_memory_usage))]
    return found


def _flops(events) -> list:
    """One scale for all: that of the smallest number."""
    counted = [event.flops for event in events if event.flops > 0]
    if not counted:
        return []
    power = max(0, min(int(math.log10(min(counted)) / 3), len(_FLOPS) - 1))
    return [(f"Total {_FLOPS[power]}", _WIDTH, ">",
             lambda e: f"{e.flops / 1000 ** power:8.3f}" if e.flops > 0 else "--")]
