"""The special points of a row, by kind.

A Point is the inputs of one call and labels. For functions that go element by element ("unary", "binary") one call
has many points, one an element, of several kinds, so that JAX compiles once; else a point is a call. Those of the
other sets are made from the row's ordinary inputs by changing them.
"""

import dataclasses

import ml_dtypes
import numpy as np

from compat.conventions import domains

INF, NAN = np.inf, np.nan
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


@dataclasses.dataclass(frozen=True)
class Point:
    """`kinds`: one an element, or one for the whole call; `labels` the same: how the point is written."""

    inputs: dict
    kinds: tuple
    labels: tuple

    @property
    def by_element(self) -> bool:
        """Whether each element of the result is a point."""
        return len(self.kinds) > 1 or (bool(self.inputs) and all(x.shape == (1,) for x in self.inputs.values()))


_UNARY = {
    "zeros": [0.0, -0.0],
    "whole and half numbers": [0.5, -0.5, 1.0, -1.0, 1.5, -1.5, 2.0, -2.0, 2.5, 3.0, -3.0],
    "infinities": [INF, -INF],
    "nan": [NAN],
    "large numbers": [100.0, -100.0, 1e4, -1e4, 1e20, -1e20, 3e38],
    "small numbers": [1e-10, -1e-10, 1e-20, -1e-20, 2e-38],
    "subnormal numbers": [1e-40, -1e-40],
}
_PAIRS = {
    "equal operands": [(1.0, 1.0), (-1.0, -1.0), (2.0, 2.0), (0.5, 0.5)],
    "zeros": [
        (0.0, 0.0),
        (-0.0, 0.0),
        (0.0, -0.0),
        (0.0, 1.0),
        (0.0, -1.0),
        (1.0, 0.0),
        (-1.0, 0.0),
        (0.0, 2.0),
        (0.0, 0.5),
        (2.0, -0.0),
    ],
    "whole and half numbers": [
        (-1.0, 2.0),
        (-2.0, 3.0),
        (-1.0, 0.5),
        (2.0, -1.0),
        (-3.0, 2.0),
        (3.0, -2.0),
        (1.5, 0.5),
        (6.0, 3.0),
    ],
    "infinities": [
        (INF, INF),
        (INF, -INF),
        (-INF, -INF),
        (INF, 1.0),
        (-INF, 1.0),
        (1.0, INF),
        (1.0, -INF),
        (INF, 0.0),
        (0.0, INF),
        (0.0, -INF),
        (-1.0, INF),
    ],
    "nan": [(NAN, 1.0), (1.0, NAN), (NAN, NAN), (0.0, NAN), (NAN, 0.0), (INF, NAN)],
    "large numbers": [(1e30, 1e30), (1e30, -1e30), (3e38, 3e38), (100.0, 100.0), (1e30, 1e-30)],
    "small numbers": [(1e-30, 1e-30), (1e-30, -1e-30), (1e-30, 1.0), (1.0, 1e-30), (1e-20, 1e20)],
}
_COMPLEX = {
    "complex branch cuts": [
        complex(-2, 0.0),
        complex(-2, -0.0),
        complex(2, 0.0),
        complex(2, -0.0),
        complex(0.0, 2),
        complex(-0.0, 2),
        complex(0.0, -2),
        complex(-0.0, -2),
        complex(-0.5, 0.0),
        complex(-0.5, -0.0),
    ],
    "complex zeros and ones": [
        complex(0, 0),
        complex(-0.0, -0.0),
        complex(1, 0),
        complex(-1, 0),
        complex(0, 1),
        complex(0, -1),
    ],
    "complex infinities and nan": [
        complex(INF, 0),
        complex(-INF, 0),
        complex(0, INF),
        complex(INF, INF),
        complex(NAN, 0),
        complex(0, NAN),
    ],
    "complex, large and small": [
        complex(1e20, 1e20),
        complex(100, 1),
        complex(-100, 1),
        complex(1, 100),
        complex(1e-20, 1e-20),
        complex(3e38, 3e38),
    ],
}
_WHOLES = [0, 1, 2, -1, -2, 3, 100]
_WHOLE_PAIRS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (0, 1), (2, 3), (5, 5), (0, 0), (1, 0)]
# Not the extremes that libraries round otherwise: what differs there is no convention.
_HALVES = {
    np.dtype(np.float16): ("float16", [0.0, 0.5, -0.5, 1.0, -2.0, 10.0, -10.0, 300.0, 60000.0, 1e-4, INF, NAN]),
    BFLOAT16: ("bfloat16", [0.0, 0.5, -0.5, 1.0, -2.0, 10.0, -10.0, 300.0, 1e-4, INF, NAN]),
}


