"""Indexing, slicing, joining, views: functions of the torch namespace.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import as_tuple, by_axis, int_list, integer, ints, numpys, varargs
from torchlike._api.out import written
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind, unary
from torchlike._record.tensor import Tensor
from torchlike._record.views import view as _view
from torchlike._record.views import views as _views

_ROLL = ROWS["roll"]
_ROT90 = ROWS["rot90"]
_UNSQUEEZE = ROWS["unsqueeze"]
_SQUEEZE = ROWS["squeeze"]
_T = ROWS["t"]
_SELECT_INT = ROWS["select.int"]
_DIAGONAL = ROWS["diagonal"]
_SPLIT_WITH_SIZES = ROWS["split_with_sizes"]
_VIEW_AS_REAL = ROWS["view_as_real"]
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
_UNSAFE_SPLIT_TENSOR = ROWS["unsafe_split.Tensor"]
_UNSAFE_SPLIT_WITH_SIZES = ROWS["unsafe_split_with_sizes"]
_NARROW_COPY = ROWS["narrow_copy"]
_record_alias_copy = unary(ROWS["alias_copy"])
_record_t_copy = unary(ROWS["t_copy"])
_record_view_as_real_copy = unary(ROWS["view_as_real_copy"])
_record_detach_copy = unary(ROWS["detach_copy"])


def roll(input: Tensor, shifts: int | Sequence[int], dims: int | Sequence[int] = ()) -> Tensor:
    """The elements moved by `shifts` along `dims`; what leaves at one end comes in at the other.

    Args:
        input: Tensor of any shape.
        shifts: by how many places.
        dims: dimensions; negative ones count from the last.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.roll.html
    """
    return bind(_ROLL, (input,), (), (ints(shifts), ints(dims)))


def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """A quarter turn in the plane of `dims`, `k` times.

    Args:
        input: Tensor of any shape.
        k: how many, or which: 1 is the smallest.
        dims: dimensions; negative ones count from the last.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.rot90.html
    """
    return bind(_ROT90, (input,), (), (integer(k), int_list(dims)))


def unsqueeze(input: Tensor, dim: int | None = None, *, axis: int | None = None) -> Tensor:
    """A view with a dimension of size 1 inserted at `dim`.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.

    Returns:
        A Tensor, a view of the same memory.

    https://pytorch.org/docs/stable/generated/torch.unsqueeze.html
    """
    if dim is None or axis is not None:
        dim = by_axis("unsqueeze", dim, axis)
    return _view(_UNSQUEEZE, input, (integer(dim),))


def squeeze(input: Tensor, dim: int | Sequence[int] | None = None, *, axis: int | Sequence[int] | None = None) -> Tensor:
    """A view without the dimensions of size 1, or without those of `dim` that are.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.

    Returns:
        A Tensor, a view of the same memory.

    https://pytorch.org/docs/stable/generated/torch.squeeze.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    return _view(_SQUEEZE, input, (ints(dim),))


def t(input: Tensor) -> Tensor:
    """A matrix transposed; a vector or number as it is.

    Args:
        input: Tensor of any shape.

    Returns:
        A Tensor, a view of the same memory.

    https://pytorch.org/docs/stable/generated/torch.t.html
    """
    return _view(_T, input, ())


def select(input: Tensor, dim: int | None = None, index: int | None = None, *, axis: int | None = None) -> Tensor:
    """A view of one slice along `dim`, without that dimension.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        index: integers, positions along `dim`.
        axis: numpy's name of `dim`.

    Returns:
        A Tensor, a view of the same memory.

    https://pytorch.org/docs/stable/generated/torch.select.html
    """
    if dim is None or index is None or axis is not None:
        dim = by_axis("select", dim, axis, index=index)
    return _view(_SELECT_INT, input, (integer(dim), integer(index)))


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of a diagonal of the plane of `dim1` and `dim2`, as the last dimension.

    Args:
        input: Tensor of any shape.
        offset: which diagonal; 0 is the main one.
        dim1: the first of two dimensions.
        dim2: the second of two dimensions.

    Returns:
        A Tensor, a view of the same memory.

    https://pytorch.org/docs/stable/generated/torch.diagonal.html
    """
    return _view(_DIAGONAL, input, (integer(offset), integer(dim1), integer(dim2)))


def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0, *,
                     axis: int | None = None) -> tuple[Tensor, ...]:
    """Views of as many slices along `dim` as each of `split_sizes` says.

    Args:
        input: Tensor of any shape.
        split_sizes: the sizes of the pieces.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.

    Returns:
        A tuple of Tensors.

    https://pytorch.org/docs/stable/generated/torch.split_with_sizes.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return _views(_SPLIT_WITH_SIZES, input, (int_list(split_sizes), integer(dim)))


