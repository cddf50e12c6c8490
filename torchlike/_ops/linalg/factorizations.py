"""Linear algebra: inverse, determinant, solve, Cholesky, QR, SVD, eigh, pseudo-inverse, cross product.

https://pytorch.org/docs/stable/linalg.html. All take batches (*, m, n). Gradients are PyTorch's formulas
in the saved results. `info` is 0 where the factorisation went well; the faces raise where it did not.
"""

import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._base.errors import sized_dim
from torchlike._ops import gradient_strides as lies
from torchlike._ops import promotion
from torchlike._ops.geometry import broadcast
from torchlike._ops.numerics import lapack
from torchlike._ops.rules import is_half, scalar_name
from torchlike._ops.table import op

_NO_UV = ("svd_backward: Setting compute_uv to false in torch.svd doesn't compute singular matrices, and hence we "
          "cannot compute backward. Please use torch.svd(compute_uv=True)")


def adjoint(x):
    """The conjugate transpose of each matrix."""
    return x.swapaxes(-1, -2).conj()


def check_matrix(x, name, arg="A"):
    """RuntimeError unless x is a batch of matrices."""
    if x.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {arg} must have at least 2 dimensions.")


def check_square(x, name, arg="A"):
    """RuntimeError unless x is a batch of square matrices."""
    check_matrix(x, name, arg)
    if x.shape[-1] != x.shape[-2]:
        raise RuntimeError(f"{name}: {arg} must be batches of square matrices, but they are {x.shape[-2]} by "
                           f"{x.shape[-1]} matrices")


def check_inexact(x, name):
    """RuntimeError for integers."""
    if not jnp.issubdtype(x.dtype, jnp.inexact):
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {scalar_name(x)}")


def check_float(x, name, kernel):
    """RuntimeError for integers; NotImplementedError for half precision, which LAPACK's `kernel` has not."""
    check_inexact(x, name)
    check_lapack(x, kernel)


def check_lapack(x, kernel):
    """NotImplementedError for what LAPACK has not."""
    if is_half(x) or not jnp.issubdtype(x.dtype, jnp.inexact):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")


def _diagonal_matrix(d, n, dtype):
    """d (*) times the identity, (*, n, n)."""
    return d[..., None, None].astype(dtype) * jnp.eye(n, dtype=dtype)


def _real(x):
    return x.real if jnp.iscomplexobj(x) else x


# --- LU: inverse, determinant, solve ------------------------------------------------------------

def _lu(A):  # noqa: N803
    """(LU, pivots that count from 1, the permutation)."""
    if A.shape[-1] == 0:
        return A, jnp.zeros(A.shape[:-1], jnp.int32), jnp.zeros(A.shape[:-1], jnp.int32)
    lu, pivots, permutation = lapack.lu(A)
    return lu, pivots + 1, permutation


def zero_pivot(lu):
    """1 + the position of the first zero on U's diagonal, 0 if there is none."""
    zero = jnp.diagonal(lu, axis1=-2, axis2=-1) == 0
    if zero.shape[-1] == 0:
        return jnp.zeros(zero.shape[:-1], jnp.int32)
    return jnp.where(zero.any(-1), zero.argmax(-1) + 1, 0).astype(jnp.int32)


@op("linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)", method=False,
    grads={"A": lambda g0, result0: -adjoint(result0) @ (g0 @ adjoint(result0))}, autocast={"cpu": "fp32"},
    doc="The inverse of square matrices, and which of them have none.", layout="columns", by_hand="function")
def linalg_inv_ex(A, *, check_errors):  # noqa: N803
    check_square(A, "linalg.inv")
    if is_half(A):
        raise RuntimeError(f"linalg.inv: Low precision dtypes not supported. Got {scalar_name(A)}")
    check_float(A, "linalg.inv", "lu_cpu")
    lu, _, permutation = _lu(A)
    eye = jnp.broadcast_to(jnp.eye(A.shape[-1], dtype=A.dtype), A.shape)
    return (lapack.lu_solve(lu, permutation, eye) if A.size else A), zero_pivot(lu)


