"""Ctrl-C at every place of torchlike where a signal can arrive, in training loops of all kinds.

After each interruption: what was recorded before is right, and so is what comes next; each value of the loop is what it is
under PyTorch before the interrupted statement or after it; the modes of the thread are as they were; the loop goes on as
PyTorch's does from there; the background compiler has raised nothing.
"""

import collections
import contextlib
import dataclasses
import functools
import logging
import math
import os
import random
import threading
import time
import traceback

import torch

import torchlike
from tests.campaigns import modes, signals
from tests.campaigns.fresh import afresh
from tests.campaigns.loops import unrelated
from tests.campaigns.loops_more import LOOPS
from tests.campaigns.report import Failure, Report
from torchlike._record.trace import state

GOES_ON = 2  # steps after the interruption
# PyTorch's own transforms and contexts do not survive it.
_SOUND = ("optim", "nn", os.path.join("utils", "data"))
_TORCH = (*(os.path.join(os.path.dirname(torch.__file__), part, "") for part in _SOUND),
          os.path.join(os.path.dirname(__file__), "loops"))
WARM = (0, 1, 2)  # steps before it: states that are made, the first replay, what goes on for ever
SLOW = 5  # times what others take, a place costs where all is traced anew
HEATED = 12  # steps of a loop beforehand, so that what it records is known and compiled in the loops that follow


