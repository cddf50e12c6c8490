"""View functions whose PyTorch signature has several forms: reshape, split, flatten, movedim, ..."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from torchlike._api.arguments import by_axis, int_list, numpys, varargs
from torchlike._base import dtypes as dt
from torchlike._base.dtypes import dtype
from torchlike._base.errors import type_name, wrap_dim
from torchlike._base.size import Size
from torchlike._modes import vmap_levels
from torchlike._ops import geometry
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.cell import counter_of, storage_of
from torchlike._record.host_window import is_window
from torchlike._record.layout import check_broadcast
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.views import view as make_view
from torchlike._record.views import views as make_views
from torchlike._record.wrong_calls import checked, instead_of, judged

_ALIAS, _VIEW, _EXPAND, _PERMUTE = ROWS["alias"], ROWS["view"], ROWS["expand"], ROWS["permute"]
_VIEW_ARGUMENTS = ("view() received an invalid combination of arguments, but expected one of:\n * (torch.dtype dtype)\n"
                   " * (tuple of ints size)\n")
_TRANSPOSE, _AS_STRIDED, _SLICE = ROWS["transpose.int"], ROWS["as_strided"], ROWS["slice.Tensor"]


def view(self: Tensor, *given: int | Sequence[int] | dtype, size: Sequence[int] | None = None,
         dtype: dtype | None = None) -> Tensor:
    """The same memory under another shape or element type.
    https://pytorch.org/docs/stable/generated/torch.Tensor.view.html"""
    if dtype is not None:
        if given:
            raise TypeError(_VIEW_ARGUMENTS)
        given = (dtype,)
    if len(given) == 1 and isinstance(given[0], dt.dtype):
        return _view_dtype(self, given[0])
    return make_view(_VIEW, self, (varargs(given, size),))


def _view_dtype(self, dtype):
    aval = self._cell.aval
    if dtype is aval.dtype:
        return make_view(_ALIAS, self, ())
    out = make_view(ROWS["view.dtype"], self, (dtype, aval.dtype))
    out._view = None  # not a differentiable view: it has no base and no history
    return out


def reshape(self: Tensor, *given: Any, shape: Sequence[int] | None = None) -> Tensor:
    """A view where PyTorch gives one, else a copy.
    https://pytorch.org/docs/stable/generated/torch.reshape.html"""
    try:
        return _reshape(self, varargs(given, shape))
    except AttributeError as error:
        raise instead_of(error) from None


def _reshape(self, shape):
    aval = self._cell.aval
    if aval.contiguous:
        return make_view(_VIEW, self, (geometry.fill_in(aval.shape, shape) if -1 in shape else shape,))
    full = geometry.fill_in(tuple(aval.shape), shape)
    if geometry.view_strides(tuple(aval.shape), aval.strides, full) is not None:
        return make_view(ROWS["_reshape_alias"], self, (full,))
    return bind(ROWS["_unsafe_view"], (bind(ROWS["_contiguous"], (self,)),), (), (full,))


def reshape_function(input: Tensor, shape: int | Sequence[int]) -> Tensor:
    """`torch.reshape`."""
    return _reshape(input, int_list(shape))


def _shape_of(other) -> tuple:
    try:
        return tuple(other._cell.aval.shape)
    except AttributeError as error:
        raise instead_of(error) from None


def view_as(self: Tensor, other: Tensor) -> Tensor:
    """`view` to the other's shape."""
    return make_view(_VIEW, self, (_shape_of(other),))


@checked
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """`reshape` to the other's shape."""
    return _reshape(self, tuple(other._cell.aval.shape))


def expand(self: Tensor, *given: int | Sequence[int], size: Sequence[int] | None = None, implicit: bool = False) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.Tensor.expand.html"""
    size, aval = varargs(given, size), self._cell.aval
    if len(size) < aval.ndim:
        raise RuntimeError(f"expand({self.type()}{{{list(aval.shape)}}}, size={list(size)}): the number of sizes "
                           f"provided ({len(size)}) must be greater or equal to the number of dimensions in the tensor "
                           f"({aval.ndim})")
    return make_view(_EXPAND, self, (size, implicit))


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """`expand` to the other's shape."""
    return make_view(_EXPAND, self, (_shape_of(other), False))


