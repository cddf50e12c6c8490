"""Pseudo-inverses, and matrices that lie by columns.

https://pytorch.org/docs/stable/generated/torch.linalg.pinv.html
"""

import jax.numpy as jnp

from torchlike._ops.linalg.factorizations import adjoint, check_square
from torchlike._ops.numerics import lapack
from torchlike._ops.rules import is_half, scalar_name
from torchlike._ops.table import op


@op("_by_columns(Tensor self, int room) -> Tensor", method=False, function=False, grads={"self": lambda g: g}, ours=True,
    layout="long columns", gradient="contiguous")
def _by_columns(x, *, room):
    """A copy, each matrix by columns in memory with room for `room` elements each."""
    return x


def _pinv_gradient(g, self, result):
    """Golub and Pereyra's differential of the pseudo-inverse, for constant rank."""
    p, gh = result, adjoint(g)
    ph = adjoint(p)
    rows, columns = self.shape[-2:]
    left = jnp.eye(rows, dtype=p.dtype) - self @ p
    right = jnp.eye(columns, dtype=p.dtype) - p @ self
    return left @ gh @ p @ ph - ph @ g @ ph + ph @ p @ gh @ right


@op("linalg_pinv(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) -> Tensor", method=False,
    by_hand="function", grads={"self": _pinv_gradient},
    gradient="columns")
def linalg_pinv(A, *, atol, rtol, hermitian):  # noqa: N803
    """The pseudo-inverse: singular values up to max(atol, rtol * the largest) count as 0."""
    if A.ndim < 2 or is_half(A) or not jnp.issubdtype(A.dtype, jnp.inexact):
        raise RuntimeError(f"linalg.pinv({scalar_name(A)}{{{list(A.shape)}}}): expected a tensor with 2 or more dimensions "
                           "of float, double, cfloat or cdouble types")
    if hermitian:
        check_square(A, "linalg.eigh")
        values, u = lapack.eigh(A, UPLO="L", symmetrize_input=False)
        s, vh = jnp.abs(values), adjoint(u * jnp.sign(values)[..., None, :].astype(A.dtype))
    else:
        u, s, vh = lapack.svd(A, full_matrices=False)
    if rtol is None:
        rtol = jnp.finfo(s.dtype).eps * max(A.shape[-2:])
        rtol = rtol if atol is None else jnp.where(jnp.asarray(atol) > 0, 0, rtol)
    limit = s.max(-1, keepdims=True, initial=0) * jnp.asarray(rtol).astype(s.dtype)
    limit = limit if atol is None else jnp.maximum(limit, jnp.asarray(atol).astype(s.dtype))
    inverse = jnp.where(s > limit, 1 / jnp.where(s > limit, s, 1), 0)
    return adjoint(vh) @ (inverse[..., None].astype(A.dtype) * adjoint(u))
