"""Programs with parts that repeat, the layers of a deep model for one, as chains of smaller programs.

What XLA takes to compile a program grows with its length. So where instructions repeat, the program is cut, and parts that
do the same with what they are given are one program, compiled once. They may differ in what is needed of them and in what
they may overwrite: the one program returns what any of them must, and overwrites what all of them may.
"""

import dataclasses
import functools
import weakref
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from torchlike._compile.executors.interruption import Interrupted, keep_result, to_the_end
from torchlike._compile.kernels import Kernel
from torchlike._compile.program import Call, Input, Program, input_slots, needed_items, placed, slot_avals

SAVING = 4  # times as many instructions as have to be compiled: from there on a chain compiles sooner and runs as fast
SHORTEST = 8  # instructions of a part that repeats
WORTH = 1 << 18  # elements that a run of a part must make on average: each takes some 50 us to be called


class Operation(NamedTuple):
    """A kernel on the slots of the whole program. ``numbers``: which of the numbers that arrive at run time it takes."""

    kernel: Kernel
    ins: tuple
    outs: tuple
    constants: tuple
    dynamic: tuple
    numbers: tuple


@dataclasses.dataclass(eq=False)
class Link:
    """One run of a part, on slots of the whole program: its arguments ``ins``, all that its operations make ``own``, those
    that nothing reads after it ``dead``. ``numbers``: which of the numbers that arrive at run time it takes."""

    program: Program
    ins: tuple
    own: tuple
    numbers: tuple
    dead: tuple

    @property
    def outs(self) -> list:
        """Where the results go, in the order in which the compiled form of the program returns them."""
        live = [self.own[slot - len(self.ins)] for slot in self.program.live]
        return [slot for _, slot in sorted(zip(self.program.places, live, strict=True))]


class Chain:
    """What a program does, as Links. Once their programs are compiled it is called as the program would be."""

    def __init__(self, program: Program, links: list[Link]):
        self.links = links
        self._live = program.live
        self._has_numbers = any(program.dynamic)
        self._inputs = input_slots(program.items)
        self._blank = [None] * len(slot_avals(program.items))
        self._steps: list = []

    @property
    def programs(self) -> list[Program]:
        """Each program once."""
        return [*dict.fromkeys(link.program for link in self.links)]

    def join(self) -> None:
        """To be called when the programs have been compiled."""
        self._steps = [(link.program.compiled, link.ins, link.outs, np.array(link.numbers, np.intp), link.dead)
                       for link in self.links]

    def __call__(self, *arrays):
        numbers = arrays[0] if self._has_numbers else np.empty(0)
        env = self._blank.copy()
        for slot, array in zip(self._inputs, arrays[self._has_numbers:], strict=True):
            env[slot] = array
        del arrays
        error = to_the_end([(functools.partial(_followed, step, numbers, []),) for step in self._steps], env)
        results = [env[slot] for slot in self._live]
        if error is not None:
            raise Interrupted(results) from error
        return results


def _followed(step, numbers, kept, env) -> None:
    """One step. It may be begun anew: `kept` has what its program returned, which may have used its inputs up, and None in
    its place when the step is over."""
    compiled, ins, outs, picked, dead = step
    if not kept:
        taken = [env[slot] for slot in ins]
        keep_result(compiled, (numbers[picked], *taken) if picked.size else tuple(taken), kept)
        del taken
    if kept[0] is not None:
        for slot, array in zip(outs, kept[0], strict=True):
            env[slot] = array
        for slot in dead:
            env[slot] = None
        kept[0] = None


class Part:
    """Operations in a row. ``form`` is equal for parts that do the same; ``outer`` are the slots that they read, ``own``
    those that they make, both in order of appearance."""

    def __init__(self, operations: list[Operation], tokens):
        self.operations = operations
        outer: dict = {}
        own: dict = {}
        form = []
        for operation, token in zip(operations, tokens, strict=True):
            form.append((token, *(own[s] if s in own else ~outer.setdefault(s, len(outer)) for s in operation.ins)))
            for slot in operation.outs:
                own[slot] = len(own)
        self.form, self.outer, self.own = tuple(form), tuple(outer), tuple(own)
        self.numbers = tuple(n for operation in operations for n in operation.numbers)

    def program(self, avals: list, outs: set, may_donate: set) -> Program:
        """The part by itself. `outs` and `may_donate` are positions in ``own`` and ``outer``."""
        places = {slot: i for i, slot in enumerate((*self.outer, *self.own))}
        items: list = [Input(avals[slot]) for slot in self.outer]
        items += [Call(op.kernel, tuple(map(places.__getitem__, op.ins)), op.constants, [*op.dynamic])
                  for op in self.operations]
        dynamic = tuple(flag for op in self.operations for flag in op.dynamic)
        return Program(items, tuple(len(self.outer) + i for i in sorted(outs)), tuple(sorted(may_donate)), dynamic)


