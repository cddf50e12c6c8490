"""Eigenvalues of general matrices, and the inverse from a Cholesky factor.

https://pytorch.org/docs/stable/generated/torch.linalg.eig.html
"""

import jax.numpy as jnp

from torchlike._ops.linalg.factorizations import adjoint, check_lapack, check_square, solved
from torchlike._ops.numerics import lapack
from torchlike._ops.rules import scalar_name
from torchlike._ops.table import op

_GAUGE = ("linalg_eig_backward: The eigenvectors in the complex case are specified up to multiplication by e^{i phi}. The "
          "specified loss function depends on this quantity, so it is ill-defined.")


def _gradient(g0, g1, A_aval, result0, result1):  # noqa: N803
    """V^{-H} (diag(g0) + ...) V^H; where the loss depends on the phase of the vectors the result has no meaning."""
    values, vectors = result0, result1
    k = values.shape[-1]
    eye = jnp.eye(k, dtype=bool)
    core = jnp.zeros((), vectors.dtype)
    if g1 is not None:
        product = adjoint(vectors) @ g1
        own = jnp.diagonal(product, axis1=-2, axis2=-1).real.astype(vectors.dtype)
        product = product - adjoint(vectors) @ vectors * own[..., None, :]
        gap = (values[..., None, :] - values[..., :, None]).conj()
        core = jnp.where(eye, 0, product / jnp.where(eye, 1, gap))
    if g0 is not None:
        core = core + jnp.where(eye, g0[..., None].astype(vectors.dtype), 0)
    g = solved(adjoint(vectors), core @ adjoint(vectors))[0]
    return g if jnp.issubdtype(A_aval.dtype, jnp.complexfloating) else g.real


@op("linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)", method=False,
    grads={"self": lambda g0, g1, self_aval, result0, result1: _gradient(g0, g1, self_aval, result0, result1)},
    autocast={"cpu": "fp32"}, doc="The eigenvalues and eigenvectors of square matrices, complex.", by_hand="function",
    layout="columns", gradient="columns")
def linalg_eig(A):  # noqa: N803
    if not jnp.issubdtype(A.dtype, jnp.inexact):
        raise RuntimeError(f"Unknown Complex ScalarType for {scalar_name(A)}")
    check_square(A, "linalg.eig")
    check_lapack(A, "linalg_eig_out_cpu")
    if not A.size:
        kind = jnp.result_type(A.dtype, jnp.complex64)
        return jnp.zeros(A.shape[:-1], kind), jnp.zeros(A.shape, kind)
    return lapack.eig(A)


def _inverse(factor, upper):
    n = factor.shape[-1]
    if not factor.size:
        return factor
    eye = jnp.broadcast_to(jnp.eye(n, dtype=factor.dtype), factor.shape)
    half = lapack.triangular_solve(factor, eye, left_side=True, lower=not upper)
    return half @ adjoint(half) if upper else adjoint(half) @ half


def _cholesky_inverse_gradient(g, self, result, upper):
    """Of (L L^H)^{-1}: the gradient of the inverse, then that of the product."""
    common = result @ (g + adjoint(g)) @ result
    return jnp.triu(-self @ common) if upper else jnp.tril(-common @ self)


@op("cholesky_inverse(Tensor self, bool upper=False) -> Tensor", grads={"self": _cholesky_inverse_gradient},
    autocast={"cpu": "fp32"}, layout="columns", by_hand="function method")
def cholesky_inverse(factor, *, upper):
    """The inverse of the matrix whose Cholesky factor it gets.
    https://pytorch.org/docs/stable/generated/torch.cholesky_inverse.html"""
    check_square(factor, "cholesky_inverse")
    if not jnp.issubdtype(factor.dtype, jnp.inexact):
        raise NotImplementedError(f"\"cholesky_inverse_out_cpu\" not implemented for '{scalar_name(factor)}'")
    check_lapack(factor, "cholesky_inverse_out_cpu")
    return _inverse(jnp.triu(factor) if upper else jnp.tril(factor), upper)
