"""One process of many: what the launcher (`distributed/elastic/`) starts, as ``python -m torchlike._worker program.py``.

It runs a program as ``torchlike run`` does. What the program raises is told to the launcher, which shows the first error of
all processes.
"""

import os
import runpy
import sys
from collections.abc import Sequence

from torchlike import cli
from torchlike._base.errors import UnsupportedError
from torchlike._diff import program_run, sources
from torchlike._record import tracebacks
from torchlike.distributed.elastic.multiprocessing import errors
from torchlike.install import install

_FAILED, _WRONG, _INTERRUPTED = 1, 2, 130


def _tell(problem: BaseException, own) -> bool:
    """Whether the launcher will tell the error; `own` is the traceback of the program's frames."""
    return errors.written(problem, tracebacks.text_of(type(problem), problem, own))


def _run_module(name: str, arguments: Sequence[str]) -> int:
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
        if not _tell(problem, own or problem.__traceback__):
            sys.excepthook(type(problem), problem, own or problem.__traceback__)
        return _FAILED
    return 0


def main(arguments: Sequence[str]) -> int:
    """Runs a program, or after "-m" a module.

    Args:
        arguments: the program and its own arguments.

    Returns:
        The exit status.
    """
    try:
        if arguments[0] == "-m":
            return _run_module(arguments[1], arguments[2:])
        return cli.run(sources.program_at(arguments[0]), arguments[1:], _tell)
    except (sources.NotAProgramError, UnsupportedError) as error:
        print(error, file=sys.stderr)
        return _WRONG
    except KeyboardInterrupt:  # the launcher's, which says so once
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
