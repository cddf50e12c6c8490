"""The steps of a backward pass in a terminal, by keys."""

import contextlib
import os
import sys
from collections.abc import Callable, Iterator

from torchlike._step.values import described

HELP = """keys: right, down, space, n: on      left, up, p: back      g, G: first, last      q: end      h: these keys
      /: to the next Node or leaf of a name, ?: to the one before      :12 to the next of line 12
      !: to where a number turns nan or infinite first      >10 to the next whose norm is above 10"""
_ON, _BACK = ("n", "j", " ", "\r", "\n", "\x1b[C", "\x1b[B"), ("p", "k", "\x7f", "\x1b[D", "\x1b[A")
_CLEAR = "\x1b[2J\x1b[H"
_ARROW = 3  # characters of an arrow key
_PROMPTS = "/?:>"


def browse(steps, read: Callable[[], str] | None = None, write: Callable[[str], object] | None = None) -> None:
    """Shows the steps one at a time, and goes where keys say. Without a terminal all are printed.

    Args:
        steps: the `Steps` of a pass; their position moves.
        read: gives the next key, "" at the end of the input; None reads the terminal.
        write: takes what is shown; None writes to it.
    """
    write = sys.stdout.write if write is None else write
    if read is None and not (sys.stdin.isatty() and sys.stdout.isatty()):
        for step in steps:
            write(f"{step}\n")
        return
    if not len(steps):
        write("no Node ran\n")
        return
    with _raw() if read is None else contextlib.nullcontext():
        _loop(steps, read or _key, write)


def _loop(steps, read, write) -> None:
    note = HELP
    while True:
        write(f"{_CLEAR}{_page(steps)}\n\n{note}\n")
        sys.stdout.flush()
        key, note = read(), ""
        if key in ("q", "", "\x03", "\x04"):
            return
        if key in _ON:
            steps.forward()
        elif key in _BACK:
            steps.back()
        elif key in ("g", "G"):
            steps.position = 0 if key == "g" else len(steps) - 1
        elif key == "!":
            note = _go(steps, "nan")
        elif key in _PROMPTS:
            note = _asked(steps, key, _line(key, read, write))
        else:
            note = HELP


def _page(steps) -> str:
    grads = "\n".join(f"  {name}.grad: {described(x)}" for name, x in steps.grads().items())
    error = f"\nafter the last step: {type(steps.error).__name__}: {steps.error}" if steps.error is not None else ""
    return f"{steps.current}\n\nso far, {steps.position + 1} of {len(steps)} steps\n{grads}{error}"


def _asked(steps, key, text) -> str:
    if not text:
        return ""
    try:
        if key == ":":
            return _go(steps, int(text))
        if key == ">":
            return _go(steps, "", norm=float(text))
    except ValueError:
        return f"'{text}' is no number"
    return _go(steps, text, back=key == "?")


def _go(steps, when, **how) -> str:
    return "" if steps.until(when, **how) is not None else "no such step in this direction"


def _line(prompt, read, write) -> str:
    text = ""
    write(prompt)
    while True:
        sys.stdout.flush()
        key = read()
        if key in ("\r", "\n", ""):
            return text
        if key in ("\x1b", "\x03"):
            return ""
        if key in ("\x7f", "\b"):
            text = text[:-1]
        elif len(key) == 1 and key.isprintable():
            text += key
        write(f"\r\x1b[K{prompt}{text}")


# -- the keys of a real terminal

def _key() -> str:
    """The next key: a character, or an arrow's three."""
    if sys.platform == "win32":
        import msvcrt  # there is none elsewhere
        return msvcrt.getwch()
    found = os.read(sys.stdin.fileno(), _ARROW).decode(errors="replace")
    return found if found.startswith("\x1b") else found[:1]


@contextlib.contextmanager
def _raw() -> Iterator[None]:
    """A block in which the terminal gives each key at once; then it is as it was, however the block ends."""
    if sys.platform == "win32":
        yield
        return
    import termios  # there is none on Windows
    import tty
    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)
        yield
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)
