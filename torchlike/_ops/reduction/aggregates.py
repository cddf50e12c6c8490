"""Reductions: sums, extrema, moments, norms, order statistics.

https://pytorch.org/docs/stable/torch.html#reduction-ops. `dim` None or () means all dimensions.
"""

import math

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim, wrap_dims
from torchlike._ops import gradient_strides as lies
from torchlike._ops import promotion
from torchlike._ops.numerics import lean, sums
from torchlike._ops.numerics.lean import Lean
from torchlike._ops.rules import is_complex, is_float, is_integral, refuse, scalar_name, settled, wide
from torchlike._ops.table import op

# -- sums and means

def accumulator(x, dtype):
    """`x` in the dtype that sums are kept in, and the dtype of the result."""
    if dtype is not None:
        x = promotion.cast(x, dtype)
    out = jnp.dtype(jnp.int64) if is_integral(x) and dtype is None else x.dtype
    return wide(x.astype(out) if is_integral(x) else x), out


def _sum(x, *, dim=None, keepdim=False, dtype=None):
    axes = wrap_dims(dim, x.ndim)
    x, out = accumulator(x, dtype)
    return sums.total(x, axes, keepdim).astype(out)


def spread(g, shape, dim, keepdim):
    """The gradient of a sum: `g` repeated over the dimensions that it went over."""
    if dim is not None and not keepdim:
        g = lax.expand_dims(g, wrap_dims(dim, len(shape)))
    return lean.broadcast_to(g, shape).array


op("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", _sum,
   grads={"self": lambda g, self_aval: spread(g, self_aval.shape, None, False)}, tangent="fn",
   gradient=lies.spread, autocast={"cuda": "fp32_dtype"}, doc="The sum of all elements.")
op("sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", _sum,
   grads={"self": lambda g, self_aval, dim, keepdim: spread(g, self_aval.shape, dim, keepdim)}, tangent="fn",
   gradient=lies.spread_along, node="SumBackward1", autocast={"cuda": "fp32_dtype"}, doc="The sums along `dim`.")


def _mean(x, *, dim=None, keepdim=False, dtype=None):
    axes = wrap_dims(dim, x.ndim)
    if (is_integral(x) and dtype is None) or (dtype is not None and not (
            dtype.is_floating_point or dtype.is_complex)):
        raise RuntimeError(_mean_dtype_text(x, dtype))
    x, out = accumulator(x, dtype)
    count = math.prod(x.shape[axis] for axis in axes)
    return (settled(sums.total(x, axes, keepdim)) / count).astype(out)


def _mean_dtype_text(x, dtype):
    where, name = ("Input", scalar_name(x)) if dtype is None else ("Optional", dtype.scalar_name)
    return (f"mean(): could not infer output dtype. {where} dtype must be either a floating point or "
            f"complex dtype. Got: {name}")


def _mean_gradient(g, self_aval, dim=None, keepdim=False):  # jax.vjp divides 0 by 0 where there is nothing
    count = math.prod(self_aval.shape) // max(g.size, 1)
    return Lean(spread(g, self_aval.shape, dim, keepdim)) / max(count, 1)


op("mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", _mean,
   grads={"self": lambda g, self_aval: _mean_gradient(g, self_aval)}, doc="The mean of all elements.")
op("mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
   _mean, grads={"self": _mean_gradient}, node="MeanBackward1", doc="The means along `dim`.")

# -- the largest and the smallest

def evenly(g, self, result):
    """Shared by the elements that equal the result (all NaNs, if it is NaN)."""
    mask = jnp.isnan(self) if is_float(self) else jnp.zeros(self.shape, bool)
    mask = jnp.where(jnp.isnan(result), mask, self == result) if is_float(self) else self == result
    return jnp.where(mask, g / jnp.sum(mask), 0)


