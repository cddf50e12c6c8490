"""What stands between the brackets: ``x[...]`` and ``x[...] = v``, as PyTorch takes it apart.

An expression becomes view steps (select, slice, unsqueeze) and then picks: index tensors at dimensions
of what the steps leave. https://numpy.org/doc/stable/user/basics.indexing.html with PyTorch's
exceptions. Masks are turned into positions on the host, which runs the trace.
"""

from __future__ import annotations

import operator
import warnings

import numpy as np

from torchlike._api.from_data import parse
from torchlike._api.index_checks import check_bounds, expect
from torchlike._api.scattering import check_put
from torchlike._api.searching import check_mask, mask_positions, warn_of_bytes
from torchlike._base import dtypes as dt
from torchlike._base.errors import check_int64
from torchlike._base.settings import strided
from torchlike._compile.backends.registry import backend_of
from torchlike._modes import vmap_levels
from torchlike._ops.all import ROWS
from torchlike._ops.number_ranges import HALVES, as_scalar
from torchlike._record.bind import bind
from torchlike._record.inplace import inplace
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.views import view

_SELECT, _SLICE, _UNSQUEEZE, _ALIAS = ROWS["select.int"], ROWS["slice.Tensor"], ROWS["unsqueeze"], ROWS["alias"]
_INDEX, _INDEX_PUT = ROWS["index.Tensor"], ROWS["index_put"]
_ROWS = {"select": _SELECT, "slice": _SLICE, "unsqueeze": _UNSQUEEZE}
_NON_TUPLE = ("Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed "
              "in pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted "
              "as tensor index, x[torch.tensor(seq)], which will result either in an error or a different "
              "result")
_ZERO_DIM = ("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
             "to convert a 0-dim tensor to a number")
_INDEX_DTYPES = (dt.int64, dt.int32, dt.uint8, dt.bool_)
_MASKS = (dt.bool_, dt.uint8)
_STRUCTURES = (Tensor, slice, list, tuple, range, np.ndarray, str)


# -- parsing

def parse_index(index, shape) -> tuple:
    """(steps, picks) of an index expression on a tensor of this shape.

    steps: ``("select", dim, i)``, ``("slice", dim, start, stop, step)``, ``("unsqueeze", dim)``, each on
    the result of those before. picks: (dim, index) in the dimensions that the steps leave; the index is
    a Tensor or a numpy array, and a mask takes as many dimensions as it has.
    IndexError, TypeError or ValueError with PyTorch's texts.
    """
    items = _as_tuple(index)
    parser = _Parser(shape, _specified(items))
    for position, item in enumerate(items):
        parser.position = position
        parser.take(item)
    return parser.steps, parser.picks


def _as_tuple(index) -> tuple:
    if isinstance(index, tuple):
        return tuple(_converted(i) for i in index)
    if isinstance(index, list | range) and 0 < len(index) < 32 and any(_is_structure(i) for i in index):
        warnings.warn(_NON_TUPLE, UserWarning, stacklevel=4)
        return tuple(_converted(i) for i in index)
    return (_converted(index),)


def _is_structure(item) -> bool:
    """What makes a list a tuple of indices rather than an index tensor."""
    return item is None or item is Ellipsis or isinstance(item, _STRUCTURES)


def _converted(item):
    """Sequences become index arrays."""
    if isinstance(item, list | tuple | range | np.ndarray | str):
        array = parse(item)
        return array if array.dtype in (np.bool_, np.uint8) else array.astype(np.int64)
    return item


def _specified(items) -> int:
    """How many dimensions of the tensor the expression names."""
    count = 0
    for item in items:
        if isinstance(item, Tensor | np.ndarray):
            count += item.ndim if _is_mask(item) else 1
        elif item is not None and item is not Ellipsis and not isinstance(item, bool):
            count += 1
    return count


def _is_mask(item) -> bool:
    if isinstance(item, np.ndarray):
        return item.dtype in (np.bool_, np.uint8)
    return item._cell.aval.dtype in _MASKS


