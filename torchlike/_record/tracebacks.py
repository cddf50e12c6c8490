"""Tracebacks without torchlike's own frames, so that a user sees the own line last, as after PyTorch's C++.

Whoever prints one skips the frames: Python for an error that nobody catches, by `show`, which stands in the place of
Python's own hooks where no other does; pytest and IPython by the local variable ``__tracebackhide__``, which `mark` gives
them. The traceback itself stays whole, for debuggers. The setting ``tracebacks`` says "whole" where they shall be seen.
"""

import inspect
import os
import sys
import threading
import traceback

from torchlike._base.config import settings
from torchlike._record.site import is_ours, is_own_file

_OF_JAX = f"{os.sep}jax{os.sep}_src{os.sep}", f"{os.sep}jaxlib{os.sep}"
NOTE = "(frames of torchlike are hidden; TORCHLIKE_TRACEBACKS=whole shows them)"


def mark(error: BaseException) -> None:
    """Has pytest and IPython skip torchlike's frames, where an error passes: those it came from and those it goes to."""
    if settings.tracebacks == "whole":
        return
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    frames += [frame for frame, _ in traceback.walk_stack(sys._getframe(1))]
    for frame in frames:
        if is_ours(frame.f_code) and frame.f_code.co_flags & inspect.CO_NEWLOCALS:
            frame.f_locals["__tracebackhide__"] = True


def show(kind: type[BaseException], error: BaseException, tb) -> None:
    """Prints an error as Python does, without torchlike's frames; `sys.excepthook` where nobody has set another.

    Args:
        kind, error, tb: class, error and traceback.
    """
    if sys.stderr is None:  # of a program that has no console
        return
    shown = traceback.TracebackException(kind, error, tb)
    if settings.tracebacks != "whole" and _shorten(shown):
        print(NOTE, file=sys.stderr)
    print(*shown.format(), sep="", end="", file=sys.stderr)


def _show_of_thread(told) -> None:
    """The same for `threading.excepthook`."""
    if told.exc_type is SystemExit or sys.stderr is None:  # as Python's
        return
    name = told.thread.name if told.thread is not None else threading.get_ident()
    print(f"Exception in thread {name}:", file=sys.stderr)
    show(told.exc_type, told.exc_value, told.exc_traceback)
    sys.stderr.flush()


def _shorten(shown) -> bool:
    """Takes the frames away, also from what led to the error; whether there were any. Where there are no others, they stay.
    """
    if shown is None:
        return False
    kept, inside = [], False
    for frame in shown.stack:
        inside = is_own_file(frame.filename) or (inside and any(part in frame.filename for part in _OF_JAX))
        kept += [] if inside else [frame]
    found = 0 < len(kept) < len(shown.stack)
    if found:
        shown.stack[:] = kept
    others = shown.__cause__, shown.__context__, *(getattr(shown, "exceptions", None) or ())
    shortened = [_shorten(other) for other in others]
    return found or any(shortened)


def show_own_lines() -> None:
    """Has Python show the errors that nobody catches by `show`, unless the process has a hook of its own already."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = show
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _show_of_thread
