"""JAX's factorisations and solvers, for batches (*, m, n) that are of the same shape.

On the CPU jaxlib's LAPACK kernels split a large batch over XLA's threads and wait for them on such a thread. Where as
many of them wait as there are threads, in one program or in several, none ever ends (jaxlib 0.10.2 on two cores: two
independent `triangular_solve`s of (16, 128, 128)). So a large batch is given to them in pieces, each too small to be
split.
"""

import functools
import math

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._ops.numerics import partial

_SPLIT = 20_000  # a piece of work that jaxlib does not split: matrices times the cube of their size


def _in_pieces(f):
    """``f(*matrices, **options)`` whose results have the batch dimensions of the matrices first."""
    @functools.wraps(f)
    def face(*matrices, **options):
        batch = matrices[0].shape[:-2]
        count = math.prod(batch)
        together = 1 + _SPLIT // max(1, *(side ** 3 for x in matrices for side in x.shape[-2:]))
        if count <= together:
            return f(*matrices, **options)

        def one_by_one(*matrices):
            flat = tuple(x.reshape(count, *x.shape[-2:]) for x in matrices)
            found = lax.map(lambda some: f(*some, **options), flat, batch_size=together)
            return jax.tree.map(lambda x: x.reshape(*batch, *x.shape[1:]), found)

        return lax.platform_dependent(*matrices, cpu=one_by_one, default=lambda *matrices: f(*matrices, **options))

    return face


cholesky = partial.mended(  # (the factor, info); lower triangles are read
    _in_pieces(functools.partial(lax.linalg.cholesky, symmetrize_input=False)), partial.cholesky,
    lambda factor: (factor, jnp.isnan(factor).any((-1, -2)).astype(jnp.int32)), symmetric=True)
eig = _in_pieces(jnp.linalg.eig)
eigh = _in_pieces(jnp.linalg.eigh)
expm = _in_pieces(lambda matrices: jax.scipy.linalg.expm(matrices))  # JAX imports its module when it is first named
lu = partial.mended(_in_pieces(lax.linalg.lu), partial.lu, tuple)
qr = _in_pieces(jnp.linalg.qr)
svd = _in_pieces(jnp.linalg.svd)
triangular_solve = _in_pieces(lax.linalg.triangular_solve)


def lu_solve(factors, permutation, B):  # noqa: N803
    """A X = B from the factors of A: (*, n, n), (*, n) and (*, n, k)."""
    B = jnp.take_along_axis(B, permutation[..., None], -2)  # noqa: N806
    B = triangular_solve(factors, B, left_side=True, lower=True, unit_diagonal=True)  # noqa: N806
    return triangular_solve(factors, B, left_side=True, lower=False)
