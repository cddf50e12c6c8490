"""The arguments of ``torchlike lessons`` and ``torchlike lesson``."""

from torchlike._lessons.groups import GROUPS


def add_parsers(commands) -> None:
    """The parsers of the commands.

    Args:
        commands: what `argparse` adds commands to.
    """
    list_parser = commands.add_parser(
        "lessons", help="lessons on how define-by-run differs from functional: the list, notebooks, all answers",
        description="List the lessons by group, with those that you have answered.")
    list_parser.add_argument("group", nargs="?", choices=list(GROUPS), metavar="GROUP", help="only this group")
    list_parser.add_argument("--answers", action="store_true", help="print the lessons with all answers, for an instructor")
    list_parser.add_argument("--notebooks", metavar="FOLDER", help="write a notebook for each group")
    lesson_parser = commands.add_parser(
        "lesson", help="one lesson: predict, run, and read why",
        description="Show a program, ask for a prediction, run it under every engine that is there, and explain.")
    lesson_parser.add_argument("name", metavar="NAME", help="see torchlike lessons")
    how = lesson_parser.add_mutually_exclusive_group()
    how.add_argument("--answers", action="store_true", help="ask nothing")
    how.add_argument("--step", action="store_true", help="go through the backward passes of its program")
    how.add_argument("--show", action="store_true", help="write the page of its program")
