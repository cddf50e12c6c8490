"""``torchlike lessons``: the list, which needs neither JAX nor the rest of torchlike."""

import argparse

from rich.console import Console
from rich.text import Text

from torchlike._base.terminal import console
from torchlike._lessons import progress
from torchlike._lessons.groups import GROUPS
from torchlike._lessons.lesson import lesson, names, names_in


def run(options: argparse.Namespace) -> int:
    """Prints the list.

    Args:
        options: the parsed arguments of ``torchlike lessons``.

    Returns:
        The exit status.
    """
    listing(console(), options.group)
    return 0


def listing(shown: Console, group: str | None = None) -> None:
    """The lessons by group, with those that have been answered.

    Args:
        shown: where to write.
        group: one of `GROUPS`; None lists all.
    """
    known = progress.answered()
    for key, title in GROUPS.items():
        own = names_in(key)
        if not own or group not in (None, key):
            continue
        done = sum(known.get(name, False) for name in own)
        shown.print(Text(f"{title}  ({key}: {done} of {len(own)})", style="bold"))
        for name in own:
            mark = {True: "✓", False: "✗", None: " "}[known.get(name)]
            shown.print(Text(f"  {mark} {name}  ").append(lesson(name).title, style="dim"), soft_wrap=True)
    shown.print(f"torchlike lesson NAME begins one. {len(names())} lessons, {sum(known.values())} answered right.")
