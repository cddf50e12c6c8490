"""What a `Timer` has found."""

import contextlib
import dataclasses
import math
import textwrap
from typing import Any

import numpy as np

from torchlike._base.settings import get_num_threads, set_num_threads

_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_NAMES = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}
_SUSPICIOUS, _BAD = 0.1, 0.25  # of the interquartile range in parts of the median
_SURE, _CLOCK, _FIGURES = 1.645, 25e-9, 4  # deviations of 90 %; seconds that no clock tells apart; the most figures


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


def unit_to_english(u: str) -> str:
    """The name of a unit.

    Args:
        u: "ns", "us", "ms" or "s".

    Returns:
        "nanosecond", say.
    """
    return _NAMES[u]


def trim_sigfig(x: float, n: int) -> float:
    """A number with so many figures, computed in 32 bits as PyTorch does.

    Args:
        x: the number.
        n: how many.

    Returns:
        The number.

    Raises:
        AssertionError: `n` is no whole number.
    """
    if n != int(n):
        raise AssertionError("Number of significant figures must be an integer")
    step = 10 ** (int(np.ceil(np.log10(np.abs(np.float32(x))))) - n)
    return float(np.rint(np.float32(x / step)) * np.float32(step))


def ordered_unique(elements) -> list:
    """Each of them once, in their order.

    Args:
        elements: objects with hashes.

    Returns:
        A list.
    """
    return list(dict.fromkeys(elements))


@contextlib.contextmanager
def set_torch_threads(n: int):
    """`torch.set_num_threads` for a block.

    Args:
        n: the number.

    Returns:
        A context manager.
    """
    before = get_num_threads()
    try:
        set_num_threads(n)
        yield
    finally:
        set_num_threads(before)


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
        if self.label is None and "\n" in self.stmt:
            beside = f" ({self.sub_label})" if self.sub_label else ""
            return f"stmt:{beside}\n{textwrap.indent(self.stmt, '  ')}"
        return (self.stmt if self.label is None else self.label) + (f": {self.sub_label}" if self.sub_label else "")

    def setup_str(self) -> str:
        """The setup as a text; nothing if nothing is done."""
        if self.setup in ("pass", ""):
            return ""
        return f"setup:\n{textwrap.indent(self.setup, '  ')}" if "\n" in self.setup else f"setup: {self.setup}"

    def summarize(self) -> str:
        """The title and the description, or the setup, as a text."""
        shown = (self.title, self.description or "", self.setup_str())
        return "\n".join(f"{each}\n" if "\n" in each else each for each in shown if each)


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
    def significant_figures(self) -> int:
        """How many figures of the median the times' scatter allows, from 1 to 4."""
        times, count = sorted(self.times), len(self.times)
        middle = times[count // 4:math.ceil(3 * count / 4)]
        sure = max(_SURE * float(np.std(middle)) / math.sqrt(len(middle)), _CLOCK)
        return min(max(math.floor(math.log10(self.median / sure)), 1), _FIGURES)

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
