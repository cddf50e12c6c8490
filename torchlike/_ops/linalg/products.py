"""Matrix products: mm, bmm, mv, dot and their add- forms, trace, the trilinear product, distances.

https://pytorch.org/docs/stable/torch.html#blas-and-lapack-operations. Half precision multiplies
with float32 sums, as PyTorch's kernels do. The products of higher rank (matmul, linear, einsum) are
compositions of these rows in `_api`.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._base.errors import sized_dim
from torchlike._ops import gradient_strides as lies
from torchlike._ops.number_ranges import as_computed, as_result
from torchlike._ops.numerics import lean
from torchlike._ops.numerics.lean import Lean
from torchlike._ops.rules import cpp_name, is_float, is_half, is_integral, scalar_name
from torchlike._ops.table import op


def contract(a, b, dims):
    """`lax.dot_general` with float32 sums for half precision, not yet rounded back."""
    return lax.dot_general(a, b, dims, preferred_element_type=jnp.float32 if is_half(a) else None)


_MM = (((1,), (0,)), ((), ()))
_MM_NT = (((1,), (1,)), ((), ()))
_MM_TN = (((0,), (0,)), ((), ()))
_BMM = (((2,), (1,)), ((0,), (0,)))
_BMM_NT = (((2,), (2,)), ((0,), (0,)))
_BMM_TN = (((1,), (1,)), ((0,), (0,)))


def _product(a, b, dims):
    """A contraction rounded to a's dtype; `a` may be wider than b in gradients of half precision."""
    wide = jnp.promote_types(a.dtype, b.dtype)
    found = contract(lax.convert_element_type(a, wide), lax.convert_element_type(b, wide), dims)
    return lax.convert_element_type(found, wide)


def _refuse_bool(x, kernel: str, other=None):
    """PyTorch's kernels refuse bool when they run, which they do not for empty products."""
    if x.dtype == jnp.bool_ and (other is None or (x.size and other.size)):
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")


def check_expand(x, target: tuple):
    """RuntimeError, as ``expand`` has it, where x does not broadcast to `target`."""
    sizes = list(target)
    if x.ndim > len(target):
        raise RuntimeError(
            f"expand(torch.{scalar_name(x)}Tensor{{{list(x.shape)}}}, size={sizes}): the number of "
            f"sizes provided ({len(target)}) must be greater or equal to the number of dimensions "
            f"in the tensor ({x.ndim})")
    offset = len(target) - x.ndim
    for i in reversed(range(x.ndim)):
        if x.shape[i] not in (1, target[offset + i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({target[offset + i]}) must match the existing "
                f"size ({x.shape[i]}) at non-singleton dimension {offset + i}.  Target sizes: "
                f"{sizes}.  Tensor sizes: {list(x.shape)}")


def _blend(base, beta, product, alpha, dtype):
    """beta * base + alpha * product. With beta = 0, base's nan and inf do not count."""
    wide = product.dtype
    beta, alpha = lean.number(beta, wide), lean.number(alpha, wide)
    kept = lean.where(beta == 0, 0, beta * Lean(base).astype(wide))
    return (kept + alpha * product).astype(dtype).array


def _conj(x):
    return Lean(x).conj().array


def _times(g, number):
    return (Lean(g) * lean.number(number, g.dtype).conj()).array


def _broadcast_like(g, shape):
    return jnp.broadcast_to(g, shape)


# --- matrix by matrix ---------------------------------------------------------------------------

def _check_inner(mat1, mat2):
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({mat1.shape[0]}x{mat1.shape[1]} and "
            f"{mat2.shape[0]}x{mat2.shape[1]})")


def _mm_left(g, mat2):
    return _product(g, _conj(mat2), _MM_NT)


def _mm_right(g, mat1):
    return _product(_conj(mat1), g, _MM_TN)


@op("mm(Tensor self, Tensor mat2) -> Tensor",
    grads={"self": lambda g, mat2: _mm_left(g, mat2), "mat2": lambda g, self: _mm_right(g, self)},
    gradient={"self": lambda self: lies.by_columns_as(self), "mat2": lambda mat2: lies.by_columns_as(mat2)},
    autocast={"cpu": "lower_precision", "cuda": "lower_precision"}, doc="The product of two matrices.")
def mm(mat1, mat2):
    if mat1.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    _check_inner(mat1, mat2)
    if mat1.dtype != mat2.dtype:
        raise RuntimeError("expected m1 and m2 to have the same dtype, but got: "
                           f"{cpp_name(mat1)} != {cpp_name(mat2)}")
    _refuse_bool(mat1, "addmm_impl_cpu_", mat2)
    return Lean(contract(mat1, mat2, _MM)).astype(mat1.dtype)


_FACTORS = {"beta": as_computed, "alpha": as_computed}


@op("addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    inplace=True, older=True, fits=_FACTORS,
    grads={"self": lambda g, beta: _times(g, beta),
           "mat1": lambda g, mat2, alpha: _times(_mm_left(g, mat2), alpha),
           "mat2": lambda g, mat1, alpha: _times(_mm_right(g, mat1), alpha)},
    gradient={"mat1": lambda mat1: lies.by_columns_as(mat1), "mat2": lambda mat2: lies.by_columns_as(mat2)},
    autocast={"cpu": "lower_precision", "cuda": "lower_precision"},
    doc="beta `self` + alpha times the product of two matrices.")
def addmm(base, mat1, mat2, *, beta, alpha):
    if base.dtype != mat2.dtype:
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {scalar_name(base)} "
                           f"and {scalar_name(mat2)}")
    if mat1.dtype != mat2.dtype:
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {scalar_name(mat1)} "
                           f"and {scalar_name(mat2)}")
    for name, mat in (("mat1", mat1), ("mat2", mat2)):
        if mat.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {mat.ndim}-D tensor")
    _check_inner(mat1, mat2)
    check_expand(base, (mat1.shape[0], mat2.shape[1]))
    _refuse_bool(mat1, "addmm_impl_cpu_", mat2)
    return _blend(base, beta, contract(mat1, mat2, _MM), alpha, mat1.dtype)


