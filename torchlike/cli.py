"""The command line: ``torchlike run program.py`` and ``torchlike diff [program.py ...]``."""

import argparse
import os
import sys
from collections.abc import Sequence

from rich.console import Console

from torchlike import version
from torchlike._diff import driver, program_run
from torchlike._diff import report as reporting
from torchlike._diff.compare import Tolerance
from torchlike.install import install

PIPE_WIDTH = 130  # columns of a table that is not printed to a terminal


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="torchlike", description="PyTorch's eager API on JAX.")
    parser.add_argument("--version", action="version",
                        version=f"torchlike {version.__version__} (follows PyTorch {version.torch})")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    run_parser = commands.add_parser(
        "run", help="run a PyTorch program on torchlike",
        description="Run a PyTorch program with 'import torch' giving torchlike, otherwise as python would.")
    run_parser.add_argument("program", help="a Python file")
    run_parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")
    diff_parser = commands.add_parser(
        "diff", help="run programs under PyTorch, torchlike and jax.vjp, and compare",
        description="Run each program under PyTorch (if installed), torchlike's tape and jax.vjp of the same "
                    "program as a pure function. Every tensor, parameter and gradient that it leaves in its "
                    "variables is compared. Exit status 1 if anything disagrees.")
    diff_parser.add_argument("programs", nargs="*", metavar="program.py",
                             help="Python files (default: the programs that ship with torchlike)")
    diff_parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    diff_parser.add_argument("--quiet", action="store_true", help="print only disagreements and the summary")
    diff_parser.add_argument("--rtol", type=float, help="relative tolerance (default: by dtype)")
    diff_parser.add_argument("--atol", type=float, help="absolute tolerance (default: by dtype)")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The command ``torchlike``. Wrong arguments leave with status 2.

    Args:
        argv: the arguments; None means those of the process.

    Returns:
        The exit status.
    """
    parser = _parser()
    options = parser.parse_args(argv)
    wanted = [options.program] if options.command == "run" else options.programs
    for program in wanted:
        if not os.path.isfile(program):
            parser.error(f"can't open file '{program}'")
    if options.command == "run":
        return run(options.program, options.arguments)
    return diff(options)


def run(program: str, arguments: Sequence[str]) -> int:
    """Runs a program on torchlike. An exception that it does not catch prints Python's traceback, which begins in the
    program.

    Args:
        program: the path of a Python file.
        arguments: the program's arguments.

    Returns:
        The exit status, 1 after an exception.
    """
    install()
    try:
        program_run.execute(program, list(arguments))
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as problem:  # noqa: BLE001 - reported as the interpreter would, with its status
        own = program_run.own_traceback(problem, program)
        sys.excepthook(type(problem), problem.with_traceback(own), own)
        return 1
    return 0


def diff(options: argparse.Namespace) -> int:
    """Compares the engines on programs.

    Args:
        options: the parsed arguments of ``torchlike diff``.

    Returns:
        0 if all agree, else 1.
    """
    programs = options.programs or [str(path) for path in driver.shipped_programs()]
    console = Console() if sys.stdout.isatty() else Console(width=PIPE_WIDTH)
    found = []
    tolerance = Tolerance(options.rtol, options.atol)
    with Console(stderr=True).status("") as status:
        def show_progress(path: str) -> None:
            status.update(f"running {path}")

        for report in driver.reports(programs, tolerance, started=show_progress):
            found.append(report)
            if not options.json and not (options.quiet and report.agree):
                reporting.show(console, report, everything=not options.quiet)
    if options.json:
        print(reporting.as_json(found))
    else:
        reporting.summarize(console, found)
    return 0 if all(report.agree for report in found) else 1