# (form, results, what may be overwritten) -> Program, as long as somebody has it
_programs: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


def chain_of(program: Program) -> Chain | None:
    """The program as a chain; None where that would not be compiled much sooner, or be slower. One thread at a time."""
    operations = _operations(program)
    elements = sum(out.numel for operation in operations for out in operation.kernel.outs)
    if elements < WORTH * SAVING:
        return None
    tokens = [(op.kernel, op.dynamic, tuple(None if d else repr(c) for c, d in zip(op.constants, op.dynamic, strict=True)))
              for op in operations]
    numbered: dict = {}
    cuts = cuts_of(np.array([numbered.setdefault(token, len(numbered)) for token in tokens], np.intp))
    parts = [Part(operations[start:stop], tokens[start:stop]) for start, stop in cuts]
    equal: dict = {}
    for part in parts:
        equal.setdefault(part.form, []).append(part)
    compiled = sum(len(same[0].operations) for same in equal.values())
    if elements < WORTH * len(parts) or compiled * SAVING > len(operations):
        return None
    return Chain(program, [*_links(program, parts, equal)])


def _links(program, parts, equal) -> Iterator[Link]:
    """`equal`: form -> the parts that have it."""
    live, inputs = set(program.live), input_slots(program.items)
    kept = live | set(inputs) - {inputs[i] for i in program.may_donate}
    avals, last = slot_avals(program.items), {}
    for i, part in enumerate(parts):
        last.update(dict.fromkeys((*part.own, *part.outer), i))
    outs: dict = {form: set() for form in equal}
    spare: dict = {form: set(range(len(same[0].outer))) for form, same in equal.items()}
    for i, part in enumerate(parts):
        outs[part.form].update(k for k, slot in enumerate(part.own) if slot in live or last[slot] > i)
        spare[part.form].intersection_update(k for k, slot in enumerate(part.outer) if slot not in kept and last[slot] == i)
    for i, part in enumerate(parts):
        form = part.form
        key = (form, frozenset(outs[form]), frozenset(spare[form]))
        made = _programs.get(key)
        if made is None:
            made = _programs[key] = equal[form][0].program(avals, outs[form], spare[form])
        dead = tuple(slot for slot in (*part.outer, *part.own) if last[slot] == i and slot not in live)
        yield Link(made, part.outer, part.own, part.numbers, dead)


def _operations(program) -> list[Operation]:
    """What a live result depends on, kernels that stand side by side one by one."""
    flags, found, changing = iter(program.dynamic), [], 0
    needed = needed_items(program.items, program.live)
    for (item, outs), wanted in zip(placed(program.items), needed, strict=True):
        if item.__class__ is Input:
            continue
        dynamic = tuple(next(flags) for _ in item.dynamic)
        numbers = tuple(range(changing, changing + sum(dynamic)))
        changing += len(numbers)
        if wanted:
            found += [Operation(kernel, tuple(ins), tuple(made), item.constants, dynamic, numbers)
                      for kernel, ins, made in item.kernel.split(item.slots, outs)]
    return found


def cuts_of(tokens: np.ndarray, start: int = 0) -> list:
    """(start, stop) of the parts of a sequence, repetitions apart. `start` is the number of its first token."""
    period, first, count = _repetition(tokens)
    if count == 1:
        return [(start, start + len(tokens))] if len(tokens) else []
    end = first + period * count
    repeated = [(start + at, start + at + period) for at in range(first, end, period)]
    return cuts_of(tokens[:first], start) + repeated + cuts_of(tokens[end:], start + end)


def _repetition(tokens) -> tuple:
    """(period, start, how often) of what repeats itself and makes up most of the sequence."""
    best = len(tokens), 0, 1
    for period in range(SHORTEST, len(tokens) // 2 + 1):
        ends = np.flatnonzero(tokens[:-period] != tokens[period:])
        edges = np.concatenate([[-1], ends, [len(tokens) - period]])
        runs = np.diff(edges) - 1
        longest = int(runs.argmax())
        count = int(runs[longest]) // period + 1
        if count > 1 and period * (count - 1) > best[0] * (best[2] - 1):
            best = period, int(edges[longest]) + 1, count
    return best
