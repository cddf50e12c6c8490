"""The other functions of MaskedTensors: conversions of layouts, `where`, softmax, copies."""

import math

from torchlike import _api as ops
from torchlike._base import dtypes as dt
from torchlike._base.settings import sparse_coo, sparse_csr, strided
from torchlike._record.tensor import Tensor
from torchlike.autograd.function import Function
from torchlike.masked.maskedtensor.core import (
    MaskedTensor,
    _get_data,
    _masks_match,
    _maybe_get_mask,
    dispatched,
    function,
    is_masked_tensor,
    mapped,
    packet_name,
    warn_of_missing,
)

_MATRICES = "Only 2D tensors can be converted to the SparseCsr layout but got shape: {}"


def _check_args_kwargs_length(args, kwargs, error_prefix, len_args=None, len_kwargs=None):
    if len_args is not None and len_args != len(args):
        raise ValueError(f"{error_prefix}: len(args) must be {len_args} but got {len(args)}")
    if len_kwargs is not None and len_kwargs != len(kwargs):
        raise ValueError(f"{error_prefix}: len(kwargs) must be {len_kwargs} but got {len(kwargs)}")


def _where(func):
    """The beginning of the error texts of an operator."""
    return f"__torch_dispatch__, aten.{packet_name(func)}"


def _full(x):
    """A MaskedTensor of which everything counts."""
    return x if is_masked_tensor(x) else MaskedTensor(x, ops.ones_like(x, dtype=dt.bool_))


# -- functions

class _MaskedContiguous(Function):
    @staticmethod
    def forward(ctx, input):
        if not is_masked_tensor(input):
            raise ValueError("MaskedContiguous forward: input must be a MaskedTensor.")
        if input.is_contiguous():
            return input
        return MaskedTensor(input.get_data().contiguous(), input.get_mask().contiguous())

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output


class _MaskedToDense(Function):
    @staticmethod
    def forward(ctx, input):
        if not is_masked_tensor(input):
            raise ValueError("MaskedToDense forward: input must be a MaskedTensor.")
        ctx.layout = input.layout
        return _as_dense(input)

    @staticmethod
    def backward(ctx, grad_output):
        return {strided: _as_dense, sparse_coo: _as_coo, sparse_csr: _as_csr}[ctx.layout](grad_output)


def _as_dense(x):
    return x if x.layout == strided else MaskedTensor(x.get_data().to_dense(), x.get_mask().to_dense())


def _as_coo(x):
    return x if x.layout == sparse_coo else _of_pattern(x, x.get_mask().to_sparse_coo().coalesce())


def _as_csr(x):
    return x if x.layout == sparse_csr else _of_pattern(x, x.get_mask().to_sparse_csr())


def _of_pattern(x, mask):
    return MaskedTensor(x.get_data().sparse_mask(mask), mask)


class _MaskedToSparse(Function):
    @staticmethod
    def forward(ctx, input):
        if not is_masked_tensor(input):
            raise ValueError("MaskedToSparse forward: input must be a MaskedTensor.")
        return _as_coo(input)

    @staticmethod
    def backward(ctx, grad_output):
        return _as_dense(grad_output)


class _MaskedToSparseCsr(Function):
    @staticmethod
    def forward(ctx, input):
        if not is_masked_tensor(input):
            raise ValueError("MaskedToSparseCsr forward: input must be a MaskedTensor.")
        if input._masked_data.ndim != 2:
            raise ValueError(_MATRICES.format(input._masked_data.size()))
        return _as_csr(input)

    @staticmethod
    def backward(ctx, grad_output):
        return _as_dense(grad_output)


class _MaskedWhere(Function):
    @staticmethod
    def forward(ctx, cond, self, other):
        ctx.mark_non_differentiable(cond)
        ctx.save_for_backward(cond)
        return _chosen(cond, self, other)

    @staticmethod
    def backward(ctx, grad_output):
        (cond,) = ctx.saved_tensors
        nothing = MaskedTensor(grad_output.get_data(), ops.zeros_like(grad_output.get_mask()).to(dt.bool_))
        return None, _chosen(cond, grad_output, nothing), _chosen(cond, nothing, grad_output)


def _chosen(cond, self, other):
    first, second = _full(self), _full(other)
    return MaskedTensor(ops.where(cond, first.get_data(), second.get_data()),
                        ops.where(cond, first.get_mask(), second.get_mask()))


@function(Tensor.where, ops.where)
def _function_where(func, *args, **kwargs):
    _check_args_kwargs_length(args, kwargs, "__torch_function__, torch.where", len_args=3, len_kwargs=0)
    return _MaskedWhere.apply(*args)


@function(Tensor.contiguous)
def _function_contiguous(func, *args, **kwargs):
    return _MaskedContiguous.apply(args[0])


@function(Tensor.is_contiguous)
def _function_is_contiguous(func, *args, **kwargs):
    data = _get_data(args[0])
    if data.layout != strided:
        raise ValueError("MaskedTensors with sparse data do not have is_contiguous")
    return data.is_contiguous(*args[1:], **kwargs)


@function(Tensor.to_dense)
def _function_to_dense(func, *args, **kwargs):
    return _MaskedToDense.apply(args[0])