def view_as_real(input: Tensor) -> Tensor:
    """A view of complex numbers as pairs of real ones in a last dimension.

    Args:
        input: Tensor of any shape.

    Returns:
        A Tensor, a view of the same memory.

    https://pytorch.org/docs/stable/generated/torch.view_as_real.html
    """
    return _view(_VIEW_AS_REAL, input, ())


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """`self` with `src` in the place of a diagonal.

    Args:
        input: Tensor of any shape.
        src: what is written.
        offset: which diagonal; 0 is the main one.
        dim1: the first of two dimensions.
        dim2: the second of two dimensions.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.diagonal_scatter.html
    """
    return bind(_DIAGONAL_SCATTER, (input, src), (), (integer(offset), integer(dim1), integer(dim2)))


def expand_copy(input: Tensor, *given: int | Sequence[int], size: Sequence[int] | None = None, implicit: bool = False,
                out: Tensor | None = None) -> Tensor:
    """A copy of the view that `expand` makes.

    Args:
        input: Tensor of any shape.
        size: the shape, an int for each dimension.
        implicit: accepted.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.expand_copy.html
    """
    if out is not None:
        return written(out, "expand_copy", (), expand_copy, input, *given, size=size, implicit=implicit)
    return bind(_EXPAND_COPY, (input,), (), (varargs(given, size), implicit))


