"""The cold tier: kernel by kernel, each run by itself."""

import contextlib
import contextvars
import threading
import time
from collections.abc import Callable, Iterable

import numpy as np

from torchlike._base import config
from torchlike._compile.avals import NUMBER_DTYPES
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.executors.interruption import Interrupted, to_the_end
from torchlike._compile.executors.parallel import compile_together
from torchlike._compile.heap import keep_freed_memory
from torchlike._compile.jax_private import own_work
from torchlike._compile.kernels import TracedKernel
from torchlike._compile.plans.plan import Plan, call_step, drop_step
from torchlike._compile.plans.table import LARGE
from torchlike._compile.program import Input, Program, last_uses, placed, slot_avals

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
        took = time.perf_counter() - start
        program.seconds += took
        if took < program.fastest:
            program.fastest = took
        program.cold_runs += 1
        return found


class Schedule:
    """What the cold tier does for a program: found once, run many times.

    A run fills a list, ``_blank`` at first: a place for each slot of the trace, then one for each number, then those that
    the plans of kernels need for themselves. ``groups`` has (instruction, the steps of each of its calls, the places of its
    results); a step is a closure on the list. From the first call on after which an input that the run may use up is let
    go, there is no way back: these are the ``_final`` calls, ``steps`` those of the others. ``compiled``: whether kernels
    are compiled where they need not be; ``backend``: who runs them, on ``device``.
    """

    __slots__ = (
        "_blank",
        "_final",
        "_inputs",
        "_kinds",
        "_live",
        "_numbers",
        "_operand",
        "_result",
        "_settings",
        "_shared",
        "_used_up",
        "backend",
        "compiled",
        "device",
        "groups",
        "steps",
    )

    def __init__(self, program: Program, compiled: bool):
        self.compiled, self._live, self.device = compiled, program.live, program.device
        self.backend = backend_of(self.device)
        self._operand, self._result = self.backend.operand, self.backend.result
        avals = slot_avals(program.items)
        self._inputs, self._kinds, self._numbers = [], [], len(avals)
        planned = self._planned(program.items)
        last = iter(last_uses([call for _, calls, _ in planned for call in calls], program.live))
        needed = [(item, [(*call, ends) for call in calls if (ends := next(last)) is not None], outs)
                  for item, calls, outs in planned]
        prepare((kernel for _, calls, _ in needed for kernel, *_ in calls), compiled)
        self._blank: list = [None] * (len(avals) + len(self._kinds))
        self._shared: dict = {}
        self._settings: Callable[[], contextlib.AbstractContextManager] = _for_numpy
        large = {slot for slot, a in enumerate(avals) if a.nbytes >= LARGE}
        self._used_up = [position for position in program.may_donate if self._inputs[position] in large]
        self._bind(needed, large)

    def _planned(self, items) -> list:
        """(instruction, its calls, the places of its results) of each but the Inputs."""
        planned = []
        for item, outs in placed(items):
            if item.__class__ is Input:
                self._inputs.append(outs.start)
                continue
            first = self._numbers + len(self._kinds)
            self._kinds += [self.backend.number(NUMBER_DTYPES[kind].type) for kind in item.kernel.numbers]
            ins = (*item.slots, *range(first, self._numbers + len(self._kinds)))
            planned.append((item, item.kernel.calls(ins, outs), outs))
        return planned

    def _bind(self, needed, large) -> None:
        """Sets the steps. Those of a call begin with letting go of what the call before it was the last to read."""
        donors = {self._inputs[position] for position in self._used_up}
        self.groups, bound, dead, turn = [], [], [], None
        for item, calls, outs in needed:
            first = len(bound)
            for kernel, ins, results, ends in calls:
                bound.append(([drop_step(dead)] if dead else []) + self._steps_of(kernel, ins, results))
                dead = [slot for slot in ends if slot in large]
                if turn is None and not donors.isdisjoint(dead):
                    turn = len(bound)
            if calls:
                self.groups.append((item, bound[first:], outs))
        self.steps = [step for steps in bound[:turn] for step in steps]
        final = [] if turn is None else bound[turn:]
        self._final = final and [[_let_go_step(self._used_up)], *final]

    def _steps_of(self, kernel, ins, outs) -> list:
        places = [self._place(i) for i in ins]
        plan = not self.compiled and kernel.plan
        if isinstance(plan, Plan):
            return self._spliced(plan, places, outs)
        self._settings = _for_xla
        return [_call(plan or kernel.compiled, places, outs)]

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
                return _silence.context.run(self._followed, env, inputs)
            finally:
                _silence.entered = False
        with self._settings():
            return self._followed(env, inputs)

    def _followed(self, env, inputs) -> list:
        for step in self.steps:
            step(env)
        if not self._final:
            return self._results(env)
        env.append(inputs)
        interruption = to_the_end(self._final, env)
        if interruption is None:
            return self._results(env)
        raise Interrupted(self._results(env)) from interruption

    def run_watched(self, inputs, numbers, watch) -> list:
        """As `run`. `watch` takes each instruction and a function without arguments that does it and returns the results."""
        env = self._entered(inputs, numbers)
        with self._settings():
            for item, calls, outs in self.groups:
                watch(item, lambda calls=calls, outs=outs: _done(calls, env, outs))
            return self._results(env)

    def _entered(self, inputs, numbers) -> list:
        """The values of all places before the first step."""
        env = self._blank.copy()
        operand = self._operand
        # Not strict: where another thread looks into a trace, its own thread goes on recording.
        for slot, array in zip(self._inputs, inputs, strict=False):
            env[slot] = array if array.__class__ is np.ndarray else operand(array)
        for i, (kind, number) in enumerate(zip(self._kinds, numbers, strict=False), self._numbers):
            env[i] = kind(number)
        return env

    def _results(self, env) -> list:
        found = []
        for slot in self._live:
            value = env[slot]
            found.append(None if value is None else self._result(value))
            env[slot] = value = None  # where that was a copy, its original goes before the next one is made
        return found


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
    with _for_numpy(), own_work():
        yield


