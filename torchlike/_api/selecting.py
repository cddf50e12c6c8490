"""Functions that read and write by index tensors and masks: gather, scatter, index_*, take, nonzero.

https://pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchlike._api.arguments import integer, tensor_list
from torchlike._api.index_checks import check_bounds, expect, known
from torchlike._api.out import written, written_apart
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError, wrap_dim
from torchlike._modes import vmap_levels
from torchlike._ops.all import ROWS
from torchlike._ops.geometry import broadcast
from torchlike._ops.indexing.searching import is_searchable
from torchlike._record.bind import bind
from torchlike._record.inplace import check_written, inplace
from torchlike._record.leaf import leaf, to_numpy
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


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.gather.html"""
    if out is not None:
        return written_apart(out, "gather", (input, index), _gathered_for, out, input, dim, index, sparse_grad)
    if sparse_grad:
        check_sparse_gradient(input, "gather(sparse_grad=True)")
    return _GATHER(input, dim, index, (), (), (sparse_grad,))


def _gathered_for(out, input, dim, index, sparse_grad):
    """`gather`; RuntimeError if `out` has another dtype."""
    made = gather(input, dim, index, sparse_grad=sparse_grad)
    if out._cell.aval.dtype is not made._cell.aval.dtype:
        raise RuntimeError(f"Expected out tensor to have dtype {made._cell.aval.dtype.cpp_name}, but got "
                           f"{out._cell.aval.dtype.cpp_name} instead")
    return made


def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.index_select.html"""
    if out is not None:
        return written(out, "index_select", (), index_select, input, dim, index)
    return _INDEX_SELECT(input, dim, index, ())


_DEPRECATED = ("The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a "
               "future PyTorch release. Use torch.scatter_reduce instead for more reduction options.")


def _scatter_face(in_place):
    src_row, value_row, reduce_row, value_reduce_row = (
        _checked(f"scatter.{name}", in_place=in_place) for name in ("src", "value", "reduce", "value_reduce"))

    def scatter(input: Tensor, dim: int, index: Tensor, src: Tensor | None = None, *, value: Number | None = None,
                reduce: str | None = None, out: Tensor | None = None) -> Tensor:
        if out is not None:
            return written(out, "scatter", (), scatter, input, dim, index, src, value=value, reduce=reduce)
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
        return made

    scatter.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html"
    return scatter


def _check_real(value, x):
    if isinstance(value, complex) and not x._cell.aval.dtype.is_complex and value.imag:
        name = "float" if x._cell.aval.dtype is dt.float32 else "double"
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")


def _scatter_add_face(in_place):
    row = _checked("scatter_add", in_place=in_place)

    def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
        if out is not None:
            return written(out, "scatter_add", (), scatter_add, input, dim, index, src)
        made = row(input, dim, index, (src,))
        return made

    scatter_add.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html"
    return scatter_add


def _scatter_reduce_face(in_place):
    row = _checked("scatter_reduce.two", in_place=in_place)

    def scatter_reduce(input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True,
                       out: Tensor | None = None) -> Tensor:
        if out is not None:
            return written(out, "scatter_reduce", (), scatter_reduce, input, dim, index, src, reduce,
                           include_self=include_self)
        made = row(input, dim, index, (src,), (), (reduce, include_self))
        _refuse_complex("scatter_reduce", input, src)
        return made

    scatter_reduce.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html"
    return scatter_reduce


def _refuse_complex(name, *tensors) -> None:
    """PyTorch has no complex gradient here and says so at once."""
    if state.thread.grad and any(x._edge is not None and x._cell.aval.dtype.is_complex for x in tensors):
        raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex "
                           "dtype.")


def _index_reduce_face(in_place):
    row = _checked("index_reduce", in_place=in_place)

    def index_reduce(input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True,
                     out: Tensor | None = None) -> Tensor:
        if out is not None:
            return written(out, "index_reduce", (), index_reduce, input, dim, index, source, reduce,
                           include_self=include_self)
        made = row(input, dim, index, (source,), (), (reduce, include_self))
        _refuse_complex("index_reduce", input, source)
        return made

    index_reduce.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_reduce_.html"
    return index_reduce


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.select_scatter.html"""
    _refuse_complex("select_scatter", input, src)
    return bind(ROWS["select_scatter"], (input, src), (), (integer(dim), integer(index)))


