"""Whether two results of an operator are the same: structure, dtype, shape, aliasing and strides of views, and values."""

import numpy as np
import torch

from compat import compare
from compat.compare.tolerances import DATABASE

_BY_ROWS, _BY_COLUMNS = ("crow_indices", "col_indices", "values"), ("ccol_indices", "row_indices", "values")
_PARTS = {"torch.sparse_coo": ("_indices", "_values"), "torch.sparse_csr": _BY_ROWS, "torch.sparse_bsr": _BY_ROWS,
          "torch.sparse_csc": _BY_COLUMNS, "torch.sparse_bsc": _BY_COLUMNS}


def difference(want, got, values=True) -> str:
    """What differs in a few words, "" if nothing does. `values`: whether they count (not for random results)."""
    return compare.difference(_described(want, values), _described(got, values), DATABASE)


def _described(value, values):
    """As `compare.describe`; of other objects the class alone, of sparse tensors the parts, of others that are not strided
    the layout."""
    if compare.is_tensor(value):
        layout = str(value.layout)
        if layout in _PARTS:
            return [layout, tuple(value.shape), *(_described(getattr(value, part)(), values) for part in _PARTS[layout])]
        if layout != "torch.strided":
            return f"layout {layout}"
        if values:
            return compare.describe(value)
        return compare.Array(str(value.dtype), np.broadcast_to(0, tuple(value.shape)))
    if isinstance(value, list | tuple):
        return [_described(v, values) for v in value]
    if isinstance(value, float | complex | bool | int | str | None) and values:
        return value
    return compare.describe(value) if str(value).startswith(("torch.", "cpu")) else type(value).__name__


def of_views(inputs, want, got) -> str:
    """Results that read the memory of an input do so in both, by the same strides."""
    memory = {x.untyped_storage().data_ptr() for x in inputs if x.layout is torch.strided}
    for a, b in zip(want, got, strict=True):
        if a.layout is torch.strided and a.numel() and a._is_view() and a.untyped_storage().data_ptr() in memory and (
                not b._is_view() or a.stride() != b.stride()):
            return f"a view of strides {a.stride()}, ours {'a view of strides' if b._is_view() else 'none,'} {b.stride()}"
    return ""