def broadcast_to(input: Tensor, size: int | Sequence[int]) -> Tensor:
    """`torch.broadcast_to`."""
    return make_view(_EXPAND, input, (int_list(size), False))


@checked
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Every tensor expanded to the common shape; one that has it already comes back itself."""
    tensors = tensors[0] if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    check_broadcast([t._cell.aval for t in tensors])
    shape = tuple(broadcast_shapes(*(t._cell.aval.shape for t in tensors)))
    return tuple(t if tuple(t._cell.aval.shape) == shape else make_view(_EXPAND, t, (shape, False)) for t in tensors)


def broadcast_shapes(*shapes: Any):
    """The common shape. https://pytorch.org/docs/stable/generated/torch.broadcast_shapes.html"""
    given = [(shape,) if isinstance(shape, int) else shape for shape in shapes]
    out = [1] * max(map(len, given), default=0)
    for number, shape in enumerate(given):
        for i in range(-1, -1 - len(shape), -1):
            size = shape[i]
            if size < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if size in (1, out[i]):
                continue
            if out[i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at {i}! Mismatching argument at index {number} "
                    f"had {shape}; but expected shape should be broadcastable to {out}")
            out[i] = size
    return Size(out)


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.flatten.html"""
    try:
        shape = input._cell.aval.shape
        start, end = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
        if start > end:
            raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
        if not shape:
            return _reshape(input, (1,))
        if start == end:
            return input
        return _reshape(input, (*shape[:start], math.prod(shape[start:end + 1]), *shape[end + 1:]))
    except AttributeError as error:
        raise instead_of(error) from None


@checked
def ravel(input: Tensor) -> Tensor:
    """A contiguous 1-D tensor."""
    return _reshape(input, (-1,))


@checked
def unflatten(input: Tensor, dim: int, sizes: int | Sequence[int]) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.unflatten.html"""
    shape = tuple(input._cell.aval.shape)
    dim, sizes = wrap_dim(dim, len(shape)), int_list(sizes)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    known = math.prod(s for s in sizes if s != -1)
    if (-1 not in sizes and known != shape[dim]) or (-1 in sizes and (not known or shape[dim] % known)):
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
                           f"({shape[dim]}) in the input tensor")
    filled = tuple(shape[dim] // known if s == -1 else s for s in sizes)
    return make_view(_VIEW, input, ((*shape[:dim], *filled, *shape[dim + 1:]),))


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.transpose.html"""
    return make_view(_TRANSPOSE, input, (dim0, dim1))


def permute_function(input: Tensor, dims: int | Sequence[int]) -> Tensor:
    """`torch.permute`."""
    return make_view(_PERMUTE, input, (int_list(dims),))


def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.movedim.html"""
    try:
        ndim = input._cell.aval.ndim
        if isinstance(source, list | tuple) is not isinstance(destination, list | tuple):
            raise instead_of(TypeError("movedim(): both are ints or both are lists"))
        source, destination = int_list(source), int_list(destination)
        if len(source) != len(destination):
            raise RuntimeError(f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain "
                               f"the same number of dims as destination ({list(destination)} dims)")
        sources = [wrap_dim(d, ndim) for d in source]
        targets = [wrap_dim(d, ndim) for d in destination]
        if len(set(sources)) != len(sources):
            raise RuntimeError(f"movedim: repeated dim in `source` ({list(source)})")
        if len(set(targets)) != len(targets):
            raise RuntimeError(f"movedim: repeated dim in `destination` ({list(destination)})")
        if not ndim:
            return make_view(_ALIAS, input, ())
        order = [-1] * ndim
        for s, d in zip(sources, targets, strict=True):
            order[d] = s
        rest = iter(d for d in range(ndim) if d not in sources)
        return make_view(_PERMUTE, input, (tuple(next(rest) if o == -1 else o for o in order),))
    except AttributeError as error:
        raise instead_of(error) from None


def split(tensor, split_size_or_sections, dim: int = 0) -> tuple[Tensor, ...]:
    """https://pytorch.org/docs/stable/generated/torch.split.html"""
    if isinstance(split_size_or_sections, int):
        return make_views(ROWS["split.Tensor"], tensor, (split_size_or_sections, dim))
    return make_views(ROWS["split_with_sizes"], tensor, (int_list(split_size_or_sections), dim))


def _split(self: Tensor, split_size, dim: int = 0) -> tuple[Tensor, ...]:
    """https://pytorch.org/docs/stable/generated/torch.Tensor.split.html"""
    return split(self, split_size, dim)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """https://pytorch.org/docs/stable/generated/torch.chunk.html"""
    try:
        shape = input._cell.aval.shape
        if not shape:
            raise RuntimeError("chunk expects at least a 1-dimensional tensor")
        chunks = operator.index(chunks)
        if chunks <= 0:
            raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
        size = shape[wrap_dim(dim, len(shape))]
        each = (size + chunks - 1) // chunks
        if each == 0 and size == 0:
            return make_views(ROWS["split_with_sizes"], input, ((0,) * chunks, dim))
        return make_views(ROWS["split.Tensor"], input, (each, dim))
    except AttributeError as error:
        raise instead_of(error) from None


@judged
def tensor_split(input: Tensor, indices_or_sections=None, dim: int = 0, *, indices=None, sections: int | None = None,
                 tensor_indices_or_sections: Tensor | None = None) -> tuple[Tensor, ...]:
    """https://pytorch.org/docs/stable/generated/torch.tensor_split.html"""
    indices_or_sections = _places("tensor_split", indices_or_sections, indices, sections, tensor_indices_or_sections)
    if not input._cell.aval.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    size = input._cell.aval.shape[wrap_dim(dim, input._cell.aval.ndim)]
    if isinstance(indices_or_sections, Tensor):
        vmap_levels.check_rule(indices_or_sections, "tensor_split.tensor_indices_or_sections")
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        if indices_or_sections <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {indices_or_sections}")
        n, extra = divmod(size, indices_or_sections)
        sizes = [n + 1] * extra + [n] * (indices_or_sections - extra)
        ends = [sum(sizes[:i + 1]) for i in range(len(sizes))]
        starts = [0, *ends[:-1]]
    else:
        cuts = list(indices_or_sections)
        starts, ends = [0, *cuts], [*cuts, size]
    return tuple(make_view(_SLICE, input, (dim, a, b, 1)) for a, b in zip(starts, ends, strict=True))


def _places(name, *given):
    """Where to split, by whichever name it was given."""
    found = [value for value in given if value is not None]
    if len(found) != 1:
        raise TypeError(f"{name}() received an invalid combination of arguments")
    return found[0]


def narrow(input: Tensor, dim: int | None = None, start: int | Tensor = 0, length: int | None = None, *,
           axis: int | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.narrow.html"""
    try:
        if dim is None or length is None or axis is not None:
            dim = by_axis("narrow", dim, axis, length=length)
        aval = input._cell.aval
        if not aval.ndim:
            raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
        if length < 0:
            raise RuntimeError("narrow(): length must be non-negative.")
        if isinstance(start, Tensor) and (start._cell.aval.ndim or start._cell.aval.dtype.category != dt.INT):
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(start)
        size = aval.shape[wrap_dim(dim, aval.ndim)]
        if not -size <= start <= size:
            raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
        start = start + size if start < 0 else start
        if start + length > size:
            raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
        return make_view(_SLICE, input, (dim, start, start + length, 1))
    except AttributeError as error:
        raise instead_of(error) from None


def unbind(input: Tensor, dim: int = 0, *, axis: int | None = None) -> tuple[Tensor, ...]:
    """https://pytorch.org/docs/stable/generated/torch.unbind.html"""
    try:
        if axis is not None:
            dim = numpys("axis", dim, axis, 0)
        shape = input._cell.aval.shape
        if 0 in shape and not shape[wrap_dim(dim, len(shape))]:
            return ()  # an instruction has at least one result
        return make_views(ROWS["unbind.int"], input, (dim,))
    except AttributeError as error:
        raise instead_of(error) from None


@checked
def as_strided(input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Tensor:
    """Any strided window on the memory.
    https://pytorch.org/docs/stable/generated/torch.as_strided.html"""
    storage = storage_of(input._cell)
    base = storage.aval
    offset = input._cell.aval.offset if storage_offset is None else storage_offset
    sizes, steps = int_list(size), int_list(stride)
    if offset.__class__ is not int:
        raise TypeError(f"as_strided(): argument 'storage_offset' must be int, not {type_name(type(offset))}")
    if vmap_levels.batched(input):
        _check_slice(sizes, steps, offset, input._cell.aval)
    check_window(sizes, steps, offset, base)
    params = (sizes, steps, offset, (tuple(base.strides), base.offset))
    if input._cell is storage:
        return make_view(_AS_STRIDED, input, params)
    if input._edge is None and _same_elements(input._cell):
        return _window(input, storage, params)
    source = input._cell.aval
    return make_view(_AS_STRIDED, input, (*params[:3], (tuple(source.strides), source.offset)))


def _check_slice(size, stride, offset, aval):
    """RuntimeErrors, with the texts of PyTorch's vmap, for what is no window on a slice of a batch."""
    if len(size) != len(stride):
        raise RuntimeError("Tensor.as_strided(size, stride, ...): size and stride must have the same length! Got size "
                           f"{list(size)} and stride {list(stride)}")
    if not math.prod(size) or any(step < 0 for step in stride):
        return
    (low, high), (first, last) = ([start, start + 1 + sum((n - 1) * step for n, step in zip(sizes, steps, strict=True))] for
                                  sizes, steps, start in ((size, stride, offset), (aval.shape, aval.strides, aval.offset)))
    if low < first or high > last:
        raise RuntimeError(
            f"result = tensor.as_strided({list(size)}, {list(stride)}, {offset}) can access memory outside of `tensor`. "
            f"`result` can access some memory in range [{low}, {high}], but `tensor` can only access some memory in range "
            f"[{first}, {last}]. This is not supported inside of vmap, please try to rewrite the `as_strided` call as a "
            "sequence of PyTorch view operations")


def check_window(size, stride, offset, base):
    """RuntimeErrors with PyTorch's texts for what is no window on the storage that `base` fills."""
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if any(n < 0 for n in size):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    itemsize = base.dtype.itemsize
    wanted = itemsize * _span(size, stride, offset)
    there = itemsize * _span(tuple(base.shape), base.strides, base.offset)
    if wanted > there:
        raise RuntimeError(f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize "
                           f"{itemsize} requiring a storage size of {wanted} are out of bounds for storage of size {there}")


def _span(size, stride, offset):
    """How many elements from the start of the memory to the last one."""
    if 0 in size:
        return 0
    return 1 + offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True))


def _same_elements(cell) -> bool:
    """Whether the steps from the Storage to this view keep the elements."""
    return is_window(cell.chain)


def _window(input, storage, params):
    """A window on the whole memory: it may go beyond what the view `input` shows."""
    out = make_view(_AS_STRIDED, wrap(storage), params)
    if out._view is not None:
        out._view.base = input if input._view is None else input._view.base
        out._view.meta = out._view.meta if input._view is None else input._view.meta or out._view.meta
    out._cell.counter = counter_of(input._cell)
    return out


def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.Tensor.unfold.html"""
    return make_view(ROWS["unfold"], self, (dimension, size, step))


def real(input: Tensor) -> Tensor:
    """The real part, a view of a complex tensor."""
    try:
        return make_view(ROWS["real"], input, ()) if input._cell.aval.dtype.is_complex else input
    except AttributeError as error:
        raise instead_of(error) from None


def imag(input: Tensor) -> Tensor:
    """The imaginary part, a view."""
    try:
        if not input._cell.aval.dtype.is_complex:
            raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
        return make_view(ROWS["imag"], input, ())
    except AttributeError as error:
        raise instead_of(error) from None


@judged
def hsplit(input: Tensor, indices_or_sections: int | Sequence[int] | None = None, *, indices: Sequence[int] | None = None,
           sections: int | None = None) -> tuple[Tensor, ...]:
    """`tensor_split` along columns (of a vector its elements), into equal parts or before these indices.
    https://pytorch.org/docs/stable/generated/torch.hsplit.html"""
    return _split_along("hsplit", 1, 1, input, _places("hsplit", indices_or_sections, indices, sections))


@judged
def vsplit(input: Tensor, indices_or_sections: int | Sequence[int] | None = None, *, indices: Sequence[int] | None = None,
           sections: int | None = None) -> tuple[Tensor, ...]:
    """`tensor_split` along rows, into equal parts or before these indices.
    https://pytorch.org/docs/stable/generated/torch.vsplit.html"""
    return _split_along("vsplit", 0, 2, input, _places("vsplit", indices_or_sections, indices, sections))


@judged
def dsplit(input: Tensor, indices_or_sections: int | Sequence[int] | None = None, *, indices: Sequence[int] | None = None,
           sections: int | None = None) -> tuple[Tensor, ...]:
    """`tensor_split` along the third dimension, into equal parts or before these indices.
    https://pytorch.org/docs/stable/generated/torch.dsplit.html"""
    return _split_along("dsplit", 2, 3, input, _places("dsplit", indices_or_sections, indices, sections))


def _split_along(name, place, least, input, indices_or_sections):
    """`tensor_split` along one dimension (of vectors the only one) of tensors with at least so many."""
    ndim = input._cell.aval.ndim
    if ndim < least:
        raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with "
                           f"{ndim} dimensions!")
    dim = min(place, ndim - 1)
    if isinstance(indices_or_sections, str):
        raise TypeError(f"{name}() received an invalid combination of arguments - got (Tensor, str), but expected one "
                        "of:\n * (Tensor input, int sections)\n * (Tensor input, tuple of ints indices)\n")
    size = input._cell.aval.shape[dim]
    if isinstance(indices_or_sections, int) and (indices_or_sections == 0 or size % indices_or_sections):
        raise RuntimeError(f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension "
                           f"{size} is not divisible by the split_size {indices_or_sections}!")
    return tensor_split(input, indices_or_sections, dim)