def _perturbed_lu(A):  # noqa: N803
    """LU with zero pivots made the dtype's epsilon: so det has its gradient at rank n - 1 too."""
    lu, pivots, permutation = lapack.lu(A)
    diagonal = jnp.diagonal(lu, axis1=-2, axis2=-1)
    eps = jnp.asarray(jnp.finfo(A.dtype).eps, A.dtype)
    lu = lu + jnp.where(diagonal == 0, eps, 0)[..., None] * jnp.eye(A.shape[-1], dtype=A.dtype)
    return lu, pivots + 1, permutation


def _solve_perturbed(A, B):  # noqa: N803
    """A X = B with `_perturbed_lu`."""
    lu, _, permutation = _perturbed_lu(A)
    return lapack.lu_solve(lu, permutation, B)


def _det_gradient(g0, A):  # noqa: N803
    if g0 is None or A.shape[-1] == 0:
        return None
    lu, pivots, _ = _perturbed_lu(adjoint(A))
    det = jnp.diagonal(lu, axis1=-2, axis2=-1).prod(-1) * _permutation_sign(pivots, A.dtype)
    return _solve_perturbed(adjoint(A), _diagonal_matrix(g0 * det, A.shape[-1], A.dtype))


def _permutation_sign(pivots, dtype):
    odd = (pivots != jnp.arange(1, pivots.shape[-1] + 1)).sum(-1) % 2
    return (1 - 2 * odd).astype(dtype)


@op("_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)", method=False, function=False,
    grads={"A": _det_gradient}, layout="columns")
def linalg_det(A):  # noqa: N803
    check_square(A, "linalg.det")
    check_float(A, "linalg.det", "lu_cpu")
    lu, pivots, _ = _lu(A)
    det = jnp.diagonal(lu, axis1=-2, axis2=-1).prod(-1) * _permutation_sign(pivots, A.dtype)
    return det.astype(A.dtype), lu, pivots


def _slogdet_gradient(g0, g1, A, result0):  # noqa: N803
    if A.shape[-1] == 0:
        return None
    d = jnp.zeros(A.shape[:-2], A.dtype) if g1 is None else g1.astype(A.dtype)
    if jnp.iscomplexobj(A) and g0 is not None:
        d = d - 1j * (g0.conj() * result0).imag
    return solved(adjoint(A), _diagonal_matrix(d, A.shape[-1], A.dtype))[0]


@op("_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)", method=False,
    function=False, grads={"A": _slogdet_gradient}, layout="columns")
def linalg_slogdet(A):  # noqa: N803
    check_square(A, "linalg.slogdet")
    check_inexact(A, "linalg.slogdet")
    if is_half(A):
        raise RuntimeError(f"linalg.slogdet: Low precision dtypes not supported. Got {scalar_name(A)}")
    lu, pivots, _ = _lu(A)
    diagonal = jnp.diagonal(lu, axis1=-2, axis2=-1)
    size = jnp.abs(diagonal)
    if jnp.iscomplexobj(A):
        signs = diagonal / jnp.where(size == 0, 1, size)
    else:
        signs = (diagonal > 0).astype(A.dtype) - (diagonal < 0)  # 0 of nan
    sign = signs.prod(-1) * _permutation_sign(pivots, A.dtype)
    return sign.astype(A.dtype), jnp.log(size).sum(-1), lu, pivots


def is_vector_case(A, B) -> bool:  # noqa: N803
    """Whether B holds vectors rather than matrices, as ``linalg.solve`` decides it."""
    return B.ndim == 1 or (A.ndim - 1 == B.ndim and B.shape == A.shape[:-1])


