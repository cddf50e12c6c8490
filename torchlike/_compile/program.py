"""A trace as a list of instructions on slots. Knows no Tensors.

A trace is a list of `Input` and `Call`; each Input fills one slot, each Call as many as its kernel has results.
"""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

from torchlike._compile import digest
from torchlike._compile.kernels import Kernel


@dataclasses.dataclass(slots=True, eq=False)
class Input:
    """A value that exists before the trace starts."""

    aval: Any


@dataclasses.dataclass(slots=True, eq=False)
class Call:
    """A kernel on slots. `constants` are its numbers as first seen; `dynamic` those that changed; `ranges` tell what
    must hold for them (number_ranges.py), if anything must; `divisor` is the slot of integers among which no 0 may be."""

    kernel: Kernel
    slots: tuple
    constants: tuple = ()
    dynamic: list = dataclasses.field(default_factory=list)
    ranges: tuple = ()
    divisor: int | None = None


@dataclasses.dataclass(slots=True, eq=False, weakref_slot=True)
class Program:
    """A trace of which some results are wanted, and its compiled form.

    Args:
        items: the Inputs and Calls.
        live: the slots of the wanted results.
        may_donate: the positions, among the inputs, of those whose buffers nobody else holds.
        dynamic: for each number of the trace, in order, whether it arrives at run time.
        at_once: compile it before its first run, where programs are compiled at all.
        places: where the compiled form returns each live result.
        runs: how often the hot tier has been asked for it.
        effort: how many instructions must be compiled for it, 0 as long as nobody knows.
        state: "seen"; "sought" on disk, then "new" if it is not there; "queued", "ready" or "failed", or "gainless",
            before it was compiled or after, see hot.py; "single" for a trace that runs once and is never compiled.
        compiled: what its backend has compiled.
        error: why that failed.
        schedule: what the cold tier does for it.
        cold_runs, seconds, fastest: how often the cold tier has run it, for how long, and its fastest run.
        runs_together: {rank: how many of its runs were together with other ranks}, see together.py.
        trials, quickest: how many runs of the compiled form were timed, and the fastest of them.
    """

    items: list
    live: tuple
    may_donate: tuple = ()
    dynamic: tuple = ()
    at_once: bool = False
    places: tuple = ()
    runs: int = 0
    effort: int = 0
    state: str = "seen"
    compiled: Any = None
    error: Exception | None = None
    schedule: Any = None
    cold_runs: int = 0
    seconds: float = 0.0
    fastest: float = math.inf
    runs_together: dict = dataclasses.field(default_factory=dict)
    trials: int = 0
    quickest: float = math.inf

    @property
    def device(self):
        """Where all of it runs."""
        first = self.items[0]
        return first.aval.device if first.__class__ is Input else first.kernel.device


def digest_of(program: Program) -> str:
    """The digest, see digest.py, of what the compiled form of a program depends on; "" if it has none. Numbers that arrive
    at run time are no part of it."""
    flags = iter(program.dynamic)  # not item.dynamic: that may have changed since, on another thread
    parts = [digest.text((program.live, program.may_donate))]
    try:
        for item in program.items:
            if item.__class__ is Input:
                parts.append(digest.text(item.aval.plain))
                continue
            constants = [None if next(flags, False) else constant for constant in item.constants]
            parts += [item.kernel.digest, digest.text((item.slots, item.kernel.numbers, constants))]
    except digest.Unknown:
        return ""
    return digest.of_texts(*parts)


def for_one_run(items: list, live: tuple) -> Program:
    """The Program of a trace that will not come again."""
    return Program(items, live, state="single")


def dynamic_positions(items: list) -> tuple:
    """For each number of the trace, in order, whether it arrives at run time."""
    return tuple(flag for item in items if item.__class__ is Call for flag in item.dynamic)


def input_avals(items: list) -> list:
    """The Aval of each Input, in order."""
    return [item.aval for item in items if item.__class__ is Input]


def input_slots(items: list) -> list:
    """The slot of each Input, in order."""
    return [outs.start for item, outs in placed(items) if item.__class__ is Input]


def slot_avals(items: list) -> list:
    """The Aval of every slot."""
    return [a for item in items for a in _avals(item)]


def _avals(item) -> tuple:
    """The Avals of the slots that an item fills."""
    return (item.aval,) if item.__class__ is Input else item.kernel.outs


def placed(items: list) -> Iterator[tuple]:
    """(item, the range of the slots that it fills) of each."""
    slot = 0
    for item in items:
        slots = range(slot, slot + len(_avals(item)))
        yield item, slots
        slot = slots.stop


def needed_items(items: list, live) -> list:
    """For each item whether a live result depends on it. False for inputs."""
    wanted, needed = set(live), []
    for item, outs in reversed([*placed(items)]):
        needed.append(item.__class__ is Call and not wanted.isdisjoint(outs))
        if needed[-1]:
            wanted.update(item.slots)
    needed.reverse()
    return needed


def slots_behind(items: list, slot: int) -> set:
    """A slot, and all that its value depends on."""
    wanted = {slot}
    for item, outs in reversed([*placed(items)]):
        if item.__class__ is Call and not wanted.isdisjoint(outs):
            wanted.update(item.slots)
    return wanted


def last_uses(calls: list, live) -> list:
    """What nothing reads any more, from the last call to the first.

    Args:
        calls: (kernel, places of its arguments, places of its results) of each, see `Kernel.calls`.
        live: the places that are read in the end.

    Returns:
        For each call the places, its results among them, that nothing reads after it; None where nothing reads a result.
    """
    read, last = set(live), []
    for _, ins, outs in reversed(calls):
        if read.isdisjoint(outs):
            last.append(None)
            continue
        last.append([i for i in dict.fromkeys((*ins, *outs)) if i not in read])
        read.update(last[-1])
    last.reverse()
    return last
