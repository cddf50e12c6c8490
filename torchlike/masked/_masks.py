"""Masks of operands and results, and the values that stand for what is masked out."""

import math

from torchlike import _api as ops
from torchlike._api.type_info import iinfo
from torchlike._base import dtypes as dt
from torchlike._base.settings import sparse_coo, sparse_csr, strided
from torchlike.autograd.function import Function
from torchlike.masked._names import HIGHEST, NO_NEUTRAL, NORMALIZATIONS, ONE, REDUCTIONS, ZERO
from torchlike.masked._where import where
from torchlike.masked.maskedtensor.core import is_masked_tensor
from torchlike.masked.maskedtensor.creation import as_masked_tensor


def identity(name, input, *args):
    """What changes nothing in a reduction, () of the dtype of `input`; None where nothing does.

    Args:
        name: that of the reduction.
        input: (*), what is reduced.
        args: the order of a norm.

    Raises:
        NotImplementedError: the dtype has no such value.
    """
    dtype = input.dtype
    if name in NO_NEUTRAL:
        return None
    if name == "median":
        value, dtype = math.nan, dtype if input.is_floating_point() else dt.float32
    elif name in ZERO or name in ONE:
        value = int(name in ONE)
    elif name == "norm":
        value = math.inf if args[:1] == (-math.inf,) else 0
    else:
        value = _extreme(name, input)
    return ops.tensor(value, dtype=dtype, device=input.device)


def _extreme(name, input):
    dtype = input.dtype
    if input.is_floating_point():
        return math.inf if name in HIGHEST else -math.inf
    if input.is_complex() and name == "logsumexp":
        return complex(-math.inf, 0)
    if dtype is dt.bool_ or input.is_complex() or (not dtype.is_signed and dtype is not dt.uint8):
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return iinfo(dtype).max if name in HIGHEST else iinfo(dtype).min


def canonical_dims(dim, ndim: int) -> tuple:
    """The dimensions that an argument means, in order; all for None and ().

    Args:
        dim: a number, several, or None.
        ndim: how many dimensions there are.

    Raises:
        RuntimeError: one twice.
        IndexError: there is no such dimension.
    """
    if dim is None or dim == ():
        return tuple(range(ndim))
    ndim = max(ndim, 1)
    found: list = []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not -ndim <= d < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {d})")
        found.append(d % ndim)
    return tuple(sorted(found))


def input_mask(input, *args, **kwargs):
    """The mask in the shape, layout and as bools that `input` wants.

    Args:
        input: (*).
        args: not looked at.
        kwargs: has the ``mask``.

    Raises:
        ValueError: there is none, or a layout that is not known.
        IndexError: it has more dimensions than `input`.
    """
    if input.layout not in (strided, sparse_coo, sparse_csr):
        raise ValueError(f"_input_mask expects strided or sparse COO or sparse CSR tensor but got {input.layout}")
    mask = kwargs.get("mask")
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
        mask = _broadcast(mask, input.shape)
    if mask.layout != input.layout:
        mask = _converted(mask, input)
    if mask.layout == sparse_coo:
        mask = mask.coalesce()
    return mask.to(dtype=dt.bool_)


def _broadcast(mask, shape):
    if mask.layout == strided:
        return ops.broadcast_to(mask.clone(), shape).to(dtype=dt.bool_)
    if mask.layout == sparse_coo:
        return mask.to_dense().broadcast_to(shape).to_sparse()
    if mask.layout != sparse_csr:
        raise AssertionError(f"expected sparse_csr layout, got {mask.layout}")
    return mask.to_dense().broadcast_to(shape).to_sparse_csr()


def _converted(mask, input):
    if input.layout == strided:
        return mask.to_dense()
    if input.layout == sparse_csr:
        return mask.to_sparse_csr()
    return mask.to_sparse(input.sparse_dim()) if mask.layout == strided else mask.to_sparse()


def any_along(mask, dims, keepdim):
    """Where a mask is true anywhere along some dimensions."""
    for d in reversed(dims):
        mask = mask.any(dim=d, keepdim=keepdim)
    return mask


def output_mask(op, input, *args, **kwargs):
    """Which elements of the result of a function of `torch.masked` have a value.

    Args:
        op: the function.
        input: (*), its first argument.
        args, kwargs: the others.

    Raises:
        ValueError: it is no such function.
    """
    if not callable(op):
        raise ValueError(f"_output_mask expected masked operation (got {type(op).__name__} object)")
    name = op.__name__
    if name in NORMALIZATIONS:
        return input_mask(input, *args, **kwargs)
    if name not in REDUCTIONS:
        raise ValueError(f"_output_mask expected masked operation (got callable {op.__module__}.{name})")
    if name == "norm":
        args = args[1:]
    mask = input_mask(input, *args, **kwargs)
    dims = canonical_dims(args[0] if args else kwargs.get("dim"), input.ndim)
    return any_along(mask, dims, bool(kwargs.get("keepdim", False)))


class Combine(Function):
    """The data of a MaskedTensor, filled; its gradient is a MaskedTensor."""

    @staticmethod
    def forward(ctx, input, mask, name, args):
        ctx.save_for_backward(mask)
        ctx.mark_non_differentiable(mask)
        return filled(name, input, mask, *args)

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        data = grad_output.get_data() if is_masked_tensor(grad_output) else grad_output
        return as_masked_tensor(data, mask), None, None, None


def filled(name, input, mask, *args):
    """`input` with what changes nothing in a reduction where the mask is false.

    Args:
        name: that of the reduction.
        input: (*); of a MaskedTensor its own mask counts.
        mask: broadcastable to `input`; None leaves everything.
        args: as for `identity`.
    """
    if is_masked_tensor(input):
        return Combine.apply(input.get_data(), input.get_mask(), name, args)
    return input if mask is None else where(input_mask(input, mask=mask), input, identity(name, input, *args))


def _combine_input_and_mask(op, input, mask, *args):
    """`filled`, as PyTorch has it: `op` is the function."""
    if callable(op):
        return filled(op.__name__, input, mask, *args)
    if mask is None:
        return input
    raise ValueError(f"_combine_input_and_mask expected masked operation (got {type(op).__name__} object)")
