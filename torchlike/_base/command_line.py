"""Parsers of command lines: an option is never abbreviated, and options end where a program's name stands."""

import argparse
import math
from collections.abc import Sequence


class Parser(argparse.ArgumentParser):
    """A parser that takes options by their whole names; so do the parsers of its commands."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, allow_abbrev=False, **kwargs)

    def add_program(self, help: str, program: str = "program", arguments: str = "arguments") -> None:
        """Adds a program and its own arguments, which are everything behind its name.

        Args:
            help: what it may be.
            program: where its name is kept.
            arguments: where its arguments are kept.
        """
        # Two arguments, the second of them REMAINDER, would lose a "--" behind the program's name.
        self.add_argument(program, nargs=argparse.PARSER, action=_Program, arguments=arguments, metavar="program", help=help)


class _Program(argparse.Action):
    def __init__(self, *args, arguments: str, **kwargs):
        super().__init__(*args, **kwargs)
        self.arguments = arguments

    def __call__(self, parser, namespace, values, option_string=None):
        given: Sequence[str] = values[1:] if values[0] == "--" else values  # which ends the options; newer Pythons drop it
        setattr(namespace, self.dest, given[0])
        setattr(namespace, self.arguments, list(given[1:]))


def seconds(text: str) -> float:
    """A number of seconds.

    Args:
        text: what says it.

    Returns:
        the number.

    Raises:
        ValueError: it is none, or not above 0.
    """
    found = float(text)
    if not (found > 0 and math.isfinite(found)):
        raise ValueError(text)
    return found
