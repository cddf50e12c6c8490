"""What differs between two descriptions, in a few words."""

import numpy as np

from compat.compare.describing import Array
from compat.compare.tolerances import EXACTLY, Pair, Tolerance

_LONGEST = 600


def difference(want, got, tolerance: Tolerance, where: str = "") -> str:
    """The first difference between what torch gave and what torchlike gave, with its place; "" if there is none."""
    if isinstance(want, Array) and isinstance(got, Array):
        return _of_arrays(want, got, tolerance, where)
    if isinstance(want, dict) and isinstance(got, dict) and _same_keys(want, got, tolerance.key_order):
        return next(filter(None, (difference(want[k], got[k], tolerance, f"{where}.{k}") for k in want)), "")
    if isinstance(want, list | tuple) and isinstance(got, list | tuple) and len(want) == len(got):
        pairs = enumerate(zip(want, got, strict=True))
        return next(filter(None, (difference(a, b, tolerance, f"{where}[{i}]") for i, (a, b) in pairs)), "")
    if isinstance(want, str) and isinstance(got, str):
        same = tolerance.texts(want, got)
    elif isinstance(want, float | complex) and type(got) is type(want):
        same = near(np.asarray(want), np.asarray(got), tolerance.number)
    else:
        same = type(got) is type(want) and not isinstance(want, dict | list | tuple | Array) and got == want
    return "" if same else _sides(where, want, got)


def _same_keys(want, got, in_order) -> bool:
    return list(want) == list(got) if in_order else want.keys() == got.keys()


def near(want: np.ndarray, got: np.ndarray, pair: Pair) -> bool:
    """Whether values agree; NaN agrees with NaN. Integers, truth values and what has no tolerance are exact."""
    if want.dtype.kind not in "fc":
        return np.array_equal(want, got)
    if pair == EXACTLY:
        return np.array_equal(want, got, equal_nan=True)
    with np.errstate(all="ignore"):
        return np.allclose(got, want, *pair, equal_nan=True)


def _of_arrays(want, got, tolerance, where):
    if want.dtype != got.dtype or want.values.shape != got.values.shape:
        return _sides(where, f"{want.dtype}{list(want.values.shape)}", f"{got.dtype}{list(got.values.shape)}")
    for name, fact in want.facts.items():
        if fact != got.facts[name]:
            return _sides(f"{where}.{name}", fact, got.facts[name])
    if near(want.values, got.values, tolerance.for_array(want.dtype, want.values)):
        return ""
    worst = _worst(want.values, got.values)
    elements = [str(x.reshape(-1)[worst]) for x in (want.values, got.values)]
    return f"{where} element {worst} of {want.values.size}: torch {elements[0]}, torchlike {elements[1]}".strip()


def _worst(want, got) -> int:
    """The place of the element that is farthest off, counted through the array."""
    wide = np.complex128 if np.iscomplexobj(want) else np.float64
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(wide) - want.astype(wide))
    return int(np.argmax(np.where(np.isnan(distance) & ~(np.isnan(want) & np.isnan(got)), np.inf, np.nan_to_num(distance))))


def _sides(where, want, got) -> str:
    return f"{where}: torch {_short(want)}, torchlike {_short(got)}".removeprefix(": ")


def _short(value):
    text = " ".join(repr(value).split())
    return text if len(text) < _LONGEST else text[:_LONGEST] + "..."
