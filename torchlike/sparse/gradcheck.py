"""`as_sparse_gradcheck`: https://pytorch.org/docs/stable/generated/torch.sparse.as_sparse_gradcheck.html"""

from __future__ import annotations

from torchlike import _api
from torchlike._base.settings import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr
from torchlike._record.tensor import Tensor

_BY_ROWS, _BY_COLUMNS, _BLOCKS = (sparse_csr, sparse_bsr), (sparse_csc, sparse_bsc), (sparse_bsr, sparse_bsc)
_SPARSE = (sparse_coo, *_BY_ROWS, *_BY_COLUMNS)


def as_sparse_gradcheck(gradcheck):
    """A gradcheck of functions of sparse tensors, and with sparse results, by one of strided tensors.

    Args:
        gradcheck: `torch.autograd.gradcheck`, or what is called like it.

    Returns:
        A function that is called in the same way. ``masked=True`` changes the specified elements only; else all are
        specified.
    """
    def gradcheck_with_sparse_support(func, inputs, **kwargs):
        masked = kwargs.pop("masked", False)
        inputs = inputs if isinstance(inputs, list | tuple) else (inputs,)
        forms = [_Form(x, masked) if isinstance(x, Tensor) and x.layout in _SPARSE and x.requires_grad else None
                 for x in inputs]

        def strided(*given):
            found = func(*(x if form is None else form.sparse(x) for form, x in zip(forms, given, strict=True)))
            return tuple(_dense(x, masked) for x in found) if isinstance(found, list | tuple) else _dense(found, masked)

        return gradcheck(strided, tuple(x if form is None else form.values for form, x in zip(forms, inputs, strict=True)),
                         **kwargs)

    gradcheck_with_sparse_support.__module__ = "torch.sparse"
    return gradcheck_with_sparse_support


def _dense(x, masked):
    return x.to_dense(masked_grad=masked) if isinstance(x, Tensor) and x.layout in _SPARSE and x.requires_grad else x


class _Form:
    """A sparse tensor as its values, a leaf, and what makes a sparse tensor of such.

    Args:
        x: the sparse tensor.
        masked: whether unspecified elements stay so; else they become zeros that are specified.
    """

    def __init__(self, x, masked):
        self.layout, self.size = x.layout, x.shape
        x = x.detach()
        if masked:
            pattern = x.coalesce() if x.layout is sparse_coo else x
            values = pattern.values()
        else:
            pattern = _numbered(x)
            values = x.to_dense().flatten()[pattern.values() - 1]
        self.indices = _indices_of(pattern)
        self.values = values.clone().requires_grad_()

    def sparse(self, values) -> Tensor:
        if self.layout is sparse_coo:
            return _api.sparse_coo_tensor(self.indices[0], values, self.size, is_coalesced=True)
        compressed, plain = self.indices
        return _api.sparse_compressed_tensor(compressed, plain, values, self.size, layout=self.layout)


def _numbered(x) -> Tensor:
    """Of the layout and shape of `x`, with every element specified: its number, from 1 on."""
    every = _api.arange(1, x.numel() + 1).view(x.shape)
    if x.layout is sparse_coo:
        return every.to_sparse(x.sparse_dim()).coalesce()
    blocks = x.values().shape[-2 - x.dense_dim():][:2] if x.layout in _BLOCKS else None
    return every.to_sparse(layout=x.layout, blocksize=blocks, dense_dim=x.dense_dim() or None)


def _indices_of(x) -> tuple:
    if x.layout is sparse_coo:
        return (x.indices(),)
    return (x.crow_indices(), x.col_indices()) if x.layout in _BY_ROWS else (x.ccol_indices(), x.row_indices())
