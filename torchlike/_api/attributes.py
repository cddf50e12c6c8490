"""What a Tensor says of itself: shape, dtype, device, gradient state. Reads no values."""

from __future__ import annotations

import weakref
from typing import Any, overload

import numpy as np

from torchlike._api.addresses import address_of
from torchlike._api.arguments import numpys
from torchlike._api.types import DeviceLike
from torchlike._base import dtypes as dt
from torchlike._base.errors import type_name
from torchlike._base.settings import contiguous_format, memory_format, sparse_coo, strided
from torchlike._base.size import Size
from torchlike._compile.avals import is_in_format
from torchlike._compile.backends.registry import accelerators, backend_of
from torchlike._ops.all import ROWS
from torchlike._record import saved
from torchlike._record.bind import bind
from torchlike._record.cell import counter_of, storage_of
from torchlike._record.history import no_node_yet
from torchlike._record.leaf import NO_STORAGE
from torchlike._record.tensor import LEAF, STALE, Tensor
from torchlike._record.trace import state
from torchlike._record.tracers import of_gradients
from torchlike._record.views import detach as alias_without_history
from torchlike._record.wrong_calls import checked, instead_of

_IMAG, _CONJ = ROWS["imag"], ROWS["_conj"]
_UNDER_TRANSFORM = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of a "
    "function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch "
    "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
    "transformed instead.")


@overload
def size(self: Tensor, dim: None = None) -> Size: ...


@overload
def size(self: Tensor, dim: int) -> int: ...


def size(self: Tensor, dim: int | None = None, *, axis: int | None = None) -> Size | int:
    """The shape, or its `dim`-th entry. https://pytorch.org/docs/stable/generated/torch.Tensor.size.html"""
    shape = self._cell.aval.shape
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if dim is None:
        return shape
    if not -len(shape) <= dim < len(shape):
        low = -max(len(shape), 1)
        raise IndexError(f"Dimension out of range (expected to be in range of [{low}, {max(len(shape), 1) - 1}], "
                         f"but got {dim})")
    return shape[dim]


def stride(self: Tensor, dim: int | None = None, *, axis: int | None = None):
    """Strides in elements. https://pytorch.org/docs/stable/generated/torch.Tensor.stride.html"""
    if axis is not None:
        dim = numpys("axis", dim, axis)
    if self._cell.layout is not strided:
        return _no_strides(self, dim)
    strides = self._cell.aval.strides
    return tuple(strides) if dim is None else strides[dim]


def _no_strides(x, dim) -> Any:
    """Zeros for layout COO, as in PyTorch; RuntimeError for the other sparse layouts."""
    if x._cell.layout is not sparse_coo:
        raise RuntimeError("Sparse CSR tensors do not have strides")
    return (0,) * x._cell.aval.ndim if dim is None else 0


def is_contiguous(self: Tensor, memory_format: memory_format | None = None) -> bool:
    """Whether the elements lie in row-major order, or in that of the format."""
    if self._cell.layout is not strided:
        if self._cell.layout is not sparse_coo:
            raise RuntimeError("Sparse CSR tensors do not have is_contiguous")
        return False
    return is_in_format(self._cell.aval, memory_format)


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Start or stop recording on this leaf.
    https://pytorch.org/docs/stable/generated/torch.Tensor.requires_grad_.html"""
    if not isinstance(requires_grad, bool | np.bool_):
        raise TypeError("requires_grad_(): argument 'requires_grad' (position 1) must be bool, not "
                        f"{type_name(type(requires_grad))}")
    if no_node_yet(self):
        if requires_grad and state.thread.frames and not of_gradients():
            raise RuntimeError(_UNDER_TRANSFORM)
        if requires_grad and self._cell.aval.dtype.category < dt.FLOAT:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if requires_grad and self._cell.inference and not state.thread.inference:
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        written = self._edge is STALE and self._view.version != self._cell.version
        if (requires_grad and not written) or self._edge is LEAF:
            self._edge = LEAF if requires_grad else None
        _tell_views(self)
    elif not requires_grad:
        raise RuntimeError("you can only change requires_grad flags of leaf variables. If you want to use a computed "
                           "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().")
    return self


