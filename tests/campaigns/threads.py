"""Threads compute at once, under a scheduler that changes between them as often as it can, what PyTorch does serially."""

import json
import random
import time

from tests.campaigns.processes import finished
from tests.campaigns.report import Failure, Report
from tests.campaigns.thread_uses import GROUPS

ROUNDS = 12  # of a process
LIMIT = 150  # seconds for a process
SETTINGS = ({}, {"hot": 1, "patience": 0.0, "cache": "off"}, {"compile": "now", "cache": "off"}, {"compile": "off"},
            {"max_kernels": 60, "max_nodes": 400, "max_programs": 4}, {"max_trace": 7, "hot": 1, "patience": 0.0})


def program(seed: int, names=tuple(GROUPS)) -> dict:
    """What `threaded` is given."""
    draw = random.Random(seed)
    settings = draw.choice(SETTINGS)
    # Where traces run in the midst of a thread's work, its errors come at a later line of it, and others may read before.
    names = [name for name in names if name != "Expected" or "max_trace" not in settings]
    rounds = [[[draw.choice(names) for _ in range(draw.choice([1, 1, 2, 2, 3]))], draw.randrange(1 << 30)]
              for _ in range(ROUNDS)]
    return {"settings": settings, "rounds": rounds}


def examined(given: dict) -> list:
    """The failures of a program."""
    out, errors, status = finished("tests.campaigns.threaded", given, LIMIT)
    lines, failures = out.splitlines(), []
    for (names, seed), line in zip(given["rounds"], lines, strict=False):
        case = f"examined({ {**given, 'rounds': [[names, seed]]} !r})"
        failures += [Failure(where, what, case, len(names)) for where, what in json.loads(line)]
    if status != 0:
        left = given["rounds"][len(lines):][:1]
        failures.append(Failure(f"status {status}", errors[-6000:], f"examined({ {**given, 'rounds': left} !r})", 1))
    return failures


def run(seed: int, deadline: float, most: float = float("inf"), names=tuple(GROUPS)) -> Report:
    """Programs by chance until the deadline, or `most` of them."""
    report, tried = Report(), 0
    while time.monotonic() < deadline and tried < most:
        given = program(seed * 1_000_003 + tried, names)
        tried += 1
        report.failures += examined(given)
        report.cases += len(given["rounds"])
        report.points |= {(*sorted(names), json.dumps(given["settings"])) for names, _ in given["rounds"]}
    return report
