"""A collective until it is done. https://pytorch.org/docs/stable/distributed.html#torch.distributed.Work"""

import os
import time
from collections.abc import Callable

import jax
import numpy as np

from torchlike._base.turns import active, away, pause
from torchlike._c10d.ledger import text_of
from torchlike._record.site import describe
from torchlike.futures import Future

# Seconds: who looks more often takes time from the ranks that are waited for, if they are on the same machine.
_BUSY, _FIRST_PAUSE, _LONGEST_PAUSE, _SHARE = 1e-3, 2e-5, 2e-2, 0.05


class Work:
    """What an asynchronous collective returns. Its results are in the tensors when `wait` has returned.

    Args:
        group: the process group.
        entry: the collective in its ledger.
        arrays: what comes back, see `Channel.start`.
        finish: called with the values of these when they are there.
        result: what `result` and the future have: tensors.
    """

    def __init__(self, group, entry, arrays: list, finish: Callable, result: list):
        self._group, self._entry, self._arrays, self._finish = group, entry, arrays, finish
        self._result = result
        self._error: Exception | None = None
        self._future: Future | None = None
        self._done = False

    def wait(self, timeout=None) -> bool:
        """Wait until it is done.

        Args:
            timeout: a timedelta; that of the group where it is None.

        Returns:
            True.

        Raises:
            RuntimeError: a rank has gone, does something else, or did not come in time.
        """
        seconds = self._group.timeout if not timeout else timeout.total_seconds()
        self._in_turn(seconds)
        if self._error is not None:
            raise self._error
        return True

    def _in_turn(self, seconds: float) -> None:
        self._group.settle(self, seconds)

    def settle(self, seconds: float) -> None:
        """Wait, and put the results where they belong; an error is kept for `wait`. Of a group one after the other.

        Args:
            seconds: how long to wait.
        """
        if self._done:
            return
        try:
            self._finish([self._read(array, time.monotonic() + seconds, seconds) for array in self._arrays])
        except (RuntimeError, jax.errors.JaxRuntimeError) as error:
            self._error = error if type(error) is RuntimeError else self._failed(error)
        self._done, self._arrays = True, []
        if self._future is not None:
            self._tell()

    def _read(self, array, deadline, seconds) -> np.ndarray:
        if array.__class__ is np.ndarray:
            return array
        ledger, start = self._group.ledger, time.monotonic()
        ledger.waiting += 1
        try:
            with away():
                self._poll(array, ledger, start, deadline, seconds)
            return np.asarray(array)
        finally:
            ledger.waiting -= 1

    def _poll(self, array, ledger, start, deadline, seconds) -> None:
        rest, turns = _FIRST_PAUSE, active.turns
        while not array.is_ready() and not (turns is not None and turns.is_over):
            now = time.monotonic()
            if ledger.failure is not None:
                raise RuntimeError(ledger.failure)
            if now > deadline:
                raise self._late(seconds)
            if now - start < _BUSY and turns is None:
                os.sched_yield()
            else:
                time.sleep(rest)
                rest = min(max(rest, (now - start) * _SHARE), _LONGEST_PAUSE)

    def _late(self, seconds):
        ledger = self._group.ledger
        text = ledger.reason(f"Timed out waiting {round(seconds * 1000)}ms for {self._described()}")
        ledger.fail(text)
        return RuntimeError(text)

    def _failed(self, error):
        """What JAX raised, as PyTorch's: a rank has gone, or sends another number of bytes."""
        ledger = self._group.ledger
        time.sleep(0 if ledger.failure else 0.1)  # who is the cause may say so just now
        if ledger.failure is None:
            ledger.fail(ledger.reason(f"{str(error).partition(': ')[2] or error}, in {self._described()}"))
        return RuntimeError(ledger.failure)

    def _described(self) -> str:
        entry, group = self._entry, self._group
        line = f":\n{describe(entry.site)}" if entry.site else ""
        number = f", number {entry.number} of this group" if entry.number else ""
        return f"{text_of(entry.what)}{number}, on rank {group.global_rank}{line}"

    def finish(self) -> None:
        """Wait until it is done; an error is kept for `wait`."""
        self._in_turn(self._group.timeout)

    def is_completed(self) -> bool:
        """Whether `wait` would not wait."""
        if not self._done and all(array.__class__ is np.ndarray or array.is_ready() for array in self._arrays):
            self._in_turn(self._group.timeout)
        if not self._done:
            pause()
        return self._done

    def is_success(self) -> bool:
        """Whether it is done, and without an error."""
        return self.is_completed() and self._error is None

    def exception(self) -> Exception | None:
        """Why it has failed; None if it has not."""
        return self._error

    def synchronize(self) -> None:
        """Wait until it is done."""
        self.wait()

    def block_current_stream(self) -> None:
        """Wait until it is done: what is recorded later reads the results."""
        self.wait()

    def source_rank(self) -> int:
        """Whom a `recv` has got its tensor from.

        Raises:
            RuntimeError: this is no `recv`.
        """
        raise RuntimeError("sourceRank() may only be called on work objects that correspond to a recv or recv-from-any "
                           "call.")

    def result(self) -> list:
        """The tensors with the results."""
        self.wait()
        return self._result

    def get_future(self) -> Future:
        """A future of the tensors. It is done when somebody has waited for the collective, or for the future."""
        if self._future is None:
            self._future = Future()
            self._future._advance = self.finish
            if self._done:
                self._tell()
        return self._future

    def _tell(self) -> None:
        future = self._future
        if future is None or future.done():
            return
        if self._error is not None:
            future.set_exception(self._error)
        else:
            future.set_result(self._result)

