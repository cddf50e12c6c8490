"""One operation looked at: what a read costs beyond recording what is read."""

import statistics
import time
from collections.abc import Callable
from types import ModuleType

from benchmarks.first.training import Sizes, seconds

RECORDED = 100  # results recorded, and looked at never


def exp(x):
    return x.exp().sum()


def scaled(x):
    return (x * 1.5).exp().sum()


LOOKED_AT = {"exp": exp, "scaled": scaled}


def looks(torch: ModuleType, sizes: Sizes) -> dict:
    """Seconds a look, the first ones and those that follow; and, over recording alone, those that follow."""
    torch.manual_seed(0)
    x = torch.randn(8, 8)
    found = {}
    for name, function in LOOKED_AT.items():
        first, later = (_each(lambda f=function: f(x).item(), sizes.looks) for _ in range(2))
        recording = _recording(lambda f=function: f(x))
        found |= {f"{name}_first": first, f"{name}_later": later, f"{name}_over": later - recording}
    return found


def _each(call: Callable, count: int) -> float:
    """The mean, since what a user waits for is the sum."""
    return sum(seconds(call) for _ in range(count)) / count


def _recording(call: Callable) -> float:
    """Seconds to record `call`, as the median over blocks: nobody looks but at the last result."""
    blocks = []
    for _ in range(20):
        start = time.perf_counter()
        result = call()
        for _ in range(RECORDED - 1):
            result = call()
        blocks.append((time.perf_counter() - start) / RECORDED)
        result.item()
    return statistics.median(blocks)
