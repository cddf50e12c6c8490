"""`torch.futures`: results that come later. https://pytorch.org/docs/stable/futures.html"""

import logging
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_TWICE = "Attempting to mark a completed Future as complete again. Note that a Future can only be marked completed once."
_IN_CALLBACK = "Got the following error when running the callback: {}: {}"
_log = logging.getLogger(__name__)


class Future(Generic[T]):
    """A result that somebody sets later, in any thread.
    https://pytorch.org/docs/stable/futures.html#torch.futures.Future

    Args:
        devices: for PyTorch's signature: JAX orders the work of devices itself.
    """

    # Where nobody else brings it about: what `wait` calls first, to have the result set in this thread.
    _advance: Callable[[], None] | None = None

    def __init__(self, *, devices=None):
        self._changed = threading.Condition()
        self._done = False
        self._value: Any = None
        self._error: Exception | None = None
        self._callbacks: list = []

    def done(self) -> bool:
        """Whether the result, or an error, has been set."""
        return self._done

    def wait(self) -> Any:
        """Waits for the result.

        Returns:
            The result; the error that was set is raised.
        """
        self._advanced()
        with self._changed:
            self._changed.wait_for(self.done)
        return self.value()

    def _advanced(self) -> None:
        if not self._done and self._advance is not None:
            self._advance()

    def value(self) -> Any:
        """The result, which must have been set.

        Returns:
            The result; the error that was set is raised.

        Raises:
            RuntimeError: nothing has been set.
        """
        if not self._done:
            raise RuntimeError("value() can only be called on a completed future")
        if self._error is not None:
            raise self._error
        return self._value

    def then(self, callback) -> "Future":
        """A future of what a function makes of this one, at once if this one is done.

        Args:
            callback: called with this future.

        Returns:
            The new future.
        """
        made: Future = Future()
        made._advance = self._advance

        def run(future):
            try:
                made.set_result(callback(future))
            except Exception as error:  # noqa: BLE001 - whoever waits gets it
                made.set_exception(RuntimeError(_IN_CALLBACK.format(type(error).__name__, error)))

        self.add_done_callback(run)
        return made

    def add_done_callback(self, callback) -> None:
        """Has a function called when the result is there, at once if it is. An error of it is logged.

        Args:
            callback: called with this future.
        """
        with self._changed:
            if not self._done:
                self._callbacks.append(callback)
                return
        self._call(callback)

    def _call(self, callback) -> None:
        try:
            callback(self)
        except Exception as error:  # noqa: BLE001 - it must not keep the others from being called
            _log.error(_IN_CALLBACK.format(type(error).__name__, error))

    def set_result(self, result) -> None:
        """Sets the result, once.

        Args:
            result: any object.
        """
        self._complete(result, None)

    def set_exception(self, result) -> None:
        """Sets the error that whoever waits gets.

        Args:
            result: an exception.

        Raises:
            AssertionError: it is none.
        """
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._complete(None, result)

    def _complete(self, value, error) -> None:
        with self._changed:
            if self._done:
                raise RuntimeError(_TWICE)
            self._value, self._error, self._done = value, error, True
            waiting, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        for callback in waiting:
            self._call(callback)


def collect_all(futures: list[Future]) -> Future[list[Future]]:
    """A future of futures, done when all of them are.
    https://pytorch.org/docs/stable/futures.html#torch.futures.collect_all

    Args:
        futures: a list of futures.

    Returns:
        a Future of the list; the first error among them is its error.
    """
    made: Future = Future()

    def advance():
        for future in futures:
            future._advanced()

    made._advance = advance
    left, lock = len(futures), threading.Lock()

    def count(future):
        nonlocal left
        with lock:
            left -= 1
            last = left == 0
        if last:
            failed = next((f._error for f in futures if f._error is not None), None)
            made._complete(futures, failed)

    for future in futures:
        future.add_done_callback(count)
    if not futures:
        made.set_result(futures)
    return made


def wait_all(futures: list[Future]) -> list:
    """Waits for all of them.
    https://pytorch.org/docs/stable/futures.html#torch.futures.wait_all

    Args:
        futures: a list of futures.

    Returns:
        The list of their results; the first error among them is raised.
    """
    return [future.wait() for future in collect_all(futures).wait()]
