"""Taking the times: while a `Recorder` runs, the traces of its thread run kernel by kernel, and each is waited for.

An operation is recorded in less than a microsecond and computed later, in one compiled program with all others, where it
has no time of its own. So a profiled trace does not run as that program: the Recorder is an executor, which is asked before
that (`torchlike/_compile/executors/stack.py`). What lies between two traces is the user's Python, and our recording.
"""

import dataclasses
import threading
from time import perf_counter_ns as now
from typing import Any

import jax
import numpy as np

from torchlike._compile import gradients
from torchlike._compile.executors.cold import schedule_of
from torchlike._compile.executors.stack import stack
from torchlike._compile.program import Input, needed_items, placed
from torchlike._record.trace import run, state

OPERATOR, SPAN, HOST, COMPILATION = "cpu_op", "user_annotation", "python_function", "compilation"
HOST_NAME, COMPILATION_NAME = "[Python and recording]", "[compilation of kernels]"
start_hooks: list = []  # called when a Recorder starts or stops, with True or False: who marks spans of the library


@dataclasses.dataclass(slots=True, eq=False)
class Happening:
    """What took time, in nanoseconds; its results were ready at ``end``, and the call had come back at ``returned``.

    ``site``: the user's line, see site.py; of a gradient that of the forward operation, where it is known. ``text``: of a
    span the words given with it, of a compilation the kernels.
    """

    name: str
    kind: str
    start: int
    end: int = 0
    returned: int = 0
    kernel: Any = None
    site: Any = None
    text: str | None = None


class _Current(threading.local):
    """The Recorder that runs on this thread, or None."""

    recorder: "Recorder | None" = None


current = _Current()


def running() -> "Recorder | None":
    """The Recorder that runs on this thread; one that another thread has stopped does not."""
    recorder = current.recorder
    while recorder is not None and recorder.ended:
        recorder = current.recorder = recorder.outer
    return recorder


class Recorder:
    """``found``: what happened, in order of its end. ``thread``: whose traces it times; others run as always. ``outer``: the
    Recorder that this one interrupts, and which gets what it finds.
    """

    def __init__(self):
        self.thread, self.native = threading.get_ident(), threading.get_native_id()
        self.found: list[Happening] = []
        self.open: list[Happening] = []
        self.began = self.ended = self.since = 0
        self.paused, self.outer, self.told = False, running(), False
        self._lines: dict = {}  # forward kernel -> the lines it was recorded on

    def start(self) -> None:
        """Begin."""
        run(state.trace)  # what was recorded before is not part of it
        if self.outer is not None:
            self.outer.flush()
        current.recorder = self
        stack.install(self)
        self.restart()
        self.told = True
        for hook in start_hooks:
            hook(True)

    def restart(self) -> None:
        """Forget what happened so far, and the spans that are open."""
        self.found.clear()
        self.open.clear()
        self.began = self.since = now()

    def stop(self, failed=False) -> None:
        """Run what is recorded, unless an error passes, and end; all spans end, too."""
        try:
            if not failed:
                self.flush()
        finally:
            while self.open:
                self.close()
            self.ended = now()
            self.withdraw()

    def withdraw(self) -> None:
        """From now on traces run as always."""
        if current.recorder is self:
            current.recorder = self.outer
            if self.outer is not None and not self.outer.paused:
                self.outer.found += self.found
                self.outer.since = self.ended
        stack.remove(self)
        if self.told:
            for hook in start_hooks:
                hook(False)
            self.told = False

    # -- spans

    def begin(self, name, text=None) -> Happening:
        """A span begins; what is recorded already runs before it."""
        self.flush()
        span = Happening(name, SPAN, now(), text=text)
        self.since = span.start
        self.open.append(span)
        return span

    def end(self, span, failed=False) -> None:
        """A span ends, and those that began in it; what is recorded runs in it, unless it ends by an error."""
        if not failed:
            self.flush()
        while span in self.open:
            self.close()

    def close(self) -> None:
        """The innermost span ends here."""
        self._host(now())
        span = self.open.pop()
        span.end = span.returned = self.since
        self.found.append(span)

    def innermost(self, name):
        """The last open span of this name, or None."""
        return next((span for span in reversed(self.open) if span.name == name), None)

    def flush(self) -> None:
        """Run the pending trace, and note the Python since the last one."""
        run(state.trace)
        self._host(now())

    def _host(self, until) -> None:
        if until > self.since and not self.paused:
            self.found.append(Happening(HOST_NAME, HOST, self.since, until, until))
        self.since = until

    # -- traces

    def run(self, program, inputs, numbers):
        """See `Executor.run`: kernel by kernel. Other threads' traces it declines."""
        if threading.get_ident() != self.thread or self.paused:
            return None
        self._host(now())
        schedule = self._scheduled(program)
        sites, partners = _sites(state.trace.node), _partners(program.items)

        def watch(item, execute):
            start = now()
            results = execute()
            returned = now()
            jax.block_until_ready(results)
            self.found.append(Happening("", OPERATOR, start, now(), returned, item.kernel,
                                        self._line(item, sites, partners)))

        jax.block_until_ready([x for x in inputs if isinstance(x, jax.Array)])
        try:
            return schedule.run_watched(inputs, numbers, watch)
        finally:
            self.since = now()

    def _scheduled(self, program):
        """The Schedule, with what must be compiled for it: that is no operator's time."""
        needed = needed_items(program.items, program.live)
        fresh = {piece for item, wanted in zip(program.items, needed, strict=True) if wanted
                 for piece in item.kernel.pieces if not piece.is_compiled}
        start = now()
        schedule = schedule_of(program)
        compiled = [piece for piece in fresh if piece.is_compiled]
        for piece in compiled:  # XLA finishes some when they are called: 30 ms for a matrix product with a sum
            jax.block_until_ready(piece.compiled(*[np.zeros(a.shape, a.dtype) for a in piece.arguments()]))
        self.since = now()
        if compiled:
            names = " ".join(sorted(piece.name for piece in compiled))
            self.found.append(Happening(COMPILATION_NAME, COMPILATION, start, self.since, self.since, text=names))
        return schedule

    def _line(self, item, sites, partners):
        made = gradients.made_of(item.kernel)
        own = sites.get(id(item))
        if made is None:
            if own is not None:
                self._lines.setdefault(item.kernel, set()).add(own)
            return own
        partner = partners.get(id(item))
        if partner is not None and sites.get(id(partner)) is not None:
            return sites[id(partner)]
        known = self._lines.get(made[0].kernel, ())
        return next(iter(known)) if len(known) == 1 else own


def _sites(node) -> dict:
    """The line of each instruction up to this tree node, by the identity of its Call."""
    found = {}
    while node.parent is not None:
        found[id(node.item)] = node.site
        node = node.parent
    return found


def _partners(items) -> dict:
    """By the identity of a gradient's instruction the forward one that it belongs to, where this trace has it: that
    which read and made the values that the gradient reads again, if it is the only one."""
    forward, found = {}, {}
    for item, outs in placed(items):
        if item.__class__ is Input:
            continue
        made = gradients.made_of(item.kernel)
        if made is not None:
            plan, defined = made
            kept = item.slots[len(defined):]
            same = [call for call, first in forward.get(plan.kernel, ())
                    if kept == (*(call.slots[i] for i in plan.save_ins), *(first + i for i in plan.save_outs))]
            if len(same) == 1:
                found[id(item)] = same[0]
        forward.setdefault(item.kernel, []).append((item, outs.start))
    return found
