"""Indexing, slicing, joining, views: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import ONE, as_tuple, by_axis, int_list, integer, ints, numpys, varargs
from torchlike._api.in_place import become_view
from torchlike._api.types import Number
from torchlike._base.dtypes import dtype
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind, unary
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor
from torchlike._record.views import view as _view
from torchlike._record.views import views as _views

_CAT = ROWS["cat"]
_STACK = ROWS["stack"]
_BLOCK_DIAG = ROWS["block_diag"]
_REPEAT = ROWS["repeat"]
_FLIP = ROWS["flip"]
_ROLL = ROWS["roll"]
_ROT90 = ROWS["rot90"]
_GATHER = ROWS["gather"]
_SCATTER_SRC = ROWS["scatter.src"]
_SCATTER_VALUE = ROWS["scatter.value"]
_SCATTER_REDUCE = ROWS["scatter.reduce"]
_SCATTER_VALUE_REDUCE = ROWS["scatter.value_reduce"]
_SCATTER_ADD = ROWS["scatter_add"]
_SCATTER_REDUCE_TWO = ROWS["scatter_reduce.two"]
_INDEX_TENSOR = ROWS["index.Tensor"]
_INDEX_PUT = ROWS["index_put"]
_INDEX_SELECT = ROWS["index_select"]
_INDEX_ADD = ROWS["index_add"]
_INDEX_COPY = ROWS["index_copy"]
_INDEX_FILL_INT_SCALAR = ROWS["index_fill.int_Scalar"]
_INDEX_FILL_INT_TENSOR = ROWS["index_fill.int_Tensor"]
_PUT = ROWS["put"]
_MASKED_SELECT = ROWS["masked_select"]
_MASKED_SCATTER = ROWS["masked_scatter"]
_VIEW = ROWS["view"]
__RESHAPE_ALIAS = ROWS["_reshape_alias"]
__UNSAFE_VIEW = ROWS["_unsafe_view"]
_ALIAS = ROWS["alias"]
_UNSQUEEZE = ROWS["unsqueeze"]
_SQUEEZE = ROWS["squeeze"]
_PERMUTE = ROWS["permute"]
_TRANSPOSE_INT = ROWS["transpose.int"]
_T = ROWS["t"]
_EXPAND = ROWS["expand"]
_SLICE_TENSOR = ROWS["slice.Tensor"]
_SELECT_INT = ROWS["select.int"]
_DIAGONAL = ROWS["diagonal"]
_UNFOLD = ROWS["unfold"]
_SPLIT_TENSOR = ROWS["split.Tensor"]
_SPLIT_WITH_SIZES = ROWS["split_with_sizes"]
_UNBIND_INT = ROWS["unbind.int"]
_AS_STRIDED = ROWS["as_strided"]
_VIEW_AS_REAL = ROWS["view_as_real"]
_VIEW_AS_COMPLEX = ROWS["view_as_complex"]
_REAL = ROWS["real"]
_IMAG = ROWS["imag"]
__DETACH = ROWS["_detach"]
__CONJ = ROWS["_conj"]
_VIEW_DTYPE = ROWS["view.dtype"]
_INDEX_REDUCE = ROWS["index_reduce"]
_SELECT_SCATTER = ROWS["select_scatter"]
_SLICE_SCATTER = ROWS["slice_scatter"]
_DIAGONAL_SCATTER = ROWS["diagonal_scatter"]
_EXPAND_COPY = ROWS["expand_copy"]
_DIAGONAL_COPY = ROWS["diagonal_copy"]
_PERMUTE_COPY = ROWS["permute_copy"]
_UNFOLD_COPY = ROWS["unfold_copy"]
_SQUEEZE_COPY = ROWS["squeeze_copy"]
_UNSQUEEZE_COPY = ROWS["unsqueeze_copy"]
_TRANSPOSE_COPY_INT = ROWS["transpose_copy.int"]
_SELECT_COPY_INT = ROWS["select_copy.int"]
_SLICE_COPY_TENSOR = ROWS["slice_copy.Tensor"]
_VIEW_COPY = ROWS["view_copy"]
_UNBIND_COPY_INT = ROWS["unbind_copy.int"]
_SPLIT_COPY_TENSOR = ROWS["split_copy.Tensor"]
_SPLIT_WITH_SIZES_COPY = ROWS["split_with_sizes_copy"]
_UNSAFE_SPLIT_TENSOR = ROWS["unsafe_split.Tensor"]
_UNSAFE_SPLIT_WITH_SIZES = ROWS["unsafe_split_with_sizes"]
_NARROW_COPY = ROWS["narrow_copy"]
__AS_STRIDED_COPY = ROWS["_as_strided_copy"]
__AS_STRIDED_SCATTER = ROWS["_as_strided_scatter"]
_record_take = binary(ROWS["take"])
_record_alias_copy = unary(ROWS["alias_copy"])
_record_t_copy = unary(ROWS["t_copy"])
_record_view_as_real_copy = unary(ROWS["view_as_real_copy"])
_record_detach_copy = unary(ROWS["detach_copy"])


def cat(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """The tensors one after the other along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return bind(_CAT, (tuple(tensors),), (), (integer(dim),))


