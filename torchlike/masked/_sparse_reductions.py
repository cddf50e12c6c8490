"""Sums, products and extreme values of sparse tensors along dimensions: of what is specified."""

from torchlike import _api as ops
from torchlike._base import dtypes as dt
from torchlike.masked._masks import identity
from torchlike.masked._names import EXTREMES

_HALF = (dt.bfloat16, dt.float16)


def of_coo(name, input, dims, keepdim, dtype):
    """A reduction of a tensor of layout COO.

    Args:
        name: "sum", "prod", "amax" or "amin".
        input: (*), COO.
        dims: which dimensions.
        keepdim: whether they stay, of size 1.
        dtype: that of the result.

    Returns: COO; NotImplemented for dense dimensions but of a sum.
    """
    values, indices, sparse = input._values().to(dtype), input._indices(), input.sparse_dim()
    kept = [1 if i in dims else n for i, n in enumerate(input.shape) if keepdim or i not in dims]
    dense = [d + 1 - sparse for d in dims if sparse <= d < input.dim()]
    reduced = [d for d in dims if d < sparse]
    if dense:
        if name != "sum":
            return NotImplemented
        values = values.sum(dim=dense, keepdim=keepdim)
    if len(reduced) == sparse:
        whole = identity(name, values) if name in EXTREMES and not values.size(0) else \
            getattr(ops, name)(values, dim=0)
        return whole[(None,) * (sparse if keepdim else 0)].to(dtype=dtype).to_sparse()
    if keepdim:
        places = ops.tensor([0 if d in reduced else 1 for d in range(sparse)], device=indices.device)
        indices = indices * places[:, None]
    elif reduced:
        indices = indices[[d for d in range(sparse) if d not in reduced]]
    if indices.numel():
        indices, groups = ops.unique(indices, return_inverse=True, dim=1)
        values = _by_groups(name, values, groups, indices.shape[1]).to(dtype)
    return ops.sparse_coo_tensor(indices, values, kept, dtype=dtype, device=input.device)


def _by_groups(name, values, groups, count):
    """The reduction of the values of each group."""
    if values.dtype in _HALF:
        values = values.to(dt.float32)
    out = values.new_empty((count, *values.shape[1:]))
    groups = groups.reshape(-1, *[1] * (values.ndim - 1)).expand(values.shape)
    return out.scatter_reduce_(0, groups, values, reduce=name, include_self=False)


def of_csr(name, input, dims, keepdim, dtype, error=AssertionError):
    """A reduction of a tensor of layout CSR.

    Args:
        name: "sum", "prod", "mean", "amax" or "amin".
        input: (N, M), CSR.
        dims: which dimensions.
        keepdim: whether they stay: they must.
        dtype: that of the result.
        error: what is raised where they do not.

    Returns: CSR.
    """
    if not keepdim:
        raise error("reduction operations on CSR tensors with keepdim=False is unsupported")
    values, rows, columns = input.values().to(dtype), input.crow_indices(), input.col_indices()
    if not dims:
        return input
    if len(dims) == 2:
        count = min(1, values.numel())
        values = getattr(ops, name)(values, dim=0, keepdim=True) if count else values[:0]
        found, size = (ops.tensor([0, count]), columns.new_zeros(count), values), [1, count]
    elif dims[0] == 0:
        columns, groups = ops.unique(columns, return_inverse=True)
        count = columns.shape[0]
        values = values.new_empty(columns.shape).scatter_reduce_(0, groups, values, name, include_self=False)
        found, size = (ops.tensor([0, count]), columns, values), [1, input.size(1)]
    else:
        lengths = rows.diff()
        full = lengths != 0
        groups = ops.arange(full.numel(), device=rows.device).repeat_interleave(lengths)
        count = int(full.sum())
        whole = values.new_empty(full.shape).scatter_reduce_(0, groups, values, name, include_self=False)
        starts = ops.cat([rows.new_zeros(1), full.cumsum(0)])
        found, size = (starts, columns.new_zeros(count), whole[full]), [input.size(0), 1]
    return ops.sparse_csr_tensor(*found, size, dtype=dtype, device=input.device)
