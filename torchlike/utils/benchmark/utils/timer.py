"""Running a statement again and again."""

import enum
import time
import timeit

import jax

from torchlike._api import streams
from torchlike._base.errors import UnsupportedError
from torchlike._record.tensor import Tensor
from torchlike._record.trace import force
from torchlike.utils._pytree import tree_map_only_
from torchlike.utils.benchmark.utils.common import Measurement, TaskSpec

_MOST_RUNS = 2 ** 30


class Language(enum.Enum):
    """Of a statement."""

    PYTHON = 0
    CPP = 1


def timer() -> float:
    """The time in seconds, when all that has been recorded is done."""
    streams.settle(())
    return time.perf_counter()


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

    def autorange(self, *args, **kwargs):
        """Not here: `blocked_autorange` is.

        Args:
            args, kwargs: not looked at.

        Raises:
            NotImplementedError: always, as in PyTorch.
        """
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def repeat(self, *args, **kwargs):
        """Not here: `blocked_autorange` is.

        Args:
            args, kwargs: not looked at.

        Raises:
            NotImplementedError: always, as in PyTorch.
        """
        raise NotImplementedError("See `Timer.blocked_autorange.`")

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
