"""``x[index]`` and ``x[index] = value``: views for ints, slices and None, rows for tensors.

https://pytorch.org/docs/stable/tensor_view.html and numpy's rules of advanced indexing.
"""

import numpy as np

from torchlike import dtypes as dt
from torchlike._ops.all import ROWS
from torchlike._tensor import Tensor
from torchlike._trace.bind import bind
from torchlike._trace.inplace import inplace
from torchlike._trace.leaf import leaf, to_numpy
from torchlike._trace.views import view

_SELECT, _SLICE, _UNSQUEEZE = ROWS["select.int"], ROWS["slice.Tensor"], ROWS["unsqueeze"]
_FULL = slice(None)


def getitem(self, index):
    """``self[index]``."""
    if index.__class__ is int:
        return _select(self, 0, index)
    x, tensors = _views(self, index)
    if tensors is None:
        return x if x is not self else view(ROWS["alias"], self, ())
    return bind(ROWS["index.Tensor"], (x, tensors))


def setitem(self, index, value):
    """``self[index] = value``."""
    x, tensors = _views(self, index)
    if tensors is None:
        _assign(x, value)
        return
    if not isinstance(value, Tensor):
        value = leaf(np.asarray(value, x._cell.aval.dtype.np), x._cell.aval.device)
    elif value._cell.aval.dtype is not x._cell.aval.dtype:
        raise RuntimeError(f"Index put requires the source and destination dtypes match, got "
                           f"{x._cell.aval.dtype.scalar_name} for the destination and "
                           f"{value._cell.aval.dtype.scalar_name} for the source.")
    inplace(ROWS["index_put"], (x, tensors, value), (), (False,))


def _assign(x, value):
    if not isinstance(value, Tensor):
        if isinstance(value, int | float | complex):
            x.fill_(value)
            return
        value = leaf(np.asarray(value, x._cell.aval.dtype.np), x._cell.aval.device)
    shape, target = list(value._cell.aval.shape), x._cell.aval.shape
    while len(shape) > len(target) and shape[0] == 1:  # leading ones are dropped, as numpy does
        shape.pop(0)
        value = value.squeeze(0)
    x.copy_(value)


def _select(x, dim, i):
    aval = x._cell.aval
    if not aval.ndim:
        raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to "
                         "convert a 0-dim tensor to a number")
    size = aval.shape[dim]
    if not -size <= i < size:
        raise IndexError(f"index {i} is out of bounds for dimension {dim} with size {size}")
    return view(_SELECT, x, (dim, i))


def _views(self, index):
    """(the view that the plain parts make, the tuple of index tensors or None)."""
    parts = index if index.__class__ is tuple else (index,) if not _is_sequence_of_slices(index) else tuple(index)
    parts = [_normal(p) for p in parts]
    x, dim, tensors = self, 0, {}
    used = sum(_consumes(p) for p in parts)
    ndim = self._cell.aval.ndim
    if used > ndim:
        if ndim == 0 and all(isinstance(p, int | slice) and not isinstance(p, bool) for p in parts):
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                             "C++ to convert a 0-dim tensor to a number")
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    for part in parts:
        if part is Ellipsis:
            dim += ndim - used
        elif part is None:
            x = view(_UNSQUEEZE, x, (dim,))
            dim += 1
        elif isinstance(part, bool):
            x = view(_UNSQUEEZE, x, (dim,))
            tensors[dim] = leaf(np.asarray([0] if part else [], np.int64))
            dim += 1
        elif part.__class__ is int:
            x = _select(x, dim, part)
        elif isinstance(part, slice):
            x = _sliced(x, dim, part)
            dim += 1
        else:
            dim += _place_tensor(x, dim, part, tensors)
    if not tensors:
        return x, None
    last = max(tensors)
    return x, tuple(tensors.get(d) for d in range(last + 1))


def _is_sequence_of_slices(index):
    """A list counts as a tuple only if it holds a slice, None, an Ellipsis or a tensor (old numpy's rule)."""
    return isinstance(index, list) and len(index) < 32 and any(
        p is None or p is Ellipsis or isinstance(p, slice | Tensor | list | tuple) for p in index)


def _normal(part):
    """One entry as int, bool, slice, None, Ellipsis or Tensor."""
    if part is None or part is Ellipsis or isinstance(part, slice | bool) or part.__class__ is int:
        return part
    if isinstance(part, Tensor):
        aval = part._cell.aval
        if aval.ndim == 0 and aval.dtype.category == dt.INT and aval.dtype is not dt.uint8:
            return int(part.item())
        if aval.ndim == 0 and aval.dtype is dt.bool_:
            return bool(part.item())
        return part
    if isinstance(part, np.integer):
        return int(part)
    if isinstance(part, list | tuple | range | np.ndarray):
        array = np.asarray(part)
        return leaf(array.astype(np.int64) if array.size == 0 or array.dtype.kind in "iu" else array)
    if hasattr(part, "__index__"):
        return part.__index__()
    raise TypeError("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
                    f"(got {type(part).__name__})")


def _consumes(part) -> int:
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    if isinstance(part, Tensor) and part._cell.aval.dtype in (dt.bool_, dt.uint8):
        return part._cell.aval.ndim
    return 1


def _sliced(x, dim, part):
    start, stop, step = (None if v is None else v.__index__() if not isinstance(v, Tensor) else int(v.item())
                         for v in (part.start, part.stop, part.step))
    if step is not None and step <= 0:
        raise ValueError("step must be greater than zero")
    if part == _FULL:
        return x
    return view(_SLICE, x, (dim, start, stop, 1 if step is None else step))


def _place_tensor(x, dim, part, tensors) -> int:
    """Put an index tensor at `dim`; a mask becomes one index for each of its dimensions."""
    aval = part._cell.aval
    if aval.dtype not in (dt.bool_, dt.uint8):
        if aval.dtype not in (dt.int64, dt.int32):
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        tensors[dim] = part
        _check_bounds(part, x._cell.aval.shape[dim], dim)
        return 1
    for i, size in enumerate(aval.shape):
        if size != x._cell.aval.shape[dim + i]:
            raise IndexError(f"The shape of the mask {list(aval.shape)} at index {i} does not match the shape of the "
                             f"indexed tensor {list(x._cell.aval.shape)} at index {dim + i}")
    for i, where in enumerate(np.nonzero(to_numpy(part))):
        tensors[dim + i] = leaf(where.astype(np.int64), x._cell.aval.device)
    return aval.ndim


def _check_bounds(part, size, dim):
    """Known index values are checked here, at the user's line; others give NaN (see `_ops/index.py`)."""
    array = part._cell.array
    if array is None or not part._cell.aval.numel:
        return
    values = np.asarray(array)
    if values.min() < -size or values.max() >= size:
        bad = values[(values < -size) | (values >= size)].flat[0]
        raise IndexError(f"index {bad} is out of bounds for dimension {dim} with size {size}")


METHODS = {"__getitem__": getitem, "__setitem__": setitem}