def of(row) -> list:
    """All points of a row."""
    return [point for point in _SETS[row.points](row) if point is not None]


def ordinary(row) -> dict:
    """Its ordinary inputs."""
    return {name: domains.made(text, f"{row.name} {name}") for name, text in row.inputs.items()}


def _unary(row) -> list:
    (name,) = row.inputs
    kinds = {"bounds and kinks": [float(x) for x in row.at or ()], **_UNARY}
    return [
        *_elements([name], {kind: [(x,) for x in points] for kind, points in kinds.items()}, [np.float32]),
        *_elements([name], {kind: [(x,) for x in points] for kind, points in _COMPLEX.items()}, [np.complex64]),
        *_other_types([name], [(x,) for x in _WHOLES]),
        *(
            point
            for dtype, (kind, points) in _HALVES.items()
            for point in _elements([name], {kind: [(x,) for x in points]}, [dtype])
        ),
        *_forms(row),
    ]


def _binary(row) -> list:
    names = [*row.inputs]
    kinds = {"bounds and kinks": [tuple(pair) for pair in row.at or ()], **_PAIRS}
    halves = [(0.0, 0.0), (1.0, 2.0), (2.0, 0.5), (300.0, 300.0), (-1.0, 2.0), (60000.0, 2.0)]
    mixed = [(1.0, 2), (0.0, 0), (-2.0, 3), (0.5, -1)]
    return [
        *_elements(names, kinds, [np.float32] * 2),
        *_elements(
            names,
            {"complex": [(a, b) for a in (0j, 1 + 0j, -1 + 0j, 1j, complex(-2, -0.0)) for b in (0j, 1 + 0j, 2j)]},
            [np.complex64] * 2,
        ),
        *_other_types(names, _WHOLE_PAIRS),
        *_elements(names, {"float16": halves}, [np.float16] * 2),
        *_elements(names, {"bfloat16": halves}, [BFLOAT16] * 2),
        *_elements(names, {"float32 with int32": mixed}, [np.float32, np.int32]),
        *_elements(names, {"float16 with int32": mixed}, [np.float16, np.int32]),
        *_elements(names, {"float16 with bfloat16": mixed}, [np.float16, BFLOAT16]),
        *_elements(names, {"uint8 with int8": [(1, 2), (200, -1)]}, [np.uint8, np.int8]),
        *_forms(row),
    ]


def _elements(names, kinds, dtypes) -> list:
    """One call for all points of these kinds."""
    flat = [(kind, point) for kind, points in kinds.items() for point in points]
    with np.errstate(all="ignore"):
        columns = [np.array([point[i] for _, point in flat]).astype(dtype) for i, dtype in enumerate(dtypes)]
    labels = tuple(", ".join(f"{name} = {number(x)}" for name, x in zip(names, point, strict=True)) for _, point in flat)
    return [Point(dict(zip(names, columns, strict=True)), tuple(kind for kind, _ in flat), labels)]


def _other_types(names, points) -> list:
    nonnegative = [point for point in points if min(point) >= 0]
    truths = [point for point in nonnegative if max(point) < 2]
    return [
        made
        for dtype, chosen in ((np.int32, points), (np.uint8, nonnegative), (np.bool_, truths))
        for made in _elements(names, {np.dtype(dtype).name: chosen}, [dtype] * len(names))
    ]


def _forms(row) -> list:
    """Forms of the ordinary inputs: 0-d and empty."""
    plain = ordinary(row)
    return [
        Point({name: x.reshape(-1)[0].reshape(()) for name, x in plain.items()}, ("0-d",), ("0-d",)),
        Point({name: x[:0] for name, x in plain.items()}, ("empty",), ("empty",)),
    ]


