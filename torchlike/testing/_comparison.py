"""`torch.testing.assert_close`, with PyTorch's texts. Their numbers are computed by numpy, after the values are read."""

import collections.abc
import math
import warnings

import numpy as np

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor

_TOLERANCES = {dt.float16: (1e-3, 1e-5), dt.bfloat16: (1.6e-2, 1e-5), dt.float32: (1.3e-6, 1e-5),
               dt.float64: (1e-7, 1e-7)}
_OF_PYTHON = {float: dt.float64, complex: dt.complex128}


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None) -> None:
    """Raises unless |actual - expected| <= atol + rtol |expected| everywhere, and shapes and what else is checked are
    equal.
    https://pytorch.org/docs/stable/testing.html#torch.testing.assert_close

    Args:
        actual, expected: tensors, arrays, numbers, None, or sequences and mappings of them.
        allow_subclasses: whether their classes may differ, if one is a subclass of the other.
        rtol, atol: the tolerances, both or none; None means those of the dtype.
        equal_nan: whether two values that are not numbers are equal.
        check_device, check_dtype, check_layout, check_stride: what must be equal, too.
        msg: a text instead of the error's, or a function from that text to another.

    Raises:
        AssertionError: something differs.
        ValueError: only one tolerance is given.
        TypeError: objects of other or unrelated types.
    """
    if (rtol is None) != (atol is None):
        raise ValueError("Both 'rtol' and 'atol' must be either specified or omitted, but got no "
                         f"{'rtol' if rtol is None else 'atol'}.")
    checks = {"layout": check_layout, "device": check_device, "dtype": check_dtype, "stride()": check_stride}
    given = None if rtol is None else (rtol, atol)
    try:
        for kind, a, b, where in list(_pairs(actual, expected, allow_subclasses, "")):
            text = kind(a, b, given, equal_nan, checks)
            if text:
                raise AssertionError(text + (f"\n\nThe failure occurred for item {where}" if where else ""))
    except AssertionError as error:
        text = error.args[0]
    else:
        return
    raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg)


_OLD_TOLERANCES = {dt.float16: (1e-3, 1e-3), dt.float32: (1e-4, 1e-5), dt.float64: (1e-5, 1e-8)}
_OLD = ("`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please use "
        "`torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.")


def assert_allclose(actual, expected, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True,
                    msg: str = "") -> None:
    """The deprecated form of `assert_close`, which warns: other default tolerances, and dtypes may differ.
    https://pytorch.org/docs/stable/testing.html#torch.testing.assert_allclose

    Args:
        msg: a text instead of the error's.
        actual, expected, rtol, atol, equal_nan: as for `assert_close`.
    """
    warnings.warn(_OLD, FutureWarning, stacklevel=2)
    if not isinstance(actual, Tensor):
        actual = _api.tensor(actual)
    if not isinstance(expected, Tensor):
        expected = _api.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        both = [_OLD_TOLERANCES.get(x.dtype, (0.0, 0.0)) for x in (actual, expected)]
        rtol, atol = (max(values) for values in zip(*both, strict=True))
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


def _is(kind, *values) -> bool:
    return all(isinstance(value, kind) for value in values)


def _pairs(a, b, allow_subclasses, where):
    """(comparison, actual, expected, place) of every two things that are to be compared."""
    if _is(collections.abc.Sequence, a, b) and not _is(str, a) and not _is(str, b):
        if len(a) != len(b):
            raise AssertionError(f"The length of the sequences mismatch: {len(a)} != {len(b)}" + _at(where))
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            yield from _pairs(x, y, allow_subclasses, f"{where}[{i}]")
    elif _is(collections.abc.Mapping, a, b):
        if a.keys() != b.keys():
            raise AssertionError("The keys of the mappings do not match:\n"
                                 f"Missing keys in the actual mapping: {sorted(b.keys() - a.keys())}\n"
                                 f"Additional keys in the actual mapping: {sorted(a.keys() - b.keys())}" + _at(where))
        for key in a:
            yield from _pairs(a[key], b[key], allow_subclasses, f"{where}[{key!r}]")
    else:
        yield (_kind(a, b, allow_subclasses), a, b, where)


def _at(where) -> str:
    return f"\n\nThe failure occurred for item {where}" if where else ""


def _kind(a, b, allow_subclasses):
    if a is None or b is None:
        return _compare_none
    if _is(bool | np.bool_, a, b):
        return _compare_booleans
    if _is(int | float | complex | np.number, a, b):
        return _compare_numbers
    related = isinstance(a, type(b)) or isinstance(b, type(a))
    if _is(Tensor | np.ndarray, a, b) and related and (allow_subclasses or type(a) is type(b)):
        return _compare_tensors
    raise TypeError(f"No comparison pair was able to handle inputs of type {_class(a)} and {_class(b)}.")


