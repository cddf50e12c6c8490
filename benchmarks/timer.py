"""The one timer of the benchmarks: blocks of steps, and what their results cost to look at."""

import contextlib
import dataclasses
import statistics
import time
from collections.abc import Callable

PATIENCE = 0.005  # see `hurried`
BLOCK = 0.05  # seconds that a block of steps should take at least


@dataclasses.dataclass
class Timing:
    """Seconds a step, as the median over blocks, and how many steps were timed."""

    seconds: float
    steps: int


def timed(step: Callable, look: Callable, count: int, every: bool) -> float:
    """Seconds for `count` steps, each result looked at if `every`, else the last alone."""
    start = time.perf_counter()
    for _ in range(count - 1):
        result = step()
        if every:
            look(result)
    look(step())
    return time.perf_counter() - start


def block_size(step: Callable, look: Callable, every: bool, least: int = 1) -> int:
    """Steps in a block that takes about `BLOCK` seconds, at least so many."""
    count = least
    while (took := timed(step, look, count, every)) < BLOCK:
        count = max(count + 1, min(count * 8, int(count * BLOCK / max(took, 1e-6)) + 1))
    return count


def measure(step: Callable, look: Callable, every: bool, seconds: float, least: int = 1) -> Timing:
    """Blocks of at least `least` steps, for at least `seconds` and at least 5 of them."""
    count = block_size(step, look, every, least)
    samples: list[float] = []
    end = time.perf_counter() + seconds
    while len(samples) < 5 or time.perf_counter() < end:
        samples.append(timed(step, look, count, every) / count)
    return Timing(statistics.median(samples), count * len(samples))


def warm_up(step: Callable, look: Callable, busy: Callable[[], object], least: float, most: float) -> float:
    """Run steps until `busy()` (what the compiler has done so far) stays the same for `least` seconds, for
    `most` seconds at most. Returns the seconds it took."""
    start = changed = time.perf_counter()
    state = busy()
    while (now := time.perf_counter()) - changed < least and now - start < most:
        look(step())
        if (new := busy()) != state:
            state, changed = new, time.perf_counter()
    return time.perf_counter() - start


def hurried(library) -> contextlib.AbstractContextManager:
    """Inside, torchlike compiles after its first runs what it would compile after seconds or minutes of them."""
    return library.configure(patience=PATIENCE)


def compiling(library) -> Callable[[], tuple]:
    """`busy` of `warm_up` for torchlike."""
    def busy() -> tuple:
        counted = library.counters()
        # What is too small to be compiled runs cold for ever.
        return counted["programs"], counted["misses"], counted["cold_runs"] if counted["pending"] else 0

    return busy