def conj(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor itself."""
    try:
        return make_view(ROWS["_conj"], input, ()) if input._cell.aval.dtype.is_complex else input
    except AttributeError as error:
        raise instead_of(error) from None


@checked
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """`torch.transpose`, with numpy's names. https://pytorch.org/docs/stable/generated/torch.swapaxes.html"""
    return transpose(input, axis0, axis1)


def sum_to_size(self: Tensor, *given: Any, size: Sequence[int] | None = None) -> Tensor:
    """The sum over the dimensions that broadcasting added."""
    shape, target = self._cell.aval.shape, varargs(given, size)
    extra = len(shape) - len(target)
    if extra < 0 or any(want not in (1, have) for want, have in zip(target, shape[extra:], strict=True)):
        raise RuntimeError(f"size {{{list(target)}}} is not expandable to size {{{list(shape)}}}.")
    if not target:
        return self.sum()
    dims = [*range(extra), *(i + extra for i, s in enumerate(target) if s == 1 and shape[i + extra] != 1)]
    out = self.sum(dims, keepdim=True) if dims else self
    return _reshape(out, target) if extra else out


def adjoint(input: Tensor) -> Tensor:
    try:
        if input.dim() == 1:
            raise RuntimeError("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
        return conj(transpose(input, -2, -1))
    except AttributeError as error:
        raise instead_of(error) from None


FUNCTIONS: dict = {
    "reshape": reshape_function, "broadcast_to": broadcast_to, "broadcast_tensors": broadcast_tensors,
    "broadcast_shapes": broadcast_shapes, "flatten": flatten, "ravel": ravel, "unflatten": unflatten,
    "transpose": transpose, "swapaxes": swapaxes, "swapdims": transpose, "permute": permute_function,
    "movedim": movedim, "moveaxis": movedim, "adjoint": adjoint,
    "split": split, "chunk": chunk, "tensor_split": tensor_split, "narrow": narrow, "unbind": unbind,
    "as_strided": as_strided, "real": real, "imag": imag, "conj": conj,
    "hsplit": hsplit, "vsplit": vsplit, "dsplit": dsplit,
}
METHODS: dict = {
    "flatten": flatten, "ravel": ravel, "unflatten": unflatten, "transpose": transpose,
    "swapaxes": swapaxes, "swapdims": transpose, "movedim": movedim, "moveaxis": movedim, "adjoint": adjoint,
    "split": _split, "chunk": chunk, "tensor_split": tensor_split, "narrow": narrow, "unbind": unbind,
    "as_strided": as_strided, "conj": conj, "view": view,
    "reshape": reshape, "view_as": view_as, "reshape_as": reshape_as, "expand": expand, "expand_as": expand_as,
    "unfold": unfold, "sum_to_size": sum_to_size,
}