def _needs_elements(name):
    return (f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument.")


def _whole(name, pick):
    def extremum(x):
        if x.size == 0:
            raise RuntimeError(_needs_elements(name))
        refuse(x, f"{name}_all", (dt.COMPLEX,))
        return pick(x)

    return extremum


op("max(Tensor self) -> Tensor", _whole("max", jnp.max), grads={"self": evenly}, node="MaxBackward1",
   doc="The largest element.", by_hand="function method")
op("min(Tensor self) -> Tensor", _whole("min", jnp.min), grads={"self": evenly}, node="MinBackward1",
   doc="The smallest element.", by_hand="function method")


def scatter_back(g, indices, shape, dim, keepdim):
    """The gradient of picking one element along `dim`: it goes to the index that was picked."""
    if not shape:
        return g
    axis = wrap_dim(dim, len(shape))
    if not keepdim:
        g, indices = jnp.expand_dims(g, axis), jnp.expand_dims(indices, axis)
    places = jnp.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return jnp.where(places == indices, g, 0)


def picked(g0, result1, self_aval, dim, keepdim):
    return scatter_back(g0, result1, self_aval.shape, dim, keepdim)


def check_dim(name, x, dim):
    axis = wrap_dim(dim, x.ndim)
    if x.ndim and x.shape[axis] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    return axis


def first_index(x, extremum, axis):
    """Where along `axis` the extremum (kept with size 1) stands first; the first NaN, if it is NaN.

    As two plain reductions, which XLA vectorizes: 10 times faster on CPU than argmax.
    """
    here = x == extremum
    if is_float(x):
        here |= jnp.isnan(x)  # where there is a NaN nothing equals the extremum
    places = jax.lax.broadcasted_iota(jnp.int32 if x.shape[axis] < 2**31 else jnp.int64, x.shape, axis)
    return jnp.min(jnp.where(here, places, x.shape[axis]), axis, keepdims=True).astype(jnp.int64)


def _along(name, pick):
    def extremum(x, *, dim, keepdim):
        axis = check_dim(name, x, dim)
        if is_complex(x):
            raise RuntimeError(f"{name}(): does not support complex input")
        if x.ndim == 0:
            return x, jnp.zeros((), jnp.int64)
        values = pick(x, axis, keepdims=True)
        indices = first_index(x, values, axis)
        return (values, indices) if keepdim else (jnp.squeeze(values, axis), jnp.squeeze(indices, axis))

    return extremum


for _name, _pick, _word in (("max", jnp.max, "largest"), ("min", jnp.min, "smallest")):
    op(f"{_name}.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
       _along(_name, _pick), grads={"self": picked}, by_hand="function method", node=f"{_name.capitalize()}Backward0",
       doc=f"The {_word} elements along `dim`, and where they are.")


# -- extrema over several dimensions

def _extreme_dims(name, pick):
    def extremum(x, *, dim, keepdim):
        axes = wrap_dims(dim, x.ndim)
        if x.size == 0:
            _refuse_empty(name, x, dim, axes)
        refuse(x, f"{'max' if name == 'amax' else 'min'}_values_cpu", (dt.COMPLEX,))
        return pick(x, axis=axes, keepdims=keepdim)

    return extremum


def _refuse_empty(name, x, dim, axes):
    if dim is None or dim == ():
        raise RuntimeError(_needs_elements(name))
    for given, axis in zip((dim,) if isinstance(dim, int) else dim, axes, strict=True):
        if x.shape[axis] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {given} to have non-zero size.")


def _restored(x, ndim, dim, keepdim):
    """A reduced array with its dimensions back, of size 1."""
    if keepdim or not ndim:
        return x
    return jnp.expand_dims(x, wrap_dims(dim, ndim))


def _shared(g, self, result, dim, keepdim):
    """Shared evenly by the elements that are the extremum; NaN where the extremum is NaN."""
    mask = _restored(result, self.ndim, dim, keepdim) == self
    count = jnp.sum(mask, wrap_dims(dim, self.ndim), keepdims=True)
    return _restored(g, self.ndim, dim, keepdim) * mask / count


for _name, _pick, _word in (("amax", jnp.max, "largest"), ("amin", jnp.min, "smallest")):
    op(f"{_name}(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", _extreme_dims(_name, _pick),
       grads={"self": _shared}, gradient=("g", ("result", "self")),
       doc=f"The {_word} elements along `dim`; equal ones share the gradient.")


def _both_shares(self, dim, keepdim, g0, g1, result0, result1):
    dims = None if dim is None else (dim,)
    shares = [_shared(g, self, result, dims, keepdim)
              for g, result in ((g0, result0), (g1, result1)) if g is not None]
    return sum(shares[1:], shares[0])


@op("aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
    grads={"self": _both_shares}, doc="The smallest and the largest elements along `dim`.")
def _aminmax(x, *, dim, keepdim):
    if dim is None and x.size == 0:
        raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has "
                           "no identity.")
    axis = None if dim is None else wrap_dim(dim, x.ndim)
    if axis is not None and x.ndim and x.shape[axis] == 0:
        raise IndexError(f"aminmax: Expected reduction dim {axis} to have non-zero size.")
    refuse(x, "aminmax_cpu", (dt.COMPLEX,))
    axes = axis if x.ndim else None
    return jnp.min(x, axes, keepdims=keepdim), jnp.max(x, axes, keepdims=keepdim)


