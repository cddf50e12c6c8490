"""The console on which a command prints its tables."""

import sys

from rich.console import Console

_PIPE_WIDTH = 130  # columns of a table that is not printed to a terminal


def console() -> Console:
    """Standard output, as wide as the terminal."""
    return Console() if sys.stdout.isatty() else Console(width=_PIPE_WIDTH)
