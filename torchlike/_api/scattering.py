"""Functions that write by index tensors and masks: scatter, index_add, index_put, put, masked_scatter.

https://pytorch.org/docs/stable/torch.html#indexing-slicing-joining-mutating-ops
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from torchlike._api.arguments import by_axis, integer, tensor_list
from torchlike._api.complex_numbers import refuse_complex
from torchlike._api.index_checks import check_bounds, expect, known, recorded
from torchlike._api.out import written
from torchlike._api.searching import check_mask, mask_positions, warn_of_bytes
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._ops.all import ROWS
from torchlike._ops.geometry import broadcast
from torchlike._record.bind import bind
from torchlike._record.inplace import check_history, check_written, inplace
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor
from torchlike._record.warning import warn_once
from torchlike._record.wrong_calls import check_call, checked, judged

_SRC, _VALUE = ROWS["scatter.src"], ROWS["scatter.value"]
_SRC_REDUCE, _VALUE_REDUCE = ROWS["scatter.reduce"], ROWS["scatter.value_reduce"]
_SCATTER_ADD, _SCATTER_REDUCE = ROWS["scatter_add"], ROWS["scatter_reduce.two"]
_INDEX_ADD, _INDEX_COPY, _INDEX_REDUCE = ROWS["index_add"], ROWS["index_copy"], ROWS["index_reduce"]
_INDEX_FILL, _INDEX_FILL_TENSOR = ROWS["index_fill.int_Scalar"], ROWS["index_fill.int_Tensor"]
_BETA = "index_reduce() is in beta and the API may change at any time."
_DEPRECATED = ("The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a "
               "future PyTorch release. Use torch.scatter_reduce instead for more reduction options.")


@checked
def scatter(input: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None, *,
            value: Number | None = None, reduce: str | None = None, axis: int | None = None,
            out: Tensor | None = None) -> Tensor:
    """`input` with the elements of `src`, or `value`, at the places of `index` along `dim`.
    https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html"""
    if dim is None or index is None or axis is not None:
        dim = by_axis("scatter", dim, axis, index=index)
    if out is not None:
        return written(out, "scatter", (), scatter, input, dim, index, src, value=value, reduce=reduce)
    return _scatter(bind, input, dim, index, src, value, reduce)


def scatter_(self: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | Number | None = None, *,
             value: Number | None = None, reduce: str | None = None, axis: int | None = None) -> Tensor:
    """`scatter` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_.html"""
    if dim is None or index is None or axis is not None:
        dim = by_axis("scatter_", dim, axis, index=index)
    return _scatter(inplace, self, dim, index, src, value, reduce)


def _scatter(record, self, dim, index, src, value, reduce):
    source, how = value if src is None else src, () if reduce is None else (reduce,)
    if isinstance(source, Tensor):
        if how:
            warnings.warn(_DEPRECATED, UserWarning, stacklevel=3)
        return recorded(record, _SRC_REDUCE if how else _SRC, self, dim, index, (source,), (), how)
    return recorded(record, _VALUE_REDUCE if how else _VALUE, self, dim, index, (), (source,), how)


@checked
def scatter_add(input: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None, *,
                axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """`input` plus the elements of `src` at the places of `index` along `dim`.
    https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html"""
    if dim is None or src is None or axis is not None:
        dim = by_axis("scatter_add", dim, axis, index=index, src=src)
    if out is not None:
        return written(out, "scatter_add", (), scatter_add, input, dim, index, src)
    return recorded(bind, _SCATTER_ADD, input, dim, index, (src,))


def scatter_add_(self: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None, *,
                 axis: int | None = None) -> Tensor:
    """`scatter_add` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_add_.html"""
    if dim is None or src is None or axis is not None:
        dim = by_axis("scatter_add_", dim, axis, index=index, src=src)
    return recorded(inplace, _SCATTER_ADD, self, dim, index, (src,))


@checked
def scatter_reduce(input: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None,
                   reduce: str | None = None, *, include_self: bool = True, axis: int | None = None,
                   out: Tensor | None = None) -> Tensor:
    """The elements of `src`, reduced to the places of `index` along `dim`.
    https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html"""
    if dim is None or reduce is None or axis is not None:
        dim = by_axis("scatter_reduce", dim, axis, index=index, src=src, reduce=reduce)
    if out is not None:
        return written(out, "scatter_reduce", (), scatter_reduce, input, dim, index, src, reduce, include_self=include_self)
    return _reduced(bind, _SCATTER_REDUCE, input, dim, index, src, reduce, include_self)


@judged
def scatter_reduce_(self: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None,
                    reduce: str | None = None, *, include_self: bool = True, axis: int | None = None) -> Tensor:
    """`scatter_reduce` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.scatter_reduce_.html"""
    if dim is None or reduce is None or axis is not None:
        dim = by_axis("scatter_reduce_", dim, axis, index=index, src=src, reduce=reduce)
    return _reduced(inplace, _SCATTER_REDUCE, self, dim, index, src, reduce, include_self)


def _reduced(record, row, self, dim, index, src, reduce, include_self):
    made = recorded(record, row, self, dim, index, (src,), (), (reduce, include_self))
    refuse_complex(row.face, self, src)
    return made


@checked
def index_reduce(input: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None,
                 reduce: str | None = None, *, include_self: bool = True, axis: int | None = None,
                 out: Tensor | None = None) -> Tensor:
    """The slices of `source`, reduced to those of `input` that a vector `index` names.
    https://pytorch.org/docs/stable/generated/torch.Tensor.index_reduce_.html"""
    if dim is None or reduce is None or axis is not None:
        dim = by_axis("index_reduce", dim, axis, index=index, source=source, reduce=reduce)
    if not (isinstance(reduce, str) and isinstance(include_self, bool)):
        check_call()
    given = _INDEX_REDUCE, input, dim, index, source, reduce, include_self
    made = _reduced(bind, *given) if out is None else written(out, "index_reduce", (), _reduced, bind, *given)
    warn_once(_BETA)
    return made


