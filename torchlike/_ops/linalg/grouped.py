"""Products of matrices by groups: each expert of a mixture of experts multiplies the tokens that are routed to it.

https://pytorch.org/docs/stable/generated/torch.nn.functional.grouped_mm.html
"""

import jax.numpy as jnp
from jax import lax

from torchlike._ops.linalg.products import bmm, contract
from torchlike._ops.table import op

_MM = (((1,), (0,)), ((), ()))


def _within(ends, length):
    """(G, length) of bool: whether a place is within a group."""
    places = jnp.arange(length)
    begins = jnp.concatenate([jnp.zeros(1, ends.dtype), ends[:-1]])
    return (places >= begins[:, None]) & (places < ends[:, None])


def _of_rows(rows, matrices, ends):
    """(M, K) by (G, K, N): each group of rows by its matrix, (M, N); zeros behind the last group.

    Group by group, all rows and then a choice: as fast as `lax.ragged_dot` on a CPU, and a nan stays in its group.
    """
    def with_group(out, group):
        matrix, own = group
        return jnp.where(own[:, None], contract(rows, matrix, _MM).astype(rows.dtype), out), None

    out = jnp.zeros((rows.shape[0], matrices.shape[2]), rows.dtype)
    return lax.scan(with_group, out, (matrices, _within(ends, rows.shape[0])))[0]


def _of_inner(a, b, ends):
    """(M, K) by (K, N), a product for each group of K: (G, M, N)."""
    def of_group(own):
        return contract(jnp.where(own, a, 0), jnp.where(own[:, None], b, 0), _MM).astype(a.dtype)

    return lax.map(of_group, _within(ends, a.shape[1]))


def _grouped(a, b, ends):
    if a.ndim == b.ndim == 3:
        return bmm(a, b)
    if b.ndim == 3:
        return _of_rows(a, b, ends)
    if a.ndim == 3:
        return _of_rows(b.T, a.mT, ends).T
    return _of_inner(a, b, ends)


@op("_grouped_mm(Tensor self, Tensor mat2, Tensor? offs) -> Tensor", method=False, function=False,
    grads={"self": lambda g, mat2, offs: _grouped(g, mat2.mT, offs),
           "mat2": lambda g, self, offs: _grouped(self.mT, g, offs)},
    doc="The products of two matrices, or batches of them, by groups that end at `offs`.")
def grouped_mm(a, b, ends):
    return _grouped(a, b, ends)
