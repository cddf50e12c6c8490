"""Variance, standard deviation and vector norms.

https://pytorch.org/docs/stable/generated/torch.var.html,
https://pytorch.org/docs/stable/generated/torch.linalg.vector_norm.html. Their gradients at constants
and at zero vectors are PyTorch's (0), where `jax.vjp` gives NaN.
"""

import math

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim, wrap_dims
from torchlike._ops.number_ranges import as_limit
from torchlike._ops.numerics import complexes
from torchlike._ops.pointwise.arithmetic import DIFFERENCE
from torchlike._ops.rules import doubled, is_complex, is_half, is_integral, scalar_name, sgn, wide
from torchlike._ops.table import op

# -- variance


def _count(shape, dim):
    return math.prod(shape[axis] for axis in wrap_dims(dim, len(shape)))


def _freedom(shape, dim, correction):
    """The divisor: how many elements, less the correction, which is 1 unless given."""
    return _count(shape, dim) - (1 if correction is None else correction.real)


def _mean_and_distances(x, axes, may_overflow):
    """The mean, and the distances from it, exactly 0 where all elements are equal: by the mean of what is beyond the first
    element. Where a sum may overflow it is one of parts."""
    if not x.size:
        return jnp.mean(x, axes, keepdims=True), x
    first = jax.lax.slice(x, (0,) * x.ndim, [1 if i in axes else n for i, n in enumerate(x.shape)])
    beyond, count = x - first, math.prod(x.shape[axis] for axis in axes)
    mean = jnp.sum(beyond * (1 / count), axes, keepdims=True) if may_overflow else jnp.mean(beyond, axes, keepdims=True)
    return first + mean, beyond - mean


def _double(x):
    """In 64 bits, as PyTorch sums moments of whatever it is given."""
    return x.astype(jnp.complex128 if is_complex(x) else jnp.float64)


def _moments(x, dim, correction, keepdim, name="std and var"):
    if is_integral(x):
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    axes = wrap_dims(dim, x.ndim)
    mean, distance = _mean_and_distances(_double(x), axes, may_overflow=x.dtype in (jnp.float64, jnp.complex128))
    square = distance.real ** 2 + distance.imag ** 2 if is_complex(x) else distance * distance
    divisor = jnp.maximum(_freedom(x.shape, dim, correction), 0)
    var = jnp.sum(square, axes, keepdims=keepdim) / divisor
    out = jnp.float32 if x.dtype == jnp.complex64 else jnp.float64 if is_complex(x) else x.dtype
    return var, mean if keepdim else jnp.squeeze(mean, axes), out


def _var(x, *, dim, correction, keepdim):
    var, _, out = _moments(x, dim, correction, keepdim)
    return var.astype(out)


def _std(x, *, dim, correction, keepdim):
    var, _, out = _moments(x, dim, correction, keepdim)
    return jnp.sqrt(var).astype(out)


def _var_mean(x, *, dim, correction, keepdim):
    var, mean, out = _moments(x, dim, correction, keepdim, "var_mean")
    return var.astype(out), mean.astype(x.dtype)


def _std_mean(x, *, dim, correction, keepdim):
    var, mean, out = _moments(x, dim, correction, keepdim, "std_mean")
    return jnp.sqrt(var).astype(out), mean.astype(x.dtype)


def _spread(g, ndim, dim, keepdim):
    return g if keepdim or not ndim else jnp.expand_dims(g, wrap_dims(dim, ndim))


def _var_gradient(g, self, dim, correction, keepdim):
    g = _spread(g, self.ndim, dim, keepdim)
    mean = jnp.mean(_double(self), wrap_dims(dim, self.ndim), keepdims=True)
    distance = self - mean.astype(self.dtype)
    freedom = jnp.asarray(_freedom(self.shape, dim, correction), distance.real.dtype)
    if dim is not None and self.ndim:
        return 2 / freedom * g * distance
    poor = freedom <= 0
    factor = jnp.where(poor, jnp.where(distance == 0, jnp.nan, jnp.inf), 2 / jnp.where(poor, 1, freedom))
    return g * factor * jnp.where(poor, 1, distance)  # in this order: twice a distance may be too large


def _through_root(g, result):
    """The gradient of the variance from that of its root: 0 where the root is 0."""
    zero = result == 0
    return jnp.where(zero, 0, g / (2 * jnp.where(zero, 1, result)))


