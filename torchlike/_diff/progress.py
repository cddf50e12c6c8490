"""A progress bar on stderr for what takes longer than `PATIENCE`, where that is a terminal."""

import contextlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from torchlike._base.lazy import rich_console, rich_progress

PATIENCE = 2.0  # seconds


class _Bar:
    """A bar that shows itself after a while. Its methods may be called by any thread."""

    def __init__(self, total: int):
        columns = (rich_progress.TextColumn("{task.description}", markup=False), rich_progress.BarColumn(),
                   rich_progress.MofNCompleteColumn(), rich_progress.TimeElapsedColumn())
        # What the program prints goes where it would without the bar.
        self.bar: Any = rich_progress.Progress(*columns, console=rich_console.Console(stderr=True), transient=True,
                                               redirect_stdout=False, redirect_stderr=False)
        self.task = self.bar.add_task("", total=total)
        self.lock, self.is_over = threading.Lock(), False
        self.timer = threading.Timer(PATIENCE, self.show)
        self.timer.daemon = True
        self.timer.start()

    def show(self) -> None:
        with self.lock:
            if not self.is_over:
                self.bar.start()

    def advance(self, text: str) -> None:
        """One part is done, which is told as ASCII."""
        self.bar.update(self.task, advance=1, description=ascii(text)[1:-1])

    @contextlib.contextmanager
    def hidden(self) -> Iterator[None]:
        """A block that prints: the bar is not there."""
        with self.lock:
            is_shown = self.bar.live.is_started
            if is_shown:
                self.bar.stop()
            try:
                yield
            finally:
                if is_shown:
                    self.bar.start()

    def end(self) -> None:
        self.timer.cancel()
        with self.lock:
            self.is_over = True
            if self.bar.live.is_started:
                self.bar.stop()


class _NoBar:
    """Where nobody would see one."""

    def advance(self, text: str) -> None:
        """Nothing is shown."""

    def hidden(self):
        """A block that prints."""
        return contextlib.nullcontext()


@contextlib.contextmanager
def progress(total: int) -> Iterator[_Bar | _NoBar]:
    """A block of so many parts; its value's `advance` is called with a text when one is done."""
    isatty: Callable[[], bool] | None = getattr(sys.stderr, "isatty", None)
    if isatty is None or not isatty():
        yield _NoBar()
        return
    made = _Bar(total)
    try:
        yield made
    finally:
        made.end()
