"""What LAPACK leaves of factorisations that come upon what is no positive or finite number, as PyTorch returns it.

jaxlib fills a Cholesky factor with nan where it fails, and its LU loses a nan that is no pivot. Such matrices are factored
again, column by column. Loops make no step where there are none, also under `jax.vmap`. Derivatives are JAX's.
"""

import contextlib
import threading

import jax
import jax.numpy as jnp
from jax import lax


def _finite(x):
    return jnp.isfinite(x).all((-1, -2))


def _column(x, k):
    return lax.dynamic_index_in_dim(x, k, x.ndim - 1, False)


def _row(x, k):
    return lax.dynamic_index_in_dim(x, k, x.ndim - 2, False)


def cholesky(A, factor):  # noqa: N803
    """(L, info) of (*, n, n), whose lower triangles are read: `factor`, LAPACK's, and 0 of those that are positive definite,
    else L as it is after k - 1 columns and k, the order of the first minor that is not positive."""
    n = A.shape[-1]
    if not n:
        return factor, jnp.zeros(A.shape[:-2], jnp.int32)
    failed = ~_finite(factor)
    places = jnp.arange(n)

    def step(state):
        a, info, k = state
        known = jnp.where(places < k, a, 0)
        row = _row(known, k)
        d = _column(_row(a, k), k).real - (row * row.conj()).real.sum(-1)
        root, column = jnp.sqrt(d), _column(a, k)
        scale = 1 / root if jnp.iscomplexobj(a) else root / d  # nan of an infinite d, as MKL has it
        below = (column - (known @ row.conj()[..., None])[..., 0]) * scale[..., None]
        good = (info == 0) & (d > 0)
        new = jnp.where((places > k) & good[..., None], below, column)
        new = jnp.where(places == k, jnp.where(good, root, d)[..., None].astype(a.dtype), new)
        new = jnp.where((info == 0)[..., None], new, column)
        info = jnp.where((info == 0) & ~good, k + 1, info).astype(jnp.int32)
        return jnp.where(places == k, new[..., None], a), info, k + 1

    start = (jnp.tril(A), jnp.zeros(A.shape[:-2], jnp.int32), jnp.zeros((), jnp.int32))
    partial, info, _ = lax.while_loop(lambda s: (s[2] < n) & (failed & (s[1] == 0)).any(), step, start)
    return jnp.where(failed[..., None, None], partial, factor), jnp.where(failed, info, 0)


def _reciprocal(x):
    return x.conj() / (x.real ** 2 + x.imag ** 2) if jnp.iscomplexobj(x) else 1 / x


def _pivot(column, k):
    """The row of the largest element from row k on; nan is largest at k alone, as in LAPACK's search."""
    rows = jnp.arange(column.shape[-1])
    size = jnp.abs(column.real) + jnp.abs(column.imag)
    size = jnp.where(jnp.isnan(size), jnp.where(rows == k, jnp.inf, -1), size)
    return lax.argmax(jnp.where(rows < k, -1, size), size.ndim - 1, jnp.int32)


def lu(A, factors):  # noqa: N803
    """(LU, pivots, permutation) of (*, m, n): `factors`, LAPACK's, of matrices that have finite ones."""
    m, n = A.shape[-2:]
    if 0 in A.shape:
        return factors
    failed = ~_finite(factors[0])
    rows, columns, kept = jnp.arange(m), jnp.arange(n), jnp.arange(min(m, n))

    def step(state):
        a, pivots, k = state
        at = _pivot(_column(a, k), k)[..., None]
        order = jnp.where(rows == k, at, jnp.where(rows == at, k, rows))
        a = jnp.take_along_axis(a, order[..., None], -2)
        row, column = _row(a, k), _column(a, k)
        pivot = _column(row, k)[..., None]
        column = jnp.where((rows > k) & (pivot != 0), column * _reciprocal(pivot), column)
        a = jnp.where(columns == k, column[..., None], a)
        inside = (rows > k)[:, None] & (columns > k)
        a = jnp.where(inside, a - column[..., None] * row[..., None, :], a)
        return a, jnp.where(kept == k, at, pivots), k + 1

    start = (A, jnp.zeros((*A.shape[:-2], len(kept)), jnp.int32), jnp.zeros((), jnp.int32))
    partial, pivots, _ = lax.while_loop(lambda s: (s[2] < len(kept)) & failed.any(), step, start)
    own = partial, pivots, lax.linalg.lu_pivots_to_permutation(pivots, m)
    return tuple(jnp.where(failed.reshape(failed.shape + (1,) * (x.ndim - failed.ndim)), x, y)
                 for x, y in zip(own, factors, strict=True))


_told = threading.local()


@contextlib.contextmanager
def as_jax_has_them():
    """While functions are traced here, factorisations that fail are nan: a program to be read says no more."""
    before, _told.plain = getattr(_told, "plain", False), True
    try:
        yield
    finally:
        _told.plain = before


def mended(factor, mend, plain, symmetric=False):
    """``mend(A, factor(A))``, whose tangents are those of `factor` for as many results as that has; `plain` for `mend` in
    programs to be read. `symmetric`: one triangle is read, and the derivative is that of Hermitian matrices."""
    @jax.custom_jvp
    def function(A):  # noqa: N803
        return mend(A, factor(A))

    @function.defjvp
    def _(primals, tangents):
        out = function(*primals)
        if symmetric:
            tangents = tuple((x + x.mT.conj()) / 2 for x in tangents)
        moved = tuple(jax.tree.leaves(jax.jvp(factor, primals, tangents)[1]))
        return out, moved + tuple(jax.custom_derivatives.zero_from_primal(x) for x in out[len(moved):])

    def face(A):  # noqa: N803
        return plain(factor(A)) if getattr(_told, "plain", False) else function(A)

    return face
