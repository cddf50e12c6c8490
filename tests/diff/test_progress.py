"""The progress bar."""

import io
import re
import sys
import time

from torchlike._diff import progress as module
from torchlike._diff.progress import progress

COLOURS = re.compile(r"\x1b\[[\d;]*m")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def on_terminal(monkeypatch):
    """What is shown; called in the test, for pytest puts its own stderr in place when that begins."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


def shown(terminal, text):
    """Whether a text comes to be there within some seconds."""
    until = time.monotonic() + 10
    while not (found := text in COLOURS.sub("", terminal.getvalue())) and time.monotonic() < until:
        time.sleep(0.01)
    return found


def test_it_is_shown_after_a_while(monkeypatch):
    terminal = on_terminal(monkeypatch)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    with progress(3) as bar:
        bar.advance("[red]pärt")  # no markup, and ASCII
        assert shown(terminal, "[red]p\\xe4rt") and shown(terminal, "1/3")
        with bar.hidden():
            size = len(terminal.getvalue())
            time.sleep(0.3)
            assert len(terminal.getvalue()) == size
        assert shown(terminal, "1/3")


def test_what_is_quick_shows_none(monkeypatch):
    terminal = on_terminal(monkeypatch)
    with progress(1) as bar:
        bar.advance("part")
        with bar.hidden():
            pass
    assert terminal.getvalue() == ""


def test_no_terminal_shows_none(monkeypatch, capsys):
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    for stream in (sys.stderr, None):
        monkeypatch.setattr(sys, "stderr", stream)
        with progress(1) as bar, bar.hidden():
            bar.advance("part")
    assert capsys.readouterr() == ("", "")