# --- batches of matrices ------------------------------------------------------------------------

def _check_batches(batch1, batch2):
    if batch1.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if batch2.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    want, got = [batch1.shape[0], batch1.shape[2]], list(batch2.shape[:2])
    if want != got:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: {want} "
                           f"but got: {got}.")
    if batch1.dtype != batch2.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(batch1)} but found "
                           f"{scalar_name(batch2)}")
    _refuse_bool(batch1, "bmm", batch2)


def _bmm_left(g, batch2):
    return _product(g, _conj(batch2), _BMM_NT)


def _bmm_right(g, batch1):
    return _product(_conj(batch1), g, _BMM_TN)


@op("bmm(Tensor self, Tensor mat2) -> Tensor",
    grads={"self": lambda g, mat2: _bmm_left(g, mat2), "mat2": lambda g, self: _bmm_right(g, self)},
    autocast={"cpu": "lower_precision", "cuda": "lower_precision"}, doc="The products of two batches of matrices.")
def bmm(batch1, batch2):
    _check_batches(batch1, batch2)
    return Lean(contract(batch1, batch2, _BMM)).astype(batch1.dtype)


@op("baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    inplace=True, older=True, fits=_FACTORS,
    grads={"self": lambda g, beta: _times(g, beta),
           "batch1": lambda g, batch2, alpha: _times(_bmm_left(g, batch2), alpha),
           "batch2": lambda g, batch1, alpha: _times(_bmm_right(g, batch1), alpha)},
    autocast={"cpu": "lower_precision", "cuda": "lower_precision"},
    doc="beta `self` + alpha times the products of two batches of matrices.")
def baddbmm(base, batch1, batch2, *, beta, alpha):
    _check_sizes(batch1, batch2, 0, 1)
    if batch1.ndim == 3:
        check_expand(base, (batch1.shape[0], batch1.shape[1], batch2.shape[2]))
    if base.dtype != batch1.dtype:
        raise RuntimeError(f"Input dtypes must be the same, got: input {cpp_name(base)}, batch1: "
                           f"{cpp_name(batch1)}, batch2: {cpp_name(batch2)}")
    _check_batches(batch1, batch2)
    return _blend(base, beta, contract(batch1, batch2, _BMM), alpha, batch1.dtype)


def _check_sizes(batch1, batch2, *first):
    """IndexError where the sizes of the result cannot be read: of `first`, dimensions of batch1, and the last of batch2."""
    for dim in first:
        sized_dim(dim, batch1.ndim)
    sized_dim(2, batch2.ndim)


def _addbmm_left(g, batch2, alpha):
    g = _broadcast_like(g, (batch2.shape[0], *g.shape[-2:]))
    return _times(_bmm_left(g, batch2), alpha)


