"""What may be behind a parting of a port: known mistakes, each recognized by the numbers that it makes."""

import math
from typing import Any

import numpy as np

from torchlike._diff import matching
from torchlike._diff.matching import Front, Value

SCALES = 6  # in so many of our operations a scale is looked for
MOST = 4097  # up to there
NEAR = 0.1  # what is farther is not called near
LARGEST_EPS = 0.1
_NORMS = frozenset(("layer_norm", "batch_norm", "group_norm", "instance_norm", "rms_norm"))


def nearest(work, mine: int, front: Front) -> tuple[int, float] | None:
    """(their event, relative distance) of the value of theirs, among those that part, that is most like ours."""
    found = [(matching.relative(a, b), reference[0]) for a in _values(work.matches.ours, [mine])[:1]
             for reference, b in _items(work.matches.theirs, front.events) if a.ordered.shape == b.ordered.shape]
    far, number = min(found, default=(math.inf, 0))
    return (number, far) if far < NEAR else None


def forward(work, mine: int | None, fronts: list[Front]) -> tuple[list[str], int | None]:
    """Of values that part: (the hints, the event of theirs that they tell of, if any)."""
    made, place = _chance(work, fronts)
    if mine is None:
        return made, place
    made += [*_parameters(work, mine)]
    event = work.ours.events[mine]
    within = set(fronts[1].events)
    around = {source[0] for number in fronts[1].first for source in work.theirs.events[number].inputs}
    theirs = list(_items(work.matches.theirs, within | around))
    known = [_scale(work, reference[0], value, theirs)
             for reference, value in _items(work.matches.ours, fronts[0].events[:SCALES])]
    sources = [work.matches.ours.values.get(tuple(x)) for x in event.inputs]
    x = sources[0] if sources else None
    if x is not None and event.name == "gelu":
        known.append(_gelu(x, theirs))
    if x is not None and event.name in _NORMS:
        known.append(_norm(work, mine, x, theirs))
    near = nearest(work, mine, fronts[1])
    if near is not None and not any(known):
        known.append((f"nearest of theirs is {_where(work, near[0])}, which is {near[1]:.3g} from it as a whole", near[0]))
    told = [item for item in known if item is not None]
    made += [text for text, _ in told]
    place = next((number for _, number in told if number in within), place)
    return made, place


def backward(ours: np.ndarray | None, theirs: np.ndarray | None, user) -> list[str]:
    """Of gradients that part."""
    made = []
    a, b = (None if x is None else matching.value_of(x, x) for x in (ours, theirs))
    if a is not None and b is not None:
        if not np.any(b.array):
            made.append("theirs is zero")
        elif not np.any(a.array):
            made.append("ours is zero")
        else:
            scale = matching.factor(a, b)
            text = f"theirs is ours times {scale:.6g}" if scale is not None else None
            made.append(text or f"they are {matching.relative(a, b):.3g} from each other as a whole")
    calls = () if user is None else (*getattr(user, "calls", ()), user.name)
    if "stop_gradient" in calls:
        made.append("there is a stop_gradient in theirs")
    if any(name.startswith("custom_vjp") for name in calls):
        made.append("theirs has a gradient of its own there (jax.custom_vjp)")
    return made


def _chance(work, fronts) -> tuple[list[str], int | None]:
    recording, made = work.narrow.recording, []
    for number in fronts[0].first:
        event = work.ours.events[number]
        if "dropout" in event.name:
            module, is_training = recording.modules.get(number, ("", False))
            state = f" ({module or 'the module'} is in training mode)" if is_training else ""
            made.append(f"dropout is on in ours, line {event.line}{state}")
    drawn = set()
    for number, event in enumerate(work.theirs.events):
        if event.drew or any(source[0] in drawn for source in event.inputs):
            drawn.add(number)
            if number in fronts[1].first or (number in fronts[1].events and any(
                    tuple(source) in work.matches.back for source in event.inputs)):
                made.append(f"theirs is drawn by chance there, line {event.line}: is its dropout on?")
                return made, number
    return made, None


