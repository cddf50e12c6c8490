"""A trace as one XLA program (hot), or run kernel by kernel (cold). Knows slots, not Tensors.

A trace is a list of `Input` and `Call`; each Input fills one slot, each Call as many as its kernel
has results. Numbers are constants of the program unless their Call's `dynamic` says that this
position has been seen with a second value: then they arrive in one float64 vector.
"""

import atexit
import dataclasses
import logging
import queue
import threading
from typing import Any

import jax
import numpy as np

from torchlike._base import config
from torchlike._compile import fences
from torchlike._compile.avals import NUMBER_DTYPES
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.executors.parallel import compile_together
from torchlike._compile.fork_locks import COMPILING, QUIET
from torchlike._compile.kernels import Kernel

counters = {"programs": 0, "cold_runs": 0, "hot_runs": 0, "program_failures": 0}
log = logging.getLogger("torchlike")
# Functions with the arguments of `run_cold` that run traces in its place, and in that of compiled programs: a forked process
# asks its parent, a profiler times each instruction. The last one comes first; one that returns None declines.
instead: list = []


@dataclasses.dataclass(slots=True, eq=False)
class Input:
    """A value that exists before the trace starts."""

    aval: object


@dataclasses.dataclass(slots=True, eq=False)
class Call:
    """A kernel on slots. `constants` are its numbers as first seen; `dynamic` those that changed."""

    kernel: Kernel
    slots: tuple
    constants: tuple = ()
    dynamic: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True, eq=False)
class Program:
    """The compiled form for one set of live results. ``state``: seen, queued, ready or failed."""

    items: list
    live: tuple
    may_donate: tuple  # positions among the inputs whose buffers nobody else holds
    dynamic: tuple
    places: tuple = ()  # where the compiled form returns each live result
    runs: int = 0
    state: str = "seen"
    compiled: Any = None
    error: Exception | None = None

    @property
    def device(self):
        """Where all of it runs."""
        first = self.items[0]
        return first.aval.device if first.__class__ is Input else first.kernel.device


def dynamic_positions(items) -> tuple:
    """For each number of the trace, in order, whether it arrives at run time."""
    return tuple(flag for item in items if item.__class__ is Call for flag in item.dynamic)


def run(program: Program, inputs: list, numbers: list, at_once=False) -> list:
    """The live results. Compiles now, later or never, as the settings say; `at_once`: now rather than later."""
    if instead:
        found = _by_another(program.items, program.live, inputs, numbers)
        if found is not None:
            return found
    program.runs += 1
    if program.state == "seen" and (at_once or program.runs > config.settings.hot or config.settings.compile == "now"):
        _ask_for_compilation(program, at_once)
    if program.state == "ready":
        counters["hot_runs"] += 1
        if program.dynamic and any(program.dynamic):
            vector = [v for v, d in zip(numbers, program.dynamic, strict=True) if d]
            with jax.enable_x64(True):
                out = program.compiled(np.array(vector, np.float64), *inputs)
        else:
            out = program.compiled(*inputs)
        return [out[place] for place in program.places]
    counters["cold_runs"] += 1
    return run_cold(program.items, program.live, inputs, numbers)


def _by_another(items, live, inputs, numbers):
    """The results of the function in `instead` that does not decline; None if all do."""
    for function in tuple(reversed(instead)):
        found = function(items, live, inputs, numbers)
        if found is not None:
            return found
    return None


def _ask_for_compilation(program, at_once):
    mode = config.settings.compile
    if mode == "now" or (at_once and mode == "background"):
        compile_program(program)
    elif mode == "background":
        program.state = "queued"
        _worker().put(program)


# -- hot

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


def splice(program: Program) -> tuple:
    """(a function that calls all kernels, JAX's descriptions of its arguments, which ones its results may overwrite)."""
    inputs = [item.aval for item in program.items if item.__class__ is Input]
    arguments = [a.sds for a in inputs]
    pairs = _overwritten(program)
    donate = tuple(pairs)
    # JAX pairs donated inputs with results in order: results that overwrite come first, as their inputs do.
    order = [*pairs.values(), *(i for i in range(len(program.live)) if i not in set(pairs.values()))]
    program.places = tuple(sorted(range(len(order)), key=order.__getitem__))
    has_numbers = any(program.dynamic)
    if has_numbers:
        arguments.insert(0, jax.ShapeDtypeStruct((sum(program.dynamic),), np.float64))
        donate = tuple(i + 1 for i in donate)
    function = _spliced(program, has_numbers, [program.live[i] for i in order])
    return function, arguments, donate


def _spliced(program, has_numbers, returned):
    needed = needed_items(program.items, program.live)
    flags = iter(program.dynamic)  # not item.dynamic: that may have changed since, on another thread
    dynamic = [[next(flags) for _ in item.dynamic] if item.__class__ is Call else ()
               for item in program.items]
    fenced = _fenced(program.items, needed)

    def torchlike_program(*arguments):
        numbers = iter(arguments[0]) if has_numbers else iter(())
        arrays = iter(arguments[1:] if has_numbers else arguments)
        env = []
        for item, wanted, changing in zip(program.items, needed, dynamic, strict=True):
            if item.__class__ is Input:
                env.append(next(arrays))
                continue
            values = [_number(kind, next(numbers) if change else constant, change)
                      for kind, constant, change in
                      zip(item.kernel.numbers, item.constants, changing, strict=True)]
            if wanted:
                results = item.kernel.jitted(*(env[s] for s in item.slots), *values)
                env.extend([fences.fence(r) if s in fenced else r for s, r in enumerate(results, len(env))])
            else:
                env.extend([None] * len(item.kernel.outs))
        return tuple(env[s] for s in returned)

    return torchlike_program


