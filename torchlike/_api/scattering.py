"""Functions that write by index tensors and masks: scatter, index_add, index_put, put, masked_scatter.

https://pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from torchlike._api.arguments import integer, tensor_list
from torchlike._api.index_checks import check_bounds, expect, known, with_checked_index
from torchlike._api.out import written
from torchlike._api.searching import mask_positions
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._ops.all import ROWS
from torchlike._ops.geometry import broadcast
from torchlike._record.bind import bind
from torchlike._record.inplace import check_written, inplace
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state

_DEPRECATED = ("The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a "
               "future PyTorch release. Use torch.scatter_reduce instead for more reduction options.")


def _scatter_face(in_place):
    src_row, value_row, reduce_row, value_reduce_row = (
        with_checked_index(f"scatter.{name}", in_place=in_place) for name in ("src", "value", "reduce", "value_reduce"))

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
    row = with_checked_index("scatter_add", in_place=in_place)

    def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor, *, out: Tensor | None = None) -> Tensor:
        if out is not None:
            return written(out, "scatter_add", (), scatter_add, input, dim, index, src)
        made = row(input, dim, index, (src,))
        return made

    scatter_add.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html"
    return scatter_add


def _scatter_reduce_face(in_place):
    row = with_checked_index("scatter_reduce.two", in_place=in_place)

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
    row = with_checked_index("index_reduce", in_place=in_place)

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
    row = with_checked_index("index_add", in_place=in_place)

    def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1,
                  out: Tensor | None = None) -> Tensor:
        if out is not None:
            return written(out, "index_add", (), index_add, input, dim, index, source, alpha=alpha)
        made = row(input, dim, index, (source,), (None if alpha == 1 else alpha,))
        return made

    index_add.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html"
    return index_add


def _index_copy_face(in_place):
    row = with_checked_index("index_copy", in_place=in_place)

    def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor, *, out: Tensor | None = None) -> Tensor:
        if out is not None:
            return written(out, "index_copy", (), index_copy, input, dim, index, source)
        made = row(input, dim, index, (source,))
        return made

    index_copy.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html"
    return index_copy


def _index_fill_face(in_place):
    number, tensor = (with_checked_index(f"index_fill.int_{kind}", in_place=in_place) for kind in ("Scalar", "Tensor"))

    def index_fill(input: Tensor, dim: int, index: Tensor, value: Number | Tensor) -> Tensor:
        if isinstance(value, Tensor):
            return tensor(input, dim, index, (value,))
        return number(input, dim, index, (), (value,))

    index_fill.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.index_fill_.html"
    return index_fill


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


def _put_face(in_place):
    record = inplace if in_place else bind

    def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
        later = check_bounds("put", input, index) if index._cell.aval.dtype is dt.int64 else []
        made = record(ROWS["put"], (input, index, source), (), (bool(accumulate),))
        expect(later)
        return made

    put.__doc__ = "https://pytorch.org/docs/stable/generated/torch.Tensor.put_.html"
    return put


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
FUNCTIONS: dict = {"select_scatter": select_scatter, "slice_scatter": slice_scatter, "scatter": scatter,
                   "scatter_add": scatter_add, "scatter_reduce": scatter_reduce, "index_reduce": index_reduce,
                   "index_add": index_add, "index_copy": index_copy, "index_fill": index_fill, "index_put": index_put,
                   "put": put, "masked_scatter": masked_scatter}
METHODS: dict = {"select_scatter": select_scatter, "slice_scatter": slice_scatter, "scatter": scatter,
                 "scatter_add": scatter_add, "scatter_reduce": scatter_reduce, "index_reduce": index_reduce,
                 "index_add": index_add, "index_copy": index_copy, "index_fill": index_fill, "index_put": index_put,
                 "put": put, "masked_scatter": masked_scatter, "scatter_": scatter_, "scatter_add_": scatter_add_,
                 "scatter_reduce_": scatter_reduce_, "index_reduce_": index_reduce_, "index_add_": index_add_,
                 "index_copy_": index_copy_, "index_fill_": index_fill_, "index_put_": index_put_, "put_": put_,
                 "masked_scatter_": masked_scatter_}
