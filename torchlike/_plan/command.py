"""The command ``torchlike plan``."""

import argparse
import json
import sys
from collections.abc import Sequence

from torchlike._base.errors import UnsupportedError
from torchlike._diff import program_run, sources
from torchlike._plan import compiling
from torchlike._plan.devices import DEVICES
from torchlike._plan.mesh import PIPE, MeshError, parse
from torchlike._plan.recording import NoStepError, recorded
from torchlike._plan.report import Plan
from torchlike._plan.strategies import Setting, best_first, outcome, ways
from torchlike.install import install

_FAILED, _WRONG = 1, 2  # exit statuses
_ABOUT = ("Run a training program on this machine, up to the end of its third step, in one process, and say for other "
          "devices what a step would take of memory, time and network: with DistributedDataParallel, fully_shard on each "
          "block, layers split over an axis, and these together. What the program prints goes to standard error. Exit "
          "status 1 if the program fails.")


def add_parser(commands) -> None:
    """The parser of the command.

    Args:
        commands: what `argparse` adds commands to.
    """
    parser = commands.add_parser("plan", help="what a training step would take on devices that are not there",
                                 description=_ABOUT)
    parser.add_argument("program", help="a Python file, a notebook, or a folder with a __main__.py; the program's own "
                                        "arguments come last, behind --")
    parser.add_argument("--mesh", required=True, metavar="AXES",
                        help="the devices, as data=64,model=8: 'model', 'tensor' or 'tp' is an axis over which layers are "
                             "split, 'pipe' or 'pp' a pipeline; others are for data. The last one has neighbours")
    parser.add_argument("--device", required=True, choices=sorted(DEVICES), help="what they are")
    parser.add_argument("--global-batch", action="store_true",
                        help="the program's batch is that of all devices together (default: of each replica)")
    parser.add_argument("--microbatches", type=_count, default=8, metavar="N",
                        help="into how many parts a pipeline divides a batch (default: 8)")
    parser.add_argument("--step", type=_step, default=3, metavar="N",
                        help="which step of the program (default: 3: by then each optimizer has taken one)")
    parser.add_argument("--no-compile", action="store_true", help="do not ask XLA for the peak of the compiled step")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")


def parted(given: list[str]) -> tuple[list[str], list[str]]:
    """(the command's arguments, the program's), which are behind the first ``--``.

    Args:
        given: all of them.
    """
    place = given.index("--") if given[:1] == ["plan"] and "--" in given else len(given)
    return given[:place], given[place + 1:]


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _step(text: str) -> int:
    number = int(text)
    if number < 2:
        raise ValueError(text)  # what optimizers keep is made in the first
    return number


def run(options: argparse.Namespace, arguments: Sequence[str]) -> int:
    """Plans.

    Args:
        options: the parsed arguments; ``program`` is the path of a file.
        arguments: the program's own.

    Returns:
        The exit status: 1 where the program raises, 2 where there is nothing to plan.
    """
    try:
        plan = planned(options, arguments)
    except (MeshError, NoStepError, UnsupportedError) as error:
        print(f"torchlike plan: {error}", file=sys.stderr)
        return _WRONG
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as problem:
        own = program_run.own_traceback(problem, options.program)
        if own is None:
            raise
        sys.excepthook(type(problem), problem.with_traceback(own), own)
        return _FAILED
    print(json.dumps(plan.json(), indent=1, allow_nan=False) if options.json else plan)
    return 0


def planned(options: argparse.Namespace, arguments: Sequence[str]) -> Plan:
    """The plan that the arguments ask for.

    Args:
        options: the parsed arguments.
        arguments: the program's own.

    Raises:
        MeshError: the mesh cannot be, or not with this model. NoStepError: the program has ended before the step.
    """
    mesh, device = parse(options.mesh), DEVICES[options.device]
    install()
    step, ran = recorded(options.program, arguments, options.step, sources.notebook_source(options.program))
    setting = Setting(step, mesh, device, options.microbatches, options.global_batch, step.traffic)
    found = ways(mesh)
    for way in found:
        outcome(setting, way)  # which may raise, before anything is compiled
    temporaries, note = {}, "Not compiled."
    if mesh.of(PIPE):
        note = "Not compiled: what has been recorded is the whole step, and not a stage of a pipeline."
    elif not options.no_compile:
        temporaries, note = _compiled(step, ran, found, options.global_batch)
    outcomes = [outcome(setting, way, temporaries.get(way.name)) for way in found]
    return Plan(options.program, options.step, setting, best_first(outcomes), note)


def _compiled(step, ran, found, is_global) -> tuple[dict, str]:
    """({name of a way: bytes}, what they are)."""
    try:
        temporaries = compiling.temporaries(step, ran, found, is_global)
    except RuntimeError as error:
        return {}, f"Not compiled: {error}"
    what = "the axes for data and layers" if is_global else "the axis over which layers are split"
    return temporaries, ("Compiled: with what XLA for the CPU needs for intermediate values in the place of what is saved. "
                         f"On virtual devices, the recorded step cut over {what}.")
