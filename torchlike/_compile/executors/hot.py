"""The hot tier: a trace that has been seen often enough is compiled as one program."""

import logging
import math
import time

import jax
import numpy as np

from torchlike._base import config
from torchlike._base.turns import place
from torchlike._compile import blas, disk_cache
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.chains import chain_of
from torchlike._compile.executors.background import BackgroundCompiler
from torchlike._compile.executors.interruption import Interrupted, keep_result
from torchlike._compile.executors.together import RUNS, together
from torchlike._compile.fork_locks import COMPILING, QUIET
from torchlike._compile.jax_private import own_work
from torchlike._compile.program import Call, Program, digest_of, input_avals
from torchlike._compile.splice import splice

counters = {"programs": 0, "cold_runs": 0, "hot_runs": 0, "program_failures": 0}
log = logging.getLogger("torchlike")
_OPEN = ("seen", "new")  # states of programs that may be compiled some day
_DONE = ("ready", "failed", "single")


class HotTier:
    """Runs programs that are ready, and declines others: the cold tier runs those. Has them compiled as the settings say."""

    def run(self, program, inputs, numbers):
        """See `Executor.run`."""
        if program.state == "single":
            return None
        program.runs += 1
        waits = together.groups and _waits_together(program)
        if not together.groups and program.state in _OPEN:
            _advance(program)
        compiled = program.compiled
        if (program.state != "ready" or compiled is None  # another thread may find just now that it gains nothing
                or config.settings.compile in config.NO_PROGRAMS or waits):
            counters["cold_runs"] += 1
            return None
        counters["hot_runs"] += 1
        if program.trials >= _TRIALS or together.groups:
            return _launched(program, compiled, inputs, numbers)
        return _tried(program, compiled, inputs, numbers)


def _launched(program, compiled, inputs, numbers) -> list:
    """The live results. Once it has been launched its inputs may be gone."""
    kept: list = []
    try:
        with own_work():
            if program.dynamic and any(program.dynamic):
                vector = np.array([v for v, d in zip(numbers, program.dynamic, strict=True) if d], np.float64)
                inputs = (vector, *inputs)
            keep_result(compiled, tuple(inputs), kept)
        out = kept[0]
        return [out[place] for place in program.places]
    except Interrupted as late:
        raise Interrupted([late.results[place] for place in program.places]) from late.__cause__
    except BaseException as error:
        if not kept:
            raise
        raise Interrupted([kept[0][place] for place in program.places]) from error


_TRIALS = 16  # runs
# Times as long as in the cold tier, and the compiled form is given up. Below that, running beside Python may still gain.
_MUCH = 1.5


def _tried(program, compiled, inputs, numbers) -> list:
    """A run that is timed: one of the first is faster than the cold tier ever was, or compiling has gained nothing. Where
    arrays are elsewhere than in the host's memory the cold tier's runs go on after their call, and nobody knows."""
    start = time.perf_counter()
    found = _launched(program, compiled, inputs, numbers)
    try:
        jax.block_until_ready(found)
    except jax.errors.JaxRuntimeError:
        raise
    except BaseException as error:  # an interruption
        raise Interrupted(found) from error
    took = time.perf_counter() - start
    program.trials += 1
    program.quickest = min(program.quickest, took)
    if took < program.fastest:
        program.trials = _TRIALS
    elif program.trials >= _TRIALS and backend_of(program.device).in_host_memory:
        _gainless.add(program)
        if config.settings.patience > 0 and program.quickest > _MUCH * program.fastest:
            program.state, program.compiled = "gainless", None
    return found


class _Gainless:
    """Programs whose compiled form was no faster than the cold tier. Others that differ in sizes and take the cold tier less
    than twice the time are not compiled: a loop over lengths would be, for each of them, in vain."""

    def __init__(self):
        self.seconds: dict = {}

    def add(self, program) -> None:
        if len(self.seconds) >= config.settings.max_programs:
            self.seconds.clear()
        self.seconds[_kernels_of(program)] = 2 * program.fastest

    def __contains__(self, program) -> bool:
        return program.fastest < self.seconds.get(_kernels_of(program), 0.0)