class _Parser:
    """``dim``: the dimension that the next item names; ``shape``: what the steps have left so far;
    ``position``: the item's number, which PyTorch's error texts call the dimension."""

    def __init__(self, shape, specified):
        if specified > len(shape):
            raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
        self.shape, self.original, self.specified = list(shape), len(shape), specified
        self.dim, self.position, self.steps, self.picks = 0, 0, [], []

    def take(self, item):
        if item.__class__ is int:
            self.select(item)
        elif isinstance(item, slice):
            self.slice(item)
        elif item is None:
            self.unsqueeze()
            self.dim += 1
        elif item is Ellipsis:
            self.dim += self.original - self.specified
        elif isinstance(item, bool):
            self.flag(item)
        elif isinstance(item, Tensor | np.ndarray):
            self.tensor(item)
        elif hasattr(item, "__index__") and not isinstance(item, np.bool_):
            self.select(operator.index(item))
        else:
            raise IndexError("only integers, slices (`:`), ellipsis (`...`), None and long or byte "
                             f"Variables are valid indices (got {type_name(item)})")

    def select(self, i):
        check_int64(i)
        size = self.shape[self.dim] if self.dim < len(self.shape) else 0
        if not -size <= i < size:
            raise IndexError(f"index {i} is out of bounds for dimension {self.position} with size {size}")
        self.steps.append(("select", self.dim, i))
        del self.shape[self.dim]

    def slice(self, item):
        size = self.shape[self.dim]
        start, stop, step = slice_bounds(item, size)
        if (start, stop, step) != (0, size, 1):
            self.steps.append(("slice", self.dim, start, stop, step))
            self.shape[self.dim] = -(-(stop - start) // step)
        self.dim += 1

    def unsqueeze(self):
        self.steps.append(("unsqueeze", self.dim))
        self.shape.insert(self.dim, 1)

    def flag(self, item):
        """True keeps a new dimension of size 1, False leaves nothing of it."""
        self.unsqueeze()
        self.picks.append((self.dim, np.zeros(1 if item else 0, np.int64)))
        self.dim += 1

    def tensor(self, item):
        dtype = item._cell.aval.dtype if isinstance(item, Tensor) else dt.from_np(item.dtype)
        if item.ndim == 0 and dtype in _MASKS:
            self.flag(bool(item))
        elif item.ndim == 0 and dtype.category == dt.INT and not (state.thread.frames and vmap_levels.batched(item)):
            self.select(int(item))
        else:
            if dtype not in _INDEX_DTYPES:
                raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
            self.picks.append((self.dim, item))
            self.dim += item.ndim if dtype in _MASKS else 1


def slice_bounds(item, size: int) -> tuple:
    """(start, stop, step) within the dimension; ValueError for steps below one."""
    start, stop, step = item.indices(size)
    if step < 0:
        raise ValueError("step must be greater than zero")
    return start, max(start, stop), min(step, max(size, 1))


def type_name(value) -> str:
    """A type's name as CPython keeps it."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


# -- picks as index tensors

def index_tensors(picks, shape, device) -> tuple:
    """One index tensor or None a dimension, as `ops.index` takes them; masks become positions."""
    out: list = []
    for dim, item in picks:
        out.extend([None] * (dim - len(out)))
        if _is_mask(item):
            warn_of_bytes(item)
            check_mask(item.shape, shape, dim)
            out.extend(leaf(places, device) for places in mask_positions(item))
        else:
            out.append(_index_tensor(item, device))
    return tuple(out)


def _index_tensor(item, device):
    if not isinstance(item, Tensor):
        return leaf(item, device)
    return item if item._cell.aval.device is device else item.to(device)


# -- reading

def _stepped(x, steps):
    for name, *params in steps:
        x = view(_ROWS[name], x, tuple(params))
    return x


def getitem(self: Tensor, index):
    """``x[index]``. https://pytorch.org/docs/stable/tensor_view.html"""
    kind = index.__class__
    if kind is int:
        shape = self._cell.aval.shape
        if shape and -shape[0] <= index < shape[0]:
            return view(_SELECT, self, (0, index))
        _check_dimension(index, shape)
    elif kind is slice:
        shape = self._cell.aval.shape
        if not shape:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        return view(_SLICE, self, (0, *slice_bounds(index, shape[0])))
    elif kind is tuple:
        steps = _plain_steps(index, self._cell.aval.shape)
        if steps:
            return _stepped(self, steps)
    elif kind is Tensor:
        aval = self._cell.aval
        if index._cell.aval.dtype is dt.int64 and index._cell.aval.ndim and aval.ndim \
                and index._cell.aval.device is aval.device:
            return _taken(self, (index,))
    steps, picks = parse_index(index, self._cell.aval.shape)
    x = _stepped(self, steps)
    if picks:
        aval = x._cell.aval
        return _taken(x, index_tensors(picks, aval.shape, aval.device))
    return view(_ALIAS, x, ()) if x is self else x


def _check_dimension(index, shape) -> None:
    """IndexError for an int where there is no dimension."""
    if not shape:
        raise IndexError(f"index {index} is out of bounds for dimension 0 with size 0" if index else _ZERO_DIM)


def _plain_steps(index, shape):
    """The steps of a tuple of ints and slices, without the parser; None where it is anything else."""
    if len(index) > len(shape):
        return None
    steps, dim = [], 0
    for item, size in zip(index, shape, strict=False):
        if item.__class__ is int and -size <= item < size:
            steps.append(("select", dim, item))
        elif item.__class__ is slice:
            bounds = slice_bounds(item, size)
            if bounds != (0, size, 1):
                steps.append(("slice", dim, *bounds))
            dim += 1
        else:
            return None
    return steps


def _taken(x, indices):
    later = check_bounds("index.Tensor", x, indices)
    made = bind(_INDEX, (x, indices))
    if later:
        expect(later)
    return made


# -- writing

def setitem(self: Tensor, index, value):
    """``x[index] = value``, in place."""
    if self._cell.layout is not strided:
        raise TypeError("Cannot assign to a sparse tensor")
    kind = index.__class__
    shape = self._cell.aval.shape
    if kind is int:
        _check_dimension(index, shape)
        if -shape[0] <= index < shape[0]:
            return _overwrite(view(_SELECT, self, (0, index)), _value(self, value))
    if kind is slice and not shape:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if kind is slice:
        return _overwrite(view(_SLICE, self, (0, *slice_bounds(index, shape[0]))), _value(self, value))
    if index is False:
        return None
    value = _value(self, value)
    if index is True:
        return _overwrite(view(_UNSQUEEZE, self, (0,)), value)
    steps, picks = parse_index(index, shape)
    target = _stepped(self, steps)
    if picks:
        return _put(target, picks, value)
    if target is self and kind is tuple:
        target = view(_ALIAS, self, ())
    return _overwrite(target, value)


def _value(self, value):
    """A Tensor, or a Python number that fits the dtype."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, bool | int | float | complex):
        raise TypeError(f"can't assign a {type_name(value)} to a {self.type()}")
    if isinstance(value, int):
        check_int64(value)
    dtype = self._cell.aval.dtype
    as_scalar(dtype).check(value)
    if isinstance(value, complex) and not dtype.is_complex:
        value = value.real
    if dtype not in HALVES:
        return value
    with np.errstate(over="ignore"):
        return float(dtype.np.type(value))


def _overwrite(target, value) -> None:
    if not isinstance(value, Tensor):
        target.fill_(value)
        return
    mine, theirs = target._cell.aval, value._cell.aval
    if mine.shape == theirs.shape:
        target.copy_(value)
    elif theirs.ndim == 0 and backend_of(theirs.device).in_host_memory:
        target.fill_(value)
    else:
        target.copy_(_without_leading_ones(value).expand(mine.shape))


def _without_leading_ones(value):
    """PyTorch forgives leading dimensions of size 1 in what is assigned."""
    shape = value._cell.aval.shape
    first = next((d for d, n in enumerate(shape) if n != 1), len(shape))
    return value.view(tuple(shape[first:])) if first else value


def _put(target, picks, value) -> None:
    aval = target._cell.aval
    if isinstance(value, Tensor):
        value = _without_leading_ones(value)
        if value._cell.aval.device is not aval.device and value._cell.aval.numel == 1:
            value = value.to(aval.device)
    if len(picks) == 1 and _is_mask(picks[0][1]) and _is_single(value):
        indices, later = _mask_index(target, picks[0], value), []
        if isinstance(value, Tensor) and value._cell.aval.ndim:
            value = value.reshape(())
    else:
        indices = index_tensors(picks, aval.shape, aval.device)
        later = check_put(target, indices, value)
    inplace(_INDEX_PUT, (target, indices, value), (), (False,))
    expect(later)


def _is_single(value) -> bool:
    return not isinstance(value, Tensor) or value._cell.aval.numel == 1


def _mask_index(target, pick, value):
    """One value under a mask is a select: the mask need not be known."""
    dim, mask = pick
    aval = target._cell.aval
    check_mask(mask.shape, aval.shape, dim)
    if not isinstance(mask, Tensor):
        mask = leaf(mask.astype(np.bool_), aval.device)
    elif mask._cell.aval.dtype is dt.uint8:
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    if isinstance(value, Tensor) and value._cell.aval.dtype.is_complex and not aval.dtype.is_complex:
        as_scalar(aval.dtype).check(complex(to_numpy(value).reshape(()).item()))
    return (None,) * dim + (_index_tensor(mask, aval.device),)


def delitem(self: Tensor, index):
    """``del x[...]``."""
    raise TypeError("Tensor does not support deleting items")


METHODS: dict = {"__getitem__": getitem, "__setitem__": setitem, "__delitem__": delitem}
