"""Whether two results are the same: structure, dtype, shape, aliasing and strides of views, and values."""

import numpy as np
import torch

from compat.opinfo.translate import array

# (rtol, atol): torch.testing's, a few roundings wider: sums and products are ordered otherwise
TOLERANCE = {"float64": (1e-7, 1e-7), "complex128": (1e-7, 1e-7), "float32": (1e-4, 2e-5), "complex64": (1e-4, 2e-5),
             "float16": (4e-3, 2e-3), "bfloat16": (2e-2, 2e-2)}


def difference(want, got, values=True) -> str:
    """What differs in a few words, "" if nothing does. `values`: whether they count (not for random results)."""
    if isinstance(want, torch.Tensor):
        return _of_tensors(want, got, values)
    if isinstance(want, torch.Size | list | tuple) and isinstance(got, list | tuple):
        if len(want) != len(got):
            return f"{len(want)} results, ours {len(got)}"
        return next(filter(None, (difference(a, b, values) for a, b in zip(want, got, strict=True))), "")
    if isinstance(want, torch.dtype | torch.device):
        return "" if str(want) == str(got) else f"{want}, ours {got}"
    if isinstance(want, float | complex) and isinstance(got, float | complex):
        return "" if not values or np.isclose(want, got, 1e-5, 1e-6, equal_nan=True) else f"{want}, ours {got}"
    if want is None or isinstance(want, bool | int | str):
        return "" if want == got or not values else f"{want!r}, ours {got!r}"
    return "" if type(want).__name__ == type(got).__name__ else f"{type(want).__name__}, ours {type(got).__name__}"


def _of_tensors(want, got, values) -> str:
    if not hasattr(got, "_cell"):
        return f"a tensor, ours {type(got).__name__}"
    if str(want.dtype) != str(got.dtype):
        return f"{want.dtype}, ours {got.dtype}"
    if tuple(want.shape) != tuple(got.shape):
        return f"shape {list(want.shape)}, ours {list(got.shape)}"
    if want.layout is not torch.strided:
        return f"layout {want.layout}"
    return of_arrays(array(want), array(got), str(want.dtype).removeprefix("torch.")) if values else ""


def of_views(inputs, want, got) -> str:
    """Results that read the memory of an input do so in both, by the same strides."""
    memory = {x.untyped_storage().data_ptr() for x in inputs if x.layout is torch.strided}
    for a, b in zip(want, got, strict=True):
        if a.layout is torch.strided and a.numel() and a._is_view() and a.untyped_storage().data_ptr() in memory and (
                not b._is_view() or a.stride() != b.stride()):
            return f"a view of strides {a.stride()}, ours {'a view of strides' if b._is_view() else 'none,'} {b.stride()}"
    return ""


def of_arrays(want, got, dtype) -> str:
    """The same for values."""
    if want.size == 0:
        return ""
    rtol, atol = TOLERANCE.get(dtype, (0, 0))
    if rtol == 0:
        same = np.array_equal(want, got)
    else:
        if dtype in ("float16", "bfloat16"):  # sums of terms this large are not better known
            finite = np.abs(want[np.isfinite(want)])
            atol += rtol / 4 * float(finite.max(initial=0))
        with np.errstate(all="ignore"):
            same = np.allclose(got, want, rtol, atol, equal_nan=True)
    if same:
        return ""
    with np.errstate(all="ignore"):
        wide = np.complex128 if np.iscomplexobj(want) else np.float64
        distance = np.abs(got.astype(wide) - want.astype(wide))
    worst = int(np.nanargmax(np.where(np.isnan(distance), np.inf, distance)))
    return f"{want.reshape(-1)[worst]!s}, ours {got.reshape(-1)[worst]!s} (of {want.size})"