def stack(tensors: Sequence[Tensor], dim: int = 0, *, axis: int | None = None) -> Tensor:
    """The tensors side by side along a new dimension `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return bind(_STACK, (tuple(tensors),), (), (integer(dim),))


def block_diag(tensors: Sequence[Tensor]) -> Tensor:
    """A matrix with the given matrices along its diagonal and zeros elsewhere."""
    return bind(_BLOCK_DIAG, (tuple(tensors),))


def repeat(self: Tensor, *given: int | Sequence[int], repeats: Sequence[int] | None = None) -> Tensor:
    """Copies of the tensor, `repeats` times along each dimension."""
    return bind(_REPEAT, (self,), (), (varargs(given, repeats),))


def flip(self: Tensor, *given: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """The elements in reverse order along `dims`."""
    return bind(_FLIP, (self,), (), (varargs(given, dims),))


def roll(self: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] = ()) -> Tensor:
    """The elements moved by `shifts` along `dims`; what leaves at one end comes in at the other."""
    return bind(_ROLL, (self,), (), (ints(shifts), ints(dims)))


def rot90(self: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """A quarter turn in the plane of `dims`, `k` times."""
    return bind(_ROT90, (self,), (), (integer(k), int_list(dims)))


def gather(self: Tensor, dim: int | None = None, index: Tensor | None = None, *, sparse_grad: bool = False,
           axis: int | None = None) -> Tensor:
    """The elements at the places that `index` names along `dim`."""
    if dim is None or index is None or axis is not None:
        dim = by_axis("gather", dim, axis, index=index)
    return bind(_GATHER, (self, index), (), (integer(dim), sparse_grad))


def scatter_src(self: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None, *,
                axis: int | None = None) -> Tensor:
    """`self` with elements of `src` written to the places that `index` names along `dim`."""
    if dim is None or src is None or axis is not None:
        dim = by_axis("scatter", dim, axis, index=index, src=src)
    return bind(_SCATTER_SRC, (self, index, src), (), (integer(dim),))


def scatter_src_(input: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None, *,
                 axis: int | None = None) -> Tensor:
    """`scatter` in place."""
    if dim is None or src is None or axis is not None:
        dim = by_axis("scatter", dim, axis, index=index, src=src)
    return inplace(_SCATTER_SRC, (input, index, src), (), (integer(dim),))


def scatter_value(self: Tensor, dim: int | None = None, index: Tensor | None = None, value: Number | None = None, *,
                  axis: int | None = None) -> Tensor:
    """`self` with `value` written to the places that `index` names along `dim`."""
    if dim is None or value is None or axis is not None:
        dim = by_axis("scatter", dim, axis, index=index, value=value)
    return bind(_SCATTER_VALUE, (self, index), (value,), (integer(dim),))


def scatter_value_(input: Tensor, dim: int | None = None, index: Tensor | None = None, value: Number | None = None, *,
                   axis: int | None = None) -> Tensor:
    """`scatter` in place."""
    if dim is None or value is None or axis is not None:
        dim = by_axis("scatter", dim, axis, index=index, value=value)
    return inplace(_SCATTER_VALUE, (input, index), (value,), (integer(dim),))


def scatter_reduce(self: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None, *,
                   reduce: str, axis: int | None = None) -> Tensor:
    """`self` with elements of `src` combined into the places that `index` names along `dim`."""
    if dim is None or src is None or axis is not None:
        dim = by_axis("scatter", dim, axis, index=index, src=src)
    return bind(_SCATTER_REDUCE, (self, index, src), (), (integer(dim), reduce))


def scatter_reduce_(input: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None, *,
                    reduce: str, axis: int | None = None) -> Tensor:
    """`scatter` in place."""
    if dim is None or src is None or axis is not None:
        dim = by_axis("scatter", dim, axis, index=index, src=src)
    return inplace(_SCATTER_REDUCE, (input, index, src), (), (integer(dim), reduce))


def scatter_value_reduce(self: Tensor, dim: int | None = None, index: Tensor | None = None, value: Number | None = None, *,
                         reduce: str, axis: int | None = None) -> Tensor:
    """`self` with `value` combined into the places that `index` names along `dim`."""
    if dim is None or value is None or axis is not None:
        dim = by_axis("scatter", dim, axis, index=index, value=value)
    return bind(_SCATTER_VALUE_REDUCE, (self, index), (value,), (integer(dim), reduce))


def scatter_value_reduce_(input: Tensor, dim: int | None = None, index: Tensor | None = None, value: Number | None = None, *,
                          reduce: str, axis: int | None = None) -> Tensor:
    """`scatter` in place."""
    if dim is None or value is None or axis is not None:
        dim = by_axis("scatter", dim, axis, index=index, value=value)
    return inplace(_SCATTER_VALUE_REDUCE, (input, index), (value,), (integer(dim), reduce))


def scatter_add(self: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None, *,
                axis: int | None = None) -> Tensor:
    """`self` with elements of `src` added at the places that `index` names along `dim`."""
    if dim is None or src is None or axis is not None:
        dim = by_axis("scatter_add", dim, axis, index=index, src=src)
    return bind(_SCATTER_ADD, (self, index, src), (), (integer(dim),))


def scatter_add_(input: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None, *,
                 axis: int | None = None) -> Tensor:
    """`scatter_add` in place."""
    if dim is None or src is None or axis is not None:
        dim = by_axis("scatter_add", dim, axis, index=index, src=src)
    return inplace(_SCATTER_ADD, (input, index, src), (), (integer(dim),))


def scatter_reduce_two(self: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None,
                       reduce: str | None = None, *, include_self: bool = True, axis: int | None = None) -> Tensor:
    """`self` with elements of `src` combined by `reduce` at the places that `index` names along `dim`."""
    if dim is None or reduce is None or axis is not None:
        dim = by_axis("scatter_reduce", dim, axis, index=index, src=src, reduce=reduce)
    return bind(_SCATTER_REDUCE_TWO, (self, index, src), (), (integer(dim), reduce, include_self))


def scatter_reduce_two_(input: Tensor, dim: int | None = None, index: Tensor | None = None, src: Tensor | None = None,
                        reduce: str | None = None, *, include_self: bool = True, axis: int | None = None) -> Tensor:
    """`scatter_reduce` in place."""
    if dim is None or reduce is None or axis is not None:
        dim = by_axis("scatter_reduce", dim, axis, index=index, src=src, reduce=reduce)
    return inplace(_SCATTER_REDUCE_TWO, (input, index, src), (), (integer(dim), reduce, include_self))


def index_Tensor(self: Tensor, indices: Sequence[Tensor | None]) -> Tensor:
    """PyTorch's operator `aten::index.Tensor`."""
    return bind(_INDEX_TENSOR, (self, tuple(indices)))


