"""One program under one engine in this process. Started by benchmarks/gpu/suite.py.

Prints all that is known so far after each part, as one JSON object on a line: who has to end the process has what was found
by then.
"""

import argparse
import dataclasses
import json
import os
import time
from collections.abc import Iterator

from benchmarks import timer, worker
from benchmarks.gpu import device
from benchmarks.gpu.programs import PROGRAMS, SCALES, peak_flops

_QUIET = 2.0  # seconds without a compilation after which a program is warm
_MEASURED = 2.0  # seconds to measure in, at most
_BLOCK = 10  # steps of which the last is read, at least: fewer would not show that a GPU works while Python goes on
_PROFILED = 10  # steps


def look(result):
    """Make the result exist, wherever it is."""
    return result.item() if result.ndim == 0 else result.detach().cpu().numpy()


def measured(options: argparse.Namespace) -> Iterator[dict]:
    """What is found, part by part: in seconds and bytes."""
    started = float(os.environ.get(worker.STARTED, time.time()))
    program, on_gpu = PROGRAMS[options.program], options.device != "cpu"
    library = device.LIBRARIES[options.engine]()
    build = worker.load(options.engine, program.module, **program.options(options.scale))
    imported = time.time()
    yield {"version": library.version, "import": imported - started}
    with library.placed(options.device):
        engine = build()
    if options.engine != "jax":
        engine = dataclasses.replace(engine, look=look)
    engine.look(engine.step())
    yield {"first_step": time.time() - imported}

    def left() -> float:
        return max(0.0, started + options.budget - time.time())

    with engine.hurried():
        took = timer.warm_up(engine.step, engine.look, engine.busy, min(_QUIET, left() / 4), left() / 2)
    yield {"warm_up": took}
    timing = timer.measure(engine.step, engine.look, True, min(_MEASURED, left() / 4))
    yield {"read_step": timing.seconds, "items_per_second": program.items(options.scale) / timing.seconds}
    if program.ends_steps:
        timing = timer.measure(engine.step, engine.look, False, min(_MEASURED, left() / 4), _BLOCK)
        yield {"step": timing.seconds, "items_per_second": program.items(options.scale) / timing.seconds}
    if on_gpu:
        yield from _on_gpu(options, library, engine, timing.seconds)


def _on_gpu(options, library, engine, seconds) -> Iterator[dict]:
    """What only a GPU has. Idle is what a step takes, measured without the profiler, less the time in which the profile
    shows the GPU at work in a step: the profiler slows the steps, not the kernels."""
    program, name = PROGRAMS[options.program], library.name()
    peak, flops = peak_flops(name, program.peak), program.flops(options.scale)
    yield {"device": name, "peak_bytes": library.peak_bytes(), "mfu": flops / seconds / peak if flops and peak else None}
    spans = library.busy(lambda: timer.timed(engine.step, engine.look, _PROFILED, not program.ends_steps))
    busy = device.union(spans) / _PROFILED
    yield {"busy": busy, "idle": max(0.0, seconds - busy)} if spans else {"idle": None}


def main() -> None:
    """Print the measurements, and the error that ended them, if there was one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=worker.ENGINES)
    parser.add_argument("program", choices=PROGRAMS)
    parser.add_argument("--scale", choices=SCALES, default="full")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--budget", type=float, default=60.0, help="seconds for the whole process")
    options = parser.parse_args()
    found: dict = {}
    try:
        for part in measured(options):
            found |= part
            print(json.dumps(found), flush=True)
    except Exception as error:  # noqa: BLE001 - an engine that cannot run a program is a line of the table
        print(json.dumps(found | {"error": worker.described(error)}), flush=True)


if __name__ == "__main__":
    main()
