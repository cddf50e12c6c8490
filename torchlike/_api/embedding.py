"""Rows of a table: embedding, embedding_bag, one_hot. https://pytorch.org/docs/stable/nn.functional.html#sparse-functions"""

from __future__ import annotations

import numpy as np

from torchlike._api import creation
from torchlike._api.complex_numbers import refuse_complex
from torchlike._api.generated import ops
from torchlike._api.index_checks import check_bounds, expect, known
from torchlike._api.sparse import gradients
from torchlike._api.sparse.history import needs_grad, recording
from torchlike._base import dtypes as dt
from torchlike._modes import vmap_levels
from torchlike._ops.nn.embedding_bag import MEAN, SUM
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.wrong_calls import checked


@checked
def embedding(weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False,
              sparse: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html"""
    refuse_complex("embedding", weight)
    later = check_bounds("embedding", weight, indices) if weight.dim() else []
    if sparse and needs_grad((weight,)):
        made = gradients.embedding(weight, indices, padding_idx, scale_grad_by_freq)
    else:
        made = ops.embedding(weight, indices, padding_idx, scale_grad_by_freq, sparse)
    expect(later)
    return made


def _checked_classes(tensor, num_classes) -> int:
    """How many classes; RuntimeError where a value is none of them."""
    if tensor.min().item() < 0:
        raise RuntimeError("Class values must be non-negative.")
    largest = tensor.max().item()
    if num_classes == -1:
        return largest + 1
    if num_classes < 1 and largest < num_classes:
        raise RuntimeError("num_classes should be positive")
    if largest >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return num_classes


def one_hot(input, num_classes: int = -1) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.one_hot.html"""
    if input.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if input.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return input.new_zeros((*input.shape, num_classes))
    if state.thread.frames and vmap_levels.batched(input):
        if num_classes <= 0:
            raise RuntimeError("When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes "
                               "argument.")
    else:
        num_classes = _checked_classes(input, num_classes)
    return input.new_zeros((*input.shape, num_classes)).scatter_(-1, input.unsqueeze(-1), 1)


_INTEGERS = (dt.int32, dt.int64)


def _promoted(indices, offsets):
    """Both as int64 where one of them is."""
    if indices.dtype is offsets.dtype or not (indices.dtype in _INTEGERS and offsets.dtype in _INTEGERS):
        return indices, offsets
    return indices.to(dt.int64), offsets.to(dt.int64)


def _check_offsets(indices, offsets, include_last_offset):
    values = known(offsets)
    if values is None or values.ndim != 1 or not values.size:
        return
    if values[0] != 0:
        raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position "
                           f"0. However, got {values[0]}\n[ torch.{offsets.dtype.scalar_name}Tensor{{}} ]")
    if values[-1] > indices.shape[0]:
        raise RuntimeError(f"offsets[-1] can not be greater than input's length {indices.shape[0]} but got offsets[-1] of "
                           f"{values[-1]}")
    if (values[1:] < values[:-1]).any():
        raise RuntimeError("Expected i < index_size to be true, but got false.  (Could this error message be improved?  If "
                           "so, please report an enhancement request to PyTorch.)")


def _is_fast(weight, mode, padding) -> bool:
    """Whether PyTorch takes the kernel that is made for this; the other one says and returns other things."""
    return mode in (SUM, MEAN) and weight.dtype is not dt.float64 and weight.stride(1) == 1 and padding < 0


def _check_indices(indices, rows, fast):
    values = known(indices) if indices.dtype in _INTEGERS else None
    bad = None if values is None else (values < 0) | (values >= rows)
    if bad is not None and bad.any():
        at = int(np.argmax(bad))
        raise RuntimeError(
            f"Index {at} of input takes value {values[at]} which is not in the valid range [0, {rows})" if fast else
            f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {values[at]}")


@checked
def embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = 0,
                  sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(output (bags, D), bag of each index, number of indices of each bag, rows of the maxima).

    `mode` is 0 (sum), 1 (mean) or 2 (max). The last three are what PyTorch's kernel for these operands leaves in them.
    Offsets and indices are checked where their values are known on the host; else what is out of bounds gives NaN.
    With `scale_grad_by_freq` the gradient
    of a row is divided by how often that row occurs; PyTorch's CPU kernel takes another row's number.
    """
    rows = weight.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise RuntimeError(f"padding_idx must be within the number of embeddings, -{rows} through {rows - 1}, but got "
                           f"{padding_idx}")
    padding = -1 if padding_idx is None else padding_idx % rows
    indices, offsets = _promoted(indices, offsets)
    call = (weight, indices, offsets, per_sample_weights, bool(scale_grad_by_freq), mode, bool(include_last_offset), padding)
    if sparse and mode in (SUM, MEAN) and needs_grad((weight,)):
        with recording(False):
            out, bag, size, at = ops._embedding_bag(*call)
        out = gradients.embedding_bag(out, bag, weight, indices, per_sample_weights, mode, padding)
    else:
        out, bag, size, at = ops._embedding_bag(*call)
    _check_offsets(indices, offsets, include_last_offset)
    fast = _is_fast(weight, mode, padding)
    _check_indices(indices, rows, fast)
    if mode == SUM:
        size = at = creation.zeros_like(size)
        if fast:
            bag = bag.new_empty((0,))
    return out, bag, size, at


FUNCTIONS: dict = {"embedding": embedding, "embedding_bag": embedding_bag}
NN: dict = {"one_hot": one_hot}
