"""Views as copies that are more than their row: windows on memory, and `unsafe_chunk`."""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.generated import ops
from torchlike._api.out import written
from torchlike._api.shapes import check_window, int_list, view
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._base.errors import wrap_dim
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.inplace import write_out
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import check_call, checked, instead_of, judged


def _window(input, size, stride, storage_offset):
    aval = input._cell.aval
    size, stride = int_list(size), int_list(stride)
    offset = aval.offset if storage_offset is None else storage_offset
    check_window(size, stride, offset, aval)
    return size, stride, offset, (tuple(aval.strides), aval.offset)


@checked
def as_strided_copy(input: Tensor, size: int | Sequence[int], stride: int | Sequence[int],
                    storage_offset: int | None = None) -> Tensor:
    """`as_strided` as a copy. https://pytorch.org/docs/stable/generated/torch.as_strided.html"""
    return bind(ROWS["_as_strided_copy"], (input,), (), _window(input, size, stride, storage_offset))


def as_strided_copy_function(input: Tensor, size: int | Sequence[int], stride: int | Sequence[int],
                             storage_offset: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """`as_strided` as a copy. https://pytorch.org/docs/stable/generated/torch.as_strided.html"""
    if out is not None:
        return written(out, "as_strided_copy", (), as_strided_copy, input, size, stride, storage_offset)
    return as_strided_copy(input, size, stride, storage_offset)


@checked
def as_strided_scatter(input: Tensor, src: Tensor, size: int | Sequence[int], stride: int | Sequence[int],
                       storage_offset: int | None = None) -> Tensor:
    """A copy of `input` with `src` in the window. The gradient of `input` is PyTorch's: that of the window, 0 elsewhere.
    https://pytorch.org/docs/stable/generated/torch.as_strided_scatter.html"""
    return bind(ROWS["_as_strided_scatter"], (input, src), (), _window(input, size, stride, storage_offset))


@judged
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """`chunk` whose pieces are no views. https://pytorch.org/docs/stable/generated/torch.unsafe_chunk.html"""
    if not input.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input.shape[wrap_dim(dim, input.ndim)]
    each = (size + chunks - 1) // chunks
    if each == 0 and size == 0:
        return ops.unsafe_split_with_sizes(input, (0,) * chunks, dim)
    return ops.unsafe_split_Tensor(input, each, dim)


def view_as_complex_copy(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`view_as_complex` as a copy. https://pytorch.org/docs/stable/generated/torch.view_as_complex.html"""
    if out is not None:
        return written(out, "view_as_complex_copy", (), view_as_complex_copy, input)
    return ops.view_as_complex(input).clone()


@judged
def slice_inverse(input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None,
                  step: int = 1) -> Tensor:
    """Of a slice the tensor that it is a slice of: a view that lies in memory as `src` does. Nothing but `src` is looked
    at."""
    whole = input if input.requires_grad or input._base is None else input._base
    return whole.as_strided(src.size(), src.stride(), src.storage_offset())


def view_copy(input: Tensor, *given: Sequence[int] | dtype, size: Sequence[int] | None = None, dtype: dtype | None = None,
              out: Tensor | None = None) -> Tensor:
    """`view` as a copy: ``view_copy(input, size)`` or ``view_copy(input, dtype)``.
    https://pytorch.org/docs/stable/generated/torch.Tensor.view.html"""
    try:
        if out is not None:
            return written(out, "view_copy", (), view_copy, input, *given, size=size, dtype=dtype)
        if dtype is not None or (len(given) == 1 and isinstance(given[0], dt.dtype)):
            return view(input, *given, dtype=dtype).clone()
        if len(given) > 1 or hasattr(given[0] if given else size, "__index__"):
            check_call()  # a list of sizes is one argument here
        return ops.view_copy(input, *given, size=size)  # pyrefly: ignore[bad-argument-type] - no dtype is left
    except AttributeError as error:
        raise instead_of(error) from None


def unbind_copy(input: Tensor, dim: int = 0, *, axis: int | None = None,
                out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...] | None:
    """`unbind` as copies; None with `out`. https://pytorch.org/docs/stable/generated/torch.unbind.html"""
    made = ops.unbind_copy_int(input, dim, axis=axis)
    return made if out is None else _written_each(out, "unbind_copy_int_out", made)


def split_copy(input: Tensor, split_size: int, dim: int = 0, *, axis: int | None = None,
               out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...] | None:
    """`split` as copies; None with `out`, whose tensors have the shapes already.
    https://pytorch.org/docs/stable/generated/torch.split.html"""
    made = ops.split_copy_Tensor(input, split_size, dim, axis=axis)
    if out is None:
        return made
    _check_count(out, "split_copy_Tensor_out()", made)
    for to, piece in zip(out, made, strict=True):
        to.copy_(piece)
    return None


@checked
def split_with_sizes_copy(input: Tensor, split_sizes: Sequence[int], dim: int = 0, *, axis: int | None = None,
                          out: Sequence[Tensor] | None = None) -> tuple[Tensor, ...] | None:
    """`split` by sizes as copies; None with `out`. https://pytorch.org/docs/stable/generated/torch.split.html"""
    made = ops.split_with_sizes_copy(input, split_sizes, dim, axis=axis)
    return made if out is None else _written_each(out, "split_with_sizes_copy_out", made)


def _check_count(out, name, made) -> None:
    if len(out) != len(made):
        raise RuntimeError(f"{name} expected an out= argument of size {len(made)}, got size {len(out)}")


def _written_each(out, name, made) -> None:
    """Writes pieces to the tensors of `out`; RuntimeError if there are not as many, or of other dtypes."""
    _check_count(out, name, made)
    for to, piece in zip(out, made, strict=True):
        if to.dtype is not piece.dtype:
            raise RuntimeError(f"Expected out tensor to have dtype {piece.dtype.cpp_name}, but got {to.dtype.cpp_name} "
                               "instead")
    for to, piece in zip(out, made, strict=True):
        write_out(to, piece, name)


FUNCTIONS: dict = {"slice_inverse": slice_inverse, "view_copy": view_copy, "unbind_copy": unbind_copy,
                   "split_copy": split_copy, "split_with_sizes_copy": split_with_sizes_copy,
                   "view_as_complex_copy": view_as_complex_copy, "as_strided_copy": as_strided_copy_function,
                   "as_strided_scatter": as_strided_scatter, "unsafe_chunk": unsafe_chunk}
METHODS: dict = {"slice_inverse": slice_inverse, "as_strided_scatter": as_strided_scatter, "unsafe_chunk": unsafe_chunk,
                 "unsafe_split": ops.unsafe_split_Tensor,
                 "unsafe_split_with_sizes": ops.unsafe_split_with_sizes}