def solved(A, B):  # noqa: N803
    """(X in A X = B, LU, pivots): of matrices (*, n, n) and (*, n, k), whose batches broadcast."""
    factors, pivots, permutation = _lu(A)
    batch = broadcast(B.shape[:-2], A.shape[:-2])
    B = jnp.broadcast_to(B, (*batch, *B.shape[-2:]))  # noqa: N806
    if not B.size:
        return B, factors, pivots
    wide = jnp.broadcast_to(factors, (*batch, *A.shape[-2:]))
    return lapack.lu_solve(wide, jnp.broadcast_to(permutation, (*batch, A.shape[-1])), B), factors, pivots


def _solve_sides(A, B, left):  # noqa: N803
    return solved(A, B)[0] if left else adjoint(solved(adjoint(A), adjoint(B))[0])


def _solve_b(g0, A, B_aval, left):  # noqa: N803
    vector = is_vector_case(A, B_aval)
    g = g0[..., None] if vector else g0
    out = _solve_sides(adjoint(A), g, left)
    return out[..., 0] if vector else out


def _solve_a(g0, A, B_aval, result0, left):  # noqa: N803
    vector = is_vector_case(A, B_aval)
    g, x = (g0[..., None], result0[..., None]) if vector else (g0, result0)
    gb = _solve_sides(adjoint(A), g, left)
    return -gb @ adjoint(x) if left else -adjoint(x) @ gb


def _solved(g, A, shape, left):  # noqa: N803
    return lies.solved(g, shape) if left and not is_vector_case(A, g) else None


@op("_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) "
    "-> (Tensor result, Tensor LU, Tensor pivots, Tensor info)", method=False, function=False,
    grads={"A": _solve_a, "B": _solve_b}, layout=lambda left, check_errors: (left, True, False, False),
    gradient={"B": _solved})
def linalg_solve_ex(A, B, *, left, check_errors):  # noqa: N803
    check_inexact(A, "linalg.solve")
    if A.dtype != B.dtype:
        raise RuntimeError(f"linalg.solve: Expected A and B to have the same dtype, but found A of type {scalar_name(A)} "
                           f"and B of type {scalar_name(B)} instead")
    check_square(A, "linalg.solve")
    vector = is_vector_case(A, B)
    if vector and not left:
        raise RuntimeError("linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In "
                           "this case linalg.solve is equivalent to B / A.squeeze(-1)")
    b = B[..., None] if vector else B
    check_matrix(b, "linalg.solve", "B")
    check_compatible(A, b, left, "linalg.solve")
    check_lapack(A, "lu_cpu")
    if left:
        result, lu, pivots = solved(A, b)
    else:
        result, (lu, pivots, _) = _solve_sides(A, b, left), _lu(A)
    return (result[..., 0] if vector else result), lu, pivots, zero_pivot(lu)


def check_compatible(A, B, left, name):  # noqa: N803
    if A.shape[-2] != B.shape[-2 if left else -1]:
        raise RuntimeError(f"{name}: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
                           f"({A.shape[-2]}x{A.shape[-1]} and {B.shape[-2]}x{B.shape[-1]})")


# --- triangular systems and Cholesky ------------------------------------------------------------

def _triangle(x, upper, unit):
    x = jnp.triu(x) if upper else jnp.tril(x)
    return x if not unit else x - x * jnp.eye(x.shape[-1], dtype=x.dtype) + jnp.eye(x.shape[-1], dtype=x.dtype)


def _triangular(A, B, upper, left, unit):  # noqa: N803
    batch = broadcast(B.shape[:-2], A.shape[:-2])
    A = jnp.broadcast_to(A, (*batch, *A.shape[-2:]))  # noqa: N806
    B = jnp.broadcast_to(B, (*batch, *B.shape[-2:]))  # noqa: N806
    return lapack.triangular_solve(A, B, left_side=left, lower=not upper, unit_diagonal=unit)


def _solve_triangular_b(g, self, upper, left, unitriangular):
    return _triangular(adjoint(self), g, not upper, left, unitriangular)


def _solve_triangular_a(g, self, result, upper, left, unitriangular):
    gb = _triangular(adjoint(self), g, not upper, left, unitriangular)
    ga = -gb @ adjoint(result) if left else -adjoint(result) @ gb
    k = int(unitriangular)
    return jnp.triu(ga, k) if upper else jnp.tril(ga, -k)


