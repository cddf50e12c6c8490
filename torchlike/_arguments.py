"""The arguments of the command ``torchlike``. They are read without JAX, by what the parts of torchlike say of theirs."""

import argparse
from collections.abc import Sequence

from torchlike import version
from torchlike._base.command_line import Parser
from torchlike._course import arguments as course
from torchlike._diff import arguments as diff
from torchlike._diff.sources import NotAProgramError, program_at
from torchlike._diff.terms import TermsError
from torchlike._lessons import arguments as lessons
from torchlike._lessons.lesson import NotALessonError, lesson
from torchlike._plan import arguments as plan
from torchlike.distributed import _arguments as ranks


def parser() -> Parser:
    """The parser of the command, and those of its commands."""
    made = Parser(prog="torchlike", description="PyTorch's eager API on JAX.")
    made.add_argument("--version", action="version",
                      version=f"torchlike {version.__version__} (follows PyTorch {version.torch})")
    commands = made.add_subparsers(dest="command", required=True, metavar="command")
    ranks.add_arguments(commands.add_parser(
        "run", help="run a PyTorch program on torchlike",
        description="Run a PyTorch program with 'import torch' giving torchlike, otherwise as python would. With options: "
                    "in many processes, as torchrun."))
    _add_teaching(commands)
    lessons.add_parsers(commands)
    diff.add_parser(commands)
    course.add_parser(commands)
    plan.add_parser(commands)
    return made


def _add_teaching(commands) -> None:
    show = commands.add_parser(
        "show", help="write a page that shows a run, operation by operation",
        description="Run a PyTorch program on torchlike, and write one file of HTML: the source with values and gradients "
                    "beside each line, the graph, memory, and why gradients are what they are, for every operation of the "
                    "run. It needs nothing from outside.")
    show.add_argument("-o", "--output", metavar="FILE", help="the file (default: the program's name with .html)")
    show.add_argument("--engines", action="store_true",
                      help="run it under PyTorch (if installed) and jax.vjp, too, and mark where they part first")
    step = commands.add_parser(
        "step", help="go through a program's backward passes by keys",
        description="Run a PyTorch program on torchlike; each backward pass is shown Node by Node when it has run, back and "
                    "forth by keys (without a terminal it is printed). Then the program goes on.")
    step.add_argument("--stop", metavar="WHAT", help="begin at the first step of this: part of a name, a line, 'nan'")
    step.add_argument("--norm", type=float, metavar="X", help="begin at the first step whose norm is above X")
    for made in (show, step):
        made.add_program("a Python file, a notebook, or a folder with a __main__.py; behind it the program's own arguments")


def read(given: Sequence[str]) -> argparse.Namespace:
    """Reads the arguments. Wrong ones leave with status 2, as do a program and a lesson that are not there.

    Args:
        given: them.

    Returns:
        What they say, in numbers and texts. `program` and `programs` are paths of files; `arguments` are the program's.
    """
    made = parser()
    own, behind = plan.parted(list(given))
    options = made.parse_args(own)
    if options.command == "plan":
        options.arguments = behind
    try:
        problem = _problem(options)
    except (NotALessonError, NotAProgramError, TermsError) as error:
        problem = str(error)
    if problem:
        made.error(problem)
    return options


def _problem(options: argparse.Namespace) -> str:
    """Why the options cannot be followed, "" if they may be. The paths of programs become those of files."""
    if options.command == "lesson":
        lesson(options.name)
    elif options.command == "run":
        options.program, options.arguments = program_at(options.training_script), options.training_script_args
    elif options.command == "diff":
        return diff.misfit(options) or diff.programs_misfit(options)
    elif options.command not in ("lessons", "course"):
        options.program = program_at(options.program)
    return ""


def alone(options: argparse.Namespace) -> str:
    """The module whose `run` does what is asked for, without JAX and the rest of torchlike; "" where there is none.

    Args:
        options: what `read` gives.
    """
    if options.command == "lessons" and not options.answers and options.notebooks is None:
        return "torchlike._lessons.listing"
    if options.command == "course" and options.course_command not in ("check", "next"):
        return "torchlike._course.command"
    return ""
