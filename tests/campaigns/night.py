"""A process that trains all night takes no more memory, mappings or open files at its end, and no more time for a step."""

import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy as np

from tests.campaigns.report import Failure, Report

ROOT = pathlib.Path(__file__).parents[2]
STEPS = 200_000  # a night; there is another one while time is left
BYTES = 1024  # more for each step is too much
SLOWER = 1.3  # times what a step took after the first tenth
SAMPLES = 80  # of a night
BOUNDED = ("torchlike._compile.avals._INTERNED", "torchlike._record.views._PICKED")  # containers with a bound of their own


def given(seed: int, seconds: float, steps: float = STEPS, **settings) -> dict:
    """What `night_steps` is given. `settings`: torchlike's."""
    return {"seed": seed, "seconds": seconds, "steps": steps, "settings": settings}


def spent(night: dict) -> tuple:
    """(the samples of a night, what is wrong with how it ended or None)."""
    found = subprocess.run([sys.executable, "-W", "error", "-X", "faulthandler", "-m", "tests.campaigns.night_steps",
                            json.dumps(night | {"samples": SAMPLES})], cwd=ROOT, capture_output=True, text=True, check=False)
    samples = [json.loads(line) for line in found.stdout.splitlines()]
    return samples, f"status {found.returncode}: {found.stderr[-3000:]}" if found.returncode or found.stderr else None


# -- what is expected

def slope(samples: list, what: str) -> float:
    """By how much `what` rises a step."""
    return float(np.polyfit([s["step"] for s in samples], [s[what] for s in samples], 1)[0])


def _rise(samples: list, of) -> tuple:
    """The most in the first half, and in the second."""
    values, half = [of(s) for s in samples], len(samples) // 2
    return max(values[:half]), max(values[half:])


def complaints(samples: list) -> dict:
    """What is wrong with how a night went, by what it is about. The first tenth is left out."""
    rest = [s for s in samples if s["step"] > samples[-1]["step"] / 10]
    found = {}
    rising = slope(rest, "resident")
    if rising > BYTES:
        found["resident"] = f"{rising:.0f} bytes a step"
    for what, slack in (("mappings", 64), ("files", 0)):
        first, second = _rise(rest, lambda s, what=what: s[what])
        if second > first * 1.05 + slack:
            found[what] = f"{first}, then {second}"
    return found | _of_caches(rest) | _of_objects(rest) | _of_times(rest)


def _of_caches(rest) -> dict:
    found = {f"cache {name}": f"{size} of {bound}"
             for s in rest for name, (size, bound) in s["bounded"].items() if size > bound}
    for name in rest[-1]["unbounded"]:
        first, second = _rise(rest, lambda s, name=name: s["unbounded"].get(name, 0))
        if second > first + 4 and name not in rest[-1]["bounded"] and name not in BOUNDED:
            found[f"container {name}"] = f"{first}, then {second}"
    return found


def _of_objects(rest) -> dict:
    found = {}
    for name in rest[-1]["objects"]:
        first, second = _rise(rest, lambda s, name=name: s["objects"][name])
        if second > first * 1.5 + 50:
            found[f"objects {name}"] = f"{first}, then {second}"
    return found


def _of_times(rest) -> dict:
    """Of the kinds of steps that are there often enough."""
    found, part = {}, max(len(rest) // 4, 1)
    for kind in rest[0]["times"]:
        first, last = ([s["times"][kind] for s in some if kind in s["times"]] for some in (rest[:part], rest[-part:]))
        if len(first) == part == len(last) and statistics.median(last) > SLOWER * statistics.median(first):
            found[f"time of {kind}"] = f"{statistics.median(first) * 1e6:.0f} us, then {statistics.median(last) * 1e6:.0f}"
    return found


def described(samples: list) -> str:
    """The figures of a night."""
    last = samples[-1]
    rest = [s for s in samples if s["step"] > last["step"] / 10]
    parts = rest[:len(rest) // 4 + 1], rest[-(len(rest) // 4 + 1):]
    times = [statistics.median(s["times"]["again"] for s in part) * 1e6 for part in parts]
    mappings, files = ([f(s[what] for s in rest) for f in (min, max)] for what in ("mappings", "files"))
    return (f"{last['step']} steps in {last['seconds']:.0f} s, {last['models']} models, {last['shapes']} shapes: resident "
            f"{rest[0]['resident'] >> 20} to {last['resident'] >> 20} MB, {slope(rest, 'resident'):.0f} bytes a step; "
            f"mappings {mappings[0]} to {mappings[1]}, files {files[0]} to {files[1]}; "
            f"a step {times[0]:.0f} us, then {times[1]:.0f}")


def run(seed: int, deadline: float, **of_night) -> Report:
    """Nights until the deadline, of `STEPS` steps. The first may be shorter, the last one is no shorter than half of one."""
    report, took = Report(), 0.0
    for number in itertools.count():
        left = deadline - time.monotonic()
        if number and left < max(took / 2, 60):
            return report
        night = given(seed * 1_000_003 + number, left, **of_night)
        samples, end = spent(night)
        took = left - (deadline - time.monotonic())
        case = f"spent({night!r})"
        if end is not None:
            report.failures.append(Failure("end", end, case, 0))
        if len(samples) < 8:
            report.failures.append(Failure("end", f"{len(samples)} samples", case, 0))
            return report
        report.cases += samples[-1]["step"]
        report.points |= {(kind, number) for kind in samples[-1]["times"]}
        report.failures += [Failure(*complaint, case, samples[-1]["step"]) for complaint in complaints(samples).items()]
        report.notes.append(described(samples))
        if samples[-1]["step"] < night["steps"]:
            return report
