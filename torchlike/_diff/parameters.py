"""Which parameter of a JAX program is which of a PyTorch module: guessed by values, then by names and shapes.

Frameworks lay parameters out differently: kernels of linear layers are transposed, those of convolutions have the channels
last, attention has one array for three or three for one. The numbers are the same, and sorted they tell which is which;
where they are all the same (biases of zeros) or differ, the neighbours and the names do.
"""

import dataclasses
import difflib
import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from torchlike._diff.matching import AXES, gap

VALUE, NEIGHBOUR, NAME, GRADIENT, GIVEN = "values", "neighbours", "name and shape", "gradients", "given"
CLOSE = 2.0 ** -8  # by so much of its largest number a parameter may be off: that of bfloat16
LIKE = 0.3  # names that have less in common are not those of one parameter
PARTS = (2, 3, 4)  # of how many one array is made
# What the last part of a name says it is.
_ROLES = {"bias": "bias", "b": "bias", "beta": "bias", "offset": "bias", "running_mean": "mean", "mean": "mean",
          "running_var": "variance", "var": "variance", "num_batches_tracked": "count"}
_EMPTY = frozenset(("params", "batch_stats", "module", "model", "value", "raw"))


@dataclasses.dataclass
class Row:
    """One of ours, or the part `[start:end]` of its first axis, and one of theirs, or a part of an axis of it.

    `how` says in words what `lay` does: it makes of theirs, or of a gradient of it, what is laid out as ours.
    """

    ours: str
    theirs: str
    ours_shape: tuple
    theirs_shape: tuple
    sure: str
    how: str
    lay: Callable[[np.ndarray], np.ndarray]
    part: tuple[int, int] | None = None
    difference: float = 0.0  # of the values, relative to the largest
    finding: str = ""

    def of_ours(self, array: np.ndarray) -> np.ndarray:
        """The part of ours that the row is about."""
        return array if self.part is None else array[self.part[0]:self.part[1]]

    def json(self) -> dict:
        """The row as plain values."""
        return {"ours": self.label, "theirs": self.theirs, "ours_shape": list(self.ours_shape),
                "theirs_shape": list(self.theirs_shape), "how": self.how, "sure_by": self.sure,
                "difference": self.difference, "finding": self.finding}

    @property
    def label(self) -> str:
        """Ours, with its part."""
        return self.ours if self.part is None else f"{self.ours}[{self.part[0]}:{self.part[1]}]"


@dataclasses.dataclass
class Table:
    """The rows, and the names on both sides that have none."""

    rows: list[Row]
    ours_left: list[str]
    theirs_left: list[str]


def match(ours: Mapping[str, np.ndarray], theirs: Mapping[str, np.ndarray], given: Mapping[str, Any]) -> Table:
    """Maps parameters.

    Args:
        ours: name -> array.
        theirs: path -> array.
        given: what is known: path -> our name, or path -> (our name, function that lays theirs out as ours).

    Raises:
        ValueError: a name in `given` that there is not, or a shape that does not fit.
    """
    work = _Work(ours, theirs)
    for path, value in given.items():
        work.take(_given_row(path, value, ours, theirs))
    work.by_value()
    work.in_parts()
    work.by_name()
    rows = sorted(work.rows, key=lambda row: (list(ours).index(row.ours), row.part or (0, 0)))
    _compare(rows, ours, theirs)
    return Table(rows, [name for name in ours if name in work.ours], [name for name in theirs if name in work.theirs])


