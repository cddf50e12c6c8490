"""Reading and writing along one dimension by an index tensor: gather, scatter and their kin.

PyTorch refuses indices out of bounds. A row cannot see the values: it reads NaN there and writes
nothing; `torchlike._ops.index_bounds` raises PyTorch's errors where the values are known.
https://pytorch.org/docs/stable/generated/torch.gather.html
"""

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim
from torchlike._ops import index_bounds
from torchlike._ops.indexing.joining import shape_text
from torchlike._ops.number_ranges import as_result
from torchlike._ops.promotion import cast
from torchlike._ops.rules import is_integral, not_implemented, refuse
from torchlike._ops.table import SAME, Write, op

_INDEX_DTYPES = (jnp.int32, jnp.int64)
_SCATTERS = {"set": lax.scatter, "add": lax.scatter_add, "mul": lax.scatter_mul, "min": lax.scatter_min,
            "max": lax.scatter_max}
BOOL = {"set": "set", "add": "max", "mul": "min", "min": "min", "max": "max"}  # sums and products of bools


def as_vector(x):
    """A 0-d array as 1-d: PyTorch lets the two mix here."""
    return x.reshape(1) if x.ndim == 0 else x


def strict(index, size: int):
    """Negative indices are out of bounds here."""
    return jnp.where(index < 0, size, index)


def crop(x, shape, dim: int):
    """The part of `x` that an index of this shape reaches: its first elements in every other dimension."""
    if all(n == m for d, (n, m) in enumerate(zip(x.shape, shape, strict=True)) if d != dim):
        return x
    return x[tuple(slice(None) if d == dim else slice(0, n) for d, n in enumerate(shape))]


def read_along(x, index, dim: int):
    """``x[i][index[i][j]]`` along `dim`; NaN (the least integer) out of bounds."""
    shape = index.shape
    x, index = as_vector(x), as_vector(index)
    index = strict(index, x.shape[dim])
    out = jnp.take_along_axis(crop(x, index.shape, dim), index, dim, mode="fill")
    return out.reshape(shape)


def write_along(x, index, values, dim: int, how: str):
    """`x` with `values` set (added, ...) at the index along `dim`; out of bounds nothing is written."""
    if index.size == 0:
        return x
    shape = x.shape
    how = BOOL[how] if x.dtype == jnp.bool_ else how
    x, index = as_vector(x), as_vector(index)
    if values.ndim:
        values = crop(values, index.shape, -1)
    else:
        values = jnp.broadcast_to(values, index.shape)
    part = crop(x, index.shape, dim)
    if index.shape[dim] == 1 and how in ("set", "add"):
        written = _write_one(part, index, values, dim, how)
    else:
        written = _write_many(part, index, values, dim, how)
    if part.shape != x.shape:
        written = lax.dynamic_update_slice(x, written, (0,) * x.ndim)
    return written.reshape(shape)


def _write_one(x, index, values, dim, how):
    """One index a line (one-hot vectors, the gradient of picking a class): a select, not a scatter."""
    here = lax.broadcasted_iota(index.dtype, x.shape, dim) == index
    if how == "set":
        return jnp.where(here, values, x)
    return x + jnp.where(here, values, jnp.zeros((), values.dtype))


def _write_many(x, index, values, dim, how):
    others = tuple(d for d in range(x.ndim) if d != dim)
    numbers = lax.ScatterDimensionNumbers(
        update_window_dims=(), inserted_window_dims=(dim,), scatter_dims_to_operand_dims=(dim,),
        operand_batching_dims=others, scatter_indices_batching_dims=others)
    index = strict(index, x.shape[dim])[..., None]
    return _SCATTERS[how](x, index, values, numbers, mode=lax.GatherScatterMode.FILL_OR_DROP)


def spread_along(g, index, shape, dim: int):
    """The gradient of `read_along`: `g` added into zeros of `shape`."""
    return write_along(jnp.zeros(shape, g.dtype), index, g, wrap_dim(dim, len(shape)), "add")


# -- checks of shapes and dtypes

def _check_index(name, index):
    if index.dtype not in _INDEX_DTYPES and index.size:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def _ndim(x) -> int:
    return max(x.ndim, 1)


def _check_gather(x, index, dim):
    dim = wrap_dim(dim, x.ndim)
    if index.size == 0:
        return dim
    if _ndim(x) != _ndim(index):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    _check_index("gather", index)
    for d in range(index.ndim):
        if d != dim and index.shape[d] > x.shape[d]:
            raise RuntimeError(f"Size does not match at dimension {d} expected index "
                               f"{shape_text(index.shape)} to be "
                               f"no larger than self {shape_text(x.shape)} apart from dimension {dim}")
    return dim