_gainless = _Gainless()


def _kernels_of(program) -> tuple:
    return tuple(item.kernel.name for item in program.items if item.__class__ is Call)


# A whole program takes about this long from its call until a result can be read, however small it is.
LAUNCH = 150e-6
# Compiling takes about this long: medians of the benchmarks' programs.
_COMPILING, _COMPILING_EACH = 0.05, 0.01  # seconds, and for each instruction


def _pays(program) -> bool:
    """Whether so much time has gone by in the cold tier that compiling would have paid by now, if compiling were
    ``patience`` times as expensive as it is."""
    patience = config.settings.patience
    if program.runs <= config.settings.hot or program.cold_runs == 0:
        return False
    if patience <= 0:
        return True
    cost = _COMPILING + _COMPILING_EACH * (program.effort or len(program.items))
    return program.seconds - LAUNCH * program.cold_runs > patience * cost


def _advance(program):
    """Have a program compiled, or sought among those that an earlier process compiled, if it is time."""
    mode = config.settings.compile
    if mode == "now" or (program.at_once and mode == "background"):
        compile_program(program)
    elif mode == "background":
        if _pays(program):
            program.state = "queued"
        elif program.state == "seen":
            program.state = "sought"
        else:
            return
        compiler.put(program)


def _waits_together(program) -> bool:
    """Whether the cold tier runs a program on all ranks, by the number of its runs alone. After that it is compiled."""
    mode = config.settings.compile
    at_once = mode == "now" or (program.at_once and mode == "background")
    runs = program.runs_together[place.rank] = program.runs_together.get(place.rank, 0) + 1
    if runs <= (0 if at_once else RUNS):
        return True
    if mode not in config.NO_PROGRAMS and program.state not in _DONE:
        compile_program(program)
    return False


def compile_program(program: Program) -> None:
    """Compile a program, or take it from disk. One that is sought is taken if it is there, and else it is found out what
    compiling it would take. A failure leaves the cold tier, and so does a device without values; one for lack of stack says
    nothing of the program, which is compiled another time."""
    try:
        with own_work(), COMPILING, blas.one_thread():  # a fork, which waits for the first, finds both free
            backend = backend_of(program.device)
            if not backend.has_values:
                program.state = "single"
                return
            chain = chain_of(program) if backend.runs_chains else None
            parts = [part for part in (chain.programs if chain else [program]) if part.compiled is None]
            program.effort = sum(len(part.items) for part in parts)
            if program.state == "sought" and not all(_is_on_disk(part, backend) for part in parts):
                program.state = "new"
                return
            for part in parts:
                with QUIET:
                    function, arguments, donated = splice(part)
                part.compiled = backend.compile_program(function, arguments, donated, _digest(part))
                part.state = "ready"
            if chain:
                chain.join()
                program.compiled, program.places = chain, tuple(range(len(program.live)))
        counters["programs"] += 1
        program.state = "ready"
    except RecursionError:  # the caller's depth, or a limit that another thread set: it has to pay again
        program.state, program.seconds, program.cold_runs = "new", 0.0, 0
    except Exception as error:  # noqa: BLE001 - whatever XLA raises, the cold tier still serves
        program.error, program.state = error, "failed"
        counters["program_failures"] += 1
        log.warning("a program of %d instructions was not compiled: %s", len(program.items), error)


def _digest(program) -> str:
    return digest_of(program) if disk_cache.folder() is not None else ""


def _is_on_disk(program, backend) -> bool:
    return backend.has_compiled(_digest(program), [a.sds for a in input_avals(program.items)])


def urgency(program: Program) -> float:
    """The next to be compiled is the one that has cost the cold tier most; those that may be on disk take no time."""
    return math.inf if program.state == "sought" else program.seconds


def _compile_if_gainful(program: Program) -> None:
    """`compile_program`, unless others like it have shown that it gains nothing."""
    if config.settings.patience > 0 and program in _gainless:
        program.state = "gainless"
    else:
        compile_program(program)


compiler = BackgroundCompiler(_compile_if_gainful, urgency, locks=(COMPILING,))
