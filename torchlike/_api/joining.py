"""Functions that join and repeat tensors, composed as PyTorch composes them.

https://pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from torchlike._api.arguments import int_list, numpys, tensor_list, varargs
from torchlike._api.out import written_apart
from torchlike._base.errors import wrap_dim
from torchlike._modes import vmap_levels
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, judged

_CAT, _STACK, _FLIP, _REPEAT = ROWS["cat"], ROWS["stack"], ROWS["flip"], ROWS["repeat"]


def _joined(row, tensors, dim):
    return bind(row, (tensors,), (), (dim,))


def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis=None, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.cat.html"""
    if out is not None:
        return written_apart(out, "cat", (tensor_list("cat", tensors),), cat, tensors, dim, axis=axis)
    return _joined(_CAT, tensor_list("cat", tensors), dim if axis is None else numpys("axis", dim, axis, 0))


def stack(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.stack.html"""
    if out is not None:
        return written_apart(out, "stack", (tensor_list("stack", tensors),), stack, tensors, dim)
    return _joined(_STACK, tensor_list("stack", tensors), dim)


def hstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.hstack.html"""
    if out is not None:
        return written_apart(out, "hstack", (tensor_list("hstack", tensors),), hstack, tensors)
    parts = _at_least(tensor_list("hstack", tensors), atleast_1d, "hstack")
    return _joined(_CAT, parts, 0 if parts[0]._cell.aval.ndim == 1 else 1)


def vstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.vstack.html"""
    if out is not None:
        return written_apart(out, "vstack", (tensor_list("vstack", tensors),), vstack, tensors)
    return _joined(_CAT, _at_least(tensor_list("vstack", tensors), atleast_2d, "vstack"), 0)


def dstack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.dstack.html"""
    if out is not None:
        return written_apart(out, "dstack", (tensor_list("dstack", tensors),), dstack, tensors)
    return _joined(_CAT, _at_least(tensor_list("dstack", tensors), atleast_3d, "dstack"), 2)


def column_stack(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.column_stack.html"""
    if out is not None:
        return written_apart(out, "column_stack", (tensor_list("column_stack", tensors),), column_stack, tensors)
    tensors = tensor_list("column_stack", tensors)
    if not tensors:
        raise RuntimeError("column_stack expects a non-empty TensorList")
    columns = tuple(x.reshape(x._cell.aval.numel, 1) if x._cell.aval.ndim <= 1 else x for x in tensors)
    return _joined(_CAT, columns, 1)


def _at_least(tensors, make, name) -> tuple:
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return tuple(make(x) for x in tensors)


def _each(tensors, make):
    """One tensor or several, given separately or as a list."""
    if len(tensors) == 1:
        if isinstance(tensors[0], Tensor):
            return make(tensors[0])
        tensors = tensors[0]
    return tuple(make(x) for x in tensors)


@checked
def atleast_1d(*tensors: Any):
    """https://pytorch.org/docs/stable/generated/torch.atleast_1d.html"""
    return _each(tensors, lambda x: x if x._cell.aval.ndim else x.reshape(1))


@checked
def atleast_2d(*tensors: Any):
    """https://pytorch.org/docs/stable/generated/torch.atleast_2d.html"""
    return _each(tensors, _two_dims)


def _two_dims(x):
    ndim = x._cell.aval.ndim
    return x.reshape(1, 1) if ndim == 0 else x.unsqueeze(0) if ndim == 1 else x


@checked
def atleast_3d(*tensors: Any):
    """https://pytorch.org/docs/stable/generated/torch.atleast_3d.html"""
    return _each(tensors, _three_dims)


def _three_dims(x):
    ndim = x._cell.aval.ndim
    if ndim == 0:
        return x.reshape(1, 1, 1)
    if ndim == 1:
        return x.unsqueeze(0).unsqueeze(-1)
    return x.unsqueeze(-1) if ndim == 2 else x


@checked
def block_diag(*tensors: Sequence[Tensor]) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.block_diag.html"""
    if not tensors:
        return leaf(np.zeros((1, 0), np.float32))
    return bind(ROWS["block_diag"], (tensor_list("block_diag", tensors),))


def repeat(self: Tensor, *given: int | Sequence[int], repeats: Sequence[int] | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.Tensor.repeat.html"""
    if not given and repeats is None:
        raise TypeError('repeat() missing 1 required positional arguments: "repeats"')
    return bind(_REPEAT, (self,), (), (varargs(given, repeats),))


def tile_function(input: Tensor, dims: int | Sequence[int]) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.tile.html"""
    counts = int_list(dims)
    return bind(_REPEAT, (input,), (), ((1,) * (input._cell.aval.ndim - len(counts)) + counts,))


@checked
def tile(self: Tensor, *given: Any, dims: Sequence[int] | None = None) -> Tensor:
    """`torch.tile`."""
    return tile_function(self, varargs(given, dims))


@judged
def repeat_interleave(input: Tensor | None = None, repeats: Tensor | int | None = None, dim: int | None = None, *,
                      output_size: int | None = None) -> Tensor:
    """Each slice of `input` as often as `repeats` says; of `repeats` alone each position as often as it says.
    https://pytorch.org/docs/stable/generated/torch.repeat_interleave.html"""
    if input is None or repeats is None:
        return _repeated_positions(repeats if input is None else input, output_size)
    x = input.flatten() if dim is None else input
    dim = wrap_dim(0 if dim is None else dim, x._cell.aval.ndim)
    if isinstance(repeats, Tensor):
        return _repeat_by_tensor(x, repeats, dim, output_size)
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    return _repeat_each(x, repeats, dim, output_size)


def _repeat_each(x, repeats, dim, output_size):
    """Every slice the same number of times: an expanded view, copied."""
    wrap_dim(dim + 1, x._cell.aval.ndim + 1)
    shape = tuple(x._cell.aval.shape)
    full = shape[dim] * repeats
    if output_size is not None and output_size != full:
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {full} but got {output_size}")
    spread = x.reshape(shape).unsqueeze(dim + 1).expand(*shape[:dim + 1], repeats, *shape[dim + 1:])
    return bind(ROWS["_contiguous"], (spread,)).view(*shape[:dim], full, *shape[dim + 1:])


def _repeat_by_tensor(x, repeats, dim, output_size):
    size = x._cell.aval.shape[dim] if x._cell.aval.ndim else 1
    aval = repeats._cell.aval
    if aval.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if aval.numel != 1 and aval.shape[0] != size:
        raise RuntimeError("repeats must have the same size as input along dim, but got repeats.size(0) = "
                           f"{aval.shape[0]} and input.size({dim}) = {size}")
    counts = np.broadcast_to(_counts(repeats).reshape(-1), (size,))
    return bind(ROWS["index_select"], (x, _places(counts, repeats, output_size)), (), (dim,))


def _repeated_positions(repeats, output_size):
    """0, 1, ... each as often as `repeats` says; needs the values."""
    if repeats._cell.aval.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    return _places(_counts(repeats), repeats, output_size)


def _counts(repeats):
    aval = repeats._cell.aval
    if aval.dtype.name not in ("int32", "int64"):
        raise NotImplementedError(f"\"repeat_interleave_cpu\" not implemented for '{aval.dtype.scalar_name}'")
    vmap_levels.check_shape(repeats, "repeat_interleave")
    counts = to_numpy(repeats)
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    return counts


def _places(counts, repeats, output_size):
    if output_size is not None and output_size != counts.sum():
        raise RuntimeError("allocated size does not match required size")
    return leaf(np.repeat(np.arange(counts.size, dtype=counts.dtype), counts), repeats._cell.aval.device)


FUNCTIONS: dict = {"cat": cat, "concat": cat, "concatenate": cat, "stack": stack, "hstack": hstack, "vstack": vstack,
                   "row_stack": vstack, "dstack": dstack, "column_stack": column_stack, "atleast_1d": atleast_1d,
                   "atleast_2d": atleast_2d, "atleast_3d": atleast_3d, "block_diag": block_diag, "tile": tile_function,
                   "repeat_interleave": repeat_interleave}
METHODS: dict = {"repeat": repeat, "tile": tile, "repeat_interleave": repeat_interleave}