def _std_gradient(g, self, result, dim, correction, keepdim):
    return _var_gradient(_through_root(g, result), self, dim, correction, keepdim)


def _mean_gradient(g, self, dim, keepdim):
    return jnp.broadcast_to(_spread(g, self.ndim, dim, keepdim), self.shape) / _count(self.shape, dim)


def _var_mean_gradient(g0, g1, self, dim, correction, keepdim):
    var = 0 if g0 is None else _var_gradient(g0, self, dim, correction, keepdim)
    return var if g1 is None else var + _mean_gradient(g1, self, dim, keepdim)


def _std_mean_gradient(g0, g1, self, result0, dim, correction, keepdim):
    inner = None if g0 is None else _through_root(g0, result0)
    return _var_mean_gradient(inner, g1, self, dim, correction, keepdim)


_MOMENT = "(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> "
op(f"var.correction{_MOMENT}Tensor", _var, grads={"self": _var_gradient},
   doc="The variances along `dim`, divided by the count minus `correction`.", by_hand="function method")
op(f"std.correction{_MOMENT}Tensor", _std, grads={"self": _std_gradient},
   doc="The standard deviations along `dim`, with the count minus `correction`.", by_hand="function method")
op(f"var_mean.correction{_MOMENT}(Tensor, Tensor)", _var_mean, method=False,
   grads={"self": _var_mean_gradient}, doc="The variances and means along `dim`.", by_hand="function")
op(f"std_mean.correction{_MOMENT}(Tensor, Tensor)", _std_mean, method=False,
   grads={"self": _std_mean_gradient}, doc="The standard deviations and means along `dim`.", by_hand="function")

# -- norms


def _norm_value(x, order, axes, keepdim):
    size = complexes.absolute(x)
    if order == math.inf:
        return jnp.max(size, axes, keepdims=keepdim)
    if order == -math.inf:
        return jnp.min(size, axes, keepdims=keepdim)
    if order == 0:
        return jnp.sum(size != 0, axes, keepdims=keepdim).astype(size.dtype)
    if order == 1 or _count(x.shape, axes) == 1:  # the norm of one number is its size, whose power overflows
        return jnp.sum(size, axes, keepdims=keepdim)
    if order == 2:
        return jnp.sqrt(jnp.sum(size * size, axes, keepdims=keepdim))
    return jnp.sum(size ** order, axes, keepdims=keepdim) ** (1 / order)


def _over_norm(g, norm, power):
    """g / norm**power, and 0 where the norm is 0."""
    zero = norm == 0
    return jnp.where(zero, 0, g / jnp.where(zero, 1, norm) ** power)


def _power_of_size(x, power):
    """|x|**power, and 0 at 0, also for a negative power."""
    zero = x == 0
    return jnp.where(zero, 0, complexes.absolute(jnp.where(zero, 1, x)) ** power)


def _extreme_share(g, x, norm, axes):
    size = complexes.absolute(x)
    mask = (size == norm) | (jnp.isnan(size) & jnp.isnan(norm))
    return sgn(x) * (g / jnp.sum(mask, axes, keepdims=True) * mask)


def _direction(x, norm):
    """x / norm, and 0 where the norm is 0. By parts: jax divides complex numbers by complex ones."""
    if is_complex(x):
        return jax.lax.complex(_direction(x.real, norm), _direction(x.imag, norm))
    zero = norm == 0
    return jnp.where(zero, 0, x / jnp.where(zero, 1, norm))


def norm_gradient(g, x, order, norm, axes):
    """The gradient of the norm over `axes`; `g` and `norm` have size 1 there."""
    if is_half(x):  # XLA divides by a norm as it multiplies by its reciprocal, which is infinite
        return norm_gradient(wide(g), wide(x), order, wide(norm), axes).astype(x.dtype)
    if order == 0:
        return jnp.zeros_like(x)
    if order == 1:
        return sgn(x) * g
    if order == 2:
        return g * _direction(x, norm)  # never g / norm, which overflows
    if math.isinf(order):
        return _extreme_share(g, x, norm, axes)
    if order < 1:
        return sgn(x) * _power_of_size(x, order - 1) * g * norm ** (1 - order)
    if order < 2:
        return sgn(x) * _power_of_size(x, order - 1) * _over_norm(g, norm, order - 1)
    return x * _power_of_size(x, order - 2) * _over_norm(g, norm, order - 1)


