"""`torch.utils.benchmark`: how long a statement takes. https://pytorch.org/docs/stable/benchmark_utils.html

What a run of the statement has computed is waited for, so that a run is what it would be for a user who looks at the result.
"""

import dataclasses
import math
import time
import timeit
from typing import Any

import jax
import numpy as np

from torchlike._api import streams
from torchlike._base import absent
from torchlike._base.errors import UnsupportedError
from torchlike._record.tensor import Tensor
from torchlike._record.trace import force
from torchlike.utils._pytree import tree_map_only_

_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_SUSPICIOUS, _BAD = 0.1, 0.25  # of the interquartile range in parts of the median
_MOST_RUNS = 2 ** 30
_compare = "torch.utils.benchmark.{} is not supported: print a Measurement"
Compare, Fuzzer, CallgrindStats = (
    absent.uninstantiable(name, __name__, UnsupportedError, _compare.format(name))
    for name in ("Compare", "Fuzzer", "CallgrindStats"))


def timer() -> float:
    """The time in seconds, when all that has been recorded is done."""
    streams.settle(())
    return time.perf_counter()


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time is best told.

    Args:
        t: seconds.

    Returns:
        ("us", 1e-6), say.
    """
    exponent = math.floor(math.log10(t) / 3) if t > 0 else 0
    name = {-3: "ns", -2: "us", -1: "ms"}.get(exponent, "s")
    return name, _UNITS[name]


@dataclasses.dataclass(frozen=True)
class TaskSpec:
    """What was measured.

    Args:
        stmt, setup, global_setup: the code.
        label, sub_label, description, env: words of the user about it.
        num_threads: of the measurement.
    """

    stmt: str
    setup: str = "pass"
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        """The label, or the statement, and the other words."""
        if self.label is not None:
            return self.label + (f": {self.sub_label}" if self.sub_label else "")
        return self.stmt.replace("\n", "; ")

    def summarize(self) -> str:
        """The title and the description, or the setup, as a text."""
        shown = [self.title, self.description or ""]
        if self.label is None and self.setup != "pass":
            shown.append(f"setup: {self.setup.strip()}")
        return "\n".join(line for line in shown if line)


@dataclasses.dataclass(repr=False)
class Measurement:
    """What was found.
    https://pytorch.org/docs/stable/benchmark_utils.html#torch.utils.benchmark.Measurement

    Args:
        number_per_run: how often the statement ran for each of the times.
        raw_times: seconds.
        task_spec: what was measured.
        metadata: the user's.
    """

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict | None = None

    def __getattr__(self, name: str) -> Any:
        if name in {field.name for field in dataclasses.fields(TaskSpec)}:
            return getattr(self.task_spec, name)
        raise AttributeError(f"'Measurement' object has no attribute '{name}'")

    @property
    def times(self) -> list[float]:
        """Seconds of one run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def median(self) -> float:
        """Of the times."""
        return float(np.median(self.times))

    @property
    def mean(self) -> float:
        """Of the times."""
        return float(np.mean(self.times))

    @property
    def iqr(self) -> float:
        """The interquartile range."""
        low, high = np.quantile(self.times, (0.25, 0.75))
        return float(high - low)

    @property
    def has_warnings(self) -> bool:
        """Whether the times vary suspiciously."""
        return not self.meets_confidence()

    @property
    def title(self) -> str:
        """What was measured."""
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        """The sub label, or the statement."""
        return self.task_spec.sub_label or self.task_spec.stmt or "[Unknown]"

    def meets_confidence(self, threshold: float = _SUSPICIOUS) -> bool:
        """Whether the times vary less than so.

        Args:
            threshold: the interquartile range in parts of the median.

        Returns:
            a bool.
        """
        return self.iqr / self.median < threshold

    def __repr__(self) -> str:
        count, (unit, scale) = len(self.raw_times), select_unit(self.median)
        several = count > 1
        lines = [object.__repr__(self), self.task_spec.summarize(),
                 f"  {'Median: ' if several else ''}{self.median / scale:.2f} {unit}"]
        if count >= 4:
            low, high = np.quantile(self.times, (0.25, 0.75)) / scale
            lines.append(f"  IQR:    {high - low:.2f} {unit} ({low:.2f} to {high:.2f})")
        lines.append(f"  {count} measurement{'s' if several else ''}, {self.number_per_run} runs "
                     f"{'per measurement,' if several else ','} {self.task_spec.num_threads} "
                     f"thread{'s' if self.task_spec.num_threads > 1 else ''}")
        if self.has_warnings:
            why = "could indicate system fluctuation" if self.meets_confidence(_BAD) else \
                "suggests significant environmental influence"
            lines.append(f"  WARNING: Interquartile range is {100 * self.iqr / self.median:.1f}% of the median measurement."
                         f"\n           This {why}.")
        return "\n".join(lines)

    @staticmethod
    def merge(measurements) -> list["Measurement"]:
        """One for each task.

        Args:
            measurements: several.

        Returns:
            a list, with the times of single runs.
        """
        times: dict = {}
        for each in measurements:
            times.setdefault(each.task_spec, []).extend(each.times)
        return [Measurement(1, found, spec) for spec, found in times.items()]


