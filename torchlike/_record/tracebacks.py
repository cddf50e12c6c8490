"""Tracebacks without torchlike's own frames, so that a user sees the own line last, as after PyTorch's C++.

Whoever prints one skips the frames: Python for an error that nobody catches, by `show`, and IPython, by `_show_in_ipython`,
which stand in the place of their own hooks where no other does; pytest by the local variable ``__tracebackhide__``, which
`mark` gives them. The traceback itself stays whole, for debuggers. The setting ``tracebacks`` says "whole" where they shall
be seen.
"""

import inspect
import os
import sys
import threading
import traceback
import types
from collections.abc import Iterable
from typing import Any

from torchlike._base.config import settings
from torchlike._record.site import is_ours, is_own_file

_OF_JAX = f"{os.sep}jax{os.sep}_src{os.sep}", f"{os.sep}jaxlib{os.sep}"
NOTE = "(frames of torchlike are hidden; TORCHLIKE_TRACEBACKS=whole shows them)"


def mark(error: BaseException) -> None:
    """Has pytest skip torchlike's frames, where an error passes: those it came from and those it goes to."""
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
    print(text_of(kind, error, tb), end="", file=sys.stderr)


def text_of(kind: type[BaseException], error: BaseException, tb) -> str:
    """What `show` prints."""
    shown = traceback.TracebackException(kind, error, tb)
    note = f"{NOTE}\n" if settings.tracebacks != "whole" and _shorten(shown) else ""
    return note + "".join(shown.format())


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
    before = len(shown.stack)
    shown.stack[:] = _kept(shown.stack, (frame.filename for frame in shown.stack))
    found = len(shown.stack) < before
    others = shown.__cause__, shown.__context__, *(getattr(shown, "exceptions", None) or ())
    shortened = [_shorten(other) for other in others]
    return found or any(shortened)


def _kept(frames: Iterable, files: Iterable[str]) -> list:
    """Those of the frames, in these files, that are neither torchlike's nor JAX's below them; all where no others are."""
    kept, frames, inside = [], list(frames), False
    for frame, file in zip(frames, files, strict=True):
        inside = is_own_file(file) or (inside and any(part in file for part in _OF_JAX))
        kept += [] if inside else [frame]
    return kept or frames


def _show_in_ipython(shell, kind, error, tb, tb_offset=None) -> None:
    """Has IPython show an error without torchlike's frames; ``%debug`` has them all."""
    del tb_offset  # it stays the shell's
    links = [*_links(tb)]
    shown = None
    for link in reversed(_kept(links, (link.tb_frame.f_code.co_filename for link in links))):
        shown = types.TracebackType(shown, link.tb_frame, link.tb_lasti, link.tb_lineno)
    shell.showtraceback((kind, error, tb if settings.tracebacks == "whole" else shown), running_compiled_code=True)
    sys.last_traceback = tb


def _links(tb):
    while tb is not None:
        yield tb
        tb = tb.tb_next


def show_own_lines() -> None:
    """Has Python and IPython show what nobody catches by the functions above, unless somebody has given them others."""
    if sys.excepthook is sys.__excepthook__:
        sys.excepthook = show
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _show_of_thread
    ipython: Any = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception, KeyboardInterrupt), _show_in_ipython)
