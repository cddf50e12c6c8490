"""Functions that read and write by index tensors and masks: gather, scatter, index_*, take, nonzero.

https://pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

import warnings

import numpy as np

from torchlike._api.generate import integer, tensor_list
from torchlike._api.indices import check_bounds, expect, known
from torchlike._api.out import with_out
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError, wrap_dim
from torchlike._modes import vmap_levels
from torchlike._ops.all import ROWS
from torchlike._ops.geometry import broadcast
from torchlike._ops.indexing.searching import is_searchable
from torchlike._record.bind import bind
from torchlike._record.inplace import check_written, inplace, write_out
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.overlap import check_out
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state

_MASK_IS_BATCHED = ("vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
                    "indexing with a boolean mask.")
_MASK_DIFFERS = ("vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for "
                 "each batch this would return a differently shaped Tensor. Please file an issue at "
                 "https://github.com/pytorch/pytorch/issues if you need this feature.")


def mask_positions(mask) -> tuple:
    """One array of positions a dimension, of the ones of a mask (Tensor or numpy array)."""
    vmap_levels.refuse_batched(mask, _MASK_IS_BATCHED)
    return np.nonzero(to_numpy(mask) if isinstance(mask, Tensor) else mask)


# -- along a dimension

def _checked(row_name, *operands, in_place=False):
    """The face of a row (self, dim, index, ...) that checks the index first."""
    row = ROWS[row_name]
    record = inplace if in_place else bind

    def face(self, dim, index, tensors, numbers=(), params=()):
        dim = integer(dim)
        operands, params = (self, index, *tensors), (dim, *params)
        if index._cell.aval.dtype.category == dt.INT:
            try:
                later = check_bounds(row_name, self, index, dim)
            except (IndexError, RuntimeError):
                if in_place:
                    check_written(row, operands)
                bind(row, operands, numbers, params)  # what is wrong with the shapes comes first
                raise
            if later:
                made = record(row, operands, numbers, params)
                expect(later)
                return made
        return record(row, operands, numbers, params)

    return face


_GATHER = _checked("gather")
_INDEX_SELECT = _checked("index_select")


def check_sparse_gradient(x, name) -> None:
    """UnsupportedError where the operation would give `x` a sparse gradient: there are no sparse tensors."""
    if x._edge is not None and state.thread.grad:
        raise UnsupportedError(f"{name}: its gradient is a sparse tensor, and torchlike has none. The dense one is the "
                               "default")


def gather(input, dim, index, *, sparse_grad=False, out=None):
    """https://pytorch.org/docs/stable/generated/torch.gather.html"""
    if sparse_grad:
        check_sparse_gradient(input, "gather(sparse_grad=True)")
    made = _GATHER(input, dim, index, (), (), (sparse_grad,))
    if out is not None:
        check_out(out, (input, index))
        if out._cell.aval.dtype is not made._cell.aval.dtype:
            raise RuntimeError(f"Expected out tensor to have dtype {made._cell.aval.dtype.cpp_name}, but got "
                               f"{out._cell.aval.dtype.cpp_name} instead")
    return made if out is None else write_out(out, made)


def index_select(input, dim, index, *, out=None):
    """https://pytorch.org/docs/stable/generated/torch.index_select.html"""
    made = _INDEX_SELECT(input, dim, index, ())
    return made if out is None else write_out(out, made)


_DEPRECATED = ("The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a "
               "future PyTorch release. Use torch.scatter_reduce instead for more reduction options.")


def _scatter_face(in_place):
    src_row, value_row, reduce_row, value_reduce_row = (
        _checked(f"scatter.{name}", in_place=in_place) for name in ("src", "value", "reduce", "value_reduce"))

    def scatter(input, dim, index, src=None, *, value=None, reduce=None, out=None):
        source = value if src is None else src
        if isinstance(source, Tensor):
            if reduce is not None:
                warnings.warn(_DEPRECATED, UserWarning, stacklevel=2)
                made = reduce_row(input, dim, index, (source,), (), (reduce,))
            else:
                made = src_row(input, dim, index, (source,))
        else:
            _check_real(source, input)
            made = value_row(input, dim, index, (), (source,)) if reduce is None else \
                value_reduce_row(input, dim, index, (), (source,), (reduce,))
        return made if out is None else write_out(out, made)

    scatter.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html"
    return scatter


def _check_real(value, x):
    if isinstance(value, complex) and not x._cell.aval.dtype.is_complex and value.imag:
        name = "float" if x._cell.aval.dtype is dt.float32 else "double"
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")


