"""What a Tensor says of itself: shape, dtype, device, gradient state. Reads no values."""

import warnings

from torchlike._api.addresses import address_of
from torchlike._base import dtypes as dt
from torchlike._base.settings import contiguous_format, memory_format, strided
from torchlike._compile.avals import is_in_format
from torchlike._compile.backends.registry import backend_of
from torchlike._ops.all import ROWS
from torchlike._record import saved
from torchlike._record.bind import bind
from torchlike._record.cell import counter_of, storage_of
from torchlike._record.history import edge_of, no_node_yet
from torchlike._record.tensor import LEAF, STALE, Tensor
from torchlike._record.trace import state
from torchlike._record.tracers import of_gradients
from torchlike._record.views import data as data_of
from torchlike._record.views import detach as alias_without_history
from torchlike._record.views import with_counter_of

_IMAG, _CONJ = ROWS["imag"], ROWS["_conj"]
_UNDER_TRANSFORM = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of a "
    "function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch "
    "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
    "transformed instead.")


def size(self, dim=None):
    """The shape, or its `dim`-th entry. https://pytorch.org/docs/stable/generated/torch.Tensor.size.html"""
    shape = self._cell.aval.shape
    if dim is None:
        return shape
    if not -len(shape) <= dim < len(shape):
        low = -max(len(shape), 1)
        raise IndexError(f"Dimension out of range (expected to be in range of [{low}, {max(len(shape), 1) - 1}], "
                         f"but got {dim})")
    return shape[dim]


def stride(self, dim=None):
    """Strides in elements. https://pytorch.org/docs/stable/generated/torch.Tensor.stride.html"""
    strides = self._cell.aval.strides
    return tuple(strides) if dim is None else strides[dim]


def is_contiguous(self, memory_format=None):
    """Whether the elements lie in row-major order, or in that of the format."""
    return is_in_format(self._cell.aval, memory_format)


def _get_requires_grad(self):
    return self._edge is not None and (self._edge is not STALE or self._view.base._edge is not None)


def _set_requires_grad(self, flag):
    if not isinstance(flag, bool):
        raise RuntimeError("requires_grad must be a bool")
    if flag and self._cell.aval.dtype.category < dt.FLOAT:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    requires_grad_(self, flag)


def requires_grad_(self, requires_grad=True):
    """Start or stop recording on this leaf.
    https://pytorch.org/docs/stable/generated/torch.Tensor.requires_grad_.html"""
    if no_node_yet(self):
        if requires_grad and state.thread.frames and not of_gradients():
            raise RuntimeError(_UNDER_TRANSFORM)
        if requires_grad and self._cell.aval.dtype.category < dt.FLOAT:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        if requires_grad and storage_of(self._cell).inference and not state.thread.inference:
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


def _grad_fn(self):
    edge = self._edge
    if edge is None or edge is LEAF:
        return None
    edge = edge_of(self)
    return None if edge is None else edge[0].public


def _get_grad(self):
    if self._grad is None and not self._retains and not no_node_yet(self):
        warnings.warn("The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute "
                      "won't be populated during autograd.backward(). If you indeed want the .grad field to be populated "
                      "for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf "
                      "Tensor by mistake, make sure you access the leaf Tensor instead. See "
                      "github.com/pytorch/pytorch/pull/30531 for more information.", UserWarning, stacklevel=2)
    return self._grad


def _set_grad(self, value):
    if value is None:
        self._grad = None
        return
    if not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    if value is self:
        raise RuntimeError("can't assign Variable as its own grad")
    mine, theirs = self._cell.aval, value._cell.aval
    if mine.dtype is not theirs.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{theirs.dtype.cpp_name}' to a tensor with grad_dtype "
            f"'{mine.dtype.scalar_name}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
            "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
            "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they match.")
    if mine.device is not theirs.device:
        raise RuntimeError("assigned grad has data located on a different device")
    if mine.shape != theirs.shape:
        raise RuntimeError(f"attempting to assign a gradient of size '{list(theirs.shape)}' to a tensor of size "
                           f"'{list(mine.shape)}'. Please ensure that the gradient and the tensor are the same size")
    self._grad = value


def _del_grad(self):
    self._grad = None


def _get_data(self):
    return data_of(self)


def _set_data(self, value):
    if value._cell.aval.dtype is not self._cell.aval.dtype and self._edge not in (None, LEAF):
        raise RuntimeError("set_data: incompatible tensor type")
    if value._cell is not self._cell:
        self._cell = with_counter_of(value, self._cell)
    self._view = None


