"""One process of many: what the launcher (`distributed/elastic/`) starts, as ``python -m torchlike._worker program.py``.

It runs a program as ``torchlike run`` does. What the program raises is told to the launcher, which shows the first error of
all processes.
"""

import os
import runpy
import sys
from collections.abc import Callable, Sequence

from torchlike import cli
from torchlike._base.errors import UnsupportedError
from torchlike._diff import program_run, sources
from torchlike._ranks.run import Ranks
from torchlike._record import tracebacks
from torchlike.distributed.elastic.multiprocessing import errors
from torchlike.install import install

_FAILED, _WRONG, _INTERRUPTED = 1, 2, 130


def _tell(problem: BaseException, own) -> bool:
    """Whether the launcher will tell the error; `own` is the traceback of the program's frames."""
    return errors.written(problem, tracebacks.text_of(type(problem), problem, own))


def _run_module(name: str, arguments: Sequence[str], tell: Callable) -> int:
    """As ``python -m name arguments...``, on torchlike."""
    sys.path.insert(0, os.getcwd())
    sys.argv = [name, *arguments]
    install()
    try:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as problem:  # noqa: BLE001 - reported as the interpreter would, with its status
        own = program_run.own_traceback(problem, sys.argv[0])
        if not tell(problem, own or problem.__traceback__):
            sys.excepthook(type(problem), problem, own or problem.__traceback__)
        return _FAILED
    return 0


def _program(arguments: Sequence[str]) -> Callable[[Callable], int]:
    """What runs it, and is given what tells of exceptions."""
    if arguments[0] == "-m":
        return lambda tell: _run_module(arguments[1], arguments[2:], tell)
    path = sources.program_at(arguments[0])
    return lambda tell: cli.run(path, arguments[1:], tell)


def main(arguments: Sequence[str]) -> int:
    """Runs a program, or after "-m" a module; after "--devices" and a number, with so many ranks in this process.

    Args:
        arguments: the program and its own arguments.

    Returns:
        The exit status.
    """
    try:
        if arguments[0] == "--devices":
            return Ranks(int(arguments[1]), _program(arguments[2:])).run()
        return _program(arguments)(_tell)
    except (sources.NotAProgramError, UnsupportedError) as error:
        print(error, file=sys.stderr)
        return _WRONG
    except KeyboardInterrupt:  # the launcher's, which says so once
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
