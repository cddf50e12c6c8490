"""Where the user looks at values: item, numpy, print, bool. Each runs the trace."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from torchlike._api import printing
from torchlike._api.from_data import from_numpy
from torchlike._api.sparse.compressed import layout_name
from torchlike._api.sparse.printing import sparse_str
from torchlike._api.types import Number
from torchlike._base import dtypes as dt
from torchlike._base.device import CPU
from torchlike._base.settings import strided
from torchlike._compile.backends.registry import backend_of
from torchlike._modes.dual import Dual, parts
from torchlike._modes.torch_dispatch import is_wrapper, made_like
from torchlike._ops import promotion
from torchlike._record.dispatch import undisturbed
from torchlike._record.leaf import NO_STORAGE, host, on_shared_memory, to_numpy
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import LEAF, Tensor
from torchlike._record.trace import force, state
from torchlike._record.warning import warn_once
from torchlike._record.wrong_calls import instead_of

_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report.")
_NO_ITEM = "Tensor.item() cannot be called on meta tensors"
_PLAIN = (Tensor, Parameter, Dual)
_CONTROL_FLOW = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues .")


def item(self: Tensor) -> Number:
    """The one value as a Python number. https://pytorch.org/docs/stable/generated/torch.Tensor.item.html"""
    cell = self._cell
    aval = cell.aval
    if aval.numel != 1:
        raise instead_of(RuntimeError(f"a Tensor with {aval.numel} elements cannot be converted to Scalar"))
    if not backend_of(aval.device).has_values:
        raise RuntimeError(_NO_ITEM)
    found = _asked_for(self)
    return host(cell, _ITEM, "item").item() if found is None else found


def _asked_for(x) -> Any:
    """What a class or a mode says that the one value is; None where none is asked."""
    if state.open is None or x._cell.handler is not None:
        return made_like("_local_scalar_dense.default", x)
    return None


def tolist(self: Tensor):
    """Nested lists of Python numbers, or one number."""
    if self._cell.layout is not strided:
        raise RuntimeError(NO_STORAGE)
    if _is_empty_wrapper(self):
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(self).__name__}")
    return host(self._cell).tolist()


def _is_empty_wrapper(x) -> bool:
    """Whether a tensor is of a class with ``__torch_dispatch__`` and has no memory."""
    return is_wrapper(x) and x._cell.inner is None


def numpy(self: Tensor, *, force=False):
    """The values as a numpy array on the same memory: what is written to one is seen in the other.
    Differs from PyTorch: views of another dtype (`real`, `view(dtype)`) are copied.
    https://pytorch.org/docs/stable/generated/torch.Tensor.numpy.html"""
    if not force:
        if self._cell.layout is not strided:
            raise TypeError(f"can't convert {layout_name(self)} layout tensor to numpy. Use Tensor.to_dense() first.")
        if self._edge is not None and state.thread.grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if _is_empty_wrapper(self):
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")
    if not force:
        if not backend_of(self._cell.aval.device).in_host_memory:
            raise TypeError(f"can't convert {self._cell.aval.device} device type tensor to numpy. Use Tensor.cpu() to "
                            "copy the tensor to host memory first.")
        for bit, is_set, name in (("conjugate", self.is_conj, "conj"), ("negative", self.is_neg, "neg")):
            if is_set():
                raise RuntimeError(f"Can't call numpy() on Tensor that has {bit} bit set. Use "
                                   f"tensor.resolve_{name}().numpy() instead.")
        dtype = self._cell.aval.dtype
        if dtype is dt.bfloat16 or dtype in dt.FLOAT8:
            raise TypeError(f"Got unsupported ScalarType {dtype.scalar_name}")
    shared = on_shared_memory(self) if self._cell.aval.numel else None
    return to_numpy(self) if shared is None else shared


def _array(self: Tensor, dtype: Any = None, copy=None):
    found = numpy(self)
    if copy is False and dtype is not None and found.dtype != dtype:
        raise ValueError("Unable to avoid copy while creating an array as requested.")
    return found.astype(found.dtype if dtype is None else dtype, copy=bool(copy))


def _array_wrap(self: Tensor, array: np.ndarray, context=None, return_scalar: bool = False) -> Tensor:
    """What numpy's functions of Tensors return: Tensors; those of bool are uint8, as in PyTorch."""
    return from_numpy(array.astype(np.uint8) if array.dtype == bool else array)


def _bool(self: Tensor):
    numel = self._cell.aval.numel
    if numel == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if numel > 1:
        raise instead_of(RuntimeError("Boolean value of Tensor with more than one value is ambiguous"))
    if not backend_of(self._cell.aval.device).has_values:
        raise RuntimeError(_NO_ITEM)
    found = _asked_for(self)
    return bool(host(self._cell, _CONTROL_FLOW, "is_nonzero").item() if found is None else found)


