"""unique and unique_consecutive: computed on the host, as their results' shapes depend on the values.

NaNs are all different, and sorted last. PyTorch gives the result a history that cannot be
differentiated; so do we. https://pytorch.org/docs/stable/generated/torch.unique.html
"""

from __future__ import annotations

import functools

import numpy as np

from torchlike._base.errors import wrap_dim
from torchlike._modes import vmap_levels
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.wrong_calls import checked


def _found(row, x, values, inverse, counts):
    """The results: `inverse` and `counts` are None where they are not asked for."""
    device = x._cell.aval.device
    out = [leaf(np.ascontiguousarray(values), device)]
    if x._edge is not None and state.thread.grad:
        out[0] = bind(ROWS[row], (x, out[0]))
    out += [leaf(each.astype(np.int64), device) for each in (inverse, counts) if each is not None]
    return out[0] if len(out) == 1 else tuple(out)


@checked
def unique(input: Tensor, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The values that occur, in ascending order. NotImplementedError for complex dtypes.
    https://pytorch.org/docs/stable/generated/torch.unique.html"""
    if dim is not None:
        return _by_slices(input, dim, return_inverse, return_counts)
    _check_real("unique", input)
    vmap_levels.check_shape(input, "_unique2")
    array = to_numpy(input)
    flat = array.reshape(-1)
    if not return_inverse:
        ordered = np.sort(flat)
        new = _run_starts(ordered)
        return _found("_unique2", input, ordered[new], None, _lengths(new) if return_counts else None)
    order = np.argsort(flat, kind="stable")
    new = _run_starts(flat[order])
    return _found("_unique2", input, flat[order][new], _runs_of(order, new).reshape(array.shape),
                  _lengths(new) if return_counts else None)


def _check_real(name, x):
    if x._cell.aval.dtype.is_complex:
        raise NotImplementedError(f"\"{name}\" not implemented for '{x._cell.aval.dtype.scalar_name}'")


def _run_starts(ordered):
    """Whether each element, or row, begins a run of equals."""
    new = np.ones(len(ordered), bool)
    new[1:] = ordered[1:] != ordered[:-1] if ordered.ndim == 1 else (ordered[1:] != ordered[:-1]).any(-1)
    return new


def _runs_of(order, new):
    """For each position the number of its run, where `order` leads to the runs."""
    inverse = np.empty(len(order), np.int64)
    inverse[order] = np.cumsum(new) - 1
    return inverse


def _lengths(new):
    return np.diff(np.append(np.flatnonzero(new), len(new)))


def _slices_of(x, dim, name):
    """(the wrapped dimension, the array with it in front, its slices as rows)."""
    aval = x._cell.aval
    if not aval.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, aval.ndim)
    empty = sum(n == 0 for n in aval.shape)
    if aval.shape[dim] == 0 and empty > 1:
        raise RuntimeError(f"Number of zero sized dimensions is more than one, so {name} cannot be applied ")
    if aval.shape[dim] and empty:
        raise RuntimeError(f"There are 0 sized dimensions, and they aren't selected, so {name} cannot be "
                           "applied")
    vmap_levels.check_shape(x, "unique_dim")
    front = np.moveaxis(to_numpy(x), dim, 0)
    return dim, front, front.reshape(front.shape[0], front.size // max(front.shape[0], 1))


def _compare(a, b) -> int:
    """Slices in the order of PyTorch: the first element that is less or greater decides."""
    for x, y in zip(a, b, strict=True):
        if x < y:
            return -1
        if x > y:
            return 1
    return 0


def _by_slices(x, dim, return_inverse, return_counts):
    dim, front, rows = _slices_of(x, dim, "unique")
    order = np.array(sorted_positions(rows), np.int64)
    return _grouped("_unique_dim", x, dim, front, rows, order, return_inverse, return_counts)


def sorted_positions(rows) -> list:
    """The positions of the rows in lexicographic order, equal rows in theirs."""
    if rows.dtype.kind in "biu":
        return list(np.lexsort(rows.T[::-1])) if rows.shape[1] else list(range(len(rows)))
    values = rows.tolist()
    return sorted(range(len(rows)), key=functools.cmp_to_key(lambda i, j: _compare(values[i], values[j])))


def _grouped(row, x, dim, front, rows, order, return_inverse, return_counts):
    new = _run_starts(rows[order])
    values = np.moveaxis(front[order[new]], 0, dim)
    return _found(row, x, values, _runs_of(order, new) if return_inverse else None,
                  _lengths(new) if return_counts else None)


@checked
def unique_consecutive(input: Tensor, return_inverse: bool = False, return_counts: bool = False,
                       dim: int | None = None) -> Tensor | tuple[Tensor, ...]:
    """Each run of equal values once.
    https://pytorch.org/docs/stable/generated/torch.unique_consecutive.html"""
    if dim is not None:
        dim, front, rows = _slices_of(input, dim, "unique_consecutive")
        return _grouped("_unique_consecutive", input, dim, front, rows, np.arange(len(rows)), return_inverse,
                        return_counts)
    _check_real("unique", input)
    vmap_levels.check_shape(input, "unique_consecutive")
    array = to_numpy(input)
    flat = array.reshape(-1)
    new = _run_starts(flat)
    return _found("_unique_consecutive", input, flat[new],
                  (np.cumsum(new) - 1).reshape(array.shape) if return_inverse else None,
                  _lengths(new) if return_counts else None)


FUNCTIONS: dict = {"unique": unique, "unique_consecutive": unique_consecutive}
METHODS = FUNCTIONS