def _addbmm_right(g, batch1, alpha):
    g = _broadcast_like(g, (batch1.shape[0], *g.shape[-2:]))
    return _times(_bmm_right(g, batch1), alpha)


@op("addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    inplace=True, older=True, fits=_FACTORS,
    grads={"self": lambda g, beta: _times(g, beta),
           "batch1": lambda g, batch2, alpha: _addbmm_left(g, batch2, alpha),
           "batch2": lambda g, batch1, alpha: _addbmm_right(g, batch1, alpha)},
    autocast={"cpu": "lower_precision", "cuda": "lower_precision"},
    doc="beta `self` + alpha times the sum of the products of two batches of matrices.")
def addbmm(base, batch1, batch2, *, beta, alpha):
    _check_sizes(batch1, batch2, 1)
    check_expand(base, (batch1.shape[1], batch2.shape[2]))
    if batch1.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if batch1.shape[0] != batch2.shape[0]:
        raise RuntimeError("batch1 and batch2 must have same number of batches, got "
                           f"{batch1.shape[0]} and {batch2.shape[0]}")
    if batch1.shape[2] != batch2.shape[1]:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({batch1.shape[1]}x{batch1.shape[2]} "
                           f"and {batch2.shape[1]}x{batch2.shape[2]})")
    if not base.dtype == batch1.dtype == batch2.dtype:
        odd = batch1 if base.dtype != batch1.dtype else batch2
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {scalar_name(base)} "
                           f"and {scalar_name(odd)}")
    _refuse_bool(batch1, "addbmm_impl_cpu_")
    product = contract(batch1, batch2, (((0, 2), (0, 1)), ((), ())))
    return _blend(base, beta, product, alpha, batch1.dtype)


# --- vectors ------------------------------------------------------------------------------------

def _check_mv(mat, vec, base_shape: tuple, base_dtype):
    """`base` is what the product is added to; for mv PyTorch's messages take an empty result."""
    if mat.ndim != 2 or vec.ndim != 1 or len(base_shape) > 1:
        raise RuntimeError("vector + matrix @ vector expected, got "
                           f"{len(base_shape)}, {mat.ndim}, {vec.ndim}")
    rows = base_shape[0] if base_shape else 1
    if mat.shape[1] != vec.shape[0] or rows not in (1, mat.shape[0]):
        raise RuntimeError(f"size mismatch, got input ({rows}), mat "
                           f"({mat.shape[0]}x{mat.shape[1]}), vec ({vec.shape[0]})")
    if not base_dtype == mat.dtype == vec.dtype:
        names = [dt.from_np(d).scalar_name for d in (base_dtype, mat.dtype, vec.dtype)]
        raise RuntimeError("addmv input tensors must have the same dtype, but got "
                           f"{names[0]}, {names[1]}, and {names[2]}")
    _refuse_bool(mat, "addmv_impl_cpu", mat)


def _outer(a, b):
    wide = jnp.promote_types(a.dtype, b.dtype)
    return a.astype(wide)[:, None] * b.astype(wide)[None, :]


def _mv_right(g, mat):
    return _product(g, mat.conj(), (((0,), (0,)), ((), ())))


_MV = (((1,), (0,)), ((), ()))


@op("mv(Tensor self, Tensor vec) -> Tensor",
    grads={"self": lambda g, vec: _outer(g, vec.conj()), "vec": lambda g, self: _mv_right(g, self)},
    autocast={"cuda": "lower_precision"}, doc="The product of a matrix and a vector.")
def mv(mat, vec):
    _check_mv(mat, vec, mat.shape[:1], vec.dtype)
    return contract(mat, vec, _MV).astype(mat.dtype)


@op("addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    inplace=True, older=True, fits={"beta": as_result, "alpha": as_result},
    grads={"self": lambda g, beta: _times(g, beta),
           "mat": lambda g, vec, alpha: _times(_outer(g, vec.conj()), alpha),
           "vec": lambda g, mat, alpha: _times(_mv_right(g, mat), alpha)},
    inplace_functions=("addmv_",), autocast={"cuda": "lower_precision"},
    doc="beta `self` + alpha times the product of a matrix and a vector.")
def addmv(base, mat, vec, *, beta, alpha):
    _check_mv(mat, vec, base.shape, base.dtype)
    return _blend(base, beta, contract(mat, vec, _MV), alpha, mat.dtype)


