"""Where elements are: nonzero, argwhere, searchsorted, bucketize, isin, unravel_index.

What depends on values reads them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchlike._api import ranges
from torchlike._api.generated import ops
from torchlike._api.index_checks import expect, known
from torchlike._api.joining import stack
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._modes import vmap_levels
from torchlike._modes.slices import slice_by_slice
from torchlike._ops import promotion
from torchlike._ops.all import ROWS
from torchlike._ops.index_bounds import Bound
from torchlike._record.bind import bind
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.tensor import Tensor
from torchlike._record.warning import warn, warn_once
from torchlike._record.wrong_calls import check_call, checked, judged


@checked
def unravel_index(indices, shape) -> tuple:
    """The coordinates of flat positions in an array of this shape.
    https://pytorch.org/docs/stable/generated/torch.unravel_index.html"""
    if indices.is_complex() or indices.is_floating_point() or indices.dtype is dt.bool_:
        raise ValueError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    sizes = [shape] if isinstance(shape, int) else list(shape)
    if any(s < 0 for s in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {tuple(sizes)}")
    indices, found, step = indices.to(dt.int64), [], 1
    for size in reversed(sizes):
        found.append(indices.div(step, rounding_mode="floor") % size)
        step *= size
    return tuple(reversed(found))


@judged
@slice_by_slice("nonzero_static")
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1, out: Tensor | None = None) -> Tensor:
    """The first `size` positions of non-zero elements, rows of `fill_value` after the last.
    https://pytorch.org/docs/stable/generated/torch.nonzero_static.html"""
    if out is not None:
        return written(out, "nonzero_static", (), nonzero_static, input, size=size, fill_value=fill_value)
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = nonzero(input)[:size]
    missing = size - found.shape[0]
    return ops.cat((found, found.new_full((missing, found.shape[1]), fill_value)), 0) if missing else found


_MASK_IS_BATCHED = ("vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
                    "indexing with a boolean mask.")


_UINT8 = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."


def check_mask(mask_shape, shape, at) -> None:
    """IndexError where a mask of the dimensions from `at` on has other sizes."""
    for i, size in enumerate(mask_shape):
        if shape[at + i] != size:
            raise IndexError(f"The shape of the mask {list(mask_shape)} at index {i} does not match the "
                             f"shape of the indexed tensor {list(shape)} at index {at + i}")


def warn_of_bytes(mask) -> None:
    """PyTorch's warning of a mask of dtype uint8."""
    if isinstance(mask, Tensor) and mask._cell.aval.dtype is dt.uint8:
        warn(_UINT8)


def mask_positions(mask) -> tuple:
    """One array of positions a dimension, of the ones of a mask (Tensor or numpy array)."""
    vmap_levels.refuse_batched(mask, _MASK_IS_BATCHED)
    return np.nonzero(to_numpy(mask) if isinstance(mask, Tensor) else mask)


@checked
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple=False) -> Any:
    """Positions of the elements that are not zero; needs the values.
    https://pytorch.org/docs/stable/generated/torch.nonzero.html"""
    if not isinstance(as_tuple, bool):
        check_call()
    if out is not None:
        if as_tuple:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        if out.dtype is not dt.int64:
            raise RuntimeError("nonzero: Expected out tensor to have scalar type Long but got scalar type"
                               f"{out.dtype.scalar_name}")
        return written(out, "nonzero", (), nonzero, input, as_tuple=as_tuple)
    device = input._cell.aval.device
    if as_tuple:
        vmap_levels.check_rule(input, "nonzero_numpy")
    vmap_levels.check_shape(input, "nonzero")
    values = to_numpy(input)
    if as_tuple:
        places = np.nonzero(values.reshape(1) if values.ndim == 0 else values)
        return tuple(leaf(p.astype(np.int64), device) for p in places)
    places = np.argwhere(values) if values.ndim else np.zeros((int(values != 0), 0))
    made = leaf(places.astype(np.int64), device)
    return made


