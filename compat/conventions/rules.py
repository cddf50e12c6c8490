"""Two results that differ, in words: what each side gives, and by which rule, as far as the results tell."""

import dataclasses

import numpy as np

from compat.conventions import run
from compat.conventions.differing import differs
from compat.conventions.points import number
from compat.conventions.run import Raised

_SHOWN = 3  # elements of an array that are written out
_STEP = 1e-2  # to the sides of a point, for the derivatives from there


@dataclasses.dataclass
class Entry:
    """One level of one kind of point: where it differs, what both sides give, their rules; `places` are element numbers."""

    level: int
    where: list
    theirs: list
    ours: list
    rule: str
    places: list


def whole(row, level, what, want, got) -> Entry:
    """The entry of a call that is one point."""
    if not isinstance(what, list):
        theirs, ours = _described(what, want), _described(what, got)
        return Entry(level, [""], [theirs], [ours], _WHOLE_RULES.get(what) or _computed_by(want), [])
    shown = what[:_SHOWN]
    where = [_element(row, level, i, place, want) for i, place in shown]
    if len(what) > len(shown):
        where[-1] += f" and {len(what) - len(shown)} more"
    theirs, ours = ([_unsigned(arrays[i][place], level) for i, place in what] for arrays in (want, got))
    return Entry(
        level,
        where,
        [number(x) for x in theirs[:_SHOWN]],
        [number(x) for x in ours[:_SHOWN]],
        _related([theirs], [ours]) or _pair(_of_elements(theirs, level), _of_elements(ours, level)),
        [],
    )


def _computed_by(want) -> str:
    return f"only {'JAX' if isinstance(want, Raised) else 'PyTorch'} computes it"


_WHOLE_RULES = {
    "dtype": "another dtype",
    "shape": "another shape",
    "count": "another number of results",
}


def _described(what, result) -> str:
    if isinstance(result, Raised):
        return f"raises {result.kind}"
    if what == "dtype":
        return ", ".join(a.dtype.name for a in result)
    if what == "error" and sum(a.size for a in result) <= _SHOWN and result:
        return ", ".join(number(x) for a in result for x in a.reshape(-1)) or f"shape {result[0].shape}"
    return ", ".join(f"{a.dtype.name} of shape {a.shape}" for a in result) or "no gradient"


def _element(row, level, i, place, want) -> str:
    """``x[0, 1]`` of a gradient, ``[0, 1]`` of the only result, ``result 1 [0]`` of one of several."""
    index = f"[{', '.join(map(str, place))}]" if place else ""
    if level == 0:
        return (f"result {i} {index}" if len(want) > 1 else index).strip()
    names = [
        name for name, text in row.inputs.items() if not text.startswith(("int", "index", "distinct", "natural", "mask"))
    ]
    names = [name for name in names if name not in row.fixed]
    return f"{names[i] if i < len(names) else i}{index}"


def at_elements(row, level, point, places, want, got) -> Entry:
    """The entry of the elements `places` of a call that is many points."""
    where = [point.labels[place] for place in places]
    theirs, ours = ([[_unsigned(a[place], level) for a in arrays] for place in places] for arrays in (want, got))
    if level == 1 and len(point.inputs) == 1 and want[0].dtype.kind == "f":
        rules = _sided(row, point, places, theirs, ours)
    elif level == 1 and len(point.inputs) == 2:
        rules = _pair(_common([_of_operands(x) for x in theirs]), _common([_of_operands(x) for x in ours]))
    else:
        rules = _related(theirs, ours) or _pair(_common([_class(x) for x in theirs]), _common([_class(x) for x in ours]))
    return Entry(level, where, [_text(x) for x in theirs], [_text(x) for x in ours], rules, list(places))


def _unsigned(x, level):
    """Of zeros the sign matters in values alone."""
    return x if level == 0 or x != 0 else abs(x)


def _text(numbers) -> str:
    return number(numbers[0]) if len(numbers) == 1 else f"({', '.join(number(x) for x in numbers)})"


def _pair(theirs, ours) -> str:
    return f"PyTorch: {theirs}; JAX: {ours}"


def _common(rules) -> str:
    found = list(dict.fromkeys(rules))
    return " or ".join(found) if len(found) < 3 else "as listed"