_LOSES_GRADIENT = ("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                   "Consider using tensor.detach() first.")


def _number(kind):
    def convert(self: Tensor):
        if self._edge is not None and kind is not int and state.thread.grad:
            warn_once(_LOSES_GRADIENT)
        if self._cell.aval.numel != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        found = item(self)
        if isinstance(found, complex) and found.imag and kind is not complex:
            raise RuntimeError(f"value cannot be converted to type {'double' if kind is float else 'int64_t'} without "
                               "overflow")
        return kind(found.real if isinstance(found, complex) and kind is not complex else found)

    return convert


def _index(self: Tensor) -> int:
    aval = self._cell.aval
    if aval.dtype.category > dt.INT or aval.numel != 1:
        raise instead_of(TypeError("only integer tensors of a single element can be converted to an index"))
    found: Any = item(self)
    return int(found)


def _len(self: Tensor) -> int:
    shape = self._cell.aval.shape
    if not shape:
        raise instead_of(TypeError("len() of a 0-d tensor"))
    return shape[0]


def _iter(self: Tensor):
    if not self._cell.aval.ndim:
        raise instead_of(TypeError("iteration over a 0-d tensor"))
    return iter(self.unbind(0))


def _reversed(self: Tensor):
    return self.flip(0) if self._cell.aval.ndim else self


def _contains(self: Tensor, element):
    if isinstance(element, Tensor | int | float | complex):
        return bool((self == element).any())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


def _format(self: Tensor, spec):
    if self._cell.aval.ndim == 0 and type(self) is Tensor:
        return item(self).__format__(spec)
    return object.__format__(self, spec)


def _repr(self: Tensor, *, tensor_contents=None):
    if self._cell.layout is not strided:
        return sparse_str(self, _of_gradient(self), _prefix(self))
    aval = self._cell.aval
    try:
        values = _shown(self) if backend_of(aval.device).has_values else None
    except RuntimeError:
        if not isinstance(force(self._cell), jax.core.Tracer):
            raise
        return f"BatchedTensor(shape={list(aval.shape)}, dtype={aval.dtype!r})"  # PyTorch shows the whole batch
    suffixes = []
    if aval.device != CPU:
        suffixes.append(f"device='{aval.device}'")
    tail = _of_gradient(self)
    tangent = parts(self)[1]
    if tangent is not None:
        tail.append(f"tangent={tangent}")
    text = printing.tensor_str(values, dtype_name=aval.dtype.name,
                                default_dtype_name=promotion.default.dtype.name, suffixes=suffixes + tail,
                                shape=tuple(aval.shape),
                                prefix=_prefix(self))
    return f"Parameter({text})" if self._is_param and type(self) is not Parameter else text


def _shown(x) -> np.ndarray:
    """The values of a tensor; what an expanded one repeats is computed once."""
    aval = x._cell.aval
    repeated = [n > 1 and s == 0 for n, s in zip(aval.shape, aval.strides, strict=True)]
    if not any(repeated) or type(x) is not Tensor:
        return host(x._cell)
    with undisturbed():
        once = x.detach()[tuple(slice(0, 1) if again else slice(None) for again in repeated)]
        return np.broadcast_to(host(once._cell), aval.shape)


def _prefix(x) -> str:
    return "tensor(" if type(x) in _PLAIN else f"{type(x).__name__}("


def _of_gradient(x) -> list:
    """What is said of the history."""
    grad_fn = x.grad_fn
    if grad_fn is not None:
        return [f"grad_fn=<{grad_fn.name().rpartition('::')[2]}>"]
    return ["requires_grad=True"] if x._edge is LEAF else []


def _dlpack(self: Tensor, *, stream=-1, **options: Any):
    """A capsule of this tensor's memory: what is written to one is seen in the other.
    Differs from PyTorch: dtypes that numpy lacks (bfloat16) are copied, and so is what is on a GPU, if it is written to.
    https://data-apis.org/array-api/latest/API_specification/generated/array_api.array.__dlpack__.html"""
    cell = self._cell
    if self._edge is not None:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if self.is_conj():
        raise BufferError("Can't export tensors with the conjugate bit set")
    if cell.layout is not strided:
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if not backend_of(cell.aval.device).in_host_memory:
        return force(cell).__dlpack__(**(options if stream == -1 else {"stream": stream, **options}))
    if stream is not None and stream != -1:
        raise AssertionError("stream should be None on cpu.")
    dtype = cell.aval.dtype
    shared = on_shared_memory(self) if cell.aval.numel and dtype is not dt.bfloat16 and dtype not in dt.FLOAT8 else None
    return (force(cell) if shared is None else shared).__dlpack__(**options)


def _cuda_array_interface(self):
    """https://nvidia.github.io/numba-cuda/user/cuda_array_interface.html, of tensors on a GPU. As of a tensor's memory:
    nobody must write to it."""
    if not backend_of(self._cell.aval.device).is_accelerator:
        raise AttributeError("__cuda_array_interface__")  # `Tensor.__getattr__` says why
    if self._edge is not None:
        raise RuntimeError("Can't get __cuda_array_interface__ on Variable that requires grad. If gradients aren't "
                           "required, use var.detach() to get Variable that doesn't require grad.")
    return force(self._cell).__cuda_array_interface__


def _tensor_to_jax(self: Tensor):
    return force(self._cell)


float_operator = _number(float)

int_operator = _number(int)

complex_operator = _number(complex)

def hash_operator(self: Tensor) -> int:
    return id(self)


def dlpack_device_operator(self: Tensor):
    device = self._cell.aval.device
    if not backend_of(device).has_values:
        raise ValueError(f"Unknown device type {device} for Dlpack")
    return force(self._cell).__dlpack_device__()


cuda_array_interface_operator = property(_cuda_array_interface)

METHODS: dict = {
    "item": item, "tolist": tolist, "numpy": numpy, "__array__": _array, "__array_wrap__": _array_wrap, "__bool__": _bool,
    "__float__": float_operator, "__int__": int_operator, "__complex__": complex_operator,
    "__index__": _index, "__len__": _len, "__iter__": _iter, "__reversed__": _reversed,
    "__contains__": _contains, "__format__": _format, "__repr__": _repr,
    "__hash__": hash_operator,
    "__dlpack__": _dlpack, "__dlpack_device__": dlpack_device_operator,
    "__jax_array__": _tensor_to_jax, "__cuda_array_interface__": cuda_array_interface_operator,
}
