"""Statements that begin so deep in a recursion that they end in a RecursionError, somewhere."""

import sys
import time

from tests.campaigns import interruptions
from tests.campaigns.loops_more import LOOPS
from tests.campaigns.report import Failure, Report

# Not where contexts are left and loaders go on in Python, PyTorch's as here: what has no room for it stays half done.
ASKED = tuple(name for name in LOOPS if name not in ("Loaded", "Watched"))


class Shallow:
    """Leaves a program so many calls.

    Args:
        room: how many, from where it is run.

    ``frame`` tells of it once the program has met the limit.
    """

    def __init__(self, room: int):
        self.room, self.frame = room, None

    def run(self, program) -> None:
        """Run the program until it meets the limit."""
        before, depth, frame = sys.getrecursionlimit(), 0, sys._getframe()
        while frame is not None:
            depth, frame = depth + 1, frame.f_back
        try:
            sys.setrecursionlimit(depth + self.room)  # it refuses what is too low by itself
            program()
        except RecursionError:
            self.frame = [f"room for {self.room} calls"]
        finally:
            sys.setrecursionlimit(before)


def run(seed: int, deadline: float, names=ASKED) -> Report:
    """Every statement with ever more room, until it ends. The seed is without effect."""
    report = Report()
    for name in names:
        for warm in interruptions.WARM[::2]:
            for place in range(len(LOOPS[name].statements)):
                for room in _rooms(deadline):
                    limit = Shallow(room)
                    case = f"examined({name!r}, {warm}, {place}, Shallow({room}), True)"
                    failure = interruptions.examined(name, warm, place, limit, True, Failure("", "", case, room))
                    report.cases += 1
                    report.points.add((name, warm, place, room))
                    if failure is not None:
                        report.failures.append(failure)
                    if limit.frame is None:
                        break
    return report


def _rooms(deadline):
    room = 3
    while time.monotonic() < deadline:
        yield room
        room += 1
