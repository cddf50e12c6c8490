"""Writes what a worker raises to its error file."""

import functools
import json
import os
import shutil
import time
import traceback

from torchlike.distributed.elastic.multiprocessing.errors._failure import ChildFailedError

_VARIABLE = "TORCHELASTIC_ERROR_FILE"


def written(problem: BaseException, text: str) -> bool:
    """Writes an error for the launcher, unless one has been written.

    Args:
        problem: the error.
        text: its traceback.

    Returns:
        Whether the launcher will tell it; False if there is no launcher.
    """
    path = os.environ.get(_VARIABLE)
    if not path:
        return False
    now = time.time()
    data = {"message": {"message": f"{type(problem).__name__}: {problem}",
                        "extraInfo": {"py_callstack": text, "timestamp": str(int(now)), "time": now}}}
    try:
        if not os.path.exists(path):
            with open(path + ".part", "w") as file:
                json.dump(data, file)
            os.replace(path + ".part", path)  # whole or not at all
    except OSError:
        return False
    return True


class ErrorHandler:
    """Writes an exception to the file that TORCHELASTIC_ERROR_FILE names; without one it does nothing.
    https://pytorch.org/docs/stable/elastic/errors.html#torch.distributed.elastic.multiprocessing.errors.ErrorHandler
    """

    def initialize(self) -> None:
        """For subclasses; PyTorch's turns `faulthandler` on here."""

    def record_exception(self, e: BaseException) -> None:
        """Writes the exception.

        Args:
            e: the exception.
        """
        written(e, "".join(traceback.format_exception(e)))

    def dump_error_file(self, rootcause_error_file: str, error_code: int = 0) -> None:
        """Copies the error file of a worker's own worker to its own.

        Args:
            rootcause_error_file: the file.
            error_code: the status with which that ended; it is not written, unlike in PyTorch.
        """
        if os.environ.get(_VARIABLE):
            shutil.copyfile(rootcause_error_file, os.environ[_VARIABLE])


def get_error_handler() -> ErrorHandler:
    """The handler that `record` uses."""
    return ErrorHandler()


def record(fn, error_handler: ErrorHandler | None = None):
    """Decorates a program's main function, so that what it raises is told by the launcher.
    https://pytorch.org/docs/stable/elastic/errors.html#torch.distributed.elastic.multiprocessing.errors.record

    Args:
        fn: the function.
        error_handler: what writes it; None for that of `get_error_handler`.

    Returns:
        The function, which raises the same.
    """
    handler = error_handler or get_error_handler()

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        handler.initialize()
        try:
            return fn(*args, **kwargs)
        except SystemExit as problem:
            if problem.code != 0:
                raise
            return None
        except ChildFailedError as problem:
            _, failure = problem.get_first_failure()
            if os.path.isfile(failure.error_file):
                handler.dump_error_file(failure.error_file, failure.exitcode)
            raise
        except Exception as problem:
            if problem.__traceback__ is not None:
                problem.__traceback__ = problem.__traceback__.tb_next  # without this function
            handler.record_exception(problem)
            raise

    return wrapper