def number(x) -> str:
    """A number as the pages write it."""
    if isinstance(x, complex) or np.iscomplexobj(x):
        x = complex(x)
        if np.isfinite(x):  # a part that is rounding error of the other is none
            least = 1e-5 * abs(x)
            x = complex(x.real if abs(x.real) > least else 0.0 * x.real, x.imag if abs(x.imag) > least else 0.0 * x.imag)
        imaginary = number(x.imag)
        return f"{number(x.real)}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
    if isinstance(x, (bool, np.bool_)):
        return str(bool(x))
    text = f"{float(x):.3g}"
    return text.replace("e+", "e").replace("e-0", "e-").replace("e0", "e")


# Changes of ordinary inputs, for functions that do not go element by element.


def _first(change, only="fc"):
    """The point with the first input of these kinds of dtype changed; None if there is none."""

    def changed(inputs):
        for name, x in inputs.items():
            if x.dtype.kind in only and x.size:
                new = change(x)
                return None if new is None else {**inputs, name: new}
        return None

    return changed


def _every(change, only="f"):
    def changed(inputs):
        if not any(x.dtype.kind in only for x in inputs.values()):
            return None
        return {name: change(x) if x.dtype.kind in only else x for name, x in inputs.items()}

    return changed


def _put(*values):
    """These numbers in the places of the first elements."""

    def change(x):
        new = x.copy()
        new.reshape(-1)[: len(values)] = values[: x.size]
        return new

    return change


def _repeated(x):
    """The last two dimensions with the second row and column like the first: ties in every row and column."""
    if x.ndim == 0 or max(x.shape) < 2:
        return None
    new = x.copy()
    for axis in range(max(0, x.ndim - 2), x.ndim):
        if x.shape[axis] > 1:
            head = [slice(None)] * axis
            new[(*head, 1)] = new[(*head, 0)]
    return new


def _emptied(inputs):
    """The first dimension of the first input, and of all as long, without elements."""
    size = next((x.shape[0] for x in inputs.values() if x.ndim), None)
    if size is None:
        return None
    return {name: x[:0] if x.ndim and x.shape[0] == size else x for name, x in inputs.items()}


def _last_emptied(inputs):
    size = next((x.shape[-1] for x in inputs.values() if x.ndim > 1), None)
    if size is None:
        return None
    return {name: x[..., :0] if x.ndim and x.shape[-1] == size else x for name, x in inputs.items()}