def _check_scatter(x, index, src, dim):
    """The wrapped dimension. `src` is an array, or None where a number is written."""
    dim = wrap_dim(dim, x.ndim)
    _check_index("scatter", index)
    if src is not None and src.dtype != x.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index.size == 0:
        return dim
    if _ndim(x) != _ndim(index):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if src is not None and _ndim(src) != _ndim(index):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    sizes = as_vector(index).shape
    bad_self = any(d != dim and n > as_vector(x).shape[d] for d, n in enumerate(sizes))
    bad_src = src is not None and any(n > as_vector(src).shape[d] for d, n in enumerate(sizes))
    if bad_self or bad_src:
        tail = f" and to be no larger size than src {shape_text(src.shape)}" if src is not None else ""
        raise RuntimeError(f"Expected index {shape_text(index.shape)} to be no larger than self "
                           f"{shape_text(x.shape)} apart from dimension {dim}{tail}")
    return dim


def _empty_read(x, index):
    return jnp.zeros(index.shape, x.dtype)


# -- gather

def _gather_gradient(g, self, index, dim):  # a select where there is one index a line: see _write_one
    return spread_along(g, index, self.shape, dim) if index.size else jnp.zeros_like(self)


@op("gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
    grads={"self": _gather_gradient}, bounds=index_bounds.along(RuntimeError),
    doc="The elements at the places that `index` names along `dim`.", by_hand="function method")
def _gather(x, index, *, dim, sparse_grad):
    dim = _check_gather(x, index, dim)
    return read_along(x, index, dim) if index.size else _empty_read(x, index)


# -- scatter

def _without(g, index, dim):
    return write_along(g, index, jnp.zeros((), g.dtype), wrap_dim(dim, g.ndim), "set")


def _source_gradient(name):
    def gradient(g, index, src_aval, dim):
        if index.size == 0:
            return jnp.zeros(src_aval.shape, g.dtype)
        if src_aval.shape != index.shape:
            raise RuntimeError(f"Function {name} returned an invalid gradient at index 1 - got "
                               f"{shape_text(index.shape)} but expected shape compatible with "
                               f"{shape_text(src_aval.shape)}")
        return read_along(g, index, wrap_dim(dim, g.ndim))

    return gradient


_SCATTER = {"self": _without, "src": _source_gradient("ScatterBackward0")}


@op("scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", grads=_SCATTER, inplace=True,
    tangent="fn apart", bounds=index_bounds.along(RuntimeError), write=Write(overlap="apart late"),
    doc="`self` with elements of `src` written to the places that `index` names along `dim`.",
    by_hand="function method in_place")
def _scatter(x, index, src, *, dim):
    return write_along(x, index, src, _check_scatter(x, index, src, dim), "set")


@op("scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", grads={"self": _without},
    node="ScatterBackward1", inplace=True, fits={"value": as_result},
    tangent="fn apart", bounds=index_bounds.along(RuntimeError), write=Write(overlap="apart late"),
    doc="`self` with `value` written to the places that `index` names along `dim`.", by_hand="function method in_place")
def _scatter_value(x, index, *, dim, value):
    return write_along(x, index, cast(value, dt.from_np(x.dtype)), _check_scatter(x, index, None, dim), "set")


_REDUCE = {"add": "add", "multiply": "mul"}


def _way(reduce):
    if reduce not in _REDUCE:
        raise RuntimeError("reduce argument must be either add or multiply.")
    return _REDUCE[reduce]


_NO_GRADIENT = not_implemented("scatter")


@op("scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor",
    node="NotImplemented",
    grads={"self": _NO_GRADIENT, "src": _NO_GRADIENT}, inplace=True,
    bounds=index_bounds.along(RuntimeError), write=Write(overlap="apart late"),
    doc="`self` with elements of `src` combined into the places that `index` names along `dim`.",
    by_hand="function method in_place")
def _scatter_reduced(x, index, src, *, dim, reduce):
    return write_along(x, index, src, _check_scatter(x, index, src, dim), _way(reduce))


@op("scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor",
    grads={"self": _NO_GRADIENT}, node="NotImplemented", inplace=True, fits={"value": as_result},
    bounds=index_bounds.along(RuntimeError), write=Write(overlap="apart late"),
    doc="`self` with `value` combined into the places that `index` names along `dim`.", by_hand="function method in_place")
def _scatter_value_reduced(x, index, *, dim, value, reduce):
    return write_along(x, index, cast(value, dt.from_np(x.dtype)), _check_scatter(x, index, None, dim), _way(reduce))


@op("scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", inplace=True,
    grads={"self": SAME, "src": _source_gradient("ScatterAddBackward0")},
    autocast={"cuda": "promote"}, bounds=index_bounds.along(RuntimeError), write=Write(overlap="apart late"),
    doc="`self` with elements of `src` added at the places that `index` names along `dim`.",
    by_hand="function method in_place")
def _scatter_add(x, index, src, *, dim):
    return write_along(x, index, src, _check_scatter(x, index, src, dim), "add")


# -- scatter_reduce

_REDUCTIONS = {"sum": "add", "mean": "add", "prod": "mul", "amax": "max", "amin": "min"}


