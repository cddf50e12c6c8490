"""Functions whose gradient is sparse where the caller asks for it: embedding, embedding_bag, gather."""

from __future__ import annotations

import numpy as np

from torchlike._api.generated import ops
from torchlike._api.sparse.cell import coo
from torchlike._api.sparse.coo import index_tensor
from torchlike._api.sparse.history import recorded
from torchlike._base import dtypes as dt
from torchlike._ops.nn.embedding_bag import MEAN
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor


def _rows(indices, values, shape) -> Tensor:
    """A tensor of layout COO of one sparse dimension."""
    return coo(indices.reshape((1, -1)).to(dt.int64), values, shape, indices.numel() < 2)


def _kept(indices, padding) -> Tensor:
    """Where the flat indices are not the padding's; looks at them."""
    return index_tensor(np.nonzero(host(indices._cell) != padding)[0], indices)


def embedding(weight: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool) -> Tensor:
    """The rows of `weight`, whose gradient has the rows that were looked up, in this order."""
    def pull(g):
        if scale_grad_by_freq:
            raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
        flat, values = indices.detach().reshape((-1,)), g.reshape((-1, weight.shape[1]))
        if padding_idx >= 0:
            kept = _kept(flat, padding_idx)
            flat, values = flat.index_select(0, kept), values.index_select(0, kept)
        return _rows(flat, values, weight.shape)

    return recorded("EmbeddingBackward0", (weight,),
                    lambda: ops.embedding(weight, indices, padding_idx, scale_grad_by_freq, True), pull, (indices,))


def embedding_bag(out: Tensor, bag: Tensor, weight: Tensor, indices: Tensor, per_sample_weights: Tensor | None, mode: int,
                  padding: int) -> Tensor:
    """The bags `out`, computed without history, with a sparse gradient of `weight`. `bag`: that of each index."""
    def pull(g):
        kept = _kept(indices, padding) if padding >= 0 else index_tensor(np.arange(indices.numel()), indices)
        rows, bags = indices.detach().index_select(0, kept), bag.index_select(0, kept)
        values = g.index_select(0, bags)
        if mode == MEAN:
            counts = g.new_zeros((g.shape[0],)).index_add(0, bags, g.new_ones((rows.numel(),)))
            values = values / counts.index_select(0, bags).unsqueeze(1)
        of_samples = None
        if per_sample_weights is not None:
            if per_sample_weights._edge is not None:
                products = (values * weight.index_select(0, rows)).sum(1)
                of_samples = products.new_zeros((indices.numel(),)).index_copy(0, kept, products)
            values = values * per_sample_weights.index_select(0, kept).unsqueeze(1)
        return _rows(rows, values, weight.shape), of_samples

    return recorded("EmbeddingBagBackward0", (weight, per_sample_weights), lambda: out, pull, (indices,))


def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """`torch.gather`, whose gradient has the elements that were read."""
    def pull(g):
        places = index_tensor(np.indices(tuple(index.shape)).reshape((index.dim(), -1)), index)
        rows = [places[d] if d != dim % index.dim() else index.detach().reshape((-1,)).to(dt.int64)
                for d in range(index.dim())]
        return coo(ops.stack(rows, 0), g.reshape((-1,)), input.shape, index.numel() < 2)

    return recorded("GatherBackward0", (input,), lambda: ops.gather(input, dim, index, sparse_grad=True), pull, (index,))
