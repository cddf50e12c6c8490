"""View operators: rows whose result reads its operand's memory.

A View says three things of a row: the geometry of the result (shape, strides and offset as PyTorch
computes them), how a write to the result changes the operand (`put`), and, where there are several
results, which one-result view each of them is (`member`).
"""

import dataclasses
import math
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._base import dtypes as dt
from torchlike._base.errors import INTERNAL_OVERLAP, UnsupportedError, wrap_dim, wrap_dims
from torchlike._ops import geometry as geo
from torchlike._ops import gradient_strides as lies
from torchlike._ops.table import SAME, Write, op


@dataclasses.dataclass(frozen=True, slots=True)
class View:
    """geometry(shape, strides, offset, **params) -> (shape, strides, offset), or a list of them.

    put(base, new, **params) -> the operand after the result has become `new`. member(i, shape,
    **params) -> (row name, params tuple). pick(shape, **params) -> (dim, first, size, whether the result has that
    dimension) where the result is `size` neighbours along `dim`, else None.
    joined(parts, **params) -> the operand whose results are `parts`, where there are several: their gradient as well.
    is_window: whether the elements of the result are elements of the operand, of its dtype and value.
    may_repeat: whether the result may show an element twice in a way that only its strides tell.
    is_whole: whether the result has each element of the operand once. Then `put` takes of its base the shape alone, and is
    the gradient, too.
    """

    geometry: Callable
    put: Callable
    member: Callable | None = None
    pick: Callable | None = None
    joined: Callable | None = None
    is_window: bool = True
    may_repeat: bool = False
    is_whole: bool = False


def _view(text, geometry, put, **options):
    own = {name: options.pop(name) for name in View.__slots__ if name in options}
    return op(text, view=View(geometry, put, **own), **options)


def _put_shape(base, new, **params):
    return lax.reshape(new, base.shape)


def _scatter_flat(base, new, index):
    """Write through the positions `index` (numpy, shaped as `new`) of the flattened base."""
    flat = base.reshape(-1).at[index.reshape(-1)].set(new.reshape(-1), unique_indices=True)
    return flat.reshape(base.shape)


# -- the same elements under another shape

@_view("view(Tensor self, int[*] size) -> Tensor", geo.view, _put_shape, is_whole=True, grads={"self": ""},
       gradient=lies.reshaped, function=False, doc="The same memory under another shape.", by_hand="method")
def _view_as_shape(x, *, size):
    return lax.reshape(x, geo.fill_in(x.shape, size))


@_view("_reshape_alias(Tensor self, int[] size) -> Tensor", geo.view, _put_shape, is_whole=True, grads={"self": ""},
       gradient=lies.reshaped, node="ReshapeAliasBackward0", method=False, function=False)
def _reshape_alias(x, *, size):
    return lax.reshape(x, geo.fill_in(x.shape, size))


@op("_unsafe_view(Tensor self, int[] size) -> Tensor", grads={"self": lambda g, self_aval: lax.reshape(g, self_aval.shape)},
    gradient=lies.reshaped, node="UnsafeViewBackward0", method=False, tangent="fn")
def _unsafe_view(x, *, size):
    return lax.reshape(x, geo.fill_in(x.shape, size))


@_view("alias(Tensor self) -> Tensor", geo.same, lambda base, new: new, is_whole=True, grads={"self": ""},
       gradient="pointwise", method=False, function=False, doc="The same memory as another tensor.")
def _alias(x):
    return x


@_view("unsqueeze(Tensor self, int dim) -> Tensor", geo.unsqueeze, _put_shape, is_whole=True,
       grads={"self": ""}, gradient=lies.without, inplace=True, write=Write(node="UnsqueezeBackward1"),
       doc="A view with a dimension of size 1 inserted at `dim`.")
def _unsqueeze(x, *, dim):
    return lax.expand_dims(x, (wrap_dim(dim, x.ndim + 1),))


def _squeeze_form(params):
    dim = params["dim"]
    return 0 if dim is None else 1 if isinstance(dim, int) else 2


def _squeeze_overload(are_tensors, params):
    return f"squeeze.{('default', 'dim', 'dims')[_squeeze_form({'dim': params[0]})]}"


