"""The arguments of ``torchlike course``."""

import argparse

from torchlike._base.command_line import seconds
from torchlike._course.parts import STEPS


def add_parser(commands) -> None:
    """The parser of the command, and those of its own commands.

    Args:
        commands: what `argparse` adds commands to.
    """
    about = "write your own autograd in ten steps, each checked against torchlike's"
    parser = commands.add_parser("course", help=about, description=f"{about[:1].upper()}{about[1:]}. Without a command: the "
                                 "steps, and what is done.")
    parser.add_argument("--folder", help="the folder of the course (default: this one, or 'course' in it)")
    parts = parser.add_subparsers(dest="course_command", metavar="command")
    start = parts.add_parser("start", help="write engine.py, with the skeleton of step 1")
    start.add_argument("folder", nargs="?", metavar="FOLDER", default=argparse.SUPPRESS, help="where to (default: course)")
    found = {name: parts.add_parser(name, help=text) for name, text in {
        "next": "add the skeleton of the next step when the present one passes", "check": "check a step and all before it",
        "hint": "one more hint", "solution": "the finished code of a step"}.items()}
    for name in ("next", "check", "hint"):
        found[name].add_argument("--folder", default=argparse.SUPPRESS, help="as for 'torchlike course'")
    for name in ("next", "check"):
        found[name].add_argument("--timeout", type=seconds, help="seconds after which your engine is stopped (default: 20)")
    for name in ("check", "hint", "solution"):
        found[name].add_argument("step", type=int, choices=STEPS, metavar="STEP",
                                 **({} if name == "solution" else {"nargs": "?", "help": "default: the present one"}))
    found["solution"].add_argument("--yes", action="store_true", help="do not ask")
