"""Kernels under JAX's transforms that wait: they are handed to JAX many at a time, as one jitted function.

What JAX does for a transform costs some 100 us for each primitive and each level: batching, linearizing, transposing. Of a
jitted function it keeps what it has found. So the kernels that a function of Tensors applies to tracers are only noted, and
their results are Deferred until somebody looks at one. The first time kernels are met in this order they are handed over one
by one, as the function may never run again; after that all of them are one function.
"""

import weakref
from collections.abc import Iterable
from typing import Any

import jax

from torchlike._base import config
from torchlike._compile.custom_jvp import jitted
from torchlike._compile.eager import CHAIN
from torchlike._compile.jax_private import OwnTracer, Trace, current_trace, own_work, set_current_trace
from torchlike._compile.kernels import Kernel, cache
from torchlike._compile.primitive_graph import Recorder

_ESCAPED = (
    "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
    "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in "
    "`gen_vmap_plumbing` Please file an issue if it looks like the latter")
_LONGEST = 256  # calls that wait
_MOST = 512  # functions of several kernels that are known


class Deferred(OwnTracer):
    """A result of a kernel that has not been computed, or not been asked for since.

    Attributes:
        call, index: which result of which call; `call` is None once it is there.
    """

    __slots__ = ("_value", "call", "index")

    def __init__(self, call: "Call", index: int):
        super().__init__(None)
        self.call: Call | None = call
        self.index, self._value = index, None

    aval = property(lambda self: jax.typeof(self.value))

    @property
    def value(self) -> Any:
        """The array or tracer."""
        call = self.call
        if call is not None:
            call.graph.settle(self)
        return self._value

    def put(self, value) -> None:
        """From now on it is computed."""
        self._value = value
        self.call = None


class Call:
    """A kernel on arrays, tracers and Deferred, in the Graph's order. ``saves``: see `Recorder.saving`."""

    __slots__ = ("graph", "kernel", "number", "operands", "saves")

    def __init__(self, graph: "Graph", kernel: Kernel, operands: list, number: int, saves: bool):
        self.graph, self.kernel, self.operands, self.number, self.saves = graph, kernel, operands, number, saves


class Graph:
    """What waits under one trace of JAX's, which is the current one when it is computed. ``recorder`` is the outermost."""

    __slots__ = ("_calls", "_made", "recorder", "trace")

    def __init__(self, trace: Trace, recorder: Recorder):
        self.trace, self.recorder = trace, recorder
        self._made: list = []  # weak references to the Deferred
        self._calls = 0

    def apply(self, kernel: Kernel, operands: Iterable, saves: bool) -> list:
        """The results of a kernel, Deferred."""
        call = Call(self, kernel, [self._own(x) for x in operands], self._calls, saves)
        self._calls += 1
        results = [Deferred(call, i) for i in range(len(kernel.outs))]
        self._made += map(weakref.ref, results)
        if self._calls % _LONGEST == 0:
            self.settle()
        return results

    def _own(self, x):
        """The operand, the value of one that waits in another graph."""
        if x.__class__ is not Deferred:
            return x
        return x if x.call is not None and x.call.graph is self else x.value

    def settle(self, *more: Deferred) -> None:
        """Compute all that somebody holds, and `more`."""
        held = [x for x in (made() for made in self._made) if x is not None and x.call is not None]
        self.compute([*held, *(x for x in more if x.call is not None and not any(x is y for y in held))])
        self._made.clear()

    def compute(self, wanted: list) -> None:
        """Compute these, which wait in this graph."""
        if not wanted:
            return
        calls = _needed(wanted)
        leaves, steps, chosen = _wired(calls, wanted)
        saving = self.recorder.saving(any(call.saves for call in calls))
        with set_current_trace(self.trace), own_work(), saving:
            found = _function(steps, chosen)(*leaves)
        for x, value in zip(wanted, found, strict=True):
            x.put(value)


class _Escape(Call):
    """In the place of the Call of what differs from slice to slice of a vmap that has ended."""

    __slots__ = ()

    def __init__(self):
        self.graph: Any = self

    def settle(self, *values: Deferred) -> None:
        """RuntimeError."""
        raise RuntimeError(_ESCAPED)

    def compute(self, wanted: list) -> None:
        """RuntimeError."""
        self.settle()


_ESCAPE = _Escape()


def escaped() -> Deferred:
    """In the place of an array that differs from slice to slice of a vmap that has ended."""
    return Deferred(_ESCAPE, 0)


def has_escaped(array: Deferred) -> bool:
    """Whether it is such a one."""
    return array.call is _ESCAPE


def graph(known: Graph | None, recorder: Recorder) -> Graph:
    """`known` if that is the graph of the current trace, else a new one; what waits in the old one is computed."""
    trace = current_trace()
    if known is not None:
        if known.trace is trace:
            return known
        known.settle()
    return Graph(trace, recorder)


def compute(values: Iterable) -> None:
    """Compute those of the values that wait, and of each graph no more than these."""
    graphs: dict = {}
    for x in values:
        if x.__class__ is Deferred and x.call is not None:
            graphs.setdefault(x.call.graph, {})[id(x)] = x
    for each, wanted in graphs.items():
        each.compute([*wanted.values()])


def _needed(wanted) -> list:
    """The calls that these are computed by, in order."""
    calls, pending = {}, [x.call for x in wanted]
    while pending:
        call = pending.pop()
        if call.number not in calls:
            calls[call.number] = call
            pending += [x.call for x in call.operands if x.__class__ is Deferred and x.call is not None]
    return [calls[number] for number in sorted(calls)]


def _wired(calls, wanted) -> tuple:
    """(the arrays that come from elsewhere, for each call its kernel and where its operands are from: a number among these
    arrays, or (a call's place, the number of its result); the same of what is wanted)."""
    leaves, numbers, steps = [], {}, []
    places = {call.number: i for i, call in enumerate(calls)}
    for call in calls:
        wires = []
        for x in call.operands:
            if x.__class__ is Deferred:
                if x.call is not None:
                    wires.append((places[x.call.number], x.index))
                    continue
                x = x.value
            number = numbers.setdefault(id(x), len(leaves))
            if number == len(leaves):
                leaves.append(x)
            wires.append(number)
        steps.append((call.kernel, tuple(wires)))
    return leaves, tuple(steps), tuple((places[x.call.number], x.index) for x in wanted)


class _Functions:
    """The functions that are known, by their steps. They are forgotten with the kernels, which they hold."""

    def __init__(self):
        self._known: dict = {}
        self._generation = cache.generation

    def of(self, steps, chosen):
        """The function, on jitted kernels the first time, as one jitted function after that."""
        setting = config.settings.compile
        if len(steps) == 1 or setting == "kernels":
            return _chain(steps, chosen)
        if self._generation != cache.generation or len(self._known) >= _MOST:
            self._generation = cache.generation
            self._known = {}
        key = steps, chosen
        if key not in self._known and setting != "now":
            self._known[key] = None
            return _chain(steps, chosen)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = jax.jit(_chain(steps, chosen))
        return found


def _chain(steps, chosen):
    def chain(*leaves):
        results: list = []
        for kernel, wires in steps:
            operands = [leaves[wire] if wire.__class__ is int else results[wire[0]][wire[1]] for wire in wires]
            results.append(jitted(kernel)(*operands))
        return [results[i][k] for i, k in chosen]

    chain.__name__ = chain.__qualname__ = CHAIN
    return chain


_function = _Functions().of
