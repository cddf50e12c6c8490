"""The worker process of torchlike's two engines: its `main`, which `driver.command` calls."""

import contextlib

from torchlike._diff import program_run
from torchlike._diff.vjp_engine import functional
from torchlike.install import install

ENGINES = {"tape": contextlib.nullcontext, "functional": functional}


def main() -> None:
    """Run the program under the engine named on the command line and save the record."""
    parser = program_run.parser()
    parser.add_argument("--engine", choices=sorted(ENGINES), required=True)
    options = parser.parse_args()
    with install(), ENGINES[options.engine]():
        facts, arrays = program_run.run(options.program, options.arguments, options.source)
    program_run.save(options.out, facts, arrays)