def _identity(dtype, reduce):
    """What a place starts from when its own value does not count."""
    if reduce in ("sum", "mean", "prod"):
        return jnp.asarray(reduce == "prod", dtype)
    if jnp.issubdtype(dtype, jnp.floating):
        return jnp.asarray(-jnp.inf if reduce == "amax" else jnp.inf, dtype)
    if dtype == jnp.bool_:
        return jnp.asarray(reduce == "amin")
    limits = jnp.iinfo(dtype)
    return jnp.asarray(limits.min if reduce == "amax" else limits.max, dtype)


def _count(x, index, dim, include_self):
    """How many values meet at each place; 1 where there is none."""
    own = jnp.full(x.shape, include_self, x.dtype)
    count = write_along(own, index, jnp.ones(index.shape, x.dtype), dim, "add")
    return jnp.where(count == 0, 1, count)


def reduce_along(x, index, src, dim, reduce, include_self):
    """PyTorch's scatter_reduce."""
    if not include_self:
        x = write_along(x, index, _identity(x.dtype, reduce), dim, "set")
    if reduce == "prod":
        return _product_along(x, index, src, dim)
    out = write_along(x, index, src, dim, _REDUCTIONS[reduce])
    if reduce != "mean":
        return out
    count = _count(x, index, dim, include_self)
    return out // count if is_integral(out) else out / count


def _product_along(x, index, src, dim):
    """A product whose derivative JAX does not have where an index repeats: PyTorch's, at any order."""

    @jax.custom_vjp
    def product(x, src):
        return write_along(x, index, src, dim, "mul")

    def forward(x, src):
        return product(x, src), (x, src)

    def backward(saved, g):
        x, src = saved
        ours = jnp.conj(g)
        return tuple(jnp.conj(r) for r in _product_gradients(ours, x, index, src, dim, product(x, src)))

    product.defvjp(forward, backward)
    return product(x, src)


def _product_gradients(g, x, index, src, dim, result):
    """Of the place's own value and of the sources; a single zero among the sources is left out."""
    own = jnp.where(x == 0, 1, x)
    grad_self = g * _product_along(own, index, src, dim) / own
    zero = src == 0
    zeros = read_along(write_along(jnp.zeros(x.shape, x.dtype), index, zero.astype(x.dtype), dim, "add"),
                       index, dim)
    single = zero & (zeros == 1)
    rest = _product_along(x, index, jnp.where(single, 1, src), dim)
    grad_src = jnp.where(single, read_along(g * rest, index, dim),
                         read_along(g * result, index, dim) / jnp.where(zero, 1, src))
    return grad_self, grad_src


def _reduce_gradients(g, x, index, src, dim, reduce, include_self, result):
    """(of self, of src). https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html"""
    dim = wrap_dim(dim, x.ndim)
    if reduce == "sum":
        grads = g, read_along(g, index, dim)
    elif reduce == "mean":
        count = _count(x, index, dim, include_self)
        grads = g / count, read_along(g, index, dim) / read_along(count, index, dim)
    elif reduce == "prod":
        base = x if include_self else write_along(x, index, jnp.ones((), x.dtype), dim, "set")
        grads = _product_gradients(g, base, index, src, dim, result)
    else:
        mine, theirs = x == result, src == read_along(result, index, dim)
        count = write_along(mine.astype(x.dtype), index, theirs.astype(x.dtype), dim, "add")
        nobody = count == 0  # the result is NaN, and so is PyTorch's gradient
        share, rest = g / jnp.where(nobody, 1, count), jnp.where(nobody, jnp.nan, 0).astype(g.dtype)
        grads = (jnp.where(mine, share, rest),
                 jnp.where(theirs, read_along(share, index, dim), read_along(rest, index, dim)))
    return (grads[0] if include_self else _without(grads[0], index, dim)), grads[1]


def reduced_self(g, self, index, src, dim, reduce, include_self, result):
    """The gradient of scatter_reduce for the tensor that is written to."""
    if index.size == 0:
        return g
    return _reduce_gradients(g, self, index, src, dim, reduce, include_self, result)[0]


def reduced_src(g, self, index, src, dim, reduce, include_self, result):
    """The gradient of scatter_reduce for the values that are written."""
    if index.size == 0:
        return jnp.zeros_like(src)
    return _reduce_gradients(g, self, index, src, dim, reduce, include_self, result)[1]


@op("scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool "
    "include_self=True) -> Tensor", grads={"self": reduced_self, "src": reduced_src}, inplace=True,
    bounds=index_bounds.along(RuntimeError), write=Write(overlap="apart late"),
    doc="`self` with elements of `src` combined by `reduce` at the places that `index` names along `dim`.",
    by_hand="function method in_place")
def _scatter_reduce(x, index, src, *, dim, reduce, include_self):
    dim = _check_scatter(x, index, src, dim)
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if reduce == "mean":
        refuse(x, "scatter_gather_tensor_cpu_reduce_mean", (dt.BOOL,))
    if reduce in ("amax", "amin"):
        refuse(x, f"scatter_gather_tensor_cpu_reduce_{reduce}", (dt.COMPLEX,))
    return reduce_along(x, index, src, dim, reduce, include_self)