def _done(calls, env, outs):
    for steps in calls:
        for step in steps:
            step(env)
    return env[outs.start:outs.stop]


def _same(x):
    return x


def _let_go_step(positions):
    """The list of inputs, which comes last, loses these: the list of values has them."""
    def step(env):
        for position in positions:
            env[-1][position] = None
    return step


def _call(function, ins, outs):
    """A compiled kernel as a step."""
    first, end = outs.start, outs.stop

    def step(env):
        env[first:end] = function(*[env[i] for i in ins])
    return step


class Described:
    """In the place of a Schedule on a device without values: each result is what the backend has in an array's place."""

    groups: tuple = ()

    def __init__(self, program: Program, compiled: bool):
        self.device, self.compiled, self.backend = program.device, compiled, backend_of(program.device)
        avals = slot_avals(program.items)
        self._results = [self.backend.place(avals[slot].sds) for slot in program.live]

    def run(self, inputs: list, numbers: list) -> list:
        """See `Executor.run`."""
        return self._results.copy()


def schedule_of(program: Program) -> Schedule | Described:
    """The Schedule of a program under the present settings."""
    compiled = config.settings.compile == KERNELS
    schedule = program.schedule
    if schedule is None or schedule.compiled is not compiled or schedule.backend is not backend_of(schedule.device):
        kind = Schedule if backend_of(program.device).has_values else Described
        schedule = program.schedule = kind(program, compiled)
    return schedule


def prepare(kernels: Iterable[TracedKernel], compiled: bool = False) -> None:
    """Make what runs these kernels: those that must be compiled (`compiled`: all) are compiled side by side."""
    compile_together({kernel for kernel in kernels if not kernel.is_compiled and (compiled or not kernel.plan)})
