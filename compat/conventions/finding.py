"""What is found of one row of the table: whether it holds at ordinary points, and its differences by kind of point."""

import dataclasses

import numpy as np

from compat.conventions import answers, differing, points, rules, run, table

EVERYWHERE = "ordinary points"
_UNSTEADY = ("matrix", "decomposition", "eigenvalues", "layer")
_MOMENTS = 0.06  # how far mean and deviation of drawn numbers may be apart, in deviations


@dataclasses.dataclass
class Group:
    """The difference at one kind of point. `answer`: an expression, "" for none known, None where PyTorch raises."""

    kind: str
    entries: list
    answer: object
    count: int


@dataclasses.dataclass
class Found:
    """All of one row. `problems`: what is wrong with the row itself."""

    row: table.Row
    tried: int
    groups: list
    problems: list


def of(row) -> Found:
    """Run a row at all its points."""
    plain = points.ordinary(row)
    want, got = _both(row, plain)
    problems = _names_that_differ(row, plain, want)
    if row.same == "moments":
        return Found(row, 0, [], problems + _moments_that_differ(want, got))
    everywhere = differing.all_levels(want, got, together=True)
    if isinstance(want[0], run.Raised) or isinstance(got[0], run.Raised):
        problems.append(f"{row.name}: raises at ordinary points: {want[0]}, {got[0]}")
    if bool(everywhere) is not bool(row.differs):
        problems.append(f"{row.name}: {_levels(everywhere)} at ordinary points, the row says {row.differs or 'nothing'!r}")
    groups, tried = [], 0
    if everywhere:
        entries = [rules.whole(row, level, what, want[level], got[level]) for level, what in everywhere.items()]
        point = points.Point(plain, (EVERYWHERE,), (EVERYWHERE,))
        groups.append(
            Group(
                EVERYWHERE,
                entries,
                _answer(want, everywhere, answers.found(row, _Whole(point), want, [EVERYWHERE]), EVERYWHERE),
                1,
            )
        )
    known = dataclasses.replace(row, levels=min([row.levels, *everywhere])) if everywhere else row
    for point in points.of(known) if known.levels else ():
        tried += len(point.kinds)
        groups += _groups(known, point)
    return Found(row, tried, _merged(groups), problems)


class _Whole:
    """A point whose call is one, whatever its inputs' shape."""

    by_element = False

    def __init__(self, point):
        self.inputs, self.kinds = point.inputs, point.kinds


def _both(row, inputs):
    return run.by_torch(row.call, inputs, row), run.by_jax(row.jax, inputs, row)


def _levels(unlike) -> str:
    return ", ".join(f"another {differing.level_name(level)}" for level in unlike) or "the same"


def _names_that_differ(row, plain, want) -> list:
    """Other names whose call gives something else."""
    if row.same == "moments":
        return []
    return [
        f"{row.name}: {name} is not the same call"
        for name, call in row.names
        if differing.all_levels(want, run.by_torch(call, plain, row))
    ]


def _moments_that_differ(want, got) -> list:
    """Of numbers drawn by chance only the dtype, the shape, mean and deviation can agree."""
    if isinstance(want[0], run.Raised) or isinstance(got[0], run.Raised):
        return [f"raises: {want[0]}, {got[0]}"]
    a, b = (
        np.asarray(result[0][0], np.complex128 if result[0][0].dtype.kind == "c" else np.float64) for result in (want, got)
    )
    spread = max(a.std(), 1e-6)
    far = abs(a.mean() - b.mean()) > _MOMENTS * spread or abs(a.std() - b.std()) > _MOMENTS * spread
    return (
        [f"other moments: {a.mean():.3g} {a.std():.3g}, JAX {b.mean():.3g} {b.std():.3g}"]
        if far or a.shape != b.shape
        else []
    )


def _groups(row, point) -> list:
    want, got = _both(row, point.inputs)
    unlike = differing.all_levels(want, got, not point.by_element)
    if not unlike:
        return []
    kinds = list(dict.fromkeys(point.kinds))
    entries: dict = {kind: [] for kind in kinds}
    counts: dict = {kind: set() for kind in kinds}
    if row.points in _UNSTEADY:
        unlike = _steady(row, point, unlike, want, got)
    for level, what in unlike.items():
        if not point.by_element or not isinstance(what, list):
            # what holds for the whole call is said once, of its first kind
            entries[kinds[0]].append(rules.whole(row, level, what, want[level], got[level]))
            counts[kinds[0]].add(0)
            continue
        for kind in kinds:
            places = sorted({place[0] for _, place in what if point.kinds[place[0]] == kind})
            if places:
                entries[kind].append(rules.at_elements(row, level, point, places, want[level], got[level]))
                counts[kind].update(places)
    present = [kind for kind in kinds if entries[kind]]
    found = answers.found(row, point, want, present)
    return [Group(kind, entries[kind], _answer(want, unlike, found, kind), len(counts[kind])) for kind in present]


def _steady(row, point, unlike, want, got) -> dict:
    """Without the elements that are rounding errors: those that are others where all numbers are a thousandth larger."""
    factor = np.float32(1 + 2**-10)
    scaled = {name: np.asarray(x * factor, x.dtype) if x.dtype.kind == "f" else x for name, x in point.inputs.items()}
    again = _both(row, scaled)
    kept = {}
    for level, what in unlike.items():
        if isinstance(what, list) and not any(isinstance(side[level], run.Raised) for side in again):
            what = [
                (i, place)
                for i, place in what
                if all(
                    _near(before[level][i][place], after[level][i][place])
                    for before, after in zip((want, got), again, strict=True)
                )
            ]
        if what:
            kept[level] = what
    return kept


def _near(a, b) -> bool:
    if not (np.isfinite(a) and np.isfinite(b)):
        return bool(np.isnan(a) == np.isnan(b) and np.isinf(a) == np.isinf(b))
    return abs(a - b) <= 0.05 * max(abs(a), abs(b))


def _answer(want, unlike, found, kind):
    if any(isinstance(want[level], run.Raised) for level in unlike):
        return None
    return found.get(kind, "")


def _merged(groups) -> list:
    """Groups of one kind as one: a kind may be tried in several calls."""
    found: dict = {}
    for group in groups:
        if group.kind in found:
            known = found[group.kind]
            same = known.answer if known.answer == group.answer else ""
            found[group.kind] = Group(group.kind, known.entries + group.entries, same, known.count + group.count)
        else:
            found[group.kind] = group
    return list(found.values())
