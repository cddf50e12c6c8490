"""Exceptions from the user's own code, wherever it is called: PyTorch and torchlike are left in the same state.

Both run the same loop to the same call of a hook, a mode, a Function, a transform's body and so on, which raises. What
comes out, values, gradients, versions, the optimizers' states and the thread's modes are compared; then a second backward
pass; then the loop goes on.
"""

import random
import time

import torch

import torchlike
from compat import compare
from compat.compare.tolerances import TRAINED
from tests.campaigns.interruptions import GOES_ON
from tests.campaigns.loops_raising import LOOPS
from tests.campaigns.report import Failure, Report


class Stop(Exception):
    """What a user raises."""


ERRORS = {error.__name__: error for error in (Stop, KeyboardInterrupt, MemoryError, RecursionError, TimeoutError,
                                              GeneratorExit)}
WARM = (0, 1, 4)


def run(seed: int, deadline: float, names=tuple(LOOPS), most: int | None = None) -> Report:
    """Raise at calls drawn by chance, each once with each class, until all are done or the time is over."""
    report = Report()
    cases = [(name, warm, place, stop, error, again) for name in names for warm in WARM
             for place in range(len(LOOPS[name].statements)) for stop in range(1, _count(name, warm, place) + 1)
             for error in ERRORS for again in (False, True)]
    random.Random(seed).shuffle(cases)
    for case in cases[:most]:
        if time.monotonic() > deadline:
            break
        report.cases += 1
        report.points.add(case[:4])
        found = difference(*case)
        if found:
            statement = LOOPS[case[0]].statements[case[2]]
            report.failures.append(Failure(f"{case[0]}.{statement}", found[:300], f"raising.difference{case!r}", case[3]))
    return report


def difference(name, warm, place, stop, error, again) -> str:
    """What differs where the call number `stop` of one statement raises, "" if nothing does.

    Args:
        name: the loop.
        warm: how many steps come first.
        place: the statement.
        stop: which call of the user's code raises.
        error: the name of the class.
        again: whether a second backward pass is tried.
    """
    want, got = (_outcome(package, name, warm, place, stop, ERRORS[error], again) for package in (torch, torchlike))
    return compare.difference(want, got, TRAINED)


def _begun(package, name, warm, place):
    loop = LOOPS[name](package)
    loop.run(warm)
    for statement in loop.statements[:place]:
        getattr(loop, statement)()
    loop.visits.clear()
    return loop, getattr(loop, loop.statements[place])


def _count(name, warm, place) -> int:
    loop, statement = _begun(torch, name, warm, place)
    statement()
    return len(loop.visits)


def _outcome(package, name, warm, place, stop, error, again) -> dict:
    loop, statement = _begun(package, name, warm, place)
    loop.stop, loop.error = stop, error
    found = {"raised": _raised(statement), "visits": [*loop.visits]}
    loop.stop = None
    found["modes"] = _modes(package)
    found["left"] = loop.look()
    if again and loop.loss is not None:
        found["again"] = _raised(loop.loss.backward)
        found["left again"] = loop.look()
    found["goes on"] = _raised(lambda: loop.run(GOES_ON))
    found["all visits"] = loop.visits
    return {**found, "end": loop.look()}


def _raised(function) -> list:
    try:
        function()
    except BaseException as error:  # noqa: BLE001 - the exception is the result
        return [type(error).__name__, compare.clean(str(error)), type(error.__cause__).__name__]
    return []


def _modes(package) -> dict:
    """What holds for the thread, as far as PyTorch tells."""
    w = package.ones(2, requires_grad=True)
    product = (w * w + package.rand(2)).sum()
    return {"grad": package.is_grad_enabled(), "inference": package.is_inference_mode_enabled(),
            "autocast": package.is_autocast_enabled("cpu"), "anomaly": package.is_anomaly_enabled(),
            "device": str(package.get_default_device()), "product": product.item(),
            "backward": _raised(product.backward), "vmap": package.vmap(lambda x: x * 2)(w.detach()).tolist(),
            "slope": package.func.grad(lambda x: x.sin())(package.ones(())).item()}
