"""Which values of two programs are the same, whatever their layout; and from where on there are none.

Two arrays count as the same values if they have the same numbers, in any order: so a transposed or reshaped one is found.
How far these may be apart the float64 reruns say, as in `verdicts.py`. A value without a counterpart is no finding by
itself, because programs compute the same in different steps; it is one if it is on a path to the output that has none after.
"""

import dataclasses
import itertools
import math
from collections.abc import Iterable

import numpy as np

from torchlike._diff.recorder import LEAF
from torchlike._diff.verdicts import SLACK, Side

FINE = float(np.finfo(np.float64).eps)
COARSE = 4.0  # how many times the rounding seen, where constants are rounded
AXES = 5  # up to so many are permuted
Reference = tuple[int, int]  # an event, and the number of its output


@dataclasses.dataclass
class Value:
    """A value in float64, its numbers in order, and by how much its rounding lets it differ from another one."""

    array: np.ndarray
    ordered: np.ndarray
    slack: float

    @property
    def is_uniform(self) -> bool:
        """Whether all numbers are the same one, which tells nothing."""
        return bool(self.ordered[0] == self.ordered[-1])


def value_of(narrow: np.ndarray | None, wide: np.ndarray | None, is_coarse: bool = False) -> Value | None:
    """What is compared of an array and of the one that its float64 rerun made.

    By the coarse measure values may differ by the rounding seen in the program's dtype itself: where constants are rounded
    to it on one side only, float64 cannot tell more.
    """
    if wide is None or wide.size == 0 or (narrow is not None and narrow.shape != wide.shape):
        return None
    flat = wide.ravel()
    if flat.dtype.kind == "c":
        flat = np.concatenate([flat.real, flat.imag])
    ordered = np.sort(flat.astype(np.float64))
    if wide.dtype.kind not in "fc":
        return Value(wide, ordered, 0.0)
    eps = float(np.finfo(narrow.dtype).eps) if narrow is not None and narrow.dtype.kind in "fc" else FINE
    finite = ordered[np.isfinite(ordered)]
    unit = eps * float(np.abs(finite).max(initial=0.0))
    with np.errstate(all="ignore"):
        off = np.abs(narrow.astype(wide.dtype) - wide) if narrow is not None else np.zeros(1)
    off = float(np.max(off, where=np.isfinite(off), initial=0.0))
    return Value(wide, ordered, (COARSE if is_coarse else SLACK * FINE / eps) * (off + unit))


def gap(a: np.ndarray, b: np.ndarray) -> float:
    """The largest distance of two arrays of one shape; infinite where one alone is nan or infinite."""
    with np.errstate(all="ignore"):
        far = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
    return float(np.where(np.isnan(far), np.inf, far).max(initial=0.0))


def is_same(a: Value, b: Value) -> bool:
    """Whether two values have the same numbers."""
    return a.ordered.shape == b.ordered.shape and gap(a.ordered, b.ordered) <= a.slack + b.slack


def layout(a: Value, b: Value):
    """(how the second lies in the first, a function that lays arrays so): None if its numbers are in no such order."""
    allowed, x, y = a.slack + b.slack, a.array, b.array
    if x.size != y.size:
        return None
    if gap(x.ravel(), y.ravel()) <= allowed:
        return "as it is" if x.shape == y.shape else "reshaped", lambda g: g.reshape(x.shape)
    if x.ndim <= AXES:
        for axes in itertools.permutations(range(y.ndim)) if y.ndim <= AXES else ():
            turned = y.transpose(axes)
            if gap(x.ravel(), turned.ravel()) <= allowed:
                return f"axes {axes}", lambda g, axes=axes: g.transpose(axes).reshape(x.shape)
    return None


