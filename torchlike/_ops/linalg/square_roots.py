"""Square roots of Hermitian matrices, and the polar decomposition, whose second factor is one: H = (A^H A)^(1/2).

https://pytorch.org/docs/2.14/generated/torch.linalg.matrix_sqrth.html and
https://pytorch.org/docs/2.14/generated/torch.linalg.polar.html. Both derivatives solve X Y + Y X = C, Sylvester's equation.
"""

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._ops.linalg.factorizations import adjoint, check_float, check_inexact, check_matrix, check_square, solved
from torchlike._ops.numerics import lapack
from torchlike._ops.rules import is_half, scalar_name
from torchlike._ops.table import op


def _by_values(x, C):  # noqa: N803
    """Y in X Y + Y X = C, in the basis of X's eigenvectors; of conjugates for the transposed equation."""
    values, vectors = lapack.eigh(x, UPLO="L", symmetrize_input=False)
    sums = values[..., :, None] + values[..., None, :]
    return vectors @ (adjoint(vectors) @ C @ vectors / sums.astype(C.dtype)) @ adjoint(vectors)


def _sylvester(x, C):  # noqa: N803
    """Y in X Y + Y X = C, for X Hermitian: JAX differentiates the equation, not X's eigenvectors."""
    return lax.custom_linear_solve(lambda y: x @ y + y @ x, C, lambda _, c: _by_values(x, c),
                                   lambda _, c: _by_values(x.conj(), c))


def _hermitian_part(x):
    return (x + adjoint(x)) / 2


@jax.custom_jvp
def _square_root(A):  # noqa: N803
    values, vectors = lapack.eigh(A, UPLO="L", symmetrize_input=False)
    roots = jnp.sqrt(jnp.maximum(values, 0))
    return vectors * roots[..., None, :].astype(A.dtype) @ adjoint(vectors)


@_square_root.defjvp
def _square_root_tangent(primals, tangents):
    root = _square_root(*primals)
    return root, _sylvester(root, _hermitian_part(tangents[0]))


@op("linalg_matrix_sqrth(Tensor self) -> Tensor", method=False, out=False, grads={"self": "self"}, autocast={"cpu": "fp32"})
def linalg_matrix_sqrth(A):  # noqa: N803
    """The square root of Hermitian matrices without negative eigenvalues; the lower triangle is read."""
    check_square(A, "linalg.matrix_sqrth")
    check_inexact(A, "linalg.matrix_sqrth")
    if is_half(A):
        raise RuntimeError(f"linalg.matrix_sqrth: Low precision dtypes not supported. Got {scalar_name(A)}")
    return _square_root(A)


def _polar_gradient(g0, g1, result0, result1):
    """The gradient by dA = dU H + U dH, where U^H dU is skew and dH Hermitian."""
    u, h = result0, result1
    ga = u @ _hermitian_part(g1) if g1 is not None else jnp.zeros_like(u)
    skew = adjoint(u) @ g0 if g0 is not None else jnp.zeros_like(h)
    skew = skew - _hermitian_part(g1) @ h if g1 is not None else skew
    ga = ga + u @ _sylvester(h, skew - adjoint(skew))
    if g0 is not None and u.shape[-2] > u.shape[-1]:
        ga = ga + adjoint(solved(h, adjoint(g0 - u @ (adjoint(u) @ g0)))[0])
    return ga


@op("linalg_polar(Tensor A) -> (Tensor U, Tensor H)", method=False, grads={"A": _polar_gradient}, by_hand="function",
    autocast={"cpu": "fp32"})
def linalg_polar(A):  # noqa: N803
    """The factors U with orthonormal columns and H, Hermitian without negative eigenvalues, of A = U H."""
    check_matrix(A, "linalg.polar")
    rows, columns = A.shape[-2:]
    if rows < columns:
        raise RuntimeError(f"linalg.polar: input must have at least as many rows as columns, but got {rows} by {columns} "
                           "matrices")
    check_float(A, "linalg.polar", "linalg_svd_cpu")
    u, s, vh = lapack.svd(A, full_matrices=False)
    return u @ vh, _hermitian_part(adjoint(vh) * s[..., None, :].astype(A.dtype) @ vh)
