"""Sparse gradients, averaged over the ranks. Each rank has other indices, so that all get those of all, and add up."""

import math

import numpy as np

from torchlike._api.sparse.construct import sparse_coo_tensor
from torchlike._base.settings import sparse_coo
from torchlike._c10d import tensors
from torchlike._record.tensor import Tensor
from torchlike.nn.modules.module import Module
from torchlike.nn.modules.sparse import Embedding, EmbeddingBag


def with_sparse_gradients(module: Module, params: list) -> frozenset[int]:
    """The places of parameters whose gradients are sparse.

    Args:
        module: the module.
        params: its parameters.

    Returns:
        the places.
    """
    weights = {id(each.weight) for each in module.modules() if isinstance(each, Embedding | EmbeddingBag) and each.sparse}
    return frozenset(place for place, p in enumerate(params) if id(p) in weights)


def empty_gradient(p: Tensor) -> Tensor:
    """That of a rank which has not used a parameter.

    Args:
        p: the parameter.

    Returns:
        a tensor of layout COO, without elements.
    """
    index = tensors.made(np.zeros((1, 0), np.int64), p.device)
    values = tensors.made(np.zeros((0, *p.shape[1:]), p.dtype.np), p.device)
    return sparse_coo_tensor(index, values, tuple(p.shape), check_invariants=False)


def summed(group, grad: Tensor) -> Tensor:
    """The sum of the ranks' gradients.

    Args:
        group: the process group.
        grad: this rank's, of layout COO.

    Returns:
        a coalesced tensor.

    Raises:
        RuntimeError: as all collectives.
    """
    if grad.layout is not sparse_coo:
        raise RuntimeError("Expected a sparse gradient of an embedding with sparse=True")
    grad = grad.coalesce()
    index, values = grad._indices(), grad._values()
    count = values.shape[0]
    counts = group.run("sparse gradients", "all_gather", (), np.array([count], np.int64)).view(np.int64).tolist()
    row = index.shape[0] * 8 + math.prod(values.shape[1:]) * values.dtype.itemsize  # bytes of an element
    sent = np.zeros(max(counts) * row, np.uint8)
    mine = np.concatenate([tensors.taken(part).view(np.uint8) for part in (index, values)])
    sent[:mine.size] = mine
    parts = group.run("sparse gradients", "all_gather", (), sent).view(np.uint8).reshape(len(counts), -1)
    where, what = [], []
    for part, n in zip(parts, counts, strict=True):
        end = index.shape[0] * n * 8
        where.append(part[:end].view(np.int64).reshape(index.shape[0], n))
        what.append(part[end:n * row].view(values.dtype.np))
    all_indices = tensors.made(np.concatenate(where, 1), grad.device)
    all_values = tensors.made(np.concatenate(what), grad.device, (sum(counts), *values.shape[1:]))
    return sparse_coo_tensor(all_indices, all_values, tuple(grad.shape), check_invariants=False).coalesce()
