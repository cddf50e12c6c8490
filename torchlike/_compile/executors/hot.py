"""The hot tier: a trace that has been seen often enough is compiled as one program."""

import logging

import jax
import numpy as np

from torchlike._base import config
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.executors.background import BackgroundCompiler
from torchlike._compile.fork_locks import COMPILING, QUIET
from torchlike._compile.program import Program
from torchlike._compile.splice import splice

counters = {"programs": 0, "cold_runs": 0, "hot_runs": 0, "program_failures": 0}
log = logging.getLogger("torchlike")


class HotTier:
    """Runs programs that are ready, and declines others: the cold tier runs those. Has them compiled as the settings say."""

    def run(self, program, inputs, numbers):
        """See `Executor.run`."""
        if program.state == "single":
            return None
        program.runs += 1
        if program.state == "seen" and (program.at_once or program.runs > config.settings.hot
                                        or config.settings.compile == "now"):
            _ask_for_compilation(program)
        if program.state != "ready":
            counters["cold_runs"] += 1
            return None
        counters["hot_runs"] += 1
        run = backend_of(program.device).run
        if program.dynamic and any(program.dynamic):
            vector = np.array([v for v, d in zip(numbers, program.dynamic, strict=True) if d], np.float64)
            with jax.enable_x64(True):
                out = run(program.compiled, (vector, *inputs))
        else:
            out = run(program.compiled, inputs)
        return [out[place] for place in program.places]


def _ask_for_compilation(program):
    mode = config.settings.compile
    if mode == "now" or (program.at_once and mode == "background"):
        compile_program(program)
    elif mode == "background":
        program.state = "queued"
        compiler.put(program)


def compile_program(program: Program) -> None:
    """Splice the kernels into one function and compile it. A failure leaves the cold tier."""
    try:
        with jax.enable_x64(True), COMPILING:
            with QUIET:
                function, arguments, donated = splice(program)
            program.compiled = backend_of(program.device).compile_program(function, arguments, donated)
        counters["programs"] += 1
        program.state = "ready"
    except Exception as error:  # noqa: BLE001 - whatever XLA raises, the cold tier still serves
        program.error, program.state = error, "failed"
        counters["program_failures"] += 1
        log.warning("a program of %d instructions was not compiled: %s", len(program.items), error)


compiler = BackgroundCompiler(compile_program)