def replace_memory(self, value) -> None:
    """``.data = value`` for a `value` that nobody else has: its memory is taken over as it is."""
    if value is not self:
        version, self._cell = self._cell.version, value._cell
        counter_of(self._cell).version = version


def detach(self):
    """The same values without history, on the same memory.
    https://pytorch.org/docs/stable/generated/torch.Tensor.detach.html"""
    return alias_without_history(self)


def detach_(self):
    """Cut this tensor from its history, in place. Inference mode knows no history, and does nothing."""
    if state.thread.inference:
        return self
    saved.detached[0] |= self._edge is not None
    if self._view is not None:
        raise RuntimeError("Can't detach views in-place. Use detach() instead. If you are using "
                           "DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, "
                           "gradients are views of DDP buckets, and hence detach_() cannot be called on these gradients. "
                           "To fix this error, please refer to the Optimizer.zero_grad() function in "
                           "torch/optim/optimizer.py as the solution.")
    self._edge = None
    _tell_views(self)
    return self


def _output_nr(self):
    if self._edge is STALE:  # PyTorch does not look at the base for it
        return 0 if self._view.made_by is None else self._view.made_by[0]
    edge = edge_of(self) if self._edge is not None else None
    return 0 if edge is None else edge[1]


def _is_leaf(self):
    return self._edge is None or self._edge is LEAF or (self._edge is STALE and edge_of(self) is None)


def _version(self):
    if self._cell.inference:
        raise RuntimeError("Inference tensors do not track version counter.")
    return self._cell.version


def data_ptr(self):
    """The address of the first element, where its values can be read until the next operation; runs the trace.

    The same for the life of the memory, and equal for views that begin there. What is written there does not reach the
    tensor, and on a GPU nothing is there. https://pytorch.org/docs/stable/generated/torch.Tensor.data_ptr.html"""
    aval = self._cell.aval
    start = address_of(storage_of(self._cell))
    return start + aval.offset * aval.dtype.itemsize if start and aval.numel else 0


def is_set_to(self, other):
    """Whether both are the same view of the same memory."""
    return storage_of(self._cell) is storage_of(other._cell) and self._cell.aval is other._cell.aval


def is_same_size(self, other):
    """Whether the shapes are equal."""
    return self._cell.aval.shape == other._cell.aval.shape


def contiguous(self, memory_format=None):
    """Itself where it is contiguous, else a copy.
    https://pytorch.org/docs/stable/generated/torch.Tensor.contiguous.html"""
    if is_in_format(self._cell.aval, memory_format):
        return self
    if memory_format in (None, contiguous_format):
        return bind(ROWS["_contiguous"], (self,))
    return bind(ROWS["clone"], (self,), (), (memory_format,))


def _transposed(self):
    ndim = self._cell.aval.ndim
    if ndim not in (0, 2):
        warnings.warn("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and "
                      "it will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
                      "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
                      UserWarning, stacklevel=2)
    return self.permute(tuple(range(ndim - 1, -1, -1)))


def _matrix_transposed(self):
    if self._cell.aval.ndim < 2:
        raise RuntimeError("tensor.mT is only supported on matrices or batches of matrices. Got "
                           f"{self._cell.aval.ndim}-D tensor.")
    return self.transpose(-2, -1)


def _adjoint(self):
    ndim = self._cell.aval.ndim
    if ndim not in (0, 2):
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor.")
    return self.mH if ndim else self


def _matrix_adjoint(self):
    x = _matrix_transposed(self)
    return x.conj() if x.is_complex() else x


def is_conj(input) -> bool:
    """Whether it is a conjugated view. https://pytorch.org/docs/stable/generated/torch.is_conj.html"""
    return input._cell.aval.dtype.is_complex and _conjugations(input)


def is_neg(input) -> bool:
    """Whether it is a negated view: the imaginary part of a conjugated one."""
    return not input._cell.aval.dtype.is_complex and _conjugations(input) and \
        any(row is _IMAG for row, _ in input._cell.chain)


def _conjugations(x) -> bool:
    return x._cell.base is not None and sum(row is _CONJ for row, _ in x._cell.chain) % 2 == 1


def dim_order(self, *, ambiguity_check=False):
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


def module_load(self, other, assign=False):
    """What `Module.load_state_dict` puts in place of this tensor where it swaps: `other` itself, or this tensor with its
    values. https://pytorch.org/docs/stable/generated/torch.Tensor.module_load.html"""
    return other.detach() if assign else self.copy_(other).detach()


def _get_device(self) -> int:
    device = self._cell.aval.device
    return device.index if backend_of(device).is_accelerator else -1


def resolve_conj(input):
    """Itself, or a copy of a conjugated view.
    https://pytorch.org/docs/stable/generated/torch.resolve_conj.html"""
    return input.clone() if is_conj(input) else input


