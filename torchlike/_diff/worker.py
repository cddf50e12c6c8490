"""The worker process of torchlike's engines, which `workers.py` starts."""

import contextlib
import importlib
import sys

from torchlike._compile.executors.forked import like_new
from torchlike._diff import forkserver, program_run, recorder
from torchlike._diff.vjp_engine import functional
from torchlike.install import install

ENGINES = {"tape": contextlib.nullcontext, "functional": functional, "jax": functional}


def run() -> None:
    """Run the program under the engine named on the command line and save the record."""
    with install(), ENGINES[_engine()]():
        program_run.main()


def record() -> None:
    """Record every operation of the program."""
    with install(), ENGINES[_engine()]() as watch:
        recorder.main(importlib.import_module("torch"), program_run, watch)


def _engine() -> str:
    del sys.argv[1]
    return sys.argv.pop(1)


def main() -> None:
    """Run the task that is the first argument, or serve."""
    forkserver.main({"run": run, "record": record}, like_new)