@op("linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor",
    method=False, grads={"self": _solve_triangular_a, "B": _solve_triangular_b},
    doc="X in A X = B, or X A = B, where A is triangular.", layout="columns", gradient={"B": lies.solved})
def linalg_solve_triangular(A, B, *, upper, left, unitriangular):  # noqa: N803
    check_square(A, "linalg.solve_triangular")
    check_matrix(B, "linalg.solve_triangular", "B")
    check_compatible(A, B, left, "linalg.solve_triangular")
    check_lapack(A, "triangular_solve_cpu")
    # PyTorch copies B into the result, which has A's dtype.
    return _triangular(A, promotion.cast(B, dt.from_np(A.dtype)), upper, left, unitriangular)


def _cholesky_gradient(g, factor, upper):
    if upper:
        factor, g = adjoint(factor), adjoint(g)
    phi = jnp.tril(adjoint(factor) @ g)
    phi = (phi + adjoint(jnp.tril(phi, -1))) / 2
    half = _triangular(adjoint(factor), phi, True, True, False)
    return _triangular(factor, half, False, False, False)


def _cholesky(A, upper):  # noqa: N803
    """(the factor, info); PyTorch reads one triangle only."""
    if A.shape[-1] == 0:
        return A, jnp.zeros(A.shape[:-2], jnp.int32)
    factor, info = lapack.cholesky(adjoint(A) if upper else A)
    return (adjoint(factor) if upper else factor), info


@op("linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)",
    method=False, grads={"self": lambda g0, result0, upper: _cholesky_gradient(g0, result0, upper)},
    autocast={"cpu": "fp32"}, doc="The Cholesky factor, and which matrices are not positive definite.", layout="columns",
    gradient="columns", by_hand="function")
def linalg_cholesky_ex(A, *, upper, check_errors):  # noqa: N803
    """`info` is the order of the first leading minor that is not positive, 0 where there is none."""
    check_square(A, "linalg.cholesky")
    check_float(A, "linalg.cholesky", "cholesky_cpu")
    return _cholesky(A, upper)


@op("cholesky(Tensor self, bool upper=False) -> Tensor",
    grads={"self": lambda g, result, upper: _cholesky_gradient(g, result, upper)}, autocast={"cpu": "fp32"},
    doc="The Cholesky factor of positive definite matrices.", by_hand="function method", layout="columns",
    gradient="columns")
def cholesky(A, *, upper):  # noqa: N803
    check_square(A, "cholesky")
    check_lapack(A, "cholesky_cpu")
    return _cholesky(A, upper)[0]


def _cholesky_solve(B, factor, upper):  # noqa: N803
    lower = adjoint(factor) if upper else factor
    return _triangular(adjoint(lower), _triangular(lower, B, False, True, False), True, True, False)


def _cholesky_solve_b(g, input2, upper):
    return _cholesky_solve(g, input2, upper)


def _cholesky_solve_factor(g, self, input2, result, upper):
    gb = _cholesky_solve(g, input2, upper)
    common = gb @ adjoint(result)
    common = common + adjoint(common)
    return -input2 @ common if upper else -common @ input2


def _check_cholesky_solve(B, A):  # noqa: N803
    for name, x in (("b", B), ("u", A)):
        if x.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {x.ndim} dimensions instead")
    if A.dtype != B.dtype:
        raise RuntimeError(f"Expected b and A to have the same dtype, but found b of type {scalar_name(B)} and A of type "
                           f"{scalar_name(A)} instead.")
    if A.shape[-1] != A.shape[-2]:
        raise RuntimeError(f"A must be batches of square matrices, but they are {A.shape[-2]} by {A.shape[-1]} matrices")


@op("cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
    grads={"self": _cholesky_solve_b, "input2": _cholesky_solve_factor}, autocast={"cpu": "fp32"},
    doc="X in A X = B where A is given by its Cholesky factor.", layout="columns", gradient={"self": lies.solved})
