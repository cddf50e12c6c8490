"""What is asked of a plan: each check yields what is wrong, as text."""

import math
from collections.abc import Iterator

CLOSE = 0.1
KINDS = ("parameters", "gradients", "moments", "buffers", "saved for backward")


def unlike_measured(way: dict, measured: dict) -> Iterator[str]:
    """Where a way of a plan, as data, is not what a rank has measured: within 10 % of memory, and to the byte of what is
    sent.

    Args:
        way: an element of "ways".
        measured: what benchmarks/scaled.py has printed.
    """
    for kind in KINDS:
        planned, there = way["memory"][kind], measured[kind]
        if abs(planned - there) > CLOSE * there:
            yield f"{kind}: {planned:.0f} planned, {there} there"
    total = sum(measured[kind] for kind in KINDS)
    if abs(way["total"] - total) > CLOSE * total:
        yield f"in all: {way['total']:.0f} planned, {total} there"
    sent = [(x["count"], x["bytes"]) for x in way["collectives"] if x["kind"] == "all-reduce"]
    if measured["sent"] and sent != [(len(measured["sent"]), sum(measured["sent"]))]:
        yield f"all-reduces: {sent} planned, {measured['sent']} sent"


# Of the chip: units, FLOP a cycle and unit in the dtype, GHz; memory: bits of the bus, Gb/s of each.
CHIPS = {
    "h100": {"bfloat16": (132, 4096, 1.83), "tf32": (132, 2048, 1.83), "float32": (132, 256, 1.98), "bus": (5120, 5.23)},
    "h200": {"bfloat16": (132, 4096, 1.83), "tf32": (132, 2048, 1.83), "float32": (132, 256, 1.98), "bus": (6144, 6.25)},
    "a100-40": {"bfloat16": (108, 2048, 1.41), "tf32": (108, 1024, 1.41), "float32": (108, 128, 1.41), "bus": (5120, 2.43)},
    "a100-80": {"bfloat16": (108, 2048, 1.41), "tf32": (108, 1024, 1.41), "float32": (108, 128, 1.41), "bus": (5120, 3.19)},
    "b200": {"bfloat16": (148, 8192, 1.86), "tf32": (148, 4096, 1.86), "float32": (148, 256, 1.98), "bus": (8192, 7.6)},
    "v100": {"float16": (80, 1024, 1.53), "float32": (80, 128, 1.53), "float64": (80, 64, 1.53), "bus": (4096, 1.755)},
    "l40s": {"bfloat16": (142, 1024, 2.49), "tf32": (142, 512, 2.52), "float32": (142, 256, 2.52), "bus": (384, 18.0)},
    "tpu-v4": {"bfloat16": (8, 2 * 128 ** 2, 1.05)},
    "tpu-v5e": {"bfloat16": (4, 2 * 128 ** 2, 1.5)},
    "tpu-v5p": {"bfloat16": (8, 2 * 128 ** 2, 1.75)},
    "cpu": {"float32": (64, 32, 2.45), "float64": (64, 16, 2.45), "bus": (512, 3.2)},
}


def unlike_chip(device) -> Iterator[str]:
    """Where a data sheet is not what the chip's units, clock and bus come to, within 4 %."""
    for name, parts in CHIPS[device.name].items():
        made = math.prod(parts) * 1e9 / (8 if name == "bus" else 1)
        told = device.bandwidth if name == "bus" else device.flops[name]
        if abs(told - made) > 0.04 * made:
            yield f"{device.name}, {name}: {told:.4g}, but the chip comes to {made:.4g}"