def diagonal_copy(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view that `diagonal` makes.

    Args:
        input: Tensor of any shape.
        offset: which diagonal; 0 is the main one.
        dim1: the first of two dimensions.
        dim2: the second of two dimensions.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.diagonal_copy.html
    """
    if out is not None:
        return written(out, "diagonal_copy", (), diagonal_copy, input, offset, dim1, dim2)
    return bind(_DIAGONAL_COPY, (input,), (), (integer(offset), integer(dim1), integer(dim2)))


def alias_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view that `alias` makes.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.alias_copy.html
    """
    if out is not None:
        return written(out, "alias_copy", (), alias_copy, input)
    return _record_alias_copy(input)


def permute_copy(input: Tensor, *given: int | Sequence[int], dims: Sequence[int] | None = None,
                 out: Tensor | None = None) -> Tensor:
    """A copy of the view that `permute` makes.

    Args:
        input: Tensor of any shape.
        dims: dimensions; negative ones count from the last.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.permute_copy.html
    """
    if out is not None:
        return written(out, "permute_copy", (), permute_copy, input, *given, dims=dims)
    return bind(_PERMUTE_COPY, (input,), (), (varargs(given, dims),))


def unfold_copy(input: Tensor, dimension: int, size: int, step: int, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view that `unfold` makes.

    Args:
        input: Tensor of any shape.
        dimension: the dimension.
        size: the shape, an int for each dimension.
        step: the distance of two elements.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.unfold_copy.html
    """
    if out is not None:
        return written(out, "unfold_copy", (), unfold_copy, input, dimension, size, step)
    return bind(_UNFOLD_COPY, (input,), (), (integer(dimension), integer(size), integer(step)))


def squeeze_copy(input: Tensor, dim: int | Sequence[int] | None = None, *, axis: int | Sequence[int] | None = None,
                 out: Tensor | None = None) -> Tensor:
    """A copy of the view that `squeeze` makes.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.squeeze_copy.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if out is not None:
        return written(out, "squeeze_copy", (), squeeze_copy, input, dim)
    return bind(_SQUEEZE_COPY, (input,), (), (ints(dim),))


def unsqueeze_copy(input: Tensor, dim: int | None = None, *, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """A copy of the view that `unsqueeze` makes.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.unsqueeze_copy.html
    """
    if dim is None or axis is not None:
        dim = by_axis("unsqueeze_copy", dim, axis)
    if out is not None:
        return written(out, "unsqueeze_copy", (), unsqueeze_copy, input, dim)
    return bind(_UNSQUEEZE_COPY, (input,), (), (integer(dim),))


def transpose_copy(input: Tensor, dim0: int, dim1: int, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view that `transpose` makes.

    Args:
        input: Tensor of any shape.
        dim0: the first of two dimensions.
        dim1: the first of two dimensions.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.transpose_copy.html
    """
    if out is not None:
        return written(out, "transpose_copy", (), transpose_copy, input, dim0, dim1)
    return bind(_TRANSPOSE_COPY_INT, (input,), (), (integer(dim0), integer(dim1)))


def t_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view that `t` makes.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.t_copy.html
    """
    if out is not None:
        return written(out, "t_copy", (), t_copy, input)
    return _record_t_copy(input)


def select_copy(input: Tensor, dim: int | None = None, index: int | None = None, *, axis: int | None = None,
                out: Tensor | None = None) -> Tensor:
    """A copy of the view that `select` makes.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        index: integers, positions along `dim`.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.select_copy.html
    """
    if dim is None or index is None or axis is not None:
        dim = by_axis("select_copy", dim, axis, index=index)
    if out is not None:
        return written(out, "select_copy", (), select_copy, input, dim, index)
    return bind(_SELECT_COPY_INT, (input,), (), (integer(dim), integer(index)))


def slice_copy(input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1, *,
               axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """A copy of the view that `slice` makes.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        start: where it starts.
        end: where it ends.
        step: the distance of two elements.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.slice_copy.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    if out is not None:
        return written(out, "slice_copy", (), slice_copy, input, dim, start, end, step)
    return bind(_SLICE_COPY_TENSOR, (input,), (), (integer(dim), integer(start), integer(end), integer(step)))


def view_as_real_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view that `view_as_real` makes.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.view_as_real_copy.html
    """
    if out is not None:
        return written(out, "view_as_real_copy", (), view_as_real_copy, input)
    return _record_view_as_real_copy(input)


def detach_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """A copy of the view that `alias` makes.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.detach_copy.html
    """
    if out is not None:
        return written(out, "detach_copy", (), detach_copy, input)
    return _record_detach_copy(input)


def unsafe_split(input: Tensor, split_size: int, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """A copy of the view that `split` makes.

    Args:
        input: Tensor of any shape.
        split_size: the size of each piece.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.

    Returns:
        A tuple of Tensors.

    https://pytorch.org/docs/stable/generated/torch.unsafe_split.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return as_tuple(bind(_UNSAFE_SPLIT_TENSOR, (input,), (), (integer(split_size), integer(dim))))


def unsafe_split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0, *,
                            axis: int | None = None) -> tuple[Tensor, ...]:
    """A copy of the view that `split_with_sizes` makes.

    Args:
        input: Tensor of any shape.
        split_sizes: the sizes of the pieces.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.

    Returns:
        A tuple of Tensors.

    https://pytorch.org/docs/stable/generated/torch.unsafe_split_with_sizes.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, 0)
    return as_tuple(bind(_UNSAFE_SPLIT_WITH_SIZES, (input,), (), (int_list(split_sizes), integer(dim))))


def narrow_copy(input: Tensor, dim: int | None = None, start: int | None = None, length: int | None = None, *,
                axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """The `length` slices from `start` along `dim`, as a copy.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        start: where it starts.
        length: the number of elements.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.narrow_copy.html
    """
    if dim is None or length is None or axis is not None:
        dim = by_axis("narrow_copy", dim, axis, start=start, length=length)
    if out is not None:
        return written(out, "narrow_copy", (), narrow_copy, input, dim, start, length)
    return bind(_NARROW_COPY, (input,), (), (integer(dim), integer(start), integer(length)))
