"""Holds two recordings of a program against each other: which operations match, and where they part.

What two engines may differ by is not set by hand. Each has a rerun in float64. By how far an engine is from its own rerun,
the rounding of the program so far is known; the reruns themselves may differ by as much less as float64 is finer. Where they
differ by more, the engines compute different things; where one engine is far from its rerun and the other is not, that one
computes less exactly; all else is rounding. Of a program in float64 a rerun shows no rounding: that of the largest number
that went in counts, from which a result may be what is left.
"""

import dataclasses
import difflib
import math
from collections.abc import Iterable, Iterator

import numpy as np

from torchlike._diff.recorder import LEAF, Event
from torchlike._ops.exact import EXACT

SLACK = 256  # how many times what the rounding seen in the program's dtype makes of float64 the reruns may differ by
LESS_EXACT = 256  # how many times farther from its rerun than the other, in roundings of the largest element, is a finding
SAME, ROUNDING, DIFFERENT, INEXACT, UNJUDGED = "same", "rounding", "different", "less exact", "not judged"


@dataclasses.dataclass
class Side:
    """One engine's recording, and the one in float64."""

    engine: str
    events: list[Event]
    wide: list[Event] | None = None
    error: dict | None = None
    seconds: float = 0.0
    raised: Exception | None = None  # what a function ended with
    left: tuple | None = None  # what a script left, as `program_run.run` gives it

    def __post_init__(self):
        pairs = align(self.events, self.wide)[0] if self.wide is not None else []
        self.widened = dict(pairs)
        self.grads = gradients(self.events)
        self.wide_grads = gradients(self.wide or [])

    def wide_value(self, event: int, output: int) -> np.ndarray | None:
        """What float64 made of an output."""
        other = self.widened.get(event)
        if other is None or self.wide is None:
            return None
        values = self.wide[other].values
        return values[output] if output < len(values) else None

    def wide_gradient(self, key: tuple) -> np.ndarray | None:
        """What float64 made of a gradient."""
        event, output, number = key
        return self.wide_grads.get((self.widened.get(event), output, number), (0, None))[1]


@dataclasses.dataclass
class Distance:
    """How far two arrays are from each other: at most, and as a whole."""

    absolute: float
    relative: float
    ulps: float | None
    cosine: float | None

    def __str__(self):
        ulps = "" if self.ulps is None else f", {self.ulps:.6g} ulps"
        cosine = "" if self.cosine is None else f", cosine {self.cosine:.9g}"
        return f"absolute {self.absolute:.3g}, relative {self.relative:.3g}{ulps}{cosine}"


@dataclasses.dataclass
class Judgement:
    """What a difference is, why, and which side it is the fault of ("" where that cannot be told)."""

    verdict: str
    why: str = ""
    fault: str = ""


def gradients(events: list[Event]) -> dict[tuple, tuple]:
    """(event, output, how manieth) -> (order, gradient), in the order of the backward passes."""
    found, counts = [], {}
    for number, event in enumerate(events):
        for order, output, g in event.grads:
            count = counts[number, output] = counts.get((number, output), -1) + 1
            found.append((order, (number, output, count), g))
    found.sort(key=lambda item: item[0])
    return {key: (order, g) for order, key, g in found}


def align(ours: list[Event], theirs: list[Event], by_line: bool = True) -> tuple[list, list]:
    """(pairs of numbers of events that match, the blocks that do not, as (our first, end, their first, end))."""
    a, b = ([_key(event, by_line) for event in events] for events in (ours, theirs))
    common = 0
    while common < min(len(a), len(b)) and a[common] == b[common]:
        common += 1
    pairs, blocks = [(i, i) for i in range(common)], []
    if common < max(len(a), len(b)):
        matcher = difflib.SequenceMatcher(None, a[common:], b[common:], autojunk=False)
        for tag, i, i_end, k, k_end in matcher.get_opcodes():
            if tag == "equal":
                pairs += [(common + i + n, common + k + n) for n in range(i_end - i)]
            else:
                blocks.append((common + i, common + i_end, common + k, common + k_end))
    return pairs, blocks


def _key(event: Event, by_line: bool) -> tuple:
    place = event.place if by_line else ()
    return (*place, event.name, tuple(None if x is None else x.shape for x in event.values))