def _vector_norm_gradient(g, self, result, ord, dim, keepdim):
    axes = wrap_dims(dim, self.ndim)
    x = self.astype(jnp.promote_types(self.dtype, g.dtype))
    g, norm = (_spread(a, x.ndim, dim, keepdim) for a in (g, result))
    return norm_gradient(g, x, ord, norm, axes)


def check_norm_dtype(given: dt.dtype, dtype, name="linalg.vector_norm") -> None:
    """RuntimeError unless a norm of dtype `given` may be taken, in `dtype` if that is not None."""
    if given.category < dt.FLOAT:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got "
                           f"{given.scalar_name}")
    if dtype is None:
        return
    if dtype.category < dt.FLOAT:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {dtype.scalar_name}")
    if dtype.is_complex != given.is_complex:
        kind = "complex" if given.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {dtype.scalar_name}")
    if dtype.itemsize < given.itemsize:
        raise RuntimeError(f"{name}: the dtype of the input ({given.scalar_name}) should be convertible "
                           f"without narrowing to the specified dtype ({dtype.scalar_name})")


def _check_identity(x, order, dim, axes):
    if x.size or not (order < 0 or order == math.inf):
        return
    start = f"linalg.vector_norm cannot compute the {order:g} norm on "
    if dim is None or dim == ():
        raise RuntimeError(f"{start}an empty tensor because the operation does not have an identity")
    for axis in axes:
        if x.shape[axis] == 0:
            raise RuntimeError(f"{start}the dimension {axis}because this dimension is empty and the "
                               "operation does not have an identity")


@op("linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, "
    "ScalarType? dtype=None) -> Tensor", grads={"self": _vector_norm_gradient},
    gradient=("self", ("g", "result")), static=("ord",), method=False,
    autocast={"cuda": "fp32_dtype"}, doc="The vector norm of order `ord` along `dim`.")
def _linalg_vector_norm(x, *, ord, dim, keepdim, dtype):
    axes = wrap_dims(dim, x.ndim)
    check_norm_dtype(dt.from_np(x.dtype), dtype)
    _check_identity(x, ord, dim, axes)
    if dtype is not None:
        x = x.astype(dtype.np)
    norm = _norm_value(wide(x), ord, axes, keepdim)
    return norm if is_complex(x) else norm.astype(x.dtype)


@op("dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", promote=DIFFERENCE, static=("p",), out=False,
    grads={"self": lambda g, self, other, result, p: norm_gradient(g, self - other, p, result, None),
           "other": lambda g, self, other, result, p: -norm_gradient(g, self - other, p, result, None)},
    autocast={"cuda": "fp32"}, doc="The `p`-norm of `self` - `other`.")
def _dist(x, y, *, p):
    difference = x - y
    if is_integral(difference):
        raise RuntimeError("norm(): input dtype should be either floating point or complex. Got "
                           f"{scalar_name(difference)} instead.")
    _check_identity(difference, p, None, ())
    return _norm_value(difference, p, None, False)


def _renorm_gradient(g, self, p, dim, maxnorm):
    axis = wrap_dim(dim, self.ndim)
    axes = tuple(i for i in range(self.ndim) if i != axis)
    x, slope = doubled(self), doubled(g)
    norm = _norm_value(x, p, axes, True)
    along = norm_gradient(jnp.sum((jnp.conj(x) * slope).real, axes, keepdims=True), x, p, norm, axes)
    inverse = 1 / (norm + 1e-7)
    return jnp.where(norm > maxnorm, maxnorm * inverse * (slope - inverse * along), slope).astype(g.dtype)


@op("renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", static=("p",), grads={"self": _renorm_gradient},
    fits={"maxnorm": as_limit("renorm: expected maxnorm to be >= 0 but got {:g}")}, inplace=True, autocast={"cuda": "fp32"})
def _renorm(x, *, p, dim, maxnorm):
    """Slices along `dim` whose p-norm is larger than `maxnorm` scaled down to it."""
    if not p > 0:  # nan neither
        raise RuntimeError("renorm: non-positive-norm not supported")
    check_norm_dtype(dt.from_np(x.dtype), None)
    if x.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {x.ndim} dimensions")
    axis = wrap_dim(dim, x.ndim)
    axes = tuple(i for i in range(x.ndim) if i != axis)
    w = doubled(x)
    norm = _norm_value(w, p, axes, True)
    return (w * jnp.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1)).astype(x.dtype)