def slice_scatter(input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1,
                  *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.slice_scatter.html"""
    if out is not None:
        return written(out, "slice_scatter", (), slice_scatter, input, src, dim, start, end, step)
    _refuse_complex("slice_scatter", input, src)
    return bind(ROWS["slice_scatter"], (input, src), (),
                (integer(dim), integer(start), integer(end), integer(step)))


def _index_add_face(in_place):
    row = _checked("index_add", in_place=in_place)

    def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1,
                  out: Tensor | None = None) -> Tensor:
        if out is not None:
            return written(out, "index_add", (), index_add, input, dim, index, source, alpha=alpha)
        made = row(input, dim, index, (source,), (None if alpha == 1 else alpha,))
        return made

    index_add.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html"
    return index_add


def _index_copy_face(in_place):
    row = _checked("index_copy", in_place=in_place)

    def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
        if out is not None:
            return written(out, "index_copy", (), index_copy, input, dim, index, source)
        made = row(input, dim, index, (source,))
        return made

    index_copy.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html"
    return index_copy


def _index_fill_face(in_place):
    number, tensor = (_checked(f"index_fill.int_{kind}", in_place=in_place) for kind in ("Scalar", "Tensor"))

    def index_fill(input: Tensor, dim: int, index: Tensor, value: Number | Tensor) -> Tensor:
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

    def index_put(input: Tensor, indices: Sequence[Tensor | None], values: Tensor | Number,
                  accumulate: bool = False) -> Tensor:
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


def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.take.html"""
    if out is not None:
        return written_apart(out, "take", (input, index), _taken_for, out, input, index)
    usable = index._cell.aval.dtype is dt.int64 and input._cell.aval.numel
    later = check_bounds("take", input, index) if usable else []
    made = bind(ROWS["take"], (input, index))
    expect(later)
    return made


def _taken_for(out, input, index):
    """`take`; RuntimeError if `out` has another dtype."""
    made = take(input, index)
    if out._cell.aval.dtype is not made._cell.aval.dtype:
        raise RuntimeError("take(): self and out expected to have the same dtype, but got self.dtype = "
                           f"{input._cell.aval.dtype.scalar_name} and out.dtype = {out._cell.aval.dtype.scalar_name}")
    return made


def _put_face(in_place):
    record = inplace if in_place else bind

    def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        later = check_bounds("put", input, index) if index._cell.aval.dtype is dt.int64 else []
        made = record(ROWS["put"], (input, index, source), (), (bool(accumulate),))
        expect(later)
        return made

    put.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.put_.html"
    return put


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.take_along_dim.html"""
    if out is not None:
        return written(out, "take_along_dim", (), take_along_dim, input, indices, dim)
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
    return bind(ROWS["gather"], (x, index), (), (dim, False))


def _aligned(x, index, dim):
    """Both expanded to the common shape except along `dim`."""
    mine, theirs = list(x._cell.aval.shape), list(index._cell.aval.shape)
    common = [max(a, b) if min(a, b) else 0 for a, b in zip(mine, theirs, strict=True)]
    mine, theirs = (tuple(s[d] if d == dim else n for d, n in enumerate(common)) for s in (mine, theirs))
    return x.expand(mine), index.expand(theirs)


# -- masks

def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The elements under the ones of the mask, 1-D; needs the mask's values.
    https://pytorch.org/docs/stable/generated/torch.masked_select.html"""
    if out is not None:
        return written_apart(out, "masked_select", (input, mask), masked_select, input, mask)
    if mask._cell.aval.dtype is not dt.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    vmap_levels.refuse_batched(mask, _MASK_DIFFERS)
    shape = broadcast(mask._cell.aval.shape, input._cell.aval.shape)
    full = np.broadcast_to(to_numpy(mask), shape)
    places = leaf(np.flatnonzero(full), input._cell.aval.device)
    return bind(ROWS["masked_select"], (input, mask, places))


def _masked_scatter_face(in_place):
    record = inplace if in_place else bind

    def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
        values = known(mask)
        if values is not None and values.dtype == np.bool_:
            shape = input._cell.aval.shape
            shape = shape if in_place else broadcast(shape, values.shape)
            if values.ndim <= len(shape) and np.broadcast_to(values, shape).sum() > source._cell.aval.numel:
                raise RuntimeError("Number of elements of source < number of ones in mask")
        return record(ROWS["masked_scatter"], (input, mask, source))

    masked_scatter.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.masked_scatter_.html"
    return masked_scatter


def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple=False) -> Any:
    """Positions of the elements that are not zero; needs the values.
    https://pytorch.org/docs/stable/generated/torch.nonzero.html"""
    if out is not None:
        return written(out, "nonzero", (), nonzero, input, as_tuple=as_tuple)
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
    return made