class _Work:
    """What is not matched yet, and the rows so far."""

    def __init__(self, ours, theirs):
        self.ours, self.theirs, self.rows = dict(ours), dict(theirs), []

    def take(self, row: Row) -> None:
        self.rows.append(row)
        if row.part is None:
            self.ours.pop(row.ours, None)
        self.theirs.pop(row.theirs, None)

    def by_value(self) -> None:
        """Those whose numbers are the same, and tell anything. Of several (tied, or made alike) names choose."""
        keys: dict[bytes, list[str]] = {}
        for path, x in self.theirs.items():
            keys.setdefault(_sorted(x).tobytes(), []).append(path)
        for is_exact in (True, False):
            for name, x in list(self.ours.items()):
                if _is_uniform(x):
                    continue
                near = keys.get(_sorted(x).tobytes(), []) if is_exact else self.near(x)
                near = [path for path in near if path in self.theirs]
                for path in sorted(near, key=lambda path: -_likeness(name, path)):
                    found = _lay(x, self.theirs[path])
                    if found is not None:
                        self.take(Row(name, path, x.shape, self.theirs[path].shape, VALUE, *found))
                        break

    def near(self, x: np.ndarray) -> list[str]:
        own = _sorted(x)
        return [path for path, y in self.theirs.items()
                if y.size == x.size and not _is_uniform(y) and gap(own, _sorted(y)) <= CLOSE * _size(own)]

    def in_parts(self) -> None:
        """One of ours that is several of theirs, one after the other, or one of theirs that is several of ours."""
        for name, x in list(self.ours.items()):
            for n in PARTS:
                if x.ndim == 0 or _is_uniform(x) or x.shape[0] % n:
                    continue
                step, rows = x.shape[0] // n, []
                for i in range(n):
                    rows += self.part(name, x[i * step:(i + 1) * step], (i * step, (i + 1) * step), rows)
                if len(rows) == n:
                    for row in rows:
                        row.ours_shape = x.shape
                        self.take(row)
                    del self.ours[name]
                    break
        for path, y in list(self.theirs.items()):
            ways = [(n, axis) for n in PARTS for axis in range(y.ndim)] + [(len(y), 0)] * (y.ndim > 1)  # the last: a stack
            for row in next((rows for n, axis in ways if (rows := self.slices(path, y, n, axis))), []):
                self.take(row)

    def part(self, name, x, place, taken) -> list[Row]:
        used = {row.theirs for row in taken}
        for path, y in self.theirs.items():
            if path not in used and y.size == x.size and _same_numbers(x, y):
                found = _lay(x, y)
                if found is not None:
                    return [Row(name, path, x.shape, y.shape, VALUE, *found, place)]
        return []

    def slices(self, path, y, n, axis) -> list[Row]:
        """The rows of one of theirs that is `n` of ours, side by side."""
        if y.shape[axis] % n or _is_uniform(y):
            return []
        rows: list[Row] = []
        for i, piece in enumerate(np.split(y, n, axis)):
            used = {row.ours for row in rows}
            for name, x in self.ours.items():
                found = _lay(x, piece) if name not in used and x.size == piece.size and _same_numbers(x, piece) else None
                if found is not None:
                    how, lay = found
                    rows.append(Row(name, path, x.shape, y.shape, VALUE, f"part {i} of {n} on axis {axis}, {how}",
                                    lambda g, i=i, lay=lay: lay(np.split(g, n, axis)[i])))
                    break
            else:
                return []
        return rows

    def by_name(self) -> None:
        """The rest, the best pairs first: neighbours of what is matched count more than likeness of names."""
        known = {_module(row.ours): _module(row.theirs) for row in self.rows}
        pairs, kinds = [], [[(_role(name), x.size) for name, x in side.items()] for side in (self.ours, self.theirs)]
        both = itertools.product(enumerate(self.ours.items()), enumerate(self.theirs.items()))
        for (i, (name, x)), (k, (path, y)) in both:
            found = _usual(x, y, path) if x.size == y.size and _role(name) == _role(path) else None
            if found is None:
                continue
            is_neighbour = known.get(_module(name)) == _module(path)
            like = _likeness(name, path)
            is_only = all(kind.count((_role(name), x.size)) == 1 for kind in kinds)
            if is_neighbour or is_only or like >= LIKE:
                rank = not is_neighbour, not np.array_equal(_sorted(x), _sorted(y)), -like, abs(i - k)
                pairs.append((rank, name, path, found))
        for (far, *_), name, path, found in sorted(pairs, key=lambda pair: pair[0]):
            if name in self.ours and path in self.theirs:
                sure = NAME if far else NEIGHBOUR
                self.take(Row(name, path, self.ours[name].shape, self.theirs[path].shape, sure, *found))


def _given_row(path: str, value, ours, theirs) -> Row:
    name, function = (value, None) if isinstance(value, str) else value
    for what, names in ((path, theirs), (name, ours)):
        if what not in names:
            near = difflib.get_close_matches(what, names, 3, 0.4)
            meant = f", did you mean {' or '.join(near)}?" if near else ""
            raise ValueError(f"mapping=: there is no parameter {what!r}{meant}")
    x, y = ours[name], theirs[path]
    if function is not None:
        laid = np.asarray(function(y))
        if laid.shape != x.shape:
            raise ValueError(f"mapping=: the function for {path!r} gives {list(laid.shape)}, but {name!r} is "
                             f"{list(x.shape)}")
        return Row(name, path, x.shape, y.shape, GIVEN, "as given", lambda g: np.asarray(function(g)))
    found = _lay(x, y) or _usual(x, y, path)
    if found is None:
        raise ValueError(f"mapping=: {path!r} is {list(y.shape)}, which is not {name!r} {list(x.shape)} in another layout; "
                         "give (name, function)")
    return Row(name, path, x.shape, y.shape, GIVEN, *found)


def _lay(x: np.ndarray, y: np.ndarray):
    """(in words, the function) of the layout in which theirs is ours by value; None if there is none."""
    allowed = CLOSE * _size(x)
    if x.size != y.size:
        return None
    for axes, flips in itertools.product(itertools.permutations(range(y.ndim)), ((), (-1,), (-2, -1))):
        if y.ndim > AXES or (flips and y.ndim < 3):
            continue
        turned = y.transpose(axes)
        if turned.shape != x.shape and turned.ndim == x.ndim:
            continue
        turned = turned.reshape(x.shape)
        turned = np.flip(turned, flips) if flips else turned
        if gap(x, turned) <= allowed:
            return _words(axes, flips, x, y), _layer(axes, flips, x.shape)
    return None