def index_put(self: Tensor, indices: Sequence[Tensor | None], values: Tensor | Number, accumulate: bool = False) -> Tensor:
    """`self` with `values` written to, or added at, the elements that index tensors name."""
    return bind(_INDEX_PUT, (self, tuple(indices), values), (), (accumulate,))


def index_put_(input: Tensor, indices: Sequence[Tensor | None], values: Tensor | Number, accumulate: bool = False) -> Tensor:
    """`index_put` in place."""
    return inplace(_INDEX_PUT, (input, tuple(indices), values), (), (accumulate,))


def index_select(self: Tensor, dim: int | None = None, index: Tensor | None = None, *, axis: int | None = None) -> Tensor:
    """The slices along `dim` that `index` names."""
    if dim is None or index is None or axis is not None:
        dim = by_axis("index_select", dim, axis, index=index)
    return bind(_INDEX_SELECT, (self, index), (), (integer(dim),))


def index_add(self: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None, *,
              alpha: Number = 1, axis: int | None = None) -> Tensor:
    """`self` with slices of `source`, times `alpha`, added to those that `index` names along `dim`."""
    if dim is None or source is None or axis is not None:
        dim = by_axis("index_add", dim, axis, index=index, source=source)
    return bind(_INDEX_ADD, (self, index, source), (None if alpha is ONE else alpha,), (integer(dim),))


