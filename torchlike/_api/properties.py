"""Tensor's properties. None of them reads values. https://pytorch.org/docs/stable/tensors.html"""

from __future__ import annotations

import warnings

from torchlike._api import attributes, shapes
from torchlike._base import dtypes as dt
from torchlike._base.device import device as _device
from torchlike._base.dtypes import dtype as _dtype
from torchlike._base.settings import layout as _layout
from torchlike._base.settings import sparse_coo, sparse_csr, strided
from torchlike._base.size import Size
from torchlike._record.cell import counter_of
from torchlike._record.history import edge_of, no_node_yet
from torchlike._record.tensor import LEAF, STALE, Tensor
from torchlike._record.views import data as data_of
from torchlike._record.views import with_counter_of
from torchlike._record.warning import warn_once
from torchlike.autograd.accumulate import dtype_of_gradient
from torchlike.autograd.node import Node

_GRAD_OF_NO_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be populated "
    "during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, use "
    ".retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the leaf "
    "Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.")

_SPARSE_BYTES = (
    "nbytes is not defined for sparse tensors.  If you want the size of the constituent tensors, add the nbytes of the "
    "indices and values.  If you want the size of the  equivalent dense tensor, multiply numel() by element_size()")


def _is_on(x: Tensor, kind: str) -> bool:
    """Whether the tensor's device is of this type, by PyTorch's word for it."""
    return x._cell.aval.device.type == kind