def _tell_views(base) -> None:
    """A view without a grad_fn requires grad if its base does."""
    for reference in storage_of(base._cell).views or ():
        cell = reference()
        view = cell.owner() if cell is not None and cell.owner is not None else None
        if view is not None and view._view is not None and view._view.base is base and view._edge in (None, STALE):
            view._edge = None if base._edge is None else STALE


def replace_memory(self, value) -> None:
    """``.data = value`` for a `value` that nobody else has: its memory is taken over as it is."""
    if value is not self:
        cell = value._cell
        counter_of(cell).version = self._cell.version  # first: an interruption finds the old memory, or all of the new one
        self._cell = cell
        if cell.handler is not None and cell.handler.sees_all:  # a wrapper has the tensors that it is made of as attributes
            self.__dict__.update(value.__dict__)
            cell.owner = weakref.ref(self)


def detach(input: Tensor) -> Tensor:
    """The same values without history, on the same memory.
    https://pytorch.org/docs/stable/generated/torch.Tensor.detach.html"""
    try:
        return alias_without_history(input)
    except AttributeError as error:
        raise instead_of(error) from None


def detach_(input: Tensor) -> Tensor:
    """Cut this tensor from its history, in place. Inference mode knows no history, and does nothing."""
    try:
        if state.thread.inference:
            return input
        saved.happened.detached |= input._edge is not None
        if input._view is not None:
            raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using "
                               "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
                               "gradients are views of DDP buckets, and hence detach_() cannot be called on these "
                               "gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
                               "torch/optim/optimizer.py as the solution.")
        input._edge = None
        _tell_views(input)
        return input
    except AttributeError as error:
        raise instead_of(error) from None


def data_ptr(self: Tensor) -> int:
    """The address of the first element, where its values can be read until the next operation; runs the trace.

    The same for the life of the memory, and equal for views that begin there. What is written there does not reach the
    tensor, and on a GPU nothing is there. https://pytorch.org/docs/stable/generated/torch.Tensor.data_ptr.html"""
    return _address(self)


def const_data_ptr(self: Tensor) -> int:
    """`data_ptr`, for reading only."""
    return _address(self)


def _address(x: Tensor) -> int:
    aval = x._cell.aval
    if x._cell.layout is not strided:
        raise RuntimeError(NO_STORAGE)
    start = address_of(storage_of(x._cell))
    return start + aval.offset * aval.dtype.itemsize if start and aval.numel else 0


def is_set_to(self: Tensor, tensor) -> bool:
    """Whether both are the same view of the same memory."""
    try:
        return storage_of(self._cell) is storage_of(tensor._cell) and self._cell.aval is tensor._cell.aval
    except AttributeError as error:
        raise instead_of(error) from None


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether the shapes are equal."""
    try:
        return input._cell.aval.shape == other._cell.aval.shape
    except AttributeError as error:
        raise instead_of(error) from None


def contiguous(self: Tensor, memory_format: memory_format | None = None) -> Tensor:
    """Itself where it is contiguous, else a copy.
    https://pytorch.org/docs/stable/generated/torch.Tensor.contiguous.html"""
    if self._cell.layout is not strided:
        return bind(ROWS["clone"], (self,), (), (contiguous_format,))
    try:
        if is_in_format(self._cell.aval, memory_format):
            return self
    except KeyError:
        raise TypeError("contiguous(): argument 'memory_format' must be torch.memory_format, not "
                        f"{type_name(type(memory_format))}") from None
    if memory_format in (None, contiguous_format):
        return bind(ROWS["_contiguous"], (self,))
    return bind(ROWS["clone"], (self,), (), (memory_format,))