@_view("squeeze(Tensor self, int[1]? dim=None) -> Tensor", geo.squeeze, _put_shape, is_whole=True, grads={"self": ""},
       gradient=lies.unsqueezed, node=lambda params: f"SqueezeBackward{_squeeze_form(params)}", inplace=True,
       dispatch=_squeeze_overload,
       write=Write(node=lambda params: f"SqueezeBackward{3 + _squeeze_form(params)}"),
       doc="A view without the dimensions of size 1, or without those of `dim` that are.")
def _squeeze(x, *, dim):
    return lax.squeeze(x, geo.squeezed_dims(x.shape, dim))


# -- permutations

def _put_permute(base, new, *, dims):
    order = wrap_dims(dims, base.ndim)
    return lax.transpose(new, np.argsort(order))


@_view("permute(Tensor self, int[*] dims) -> Tensor", geo.permute, _put_permute, is_whole=True, grads={"self": ""},
       gradient=lies.permuted, doc="A view with the dimensions in another order.", by_hand="function")
def _permute(x, *, dims):
    return lax.transpose(x, [wrap_dim(d, x.ndim) for d in dims])


def _put_transpose(base, new, *, dim0, dim1):
    return _swap(new, dim0, dim1)


def _swap(x, dim0, dim1):
    order = list(range(x.ndim))
    if order:
        a, b = wrap_dim(dim0, x.ndim), wrap_dim(dim1, x.ndim)
        order[a], order[b] = b, a
    return lax.transpose(x, order)


@_view("transpose.int(Tensor self, int dim0, int dim1) -> Tensor", geo.transpose, _put_transpose,
       is_whole=True, grads={"self": ""}, gradient=lies.transposed, inplace=True, aliases=("swapdims",),
       write=Write(node="TransposeBackward1"), doc="A view with two dimensions exchanged.", by_hand="function method")
def _transpose(x, *, dim0, dim1):
    return _swap(x, dim0, dim1)


@_view("t(Tensor self) -> Tensor", geo.t, lambda base, new: new.T, is_whole=True, grads={"self": ""}, node="TBackward0",
       gradient=lies.reversed_dims, inplace=True,
       write=Write(node="TBackward1"), doc="A matrix transposed; a vector or number as it is.")
def _t(x):
    return x.T


# -- broadcasting

def _no_put(base, new, **params):
    raise RuntimeError(INTERNAL_OVERLAP)


def _put_expand(base, new, *, size, implicit):
    shape = (1,) * (new.ndim - base.ndim) + tuple(base.shape)
    if tuple(new.shape) == shape or not new.size:
        return lax.reshape(new, base.shape)
    # Several elements share a place: one that was written counts (PyTorch leaves open which).
    shared = tuple(d for d, n in enumerate(shape) if n != new.shape[d])
    front = tuple(range(len(shared)))
    flat = jnp.moveaxis(new, shared, front).reshape(-1, *base.shape)
    written = jnp.argmax(flat != base, 0)
    return jnp.take_along_axis(flat, written[None], 0)[0]


@_view("expand(Tensor self, int[*] size, *, bool implicit=False) -> Tensor", geo.expand, _put_expand,
       grads={"self": SAME}, function=False,
       doc="A view in which dimensions of size 1 are repeated without using memory.", by_hand="method")
def _expand(x, *, size, implicit):
    return jnp.broadcast_to(x, geo.expanded(x.shape, size))


# -- parts

def _slices(shape, dim, start, end, step):
    dim = wrap_dim(dim, len(shape))
    index = [slice(None)] * len(shape)
    first, last, step = geo.slice_bounds(shape[dim], start, end, step)
    index[dim] = slice(first, last, step)
    return tuple(index)


def _put_slice(base, new, *, dim, start, end, step):
    where = _slices(base.shape, dim, start, end, step)
    dim = wrap_dim(dim, base.ndim)
    if where[dim].step == 1 or not new.shape[dim]:
        return base.at[where].set(new)
    first = where[dim].start  # XLA would write element by element
    last = first + (new.shape[dim] - 1) * where[dim].step
    widths = [(0, 0, 0)] * base.ndim
    widths[dim] = (first, base.shape[dim] - 1 - last, where[dim].step - 1)
    spread = lax.pad(new, jnp.zeros((), new.dtype), widths)
    place = jnp.expand_dims(jnp.arange(base.shape[dim]), tuple(d for d in range(base.ndim) if d != dim))
    written = (place >= first) & (place <= last) & ((place - first) % where[dim].step == 0)
    return jnp.where(written, spread, base)


