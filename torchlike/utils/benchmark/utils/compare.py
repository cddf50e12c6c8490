"""A table of several measurements."""

import dataclasses
import enum
import math

from torchlike.utils.benchmark.utils.common import Measurement, select_unit, trim_sigfig, unit_to_english

_BEST, _GOOD, _BAD, _VERY_BAD, _BOLD, _END = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m", "\033[1m", "\033[0m"
_EQUAL = 100e-9  # seconds by which a time is the best all the same
_VARIANCE = "(! XX%) Measurement has high variance, where XX is the IQR / median * 100."


class Colorize(enum.Enum):
    """Beside what a time is called fast or slow."""

    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


@dataclasses.dataclass
class _Style:
    trims: bool = False
    colors: Colorize = Colorize.NONE
    warns: bool = False


class Compare:
    """A table for each label: a row for each sub label and number of threads, a column for each description.
    https://pytorch.org/docs/stable/benchmark_utils.html#torch.utils.benchmark.Compare

    Args:
        results: Measurements.
    """

    def __init__(self, results):
        self._results: list[Measurement] = []
        self.extend_results(results)
        self._style = _Style()

    def extend_results(self, results) -> None:
        """Adds more.

        Args:
            results: Measurements.

        Raises:
            ValueError: one is none.
        """
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Shows no more figures than the times' scatter allows."""
        self._style.trims = True

    def colorize(self, rowwise=False) -> None:
        """Colours what is fast and what is slow.

        Args:
            rowwise: whether beside the best of its row; else of its column.
        """
        self._style.colors = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Marks what scatters much."""
        self._style.warns = True

    def print(self) -> None:
        """Prints the table."""
        print(str(self))

    def __str__(self):
        by_label: dict = {}
        for result in Measurement.merge(self._results):
            by_label.setdefault(result.task_spec.label, []).append(result)
        return "\n".join(_Table(group, self._style).text() for group in by_label.values())


def _row_of(result) -> tuple:
    return result.task_spec.num_threads, result.task_spec.env or "", result.as_row_name


class _Column:
    """How the times of one description are written.

    Args:
        results: by row, None where there is none.
        scale: seconds of the unit.
        style: the table's.
    """

    def __init__(self, results, scale, style):
        there = [result for result in results if result is not None]
        self.warns = style.warns and any(result.has_warnings for result in there)
        self.scale, self.style, self.best = scale, style, {}
        for result in there:
            threads = result.task_spec.num_threads
            self.best[threads] = min(result.median, self.best.get(threads, math.inf))
        digits = [math.ceil(math.log10(result.median / scale)) for result in there]
        self.decimals = 1
        if style.trims:
            self.decimals = min(max(result.significant_figures - n, 0) for result, n in zip(there, digits, strict=True))
        self.width = max(digits) + self.decimals + bool(self.decimals)

    def text(self, result) -> str:
        if result is None:
            return " " * len(self._number(1.0, ""))
        value = result.median / self.scale
        if self.style.trims:
            value = trim_sigfig(value, result.significant_figures)
        is_marked = self.warns and result.has_warnings
        return self._number(value, f" (! {100 * result.iqr / result.median:.0f}%)" if is_marked else "")

    def _number(self, value, note):
        return f"{value:>{self.width}.{self.decimals}f}{note:>{7 if self.warns else 0}}"


class _Table:
    """The table of one label."""

    def __init__(self, results, style):
        self.results, self.style = results, style
        self.unit, self.scale = select_unit(min(result.median for result in results))
        self.rows = sorted(dict.fromkeys(map(_row_of, results)), key=lambda row: row[:2])
        self.titles = list(dict.fromkeys(result.task_spec.description for result in results))
        found = {(_row_of(result), result.task_spec.description): result for result in results}
        self.cells = [[found.get((row, title)) for title in self.titles] for row in self.rows]
        self.columns = [_Column(cells, self.scale, style) for cells in zip(*self.cells, strict=True)]

    def text(self) -> str:
        rows = [["", *self.titles]]
        for head, cells in zip(self._heads(), self.cells, strict=True):
            rows.append([head, *(column.text(cell) for column, cell in zip(self.columns, cells, strict=True))])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  |  ".join(text.center(width) for text, width in zip(rows[0], widths, strict=True))]
        whole, threads = len(lines[0]), None
        for row, texts, cells in zip(self.rows, rows[1:], self.cells, strict=True):
            if row[0] != threads:
                threads = row[0]
                lines.append(f"{threads} threads: ".ljust(whole, "-"))
            lines.append("  |  ".join(self._finished(texts, cells, widths)))
        label = f" {self.results[0].task_spec.label or ''} ".center(whole - 2, "-")
        told = [f"[{label}]", *lines, "", f"Times are in {unit_to_english(self.unit)}s ({self.unit}).", ""]
        if any(column.warns for column in self.columns):
            told[-1:] = [_VARIANCE, ""]
        return "\n".join(told)

    def _heads(self):
        names = {env for _, env, _ in self.rows}
        longest, last = max(map(len, names)) if len(names) > 1 else 0, None
        for threads, env, name in self.rows:
            is_new = len(names) > 1 and env and (threads, env) != last
            yield "  " + (f"({env})" if is_new else "").ljust(longest + 4) + name
            last = threads, env

    def _finished(self, texts, cells, widths):
        yield texts[0].ljust(widths[0])
        best = min(cell.median for cell in cells if cell is not None)
        for text, cell, column, width in zip(texts[1:], cells, self.columns, widths[1:], strict=True):
            shown = text.center(width)
            if self.style.colors is not Colorize.NONE and cell is not None:
                best_there = best if self.style.colors is Colorize.ROWWISE else column.best[cell.task_spec.num_threads]
                shown = _colored(shown, cell.median, best_there)
            yield shown


def _colored(text, value, best) -> str:
    if value <= best * 1.01 or value <= best + _EQUAL:
        return _BEST + _BOLD + text + _END * 2
    if value <= best * 1.1:
        return _GOOD + _BOLD + text + _END * 2
    if value >= best * 5:
        return _VERY_BAD + _BOLD + text + _END * 2
    return _BAD + text + _END * 2 if value >= best * 2 else text