class Properties:
    """What `torchlike._api.attach` puts on Tensor."""

    @property
    def shape(self: Tensor) -> Size:
        """The size of each dimension."""
        return self._cell.aval.shape

    @property
    def dtype(self: Tensor) -> _dtype:
        """The type of the elements."""
        return self._cell.aval.dtype

    @property
    def device(self: Tensor) -> _device:
        """Where the values are."""
        return self._cell.aval.device

    @property
    def ndim(self: Tensor) -> int:
        """The number of dimensions."""
        return self._cell.aval.ndim

    @property
    def layout(self: Tensor) -> _layout:
        """How it keeps its elements: `torch.strided`, `torch.sparse_coo` and so on."""
        return self._cell.layout

    @property
    def itemsize(self: Tensor) -> int:
        """The bytes of one element."""
        return self._cell.aval.dtype.itemsize

    @property
    def nbytes(self: Tensor) -> int:
        """The bytes of all elements. RuntimeError for a sparse tensor."""
        if self._cell.layout is not strided:
            raise RuntimeError(_SPARSE_BYTES)
        return self._cell.aval.nbytes

    @property
    def requires_grad(self: Tensor) -> bool:
        """Whether gradients flow to it."""
        return self._edge is not None and (self._edge is not STALE or self._view.base._edge is not None)

    @requires_grad.setter
    def requires_grad(self: Tensor, flag: bool) -> None:
        if not isinstance(flag, bool):
            raise RuntimeError("requires_grad must be a bool")
        if flag and self._cell.aval.dtype.category < dt.FLOAT:
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        attributes.requires_grad_(self, flag)

    @property
    def grad(self: Tensor) -> Tensor | None:
        """The gradient that backward passes have summed up, or None."""
        if self._grad is None and not self._retains and not no_node_yet(self):
            warnings.warn(_GRAD_OF_NO_LEAF, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self: Tensor, value: Tensor | None) -> None:
        if value is None:
            self._grad = None
            return
        if not isinstance(value, Tensor):
            raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        mine, theirs = self._cell.aval, value._cell.aval
        dtype = dtype_of_gradient(self)
        if dtype is not theirs.dtype and dtype is not None:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{theirs.dtype.cpp_name}' to a tensor with grad_dtype "
                f"'{dtype.scalar_name}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
                "dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. "
                "Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break downstream "
                "systems that assume they match.")
        if mine.device is not theirs.device:
            raise RuntimeError("assigned grad has data located on a different device")
        if mine.shape != theirs.shape:
            raise RuntimeError(f"attempting to assign a gradient of size '{list(theirs.shape)}' to a tensor of size "
                               f"'{list(mine.shape)}'. Please ensure that the gradient and the tensor are the same size")
        self._grad = value

    @grad.deleter
    def grad(self: Tensor) -> None:
        self._grad = None

    @property
    def grad_dtype(self: Tensor) -> _dtype | None:
        """The dtype of a leaf's gradient: the leaf's own unless another one is set. None: gradients stay as they come."""
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        return dtype_of_gradient(self)

    @grad_dtype.setter
    def grad_dtype(self: Tensor, value: _dtype | None) -> None:
        there = self.grad  # warns of what is no leaf
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        if value is not None and not isinstance(value, _dtype):
            raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
        if value is not None and there is not None and there.dtype is not value:
            raise RuntimeError(
                f"Cannot set grad_dtype to '{value.scalar_name}' because there is already a gradient with dtype "
                f"'{there.dtype.cpp_name}'. Please clear the gradient (.grad = None) before changing grad_dtype, or "
                "ensure the new grad_dtype matches the existing gradient's dtype.")
        self._grad_dtype = value

    @property
    def volatile(self: Tensor) -> bool:
        """False, with a warning: PyTorch has removed it."""
        warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
        return False

    @volatile.setter
    def volatile(self: Tensor, value) -> None:
        warnings.warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.", UserWarning,
                      stacklevel=2)

    @property
    def grad_fn(self: Tensor) -> Node | None:
        """The Node that made it, or None for a leaf."""
        edge = self._edge
        if edge is None or edge is LEAF:
            return None
        edge = edge_of(self)
        return None if edge is None else edge[0].public

    @property
    def data(self: Tensor) -> Tensor:
        """The same memory without history."""
        return data_of(self)

    @data.setter
    def data(self: Tensor, value: Tensor) -> None:
        if value._cell.aval.dtype is not self._cell.aval.dtype and self._edge not in (None, LEAF):
            raise RuntimeError("set_data: incompatible tensor type")
        if value._cell is not self._cell:
            self._cell = with_counter_of(value, self._cell)
        self._view = None

    @property
    def is_leaf(self: Tensor) -> bool:
        """Whether no operation that is differentiated made it."""
        return self._edge is None or self._edge is LEAF or (self._edge is STALE and edge_of(self) is None)

    @property
    def _cdata(self: Tensor) -> int:
        """A number that no other tensor has while this one is there."""
        return id(self)

    @property
    def output_nr(self: Tensor) -> int:
        """Which result of its Node it is."""
        if self._edge is STALE:  # PyTorch does not look at the base for it
            return 0 if self._view.made_by is None else self._view.made_by[0]
        edge = edge_of(self) if self._edge is not None else None
        return 0 if edge is None else edge[1]

    @property
    def retains_grad(self: Tensor) -> bool:
        """Whether `retain_grad` was called on it, and it is no leaf."""
        return self._retains and not self.is_leaf

    @property
    def _version(self: Tensor) -> int:
        """How often its memory was written to. RuntimeError for an inference tensor."""
        if counter_of(self._cell).inference:
            raise RuntimeError("Inference tensors do not track version counter.")
        return self._cell.version

    @property
    def _base(self: Tensor) -> Tensor | None:
        """What it is a view of, or None."""
        return None if self._view is None else self._view.base

    @property
    def is_cuda(self: Tensor) -> bool:
        """Whether it is on a GPU."""
        return _is_on(self, "cuda")

    @property
    def is_cpu(self: Tensor) -> bool:
        """Whether it is on the CPU."""
        return _is_on(self, "cpu")

    @property
    def is_meta(self: Tensor) -> bool:
        """Whether it has no values."""
        return _is_on(self, "meta")

    is_xpu = is_mtia = is_ipu = is_vulkan = is_maia = property(
        lambda self: False, doc="Whether it is on such a device: never.")

    @property
    def is_sparse(self: Tensor) -> bool:
        """Whether its layout is `torch.sparse_coo`."""
        return self._cell.layout is sparse_coo

    @property
    def is_sparse_csr(self: Tensor) -> bool:
        """Whether its layout is `torch.sparse_csr`."""
        return self._cell.layout is sparse_csr

    @property
    def is_quantized(self: Tensor) -> bool:
        """Whether it is quantized: never."""
        return False

    @property
    def is_nested(self: Tensor) -> bool:
        """Whether it is a nested tensor: never."""
        return False

    @property
    def is_mps(self: Tensor) -> bool:
        """Whether it is on an Apple GPU: never."""
        return False

    @property
    def is_mkldnn(self: Tensor) -> bool:
        """Whether it is of oneDNN: never."""
        return False

    @property
    def is_xla(self: Tensor) -> bool:
        """Whether it is of PyTorch/XLA: never."""
        return False

    @property
    def T(self: Tensor) -> Tensor:
        """The dimensions in reverse order."""
        ndim = self._cell.aval.ndim
        if ndim == 0:
            warn_once(_IDENTITY.format("T"))
        elif ndim != 2:
            warnings.warn("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and "
                          "it will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
                          "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
                          UserWarning, stacklevel=2)
        return self.permute(tuple(range(ndim - 1, -1, -1)))

    @property
    def mT(self: Tensor) -> Tensor:
        """The last two dimensions exchanged. RuntimeError for one."""
        if self._cell.aval.ndim == 0:
            warn_once(_IDENTITY.format("mT"))
            return self
        return _transposed(self, "mT")

    @property
    def H(self: Tensor) -> Tensor:
        """The conjugate transpose of a matrix. RuntimeError for other dimensions than 0 and 2."""
        ndim = self._cell.aval.ndim
        if ndim not in (0, 2):
            raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor."
                               + " For batches of matrices, consider using tensor.mH" * (ndim > 2))
        if ndim:
            return self.mH
        warn_once(_CONJUGATE.format("H"))
        return self.conj()

    @property
    def mH(self: Tensor) -> Tensor:
        """The conjugate transpose of matrices. RuntimeError for one dimension."""
        if self._cell.aval.ndim == 0:
            warn_once(_CONJUGATE.format("mH"))
            return self.conj()
        return _transposed(self, "mH").conj()

    @property
    def real(self: Tensor) -> Tensor:
        """The real part, a view."""
        return shapes.real(self)

    @real.setter
    def real(self: Tensor, values) -> None:
        shapes.real(self).copy_(values)

    @property
    def imag(self: Tensor) -> Tensor:
        """The imaginary part, a view. RuntimeError for a real tensor."""
        return shapes.imag(self)

    @imag.setter
    def imag(self: Tensor, values) -> None:
        shapes.imag(self).copy_(values)

    @property
    def name(self: Tensor) -> None:
        """None: tensors have no names."""
        return None


_IDENTITY = "Tensor.{} is deprecated on 0-D tensors. This function is the identity in these cases."
_CONJUGATE = "Tensor.{} is deprecated on 0-D tensors. Consider using x.conj()."


def _transposed(self, name):
    if self._cell.aval.ndim < 2:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got "
                           f"{self._cell.aval.ndim}-D tensor.")
    return self.transpose(-2, -1)


CLASS = Properties