def _check_dot(a, b):
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        raise RuntimeError("dot : expected both vectors to have same dtype, but found "
                           f"{scalar_name(a)} and {scalar_name(b)}")
    if a.shape != b.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.shape[0]}] and src [{b.shape[0]}] to "
            f"have the same number of elements, but got {a.shape[0]} and {b.shape[0]} elements "
            "respectively")


_DOT = (((0,), (0,)), ((), ()))


@op("dot(Tensor self, Tensor tensor) -> Tensor",
    grads={"self": lambda g, tensor: g * tensor.conj(), "tensor": lambda g, self: g * self.conj()},
    autocast={"cuda": "promote"}, doc="The sum of the products of two vectors' elements.")
def dot(a, b):
    _check_dot(a, b)
    _refuse_bool(a, "dot", None)
    return contract(a, b, _DOT).astype(a.dtype)


@op("vdot(Tensor self, Tensor other) -> Tensor",
    grads={"self": lambda g, other: g.conj() * other, "other": lambda g, self: g * self}, autocast={"cuda": "promote"},
    doc="The same as `dot` with the first vector conjugated.")
def vdot(a, b):
    _check_dot(a, b)
    _refuse_bool(a, "dot" if not jnp.iscomplexobj(a) else "vdot")
    return contract(a.conj(), b, _DOT).astype(a.dtype)


@op("addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    promote="default", inplace=True, older=True, fits={"beta": as_result, "alpha": as_result},
    grads={"self": lambda g, beta: _times(g, beta),
           "vec1": lambda g, vec2, alpha: _times(_product(g, vec2.conj(), _MV), alpha),
           "vec2": lambda g, vec1, alpha: _times(_product(vec1.conj(), g, _DOT), alpha)},
    autocast={"cuda": "lower_precision"}, doc="beta `self` + alpha times the outer product of two vectors.")
def addr(base, vec1, vec2, *, beta, alpha):
    for name, vec in (("vec1", vec1), ("vec2", vec2)):
        if vec.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {vec.ndim}-D")
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if factor.dtype == jnp.bool_ and base.dtype != jnp.bool_:
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if is_integral(base) and not is_integral(factor):
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    check_expand(base, (vec1.shape[0], vec2.shape[0]))
    if base.dtype == jnp.bool_:
        return (base & (jnp.asarray(beta) != 0)) | (vec1[:, None] & vec2 & (jnp.asarray(alpha) != 0))
    return _blend(base, beta, vec1[:, None] * vec2, alpha, base.dtype)


# --- other sums of products ---------------------------------------------------------------------

@op("trace(Tensor self) -> Tensor", out=False,
    grads={"self": lambda g, self_aval: g * jnp.eye(*self_aval.shape, dtype=g.dtype)}, autocast={"cpu": "fp32"},
    doc="The sum of a matrix's diagonal.")
def trace(x):
    if x.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {x.ndim}")
    _refuse_bool(x, "trace")
    out = jnp.int64 if jnp.issubdtype(x.dtype, jnp.integer) else x.dtype
    return jnp.diagonal(x).astype(jnp.float32 if is_half(x) else out).sum().astype(out)


@op("_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, "
    "int[] sumdim, int unroll_dim=1) -> Tensor", method=False, function=False,
    grads={"i1": "i2 i3", "i2": "i1 i3", "i3": "i1 i2"})
def trilinear(i1, i2, i3, *, expand1, expand2, expand3, sumdim, unroll_dim):
    """sum over `sumdim` of the three factors, each with size-1 dims put in at its `expand` list."""
    _refuse_bool(i1, "bmm")
    factors = ((i1, expand1), (i2, expand2), (i3, expand3))
    rank = i1.ndim + len(expand1)
    subscripts = []
    for factor, expand in factors:
        kept = [d for d in range(rank) if d not in expand]
        # A size-1 dim broadcasts, which einsum's letters do not; there are none in bilinear.
        subscripts.append("".join(chr(97 + d) for d in kept))
        if factor.ndim != len(kept):
            raise RuntimeError("_trilinear: the operands have different ranks after expansion")
    out = "".join(chr(97 + d) for d in range(rank) if d not in sumdim)
    return jnp.einsum(f"{','.join(subscripts)}->{out}", i1, i2, i3)


# --- distances between rows ---------------------------------------------------------------------

_MANY_PAIRS = 4096  # from here on a step for each row is small beside the row