def index_reduce_(self: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None,
                  reduce: str | None = None, *, include_self: bool = True, axis: int | None = None) -> Tensor:
    """`index_reduce` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.index_reduce_.html"""
    if dim is None or reduce is None or axis is not None:
        dim = by_axis("index_reduce_", dim, axis, index=index, source=source, reduce=reduce)
    if not (isinstance(reduce, str) and isinstance(include_self, bool)):
        check_call()
    made = _reduced(inplace, _INDEX_REDUCE, self, dim, index, source, reduce, include_self)
    warn_once(_BETA)
    return made


@checked
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.select_scatter.html"""
    refuse_complex("select_scatter", input, src)
    return bind(ROWS["select_scatter"], (input, src), (), (integer(dim), integer(index)))


@checked
def slice_scatter(input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1,
                  *, out: Tensor | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.slice_scatter.html"""
    if out is not None:
        return written(out, "slice_scatter", (), slice_scatter, input, src, dim, start, end, step)
    refuse_complex("slice_scatter", input, src)
    return bind(ROWS["slice_scatter"], (input, src), (),
                (integer(dim), integer(start), integer(end), integer(step)))


@checked
def index_add(input: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None, *,
              alpha: Number = 1, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """`input` plus `alpha` times the slices of `source` where a vector `index` says.
    https://pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html"""
    if dim is None or source is None or axis is not None:
        dim = by_axis("index_add", dim, axis, index=index, source=source)
    if out is not None:
        return written(out, "index_add", (), index_add, input, dim, index, source, alpha=alpha)
    return recorded(bind, _INDEX_ADD, input, dim, index, (source,), (None if alpha == 1 else alpha,))


def index_add_(self: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None, *,
               alpha: Number = 1, axis: int | None = None) -> Tensor:
    """`index_add` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.index_add_.html"""
    if dim is None or source is None or axis is not None:
        dim = by_axis("index_add_", dim, axis, index=index, source=source)
    return recorded(inplace, _INDEX_ADD, self, dim, index, (source,), (None if alpha == 1 else alpha,))


@checked
def index_copy(input: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None, *,
               axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """`input` with the slices of `source` where a vector `index` says.
    https://pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html"""
    if dim is None or source is None or axis is not None:
        dim = by_axis("index_copy", dim, axis, index=index, source=source)
    if out is not None:
        return written(out, "index_copy", (), index_copy, input, dim, index, source)
    return recorded(bind, _INDEX_COPY, input, dim, index, (source,))


def index_copy_(self: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None, *,
                axis: int | None = None) -> Tensor:
    """`index_copy` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.index_copy_.html"""
    if dim is None or source is None or axis is not None:
        dim = by_axis("index_copy_", dim, axis, index=index, source=source)
    return recorded(inplace, _INDEX_COPY, self, dim, index, (source,))


@checked
def index_fill(input: Tensor, dim: int | None = None, index: Tensor | None = None, value: Number | Tensor | None = None, *,
               axis: int | None = None) -> Tensor:
    """`input` with `value` in the slices that a vector `index` names.
    https://pytorch.org/docs/stable/generated/torch.Tensor.index_fill_.html"""
    if dim is None or value is None or axis is not None:
        dim = by_axis("index_fill", dim, axis, index=index, value=value)
    return _index_fill(bind, input, dim, index, value)


def index_fill_(self: Tensor, dim: int | None = None, index: Tensor | None = None, value: Number | Tensor | None = None, *,
                axis: int | None = None) -> Tensor:
    """`index_fill` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.index_fill_.html"""
    if dim is None or value is None or axis is not None:
        dim = by_axis("index_fill_", dim, axis, index=index, value=value)
    return _index_fill(inplace, self, dim, index, value)


def _index_fill(record, self, dim, index, value):
    if isinstance(value, Tensor):
        return recorded(record, _INDEX_FILL_TENSOR, self, dim, index, (value,))
    return recorded(record, _INDEX_FILL, self, dim, index, (), (value,))


def _spelled_out(x, indices):
    """Masks among the index tensors become positions."""
    out: list = []
    for i in indices:
        if i is not None and i._cell.aval.dtype in (dt.bool_, dt.uint8):
            warn_of_bytes(i)
            if len(out) + i.dim() <= x.dim():
                check_mask(i.shape, x.shape, len(out))
            out.extend(leaf(places, x._cell.aval.device) for places in mask_positions(i))
        else:
            out.append(i)
    return tuple(out)


def check_put(x, indices, values, in_place=True) -> list:
    """What index_put looks at, in PyTorch's order: shapes, dtypes (it does not cast), overlaps, bounds.

    `values`: a Tensor or a number. Returns the Bounds to `expect`.
    """
    row, aval = ROWS["index_put"], x._cell.aval
    if in_place:
        check_history(x, x._edge is not None or getattr(values, "_edge", None) is not None, operands=(x,))
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


@checked
def index_put(input: Tensor, indices: Sequence[Tensor | None], values: Tensor | Number, accumulate: bool = False) -> Tensor:
    """`input` with `values` where the index tensors and masks say, or plus these with `accumulate`.
    https://pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html"""
    return _index_put(bind, input, indices, values, accumulate)


def index_put_(input: Tensor, indices: Sequence[Tensor | None], values: Tensor | Number, accumulate: bool = False) -> Tensor:
    """`index_put` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.index_put_.html"""
    return _index_put(inplace, input, indices, values, accumulate)


def _index_put(record, self, indices, values, accumulate):
    indices = tensor_list("index_put", indices, "indices")
    masked = len(indices) == 1 and indices[0]._cell.aval.dtype in (dt.bool_, dt.uint8) and values._cell.aval.numel == 1
    if masked:
        values = values.reshape(()) if values._cell.aval.ndim else values
        if indices[0].dim() <= self.dim():
            check_mask(indices[0].shape, self.shape, 0)
        if indices[0].dtype is dt.uint8:
            raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype unsigned char")
    indices = indices if masked else _spelled_out(self, indices)
    later = [] if masked else check_put(self, indices, values, record is inplace)
    made = record(ROWS["index_put"], (self, indices, values), (), (bool(accumulate),))
    expect(later)
    return made


@judged
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`input` with the elements of `source` at flat positions, or plus these with `accumulate`.
    https://pytorch.org/docs/stable/generated/torch.Tensor.put_.html"""
    return _put(bind, input, index, source, accumulate)


@checked
def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`put` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.put_.html"""
    return _put(inplace, self, index, source, accumulate)


def _put(record, self, index, source, accumulate):
    later = check_bounds("put", self, index) if index._cell.aval.dtype is dt.int64 else []
    made = record(ROWS["put"], (self, index, source), (), (bool(accumulate),))
    expect(later)
    return made


@checked
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input` with the elements of `source` one after the other where the mask is true.
    https://pytorch.org/docs/stable/generated/torch.Tensor.masked_scatter_.html"""
    return _masked_scatter(bind, input, mask, source)


def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`masked_scatter` in place. https://pytorch.org/docs/stable/generated/torch.Tensor.masked_scatter_.html"""
    return _masked_scatter(inplace, self, mask, source)


def _masked_scatter(record, self, mask, source):
    values = known(mask)
    if values is not None and values.dtype == np.bool_:
        shape = self._cell.aval.shape
        shape = shape if record is inplace else broadcast(shape, values.shape)
        if values.ndim <= len(shape) and np.broadcast_to(values, shape).sum() > source._cell.aval.numel:
            raise RuntimeError("Number of elements of source < number of ones in mask")
    return record(ROWS["masked_scatter"], (self, mask, source))


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