def _class(numbers) -> str:
    classes = ", ".join(_class_of(x) for x in numbers)
    return classes if len(numbers) == 1 else f"({classes})"


def _class_of(x) -> str:
    if np.isnan(x):
        return "nan"
    if np.isinf(x):
        return "infinity"
    if x == 0:
        return "-0" if x.dtype.kind == "f" and np.signbit(x) else "0"
    return "a number"


_RELATIONS = (
    ("the opposite sign", lambda a, b: a == -b),
    ("the conjugate, as beyond the branch cut", lambda a, b: a == np.conj(b)),
    ("the mirror image, as beyond the branch cut", lambda a, b: a == -np.conj(b)),
    ("twice as much in PyTorch", lambda a, b: a == 2 * b),
    ("twice as much in JAX", lambda a, b: 2 * a == b),
)


def _related(theirs, ours) -> str:
    """How all these results are related, where they are."""
    pairs = [
        (complex(a), complex(b))
        for some, others in zip(theirs, ours, strict=True)
        for a, b in zip(some, others, strict=True)
    ]
    if not all(np.isfinite(a) and np.isfinite(b) for a, b in pairs):
        return ""
    if all(a == b for a, b in pairs):
        return "another sign of zero"
    return next((text for text, holds in _RELATIONS if all(abs(a - b) > 0 and _holds(holds, a, b) for a, b in pairs)), "")


def _holds(relation, a, b) -> bool:
    """Up to rounding."""
    size = max(abs(a), abs(b))
    return relation(np.round(a / size, 2), np.round(b / size, 2))


def _of_operands(numbers) -> str:
    """Of the gradients of two operands."""
    if len(numbers) != 2:
        return _class(numbers)  # one of them is of integers
    first, second = (complex(x) for x in numbers)
    names: dict[tuple[complex, complex], str] = {
        (0.5, 0.5): "half to each",
        (1.0, 0.0): "all to the first",
        (0.0, 1.0): "all to the second",
        (1.0, 1.0): "all to each",
        (0.0, 0.0): "nothing to either",
    }
    return names.get((first, second)) or _class(numbers)


def _sided(row, point, places, theirs, ours) -> str:
    """Rules of a derivative at a point, by PyTorch's derivatives to its left and right."""
    ((name, x),) = point.inputs.items()
    with np.errstate(all="ignore"):
        sides = [
            run.by_torch(
                row.call, {name: (x + step * np.maximum(1, np.abs(x))).astype(x.dtype)}, dataclasses.replace(row, levels=2)
            )[1]
            for step in (-_STEP, _STEP)
        ]
    if any(isinstance(side, Raised) for side in sides) or x.dtype != np.float32:
        return _pair(_common([_class(x) for x in theirs]), _common([_class(x) for x in ours]))
    left, right = (side[0] for side in sides)
    known = [
        (_side(a[0], left[i], right[i], x[i]), _side(b[0], left[i], right[i], x[i]))
        for i, a, b in zip(places, theirs, ours, strict=True)
    ]
    return _pair(_common([a for a, _ in known]), _common([b for _, b in known]))


def _side(value, left, right, x) -> str:
    if not np.isfinite(value) or not np.isfinite(x):
        return _class_of(value)
    near = [_near(value, side) for side in (left, right)]
    if all(near):
        return "the derivative nearby"
    if any(near):
        return f"the derivative from the {'left' if near[0] else 'right'}"
    if np.isfinite(left + right) and _near(value, (left + right) / 2):
        return "the mean of the derivatives from both sides"
    return _class_of(value)


def _near(a, b) -> bool:
    return bool(np.isfinite(b)) and abs(float(a) - float(b)) <= 0.05 * max(abs(float(b)), 0.1)


def _of_elements(values, level) -> str:
    """Of the elements of one array that differ."""
    classes = list(dict.fromkeys(_class_of(x) for x in values))
    if len(classes) == 1 and classes[0] != "a number":
        return classes[0]
    if level == 1 and len(values) > 1 and set(classes) <= {"0", "a number"}:
        first = values[0]
        if not any(differs(np.asarray(x), np.asarray(first), 1) for x in values[1:]):
            return "the same for each"
        if "0" in classes:
            return "to the first" if values[0] != 0 else "to the last" if values[-1] != 0 else "to one"
    return _common(classes) if len(classes) < 3 else "as listed"