def _distance(d, p):
    """The p-norm over the last dimension of differences."""
    size = jnp.abs(d)
    if p == 0:
        return jnp.minimum(jnp.ceil(size), 1).sum(-1)
    if p == 1:
        return size.sum(-1)
    if p == float("inf"):
        return size.max(-1, initial=0)
    return jnp.sqrt((size * size).sum(-1)) if p == 2 else (size ** p).sum(-1) ** (1 / p)


def _slope(d, distance, p):
    """The derivative of each distance in each difference (*, m, n, k), 0 where points coincide."""
    sign, size, dist = jnp.sign(d), jnp.abs(d), distance[..., None]
    away = dist != 0
    safe = jnp.where(away, dist, 1)
    if p == 0:
        return jnp.zeros_like(d)
    if p == 1:
        return sign
    if p == float("inf"):
        return jnp.where(size == dist, sign, 0)
    if p == 2:
        return jnp.where(away, d / safe, 0)
    base = jnp.where(size == 0, 1, size)
    return jnp.where(away & (size != 0), sign * base ** (p - 1) / safe ** (p - 1), 0)


def _pulls(g, x1, x2, result, p):
    """The gradient of x1 (*, m, k): row by row on the CPU, where XLA is slow to sum over the middle of three dimensions."""
    def whole(g, x1, x2, result):
        return jnp.einsum("...ij,...ijk->...ik", g, _slope(x1[..., :, None, :] - x2[..., None, :, :], result, p))

    def row_by_row(g, x1, x2, result):
        if g.ndim > 2:
            x1, x2 = (jnp.broadcast_to(x, (*g.shape[:-2], *x.shape[-2:])) for x in (x1, x2))
            return jax.vmap(row_by_row)(g, x1, x2, result)
        return jax.lax.map(lambda row: row[0] @ _slope(row[1] - x2, row[2], p), (g, x1, result))

    if g.size < _MANY_PAIRS:
        return whole(g, x1, x2, result)
    return jax.lax.platform_dependent(g, x1, x2, result, cpu=row_by_row, default=whole)


def _cdist_left(g, x1, x2, result, p):
    return _pulls(g, x1, x2, result, p)


def _cdist_right(g, x1, x2, result, p):
    return _pulls(g.mT, x2, x1, result.mT, p)


def _check_distances(x1, x2, p, compute_mode):
    """PyTorch computes Euclidean distances of many rows as a product of matrices, which takes half precision, too."""
    if not x1.size or not x2.size:
        return
    many = x1.shape[-2] > 25 or x2.shape[-2] > 25
    if p == 2 and (compute_mode == 1 or (compute_mode in (None, 0) and many)):
        if x1.dtype != x2.dtype:
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {cpp_name(x1)} != {cpp_name(x2)}")
    elif is_half(x1):
        raise NotImplementedError(f"\"cdist\" not implemented for '{scalar_name(x1)}'")
    elif x1.dtype != x2.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x1)} but found {scalar_name(x2)}")


@op("_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor", node="CdistBackward0", static=("p",),
    method=False, function=False, grads={"x1": _cdist_left, "x2": _cdist_right})
def cdist_forward(x1, x2, *, p, compute_mode):
    """(*, m, k) and (*, n, k) to the distances (*, m, n), batches broadcasting."""
    for name, x in (("X1", x1), ("X2", x2)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    for name, x in (("X1", x1), ("X2", x2)):
        if not is_float(x):
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {scalar_name(x)}")
    if not p >= 0:  # nan neither
        raise RuntimeError("cdist only supports non-negative p values")
    _check_distances(x1, x2, p, compute_mode)
    return _distance(x1[..., :, None, :] - x2[..., None, :, :], p)


def _pdist_gradient(g, self, result, p):
    def both_ways(values):
        upper = jnp.zeros((len(self), len(self)), values.dtype).at[np.triu_indices(len(self), 1)].set(values)
        return upper + upper.T

    return _pulls(both_ways(g), self, self, both_ways(result), p)


@op("pdist(Tensor self, float p=2.0) -> Tensor", static=("p",), method=False, grads={"self": _pdist_gradient},
    out=False, autocast={"cuda": "fp32"}, doc="The `p`-norm distances between all pairs of rows.")
def pdist(x, *, p):
    if x.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {x.ndim}D")
    if not p >= 0:  # nan neither
        raise RuntimeError("pdist only supports non-negative p values")
    if x.dtype not in (jnp.float32, jnp.float64):
        raise NotImplementedError(f"\"pdist\" not implemented for '{scalar_name(x)}'")
    return _distance(x[:, None] - x, p)[np.triu_indices(len(x), 1)]