def _whole_index(x, pick):
    flat = x.reshape(-1)
    return first_index(flat, pick(flat, keepdims=True), 0)


def _arg(name, pick, doc):
    def arg(x, *, dim, keepdim):
        if is_complex(x) or x.dtype == jnp.bool_:
            kind = "bool" if x.dtype == jnp.bool_ else "complex"
            raise RuntimeError(f"{name}(): does not support {kind} input")
        if dim is None and x.size == 0:
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        axis = None if dim is None else check_dim(name, x, dim)
        if x.ndim == 0:
            return jnp.zeros((), jnp.int64)
        index = _whole_index(x, pick) if axis is None else first_index(x, pick(x, axis, keepdims=True), axis)
        if axis is None:
            return jnp.reshape(index, (1,) * x.ndim if keepdim else ())
        return index if keepdim else jnp.squeeze(index, axis)

    op(f"{name}(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", arg, doc=doc)


_arg("argmax", jnp.max, doc="Where the largest element along `dim` is.")
_arg("argmin", jnp.min, doc="Where the smallest element along `dim` is.")

# -- products


_LANES = 64


def _prod(x, *, dim=None, keepdim=False, dtype=None):
    axis = None if dim is None else wrap_dim(dim, x.ndim)
    x, out = accumulator(x, dtype)
    if axis is None and x.size > _LANES and x.size % _LANES == 0:  # a chain of products cannot be vectorized
        x = jnp.prod(x.reshape(-1, _LANES), 0)
    return jnp.prod(x, axis if x.ndim else None, keepdims=keepdim).astype(out)


def _products_of_others(x, axis):
    """Along `axis` for each element the product of those before it and of those behind it."""
    if x.shape[axis] == 1:  # XLA takes a minute to find out that a cumulative product of 2**24 ones is one
        return jnp.ones_like(x)

    def before(x, reverse):
        one = jnp.ones_like(lax.slice_in_dim(x, 0, 1, axis=axis))
        size = x.shape[axis]
        rest = lax.slice_in_dim(x, 1, size, axis=axis) if reverse else lax.slice_in_dim(x, 0, size - 1, axis=axis)
        return lax.cumprod(lax.concatenate([rest, one] if reverse else [one, rest], axis), axis, reverse=reverse)

    return before(x, False) * before(x, True)


def _prod_gradient(g, self, result, dim=None, keepdim=False):
    """result / self, unless there is a zero: then the product of the others, which is slower. One number is its product."""
    if not self.ndim:
        return g
    axis = None if dim is None else wrap_dim(dim, self.ndim)
    x = self.astype(g.dtype)
    if axis is not None and not keepdim:
        g, result = jnp.expand_dims(g, axis), jnp.expand_dims(result, axis)

    def others():
        if axis is not None:
            return g * jnp.conj(_products_of_others(x, axis))
        found = g * jnp.conj(_products_of_others(x.reshape(-1), 0).reshape(x.shape))
        return jnp.where((jnp.sum(x == 0) > 1) & jnp.isnan(found), 0, found)  # PyTorch does not look at the other elements

    def quotient():
        zero = x == 0
        return g * jnp.conj(result / jnp.where(zero, 1, x))

    return jax.lax.cond(jnp.any(x == 0), others, quotient) if x.size else x