_CHANGES = {
    "all equal": _first(np.ones_like),
    "ties": _first(_repeated),
    "zeros": _first(np.zeros_like),
    "one zero": _first(_put(0.0)),
    "two zeros": _first(_put(0.0, 0.0)),
    "nan": _first(_put(NAN)),
    "infinity": _first(_put(INF)),
    "negative infinity": _first(_put(-INF)),
    "both infinities": _first(_put(INF, -INF)),
    "all infinite": _first(lambda x: np.full_like(x, INF)),
    "all negative infinite": _first(lambda x: np.full_like(x, -INF)),
    "all nan": _first(lambda x: np.full_like(x, NAN)),
    "large numbers": _first(lambda x: np.asarray(x * np.float32(1e30), x.dtype)),
    "small numbers": _first(lambda x: np.asarray(x * np.float32(1e-30), x.dtype)),
    "large differences": _first(lambda x: np.asarray(x * np.float32(1e3), x.dtype)),
    "negative numbers": _first(lambda x: -np.abs(x) if x.dtype.kind == "f" else None),
    "float16": _every(lambda x: x.astype(np.float16)),
    "float16, large numbers": _every(lambda x: (x * 2e4).astype(np.float16)),
    "bfloat16": _every(lambda x: x.astype(BFLOAT16)),
    "int32": _every(lambda x: np.floor(x).astype(np.int32)),
    "uint8": _every(lambda x: np.abs(x).astype(np.uint8)),
    "bool": _every(lambda x: x > 0),
    "complex": _every(lambda x: (x + 0.5j).astype(np.complex64)),
    "empty": _emptied,
    "empty last dimension": _last_emptied,
    "repeated indices": _first(lambda x: np.full_like(x, x.flat[0]), "i"),
    "negative indices": _first(lambda x: x - x.max() - 1, "i"),
    "indices out of range": _first(lambda x: x + 1000, "i"),
    "indices just out of range": _first(lambda x: x + np.arange(x.size).reshape(x.shape) % 2 * 50, "i"),
    "no indices": _first(lambda x: x[:0], "i"),
    "float32 indices": _every(lambda x: x.astype(np.float32), "i"),
    "none chosen": _every(np.zeros_like, "b"),
    "all chosen": _every(np.ones_like, "b"),
}
_VALUES = ("nan", "infinity", "negative infinity", "zeros", "large numbers", "small numbers")
_TYPES = ("float16", "bfloat16", "int32", "bool", "complex")
_EMPTY = ("empty", "empty last dimension")
_OF = {
    "reduction": (
        "all equal",
        "ties",
        "one zero",
        "two zeros",
        *_VALUES,
        "both infinities",
        "all infinite",
        "all negative infinite",
        "all nan",
        "large differences",
        "negative numbers",
        *_TYPES,
        "uint8",
        "float16, large numbers",
        *_EMPTY,
    ),
    "ternary": ("all equal", *_VALUES, *_TYPES, "empty", "none chosen", "all chosen"),
    "shape": ("nan", *_EMPTY, "float16", "bool"),
    "index": (
        "nan",
        "infinity",
        "repeated indices",
        "negative indices",
        "indices out of range",
        "indices just out of range",
        "no indices",
        "float32 indices",
        "none chosen",
        "all chosen",
        "float16",
        "bfloat16",
        "int32",
        "bool",
        "complex",
        *_EMPTY,
    ),
    "linear": ("nan", "infinity", "zeros", "large numbers", *_TYPES, *_EMPTY),
    "matrix": (
        "all equal",
        "zeros",
        "one zero",
        "ties",
        "nan",
        "infinity",
        "large numbers",
        "small numbers",
        *_TYPES,
        "empty",
    ),
    # not nan: of that PyTorch's library ends the process
    "eigenvalues": ("zeros", "one zero", "small numbers", *_TYPES, "empty"),
    # not infinities: of these the singular values never come back from JAX; nor singular matrices, whose vectors are free
    "decomposition": ("zeros", "one zero", "nan", "large numbers", "small numbers", *_TYPES, "empty"),
    "layer": (
        "all equal",
        "ties",
        *_VALUES,
        "large differences",
        "float16",
        "bfloat16",
        "int32",
        "complex",
        *_EMPTY,
    ),
    "loss": (
        "all equal",
        "zeros",
        "one zero",
        *_VALUES,
        "large differences",
        "indices just out of range",
        "negative indices",
        "float16",
        "bfloat16",
        "int32",
        *_EMPTY,
    ),
    "spectrum": ("zeros", "nan", "infinity", *_TYPES, *_EMPTY),
    "steps": ("zeros", "nan", "infinity", "large numbers", "small numbers", "float16", "bfloat16", "empty"),
    "none": (),
}


def _changed(row) -> list:
    plain = ordinary(row)
    found = []
    with np.errstate(all="ignore"):
        for kind in dict.fromkeys(_OF[row.points]):
            if kind in row.without:
                continue
            inputs = _CHANGES[kind](plain)
            if inputs is not None and not _same(inputs, plain):
                found.append(Point(inputs, (kind,), (kind,)))
    if row.points in ("reduction", "layer") and row.inputs:
        found.append(Point({name: x.reshape(-1)[:1].reshape(()) for name, x in plain.items()}, ("0-d",), ("0-d",)))
    return found + [Point({**plain, **_own(values, plain)}, (kind,), (kind,)) for kind, values in (row.at or {}).items()]


def _own(values, plain) -> dict:
    """Inputs that a row names: lists of numbers, of the dtype of the ordinary ones."""
    return {name: np.asarray(value, plain[name].dtype) for name, value in values.items()}


def _same(a, b) -> bool:
    return all(
        a[name].dtype == b[name].dtype and a[name].shape == b[name].shape and np.array_equal(a[name], b[name]) for name in a
    )


_SETS = {"unary": _unary, "binary": _binary, **dict.fromkeys(_OF, _changed)}