def argwhere(input: Tensor) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.argwhere.html"""
    vmap_levels.check_shape(input, "argwhere")
    return nonzero(input)


# -- counting and searching

def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
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


def searchsorted(sorted_sequence: Tensor, input: Tensor | Number, *, out_int32: bool = False, right: bool = False,
                 side: str | None = None, sorter: Tensor | None = None, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.searchsorted.html"""
    if out is not None:
        return written(out, "searchsorted", (), searchsorted, sorted_sequence, input, out_int32=out_int32, right=right,
                       side=side, sorter=sorter)
    places = None if sorter is None or sorter.shape != sorted_sequence.shape else known(sorter)
    if places is not None and places.dtype == np.int64 and places.size \
            and (places.min() < 0 or places.max() >= places.shape[-1]):
        raise RuntimeError("torch.searchsorted(): sorter index out of range")
    operands = (sorted_sequence, _as_tensor(input, sorted_sequence), sorter)
    return bind(ROWS["searchsorted.Tensor"], operands, (), (out_int32, right, side))


def bucketize(input: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False,
              out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.bucketize.html"""
    if out is not None:
        return written(out, "bucketize", (), bucketize, input, boundaries, out_int32=out_int32, right=right)
    return bind(ROWS["bucketize.Tensor"], (_as_tensor(input, boundaries), boundaries), (), (out_int32, right))


def isin(elements: Tensor | Number, test_elements: Tensor | Number, *, assume_unique: bool = False, invert: bool = False,
         out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.isin.html"""
    if out is not None:
        return written(out, "isin", (), isin, elements, test_elements, assume_unique=assume_unique, invert=invert)
    like = elements if isinstance(elements, Tensor) else test_elements
    operands = (_as_tensor(elements, like), _as_tensor(test_elements, like))
    return bind(ROWS["isin.Tensor_Tensor"], operands, (), (assume_unique, invert))


def histc(input: Tensor, bins: int = 100, min: Number = 0, max: Number = 0, *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.histc.html"""
    if out is not None:
        return written(out, "histc", (), histc, input, bins, min, max)
    if max < min:
        raise RuntimeError("torch.histc: max must be larger than min")
    values = known(input) if min == max else None
    if values is not None and values.dtype.kind == "f" and values.size:
        low, high = values.min(), values.max()
        if not np.isfinite(low + high):
            raise RuntimeError(f"torch.histc: range of [{low}, {high}] is not finite")
    return bind(ROWS["histc"], (input,), (min, max), (bins,))


scatter, scatter_ = _scatter_face(False), _scatter_face(True)
scatter_add, scatter_add_ = _scatter_add_face(False), _scatter_add_face(True)
scatter_reduce, scatter_reduce_ = _scatter_reduce_face(False), _scatter_reduce_face(True)
index_reduce, index_reduce_ = _index_reduce_face(False), _index_reduce_face(True)
index_add, index_add_ = _index_add_face(False), _index_add_face(True)
index_copy, index_copy_ = _index_copy_face(False), _index_copy_face(True)
index_fill, index_fill_ = _index_fill_face(False), _index_fill_face(True)
index_put, index_put_ = _index_put_face(False), _index_put_face(True)
put, put_ = _put_face(False), _put_face(True)
masked_scatter, masked_scatter_ = _masked_scatter_face(False), _masked_scatter_face(True)
_BOTH = {
    "gather": gather, "index_select": index_select, "take": take, "take_along_dim": take_along_dim,
    "masked_select": masked_select, "nonzero": nonzero, "argwhere": argwhere, "bincount": bincount, "histc": histc,
    "select_scatter": select_scatter, "slice_scatter": slice_scatter, "scatter": scatter, "scatter_add": scatter_add,
    "scatter_reduce": scatter_reduce, "index_reduce": index_reduce, "index_add": index_add, "index_copy": index_copy,
    "index_fill": index_fill, "index_put": index_put, "put": put, "masked_scatter": masked_scatter,
}
FUNCTIONS: dict = {**_BOTH, "searchsorted": searchsorted, "bucketize": bucketize, "isin": isin}
METHODS: dict = {
    **_BOTH, "isin": isin, "scatter_": scatter_, "scatter_add_": scatter_add_, "scatter_reduce_": scatter_reduce_,
    "index_reduce_": index_reduce_, "index_add_": index_add_, "index_copy_": index_copy_, "index_fill_": index_fill_,
    "index_put_": index_put_, "put_": put_, "masked_scatter_": masked_scatter_,
}