def _scatter_add_face(in_place):
    row = _checked("scatter_add", in_place=in_place)

    def scatter_add(input, dim, index, src, *, out=None):
        made = row(input, dim, index, (src,))
        return made if out is None else write_out(out, made)

    scatter_add.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html"
    return scatter_add


def _scatter_reduce_face(in_place):
    row = _checked("scatter_reduce.two", in_place=in_place)

    def scatter_reduce(input, dim, index, src, reduce, *, include_self=True, out=None):
        made = row(input, dim, index, (src,), (), (reduce, include_self))
        _refuse_complex("scatter_reduce", input, src)
        return made if out is None else write_out(out, made)

    scatter_reduce.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html"
    return scatter_reduce


def _refuse_complex(name, *tensors) -> None:
    """PyTorch has no complex gradient here and says so at once."""
    if state.thread.grad and any(x._edge is not None and x._cell.aval.dtype.is_complex for x in tensors):
        raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex "
                           "dtype.")


def _index_reduce_face(in_place):
    row = _checked("index_reduce", in_place=in_place)

    def index_reduce(input, dim, index, source, reduce, *, include_self=True, out=None):
        made = row(input, dim, index, (source,), (), (reduce, include_self))
        _refuse_complex("index_reduce", input, source)
        return made if out is None else write_out(out, made)

    index_reduce.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_reduce_.html"
    return index_reduce


def select_scatter(input, src, dim, index):
    """https://pytorch.org/docs/stable/generated/torch.select_scatter.html"""
    _refuse_complex("select_scatter", input, src)
    return bind(ROWS["select_scatter"], (input, src), (), (integer(dim), integer(index)))


def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    """https://pytorch.org/docs/stable/generated/torch.slice_scatter.html"""
    _refuse_complex("slice_scatter", input, src)
    return bind(ROWS["slice_scatter"], (input, src), (),
                (integer(dim), integer(start), integer(end), integer(step)))


def _index_add_face(in_place):
    row = _checked("index_add", in_place=in_place)

    def index_add(input, dim, index, source, *, alpha=1, out=None):
        made = row(input, dim, index, (source,), (None if alpha == 1 else alpha,))
        return made if out is None else write_out(out, made)

    index_add.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html"
    return index_add


def _index_copy_face(in_place):
    row = _checked("index_copy", in_place=in_place)

    def index_copy(input, dim, index, source, *, out=None):
        made = row(input, dim, index, (source,))
        return made if out is None else write_out(out, made)

    index_copy.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html"
    return index_copy


def _index_fill_face(in_place):
    number, tensor = (_checked(f"index_fill.int_{kind}", in_place=in_place) for kind in ("Scalar", "Tensor"))

    def index_fill(input, dim, index, value):
        if isinstance(value, Tensor):
            return tensor(input, dim, index, (value,))
        return number(input, dim, index, (), (value,))

    index_fill.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_fill_.html"
    return index_fill


# -- index_put, take, put

def _spelled_out(x, indices):
    """Masks among the index tensors become positions."""
    out: list = []
    for i in indices:
        if i is not None and i._cell.aval.dtype in (dt.bool_, dt.uint8):
            out.extend(leaf(places, x._cell.aval.device) for places in mask_positions(i))
        else:
            out.append(i)
    return tuple(out)


def check_put(x, indices, values, in_place=True) -> list:
    """What index_put looks at, in PyTorch's order: shapes, dtypes (it does not cast), overlaps, bounds.

    `values`: a Tensor or a number. Returns the Bounds to `expect`.
    """
    row, aval = ROWS["index_put"], x._cell.aval
    if isinstance(values, Tensor) and (len(indices) > aval.ndim or values._cell.aval.dtype is not aval.dtype):
        bind(row, (x, indices, values.to(aval.dtype)), (), (False,))  # says what is wrong with the shapes
        _check_same_dtype(aval.dtype, values._cell.aval.dtype)
    try:
        return check_bounds("index_put", x, indices)
    except IndexError:
        if in_place:
            check_written(row, (x, indices, values))
        raise


def _check_same_dtype(mine, theirs) -> None:
    if mine is not theirs:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{mine.scalar_name} for the destination and {theirs.scalar_name} for the source.")