def cholesky_solve(B, factor, *, upper):  # noqa: N803
    _check_cholesky_solve(B, factor)
    if factor.shape[-2] != B.shape[-2]:
        raise RuntimeError(f"Incompatible matrix sizes for cholesky_solve: each A matrix is {factor.shape[-2]} by "
                           f"{factor.shape[-1]} but each b matrix is {B.shape[-2]} by {B.shape[-1]}")
    check_lapack(B, "cholesky_solve_cpu")
    return _cholesky_solve(B, factor, upper)


# --- QR, SVD, eigenvalues -----------------------------------------------------------------------

def _qr_tall(gq, gr, q, r):
    """The gradient for as many rows as columns or more."""
    m = 0 if gr is None else gr @ adjoint(r)
    m = m if gq is None else m - adjoint(q) @ gq
    m = jnp.triu(m)
    symmetric = m + adjoint(m) - _real(m) * jnp.eye(m.shape[-1], dtype=m.real.dtype)
    ga = q @ symmetric
    ga = ga if gq is None else ga + gq
    return _triangular(adjoint(r), ga, False, False, False)


def _qr_gradient(g0, g1, result0, result1, A_aval, mode):  # noqa: N803
    rows, columns = A_aval.shape[-2:]
    if mode == "r":
        raise RuntimeError("The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use "
                           "linalg.qr(A, mode='reduced') if you are going to differentiate through linalg.qr.")
    if mode == "complete" and rows > columns:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols.")
    q, r = result0, result1
    if rows >= columns:
        return _qr_tall(g0, g1, q, r)
    # A = [X | Y], R = [U | V]: X = Q U as above, Y = Q V.
    u, v = r[..., :rows], r[..., rows:]
    gu, gv = (None, None) if g1 is None else (g1[..., :rows], g1[..., rows:])
    gq = g0 if gv is None else (0 if g0 is None else g0) + (q @ v) @ adjoint(gv)
    gx = _qr_tall(gq, gu, q, u)
    gy = jnp.zeros((*q.shape[:-1], columns - rows), q.dtype) if gv is None else q @ gv
    return jnp.concatenate([gx, gy], -1)


@op("linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)", method=False, grads={"A": _qr_gradient},
    autocast={"cpu": "fp32"}, doc="The QR decomposition: an orthogonal and an upper triangular factor.", layout="columns",
    gradient=lambda shape: "columns" if shape[-2] >= shape[-1] else "contiguous")
def linalg_qr(A, *, mode):  # noqa: N803
    check_matrix(A, "linalg.qr")
    check_float(A, "linalg.qr", "geqrf_cpu")
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or "
                           "'complete'")
    if mode == "r":
        return jnp.zeros((0,), A.dtype), lapack.qr(A, mode="r")
    q, r = lapack.qr(A, mode=mode)
    return q, r


def _svd_gradient(g0, g1, g2, result0, result1, result2, A_aval, compute_uv):  # noqa: N803
    if not compute_uv:
        raise RuntimeError(_NO_UV)
    k = result1.shape[-1]
    u, s, vh = result0[..., :k], result1, result2[..., :k, :]
    gu = None if g0 is None else g0[..., :k]
    gvh = None if g2 is None else g2[..., :k, :]
    dtype = u.dtype
    core = jnp.zeros((*s.shape, k), dtype)
    if g1 is not None:
        core = core + g1[..., None].astype(dtype) * jnp.eye(k, dtype=dtype)
    gap = (s[..., None, :] - s[..., :, None]) * (s[..., None, :] + s[..., :, None])
    gap = jnp.where(jnp.eye(k, dtype=bool), 1, gap)
    skews = []
    for product, scaled in ((None if gu is None else adjoint(u) @ gu, lambda x: x * s[..., None, :]),
                            (None if gvh is None else vh @ adjoint(gvh), lambda x: s[..., :, None] * x)):
        if product is not None:
            skew = product - adjoint(product)
            skews.append(skew)
            core = core + scaled(skew / gap)
    if jnp.iscomplexobj(u) and gu is not None:
        diagonal = jnp.diagonal(skews[0], axis1=-2, axis2=-1) / (2 * s)
        core = core + diagonal[..., None] * jnp.eye(k, dtype=dtype)
    ga = u @ core @ vh
    rows, columns = A_aval.shape[-2:]
    if rows > k and gu is not None:
        ga = ga + ((gu - u @ (adjoint(u) @ gu)) / s[..., None, :].astype(dtype)) @ vh
    if columns > k and gvh is not None:
        ga = ga + u @ ((gvh - (gvh @ adjoint(vh)) @ vh) / s[..., :, None].astype(dtype))
    return ga