def _pick_of_slice(shape, *, dim, start, end, step):
    if not shape or step != 1:
        return None
    dim = wrap_dim(dim, len(shape))
    first, last, _ = geo.slice_bounds(shape[dim], start, end, 1)
    return dim, first, last - first, True


@_view("slice.Tensor(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
       geo.slice_, _put_slice, pick=_pick_of_slice, grads={"self": ""}, function=False, method=False,
       doc="A view of every `step`-th slice from `start` to `end` along `dim`.")
def _slice(x, *, dim, start, end, step):
    dim = wrap_dim(dim, x.ndim)
    first, last, step = geo.slice_bounds(x.shape[dim], start, end, step)
    return lax.slice_in_dim(x, first, max(first, last), step, dim)


def _put_select(base, new, *, dim, index):
    dim = wrap_dim(dim, base.ndim)
    where = (slice(None),) * dim + (index,)
    return base.at[where].set(new)


def _pick_of_select(shape, *, dim, index):
    if not shape:
        return None
    dim = wrap_dim(dim, len(shape))
    return dim, index % shape[dim], 1, False


@_view("select.int(Tensor self, int dim, int index) -> Tensor", geo.select, _put_select, pick=_pick_of_select,
       grads={"self": ""}, doc="A view of one slice along `dim`, without that dimension.")
def _select(x, *, dim, index):
    dim = wrap_dim(dim, x.ndim)
    return lax.index_in_dim(x, index, dim, keepdims=False)


def _put_diagonal(base, new, *, offset, dim1, dim2):
    positions = jnp.diagonal(np.arange(base.size).reshape(base.shape), offset, wrap_dim(dim1, base.ndim),
                             wrap_dim(dim2, base.ndim))
    return _scatter_flat(base, new, positions)


@_view("diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor", geo.diagonal, _put_diagonal,
       grads={"self": ""}, doc="A view of a diagonal of the plane of `dim1` and `dim2`, as the last dimension.")
def _diagonal(x, *, offset, dim1, dim2):
    return jnp.diagonal(x, offset, wrap_dim(dim1, x.ndim), wrap_dim(dim2, x.ndim))


def _windows(shape, dimension, size, step):
    dim = wrap_dim(dimension, len(shape))
    count = (shape[dim] - size) // step + 1 if shape else 1
    starts = np.arange(count) * step
    return dim, starts[:, None] + np.arange(size)[None, :]


def _put_unfold(base, new, *, dimension, size, step):
    if step < size:
        return _no_put(base, new)
    dim, index = _windows(base.shape, dimension, size, step)
    moved = jnp.moveaxis(base, dim, 0).at[index.reshape(-1)].set(
        jnp.moveaxis(new, (dim, -1), (0, 1)).reshape(-1, *np.delete(base.shape, dim)))
    return jnp.moveaxis(moved, 0, dim)


@_view("unfold(Tensor self, int dimension, int size, int step) -> Tensor", geo.unfold, _put_unfold, may_repeat=True,
       grads={"self": ""}, function=False,
       doc="A view of all windows of `size` along `dimension`, `step` apart, with their elements as a new last dimension.",
       by_hand="method")
def _unfold(x, *, dimension, size, step):
    if x.ndim == 0:
        return x.reshape(1)[:size]
    dim, index = _windows(x.shape, dimension, size, step)
    return jnp.moveaxis(jnp.moveaxis(x, dim, 0)[index], (0, 1), (dim, -1))


# -- several views at once

def _joined(parts, *, dim, **sizes):
    del sizes
    return lax.concatenate(parts, wrap_dim(dim, parts[0].ndim))


def _member_of_split(i, shape, *, split_size, dim):
    return "slice.Tensor", (dim, i * split_size, (i + 1) * split_size, 1)