def _index_put_face(in_place):
    row, record = ROWS["index_put"], inplace if in_place else bind

    def index_put(input, indices, values, accumulate=False):
        indices = tensor_list("index_put", indices, "indices")
        masked = (len(indices) == 1 and indices[0]._cell.aval.dtype is dt.bool_
                  and values._cell.aval.numel == 1)
        if masked:
            values = values.reshape(()) if values._cell.aval.ndim else values
        indices = indices if masked else _spelled_out(input, indices)
        later = [] if masked else check_put(input, indices, values, in_place)
        made = record(row, (input, indices, values), (), (bool(accumulate),))
        expect(later)
        return made

    index_put.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html"
    return index_put


def take(input, index, *, out=None):
    """https://pytorch.org/docs/stable/generated/torch.take.html"""
    usable = index._cell.aval.dtype is dt.int64 and input._cell.aval.numel
    later = check_bounds("take", input, index) if usable else []
    made = bind(ROWS["take"], (input, index))
    expect(later)
    if out is not None:
        check_out(out, (input, index))
        if out._cell.aval.dtype is not made._cell.aval.dtype:
            raise RuntimeError("take(): self and out expected to have the same dtype, but got self.dtype = "
                               f"{input._cell.aval.dtype.scalar_name} and out.dtype = {out._cell.aval.dtype.scalar_name}")
    return made if out is None else write_out(out, made)


def _put_face(in_place):
    record = inplace if in_place else bind

    def put(input, index, source, accumulate=False):
        later = check_bounds("put", input, index) if index._cell.aval.dtype is dt.int64 else []
        made = record(ROWS["put"], (input, index, source), (), (bool(accumulate),))
        expect(later)
        return made

    put.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.put_.html"
    return put


def take_along_dim(input, indices, dim=None, *, out=None):
    """https://pytorch.org/docs/stable/generated/torch.take_along_dim.html"""
    x, index = input, indices
    if index._cell.aval.dtype is not dt.int64:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got "
                           f"{index._cell.aval.dtype.scalar_name}")
    if dim is None:
        x, index, dim = x.reshape(-1), index.reshape(-1), 0
    elif x._cell.aval.ndim != index._cell.aval.ndim:
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number of "
                           f"dimensions, but got {x._cell.aval.ndim} dimensions for input, and "
                           f"{index._cell.aval.ndim} dimensions for indices")
    else:
        dim = wrap_dim(dim, x._cell.aval.ndim)
        x, index = _aligned(x, index, dim)
    if x._cell.aval.shape[dim]:
        index = index % x._cell.aval.shape[dim]
    made = bind(ROWS["gather"], (x, index), (), (dim, False))
    return made if out is None else write_out(out, made)


def _aligned(x, index, dim):
    """Both expanded to the common shape except along `dim`."""
    mine, theirs = list(x._cell.aval.shape), list(index._cell.aval.shape)
    common = [max(a, b) if min(a, b) else 0 for a, b in zip(mine, theirs, strict=True)]
    mine, theirs = (tuple(s[d] if d == dim else n for d, n in enumerate(common)) for s in (mine, theirs))
    return x.expand(mine), index.expand(theirs)


# -- masks

def masked_select(input, mask, *, out=None):
    """The elements under the ones of the mask, 1-D; needs the mask's values.
    https://pytorch.org/docs/stable/generated/torch.masked_select.html"""
    if mask._cell.aval.dtype is not dt.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    vmap_levels.refuse_batched(mask, _MASK_DIFFERS)
    shape = broadcast(mask._cell.aval.shape, input._cell.aval.shape)
    full = np.broadcast_to(to_numpy(mask), shape)
    places = leaf(np.flatnonzero(full), input._cell.aval.device)
    made = bind(ROWS["masked_select"], (input, mask, places))
    if out is not None:
        check_out(out, (input, mask))
    return made if out is None else write_out(out, made)


def _masked_scatter_face(in_place):
    record = inplace if in_place else bind

    def masked_scatter(input, mask, source):
        values = known(mask)
        if values is not None and values.dtype == np.bool_:
            shape = input._cell.aval.shape
            shape = shape if in_place else broadcast(shape, values.shape)
            if values.ndim <= len(shape) and np.broadcast_to(values, shape).sum() > source._cell.aval.numel:
                raise RuntimeError("Number of elements of source < number of ones in mask")
        return record(ROWS["masked_scatter"], (input, mask, source))

    masked_scatter.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.masked_scatter_.html"
    return masked_scatter


