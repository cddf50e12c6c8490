"""Indexing by tensors: ``x[i, :, j]``, ``x[i] = v``, and index_select, index_add, take, masked_select.

What Python writes in the brackets is taken apart in `torchlike/_api/subscripts.py`. Out of bounds a row
reads NaN and writes nothing; `torchlike/_ops/index_bounds.py` raises PyTorch's errors where values are known.
https://pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._base.errors import wrap_dim
from torchlike._ops import index_bounds
from torchlike._ops.indexing.joining import shape_text
from torchlike._ops.indexing.scatter import strict
from torchlike._ops.number_ranges import as_result
from torchlike._ops.rules import is_complex, is_integral, scalar_name
from torchlike._ops.table import SAME, Write, op

# -- x[indices]

def _full(indices, ndim):
    """Indices for jnp: one a dimension, a slice where there is none."""
    return tuple(slice(None) if i is None else i for i in indices) + (slice(None),) * (ndim - len(indices))


def check_indices(shape, indices) -> None:
    """IndexError where there are too many, their shapes do not broadcast, or a dimension is empty."""
    if len(indices) > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)} (got {len(indices)})")
    there = [i for i in indices if i is not None]
    try:
        common = np.broadcast_shapes(*(i.shape for i in there))
    except ValueError:
        texts = ", ".join(shape_text(i.shape) for i in there)
        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                         f"{texts}") from None
    for size, i in zip(shape, indices, strict=False):
        if i is not None and size == 0 and math.prod(common):
            raise IndexError("index is out of bounds for dimension with size 0")


def result_shape(shape, indices) -> tuple:
    """The shape of ``x[indices]``: index dimensions stay in place if they are neighbours, else go first."""
    places = [d for d, i in enumerate(indices) if i is not None]
    common = np.broadcast_shapes(*(indices[d].shape for d in places))
    rest = [n for d, n in enumerate(shape) if d not in places]
    neighbours = bool(places) and places[-1] - places[0] == len(places) - 1
    at = places[0] if neighbours else 0
    return (*rest[:at], *common, *rest[at:])


def _read(x, indices):
    return x.at[_full(indices, x.ndim)].get(mode="fill")


@op("index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", grads={"self": "indices"}, method=False,
    function=False, bounds=index_bounds.index, doc="``self[indices]``: the elements that index tensors name.")
def _index(x, indices):
    check_indices(x.shape, indices)
    return _read(x, indices)


# -- x[indices] = values

def _mask_of(indices):
    """(position, mask) of a single boolean index, or None."""
    there = [(d, i) for d, i in enumerate(indices) if i is not None]
    return there[0] if len(there) == 1 and there[0][1].dtype == jnp.bool_ else None


def _aligned(mask, at, ndim):
    return mask.reshape((1,) * at + mask.shape + (1,) * (ndim - at - mask.ndim))


def without_leading_ones(x, ndim):
    """`x` with no more than `ndim` dimensions: leading ones go."""
    while x.ndim > ndim and x.shape[0] == 1:
        x = x.reshape(x.shape[1:])
    return x


def _check_values(values, target):
    values = without_leading_ones(values, len(target))
    pairs = zip(values.shape[::-1], target[::-1], strict=False)
    if values.ndim > len(target) or any(n not in (1, m) for n, m in pairs):
        raise RuntimeError(f"shape mismatch: value tensor of shape {shape_text(values.shape)} cannot be "
                           f"broadcast to indexing result of shape {shape_text(target)}")
    return values


def _write(x, indices, values, accumulate):
    at = x.at[_full(indices, x.ndim)]
    return _into(at, values, accumulate)


def _into(at, values, accumulate):
    if not accumulate:
        return at.set(values, mode="drop")
    return at.max(values, mode="drop") if values.dtype == jnp.bool_ else at.add(values, mode="drop")


def _put_self(g, indices, accumulate):
    if accumulate:
        return g
    return _put(g, indices, jnp.zeros((), g.dtype), accumulate=False)


def _put_values(g, indices):
    masked = _mask_of(indices)
    if masked is None:
        return _read(g, indices)
    return jnp.where(_aligned(masked[1], masked[0], g.ndim), g, 0)


@op("index_put(Tensor self, Tensor?[] indices, Tensor|Scalar values, bool accumulate=False) -> Tensor", inplace=True,
    grads={"self": _put_self, "values": _put_values}, layout="preserve",
    inplace_functions=("index_put_",), autocast={"cuda": "promote"}, tangent="fn apart", bounds=index_bounds.index,
    write=Write(overlap="apart first", vmap="plain"),
    doc="`self` with `values` written to, or added at, the elements that index tensors name.",
    by_hand="function method in_place")
def _put(x, indices, values, *, accumulate):
    """A single boolean index is allowed if there is one value: then it is a select."""
    masked = _mask_of(indices)
    values = values.astype(x.dtype)  # a number, or one value under a mask; else the dtypes are the same
    if masked is not None:
        mask, value = _aligned(masked[1], masked[0], x.ndim), values.reshape(())
        return jnp.where(mask, x + value if accumulate else value, x)
    check_indices(x.shape, indices)
    return _write(x, indices, _check_values(values, result_shape(x.shape, indices)), accumulate)


# -- whole slices along one dimension

def _check_vector(index, text):
    if index.ndim > 1:
        raise IndexError(text)


def _along(dim, index):
    return (slice(None),) * dim + (index,)


def _spread_slices(g, index, shape, dim):
    """The gradient of `index_select`."""
    if not shape:
        return g.sum()
    dim, index = wrap_dim(dim, len(shape)), index.reshape(-1)
    return jnp.zeros(shape, g.dtype).at[_along(dim, strict(index, shape[dim]))].add(g, mode="drop")


def select_slices(x, index, dim):
    """The slices of `x` at the index along `dim`, NaN out of bounds."""
    if x.ndim == 0:
        return jnp.where(index.reshape(-1)[0] == 0, x, jnp.nan if not is_integral(x) else 0).astype(x.dtype)
    return jnp.take(x, strict(index.reshape(-1), x.shape[dim]), dim, mode="fill")


@op("index_select(Tensor self, int dim, Tensor index) -> Tensor",
    grads={"self": lambda g, self_aval, dim, index: _spread_slices(g, index, self_aval.shape, dim)},
    bounds=index_bounds.index_select, doc="The slices along `dim` that `index` names.", by_hand="function method")
def _index_select(x, index, *, dim):
    dim = wrap_dim(dim, x.ndim)
    _check_vector(index, "index_select(): Index is supposed to be a vector")
    if index.dtype not in (jnp.int32, jnp.int64):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if x.ndim == 0 and index.size != 1:
        raise RuntimeError("index_select(): Index to scalar can have only 1 value, got "
                           f"{index.size} value(s)")
    if x.ndim and not x.shape[dim] and index.size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    return select_slices(x, index, dim)


def _sliced(dim, shape):
    return [n for d, n in enumerate(shape) if d != dim]


def check_index_add(x, index, source, dim, name="index_add_()"):
    """The errors of index_add and index_reduce."""
    _check_vector(index, f"{name}: Index is supposed to be a vector, but got dim: {index.ndim} with type: "
                         f"{scalar_name(index)} and size: {shape_text(index.shape)}")
    if index.dtype not in (jnp.int32, jnp.int64):
        raise RuntimeError(f"{name}: Expected dtype int32/int64 for index but got: {scalar_name(index)}")
    if source.dtype != x.dtype:
        raise RuntimeError(f"{name}: self ({scalar_name(x)}) and source ({scalar_name(source)}) must have "
                           "the same scalar type")
    count = source.shape[dim] if dim < source.ndim else 1
    if index.size != count and not source.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if index.size != count:
        raise RuntimeError(f"{name}: Number of indices ({index.size}) should be equal to source.size(dim): "
                           f"({count}), for dim: {dim}")
    if source.ndim != x.ndim or _sliced(dim, x.shape) != _sliced(dim, source.shape):
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified "
                           "dimension. Got "
                           f"self.shape = {shape_text(x.shape)} source.shape = {shape_text(source.shape)}")


def _add_slices(x, index, source, dim, how="add"):
    """`x` with the slices of `source` added (set, ...) at the index."""
    if x.ndim == 0:
        return _add_slices(x.reshape(1), index, source.reshape(1), 0, how).reshape(())
    at = x.at[_along(dim, strict(index.reshape(-1), x.shape[dim]))]
    if source.ndim < x.ndim:
        source = source.reshape(*x.shape[:dim], -1, *x.shape[dim + 1:])
    return getattr(at, how)(source, mode="drop")


def _slices_of(g, index, source_aval, dim):
    return select_slices(g, index, wrap_dim(dim, g.ndim)).reshape(source_aval.shape)


@op("index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", inplace=True,
    grads={"self": SAME, "source": lambda g, dim, index, source, alpha:
           _slices_of(g, index, source, dim) * jnp.conj(alpha)},
    bounds=index_bounds.index_add, fits={"alpha": as_result}, write=Write(overlap="apart late", vmap="plain"),
    doc="`self` with slices of `source`, times `alpha`, added to those that `index` names along `dim`.",
    by_hand="function method in_place")
def _index_add(x, index, source, *, dim, alpha):
    dim = wrap_dim(dim, x.ndim)
    check_index_add(x, index, source, dim)
    if x.dtype == jnp.bool_:
        return _add_slices(x, index, source & (alpha != 0), dim, "max")
    return _add_slices(x, index, (source * alpha.astype(x.dtype)).astype(x.dtype), dim)


def _check_index_copy(x, index, source, dim):
    name = "index_copy_()"
    _check_vector(index, f"{name}: Index should have dimension 1 or 0 (got {index.ndim})")
    if source.ndim and x.ndim and source.ndim != x.ndim:
        raise IndexError(f"{name}: When source and destination are not scalars, their dimensionality must "
                         "match. "
                         f"Source dimensionality ({source.ndim}), destination dimensionality ({x.ndim})")
    if index.dtype != jnp.int64:
        raise RuntimeError(f"{name}: Expected a long tensor for index, but got {scalar_name(index)}")
    if source.dtype != x.dtype:
        raise RuntimeError(f"{name}: self and source expected to have the same dtype, but got (self) "
                           f"{scalar_name(x)} and (source) {scalar_name(source)}")
    mine, theirs = (_sliced(dim, a.shape) for a in (x, source))
    if mine != theirs:
        raise RuntimeError(f"{name}: Source/destination tensor must have same slice shapes. Destination "
                           "slice shape: "
                           f"{' '.join(map(str, mine))} at dimension {dim} and source slice shape: "
                           f"{' '.join(map(str, theirs))} at dimension 0.")
    count = source.shape[dim] if source.ndim else 1
    if index.size != count:
        raise IndexError(f"{name}: Number of indices ({index.size}) should be equal to source.size(dim) "
                         f"({count})")


def _fill_slices(g, index, dim):
    return _set_slices(g, index, jnp.zeros((), g.dtype), wrap_dim(dim, g.ndim))


def _set_slices(x, index, value, dim, wrap=False):
    if not index.size:
        return x
    if x.ndim == 0:
        return jnp.broadcast_to(value, ())
    index = index.reshape(-1)
    return x.at[_along(dim, index if wrap else strict(index, x.shape[dim]))].set(value, mode="drop")


@op("index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", inplace=True,
    grads={"self": _fill_slices,
           "source": lambda g, dim, index, source: _slices_of(g, index, source, dim)},
    autocast={"cpu": "promote"}, bounds=index_bounds.along(IndexError, "index_copy_(): "), write=Write(overlap="apart"),
    tangent="fn apart",
    doc="`self` with slices of `source` in the place of those that `index` names along `dim`.",
    by_hand="function method in_place")
def _index_copy(x, index, source, *, dim):
    dim = wrap_dim(dim, x.ndim)
    _check_index_copy(x, index, source, dim)
    return _add_slices(x, index, source, dim, "set")


def _index_fill(x, index, value=None, *, dim, **number):
    dim = wrap_dim(dim, x.ndim)
    value = number["value"] if value is None else value
    if index.dtype != jnp.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if is_complex(value) and not is_complex(x):
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    if value.ndim:
        raise RuntimeError("index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{value.ndim} dimension(s).")
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    return _set_slices(x, index, value.astype(x.dtype), dim, wrap=True)


def _filled_self(g, index, dim):
    return _set_slices(g, index, jnp.zeros((), g.dtype), wrap_dim(dim, g.ndim), wrap=True)


def _filled_value(g, index, dim):
    """The sum over the slices that were filled, each counted once."""
    return (g - _filled_self(g, index, dim)).sum()


op("index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", _index_fill,
   inplace=True, fits={"value": as_result},
   grads={"self": _filled_self}, layout="preserve",
   bounds=index_bounds.along(IndexError, negative=True), write=Write(overlap="apart first"),
   doc="`self` with `value` in the slices that `index` names along `dim`.", by_hand="function method in_place")
op("index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor", _index_fill,
   inplace=True,
   grads={"self": _filled_self, "value": _filled_value}, node="IndexFillBackward1",
   layout="preserve", bounds=index_bounds.along(IndexError, negative=True), write=Write(overlap="apart first"),
   doc="`self` with `value` in the slices that `index` names along `dim`.", by_hand="function method in_place")


# -- the flattened tensor

def _check_long(name, index):
    if index.dtype != jnp.int64:
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got {scalar_name(index)}")


def _take_gradient(g, self, index):
    flat = jnp.zeros(self.size, g.dtype).at[index.reshape(-1)]
    return flat.add(g.reshape(-1), mode="drop").reshape(self.shape)


@op("take(Tensor self, Tensor index) -> Tensor", grads={"self": _take_gradient}, bounds=index_bounds.flat,
    doc="The elements at positions in the flattened tensor.", by_hand="function method")
def _take(x, index):
    _check_long("take", index)
    if x.size == 0 and index.size:
        raise IndexError("take(): tried to take from an empty tensor")
    return x.reshape(-1).at[index].get(mode="fill")


def _put_flat(x, index, values, accumulate):
    at = x.reshape(-1).at[index.reshape(-1)]
    return _into(at, values, accumulate).reshape(x.shape)


def _put_flat_self(g, index, accumulate):
    return g if accumulate else _put_flat(g, index, jnp.zeros((), g.dtype), False)


def _put_flat_source(g, index, source):
    return g.reshape(-1).at[index].get(mode="fill").reshape(source.shape)


@op("put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", inplace=True,
    grads={"self": _put_flat_self, "source": _put_flat_source}, bounds=index_bounds.flat, write=Write(overlap="apart late"),
    tangent="fn apart",
    doc="`self` with elements of `source` written to positions in the flattened tensor.", by_hand="function method in_place")
def _put_row(x, index, source, *, accumulate):
    _check_long("put_", index)
    if source.dtype != x.dtype:
        raise RuntimeError("put_(): self and source expected to have the same dtype, but got self.dtype = "
                           f"{scalar_name(x)} and source.dtype = {scalar_name(source)}")
    if index.size != source.size:
        raise IndexError("put_(): Expected source and index to have the same number of elements, but got "
                         f"source.numel() = {source.size}, index.numel() = {index.size}")
    return _put_flat(x, index, source.reshape(-1), accumulate)


# -- masks

def _select_gradient(g, self, mask, places):
    shape = jnp.broadcast_shapes(self.shape, mask.shape)
    return jnp.zeros(math.prod(shape), g.dtype).at[places].set(g, unique_indices=True).reshape(shape)


@op("masked_select(Tensor self, Tensor mask, Tensor places) -> Tensor", grads={"self": _select_gradient},
    method=False, function=False, doc="The elements where `mask` is true, as a vector.")
def _masked_select(x, mask, places):
    """`places` are the positions of the mask's ones in the flattened result of broadcasting."""
    shape = jnp.broadcast_shapes(x.shape, mask.shape)
    return jnp.broadcast_to(x, shape).reshape(-1)[places]