def _whole_prod_gradient(g, self, result):
    return _prod_gradient(g, self, result)


op("prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", _prod, grads={"self": _whole_prod_gradient},
   gradient=("g", ("result", "self")), autocast={"cpu": "fp32", "cuda": "fp32_dtype"}, doc="The product of all elements.")
op("prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", _prod,
   grads={"self": _prod_gradient}, gradient=("g", ("result", "self")), node="ProdBackward1",
   autocast={"cpu": "fp32", "cuda": "fp32_dtype"},
   doc="The products along `dim`.")

# -- truth and counts


def _truth(name, fn, which):
    def truth(x, *, dim=None, keepdim=False):
        axes = () if dim == () else wrap_dims(dim, x.ndim)  # no dimensions: every element by itself
        return fn(x != 0, axes, keepdims=keepdim).astype(jnp.uint8 if x.dtype == jnp.uint8 else jnp.bool_)

    op(f"{name}(Tensor self) -> Tensor", truth, doc=f"Whether {which} nonzero.")
    op(f"{name}.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", truth,
       doc=f"Whether {which} nonzero, along `dim`.",
       dispatch=lambda are_tensors, params: f"{name}.{'dims' if isinstance(params[0], tuple) else 'dim'}")


_truth("any", jnp.any, "an element is")
_truth("all", jnp.all, "all elements are")


@op("count_nonzero(Tensor self, int[]? dim=None) -> Tensor", out=False, doc="How many elements are nonzero, along `dim`.")
def _count_nonzero(x, *, dim):
    return jnp.sum(x != 0, wrap_dims(dim, x.ndim), dtype=jnp.int64)


# -- sums without NaN, sums of exponentials

@op("nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    grads={"self": lambda g, self, dim, keepdim:  # a product: NaN where nothing but NaN was there
           spread(g, self.shape, dim, keepdim) * jnp.where(jnp.isnan(self), 0, 1).astype(g.dtype)},
    gradient="pointwise", doc="The sums along `dim`, with NaN counted as 0.")
def _nansum(x, *, dim, keepdim, dtype):
    if is_complex(x):
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if is_float(x) and dtype is not None and dtype.is_complex:
        raise NotImplementedError(f"\"nansum_cpu\" not implemented for '{dtype.scalar_name}'")
    kept = x if is_integral(x) else jnp.where(jnp.isnan(x), 0, x)
    return _sum(kept, dim=dim, keepdim=keepdim, dtype=dtype)


def _logsumexp_gradient(g, self, result, dim, keepdim):
    peak = _restored(result, self.ndim, dim, keepdim)
    return _restored(g, self.ndim, dim, keepdim) * jnp.conj(jnp.exp(self - peak))


@op("logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", promote="float",
    grads={"self": _logsumexp_gradient}, gradient=("g", ("self", "result")),
    aliases=("special_logsumexp",), autocast={"cuda": "fp32"},
    doc="The logarithm of the sum of exponentials along `dim`, without overflow.")
def _logsumexp(x, *, dim, keepdim):
    axes = wrap_dims(dim, x.ndim)
    if x.size == 0:
        return jnp.log(jnp.sum(jnp.exp(x), axes, keepdims=keepdim))
    peak = jax.lax.stop_gradient(jnp.max(x.real, axes, keepdims=True))
    peak = jnp.where(jnp.isinf(peak), 0, peak)
    total = jnp.log(jnp.sum(jnp.exp(x - peak), axes, keepdims=True)) + peak
    return total if keepdim else jnp.squeeze(total, axes)