def is_conj(input: Tensor) -> bool:
    """Whether it is a conjugated view. https://pytorch.org/docs/stable/generated/torch.is_conj.html"""
    try:
        return input._cell.aval.dtype.is_complex and _conjugations(input)
    except AttributeError as error:
        raise instead_of(error) from None


def is_neg(input: Tensor) -> bool:
    """Whether it is a negated view: the imaginary part of a conjugated one."""
    try:
        return not input._cell.aval.dtype.is_complex and _conjugations(input) and \
            any(row is _IMAG for row, _ in input._cell.chain)
    except AttributeError as error:
        raise instead_of(error) from None


def _conjugations(x) -> bool:
    return x._cell.base is not None and sum(row is _CONJ for row, _ in x._cell.chain) % 2 == 1


def dim_order(self: Tensor, *, ambiguity_check=False):
    """The dimensions from the outermost in memory to the innermost. With `ambiguity_check`, True or formats of which
    exactly one may fit, RuntimeError where strides leave a choice.
    https://pytorch.org/docs/stable/generated/torch.Tensor.dim_order.html"""
    is_list = isinstance(ambiguity_check, list) and all(isinstance(f, memory_format) for f in ambiguity_check)
    if not is_list and not isinstance(ambiguity_check, bool):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    shape, strides = self._cell.aval.shape, tuple(self._cell.aval.strides)
    if is_list:
        unclear = sum(is_in_format(self._cell.aval, f) for f in ambiguity_check) != 1
    else:
        unclear = ambiguity_check and (1 in shape or len(set(strides)) < len(strides))
    if unclear:
        raise RuntimeError("The tensor does not have unique dim order, or cannot map to exact one of the given memory "
                           "formats.")
    order: list = []  # a dimension goes before those with smaller strides; stride 0 says nothing, so it stops there
    for dim in range(len(shape)):
        place = len(order)
        while place and 0 < strides[order[place - 1]] < strides[dim]:
            place -= 1
        order.insert(place, dim)
    return tuple(order)


def module_load(self: Tensor, other, assign=False):
    """What `Module.load_state_dict` puts in place of this tensor where it swaps: `other` itself, or this tensor with its
    values. https://pytorch.org/docs/stable/generated/torch.Tensor.module_load.html"""
    return other.detach() if assign else self.copy_(other).detach()


def _get_device(input: Tensor) -> int:
    try:
        device = input._cell.aval.device
        return device.index if backend_of(device).is_accelerator else -1
    except AttributeError as error:
        raise instead_of(error) from None


@checked
def resolve_conj(input: Tensor) -> Tensor:
    """Itself, or a copy of a conjugated view.
    https://pytorch.org/docs/stable/generated/torch.resolve_conj.html"""
    return input.clone() if is_conj(input) else input


@checked
def resolve_neg(input: Tensor) -> Tensor:
    """Itself, or a copy of a negated view.
    https://pytorch.org/docs/stable/generated/torch.resolve_neg.html"""
    return input.clone() if is_neg(input) else input


def record_stream(self: Tensor, s) -> None:
    """Accepted for a tensor on a GPU: JAX orders the work itself, and frees memory after it.
    https://pytorch.org/docs/stable/generated/torch.Tensor.record_stream.html

    NotImplementedError for others.
    """
    if not backend_of(self._cell.aval.device).is_accelerator:
        raise NotImplementedError("Could not run 'aten::record_stream' with arguments from the 'CPU' backend.")


def to_padded_tensor(self: Tensor, padding: float, output_size=None) -> Tensor:
    """Of a nested tensor, which has a method of its own, a tensor in which its parts are padded.
    https://pytorch.org/docs/stable/nested.html#torch.nested.to_padded_tensor

    NotImplementedError for others.
    """
    raise NotImplementedError("Could not run 'aten::to_padded_tensor' with arguments from the 'CPU' backend.")


def dim(self: Tensor) -> int:
    """The number of dimensions."""
    return self._cell.aval.ndim


def ndimension(self: Tensor) -> int:
    """The number of dimensions."""
    return self._cell.aval.ndim