def _ranks(mask, size):
    """For each one of the mask its number among the ones; `size` for zeros."""
    flat = mask.reshape(-1)
    return jnp.where(flat, jnp.cumsum(flat) - 1, size)


def _scattered_source(g, mask, source_aval):
    mask = jnp.broadcast_to(mask, g.shape)
    size = math.prod(source_aval.shape)
    ranks = _ranks(mask, size)
    return jnp.zeros(size, g.dtype).at[ranks].set(g.reshape(-1), mode="drop").reshape(source_aval.shape)


@op("masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", inplace=True,
    grads={"self": lambda g, mask: jnp.where(mask, 0, g), "source": _scattered_source},
    doc="`self` with elements of `source`, in order, where `mask` is true.", by_hand="function method in_place")
def _masked_scatter(x, mask, source):
    if source.dtype != x.dtype:
        raise RuntimeError("masked_scatter: expected self and source to have same dtypes but "
                           f"got{scalar_name(x)} and {scalar_name(source)}")
    if mask.dtype != jnp.bool_:
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype "
                           f"{scalar_name(mask)}")
    shape = lax.broadcast_shapes(x.shape, mask.shape)
    x, mask = jnp.broadcast_to(x, shape), jnp.broadcast_to(mask, shape)
    if source.size == 0:
        return x
    found = source.reshape(-1).at[_ranks(mask, 0)].get(mode="fill").reshape(shape)
    return jnp.where(mask, found, x)
