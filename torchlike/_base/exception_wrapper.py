"""`torch._utils.ExceptionWrapper`: an exception on its way from one process or thread to another."""

import sys
import traceback
from typing import Any


class _PlainText(str):
    """A text that is its own repr, for KeyError, which shows the repr of what it is given."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


class ExceptionWrapper:
    """An exception in a form that can go to another process: its type, and its text with the traceback.

    Args:
        exc_info: what `sys.exc_info` gave; None means the exception that is being handled.
        where: where it was raised, for the text.
    """

    def __init__(self, exc_info=None, where="in background"):
        given: Any = sys.exc_info() if exc_info is None else exc_info
        kind, value, frames = given
        self.exc_type: Any = kind
        self.exc_name, self.where = self.exc_type.__name__, where
        self.exc_msg = "".join(traceback.format_exception(kind, value, frames))

    def reraise(self):
        """Raise an exception of that type, or RuntimeError if none can be made of a text alone."""
        text = f"Caught {self.exc_name} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            text = _PlainText(text)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=text)
        try:
            exception = self.exc_type(text)
        except Exception:  # noqa: BLE001 - it wants other arguments
            raise RuntimeError(text) from None
        raise exception