def run(seed: int, deadline: float, names=tuple(LOOPS), most: float = math.inf,
        error: type[BaseException] = KeyboardInterrupt, each: int = 50) -> Report:
    """Interrupt statements drawn by chance until all places are done or the time is over: in each statement first each place
    once, at one of the times that it comes by, then at the other times. What was not interrupted is no case.

    Args:
        each: how many places of a statement are taken before the next statement, since it takes a while to begin with one.
    """
    report, draw, left = Report(), random.Random(seed), {}
    statements = [(name, warm, place, fresh) for name in names for place in range(len(LOOPS[name].statements))
                  for warm, fresh in ((0, True), *((warm, False) for warm in WARM))]
    with _one_thread():
        while statements and time.monotonic() < deadline and report.cases < most:
            statement = draw.choice(statements)
            if statement not in left:
                _heat(statement[0])
                met = spots(*statement)
                left[statement] = met, _order(met, draw)
            met, order = left[statement]
            share = -(-each // SLOW) if statement[-1] else each
            points = order[-share:]
            del order[-share:]
            if not points:
                statements.remove(statement)
            for point in points[:min(share, most - report.cases)]:
                _interrupt(report, statement, met, point, error)
    report.notes += [f"{name}: {count} points" for name, count in sorted(collections.Counter(
        name for name, *_ in report.points).items())]
    return report


@contextlib.contextmanager
def _one_thread():
    """PyTorch's threads are not worth waiting for with so few numbers."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@functools.cache
def _heat(name) -> None:
    LOOPS[name](torchlike).run(HEATED)


def _interrupt(report, statement, met, point, error) -> None:
    tracer = signals.Interruption.at(met, point, error)
    failure = _interrupted(tracer, *statement, point, report.cases % 2 == 0)
    if tracer.spot is not None:  # else it takes fewer places now, since something is done once only
        report.cases += 1
        report.points.add((*statement, *tracer.spot))
    if failure is not None:
        report.failures.append(failure)


def _order(met, draw) -> list:
    """The numbers of places, from 1 on, in an order drawn by chance; those at spots not yet met come last, to be taken
    first."""
    numbers = [*range(1, len(met) + 1)]
    draw.shuffle(numbers)
    first = {met[number - 1]: number for number in numbers}
    return [number for number in numbers if first[met[number - 1]] != number] + [*first.values()]


def spots(name, warm, place, fresh=False) -> list:
    """Where a signal can arrive in a statement of the step after `warm` steps, when it is not run for the first time."""
    tracer = signals.Interruption(0)
    for run in (lambda statement: statement(), tracer.run):
        loop = begun(torchlike, name, warm, place)
        with _caches(fresh):
            run(getattr(loop, loop.statements[place]))
    return tracer.places


def _caches(fresh):
    return afresh() if fresh else contextlib.nullcontext()


def begun(package, name, warm, place):
    """The loop after `warm` steps and, of the next one, `place` statements."""
    loop = LOOPS[name](package)
    loop.run(warm)
    for statement in loop.statements[:place]:
        getattr(loop, statement)()
    return loop


@functools.cache
def expected(name, warm, place) -> tuple:
    """PyTorch's state before the statement and after it, each with the end that the loop goes on to from there."""
    return tuple(_with_end(begun(torch, name, warm, done)) for done in (place, place + 1))


@functools.cache
def left_by_torch(name, warm, place) -> list:
    """The states, with ends, that PyTorch leaves where its own Python, or a hook of the loop, is interrupted in a
    statement: once at each place."""
    loop = begun(torch, name, warm, place)
    tracer, found, met = signals.Interruption(0, among=_of_torch), [], set()
    signals.traced(getattr(loop, loop.statements[place]), tracer)
    for number, spot in enumerate(tracer.places, 1):
        if spot in met:
            continue
        met.add(spot)
        loop = begun(torch, name, warm, place)
        with torch.enable_grad():
            signals.Interruption(number, among=_of_torch).run(getattr(loop, loop.statements[place]))
        if loop.look() not in [state for state, _ in found]:
            found.append(_with_end(loop))
    return found


def _of_torch(code) -> bool:
    return code.co_filename.startswith(_TORCH)


def _with_end(loop) -> tuple:
    """The state, and the end: None where PyTorch itself does not go on, as after the half of an optimizer's new state."""
    found = loop.look()
    try:
        loop.run(GOES_ON)
    except Exception:  # noqa: BLE001 - what it raises depends on the half
        return found, None
    return found, loop.look()


def interrupted(name, warm, place, point, fresh=False, reads=True,
                error: type[BaseException] = KeyboardInterrupt) -> Failure | None:
    """Interrupt one statement at one place and look at everything. What is wrong, or None."""
    tracer = signals.Interruption.at(spots(name, warm, place, fresh), point, error)
    return _interrupted(tracer, name, warm, place, fresh, point, reads)


def _interrupted(tracer, name, warm, place, fresh, point, reads) -> Failure | None:
    case = f"interrupted({name!r}, {warm}, {place}, {point}, {fresh}, reads={reads}, error={tracer.error.__name__})"
    return examined(name, warm, place, tracer, reads, Failure("", "", case, point), fresh)


def examined(name, warm, place, tracer, reads, failure: Failure, fresh=False) -> Failure | None:
    """Run one statement under a tracer, or what else stops it, and look at everything. The failure with where and what is
    wrong, or None, also if nothing has stopped the statement. `fresh`: nothing was recorded, traced or compiled before."""
    held, complaints = modes.snapshot(), []
    with contextlib.ExitStack() as stack:
        background = stack.enter_context(_Background())
        try:
            loop = begun(torchlike, name, warm, place)
            held = modes.snapshot()
            stack.enter_context(_caches(fresh))
            with unrelated(torchlike):
                tracer.run(getattr(loop, loop.statements[place]))
                if tracer.frame is None:
                    return None  # what is done once only takes fewer places now
                complaints += modes.changed(held)
                modes.restore(held)
            found = loop.look() if reads else None
            loop.run(GOES_ON)
            complaints += wrong(found, loop.look(), (name, warm, place))
        except BaseException as raised:  # noqa: BLE001 - whatever it is, it is the failure
            last = traceback.extract_tb(raised.__traceback__)[-1]
            complaints.append(f"{type(raised).__name__}: {raised} ({os.path.basename(last.filename)}:{last.lineno})")
    complaints += background.complaints
    if not complaints:
        return None
    modes.restore(held)
    state.trace._reset()
    where = " < ".join((tracer.frame or ["not reached"])[:3])
    return dataclasses.replace(failure, where=where, what="; ".join(complaints)[:300])


def wrong(found, end, statement) -> list:
    """What a state after the interruption of a statement, if somebody has looked, and at the end has that it should not
    have: each value is one that PyTorch leaves, and a whole state that it leaves goes on as it does there."""
    right = expected(*statement)
    if found is not None:
        alike = LOOPS[statement[0]].goes_on_alike
        torn, strays = _torn(found, right), alike and _strays(found, end, right)
        if torn or strays:
            right = [*right, *left_by_torch(*statement)]
            torn, strays = _torn(found, right), alike and _strays(found, end, right)
        if torn:
            return [f"{torn[0]} is neither as before nor as after: {found.get(torn[0])}"]
        if strays:
            return ["the loop goes on to another end"]
    if set(end) != set(right[0][1]) or not all(_finite(value) for value in end.values()):
        return ["the end has other values, or such as are not finite"]
    return []


def _torn(found, right) -> list:
    keys = {key: None for state in (found, *(state for state, _ in right)) for key in state}
    return [key for key in keys if not any(near(found.get(key), state.get(key)) for state, _ in right)]


def _strays(found, end, right) -> bool:
    ends = [later for state, later in right if later is not None and near(found, state)]
    return bool(ends) and not any(near(end, later) for later in ends)


def near(a, b) -> bool:
    """Whether plain values are equal, floats nearly."""
    if isinstance(a, dict) and isinstance(b, dict):
        return set(a) == set(b) and all(near(value, b[key]) for key, value in a.items())
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(near(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5)
    return a == b


def _finite(value) -> bool:
    if isinstance(value, list):
        return all(_finite(x) for x in value)
    return value is None or math.isfinite(value)


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