@function(Tensor.to_sparse, Tensor.to_sparse_coo)
def _function_to_sparse(func, *args, **kwargs):
    return _MaskedToSparse.apply(args[0])


@function(Tensor.to_sparse_csr)
def _function_to_sparse_csr(func, *args, **kwargs):
    return _MaskedToSparseCsr.apply(args[0])


@function(ops.equal, Tensor.equal, ops.allclose, Tensor.allclose)
def _function_missing(func, *args, **kwargs):
    warn_of_missing(f"{func.__name__} is not implemented in __torch_dispatch__ for MaskedTensor.")
    return NotImplemented


# -- operators

@dispatched("where")
def _dispatched_where(func, *args, **kwargs):
    _check_args_kwargs_length(args, kwargs, _where(func), len_args=3, len_kwargs=0)
    if not isinstance(args[0], Tensor):
        raise ValueError(f"{_where(func)}: expected args[0] to be a tensor")
    return _chosen(*args)


@dispatched("new_empty_strided")
def _new_empty_strided(func, *args, **kwargs):
    _check_args_kwargs_length(args, kwargs, _where(func), len_args=3)
    data = _get_data(args[0])
    if tuple(args[1]) != tuple(data.size()):
        raise ValueError(f"{_where(func)}: args[1] expected to be the same as data.size()")
    if tuple(args[2]) != tuple(data.stride()):
        raise ValueError(f"{_where(func)}: args[2] expected to be the same as data.stride()")
    return MaskedTensor(func(data, args[1], args[2], **kwargs), _maybe_get_mask(args[0]))


@dispatched("_local_scalar_dense", "item")
def _local_scalar_dense(func, *args, **kwargs):
    if not _maybe_get_mask(args[0]):
        raise ValueError(f"{_where(func)}: expected a mask tensor")
    return _get_data(args[0]).item()


@dispatched("detach", "clone")
def _apply_fn_on_data(func, *args, **kwargs):
    return MaskedTensor(func(_get_data(args[0])), _maybe_get_mask(args[0]))


@dispatched("_to_copy")
def _to_copy(func, x, dtype=None, **kwargs):
    return MaskedTensor(func(_get_data(x), dtype, **kwargs), func(_maybe_get_mask(x), dt.bool_, **kwargs))


@dispatched("_softmax")
def _softmax(func, x, dim, half_to_float=False):
    data, mask = _get_data(x), _maybe_get_mask(x)
    return MaskedTensor(ops.softmax(data.masked_fill(~mask, -math.inf), dim), mask)


@dispatched("_softmax_backward_data")
def _softmax_backward_data(func, grad, output):
    if not (is_masked_tensor(grad) and is_masked_tensor(output)):
        raise ValueError(f"{_where(func)}: grad and output must both be MaskedTensors")
    if not _masks_match(grad, output):
        raise ValueError(f"{_where(func)}: expected the masks of grad and output to match")
    mask = _maybe_get_mask(grad)
    found = func(_get_data(grad).masked_fill(~mask, 0), _get_data(output).masked_fill(~mask, 0))
    return MaskedTensor(found.masked_fill(~mask, 0), mask)


@dispatched("deg2rad_backward", "rad2deg_backward")
def _of_gradient(func, *args):
    """A gradient that is several operators in PyTorch, element by element from where `grad` counts."""
    data = func(*mapped(args, _get_data))
    mask = next(x.get_mask() for x in args if is_masked_tensor(x))
    return MaskedTensor(data, mask.expand_as(data))


@dispatched("sgn_backward")
def _nothing(func, *args):
    return ops.zeros_like(_get_data(args[0]))  # PyTorch's, too, has no mask


@dispatched("ones_like")
def _ones_like(func, *args, **kwargs):
    _check_args_kwargs_length(args, kwargs, _where(func), len_args=1)
    return MaskedTensor(func(_get_data(args[0]), **kwargs), _maybe_get_mask(args[0]))


@dispatched("copy_")
def _copy_(func, *args, **kwargs):
    _check_args_kwargs_length(args, kwargs, _where(func), len_args=2)
    if not _masks_match(args[0], args[1]):
        raise ValueError("args[0] mask and args[1] mask must match but do not")
    func(_get_data(args[0]), _get_data(args[1]))
    return args[0]


@dispatched("_to_sparse")
def _to_sparse(func, *args, **kwargs):
    _check_args_kwargs_length(args, kwargs, _where(func), len_args=1, len_kwargs=0)
    return _as_coo(_full(args[0]))


@dispatched("_to_sparse_csr")
def _to_sparse_csr(func, *args, **kwargs):
    _check_args_kwargs_length(args, kwargs, _where(func), len_args=1, len_kwargs=0)
    return _as_csr(_full(args[0]))


@dispatched("_to_dense")
def _to_dense(func, *args, **kwargs):
    _check_args_kwargs_length(args, kwargs, _where(func), len_args=1, len_kwargs=0)
    return _as_dense(args[0])


@dispatched("is_same_size")
def _is_same_size(func, *args, **kwargs):
    _check_args_kwargs_length(args, kwargs, _where(func), len_args=2)
    return _get_data(args[0]).is_same_size(_get_data(args[1]))
