"""Triangles and diagonals of matrices: tril, triu, diag_embed, eye, tril_indices.

https://pytorch.org/docs/stable/torch.html#other-operations
"""

import jax.numpy as jnp
import numpy as np

from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim
from torchlike._ops.promotion import cast
from torchlike._ops.table import op


def _triangle(name, keep):
    def triangle(x, *, diagonal):
        if x.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        rows = np.arange(x.shape[-2])[:, None]
        columns = np.arange(x.shape[-1])[None, :]
        return jnp.where(keep(columns - rows, diagonal), x, jnp.zeros((), x.dtype))

    return triangle


op("tril(Tensor self, int diagonal=0) -> Tensor", _triangle("tril", lambda offset, d: offset <= d),
   grads={"self": ""}, inplace=True, doc="The lower triangle of matrices, with zeros above `diagonal`.")
op("triu(Tensor self, int diagonal=0) -> Tensor", _triangle("triu", lambda offset, d: offset >= d),
   grads={"self": ""}, inplace=True, doc="The upper triangle of matrices, with zeros below `diagonal`.")


def _embedded_dims(ndim, dim1, dim2):
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


@op("diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", grads={"self": ""}, out=False,
    doc="Matrices with the last dimension of `self` on a diagonal and zeros elsewhere.")
def _diag_embed(x, *, offset, dim1, dim2):
    first, second = _embedded_dims(x.ndim + 1, dim1, dim2)
    size = x.shape[-1] + abs(offset)
    rows = np.arange(size)[:, None]
    columns = np.arange(size)[None, :]
    before = max(offset, 0)  # columns left of the first element
    spread = jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(before, size - before - x.shape[-1])])
    out = jnp.where(columns - rows == offset, spread[..., None, :], jnp.zeros((), x.dtype))
    return jnp.moveaxis(out, (-2, -1), (first, second))


@op("_diagonal_copy(Tensor self, int offset, int dim1, int dim2) -> Tensor", grads={"self": ""},
    node="DiagonalBackward0_copy", method=False, function=False, dispatch="diagonal_copy.default")
def _diagonal_copy(x, *, offset, dim1, dim2):
    if not -x.shape[dim1] < offset < x.shape[dim2]:
        return jnp.zeros(0, x.dtype)
    return jnp.diagonal(x, offset, dim1, dim2)


@op("_eye(int n, int m, *, ScalarType dtype, Device device) -> Tensor", method=False, function=False,
    dispatch="eye.default")
def _eye(*, n, m, dtype, device):
    return cast(jnp.eye(n, m, dtype=bool), dtype)


def triangle_indices(name: str, row: int, col: int, offset: int, dtype) -> np.ndarray:
    """The row and column numbers of a triangle, row by row, as a (2, count) array.

    RuntimeError on negative sizes, NotImplementedError on dtypes other than int32 and int64.
    https://pytorch.org/docs/stable/generated/torch.tril_indices.html
    """
    first, counts = triangle_rows(name, row, col, offset)
    if dtype not in (dt.int32, dt.int64):
        raise NotImplementedError(f"\"{name}\" not implemented for '{dtype.scalar_name}'")
    begins = np.cumsum(counts) - counts  # where in the result each row begins
    found = np.empty((2, counts.sum()), dtype.np)
    found[0] = np.repeat(np.arange(row), counts)
    found[1] = np.arange(found.shape[1]) + np.repeat(first - begins, counts)
    return found


def triangle_rows(name: str, row: int, col: int, offset: int) -> tuple[np.ndarray, np.ndarray]:
    """For each row of a triangle, as of `triangle_indices`, its first column and how many it has. RuntimeError on negative
    sizes."""
    for word, size in (("row", row), ("col", col)):
        if size < 0:
            raise RuntimeError(f"{word} must be non-negative, got{size}")
    cut = np.clip(np.arange(row) + offset + (name == "tril_indices"), 0, col)
    return (np.zeros_like(cut), cut) if name == "tril_indices" else (cut, col - cut)
