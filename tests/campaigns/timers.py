"""A timer of the system goes off in training loops at microseconds drawn by chance, and its handler raises TimeoutError.

Unlike `interruptions`, which counts places, a signal comes while compiled code runs, in jax and in the standard library too.
What is looked at afterwards is the same.
"""

import functools
import inspect
import random
import signal
import sys
import time

import torchlike
from tests.campaigns import interruptions, signals
from tests.campaigns.loops_more import LOOPS
from tests.campaigns.report import Failure, Report


class Timer:
    """Raises TimeoutError in a program after so many seconds, as soon as a place is met where that may be.

    ``frame`` is where it did. Only the main thread can run it.
    """

    def __init__(self, seconds: float):
        self.seconds, self.frame, self.spot = seconds, None, None

    def run(self, program) -> None:
        """Run the program until the timer goes off."""
        before = signal.signal(signal.SIGALRM, self._handle)
        told, sys.unraisablehook = sys.unraisablehook, lambda unraisable: None  # of the collector's callbacks
        try:
            signal.setitimer(signal.ITIMER_REAL, self.seconds)
            program()
        except TimeoutError:
            if self.frame is None:
                raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            sys.unraisablehook = told

    def _handle(self, number, frame):
        if frame.f_code is Timer.run.__code__:  # the program has not begun, or has ended
            return
        if not _allowed(frame):
            signal.setitimer(signal.ITIMER_REAL, 1e-6)
            return
        self.spot = (frame.f_code, frame.f_lasti)
        self.frame = signals.names(frame)
        raise TimeoutError


def _allowed(frame) -> bool:
    """Whether PyTorch's own Python code would survive an exception at this place: see `signals.points`. A generator that is
    being closed swallows it, and what the standard library does while it leaves a context is no better."""
    code = frame.f_code
    if code.co_flags & inspect.CO_GENERATOR or code.co_name in ("__exit__", "__del__"):
        return False
    return frame.f_lasti in signals.points(code) if signals.in_package(code) else True


@functools.cache
def _duration(name, warm, place) -> float:
    loop = interruptions.begun(torchlike, name, warm, place)
    before = time.perf_counter()
    getattr(loop, loop.statements[place])()
    return time.perf_counter() - before


def run(seed: int, deadline: float, names=tuple(LOOPS), most: int | None = None) -> Report:
    """Statements and times drawn by chance until the time is over."""
    report, draw = Report(), random.Random(seed)
    while time.monotonic() < deadline and (most is None or report.cases < most):
        name, warm = draw.choice(names), draw.choice(interruptions.WARM)
        place = draw.randrange(len(LOOPS[name].statements))
        timer = Timer(max(draw.random() * _duration(name, warm, place), 1e-6))
        case = f"examined({name!r}, {warm}, {place}, Timer({timer.seconds}), True)"
        failure = interruptions.examined(name, warm, place, timer, draw.random() < 0.5, Failure("", "", case, warm))
        report.cases += 1
        if timer.spot is not None:
            report.points.add((name, warm, place, *timer.spot))
        if failure is not None:
            report.failures.append(failure)
    return report
