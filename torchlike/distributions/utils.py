"""What distributions share: broadcasting of parameters, probabilities and logits, attributes made at first use.

https://pytorch.org/docs/stable/distributions.html
"""

import functools
import math
from typing import Any, overload

from torchlike import _api
from torchlike._api import type_info
from torchlike._base.size import Size
from torchlike._ops import promotion
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import enable_grad
from torchlike.nn import functional as F

euler_constant = 0.57721566490153286060
_Number = (bool, int, float, complex)


def broadcast_all(*values):
    """Values as tensors of their common shape. Numbers get the dtype and device of the first tensor.

    Args:
        values: numbers and tensors.

    Returns:
        a tuple of tensors.

    Raises:
        ValueError: something else.
    """
    if not all(isinstance(v, (Tensor, *_Number)) for v in values):
        raise ValueError("Input arguments must all be instances of Number, torch.Tensor or objects implementing "
                         "__torch_function__.")
    first = next((v for v in values if isinstance(v, Tensor)), None)
    options: dict[str, Any] = {"dtype": promotion.default.dtype}
    if first is not None:
        options = {"dtype": first.dtype, "device": first.device}
    tensors = [v if isinstance(v, Tensor) else _api.tensor(v, **options) for v in values]
    return tuple(_api.broadcast_tensors(*tensors))


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities from logits.

    Args:
        logits: (*), log-odds if `is_binary`, else logarithms along the last dimension, which are normalised.
        is_binary: which of the two.

    Returns:
        (*).
    """
    return _api.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities moved into [eps, 1 - eps], eps of their dtype.

    Args:
        probs: (*).

    Returns:
        (*).
    """
    eps = type_info.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits of probabilities, which are clamped first.

    Args:
        probs: (*).
        is_binary: whether the results are log-odds instead of logarithms.

    Returns:
        (*).
    """
    inside = clamp_probs(probs)
    return inside.log() - (-inside).log1p() if is_binary else inside.log()


class lazy_property:  # noqa: N801 - PyTorch's name
    """Decorates a method: an attribute that is computed at first use, with gradients, and kept.

    Args:
        wrapped: the method.
    """

    def __init__(self, wrapped):
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)  # pyrefly: ignore[bad-argument-type] - no function, but it has the attributes

    @overload
    def __get__(self, instance: None, obj_type: type | None = None) -> "_LazyOfClass": ...

    @overload
    def __get__(self, instance: object, obj_type: type | None = None) -> Any: ...

    def __get__(self, instance, obj_type=None):
        if instance is None:
            return _LazyOfClass(self.wrapped)
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _LazyOfClass(lazy_property, property):
    """What reading the attribute from the class gives: also a property, for tools that look for one."""

    def __init__(self, wrapped):
        property.__init__(self, wrapped)


def _tril_mask(n, diag, device):
    steps = _api.arange(n, device=device)
    return steps < steps.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The lower triangles of matrices as vectors, row by row.

    Args:
        mat: (*, n, n).
        diag: the last diagonal that belongs to the triangle.

    Returns:
        (*, number of elements).

    Raises:
        ValueError: there is no such diagonal.
    """
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _tril_mask(n, diag, mat.device)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """The inverse of `tril_matrix_to_vec`.

    Args:
        vec: (*, number of elements).
        diag: the last diagonal that belongs to the triangle.

    Returns:
        (*, n, n).

    Raises:
        ValueError: no triangle has so many elements.
    """
    size, odd = vec.shape[-1], 1 + 2 * diag
    side = (math.sqrt(odd * odd + 8 * size + 4 * abs(diag) * (diag + 1)) - odd) / 2
    n = round(side)
    if n - side > type_info.finfo(vec.dtype).eps:
        raise ValueError(f"The size of last dimension is {size} which cannot be expressed as the lower triangular part of a "
                         "square D x D matrix.")
    mat = vec.new_zeros((*vec.shape[:-1], n, n))
    mat[..., _tril_mask(n, diag, vec.device)] = vec
    return mat


def _sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """The sum over the last dimensions.

    Args:
        value: a tensor.
        dims: how many dimensions.

    Returns:
        a tensor with `dims` dimensions less.
    """
    return value.reshape(*value.shape[:-dims], -1).sum(-1) if dims else value


def standard_normal(shape, like: Tensor) -> Tensor:
    """Standard normal numbers.

    Args:
        shape: their shape.
        like: a tensor of the dtype and device.

    Returns:
        a tensor.
    """
    return _api.empty(shape, dtype=like.dtype, device=like.device).normal_()


def _standard_normal(shape, dtype, device) -> Tensor:
    """PyTorch's name for it, which packages import."""
    return _api.empty(shape, dtype=dtype, device=device).normal_()


def uniform(shape, like: Tensor) -> Tensor:
    """Uniform numbers in [0, 1).

    Args:
        shape: their shape.
        like: a tensor of the dtype and device.

    Returns:
        a tensor.
    """
    return _api.rand(shape, dtype=like.dtype, device=like.device)


def finfo(x: Tensor):
    """The limits of a tensor's dtype.

    Args:
        x: a tensor.

    Returns:
        a `torch.finfo`.
    """
    return type_info.finfo(x.dtype)


def filled(shape, value: float, like: Tensor) -> Tensor:
    """A tensor of one value.

    Args:
        shape: its shape.
        value: the number.
        like: a tensor of the dtype and device.

    Returns:
        a tensor.
    """
    return _api.full(Size(shape), value, dtype=like.dtype, device=like.device)
