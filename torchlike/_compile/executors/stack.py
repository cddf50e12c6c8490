"""The executors that are installed, and running a trace by the first one that does not decline."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Protocol

from torchlike._base.forkable import forkable
from torchlike._compile.executors.cold import ColdTier
from torchlike._compile.executors.hot import HotTier
from torchlike._compile.program import Program


class Executor(Protocol):
    """Who may run traces."""

    def run(self, program: Program, inputs: list, numbers: list) -> list | None:
        """The live results of a trace.

        Args:
            program: the instructions, and which results are wanted.
            inputs: the array of each Input, in order. Whoever keeps one past the run keeps its buffer from being donated.
            numbers: the Python number of each number of the kernels, in order.

        Returns:
            The arrays of ``program.live``, in order; or None to decline, before anything was computed: then the next
            executor is asked.
        """


class ExecutorStack:
    """``executors``: who is asked, in that order. The last one installed comes first, the tiers last. (In a forked process
    the cold tier is alone, see forked.py.)"""

    def __init__(self):
        self.executors: tuple[Executor, ...] = (HotTier(), ColdTier())
        self._lock = forkable(threading.Lock())

    def run(self, program: Program, inputs: list, numbers: list, at_once: bool = False) -> list:
        """The live results, see `Executor.run`. `at_once`: if it is to be compiled, then before this run."""
        if at_once:
            program.at_once = True
        for executor in self.executors:
            found = executor.run(program, inputs, numbers)
            if found is not None:
                return found
        raise RuntimeError("every executor has declined")

    def install(self, executor: Executor) -> None:
        """From now on `executor` is asked before all others of this process."""
        with self._lock:
            self.executors = (executor, *self.executors)

    def remove(self, executor: Executor) -> None:
        """From now on it is not asked; nothing happens if it was not."""
        with self._lock:
            self.executors = tuple(each for each in self.executors if each is not executor)

    @contextlib.contextmanager
    def executing(self, executor: Executor) -> Iterator[None]:
        """Inside, `executor` is asked before all others of this process.

        Blocks need not be nested: each takes back what it has put there.
        """
        self.install(executor)
        try:
            yield
        finally:
            self.remove(executor)


stack = ExecutorStack()
