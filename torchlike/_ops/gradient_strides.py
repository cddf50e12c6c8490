"""How gradients lie in memory where PyTorch makes them as views of the gradient that arrives: see `Row.gradient`.

Names are those of a row's gradients; `g` and operands are Avals here, `shape` is the gradient's. The result is the strides;
None means contiguous.
"""

import numpy as np

from torchlike._base.errors import wrap_dim, wrap_dims
from torchlike._ops import geometry as geo


def reshaped(g, shape):
    """Of a view as another shape."""
    return geo.view_strides(tuple(g.shape), g.strides, tuple(shape))


def permuted(g, dims):
    """Of `permute`."""
    return tuple(g.strides[i] for i in np.argsort(wrap_dims(dims, g.ndim)))


def transposed(g, dim0, dim1):
    """Of `transpose`."""
    return geo.transpose(tuple(g.shape), g.strides, 0, dim0=dim0, dim1=dim1)[1]


def reversed_dims(g):
    """Of `t`."""
    return tuple(reversed(g.strides))


def unsqueezed(g, shape, dim):
    """Of `squeeze`."""
    return _with_dims(g, geo.squeezed_dims(tuple(shape), dim))[1]


def without(g, dim):
    """Of `unsqueeze` and `stack`."""
    dim = wrap_dim(dim, g.ndim)
    return (*g.strides[:dim], *g.strides[dim + 1:])


def as_given(g, shape):
    """Of `cat`; vectors without elements are none of its parts."""
    return g.strides if len(shape) == g.ndim else None


def spread(g, shape):
    """Of the sum of all elements."""
    return _expanded(tuple(g.shape), g.strides, shape)


def spread_along(g, shape, dim, keepdim):
    """Of the sum along dimensions."""
    return _expanded(*_with_dims(g, () if keepdim else sorted(wrap_dims(dim, len(shape)))), shape)


def by_columns_as(operand):
    """Of a matrix product: PyTorch keeps matrices by columns so. None where the operand is not saved."""
    rows_first = operand is not None and operand.strides == (1, operand.shape[0])
    return operand.strides if rows_first and not operand.contiguous else None


def as_real(g):
    """Of `view_as_complex`."""
    return geo.view_as_real(tuple(g.shape), g.strides, 0)[1]


def solved(g, shape):
    """Of the right side of linear equations, unless it was broadcast."""
    return "columns" if shape == g.shape else None


def _with_dims(g, dims):
    """(sizes, strides) of `g` with dimensions of size 1 more."""
    sizes, strides = tuple(g.shape), g.strides
    for d in dims:
        sizes, strides, _ = geo.unsqueeze(sizes, strides, 0, dim=d)
    return sizes, strides


def _expanded(sizes, strides, shape):
    return geo.expand(sizes, strides, 0, size=tuple(shape), implicit=False)[1]