def index_add_(input: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None, *,
               alpha: Number = 1, axis: int | None = None) -> Tensor:
    """`index_add` in place."""
    if dim is None or source is None or axis is not None:
        dim = by_axis("index_add", dim, axis, index=index, source=source)
    return inplace(_INDEX_ADD, (input, index, source), (None if alpha is ONE else alpha,), (integer(dim),))


def index_copy(self: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None, *,
               axis: int | None = None) -> Tensor:
    """`self` with slices of `source` in the place of those that `index` names along `dim`."""
    if dim is None or source is None or axis is not None:
        dim = by_axis("index_copy", dim, axis, index=index, source=source)
    return bind(_INDEX_COPY, (self, index, source), (), (integer(dim),))


def index_copy_(input: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None, *,
                axis: int | None = None) -> Tensor:
    """`index_copy` in place."""
    if dim is None or source is None or axis is not None:
        dim = by_axis("index_copy", dim, axis, index=index, source=source)
    return inplace(_INDEX_COPY, (input, index, source), (), (integer(dim),))


def index_fill_int_Scalar(self: Tensor, dim: int | None = None, index: Tensor | None = None, value: Number | None = None, *,
                          axis: int | None = None) -> Tensor:
    """`self` with `value` in the slices that `index` names along `dim`."""
    if dim is None or value is None or axis is not None:
        dim = by_axis("index_fill", dim, axis, index=index, value=value)
    return bind(_INDEX_FILL_INT_SCALAR, (self, index), (value,), (integer(dim),))


def index_fill_int_Scalar_(input: Tensor, dim: int | None = None, index: Tensor | None = None, value: Number | None = None,
                           *, axis: int | None = None) -> Tensor:
    """`index_fill` in place."""
    if dim is None or value is None or axis is not None:
        dim = by_axis("index_fill", dim, axis, index=index, value=value)
    return inplace(_INDEX_FILL_INT_SCALAR, (input, index), (value,), (integer(dim),))


def index_fill_int_Tensor(self: Tensor, dim: int | None = None, index: Tensor | None = None, value: Tensor | None = None, *,
                          axis: int | None = None) -> Tensor:
    """`self` with `value` in the slices that `index` names along `dim`."""
    if dim is None or value is None or axis is not None:
        dim = by_axis("index_fill", dim, axis, index=index, value=value)
    return bind(_INDEX_FILL_INT_TENSOR, (self, index, value), (), (integer(dim),))


def index_fill_int_Tensor_(input: Tensor, dim: int | None = None, index: Tensor | None = None, value: Tensor | None = None,
                           *, axis: int | None = None) -> Tensor:
    """`index_fill` in place."""
    if dim is None or value is None or axis is not None:
        dim = by_axis("index_fill", dim, axis, index=index, value=value)
    return inplace(_INDEX_FILL_INT_TENSOR, (input, index, value), (), (integer(dim),))


def take(self: Tensor, index: Tensor) -> Tensor:
    """The elements at positions in the flattened tensor."""
    return _record_take(self, index)


def put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`self` with elements of `source` written to positions in the flattened tensor."""
    return bind(_PUT, (self, index, source), (), (accumulate,))


def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`put` in place."""
    return inplace(_PUT, (input, index, source), (), (accumulate,))