def _fenced(items, needed) -> set:
    """The slots that another instruction reads and that need a fence."""
    read = {s for item, wanted in zip(items, needed, strict=True) if wanted and item.__class__ is Call
            for s in item.slots}
    found, slot = set(), 0
    for item in items:
        if item.__class__ is Input:
            slot += 1
            continue
        places = range(slot, slot + len(item.kernel.outs))
        if any(s in read for s in places):
            found.update(s for s, flag in zip(places, fences.needed(item), strict=True) if flag and s in read)
        slot = places.stop
    return found


def _number(kind, value, dynamic):
    return value.astype(NUMBER_DTYPES[kind]) if dynamic else NUMBER_DTYPES[kind].type(value)


def _overwritten(program) -> dict:
    """Input position -> index in ``live`` of the result that takes its buffer, in order of the inputs.

    Only a buffer that may be donated, and only where the last instruction to read it makes a result of
    the same form: what `x.add_(y)` or an optimizer's step does. Any other pairing costs XLA a copy.
    """
    wanted = {slot: i for i, slot in enumerate(program.live)}
    owner, avals, position = {}, slot_avals(program.items), 0
    may_donate, slot = set(program.may_donate), 0
    found: dict = {}  # slot of the input -> slot of the result
    for item in program.items:
        if item.__class__ is Input:
            if position in may_donate:
                owner[slot] = position
            position += 1
            slot += 1
            continue
        for at, operand in enumerate(item.slots):
            if operand in owner:
                out = slot + (at if at < len(item.kernel.outs) else 0)
                same = out in wanted and avals[out].plain == avals[operand].plain and out not in found.values()
                found[operand] = out if same else None
        slot += len(item.kernel.outs)
    return {owner[s]: wanted[out] for s, out in sorted(found.items()) if out is not None}


def slot_avals(items) -> list:
    """The Aval of every slot."""
    out = []
    for item in items:
        if item.__class__ is Input:
            out.append(item.aval)
        else:
            out.extend(item.kernel.outs)
    return out


def needed_items(items, live) -> list:
    """For each item whether a live result depends on it."""
    first, slot = [], 0
    for item in items:
        first.append(slot)
        slot += 1 if item.__class__ is Input else len(item.kernel.outs)
    wanted, needed = set(live), [False] * len(items)
    for i in range(len(items) - 1, -1, -1):
        item = items[i]
        if item.__class__ is Call and any(first[i] + k in wanted for k in range(len(item.kernel.outs))):
            needed[i] = True
            wanted.update(item.slots)
    return needed


# -- cold

def run_cold(items, live, inputs, numbers) -> list:
    """Kernel by kernel, here or by another. A value is dropped after its last use, so memory stays PyTorch's."""
    if instead:
        found = _by_another(items, live, inputs, numbers)
        if found is not None:
            return found
    return one_by_one(items, live, inputs, numbers)


def _call(item, arguments):
    return item.kernel.compiled(*arguments)


def one_by_one(items, live, inputs, numbers, call=_call) -> list:
    """What `run_cold` does here. `call(item, arguments)` returns the results of an instruction."""
    needed = needed_items(items, live)
    last = _last_uses(items, needed, live)
    wanted = [item for item, flag in zip(items, needed, strict=True) if flag]
    compile_together({k for item in wanted for k in item.kernel.pieces if not k.is_compiled})
    with jax.enable_x64(True):
        return _interpret(items, live, iter(inputs), iter(numbers), needed, last, call)


def _interpret(items, live, arrays, number, needed, last, call):
    env: list = []
    for i, item in enumerate(items):
        if item.__class__ is Input:
            env.append(next(arrays))
            continue
        values = [NUMBER_DTYPES[kind].type(next(number)) for kind in item.kernel.numbers]
        if needed[i]:
            env.extend(call(item, [*[env[s] for s in item.slots], *values]))
            for s in last.get(i, ()):
                env[s] = None
        else:
            env.extend([None] * len(item.kernel.outs))
    return [env[s] for s in live]


def _last_uses(items, needed, live) -> dict:
    kept, seen, last = set(live), set(), {}
    for i in range(len(items) - 1, -1, -1):
        if items[i].__class__ is Call and needed[i]:
            fresh = [s for s in dict.fromkeys(items[i].slots) if s not in seen and s not in kept]
            seen.update(fresh)
            last[i] = fresh
    return last


# -- the background compiler

class _Worker:
    """One daemon thread that compiles; stopped before the interpreter goes."""

    def __init__(self):
        self.queue: queue.SimpleQueue = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.idle = threading.Event()
        self.stopped = False
        self.thread = threading.Thread(target=self._loop, name="torchlike-compiler", daemon=True)
        self.thread.start()
        atexit.register(self.stop)

    def put(self, program):
        with self.lock:
            self.idle.clear()
            self.queue.put(program)

    def _loop(self):
        while True:
            program = self.queue.get()
            if program is None:
                return
            if not self.stopped:
                compile_program(program)
            with self.lock:
                if self.queue.empty():
                    self.idle.set()

    def stop(self):
        self.stopped = True
        self.queue.put(None)
        self.thread.join()


_WORKER: list = []
_WORKER_LOCK = threading.Lock()


def _worker() -> _Worker:
    with _WORKER_LOCK:
        if not _WORKER:
            _WORKER.append(_Worker())
    return _WORKER[0]


def wait_for_compiler(timeout: float | None = None) -> bool:
    """Wait until the background compiler has nothing to do; False on timeout (seconds)."""
    return not _WORKER or _WORKER[0].idle.wait(timeout)