def _parameters(work, mine: int):
    """What is known of the parameters that the operation uses."""
    leaves = {number: name for name, number in work.narrow.recording.leaves.items()}
    used = {leaves[source[0]] for source in work.ours.events[mine].inputs if source[0] in leaves}
    module = work.narrow.recording.modules.get(mine, ("", False))[0]
    for row in work.table.rows:
        if row.finding and (row.ours in used or (module and row.ours.rpartition(".")[0] == module)):
            yield f"parameter {row.label} and {row.theirs}: {row.finding}"


def _scale(work, mine: int, a: Value, theirs) -> tuple[str, int] | None:
    """A scale that one side lacks, or has elsewhere."""
    event = work.ours.events[mine]
    for reference, b in reversed(theirs):
        scale = matching.factor(a, b)
        if scale is None or a.ordered.size < 3 or math.isclose(scale, 1.0, rel_tol=1e-9):
            continue
        text = f"theirs, {_where(work, reference[0])}, is ours, {event.name} (line {event.line}), times {scale:.6g}"
        return f"{text}{_words(scale, 'var' in event.name)}", reference[0]
    return None


def _words(scale: float, is_variance: bool) -> str:
    """What a scale is."""
    for n in range(2, MOST):
        names = {n / (n - 1): f": unbiased variance of {n} there", (n - 1) / n: f": unbiased variance of {n} here"}
        if not is_variance:
            names = {math.sqrt(n): f", the square root of {n}", 1 / math.sqrt(n): f", 1 / the square root of {n}"}
        for times, words in names.items():
            if math.isclose(scale, times, rel_tol=1e-9):
                return words
    return ""


def _gelu(x: Value, theirs) -> tuple[str, int] | None:
    """Which of the two forms theirs has."""
    y = x.array.astype(np.float64)
    inner = math.sqrt(2 / math.pi) * (y + 0.044715 * y ** 3)
    forms = {"erf": 0.5 * y * (1 + np.vectorize(math.erf, otypes=[float])(y / math.sqrt(2))),
             "tanh": 0.5 * y * (1 + np.tanh(inner))}
    for name, array in forms.items():
        form = Value(array, np.sort(array.ravel()), 1e-9 * float(np.abs(array).max(initial=0.0)))
        for reference, b in theirs:
            if matching.is_same(form, b):
                return f"theirs is gelu by {name}, ours is not", reference[0]
    return None


def _norm(work, mine: int, x: Value, theirs) -> tuple[str, int] | None:
    """The eps and the variance of theirs, by what it computes on the way."""
    own: Any = getattr(work.narrow.recording.parts.get(mine), "eps", None)
    array = x.array.astype(np.float64)
    axes = (0, *range(2, array.ndim)) if work.ours.events[mine].name == "batch_norm" else (-1,)
    n = math.prod(array.shape[axis] for axis in axes)
    squares = (array ** 2).mean(axes) if work.ours.events[mine].name == "rms_norm" else array.var(axes)
    for name, spread in (("", squares), ("unbiased ", squares * (n / max(n - 1, 1)))):
        ordered = np.sort(spread.ravel())
        for reference, b in theirs:
            if b.ordered.shape != ordered.shape or not (b.ordered > 0).all():
                continue
            if name and matching.gap(b.ordered, ordered) <= 1e-9 * ordered[-1]:
                return "theirs takes the unbiased variance", reference[0]
            for found in (b.ordered - ordered, np.sort(b.ordered ** -2.0) - ordered, b.ordered ** 2 - ordered):
                eps, off = float(found.mean()), float(np.ptp(found))
                if 1e-11 * ordered[-1] < eps < LARGEST_EPS and off <= 1e-6 * eps + 1e-12 * ordered[-1]:
                    ours = "" if own is None else f", ours {own:g}"
                    text = f"theirs has eps = {eps:.4g}{ours}" + (" and the unbiased variance" if name else "")
                    return text, reference[0]
    return None


def _where(work, number: int) -> str:
    event = work.theirs.events[number]
    return f"{event.name}{f' in {event.scope}' if event.scope else ''} (line {event.line})"


def _values(numbers, events) -> list[Value]:
    return [value for _, value in _items(numbers, events)]


def _items(numbers, events):
    wanted = set(events)
    return ((reference, value) for reference, value in numbers.values.items() if reference[0] in wanted)