def resolve_neg(input):
    """Itself, or a copy of a negated view.
    https://pytorch.org/docs/stable/generated/torch.resolve_neg.html"""
    return input.clone() if is_neg(input) else input


def _of_aval(name):
    return property(lambda self: getattr(self._cell.aval, name))


def _device_is(kind):
    return property(lambda self: self._cell.aval.device.type == kind)


PROPERTIES: dict = {
    "shape": _of_aval("shape"), "dtype": _of_aval("dtype"), "device": _of_aval("device"), "ndim": _of_aval("ndim"),
    "requires_grad": property(_get_requires_grad, _set_requires_grad),
    "grad": property(_get_grad, _set_grad, _del_grad), "grad_fn": property(_grad_fn),
    "data": property(_get_data, _set_data), "is_leaf": property(_is_leaf), "output_nr": property(_output_nr),
    "retains_grad": property(lambda self: self._retains and not _is_leaf(self)),
    "_version": property(_version), "_base": property(lambda self: None if self._view is None else self._view.base),
    "layout": property(lambda self: strided), "is_cuda": _device_is("cuda"), "is_cpu": _device_is("cpu"),
    "is_meta": _device_is("meta"),
    "is_sparse": property(lambda self: False), "is_quantized": property(lambda self: False),
    "is_nested": property(lambda self: False), "is_mps": property(lambda self: False),
    "is_mkldnn": property(lambda self: False), "is_xla": property(lambda self: False),
    "itemsize": property(lambda self: self._cell.aval.dtype.itemsize),
    "nbytes": property(lambda self: self._cell.aval.numel * self._cell.aval.dtype.itemsize),
    "T": property(_transposed), "mT": property(_matrix_transposed), "H": property(_adjoint), "mH": property(_matrix_adjoint),
    "name": property(lambda self: None), "names": property(lambda self: (None,) * self._cell.aval.ndim),
}

def record_stream(self, s) -> None:
    """Accepted for a tensor on a GPU: JAX orders the work itself, and frees memory after it.
    https://pytorch.org/docs/stable/generated/torch.Tensor.record_stream.html

    NotImplementedError for others.
    """
    if not backend_of(self._cell.aval.device).is_accelerator:
        raise NotImplementedError("Could not run 'aten::record_stream' with arguments from the 'CPU' backend.")


METHODS: dict = {
    "size": size, "stride": stride, "is_contiguous": is_contiguous, "requires_grad_": requires_grad_,
    "detach": detach, "detach_": detach_, "data_ptr": data_ptr, "is_set_to": is_set_to, "is_same_size": is_same_size,
    "contiguous": contiguous,
    "dim": lambda self: self._cell.aval.ndim, "ndimension": lambda self: self._cell.aval.ndim,
    "numel": lambda self: self._cell.aval.numel, "nelement": lambda self: self._cell.aval.numel,
    "element_size": lambda self: self._cell.aval.dtype.itemsize,
    "storage_offset": lambda self: self._cell.aval.offset,
    "is_floating_point": lambda self: self._cell.aval.dtype.is_floating_point,
    "is_complex": lambda self: self._cell.aval.dtype.is_complex,
    "is_signed": lambda self: self._cell.aval.dtype.is_signed,
    "is_inference": lambda self: storage_of(self._cell).inference,
    "is_conj": is_conj, "is_neg": is_neg, "resolve_conj": resolve_conj, "resolve_neg": resolve_neg,
    "_is_view": lambda self: self._view is not None,
    "get_device": _get_device, "dim_order": dim_order, "module_load": module_load, "const_data_ptr": data_ptr,
    "is_nonzero": lambda self: bool(self),
    "is_pinned": lambda self, device=None: False, "pin_memory": lambda self, device=None: self,
    "is_shared": lambda self: False, "record_stream": record_stream,
}


def numel(input):
    """The number of elements."""
    return input._cell.aval.numel


FUNCTIONS: dict = {
    "numel": numel, "detach": detach, "is_tensor": lambda obj: isinstance(obj, Tensor),
    "is_floating_point": lambda input: input._cell.aval.dtype.is_floating_point,
    "is_complex": lambda input: input._cell.aval.dtype.is_complex,
    "is_inference": lambda input: storage_of(input._cell).inference,
    "is_nonzero": lambda input: bool(input), "is_same_size": is_same_size,
    "get_device": _get_device, "is_signed": lambda input: input._cell.aval.dtype.is_signed,
    "is_conj": is_conj, "is_neg": is_neg, "resolve_conj": resolve_conj, "resolve_neg": resolve_neg,
}
