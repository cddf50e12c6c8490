"""Functions that read by index tensors and masks: gather, index_select, take, masked_select.

https://pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

import numpy as np

from torchlike._api.arguments import by_axis
from torchlike._api.index_checks import check_bounds, expect, recorded
from torchlike._api.out import written, written_apart
from torchlike._api.sparse import gradients
from torchlike._api.sparse.history import needs_grad
from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim
from torchlike._modes import vmap_levels
from torchlike._ops.all import ROWS
from torchlike._ops.geometry import broadcast
from torchlike._record.bind import bind
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, instead_of, judged

_MASK_DIFFERS = ("vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for "
                 "each batch this would return a differently shaped Tensor. Please file an issue at "
                 "https://github.com/pytorch/pytorch/issues if you need this feature.")
_GATHER, _INDEX_SELECT = ROWS["gather"], ROWS["index_select"]


def gather(input: Tensor, dim: int | None = None, index: Tensor | None = None, *, sparse_grad: bool = False,
           axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.gather.html"""
    try:
        if dim is None or index is None or axis is not None:
            dim = by_axis("gather", dim, axis, index=index)
        if out is not None:
            return written_apart(out, "gather", (input, index), _gathered_for, out, input, dim, index, sparse_grad)
        if sparse_grad and index.dim() and needs_grad((input,)):
            return gradients.gather(input, dim, index)  # pyrefly: ignore[bad-argument-type] - `by_axis` has looked
        return recorded(bind, _GATHER, input, dim, index, params=(sparse_grad,))
    except AttributeError as error:
        raise instead_of(error) from None


def _gathered_for(out, input, dim, index, sparse_grad):
    """`gather`; RuntimeError if `out` has another dtype."""
    made = gather(input, dim, index, sparse_grad=sparse_grad)
    if out._cell.aval.dtype is not made._cell.aval.dtype:
        raise RuntimeError(f"Expected out tensor to have dtype {made._cell.aval.dtype.cpp_name}, but got "
                           f"{out._cell.aval.dtype.cpp_name} instead")
    return made


def index_select(input: Tensor, dim: int | None = None, index: Tensor | None = None, *, axis: int | None = None,
                 out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.index_select.html"""
    try:
        if dim is None or index is None or axis is not None:
            dim = by_axis("index_select", dim, axis, index=index)
        if out is not None:
            return written(out, "index_select", (), index_select, input, dim, index)
        return recorded(bind, _INDEX_SELECT, input, dim, index)
    except AttributeError as error:
        raise instead_of(error) from None


@checked
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.take.html"""
    if out is not None:
        return written_apart(out, "take", (input, index), _taken_for, out, input, index)
    usable = index._cell.aval.dtype is dt.int64 and input._cell.aval.numel
    later = check_bounds("take", input, index) if usable else []
    made = bind(ROWS["take"], (input, index))
    expect(later)
    return made


def _taken_for(out, input, index):
    """`take`; RuntimeError if `out` has another dtype."""
    made = take(input, index)
    if out._cell.aval.dtype is not made._cell.aval.dtype:
        raise RuntimeError("take(): self and out expected to have the same dtype, but got self.dtype = "
                           f"{input._cell.aval.dtype.scalar_name} and out.dtype = {out._cell.aval.dtype.scalar_name}")
    return made


@judged
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.take_along_dim.html"""
    if out is not None:
        return written(out, "take_along_dim", (), take_along_dim, input, indices, dim)
    x, index = input, indices
    if index._cell.aval.dtype is not dt.int64:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got "
                           f"{index._cell.aval.dtype.scalar_name}")
    if dim is None:
        return recorded(bind, _GATHER, x.reshape(-1), 0, index.reshape(-1), params=(False,))
    if x._cell.aval.ndim != index._cell.aval.ndim:
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number of "
                           f"dimensions, but got {x._cell.aval.ndim} dimensions for input, and "
                           f"{index._cell.aval.ndim} dimensions for indices")
    dim = wrap_dim(dim, x._cell.aval.ndim)
    x, index = _aligned(x, index, dim)
    return bind(_GATHER, (x, index % x._cell.aval.shape[dim]), (), (dim, False))


def _aligned(x, index, dim):
    """Both expanded to the common shape except along `dim`."""
    mine, theirs = list(x._cell.aval.shape), list(index._cell.aval.shape)
    common = [max(a, b) if min(a, b) else 0 for a, b in zip(mine, theirs, strict=True)]
    mine, theirs = (tuple(s[d] if d == dim else n for d, n in enumerate(common)) for s in (mine, theirs))
    return x.expand(mine), index.expand(theirs)


@checked
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements under the ones of the mask, 1-D; needs the mask's values.
    https://pytorch.org/docs/stable/generated/torch.masked_select.html"""
    if out is not None:
        return written_apart(out, "masked_select", (input, mask), masked_select, input, mask)
    if mask._cell.aval.dtype is not dt.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    vmap_levels.refuse_batched(mask, _MASK_DIFFERS)
    shape = broadcast(mask._cell.aval.shape, input._cell.aval.shape)
    full = np.broadcast_to(to_numpy(mask), shape)
    places = leaf(np.flatnonzero(full), input._cell.aval.device)
    return bind(ROWS["masked_select"], (input, mask, places))


FUNCTIONS: dict = {"gather": gather, "index_select": index_select, "take": take, "take_along_dim": take_along_dim,
                   "masked_select": masked_select}
METHODS: dict = {"gather": gather, "index_select": index_select, "take": take, "take_along_dim": take_along_dim,
                 "masked_select": masked_select}
