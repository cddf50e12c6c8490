"""Ctrl-C at every place of torchlike where a signal can arrive, in training loops of all kinds.

After each interruption: what was recorded before is right, and so is what comes next; each value of the loop is what it was
before the interrupted statement or what it is after it; the modes of the thread are as they were; the loop goes on as one
does that was stopped there; the background compiler has raised nothing.
"""

import dataclasses
import functools
import logging
import math
import random
import threading
import time

import torchlike
from tests.campaigns import modes, signals
from tests.campaigns.loops import LOOPS, unrelated
from tests.campaigns.report import Failure, Report
from torchlike._record.trace import state

GOES_ON = 2  # steps after the interruption
WARM = (0, 1, 4, 9)  # steps before it: what is recorded first, replayed, and compiled


def run(seed: int, deadline: float, names=tuple(LOOPS), most=math.inf,
        error: type[BaseException] = KeyboardInterrupt) -> Report:
    """Interrupt loops at places drawn by chance, each once, until all are done or the time is over."""
    report, cases = Report(), []
    for name in names:
        for warm in WARM:
            for place in range(len(LOOPS[name].statements)):
                cases += [(name, warm, place, i + 1, spot) for i, spot in enumerate(spots(name, warm, place))]
    random.Random(seed).shuffle(cases)
    for number, (name, warm, place, point, spot) in enumerate(cases):
        if time.monotonic() > deadline or number >= most:
            break
        failure = interrupted(name, warm, place, point, reads=number % 2 == 0, error=error)
        report.cases += 1
        report.points.add((name, warm, place, *spot))
        if failure is not None:
            report.failures.append(failure)
    return report


def spots(name, warm, place) -> list:
    """Where a signal can arrive in a statement of the step after `warm` steps."""
    loop = _begun(name, warm, place)
    tracer = signals.Interruption(0)
    signals.traced(getattr(loop, loop.statements[place]), tracer)
    return tracer.places


def _begun(name, warm, place):
    loop = LOOPS[name](torchlike)
    loop.run(warm)
    for statement in loop.statements[:place]:
        getattr(loop, statement)()
    return loop


@functools.cache
def expected(name, warm, place) -> tuple:
    """(state before the statement, after it, at the end if the loop goes on from either), without interruption."""
    states, ends = [], []
    for done in (place, place + 1):
        loop = _begun(name, warm, done)
        states.append(loop.look())
        loop.run(GOES_ON)
        ends.append(loop.look())
    return (*states, *ends)


def interrupted(name, warm, place, point, reads=True, error: type[BaseException] = KeyboardInterrupt) -> Failure | None:
    """Interrupt one statement at one place and look at everything. What is wrong, or None."""
    case = f"interrupted({name!r}, {warm}, {place}, {point}, reads={reads}, error={error.__name__})"
    return examined(name, warm, place, signals.Interruption(point, error=error), reads, Failure("", "", case, point))


def examined(name, warm, place, tracer, reads, failure: Failure) -> Failure | None:
    """Run one statement under a tracer, or what else stops it, and look at everything. The failure with where and what is
    wrong, or None, also if nothing has stopped the statement."""
    right = expected(name, warm, place)
    loop = _begun(name, warm, place)
    held, complaints = modes.snapshot(), []
    with _Background() as background:
        try:
            with unrelated(torchlike):
                tracer.run(getattr(loop, loop.statements[place]))
                if tracer.frame is None:
                    return None  # what is done once only takes fewer places now
                complaints += modes.changed(held)
                modes.restore(held)
            found = loop.look() if reads else None
            loop.run(GOES_ON)
            complaints += wrong(None if loop.writes_often else found, loop.look(), right, loop.between(right[1]))
        except BaseException as raised:  # noqa: BLE001 - whatever it is, it is the failure
            complaints.append(f"{type(raised).__name__}: {raised}")
    complaints += background.complaints
    if not complaints:
        return None
    modes.restore(held)
    state.trace._reset()
    where = " < ".join((tracer.frame or ["not reached"])[:3])
    return dataclasses.replace(failure, where=where, what="; ".join(complaints)[:300])


def wrong(found, end, right, between=()) -> list:
    """What a state after the interruption, if somebody has looked, and at the end has that it should not have."""
    before, after, from_before, from_after = right
    if found is not None:
        torn = [key for key in {**before, **after, **found}
                if not any(_near(found.get(key), allowed.get(key)) for allowed in (before, after, *between))]
        if torn:
            return [f"{key} is neither as before nor as after: {found.get(key)}" for key in torn[:1]]
        ends = [end_of for start, end_of in ((before, from_before), (after, from_after)) if _same(found, start)]
        if ends and not any(_same(end, allowed) for allowed in ends):
            return ["the loop goes on to another end"]
    if set(end) != set(from_before) or not all(_finite(value) for value in end.values()):
        return ["the end has other values, or such as are not finite"]
    return []


def _same(found, wanted) -> bool:
    return set(found) == set(wanted) and all(_near(value, wanted[key]) for key, value in found.items())


def _near(a, b) -> bool:
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(_near(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5)
    return a == b


def _finite(value) -> bool:
    return all(_finite(x) for x in value) if isinstance(value, list) else math.isfinite(value)


class _Background(logging.Handler):
    """What threads raise, and what is logged as an error or warning, meanwhile."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.complaints = []

    def emit(self, record):
        self.complaints.append(f"logged: {record.getMessage()}")

    def _raised(self, arguments):
        self.complaints.append(f"in {arguments.thread}: {arguments.exc_value!r}")

    def __enter__(self):
        self._before, threading.excepthook = threading.excepthook, self._raised
        logging.getLogger().addHandler(self)
        return self

    def __exit__(self, *error):
        threading.excepthook = self._before
        logging.getLogger().removeHandler(self)