@checked
@slice_by_slice("argwhere")
def argwhere(input: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.argwhere.html"""
    return nonzero(input)


def _as_tensor(value, like):
    """A number as a 0-d tensor of the dtype that it has beside `like`, which may wrap it around; a bool stays one."""
    if isinstance(value, Tensor):
        return value
    aval = like._cell.aval
    if isinstance(value, bool):
        return leaf(np.asarray(value), aval.device)
    dtype = promotion.result_type([promotion.Operand(aval.dtype, 2), promotion.Operand(promotion.of_number(value), 0)])
    with np.errstate(over="ignore", invalid="ignore"):
        return leaf(np.asarray(value).astype(dtype.np), aval.device)


_SORTER = "torch.searchsorted(): sorter index out of range"


@judged
def searchsorted(sorted_sequence: Tensor, input: Tensor | Number, *, out_int32: bool = False, right: bool = False,
                 side: str | None = None, sorter: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.searchsorted.html"""
    if out is not None:
        return written(out, "searchsorted", (), searchsorted, sorted_sequence, input, out_int32=out_int32, right=right,
                       side=side, sorter=sorter)
    places = None if sorter is None or sorter.shape != sorted_sequence.shape else known(sorter)
    if places is not None and places.dtype == np.int64 and places.size \
            and (places.min() < 0 or places.max() >= places.shape[-1]):
        raise RuntimeError(_SORTER)
    operands = (sorted_sequence, _as_tensor(input, sorted_sequence), sorter)
    made = bind(ROWS["searchsorted.Tensor"], operands, (), (out_int32, right, side))
    if sorter is not None and places is None and sorter.numel():
        expect([Bound(sorter, 0, sorter.shape[-1], lambda _: RuntimeError(_SORTER))])
    _warn_of_copies(boundary=sorted_sequence, **{"input value": operands[1]}, sorter=sorter)
    return made


@judged
def bucketize(input: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False,
              out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.bucketize.html"""
    if out is not None:
        return written(out, "bucketize", (), bucketize, input, boundaries, out_int32=out_int32, right=right)
    values = _as_tensor(input, boundaries)
    made = bind(ROWS["bucketize.Tensor"], (values, boundaries), (), (out_int32, right))
    _warn_of_copies(boundary=boundaries, **{"input value": values})
    return made


def _warn_of_copies(**operands) -> None:
    """PyTorch copies operands that are not contiguous, and says so."""
    for name, x in operands.items():
        if isinstance(x, Tensor) and not x.is_contiguous():
            warn_once(f"torch.searchsorted(): {name} tensor is non-contiguous, this will lower the performance due to extra "
                      f"data copy when converting non-contiguous tensor to contiguous, please use contiguous {name} tensor "
                      "if possible. This message will only appear once per program.")


@judged
def isin(elements: Tensor | Number | None = None, test_elements: Tensor | Number | None = None, *,
         element: Number | None = None, test_element: Number | None = None, assume_unique: bool = False,
         invert: bool = False, out: Tensor | None = None) -> Tensor:
    """Which of `elements` (a number: `element`) are among `test_elements` (a number: `test_element`).
    https://pytorch.org/docs/stable/generated/torch.isin.html"""
    elements = element if elements is None else elements
    test_elements = test_element if test_elements is None else test_elements
    if out is not None:
        return written(out, "isin", (), isin, elements, test_elements, assume_unique=assume_unique, invert=invert)
    like = elements if isinstance(elements, Tensor) else test_elements
    operands = (_as_tensor(elements, like), _as_tensor(test_elements, like))
    return bind(ROWS["isin.Tensor_Tensor"], operands, (), (assume_unique, invert))


FUNCTIONS: dict = {"unravel_index": unravel_index, "nonzero_static": nonzero_static, "nonzero": nonzero,
                   "argwhere": argwhere, "searchsorted": searchsorted, "bucketize": bucketize, "isin": isin}
def _convert_indices_from_coo_to_csr(input: Tensor, size: int, *, out_int32: bool = False) -> Tensor:
    """Where each row begins and the last one ends, from the row of each element in ascending order: (size + 1)."""
    return searchsorted(input, ranges.arange(size + 1, dtype=input.dtype, device=input.device), out_int32=out_int32)


def _convert_indices_from_csr_to_coo(crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False,
                                     transpose: bool = False) -> Tensor:
    """The row and the column of each element, (2, n), the column first if `transpose`, from where each row begins."""
    count = ranges.arange(col_indices.shape[0], dtype=crow_indices.dtype, device=crow_indices.device)
    dtype = dt.int32 if out_int32 else dt.int64
    rows = searchsorted(crow_indices, count, right=True).to(dtype) - 1
    return stack((col_indices.to(dtype), rows) if transpose else (rows, col_indices.to(dtype)))


METHODS: dict = {"nonzero_static": nonzero_static, "nonzero": nonzero, "argwhere": argwhere, "isin": isin}