def _usual(x: np.ndarray, y: np.ndarray, path: str):
    """The layout that frameworks have for such a shape, where the values do not tell."""
    is_kernel = not path.endswith(("embedding", "weight"))
    if y.ndim == x.ndim and y.ndim >= 2 and is_kernel:
        axes = (1, 0) if y.ndim == 2 else (y.ndim - 1, y.ndim - 2, *range(y.ndim - 2))
        if y.transpose(axes).shape == x.shape:
            return _words(axes, (), x, y), _layer(axes, (), x.shape)
    if y.shape == x.shape or x.ndim <= 1:
        return _words(tuple(range(y.ndim)), (), x, y), _layer(tuple(range(y.ndim)), (), x.shape)
    if x.ndim == 2 and y.ndim == 3:  # heads apart
        for axes in ((1, 2, 0), (2, 0, 1)):
            turned = y.transpose(axes)
            if x.shape in ((turned.shape[0] * turned.shape[1], turned.shape[2]), (turned.shape[0],
                                                                                   turned.shape[1] * turned.shape[2])):
                return _words(axes, (), x, y), _layer(axes, (), x.shape)
    if x.ndim == y.ndim == 2 and y.T.shape == x.shape:
        return _words((1, 0), (), x, y), _layer((1, 0), (), x.shape)
    return None


def _layer(axes, flips, shape):
    def lay(g):
        turned = g.transpose(axes).reshape(shape)
        return np.flip(turned, flips) if flips else turned

    return lay


def _words(axes, flips, x, y) -> str:
    words = "as it is" if axes == tuple(range(y.ndim)) else "transposed" if axes == (1, 0) else f"axes {axes}"
    if y.transpose(axes).shape != x.shape:
        words = f"reshaped {list(x.shape)}" if words == "as it is" else f"{words}, reshaped {list(x.shape)}"
    return f"{words}, flipped" if flips else words


def _compare(rows: list[Row], ours, theirs) -> None:
    """What is wrong with the values, and with layouts that differ from those of the like."""
    for row in rows:
        x, y = row.of_ours(ours[row.ours]), row.lay(theirs[row.theirs])
        row.difference = gap(x, y) / (_size(x) or 1.0)
        if row.difference > 0:
            row.finding = f"values differ, by {row.difference:.3g} of the largest"
    square = [row for row in rows if row.part is None and row.sure in (VALUE, NEIGHBOUR) and len(row.ours_shape) == 2]
    for row in square:
        usual = _usual(ours[row.ours], theirs[row.theirs], row.theirs)
        if row.ours_shape == row.theirs_shape and usual is not None and usual[0] != row.how and not row.finding:
            last = _tokens(row.theirs)[-1:]
            like = [other.how for other in square if _tokens(other.theirs)[-1:] == last and other is not row]
            if like.count(usual[0]) > like.count(row.how) or (not like and last == ["kernel"]):
                others = "" if not like else f", {like.count(usual[0])} of {len(like)} others are {usual[0]}"
                is_so = f"not {usual[0]}" if row.how == "as it is" else row.how
                row.finding = f"is {is_so}, where a {last[0]} is {usual[0]}{others}"


# names and numbers


def _tokens(name: str) -> list[str]:
    """``params.layers_0.LayerNorm_0.scale`` -> layers, 0, layernorm, 0, scale."""
    return [part.lower() for part in re.findall(r"[A-Za-z]+|\d+", name) if part.lower() not in _EMPTY]


def _role(name: str) -> str:
    last = re.split(r"[./]", name)[-1].lower()
    return _ROLES.get(last, "bias" if last.startswith("bias") or last.endswith("_bias") else "weight")


def _module(name: str) -> str:
    """All but the last part, without the collections of flax."""
    parts = re.split(r"[./]", name)[:-1]
    return ".".join(part for part in parts if part not in ("params", "batch_stats"))


def _likeness(name: str, path: str) -> float:
    """From 0 to 1, the numbers of layers counting most."""
    a, b = _tokens(_module(name)), _tokens(_module(path))
    numbers = [[part for part in tokens if part.isdigit()] for tokens in (a, b)]
    first = float(numbers[0][:1] == numbers[1][:1])
    words = difflib.SequenceMatcher(None, ".".join(a), ".".join(b)).ratio()
    return 0.5 * first + 0.3 * words + 0.2 * float(a == b)


def _sorted(x: np.ndarray) -> np.ndarray:
    return np.sort(x.astype(np.float64).ravel())


def _same_numbers(x, y) -> bool:
    return gap(_sorted(x), _sorted(y)) <= CLOSE * _size(x)


def _is_uniform(x: np.ndarray) -> bool:
    return x.size == 0 or bool(np.all(x == x.ravel()[0]))


def _size(x: np.ndarray) -> float:
    return float(np.abs(x).max(initial=0.0))