class Timer:
    """Measures a statement in Python.
    https://pytorch.org/docs/stable/benchmark_utils.html#torch.utils.benchmark.Timer

    Args:
        stmt, setup: code; of an expression the value is waited for.
        global_setup: without effect: it is for C++.
        timer: tells the time.
        globals: the names that the code sees.
        label, sub_label, description, env: words about it.
        num_threads: told; XLA chooses its own number.
        language: Python.

    Raises:
        UnsupportedError: another language.
    """

    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=timer, globals=None, label=None, sub_label=None,
                 description=None, env=None, num_threads=1, language="python"):
        if str(language).lower() not in ("python", "py", "language.python"):
            raise UnsupportedError(f"torch.utils.benchmark.Timer of {language}: there is no C++ of torchlike's own")
        self._spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)
        names = {**(globals or {}), "_wait": _wait}
        self._timer = timeit.Timer(_waiting(stmt), setup, timer, names)

    def timeit(self, number: int = 1000000) -> Measurement:
        """Runs it so often, after a first hundredth.

        Args:
            number: how often.

        Returns:
            a `Measurement` of one time.
        """
        self._timer.timeit(max(number // 100, 2))
        return Measurement(number, [self._timer.timeit(number)], self._spec)

    def blocked_autorange(self, callback=None, min_run_time: float = 0.2) -> Measurement:
        """Runs it in blocks that are long enough to be measured.

        Args:
            callback: called with (runs, seconds) after each block.
            min_run_time: seconds in all.

        Returns:
            a `Measurement` of a time for each block.
        """
        number = self._block(min_run_time)
        return self._measured(number, callback, lambda times: sum(times) >= min_run_time)

    def adaptive_autorange(self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
                           callback=None) -> Measurement:
        """As `blocked_autorange`, until the times vary little.

        Args:
            threshold: the interquartile range in parts of the median.
            min_run_time, max_run_time: seconds in all.
            callback: that of `blocked_autorange`.

        Returns:
            a `Measurement` of a time for each block.
        """
        number = self._block(0.05)

        def enough(times):
            total = sum(times)
            calm = len(times) > 3 and Measurement(number, times, self._spec).meets_confidence(threshold)
            return total >= max_run_time or (total >= min_run_time and calm)

        return self._measured(number, callback, enough)

    def collect_callgrind(self, *args, **kwargs):
        """Refused: Valgrind counts instructions of C++.

        Args:
            args, kwargs: not looked at.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("torch.utils.benchmark.Timer.collect_callgrind is not supported: Valgrind counts C++")

    def _block(self, min_run_time) -> int:
        """How many runs last long enough to be measured."""
        number = 1
        while self._timer.timeit(number) < min_run_time / 1000 and number < _MOST_RUNS:
            number *= 10
        return number

    def _measured(self, number, callback, enough) -> Measurement:
        times: list = []
        while not enough(times):
            times.append(self._timer.timeit(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._spec)


def _waiting(stmt: str) -> str:
    """The statement, waiting for its value if it is an expression."""
    try:
        compile(stmt.strip(), "<stmt>", "eval")
    except SyntaxError:
        return stmt
    return f"_wait({stmt.strip()})"


def _wait(value) -> None:
    tree_map_only_(Tensor, lambda x: jax.block_until_ready(force(x._cell)), value)