def bits_equal(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    """Whether two arrays have the same values; nan is equal to nan, 0 to -0."""
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and a.dtype == b.dtype and bool(np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"))


def distance(a: np.ndarray, b: np.ndarray) -> Distance:
    """The distance of two arrays of one shape."""
    wide = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
    x, y = a.astype(wide).ravel(), b.astype(wide).ravel()
    gap = gaps(x, y)
    size = np.maximum(np.abs(x), np.abs(y))
    relative = np.divide(gap, size, out=np.zeros_like(gap), where=(size > 0) & np.isfinite(size))
    worst = float(np.max(np.where(np.isinf(gap), np.inf, relative), initial=0.0))
    return Distance(float(gap.max(initial=0.0)), worst, _ulps(a, b), _cosine(x, y))


def gaps(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Elementwise |x - y|; infinite where one alone is nan or infinite."""
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.where(same, 0.0, np.abs(x - y))
    return np.where(np.isnan(gap), np.inf, gap)


def _ulps(a: np.ndarray, b: np.ndarray) -> float | None:
    """The most floats that lie between two elements."""
    if a.dtype != b.dtype or a.dtype.kind != "f" or a.size == 0:
        return None
    kind = {2: np.int16, 4: np.int32, 8: np.int64}[a.dtype.itemsize]
    places = []
    for x in (a, b):
        bits = np.ascontiguousarray(x).view(kind).astype(np.float64 if kind is np.int64 else np.int64)
        lowest = float(np.iinfo(kind).min) if kind is np.int64 else int(np.iinfo(kind).min)
        places.append(np.where(bits < 0, lowest - bits, bits))
    both = np.isfinite(a) & np.isfinite(b)
    return float(np.max(np.abs(places[0] - places[1]), where=both, initial=0))


def _cosine(x: np.ndarray, y: np.ndarray) -> float | None:
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(x) * np.linalg.norm(y)
        if x.size < 2 or not math.isfinite(lengths) or lengths == 0:
            return None
        return float(np.real(np.vdot(x, y)) / lengths)


def judge(values: tuple, widened: tuple, names: tuple[str, str], is_exact: bool, given: Iterable = ()) -> Judgement:
    """What the difference of two arrays is.

    Args:
        values: the arrays of both sides.
        widened: what float64 made of them, None where that is not known.
        names: what the sides are called.
        is_exact: whether equal inputs went into an operator that computes nothing.
        given: the arrays that it was made of.
    """
    a, b = values
    if a is None or b is None:
        return Judgement(SAME) if a is b else Judgement(DIFFERENT, "one side has no values that can be shown")
    if a.shape != b.shape or a.dtype != b.dtype:
        return Judgement(DIFFERENT, f"{a.dtype}{list(a.shape)} against {b.dtype}{list(b.shape)}")
    if bits_equal(a, b):
        return Judgement(SAME)
    if is_exact:
        return Judgement(DIFFERENT, "its inputs are equal and it computes nothing, so results are equal in every bit")
    if widened[0] is None or widened[1] is None or widened[0].shape != widened[1].shape:
        return _judge_alone(a, b)
    if a.dtype.kind not in "fc":
        return _judge_whole(values, widened, names)
    return _judge_floats(values, widened, names, given)


def _judge_alone(a: np.ndarray, b: np.ndarray) -> Judgement:
    """Of arrays of which float64 knows nothing: beyond half of the dtype's digits something differs."""
    why = "the float64 rerun has no counterpart, so nothing says that this is rounding"
    if a.dtype.kind not in "fc":
        return Judgement(DIFFERENT, why)
    far, allowed = whole(a, b), math.sqrt(np.finfo(a.dtype).eps)
    if far <= allowed:
        return Judgement(UNJUDGED, why)
    return Judgement(DIFFERENT, f"{why}, and half of the digits differ (as a whole by {far:.3g}, more than {allowed:.3g})")


def whole(a: np.ndarray, b: np.ndarray) -> float:
    """The norm of the difference by the norm of the first; infinite where one alone is nan or infinite somewhere."""
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    x, y = a.astype(wide), b.astype(wide)
    finite = np.isfinite(x)
    far = np.linalg.norm(gaps(x, y).ravel())
    return float(far / (np.linalg.norm(x[finite]) or 1.0)) if far else 0.0


def _judge_whole(values, widened, names) -> Judgement:
    """Of integers and booleans whose inputs differ by rounding, or more."""
    if not bits_equal(*widened):
        return Judgement(DIFFERENT, "the float64 reruns differ as well")
    wrong = [name for name, x, w in zip(names, values, widened, strict=True) if not bits_equal(x, w)]
    return Judgement(INEXACT, f"the float64 reruns agree; rounding decided it under {' and '.join(wrong)}",
                     wrong[0] if len(wrong) == 1 else "")


def largest(array: np.ndarray) -> float:
    """The largest finite absolute value, 0 without one."""
    size = np.abs(array)
    return float(np.max(size, where=np.isfinite(size), initial=0.0))


def _judge_floats(values, widened, names, given) -> Judgement:
    (a, b), (wide_a, wide_b) = values, widened
    eps, fine = float(np.finfo(a.dtype).eps), float(np.finfo(np.float64).eps)
    floats = [x for x in given if x is not None and x.dtype.kind in "fc"] if eps <= fine else []
    unit = eps * max(map(largest, [wide_a, *floats]))  # a rounding of the largest number
    off = [float(gaps(x.astype(w.dtype), w).max(initial=0.0)) for x, w in ((a, wide_a), (b, wide_b))]
    between = float(gaps(wide_a, wide_b).max(initial=0.0))
    finite = sum(x for x in off if math.isfinite(x))
    allowed = SLACK * fine / eps * (finite + unit)
    if between > allowed:
        return Judgement(DIFFERENT, f"the float64 reruns differ by {between:.3g}, where rounding explains {allowed:.3g} "
                                    f"({SLACK} x 2^{round(math.log2(fine / eps))} x the rounding seen)")
    for mine, other, name in ((off[0], off[1], names[0]), (off[1], off[0], names[1])):
        if mine > LESS_EXACT * (other + unit):
            return Judgement(INEXACT, f"the float64 reruns agree, and {name} is {mine:.3g} from its own, the other "
                                      f"{other:.3g} (more than {LESS_EXACT} times as much)", name)
    return Judgement(ROUNDING, f"the float64 reruns agree to {between:.3g} of {allowed:.3g} allowed; {names[0]} is "
                               f"{off[0]:.3g} from its own, {names[1]} {off[1]:.3g}")


def is_exact(ours: Side, theirs: Side, mine: int, other: int) -> bool:
    """Whether two matched events are of an exact operator with equal inputs, of which there are some."""
    event, counterpart = ours.events[mine], theirs.events[other]
    if event.name not in EXACT or len(event.inputs) != len(counterpart.inputs):
        return False
    pairs = zip(event.inputs, counterpart.inputs, strict=True)
    return bool(event.inputs) and all(bits_equal(_at(ours, a), _at(theirs, b)) for a, b in pairs)


def _at(side: Side, reference: tuple) -> np.ndarray | None:
    return side.events[reference[0]].values[reference[1]]


def values_in_order(ours: Side, theirs: Side, pairs: list) -> Iterator[tuple]:
    """(our event, theirs, number of the output, judgement) of every output of matched events."""
    names = (ours.engine, theirs.engine)
    for mine, other in pairs:
        event, counterpart = ours.events[mine], theirs.events[other]
        exact = is_exact(ours, theirs, mine, other)
        for output, both in enumerate(zip(event.values, counterpart.values, strict=True)):
            if event.dtypes[output] != counterpart.dtypes[output]:
                why = f"{event.dtypes[output]} against {counterpart.dtypes[output]}"
                yield mine, other, output, Judgement(DIFFERENT, why)
                continue
            wide = ours.wide_value(mine, output), theirs.wide_value(other, output)
            yield mine, other, output, judge(both, wide, names, exact, (_at(ours, source) for source in event.inputs))


def gradients_in_order(ours: Side, theirs: Side, pairs: list) -> Iterator[tuple]:
    """(key, their gradient, judgement) of every gradient of matched events, in the order of our backward passes."""
    matched, names = dict(pairs), (ours.engine, theirs.engine)
    silent = _unsettled(ours), _unsettled(theirs)
    for key, (_, g) in ours.grads.items():
        event, output, number = key
        if event not in matched:
            continue
        counterpart = matched[event], output, number
        if number >= min(silent[0].get(key[:2], math.inf), silent[1].get(counterpart[:2], math.inf)):
            continue
        found = theirs.grads.get(counterpart)
        if found is None:
            if g is not None and np.any(g):
                yield key, None, Judgement(DIFFERENT, f"{theirs.engine} has no gradient here", "")
            continue
        wide = ours.wide_gradient(key), theirs.wide_gradient(counterpart)
        arrived = (x for user in ours.events if (event, output) in user.inputs for _, _, x in user.grads)
        yield key, found[1], judge((g, found[1]), wide, names, False, arrived)
    backwards = {other: mine for mine, other in pairs}
    for (event, output, number), (_, g) in theirs.grads.items():
        if event not in backwards or number >= silent[1].get((event, output), math.inf):
            continue
        mine = backwards[event], output, number
        if mine not in ours.grads and number < silent[0].get(mine[:2], math.inf) and g is not None and np.any(g):
            yield mine, g, Judgement(DIFFERENT, f"{ours.engine} has no gradient here")


def _unsettled(side: Side) -> dict[tuple, int]:
    """{(event, output): how manieth gradient} of the first of which an engine does not say what it is; nor does it say how
    many come after it in other engines."""
    found: dict[tuple, int] = {}
    for (event, output, number), (_, g) in side.grads.items():
        if isinstance(g, str):
            found.setdefault((event, output), number)
    return found


def leaf_only(events: list[Event]) -> bool:
    """Whether all are leaves, which engines may meet at different operations."""
    return all(event.name == LEAF for event in events)
