"""`MaskedTensor`: data and a mask of the same shape, and what operators make of both.

It is a wrapper without memory (`torchlike/_modes/torch_dispatch.py`). Functions of the torch namespace come first
(`FUNCTIONS`), then, below autograd, PyTorch's operators by their names (`DISPATCH`); the other modules of this folder fill
both.
"""

import warnings
from collections.abc import Callable
from typing import Any

from torchlike import _api as ops
from torchlike._base import dtypes as dt
from torchlike._base.settings import sparse_coo, sparse_csr, strided
from torchlike._record.tensor import Tensor
from torchlike.autograd.function import Function
from torchlike.masked._where import sparse_where

__all__ = ["MaskedTensor", "is_masked_tensor"]

FUNCTIONS: dict[Any, Callable] = {}
DISPATCH: dict[str, Callable] = {}
_PROTOTYPE = (
    "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. Please open a Github issue "
    "for features requests and see our documentation on the torch.masked module for further information about the project.")
_WITH_HISTORY = ("It is not recommended to create a MaskedTensor with a tensor that requires_grad. To avoid this, you can "
                 "use data.detach().clone()")
_REQUEST = (
    "If you would like this operator to be supported, please file an issue for a feature request at "
    "https://github.com/pytorch/maskedtensor/issues with a minimal reproducible code snippet.\n"
    "In the case that the semantics for the operator are not trivial, it would be appreciated to also include a proposal "
    "for the semantics.")
_DTYPES = (dt.float16, dt.float32, dt.float64, dt.bool_, dt.int8, dt.int16, dt.int32, dt.int64)
_NUMBER = "{0:8.4f}"


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether something is a `MaskedTensor`.
    https://pytorch.org/docs/stable/masked.html

    Args:
        obj: what.

    Returns: a bool.
    """
    return isinstance(obj, MaskedTensor)


def function(*known):
    """Decorates what `MaskedTensor` makes of these functions; called with the function and its arguments."""
    def register(handler):
        for each in known:
            FUNCTIONS[each] = handler
        return handler

    return register


def dispatched(*names):
    """Decorates what `MaskedTensor` makes of the operators of these names; called with the overload and its arguments."""
    def register(handler):
        for name in names:
            DISPATCH[name] = handler
        return handler

    return register


def packet_name(func) -> str:
    """The name of an overload's operator, "add" of add.Tensor."""
    return func.__name__.partition(".")[0]


def warn_of_missing(text: str, stacklevel=3) -> None:
    """Warn that something is not there, and where it can be asked for."""
    warnings.warn(f"{text}\n{_REQUEST}", stacklevel=stacklevel)


def _tensors_match(a, b, exact=True, rtol=1e-05, atol=1e-08):
    """Whether two tensors of one layout, without masks, are equal, or nearly so."""
    if is_masked_tensor(a) or is_masked_tensor(b):
        raise ValueError("Neither `a` nor `b` can be a MaskedTensor.")
    if a.layout != b.layout:
        raise ValueError(f"`a` and `b` must have the same layout. Got {a.layout} and {b.layout}")
    if a.dtype != b.dtype:
        b = b.type(a.dtype)
    if a.layout == sparse_coo:
        return _tensors_match(a.values(), b.values(), exact) and _tensors_match(a.indices(), b.indices(), exact)
    if a.layout == sparse_csr:
        return _same_csr_indices(a, b) and _tensors_match(a.values(), b.values(), exact)
    if a.dim() != b.dim():
        return False
    return ops.eq(a, b).all().item() if exact else ops.allclose(a, b, rtol=rtol, atol=atol)


def _same_csr_indices(a, b):
    return _tensors_match(a.crow_indices(), b.crow_indices()) and _tensors_match(a.col_indices(), b.col_indices())


def _masks_match(a, b):
    """Whether two MaskedTensors have the same mask; True where one is none."""
    return not (is_masked_tensor(a) and is_masked_tensor(b)) or _tensors_match(a.get_mask(), b.get_mask())


def mapped(x, of):
    """Arguments with `of(x)` in the place of each MaskedTensor, in lists and tuples, too."""
    if is_masked_tensor(x):
        return of(x)
    return type(x)(mapped(y, of) for y in x) if type(x) in (list, tuple) else x


def _wrap_result(data, mask):
    """A MaskedTensor; a list or tuple of them for such arguments."""
    if isinstance(data, list | tuple):
        return type(data)(_wrap_result(d, m) for d, m in zip(data, mask, strict=False))
    return MaskedTensor(data, mask) if isinstance(data, Tensor) else NotImplemented


def _get_data(a):
    return a._masked_data if is_masked_tensor(a) else a


def _maybe_get_mask(a):
    return a.get_mask() if is_masked_tensor(a) else None


def _check_tensor(x, name) -> None:
    if is_masked_tensor(x) or not isinstance(x, Tensor):
        raise TypeError(f"{name} must be a Tensor")