@_view("split.Tensor(Tensor self, int split_size, int dim=0) -> Tensor[]", geo.split, None,
       member=_member_of_split, joined=_joined, grads={"self": ""}, node="SplitBackward0", method=False, function=False,
       doc="Views of `split_size` slices each along `dim`.")
def _split(x, *, split_size, dim):
    dim = wrap_dim(dim, x.ndim)
    bounds = geo.split_bounds(x.shape, split_size, dim)
    return tuple(lax.slice_in_dim(x, a, b, 1, dim) for a, b in bounds)


def _member_of_sizes(i, shape, *, split_sizes, dim):
    start = sum(split_sizes[:i])
    return "slice.Tensor", (dim, start, start + split_sizes[i], 1)


@_view("split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]", geo.split_with_sizes, None,
       member=_member_of_sizes, joined=_joined, grads={"self": ""}, node="SplitWithSizesBackward0",
       doc="Views of as many slices along `dim` as each of `split_sizes` says.")
def _split_with_sizes(x, *, split_sizes, dim):
    dim = wrap_dim(dim, x.ndim)
    ends = np.cumsum(split_sizes).tolist()
    return tuple(lax.slice_in_dim(x, end - size, end, 1, dim) for size, end in zip(split_sizes, ends, strict=True))


def _member_of_unbind(i, shape, *, dim):
    return "select.int", (dim, i)


def _joined_slices(parts, *, dim):
    dim = wrap_dim(dim, parts[0].ndim + 1)
    return lax.concatenate([lax.expand_dims(part, (dim,)) for part in parts], dim)


@_view("unbind.int(Tensor self, int dim=0) -> Tensor[]", geo.unbind, None, member=_member_of_unbind,
       joined=_joined_slices, grads={"self": ""}, node="UnbindBackward0", doc="A view of each slice along `dim`.",
       by_hand="function method")
def _unbind(x, *, dim):
    dim = wrap_dim(dim, x.ndim)
    return tuple(lax.index_in_dim(x, i, dim, keepdims=False) for i in range(x.shape[dim]))


# -- memory at large

_LARGE = 1 << 24  # elements


def _memory(shape, strides):
    """For each position of the operand's memory the row-major number of its element."""
    span = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True)) if np.prod(shape) else 0
    place = np.full(span, -1, np.int64)
    place[geo.positions(shape, strides, 0).reshape(-1)] = np.arange(int(np.prod(shape)))
    return place


def _strided_index(base_shape, base, size, stride, storage_offset):
    """For each element of the window the row-major number of the element of the base; an array of JAX where it is large, so
    that it is not made where there are no values."""
    if 0 in size:
        return np.empty(size, np.int64)
    own_strides, own_offset = base
    first = storage_offset - own_offset
    last = first + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
    is_plain = tuple(own_strides) == tuple(geo.row_major(base_shape))
    memory = None if is_plain else _memory(base_shape, own_strides)
    is_inside = first >= 0 and last < (math.prod(base_shape) if memory is None else memory.size)
    if is_inside and memory is None and math.prod(size) > _LARGE:
        return sum((lax.broadcasted_iota(np.int64, size, dim) * s for dim, s in enumerate(stride)), np.int64(first))
    places = geo.positions(size, stride, first) if is_inside else None
    if places is not None and memory is not None:
        places = memory[places]
    if places is None or places.min() < 0:
        raise UnsupportedError("as_strided: the window reaches memory that its view of the storage does not have")
    return places


def _put_as_strided(base, new, *, size, stride, storage_offset, base_layout):
    return _scatter_flat(base, new, _strided_index(base.shape, base_layout, size, stride, storage_offset))


@_view("as_strided(Tensor self, int[] size, int[] stride, int storage_offset, *, int[] base_layout) -> Tensor",
       geo.as_strided, _put_as_strided, may_repeat=True, grads={"self": ""}, method=False, function=False, inplace=True,
       inplace_functions=("as_strided_",), by_hand="in_place", write=Write(node="AsStridedBackward1"),
       doc="A view of the memory with the given size, strides and offset.")