@op("_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) "
    "-> (Tensor U, Tensor S, Tensor Vh)", method=False, function=False, grads={"A": _svd_gradient}, layout="columns")
def linalg_svd(A, *, full_matrices, compute_uv, driver):  # noqa: N803
    check_matrix(A, "linalg.svd")
    check_float(A, "linalg.svd", "linalg_svd_cpu")
    if compute_uv:
        return tuple(lapack.svd(A, full_matrices=full_matrices))
    empty = jnp.zeros((0,), A.dtype)
    return empty, lapack.svd(A, compute_uv=False), empty


def _eigh_gradient(g0, g1, result0, result1):
    values, vectors = result0, result1
    k = values.shape[-1]
    core = 0
    if g1 is not None:
        gap = values[..., None, :] - values[..., :, None]
        gap = jnp.where(jnp.eye(k, dtype=bool), 1, gap)
        product = adjoint(vectors) @ g1
        core = jnp.where(jnp.eye(k, dtype=bool), 0, product / gap.astype(vectors.dtype))
    if g0 is not None:
        core = core + g0[..., None].astype(vectors.dtype) * jnp.eye(k, dtype=vectors.dtype)
    ga = vectors @ core @ adjoint(vectors)
    return (ga + adjoint(ga)) / 2


@op('_linalg_eigh(Tensor A, str UPLO="L", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)',
    method=False, function=False, grads={"A": _eigh_gradient}, layout="columns")
def linalg_eigh(A, *, UPLO, compute_v):  # noqa: N803
    check_square(A, "linalg.eigh")
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    check_lapack(A, "linalg_eigh_cpu")
    values, vectors = lapack.eigh(A, UPLO=UPLO.upper(), symmetrize_input=False)
    return values, vectors


# --- other --------------------------------------------------------------------------------------

@op("linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor", method=False,
    grads={"self": lambda g, other, dim: jnp.cross(other.conj(), g, axis=dim),
           "other": lambda g, self, dim: jnp.cross(g, self.conj(), axis=dim)},
    doc="The cross product of vectors of three elements along `dim`.", by_hand="function")
def linalg_cross(a, b, *, dim):
    if a.ndim != b.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    sized_dim(dim, a.ndim)
    if a.shape[dim] != 3 or b.shape[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got {a.shape[dim]} and "
                           f"{b.shape[dim]}")
    if a.dtype == jnp.bool_:
        raise NotImplementedError("\"cross\" not implemented for 'Bool'")
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(a)} but found {scalar_name(b)}")
    broadcast(a.shape, b.shape)
    return jnp.cross(*jnp.broadcast_arrays(a, b), axis=dim)


@op("linalg_matrix_exp(Tensor self) -> Tensor", method=False, out=False, grads={"self": "self"},
    doc="The exponential of square matrices.")
def linalg_matrix_exp(A):  # noqa: N803
    check_square(A, "linalg.matrix_exp")
    if not jnp.issubdtype(A.dtype, jnp.inexact):
        raise RuntimeError("linalg.matrix_exp: Expected a floating point or complex tensor as input. Got "
                           f"{scalar_name(A)}")
    return lapack.expm(A.astype(jnp.float32) if is_half(A) else A).astype(A.dtype)
