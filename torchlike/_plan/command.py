"""The command ``torchlike plan``."""

import argparse
import json
import sys

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


def run(options: argparse.Namespace) -> int:
    """Plans.

    Args:
        options: the parsed arguments; ``program`` is the path of a file, ``arguments`` are the program's own.

    Returns:
        The exit status: 1 where the program raises, 2 where there is nothing to plan.
    """
    try:
        plan = planned(options)
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


def planned(options: argparse.Namespace) -> Plan:
    """The plan that the arguments ask for.

    Args:
        options: the parsed arguments.

    Raises:
        MeshError: the mesh cannot be, or not with this model. NoStepError: the program has ended before the step.
    """
    mesh, device = parse(options.mesh), DEVICES[options.device]
    install()
    step, ran = recorded(options.program, options.arguments, options.step, sources.notebook_source(options.program))
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
