"""Whether two results are the same, up to rounding, and where not."""

import numpy as np

from compat.conventions.run import LEVELS, Raised

# As many as a library may round otherwise; conventions differ by more.
_RELATIVE = {"float16": 2e-2, "bfloat16": 8e-2}
_SPREAD = (1e-5, 2e-5, 5e-4)  # of the largest element, by level
_ABSOLUTE = {"float16": 1e-3, "bfloat16": 1e-2}
_TOGETHER = {"float16": 5e-3, "bfloat16": 4e-2}  # where rounding errors add up


def unlike(level, want, got, together=False):
    """None where the two agree; "error", "count", "shape" or "dtype"; else (array, index) of the elements that differ."""
    if isinstance(want, Raised) or isinstance(got, Raised):
        return None if isinstance(want, Raised) and isinstance(got, Raised) else "error"
    if len(want) != len(got):
        return "count"
    if any(a.shape != b.shape for a, b in zip(want, got, strict=True)):
        return "shape"
    # a gradient has its input's dtype on both sides, by definition
    if level == 0 and any(a.dtype != b.dtype for a, b in zip(want, got, strict=True)):
        return "dtype"
    pairs = enumerate(zip(want, got, strict=True))
    found = [(i, tuple(map(int, place))) for i, (a, b) in pairs for place in np.argwhere(differs(a, b, level, together))]
    return found or None


def differs(a, b, level=0, together=False) -> np.ndarray:
    """For each element whether two arrays differ there; `together`: rounding errors may be those of the largest element."""
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        nan = np.isnan(a) & np.isnan(b)  # whichever part
        return ~nan & (differs(a.real, b.real, max(level, 1), together) | differs(a.imag, b.imag, max(level, 1), together))
    if a.dtype.kind in "biu" and b.dtype.kind in "biu":
        return a != b
    name = next((x.dtype.name for x in (a, b) if x.dtype.name in _RELATIVE), "float32")
    a, b = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= _RELATIVE.get(name, 2e-3) * np.maximum(np.abs(a), np.abs(b)) + _ABSOLUTE.get(name, 2e-6)
        near |= together & (np.abs(a - b) <= _TOGETHER.get(name, 1e-4 if level else 1e-5))
        near |= together & (np.abs(a - b) <= _SPREAD[level] * np.max(np.abs(a), initial=0, where=np.isfinite(a)))
        alike = (a == b) | near & np.isfinite(a) & np.isfinite(b) | np.isnan(a) & np.isnan(b)
        signs = (
            (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))
            if level == 0 and not together
            else np.zeros(a.shape, bool)
        )
    return ~alike | signs


def all_levels(want, got, together=False) -> dict:
    """{level: what is unlike}, of those that differ. Behind an error there is no further level."""
    found: dict = {}
    for level, (a, b) in enumerate(zip(want, got, strict=True)):
        what = unlike(level, a, b, together)
        if what is not None:
            found[level] = what
        if what == "error" or isinstance(a, Raised):
            break
    return found


def level_name(level) -> str:
    """``gradient``."""
    return LEVELS[level]