def nonzero(input, *, out=None, as_tuple=False):
    """Positions of the elements that are not zero; needs the values.
    https://pytorch.org/docs/stable/generated/torch.nonzero.html"""
    device = input._cell.aval.device
    if as_tuple:
        vmap_levels.check_rule(input, "nonzero_numpy")
    vmap_levels.check_shape(input, "nonzero")
    values = to_numpy(input)
    if as_tuple:
        places = np.nonzero(values.reshape(1) if values.ndim == 0 else values)
        return tuple(leaf(p.astype(np.int64), device) for p in places)
    places = np.argwhere(values) if values.ndim else np.zeros((int(values != 0), 0))
    made = leaf(places.astype(np.int64), device)
    return made if out is None else write_out(out, made)


def argwhere(input):
    """https://pytorch.org/docs/stable/generated/torch.argwhere.html"""
    vmap_levels.check_shape(input, "argwhere")
    return nonzero(input)


# -- counting and searching

def bincount(input, weights=None, minlength=0):
    """How often each number occurs; needs the values.
    https://pytorch.org/docs/stable/generated/torch.bincount.html"""
    aval = input._cell.aval
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if aval.numel and not is_searchable(aval.sds):
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{aval.dtype.scalar_name}'")
    vmap_levels.check_shape(input, "bincount")
    values = to_numpy(input)
    if aval.ndim != 1 or (values.size and values.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights._cell.aval.shape != aval.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if not values.size:
        return leaf(np.zeros(minlength, np.int64), aval.device)
    return bind(ROWS["_bincount"], (input, weights), (), (max(int(values.max()) + 1, minlength),))


def _as_tensor(value, like):
    """A number as a 0-d tensor."""
    if isinstance(value, Tensor):
        return value
    return leaf(np.asarray(value, np.float32 if isinstance(value, float) else None), like._cell.aval.device)


def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None, out=None):
    """https://pytorch.org/docs/stable/generated/torch.searchsorted.html"""
    places = None if sorter is None or sorter.shape != sorted_sequence.shape else known(sorter)
    if places is not None and places.dtype == np.int64 and places.size \
            and (places.min() < 0 or places.max() >= places.shape[-1]):
        raise RuntimeError("torch.searchsorted(): sorter index out of range")
    operands = (sorted_sequence, _as_tensor(input, sorted_sequence), sorter)
    made = bind(ROWS["searchsorted.Tensor"], operands, (), (out_int32, right, side))
    return made if out is None else write_out(out, made)


def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """https://pytorch.org/docs/stable/generated/torch.bucketize.html"""
    made = bind(ROWS["bucketize.Tensor"], (_as_tensor(input, boundaries), boundaries), (), (out_int32, right))
    return made if out is None else write_out(out, made)


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    """https://pytorch.org/docs/stable/generated/torch.isin.html"""
    like = elements if isinstance(elements, Tensor) else test_elements
    operands = (_as_tensor(elements, like), _as_tensor(test_elements, like))
    return bind(ROWS["isin.Tensor_Tensor"], operands, (), (assume_unique, invert))


def histc(input, bins=100, min=0, max=0, *, out=None):
    """https://pytorch.org/docs/stable/generated/torch.histc.html"""
    if max < min:
        raise RuntimeError("torch.histc: max must be larger than min")
    values = known(input) if min == max else None
    if values is not None and values.dtype.kind == "f" and values.size:
        low, high = values.min(), values.max()
        if not np.isfinite(low + high):
            raise RuntimeError(f"torch.histc: range of [{low}, {high}] is not finite")
    made = bind(ROWS["histc"], (input,), (min, max), (bins,))
    return made if out is None else write_out(out, made)


_PAIRS = {"scatter": _scatter_face, "scatter_add": _scatter_add_face, "scatter_reduce": _scatter_reduce_face,
          "index_reduce": _index_reduce_face, "index_add": _index_add_face, "index_copy": _index_copy_face,
          "index_fill": _index_fill_face,
          "index_put": _index_put_face, "put": _put_face, "masked_scatter": _masked_scatter_face}
_BOTH = {"gather": gather, "index_select": index_select, "take": take, "take_along_dim": take_along_dim,
         "masked_select": masked_select, "nonzero": nonzero, "argwhere": argwhere, "bincount": bincount,
         "histc": histc, "select_scatter": select_scatter, "slice_scatter": with_out(slice_scatter),
         **{name: make(False) for name, make in _PAIRS.items()}}
FUNCTIONS: dict = {**_BOTH, "searchsorted": searchsorted, "bucketize": bucketize, "isin": with_out(isin)}
METHODS: dict = {**_BOTH, "isin": isin, **{name + "_": make(True) for name, make in _PAIRS.items()}}
for _name, _face in (*FUNCTIONS.items(), *METHODS.items()):
    _face.__name__ = _face.__qualname__ = _name.removesuffix("_")