def _class(x) -> str:
    name = {Tensor: "torch.Tensor", Parameter: "torch.nn.parameter.Parameter"}.get(type(x))
    return f"<class '{name}'>" if name else str(type(x))


def _compare_none(a, b, given, equal_nan, checks) -> str:
    return "" if a is b else f"None mismatch: {a} is not {b}"


def _compare_booleans(a, b, given, equal_nan, checks) -> str:
    return "" if bool(a) is bool(b) else f"Booleans mismatch: {bool(a)} is not {bool(b)}"


def _compare_numbers(a, b, given, equal_nan, checks) -> str:
    a, b = (v.item() if isinstance(v, np.number) else v for v in (a, b))
    if checks["dtype"] and type(a) is not type(b):
        return f"The (d)types do not match: {type(a)} != {type(b)}."
    tolerances = given or _default_tolerances(*(_OF_PYTHON.get(type(v), dt.int64) for v in (a, b)))
    return "" if _close(a, b, tolerances, equal_nan) else _scalar_text(a, b, tolerances)


def _close(a, b, tolerances, equal_nan) -> bool:
    if a == b or (equal_nan and a != a and b != b):
        return True
    difference = abs(a - b)
    return math.isfinite(difference) and difference <= tolerances[1] + tolerances[0] * abs(b)


def _default_tolerances(*dtypes) -> tuple:
    pairs = [_TOLERANCES.get(d.to_real(), (0.0, 0.0)) for d in dtypes]
    return max(p[0] for p in pairs), max(p[1] for p in pairs)


def _texts(tolerances):
    """"close" or "equal", and how much is allowed of absolute and relative difference."""
    if not any(tolerances):
        return "equal", "", ""
    return "close", f" (up to {tolerances[1]} allowed)", f" (up to {tolerances[0]} allowed)"


def _scalar_text(a, b, tolerances) -> str:
    word, absolute_allowed, relative_allowed = _texts(tolerances)
    absolute = abs(a - b)
    relative = math.inf if b == 0 else absolute / abs(b)
    return (f"Scalars are not {word}!\n\nExpected {b} but got {a}.\nAbsolute difference: {absolute}{absolute_allowed}\n"
            f"Relative difference: {relative}{relative_allowed}")


def _attribute(x, name):
    return x.stride() if name == "stride()" else getattr(x, name)


def _compare_tensors(a, b, given, equal_nan, checks) -> str:
    a, b = (_api.as_tensor(x).detach() for x in (a, b))
    for name in ("shape", *(name for name, is_checked in checks.items() if is_checked)):
        x, y = _attribute(a, name), _attribute(b, name)
        if x != y:
            return f"The values for attribute '{name}' do not match: {x} != {y}."
    tolerances = given or _default_tolerances(a.dtype, b.dtype)
    common = _api.promote_types(a.dtype, b.dtype)
    common = dt.int64 if common.category < dt.FLOAT else common
    a, b = (x.cpu().to(common) for x in (a, b))
    matches = _api.isclose(a, b, *tolerances, equal_nan=equal_nan)
    if bool(matches.all()):
        return ""
    if a.dim() == 0:
        return _scalar_text(a.item(), b.item(), tolerances)
    a, b, matches = (x.resolve_conj().numpy(force=True) for x in (a, b, matches))
    return _tensor_text(a, b, matches, tolerances)


def _tensor_text(a, b, matches, tolerances) -> str:
    wrong = matches.size - int(matches.sum())
    with np.errstate(all="ignore"):
        absolute = np.abs(a - b)
        relative = absolute / np.abs(b)
        relative = relative.astype(np.float32) if a.dtype.kind == "i" else relative
    lines = []
    word, *allowed = _texts(tolerances)
    for name, values, limit in zip(("absolute", "relative"), (absolute, relative), allowed, strict=True):
        values = np.where(matches, 0, values.astype(np.float32) if values.dtype.itemsize < 4 else values)
        index = tuple(int(i) for i in np.unravel_index(np.argmax(values), values.shape))
        lines.append(f"Greatest {name} difference: {values[index].item()} at index {index}{limit}")
    share = f"{wrong} / {matches.size} ({wrong / matches.size:.1%})"
    return f"Tensor-likes are not {word}!\n\nMismatched elements: {share}\n" + "\n".join(lines)
