"""The cold tier: kernel by kernel, each run by itself."""

import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Iterable

import jax
import numpy as np

from torchlike._base import config
from torchlike._compile.avals import NUMBER_DTYPES
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.executors.parallel import compile_together
from torchlike._compile.heap import keep_freed_memory
from torchlike._compile.kernels import TracedKernel
from torchlike._compile.plans.plan import Plan, call_step, drop_step
from torchlike._compile.plans.table import LARGE
from torchlike._compile.program import Input, Program, last_uses, needed_items, slot_avals

KERNELS = "kernels"  # the setting by which every kernel is compiled


class ColdTier:
    """Runs any trace. A value is dropped after its last use, so memory stays PyTorch's."""

    def __init__(self):
        keep_freed_memory()

    def run(self, program, inputs, numbers):
        """See `Executor.run`."""
        schedule = schedule_of(program)
        start = time.perf_counter()
        found = schedule.run(inputs, numbers)
        program.seconds += time.perf_counter() - start
        program.cold_runs += 1
        return found


class Schedule:
    """What the cold tier does for a program: found once, run many times.

    A run fills a list, ``_blank`` at first: a place for each slot of the trace, then one for each number, then those that
    the plans of kernels need for themselves. ``steps`` are closures on it; ``groups`` has (instruction, its steps, the
    places of its results). ``compiled``: whether kernels are compiled where they need not be; ``backend``: who runs them.
    """

    __slots__ = (
        "_blank",
        "_inputs",
        "_kinds",
        "_live",
        "_numbers",
        "_settings",
        "_shared",
        "backend",
        "compiled",
        "groups",
        "steps",
    )

    def __init__(self, program: Program, compiled: bool):
        items, live = program.items, program.live
        self.compiled, self._live, self.backend = compiled, live, backend_of(program.device)
        avals, needed = slot_avals(items), needed_items(items, live)
        last = last_uses(items, needed, live)
        self._inputs, self._kinds, self._numbers = [], [], len(avals)
        planned, slot = [], 0
        for i, item in enumerate(items):
            if item.__class__ is Input:
                self._inputs.append(slot)
                slot += 1
                continue
            first = len(avals) + len(self._kinds)
            self._kinds += [NUMBER_DTYPES[kind].type for kind in item.kernel.numbers]
            outs = range(slot, slot + len(item.kernel.outs))
            if needed[i]:
                ins = (*item.slots, *range(first, len(avals) + len(self._kinds)))
                dead = [s for s in last.get(i, ()) if avals[s].numel * avals[s].dtype.itemsize >= LARGE]
                planned.append((item, item.kernel.calls(ins, outs), dead, outs))
            slot = outs.stop
        prepare((kernel for _, calls, _, _ in planned for kernel, _, _ in calls), compiled)
        self._blank: list = [None] * (len(avals) + len(self._kinds))
        self._shared: dict = {}
        self._settings: Callable[[], contextlib.AbstractContextManager] = _for_numpy
        self.groups = [(item, self._bound(calls, dead), outs) for item, calls, dead, outs in planned]
        self.steps = [step for _, steps, _ in self.groups for step in steps]

    def _bound(self, calls, dead) -> list:
        steps = []
        for kernel, ins, outs in calls:
            places = [self._place(i) for i in ins]
            plan = not self.compiled and kernel.plan
            if isinstance(plan, Plan):
                steps += self._spliced(plan, places, outs)
            else:
                steps.append(_call(plan or kernel.compiled, places, outs))
                self._settings = _for_xla
        if dead:
            steps.append(drop_step(dead))
        return steps

    def _place(self, i):
        if isinstance(i, np.generic):
            self._blank.append(i)
            return len(self._blank) - 1
        return i

    def _spliced(self, plan, places, outs) -> list:
        """The steps of a plan; its own slots get places at the end."""
        count, own = len(places), len(self._blank)
        places += range(own, own + len(plan.blank))
        self._blank += plan.blank
        left = []
        for slot, out in zip(plan.results, outs, strict=True):
            if places[slot] >= own and plan.blank[slot - count] is None:  # not an argument, not there yet, no constant
                places[slot] = out
            else:
                left.append(call_step(_same, [places[slot]], [out]))
        return plan.steps(places, self._shared) + left

    def run(self, inputs, numbers):
        """The live results, see `Executor.run`."""
        env = self._entered(inputs, numbers)
        if self._settings is _for_numpy and not _silence.entered:
            _silence.entered = True
            try:
                return _silence.context.run(self._followed, env)
            finally:
                _silence.entered = False
        with self._settings():
            return self._followed(env)

    def _followed(self, env) -> list:
        for step in self.steps:
            step(env)
        return self._results(env)

    def run_watched(self, inputs, numbers, watch) -> list:
        """As `run`. `watch` takes each instruction and a function without arguments that does it and returns the results."""
        env = self._entered(inputs, numbers)
        with self._settings():
            for item, steps, outs in self.groups:
                watch(item, lambda steps=steps, outs=outs: _done(steps, env, outs))
            return self._results(env)

    def _entered(self, inputs, numbers) -> list:
        """The values of all places before the first step."""
        env = self._blank.copy()
        operand = self.backend.operand
        # Not strict: where another thread looks into a trace, its own thread goes on recording.
        for slot, array in zip(self._inputs, inputs, strict=False):
            env[slot] = operand(array)
        for i, (kind, number) in enumerate(zip(self._kinds, numbers, strict=False), self._numbers):
            env[i] = kind(number)
        return env

    def _results(self, env) -> list:
        result = self.backend.result
        return [result(env[slot]) for slot in self._live]


class _Silence(threading.local):
    """A context of the thread in which numpy is silent: it is entered in a tenth of the time of `np.errstate`. ``entered``:
    whether it is now, which it can be once only."""

    def __init__(self):
        self.context = contextvars.copy_context()
        self.context.run(np.seterr, all="ignore")
        self.entered = False


_silence = _Silence()


def _for_numpy():
    """The context in which numpy's steps run: silent, as XLA is."""
    return np.errstate(all="ignore")


@contextlib.contextmanager
def _for_xla():
    """The context in which numpy's and XLA's steps run."""
    with _for_numpy(), jax.enable_x64(True):
        yield


def _done(steps, env, outs):
    for step in steps:
        step(env)
    return env[outs.start:outs.stop]


def _same(x):
    return x


def _call(function, ins, outs):
    """A compiled kernel as a step."""
    first, end = outs.start, outs.stop

    def step(env):
        env[first:end] = function(*[env[i] for i in ins])
    return step


def schedule_of(program: Program) -> Schedule:
    """The Schedule of a program under the present settings."""
    compiled = config.settings.compile == KERNELS
    schedule = program.schedule
    if schedule is None or schedule.compiled is not compiled or schedule.backend is not backend_of(program.device):
        schedule = program.schedule = Schedule(program, compiled)
    return schedule


def prepare(kernels: Iterable[TracedKernel], compiled: bool = False) -> None:
    """Make what runs these kernels: those that must be compiled (`compiled`: all) are compiled side by side."""
    compile_together({kernel for kernel in kernels if not kernel.is_compiled and (compiled or not kernel.plan)})