class MaskedTensor(Tensor):
    """Data of which a mask says what counts; a prototype in PyTorch. Operators between two of them want equal masks.
    https://pytorch.org/docs/stable/masked.html

    Args:
        data: (*), of layout strided, COO or CSR.
        mask: (*), bool, of the same layout: where the data counts.
        requires_grad: whether gradients are wanted.

    Raises:
        TypeError: `data` or `mask` is no Tensor, or of a wrong dtype or layout.
        ValueError: their shapes or indices differ.
    """

    @staticmethod
    def __new__(cls, data, mask, requires_grad=False):
        _check_tensor(data, "data")
        _check_tensor(mask, "mask")
        warnings.warn(_PROTOTYPE, UserWarning, stacklevel=2)
        if data.requires_grad:
            warnings.warn(_WITH_HISTORY, UserWarning, stacklevel=2)
        return Tensor._make_wrapper_subclass(cls, data.size(), device=data.device, dtype=data.dtype, layout=data.layout,
                                             requires_grad=requires_grad)

    def __init__(self, data, mask, requires_grad=False):
        if data.layout != mask.layout:
            raise TypeError("data and mask must have the same layout.")
        if data.layout == sparse_coo:
            data, mask = data.coalesce(), mask.coalesce()
        if data.layout in (sparse_coo, sparse_csr) and data._nnz() != mask._nnz():
            data = sparse_where(mask, data, ops.tensor(0))
        self._masked_data = data.clone()
        self._masked_mask = mask.clone()
        self._validate_members()

    def _validate_members(self):
        data, mask = self._masked_data, self.get_mask()
        if type(data) is not type(mask):
            raise TypeError(f"data and mask must have the same type. Got {type(data)} and {type(mask)}")
        if data.layout not in (strided, sparse_coo, sparse_csr):
            raise TypeError(f"data layout of {data.layout} is not supported.")
        if data.layout == sparse_coo and not _tensors_match(data.indices(), mask.indices()):
            raise ValueError("data and mask are both sparse COO tensors but do not have the same indices.")
        if data.layout == sparse_csr and not _same_csr_indices(data, mask):
            raise ValueError("data and mask are both sparse CSR tensors but do not share either crow or col indices.")
        if mask.dtype != dt.bool_:
            raise TypeError("mask must have dtype bool.")
        if data.dtype not in _DTYPES:
            raise TypeError(f"{data.dtype} is not supported in MaskedTensor.")
        if data.dim() != mask.dim():
            raise ValueError("data.dim() must equal mask.dim()")
        if data.size() != mask.size():
            raise ValueError("data.size() must equal mask.size()")

    @staticmethod
    def _from_values(data, mask):
        """A MaskedTensor with the history of the data."""
        return Constructor.apply(data, mask)

    def _set_data_mask(self, data, mask):
        self._masked_data = data
        self._masked_mask = mask
        self._validate_members()

    def __repr__(self):
        data, mask = self.get_data(), self.get_mask()
        if self.dim() == 0:
            shown = _shown(data) if mask.item() else "--"
            return f"MaskedTensor({shown}, {mask.item()})"
        if data.layout in (sparse_coo, sparse_csr):
            data, mask = data.to_dense(), mask.to_dense()
        return f"MaskedTensor(\n{_indented(_text(data, mask))}\n)"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        handler = FUNCTIONS.get(func)
        if handler is not None:
            return handler(func, *args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs)

    @classmethod
    def unary(cls, fn, data, mask):
        """The result of a function of the data.

        Args:
            fn: from a tensor to one of the same shape.
            data, mask: (*).

        Returns: a MaskedTensor (*).
        """
        return MaskedTensor(fn(data), mask)

    @classmethod
    def __torch_dispatch__(cls, func, types, args, kwargs):
        name = packet_name(func)
        handler = DISPATCH.get(name)
        if handler is not None:
            return handler(func, *args, **kwargs)
        warn_of_missing(f"{name} is not implemented in __torch_dispatch__ for MaskedTensor.")
        return NotImplemented

    def __lt__(self, other):
        return MaskedTensor(self.get_data() < _get_data(other), self.get_mask())

    def to_tensor(self, value):
        """The data, with a value where it does not count.

        Args:
            value: a number.

        Returns: (*), with history.
        """
        return self.get_data().masked_fill(~self.get_mask(), value)

    def get_data(self):
        """The data (*), with history; what does not count has no gradient."""
        return GetData.apply(self)

    def get_mask(self):
        """The mask, (*) bool."""
        return self._masked_mask

    @property
    def layout(self):
        """That of the data."""
        return self._masked_data.layout

    def is_sparse_coo(self):
        """Whether the data is of layout COO."""
        return self.layout == sparse_coo

    def is_sparse_csr(self):
        """Whether the data is of layout CSR."""
        return self.layout == sparse_csr

    @property
    def is_sparse(self):
        """Whether the data is of a sparse layout."""
        return self.is_sparse_coo() or self.is_sparse_csr()


class Constructor(Function):
    """From data to a MaskedTensor."""

    @staticmethod
    def forward(ctx, data, mask):
        return MaskedTensor(data, mask)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None


class GetData(Function):
    """From a MaskedTensor to its data."""

    @staticmethod
    def forward(ctx, masked):
        ctx.mask = masked.get_mask()
        return masked._masked_data.detach()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output if is_masked_tensor(grad_output) else MaskedTensor(grad_output, ctx.mask)


# -- text

def _shown(x) -> str:
    value = x.item()
    return _NUMBER.format(value) if isinstance(value, float) else str(value)


def _indented(text) -> str:
    return "\n".join(f"  {line}" for line in text.split("\n"))


def _text(data, mask) -> str:
    """The elements in brackets, a line for each vector."""
    if data.dim() > 1:
        return "[\n" + ",\n".join(_indented(_text(d, m)) for d, m in zip(data, mask, strict=True)) + "\n]"
    counts = mask.tolist()
    texts = [_shown(x) for x in data]
    width = max(len(text) if counted else len(_NUMBER.format(0)) for text, counted in zip(texts, counts, strict=True))
    return "[" + ", ".join(text if counted else "--".rjust(width)
                           for text, counted in zip(texts, counts, strict=True)) + "]"
