"""Grids and choices of vectors: meshgrid, cartesian_prod, combinations.

https://pytorch.org/docs/stable/torch.html#other-operations
"""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

from torchlike._api.joining import _STACK
from torchlike._base.errors import type_name
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked, judged


@checked
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """https://pytorch.org/docs/stable/generated/torch.meshgrid.html"""
    if len(tensors) == 1 and isinstance(tensors[0], tuple | list):
        tensors = tuple(tensors[0])
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_name(type(x))}")
    if not isinstance(indexing, str | None):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {type_name(type(indexing))}")
    if indexing is None:
        warnings.warn("torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
                      "argument.",
                      UserWarning, stacklevel=2)
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    _check_dtypes(tensors)
    if len({x._cell.aval.device for x in tensors}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same device")
    for x in tensors:
        if x._cell.aval.ndim > 1:
            raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
                               f"{x.__format__('')}")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError("torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: "
                           f"{indexing}")
    swap = indexing == "xy" and len(tensors) >= 2
    grids = _grids((tensors[1], tensors[0], *tensors[2:]) if swap else tensors)
    if not swap:
        return grids
    return (grids[1], grids[0], *grids[2:])


def _grids(tensors) -> tuple:
    shape = tuple(x._cell.aval.numel for x in tensors)
    lines = [x.reshape((1,) * i + (-1,) + (1,) * (len(shape) - i - 1)) for i, x in enumerate(tensors)]
    return tuple(line.expand(shape) for line in lines)


def _check_dtypes(tensors):
    if len({x._cell.aval.dtype for x in tensors}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")


def _check_vectors(tensors):
    for x in tensors:
        if x._cell.aval.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(x._cell.aval.shape)}")


@checked
def cartesian_prod(*tensors: Any) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.cartesian_prod.html"""
    _check_vectors(tensors)
    if len(tensors) == 1:
        return tensors[0]
    _check_dtypes(tensors)
    return bind(_STACK, (tuple(g.flatten() for g in _grids(tensors)),), (), (1,))


@judged
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.combinations.html"""
    _check_vectors((input,))
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_empty(0)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(input._cell.aval.numel), r)), np.int64).reshape(-1, r)
    picks = [leaf(np.ascontiguousarray(column), input._cell.aval.device) for column in places.T]
    columns = tuple(bind(ROWS["index.Tensor"], (input, (pick,))) for pick in picks)
    return bind(_STACK, (columns,), (), (1,))


FUNCTIONS: dict = {"meshgrid": meshgrid, "cartesian_prod": cartesian_prod, "combinations": combinations}