def masked_select(self: Tensor, mask: Tensor, places: Tensor) -> Tensor:
    """The elements where `mask` is true, as a vector."""
    return bind(_MASKED_SELECT, (self, mask, places))


def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`self` with elements of `source`, in order, where `mask` is true."""
    return bind(_MASKED_SCATTER, (self, mask, source))


def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`masked_scatter` in place."""
    return inplace(_MASKED_SCATTER, (input, mask, source))


def view(self: Tensor, *given: int | Sequence[int], size: Sequence[int] | None = None) -> Tensor:
    """The same memory under another shape."""
    return _view(_VIEW, self, (varargs(given, size),))


def _reshape_alias(self: Tensor, size: Sequence[int]) -> Tensor:
    """PyTorch's operator `aten::_reshape_alias`."""
    return _view(__RESHAPE_ALIAS, self, (int_list(size),))


def _unsafe_view(self: Tensor, size: Sequence[int]) -> Tensor:
    """PyTorch's operator `aten::_unsafe_view`."""
    return bind(__UNSAFE_VIEW, (self,), (), (int_list(size),))


def alias(self: Tensor) -> Tensor:
    """The same memory as another tensor."""
    return _view(_ALIAS, self, ())


def unsqueeze(self: Tensor, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """A view with a dimension of size 1 inserted at `dim`."""
    if dim is None or axis is not None:
        dim = by_axis("unsqueeze", dim, axis)
    return _view(_UNSQUEEZE, self, (integer(dim),))


def unsqueeze_(input: Tensor, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """`unsqueeze` in place."""
    if dim is None or axis is not None:
        dim = by_axis("unsqueeze", dim, axis)
    return become_view(_UNSQUEEZE, input, "unsqueeze", dim)


def squeeze(self: Tensor, dim: int | Sequence[int] | None = None, *, axis: int | Sequence[int] | None = None) -> Tensor:
    """A view without the dimensions of size 1, or without those of `dim` that are."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    return _view(_SQUEEZE, self, (ints(dim),))


def squeeze_(input: Tensor, dim: int | Sequence[int] | None = None, *, axis: int | Sequence[int] | None = None) -> Tensor:
    """`squeeze` in place."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    return become_view(_SQUEEZE, input, "squeeze", dim)


def permute(self: Tensor, *given: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """A view with the dimensions in another order."""
    return _view(_PERMUTE, self, (varargs(given, dims),))


def transpose_int(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions exchanged."""
    return _view(_TRANSPOSE_INT, self, (integer(dim0), integer(dim1)))


def transpose_int_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose` in place."""
    return become_view(_TRANSPOSE_INT, input, "transpose", dim0, dim1)


def t(self: Tensor) -> Tensor:
    """A matrix transposed; a vector or number as it is."""
    return _view(_T, self, ())


def t_(input: Tensor) -> Tensor:
    """`t` in place."""
    return become_view(_T, input, "t")


def expand(self: Tensor, *given: int | Sequence[int], size: Sequence[int] | None = None, implicit: bool = False) -> Tensor:
    """A view in which dimensions of size 1 are repeated without using memory."""
    return _view(_EXPAND, self, (varargs(given, size), implicit))


def slice_Tensor(self: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1, *,
                 axis: int | None = None) -> Tensor:
    """A view of every `step`-th slice from `start` to `end` along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return _view(_SLICE_TENSOR, self, (integer(dim), integer(start), integer(end), integer(step)))


def select_int(self: Tensor, dim: int | None = None, index: int | None = None, *, axis: int | None = None) -> Tensor:
    """A view of one slice along `dim`, without that dimension."""
    if dim is None or index is None or axis is not None:
        dim = by_axis("select", dim, axis, index=index)
    return _view(_SELECT_INT, self, (integer(dim), integer(index)))


def diagonal(self: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of a diagonal of the plane of `dim1` and `dim2`, as the last dimension."""
    return _view(_DIAGONAL, self, (integer(offset), integer(dim1), integer(dim2)))


def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of all windows of `size` along `dimension`, `step` apart, with their elements as a new last dimension."""
    return _view(_UNFOLD, self, (integer(dimension), integer(size), integer(step)))


def split_Tensor(self: Tensor, split_size: int, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """Views of `split_size` slices each along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return _views(_SPLIT_TENSOR, self, (integer(split_size), integer(dim)))


def split_with_sizes(self: Tensor, split_sizes: Sequence[int], dim: int = 0, *,
                     axis: int | None = None) -> tuple[Tensor, ...]:
    """Views of as many slices along `dim` as each of `split_sizes` says."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return _views(_SPLIT_WITH_SIZES, self, (int_list(split_sizes), integer(dim)))


def unbind_int(self: Tensor, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """A view of each slice along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return _views(_UNBIND_INT, self, (integer(dim),))


def as_strided(self: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int, *,
               base_layout: Sequence[int]) -> Tensor:
    """A view of the memory with the given size, strides and offset."""
    return _view(_AS_STRIDED, self, (int_list(size), int_list(stride), integer(storage_offset), int_list(base_layout)))


def view_as_real(self: Tensor) -> Tensor:
    """A view of complex numbers as pairs of real ones in a last dimension."""
    return _view(_VIEW_AS_REAL, self, ())


def view_as_complex(self: Tensor) -> Tensor:
    """A view of pairs in the last dimension as complex numbers."""
    return _view(_VIEW_AS_COMPLEX, self, ())


def real(self: Tensor) -> Tensor:
    """A view of the real parts."""
    return _view(_REAL, self, ())


def imag(self: Tensor) -> Tensor:
    """A view of the imaginary parts."""
    return _view(_IMAG, self, ())


def _detach(self: Tensor) -> Tensor:
    """`detach` under a transform of `torchlike.func`: a row without a gradient is a constant there."""
    return _view(__DETACH, self, ())


def _conj(self: Tensor) -> Tensor:
    """PyTorch's operator `aten::_conj`."""
    return _view(__CONJ, self, ())


def view_dtype(self: Tensor, dtype: dtype, *, was: dtype) -> Tensor:
    """The same memory read as numbers of another dtype."""
    return _view(_VIEW_DTYPE, self, (dtype, was))


def index_reduce(self: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None,
                 reduce: str | None = None, *, include_self: bool = True, axis: int | None = None) -> Tensor:
    """`self` with slices of `source` combined by `reduce` into those that `index` names along `dim`."""
    if dim is None or reduce is None or axis is not None:
        dim = by_axis("index_reduce", dim, axis, index=index, source=source, reduce=reduce)
    return bind(_INDEX_REDUCE, (self, index, source), (), (integer(dim), reduce, include_self))


def index_reduce_(input: Tensor, dim: int | None = None, index: Tensor | None = None, source: Tensor | None = None,
                  reduce: str | None = None, *, include_self: bool = True, axis: int | None = None) -> Tensor:
    """`index_reduce` in place."""
    if dim is None or reduce is None or axis is not None:
        dim = by_axis("index_reduce", dim, axis, index=index, source=source, reduce=reduce)
    return inplace(_INDEX_REDUCE, (input, index, source), (), (integer(dim), reduce, include_self))


def select_scatter(self: Tensor, src: Tensor, dim: int | None = None, index: int | None = None, *,
                   axis: int | None = None) -> Tensor:
    """`self` with `src` in the place of one slice along `dim`."""
    if dim is None or index is None or axis is not None:
        dim = by_axis("select_scatter", dim, axis, index=index)
    return bind(_SELECT_SCATTER, (self, src), (), (integer(dim), integer(index)))


def slice_scatter(self: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1,
                  *, axis: int | None = None) -> Tensor:
    """`self` with `src` in the place of the slices from `start` to `end` along `dim`."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return bind(_SLICE_SCATTER, (self, src), (), (integer(dim), integer(start), integer(end), integer(step)))


def diagonal_scatter(self: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """`self` with `src` in the place of a diagonal."""
    return bind(_DIAGONAL_SCATTER, (self, src), (), (integer(offset), integer(dim1), integer(dim2)))


def expand_copy(self: Tensor, *given: int | Sequence[int], size: Sequence[int] | None = None,
                implicit: bool = False) -> Tensor:
    """A copy of the view that `expand` makes."""
    return bind(_EXPAND_COPY, (self,), (), (varargs(given, size), implicit))


def diagonal_copy(self: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of the view that `diagonal` makes."""
    return bind(_DIAGONAL_COPY, (self,), (), (integer(offset), integer(dim1), integer(dim2)))


def alias_copy(self: Tensor) -> Tensor:
    """A copy of the view that `alias` makes."""
    return _record_alias_copy(self)


def permute_copy(self: Tensor, *given: int | Sequence[int], dims: Sequence[int] | None = None) -> Tensor:
    """A copy of the view that `permute` makes."""
    return bind(_PERMUTE_COPY, (self,), (), (varargs(given, dims),))


def unfold_copy(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A copy of the view that `unfold` makes."""
    return bind(_UNFOLD_COPY, (self,), (), (integer(dimension), integer(size), integer(step)))


def squeeze_copy(self: Tensor, dim: int | Sequence[int] | None = None, *, axis: int | Sequence[int] | None = None) -> Tensor:
    """A copy of the view that `squeeze` makes."""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    return bind(_SQUEEZE_COPY, (self,), (), (ints(dim),))


def unsqueeze_copy(self: Tensor, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """A copy of the view that `unsqueeze` makes."""
    if dim is None or axis is not None:
        dim = by_axis("unsqueeze_copy", dim, axis)
    return bind(_UNSQUEEZE_COPY, (self,), (), (integer(dim),))


def transpose_copy_int(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """A copy of the view that `transpose` makes."""
    return bind(_TRANSPOSE_COPY_INT, (self,), (), (integer(dim0), integer(dim1)))


def t_copy(self: Tensor) -> Tensor:
    """A copy of the view that `t` makes."""
    return _record_t_copy(self)


def select_copy_int(self: Tensor, dim: int | None = None, index: int | None = None, *, axis: int | None = None) -> Tensor:
    """A copy of the view that `select` makes."""
    if dim is None or index is None or axis is not None:
        dim = by_axis("select_copy", dim, axis, index=index)
    return bind(_SELECT_COPY_INT, (self,), (), (integer(dim), integer(index)))


def slice_copy_Tensor(self: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1, *,
                      axis: int | None = None) -> Tensor:
    """A copy of the view that `slice` makes."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return bind(_SLICE_COPY_TENSOR, (self,), (), (integer(dim), integer(start), integer(end), integer(step)))


def view_as_real_copy(self: Tensor) -> Tensor:
    """A copy of the view that `view_as_real` makes."""
    return _record_view_as_real_copy(self)


def view_copy(self: Tensor, *given: int | Sequence[int], size: Sequence[int] | None = None) -> Tensor:
    """A copy of the view that `view` makes."""
    return bind(_VIEW_COPY, (self,), (), (varargs(given, size),))


def unbind_copy_int(self: Tensor, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """A copy of the view that `unbind` makes."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return as_tuple(bind(_UNBIND_COPY_INT, (self,), (), (integer(dim),)))


def split_copy_Tensor(self: Tensor, split_size: int, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """A copy of the view that `split` makes."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return as_tuple(bind(_SPLIT_COPY_TENSOR, (self,), (), (integer(split_size), integer(dim))))


def split_with_sizes_copy(self: Tensor, split_sizes: Sequence[int], dim: int = 0, *,
                          axis: int | None = None) -> tuple[Tensor, ...]:
    """A copy of the view that `split_with_sizes` makes."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return as_tuple(bind(_SPLIT_WITH_SIZES_COPY, (self,), (), (int_list(split_sizes), integer(dim))))


def detach_copy(self: Tensor) -> Tensor:
    """A copy of the view that `alias` makes."""
    return _record_detach_copy(self)


def unsafe_split_Tensor(self: Tensor, split_size: int, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """A copy of the view that `split` makes."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return as_tuple(bind(_UNSAFE_SPLIT_TENSOR, (self,), (), (integer(split_size), integer(dim))))


def unsafe_split_with_sizes(self: Tensor, split_sizes: Sequence[int], dim: int = 0, *,
                            axis: int | None = None) -> tuple[Tensor, ...]:
    """A copy of the view that `split_with_sizes` makes."""
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return as_tuple(bind(_UNSAFE_SPLIT_WITH_SIZES, (self,), (), (int_list(split_sizes), integer(dim))))


def narrow_copy(self: Tensor, dim: int | None = None, start: int | None = None, length: int | None = None, *,
                axis: int | None = None) -> Tensor:
    """The `length` slices from `start` along `dim`, as a copy."""
    if dim is None or length is None or axis is not None:
        dim = by_axis("narrow_copy", dim, axis, start=start, length=length)
    return bind(_NARROW_COPY, (self,), (), (integer(dim), integer(start), integer(length)))


def _as_strided_copy(self: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int, *,
                     base_layout: Sequence[int]) -> Tensor:
    """A copy of the view that `as_strided` makes."""
    return bind(__AS_STRIDED_COPY, (self,), (), (int_list(size), int_list(stride), integer(storage_offset),
        int_list(base_layout)))


def _as_strided_scatter(self: Tensor, src: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int, *,
                        base_layout: Sequence[int]) -> Tensor:
    """PyTorch's operator `aten::_as_strided_scatter`."""
    return bind(__AS_STRIDED_SCATTER, (self, src), (), (int_list(size), int_list(stride), integer(storage_offset),
        int_list(base_layout)))


def select(self: Tensor, dim: int | None = None, index: int | None = None, *, axis: int | None = None) -> Tensor:
    """A view of one slice along `dim`, without that dimension."""
    if dim is None or index is None or axis is not None:
        dim = by_axis("select", dim, axis, index=index)
    return _view(_SELECT_INT, self, (integer(dim), integer(index)))


def transpose_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose` in place."""
    return become_view(_TRANSPOSE_INT, input, "transpose", dim0, dim1)


def swapdims_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """`transpose` in place."""
    return become_view(_TRANSPOSE_INT, input, "transpose", dim0, dim1)


__all__ = [
    "cat",
    "stack",
    "block_diag",
    "repeat",
    "flip",
    "roll",
    "rot90",
    "gather",
    "scatter_src",
    "scatter_src_",
    "scatter_value",
    "scatter_value_",
    "scatter_reduce",
    "scatter_reduce_",
    "scatter_value_reduce",
    "scatter_value_reduce_",
    "scatter_add",
    "scatter_add_",
    "scatter_reduce_two",
    "scatter_reduce_two_",
    "index_Tensor",
    "index_put",
    "index_put_",
    "index_select",
    "index_add",
    "index_add_",
    "index_copy",
    "index_copy_",
    "index_fill_int_Scalar",
    "index_fill_int_Scalar_",
    "index_fill_int_Tensor",
    "index_fill_int_Tensor_",
    "take",
    "put",
    "put_",
    "masked_select",
    "masked_scatter",
    "masked_scatter_",
    "view",
    "_reshape_alias",
    "_unsafe_view",
    "alias",
    "unsqueeze",
    "unsqueeze_",
    "squeeze",
    "squeeze_",
    "permute",
    "transpose_int",
    "transpose_int_",
    "t",
    "t_",
    "expand",
    "slice_Tensor",
    "select_int",
    "diagonal",
    "unfold",
    "split_Tensor",
    "split_with_sizes",
    "unbind_int",
    "as_strided",
    "view_as_real",
    "view_as_complex",
    "real",
    "imag",
    "_detach",
    "_conj",
    "view_dtype",
    "index_reduce",
    "index_reduce_",
    "select_scatter",
    "slice_scatter",
    "diagonal_scatter",
    "expand_copy",
    "diagonal_copy",
    "alias_copy",
    "permute_copy",
    "unfold_copy",
    "squeeze_copy",
    "unsqueeze_copy",
    "transpose_copy_int",
    "t_copy",
    "select_copy_int",
    "slice_copy_Tensor",
    "view_as_real_copy",
    "view_copy",
    "unbind_copy_int",
    "split_copy_Tensor",
    "split_with_sizes_copy",
    "detach_copy",
    "unsafe_split_Tensor",
    "unsafe_split_with_sizes",
    "narrow_copy",
    "_as_strided_copy",
    "_as_strided_scatter",
    "select",
    "transpose_",
    "swapdims_",
]
