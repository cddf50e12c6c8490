"""The command line: ``torchlike run program.py``, ``torchlike diff [program.py ...]``."""

import argparse
import os
import runpy
import sys
import traceback

from torchlike.diff.driver import diff
from torchlike.install import install


def main(argv=None) -> int:
    """Entry point of the ``torchlike`` command; returns the exit status."""
    parser = argparse.ArgumentParser(prog="torchlike", description="PyTorch's eager API on JAX")
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run", help="run a PyTorch program on torchlike")
    runner.add_argument("program")
    runner.add_argument("arguments", nargs=argparse.REMAINDER)
    differ = commands.add_parser("diff", help="run programs under torch, the tape and jax.vjp, and compare")
    differ.add_argument("programs", nargs="*", help="programs; those that ship with the package if none")
    differ.add_argument("--json", action="store_true", help="print JSON instead of tables")
    differ.add_argument("--rtol", type=float, default=None, help="relative tolerance (default: by dtype)")
    differ.add_argument("--atol", type=float, default=None, help="absolute tolerance (default: by dtype)")
    options = parser.parse_args(argv)
    if options.command == "run":
        return run(options.program, options.arguments)
    return diff(options.programs, as_json=options.json, rtol=options.rtol, atol=options.atol)


def run(program: str, arguments) -> int:
    """Run a script as ``python program.py`` would, with ``import torch`` giving torchlike."""
    if not os.path.exists(program):
        print(f"torchlike run: no such file: {program}", file=sys.stderr)
        return 2
    install(force=True)
    sys.argv = [program, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as leave:
        return _status(leave.code)
    except BaseException as error:
        _print_from(error, program)
        return 1
    return 0


def _status(code) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    print(code, file=sys.stderr)
    return 1


def _print_from(error, program) -> None:
    """The traceback from the user's own file on, as plain Python would show it."""
    here = error.__traceback__
    while here is not None and here.tb_frame.f_code.co_filename != program:
        here = here.tb_next
    traceback.print_exception(type(error), error, here or error.__traceback__)