def nelement(self: Tensor) -> int:
    """The number of elements."""
    return self._cell.aval.numel


def element_size(self: Tensor) -> int:
    """The bytes of one element."""
    return self._cell.aval.dtype.itemsize


def storage_offset(self: Tensor) -> int:
    """Where in the memory it begins, in elements."""
    return max(self._cell.aval.offset, 0)


def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is floating-point."""
    try:
        return input._cell.aval.dtype.is_floating_point
    except AttributeError as error:
        raise instead_of(error) from None


def is_complex(input: Tensor) -> bool:
    """Whether the dtype is complex."""
    try:
        return input._cell.aval.dtype.is_complex
    except AttributeError as error:
        raise instead_of(error) from None


def is_signed(input: Tensor) -> bool:
    """Whether the dtype has a sign."""
    try:
        return input._cell.aval.dtype.is_signed
    except AttributeError as error:
        raise instead_of(error) from None


def is_inference(input: Tensor) -> bool:
    """Whether it was made in inference mode."""
    try:
        return input._cell.inference
    except AttributeError as error:
        raise instead_of(error) from None


def _is_view(self: Tensor) -> bool:
    """Whether it is a view that autograd knows."""
    return self._view is not None


def is_nonzero(input: Tensor) -> bool:
    """Whether the one element is not zero."""
    return bool(input)


def is_pinned(self: Tensor, device: DeviceLike | None = None) -> bool:
    """Whether the memory is pinned: never."""
    return False


def pin_memory(self: Tensor, device: DeviceLike | None = None) -> Tensor:
    """Itself: JAX copies to a GPU in its own way. RuntimeError where there is none.
    https://pytorch.org/docs/stable/generated/torch.Tensor.pin_memory.html"""
    if not accelerators():
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return self


def is_distributed(input: Tensor) -> bool:
    """Whether it is a distributed tensor: never."""
    return False


def is_shared(self: Tensor) -> bool:
    """Whether other processes can use the memory: never."""
    return False


def numel(input: Tensor) -> int:
    """The number of elements."""
    try:
        return input._cell.aval.numel
    except AttributeError as error:
        raise instead_of(error) from None


METHODS: dict = {
    "size": size, "stride": stride, "is_contiguous": is_contiguous, "requires_grad_": requires_grad_,
    "detach": detach, "detach_": detach_, "data_ptr": data_ptr, "is_set_to": is_set_to, "is_same_size": is_same_size,
    "contiguous": contiguous,
    "dim": dim, "ndimension": ndimension,
    "numel": numel, "nelement": nelement,
    "element_size": element_size,
    "storage_offset": storage_offset,
    "is_floating_point": is_floating_point,
    "is_complex": is_complex,
    "is_signed": is_signed,
    "is_inference": is_inference,
    "is_conj": is_conj, "is_neg": is_neg, "resolve_conj": resolve_conj, "resolve_neg": resolve_neg,
    "_is_view": _is_view,
    "get_device": _get_device, "dim_order": dim_order, "module_load": module_load, "const_data_ptr": const_data_ptr,
    "is_nonzero": is_nonzero,
    "is_pinned": is_pinned, "pin_memory": pin_memory,
    "is_shared": is_shared, "is_distributed": is_distributed, "record_stream": record_stream,
    "to_padded_tensor": to_padded_tensor,
}


def is_tensor(obj, /):
    """Whether it is a Tensor."""
    return isinstance(obj, Tensor)


FUNCTIONS: dict = {
    "numel": numel, "detach": detach, "detach_": detach_, "is_tensor": is_tensor,
    "is_floating_point": is_floating_point,
    "is_complex": is_complex,
    "is_inference": is_inference,
    "is_nonzero": is_nonzero, "is_same_size": is_same_size,
    "get_device": _get_device, "is_signed": is_signed,
    "is_conj": is_conj, "is_neg": is_neg, "resolve_conj": resolve_conj, "resolve_neg": resolve_neg,
}