def _as_strided(x, *, size, stride, storage_offset, base_layout):
    once = tuple(1 if n and not s else n for n, s in zip(size, stride, strict=True))
    index = _strided_index(x.shape, base_layout, once, stride, storage_offset)
    return jnp.broadcast_to(x.reshape(-1)[index], size)


# -- complex numbers and other element types

@_view("view_as_real(Tensor self) -> Tensor", geo.view_as_real,
       lambda base, new: lax.complex(new[..., 0], new[..., 1]),
       is_window=False, grads={"self": lambda g: lax.complex(g[..., 0], g[..., 1])},
       doc="A view of complex numbers as pairs of real ones in a last dimension.")
def _view_as_real(x):
    if not jnp.iscomplexobj(x):
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return jnp.stack([x.real, x.imag], -1)


@_view("view_as_complex(Tensor self) -> Tensor", geo.view_as_complex,
       lambda base, new: jnp.stack([new.real, new.imag], -1),
       is_window=False, grads={"self": lambda g: jnp.stack([g.real, g.imag], -1)}, gradient=lies.as_real,
       autocast={"cpu": "fp32"},
       doc="A view of pairs in the last dimension as complex numbers.", by_hand="function method")
def _view_as_complex(x):
    if x.dtype == jnp.float16:
        raise UnsupportedError("view_as_complex of float16: JAX has no complex32 (ComplexHalf)")
    if x.dtype not in (jnp.float32, jnp.float64):
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, but got a "
                           f"tensor of scalar type: {dt.from_np(x.dtype).scalar_name}")
    return lax.complex(x[..., 0], x[..., 1])


@_view("real(Tensor self) -> Tensor", geo.real, lambda base, new: lax.complex(new, base.imag),
       is_window=False, grads={"self": lambda g: lax.complex(g, jnp.zeros_like(g))}, node="SelectBackward0", method=False,
       function=False, dispatch="view_as_real.default", doc="A view of the real parts.")
def _real(x):
    return x.real


@_view("imag(Tensor self) -> Tensor", geo.imag, lambda base, new: lax.complex(base.real, new),
       is_window=False, grads={"self": lambda g: lax.complex(jnp.zeros_like(g), g)}, node="SelectBackward0", method=False,
       function=False, dispatch="view_as_real.default", doc="A view of the imaginary parts.")
def _imag(x):
    return x.imag


@_view("_detach(Tensor self) -> Tensor", geo.same, lambda base, new: new, method=False, function=False,
       dispatch="detach.default")
def _detach(x):
    """`detach` under a transform of `torchlike.func`: a row without a gradient is a constant there."""
    return x


@_view("_conj(Tensor self) -> Tensor", geo.same, lambda base, new: jnp.conj(new),
       is_window=False, grads={"self": lambda g: jnp.conj(g)}, node="ConjBackward0")
def _conj(x):
    return jnp.conj(x)


def _put_bitcast(base, new, *, dtype, was):
    return _bitcast(new, was)


@_view("view.dtype(Tensor self, ScalarType dtype, *, ScalarType was) -> Tensor", geo.bitcast, _put_bitcast,
       is_window=False, method=False, function=False, doc="The same memory read as numbers of another dtype.")
def _view_dtype(x, *, dtype, was):
    return _bitcast(x, dtype)


def _bitcast(x, dtype):
    """The memory of `x` as `dtype`. XLA has no such view of bool and complex numbers: they go by bytes and floats."""
    if x.dtype == jnp.bool_:
        x = x.astype(jnp.uint8)
    elif jnp.iscomplexobj(x):
        x = jnp.stack([x.real, x.imag], -1).reshape(*x.shape[:-1], -1)
    if dtype.is_complex:
        parts = _resized(x, np.dtype(f"float{dtype.itemsize * 4}"))
        return lax.complex(parts[..., ::2], parts[..., 1::2])
    return _resized(x, np.dtype(np.uint8) if dtype is dt.bool_ else dtype.np).astype(dtype.np)


def _resized(x, to):
    was, now = x.dtype.itemsize, to.itemsize
    if now > was:
        x = x.reshape(*x.shape[:-1], -1, now // was)
    out = lax.bitcast_convert_type(x, to)
    return out.reshape(*x.shape[:-1], -1) if now < was else out