class Numbers:
    """All values of one side."""

    def __init__(self, side: Side, is_coarse: bool = False):
        self.values: dict[Reference, Value] = {}
        for number, event in enumerate(side.events):
            for output, narrow in enumerate(event.values):
                wide = side.wide_value(number, output)
                found = value_of(narrow, wide, is_coarse) if narrow is not None else None
                if found is not None:
                    self.values[number, output] = found
        self.by_size: dict[int, tuple] = {}
        sizes: dict[int, list] = {}
        for reference, value in self.values.items():
            sizes.setdefault(value.ordered.size, []).append(reference)
        for size, references in sizes.items():
            ordered = [self.values[reference].ordered for reference in references]
            probes = np.array([[x[0], x[size // 2], x[-1]] for x in ordered])
            slack = np.array([self.values[reference].slack for reference in references])
            self.by_size[size] = references, probes, slack

    def like(self, value: Value) -> list[Reference]:
        """Those with the same numbers, in the order of execution."""
        size = value.ordered.size
        if size not in self.by_size:
            return []
        references, probes, slack = self.by_size[size]
        own = np.array([value.ordered[0], value.ordered[size // 2], value.ordered[-1]])
        with np.errstate(all="ignore"):
            far = np.where((probes == own) | (np.isnan(probes) & np.isnan(own)), 0.0, np.abs(probes - own)).max(1)
        return [references[i] for i in np.flatnonzero(far <= slack + value.slack)
                if is_same(value, self.values[references[i]])]


class Matches:
    """What of ours there is among theirs, and the other way round."""

    def __init__(self, ours: Numbers, theirs: Numbers):
        self.ours, self.theirs = ours, theirs
        self.found: dict[Reference, list[Reference]] = {}
        self.back: dict[Reference, list[Reference]] = {}
        for reference, value in ours.values.items():
            same = theirs.like(value)
            if same:
                self.found[reference] = same
            for other in same:
                self.back.setdefault(other, []).append(reference)

    def groups(self) -> list[tuple[list[Reference], list[Reference]]]:
        """Values that are the same on both sides, all places of each, in the order of execution."""
        made, seen = [], set()
        for reference in self.found:
            if reference in seen or self.ours.values[reference].is_uniform:
                continue
            mine, other, waiting = set(), set(), [reference]
            while waiting:
                item = waiting.pop()
                if item in mine:
                    continue
                mine.add(item)
                other.update(self.found[item])
                waiting += [x for y in self.found[item] for x in self.back[y] if x not in mine]
            seen |= mine
            made.append((sorted(mine), sorted(other)))
        return made


@dataclasses.dataclass
class Front:
    """The events without counterpart that lead to an output: all of them, and the first ones, whose inputs have one."""

    events: list[int]
    first: list[int]


def front(side: Side, outputs: Iterable[Reference], matched, moving: set[int]) -> Front:
    """Goes back from outputs that part to the last values that do not.

    Args:
        side: the events.
        outputs: what parts.
        matched: the references that have counterparts.
        moving: the events that depend on the inputs; others, such as masks and what is made of parameters, count as theirs.
    """
    seen: set[Reference] = set()
    waiting = [reference for reference in outputs if reference is not None]
    while waiting:
        reference = waiting.pop()
        event = side.events[reference[0]]
        if reference in seen or event.name == LEAF or reference[0] not in moving:
            continue
        seen.add(reference)
        waiting += [source for source in event.inputs if tuple(source) not in matched]
    events = sorted({number for number, _ in seen})
    inner = set(events)
    first = [number for number in events if not any(source[0] in inner and tuple(source) in seen
                                                    for source in side.events[number].inputs)]
    return Front(events, first)


def moving(side: Side, starts: set[int]) -> set[int]:
    """The events that depend on these."""
    found = set(starts)
    for number, event in enumerate(side.events):
        if any(source[0] in found for source in event.inputs):
            found.add(number)
    return found


def roots(side: Side, references: list[Reference], ancestors: "Ancestors", has_gradient) -> list[Reference]:
    """Of places of one value those that do not come from another of them: the sum of their gradients is the value's."""
    able = [reference for reference in references if has_gradient(reference)]
    return [reference for reference in able
            if not any(other[0] in ancestors.of(reference[0]) for other in able if other != reference)]


class Ancestors:
    """The events that an event comes from, as sets."""

    def __init__(self, side: Side):
        self.sets: list[int] = []  # as bits of an integer
        for number, event in enumerate(side.events):
            bits = 0
            for source, _ in event.inputs:
                if source != number:
                    bits |= self.sets[source] | (1 << source)
            self.sets.append(bits)

    def of(self, number: int) -> "_Bits":
        return _Bits(self.sets[number])


class _Bits:
    def __init__(self, bits: int):
        self.bits = bits

    def __contains__(self, number: int) -> bool:
        return bool(self.bits >> number & 1)


def relative(a: Value, b: Value) -> float:
    """The norm of the difference of the ordered numbers by that of the first's."""
    with np.errstate(all="ignore"):
        far = float(np.linalg.norm(a.ordered - b.ordered) / (np.linalg.norm(a.ordered) or 1.0))
    return far if not math.isnan(far) else math.inf


def factor(a: Value, b: Value) -> float | None:
    """The number by which the second is the first, if it is: a scale that is missing."""
    if a.is_uniform or b.is_uniform or a.ordered.shape != b.ordered.shape or not np.isfinite(a.ordered).all():
        return None
    place = int(np.argmax(np.abs(a.ordered)))
    for other in (b.ordered, -b.ordered[::-1]):
        scale = float(other[place] / a.ordered[place])
        if scale > 0 and math.isfinite(scale) and gap(a.ordered * scale, other) <= a.slack * scale + b.slack:
            return scale if other is b.ordered else -scale
    return None
