"""What PyTorch composes for neural networks: linear maps, convolutions, pooling, norms, losses, attention.

https://pytorch.org/docs/stable/nn.functional.html. The steps are PyTorch's own on a CPU, so that the graph
(its Node names and what they save) is the same. Signatures are those of the torch namespace.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torchlike._api import creation
from torchlike._api.generated import ops
from torchlike._api.out import with_out
from torchlike._modes import vmap_levels
from torchlike._modes.composite import composite
from torchlike._ops.geometry import broadcast
from torchlike._record.cell import counter_of
from torchlike._record.inplace import copy_of, write
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import is_grad_enabled, no_grad

_empty_like, _zeros = creation.empty_like, creation.zeros


def _ints(v) -> tuple:
    return (v,) if isinstance(v, int) else tuple(v)


def refuse_complex(name, *tensors):
    """RuntimeError where PyTorch's autograd has no complex formula."""
    if any(t.is_complex() and t.requires_grad for t in tensors) and is_grad_enabled():
        raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")


# --- matrix products ----------------------------------------------------------------------------

def _should_fold(a, b) -> bool:
    """Whether a batched product is one matrix product of the stacked rows, as ATen decides it."""
    larger = a.dim() >= b.dim()
    t1, t2 = (a, b) if larger else (b, a)
    if t1.dim() < 3 or t2.dim() > 2:
        return False
    if t2.requires_grad:
        return True
    if a.dim() == 2:
        return False
    t1 = t1 if larger else t1.mT
    if t1.numel() == 0:
        return True
    shape, stride = t1.shape, t1.stride()
    return all(stride[i] == stride[i + 1] * shape[i + 1] for i in range(t1.dim() - 2))


def _fold(a, b):
    swap = b.dim() > a.dim()
    t1 = b.mT if swap else a
    t2 = a if swap and a.dim() == 1 else a.t() if swap else b
    shape = list(t1.shape[:-1])
    rows = t1.reshape(math.prod(shape), t1.shape[-1])
    if t2.dim() == 1:
        return ops._unsafe_view(ops.mv(rows, t2), tuple(shape))
    out = ops._unsafe_view(ops.mm(rows, t2), (*shape, t2.shape[1]))
    return out.mT.contiguous() if swap else out


def _batched(a, b):
    if a.dim() == b.dim() == 3 and a.shape[0] != b.shape[0]:
        if a.shape[0] == 1 and a.requires_grad:
            return matmul(a.squeeze(0), b)
        if b.shape[0] == 1 and b.requires_grad:
            return matmul(a, b.squeeze(0))
    n, m = (a.shape[-2] if a.dim() > 1 else 1), a.shape[-1]
    batch = broadcast(a.shape[:-2], b.shape[:-2])
    count = math.prod(batch)
    left = a.expand(*batch, n, m).reshape(count, n, m)
    shape = batch + ((n,) if a.dim() > 1 else ())
    if b.dim() == 1:
        right = b.expand(*batch, b.shape[0]).reshape(count, b.shape[0]).unsqueeze(2)
        return ops._unsafe_view(ops.bmm(left, right).squeeze(-1), shape)
    k, p = b.shape[-2:]
    right = b.expand(*batch, k, p).reshape(count, k, p)
    return ops._unsafe_view(ops.bmm(left, right), (*shape, p))


@composite("matmul")
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """Matrix product of tensors of any rank, batches broadcasting.
    https://pytorch.org/docs/stable/generated/torch.matmul.html"""
    da, db = input.dim(), other.dim()
    if da == 2 and db == 2:
        return ops.mm(input, other)
    if da == 0 or db == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {da}D and {db}D")
    if da == 1 and db == 1:
        return ops.dot(input, other)
    if da == 2 and db == 1:
        return ops.mv(input, other)
    if da == 1 and db == 2:
        return ops.mm(input.unsqueeze(0), other).squeeze_(0)
    return _fold(input, other) if _should_fold(input, other) else _batched(input, other)


_product = matmul.__wrapped__  # inside of other operators
_matmul_out: Any = with_out(matmul)  # with the keyword ``out``


def matmul_function(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """`matmul`, into `out` if there is one."""
    return _matmul_out(input, other, out=out)


@composite("linear")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x W^T + b: (*, in) and (out, in) give (*, out).
    https://pytorch.org/docs/stable/generated/torch.nn.functional.linear.html"""
    rank = input.dim()
    if rank == 0 or weight.dim() == 0:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {rank}D and "
                           f"{weight.dim()}D")
    if bias is None:
        return _product(input, weight.t())
    if rank == 2:
        return ops.addmm(bias, input, weight.t())
    if input.is_contiguous() and (bias.dim() == 1 or sum(s != 1 for s in bias.shape) == 1):
        rows = input.reshape(math.prod(input.shape[:-1]), input.shape[-1])
        out = ops.addmm(bias, rows, weight.t())
        return out.view(*input.shape[:-1], out.shape[1])
    return _product(input, weight.t()).add_(bias)


@composite("bilinear")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1^T W x2 + b. https://pytorch.org/docs/stable/generated/torch.nn.functional.bilinear.html"""
    if input1.dim() != input2.dim():
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.dim()} and {input2.dim()}")
    for i, (p, q) in enumerate(zip(input1.shape[:-1], input2.shape[:-1], strict=True)):
        if p != q:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {i}: got {p} and {q}")
    for number, x, dim in ((1, input1, 1), (2, input2, 2)):
        if x.shape[-1] != weight.shape[dim]:
            raise RuntimeError(f"bilinear(): input{number} size does not match weight size: got {x.shape[-1]} but "
                               f"expected {weight.shape[dim]}")
    if bias is not None and bias.shape[0] != weight.shape[0]:
        raise RuntimeError(f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected "
                           f"{weight.shape[0]}")
    refuse_complex("_trilinear", input1, input2, weight)
    lead = tuple(input1.shape[:-1])
    rows = [x.reshape(math.prod(lead), x.shape[-1]) for x in (input1, input2)]
    out = ops._trilinear(rows[0], weight, rows[1], (1, 3), (0,), (1, 2), (2, 3)).reshape(*lead, weight.shape[0])
    return out if bias is None else out + bias


# --- normalisation ------------------------------------------------------------------------------

@composite("native_layer_norm")
def native_layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None,
                      eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Layer norm's output, and the means and reciprocal deviations, which have no history."""
    out, mean, rstd = ops.native_layer_norm(input, _ints(normalized_shape), weight, bias, eps)
    return out, ops._constant(mean), ops._constant(rstd)


@composite("layer_norm")
def layer_norm(input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5, cudnn_enable: bool = True) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.layer_norm.html"""
    return ops.native_layer_norm(input, _ints(normalized_shape), weight, bias, eps)[0]


@composite("group_norm")
def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
               cudnn_enabled: bool = True) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.group_norm.html"""
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    n, c = input.shape[:2]
    rest = math.prod(input.shape[2:])
    return ops.native_group_norm(input.contiguous(), weight, bias, n, c, rest, num_groups, eps)[0]


@composite("rms_norm")
def rms_norm(input: Tensor, normalized_shape: int | Sequence[int], weight: Tensor | None = None,
             eps: float | None = None) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.rms_norm.html"""
    shape = list(_ints(normalized_shape))
    if not shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           f"element, but got normalized_shape = {shape}")
    if weight is not None and list(weight.shape) != shape:
        raise RuntimeError("Expected weight to be of same shape as normalized_shape, but got weight of shape "
                           f"{list(weight.shape)} and normalized_shape = {shape}")
    if list(input.shape[-len(shape):]) != shape:
        raise RuntimeError(f"Given normalized_shape={shape}, expected input with shape [*{', '.join(map(str, shape))}], "
                           f"but got input of size{list(input.shape)}")
    dims = list(range(input.dim() - len(shape), input.dim()))
    if not (input.is_floating_point() or input.is_complex()):
        raise NotImplementedError(f"\"rms_norm\" not implemented for '{input.dtype.scalar_name}'")
    half = input.dtype.itemsize < 4
    x = input.float() if half else input
    if eps is None:
        eps = 2.220446049250313e-16 if input.dtype.to_real().itemsize == 8 else 1.1920928955078125e-07
    mean = ops.pow_Tensor_Scalar(x, 2).mean(dims, keepdim=True)
    out = x * (mean + eps).rsqrt()
    out = out.type_as(input) if half else out
    return out if weight is None else out * weight


def native_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
                      running_var: Tensor | None, training: bool, momentum: float,
                      eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """Batch norm's output, the mean and reciprocal deviation without history; the running statistics are updated."""
    out, mean, rstd = _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)
    return out, ops._constant(mean), ops._constant(rstd)


def _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    out, mean, rstd, new_mean, new_var = ops._native_batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps)
    if training:
        _write_unseen(running_mean, new_mean)
        _write_unseen(running_var, new_var)
    return out, mean, rstd


def _write_unseen(running, value):
    """Update a running statistic. PyTorch's kernel writes it without a version bump."""
    if running is None:
        return
    with no_grad():
        write(running, copy_of(value), None)
    counter_of(running._cell).version -= 1


def batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
               running_var: Tensor | None, training: bool, momentum: float, eps: float,
               cudnn_enabled: bool = True) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.batch_norm.html"""
    if input.numel() == 0:
        out = input.clone()
        out = out if weight is None else out * weight[0]
        return out if bias is None else out + bias[0]
    return _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


def instance_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
                  running_var: Tensor | None, use_input_stats: bool, momentum: float, eps: float,
                  cudnn_enabled: bool = True) -> Tensor:
    """https://pytorch.org/docs/stable/generated/torch.nn.functional.instance_norm.html"""
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    b, c = input.shape[:2]
    flat = input.contiguous().view(1, b * c, *input.shape[2:])
    weight, bias, mean, var = (None if v is None else v.repeat(b) for v in (weight, bias, running_mean, running_var))
    out = batch_norm(flat, weight, bias, mean, var, use_input_stats, momentum, eps)
    with no_grad():
        for running, repeated in ((running_mean, mean), (running_var, var)):
            if running is not None:
                running.copy_(repeated.view(b, c).mean(0))
    return out.view(*input.shape)


# --- dropout ------------------------------------------------------------------------------------

_SELU_DROP = 1.7580993408473766  # minus what a unit of SELU far below 0 gives


def _noise_like(input, feature):
    if not feature:
        return _empty_like(input)
    if input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return input.new_empty((*input.shape[:2], *(1,) * (input.dim() - 2)))


def _dropped(input, p, train, feature, alpha, in_place):
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not train or input.numel() == 0:
        return input
    multiply = input.mul_ if in_place else input.mul
    if p == 1:
        return multiply(input.new_zeros(()))
    noise = vmap_levels.everywhere(_noise_like(input, feature)).bernoulli_(1 - p)
    if not alpha:
        return multiply(noise.div_(1 - p))
    a = 1 / math.sqrt((_SELU_DROP * _SELU_DROP * p + 1) * (1 - p))
    shift = noise.add(-1).mul_(_SELU_DROP * a).add_(_SELU_DROP * a * p)
    scaled = multiply(noise.mul_(a))
    return scaled.add_(shift) if in_place else scaled.add(shift)


def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements dropped with the probability `p` if `train`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html"""
    return _dropped(input, p, train, False, False, False)


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements dropped with the probability `p` if `train`, in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html"""
    return _dropped(input, p, train, False, False, True)


def feature_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Channels dropped with the probability `p` if `train`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.feature_dropout.html"""
    return _dropped(input, p, train, True, False, False)


def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Channels dropped with the probability `p` if `train`, in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.feature_dropout.html"""
    return _dropped(input, p, train, True, False, True)


def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements dropped with the probability `p` if `train`, mean and variance kept.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.alpha_dropout.html"""
    return _dropped(input, p, train, False, True, False)


def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Elements dropped with the probability `p` if `train`, mean and variance kept, in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.alpha_dropout.html"""
    return _dropped(input, p, train, False, True, True)


def feature_alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """Channels dropped with the probability `p` if `train`, mean and variance kept.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.feature_alpha_dropout.html"""
    return _dropped(input, p, train, True, True, False)


def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """Channels dropped with the probability `p` if `train`, mean and variance kept, in place.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.feature_alpha_dropout.html"""
    return _dropped(input, p, train, True, True, True)


# --- attention ----------------------------------------------------------------------------------

def _check_attention(query, key, value, attn_mask, is_causal):
    if not query.dtype == key.dtype == value.dtype:
        names = [t.dtype.cpp_name for t in (query, key, value)]
        raise RuntimeError("Expected query, key, and value to have the same dtype, but got query.dtype: "
                           f"{names[0]} key.dtype: {names[1]} and value.dtype: {names[2]} instead.")
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
                           f"{query.dim()} key.dim: {key.dim()} and value.dim: {value.dim()} instead.")
    if attn_mask is None:
        return
    name = attn_mask.dtype.name
    if name not in ("bool", "float32") and attn_mask.dtype is not query.dtype:
        raise RuntimeError("Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                           f"attn_mask.dtype: {attn_mask.dtype.cpp_name} and  query.dtype: {query.dtype.cpp_name} instead.")
    if is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")


def _fused(query, key, value, attn_mask, dropout_p, enable_gqa) -> bool:
    """Whether PyTorch's CPU kernel takes these operands."""
    if dropout_p or (query.dim(), key.dim(), value.dim()) != (4, 4, 4) or not query.dtype.is_floating_point:
        return False
    if attn_mask is not None and (attn_mask.requires_grad or attn_mask.dim() not in (2, 4)):
        return False
    if min(query.numel(), key.numel(), value.numel()) == 0 or query.shape[0] != key.shape[0]:
        return False
    if not query.shape[-1] == key.shape[-1] == value.shape[-1]:
        return False
    if key.shape[:3] != value.shape[:3] or any(t.stride(-1) != 1 for t in (query, key, value)):
        return False
    return key.shape[1] == query.shape[1] or (enable_gqa and query.shape[1] % key.shape[1] == 0)


def _additive(attn_mask, like):
    """A bool mask as numbers to add: -inf where it is False."""
    if attn_mask is None or attn_mask.dtype.name != "bool":
        return attn_mask
    return _zeros(attn_mask.shape, dtype=like.dtype, device=like.device).masked_fill_(
        attn_mask.logical_not(), -math.inf)


def _repeat_heads(query, key, value):
    heads = query.shape[-3]
    if heads % key.shape[-3] or heads % value.shape[-3]:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    return tuple(t if t.shape[-3] == heads else t.repeat_interleave(heads // t.shape[-3], -3) for t in (key, value))


def _composed_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
    """Attention step by step. The root of the scale goes on both factors, which keeps products small."""
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    root = math.sqrt(abs(factor))
    if is_causal:
        ones = _zeros(query.shape[-2], key.shape[-2], dtype=query.dtype, device=query.device).add_(1)
        attn_mask = ones.tril().eq(1)
    attn_mask = _additive(attn_mask, query)
    if enable_gqa:
        key, value = _repeat_heads(query, key, value)
    scores = matmul(query * (math.copysign(root, factor)), key.mT * root)
    if attn_mask is not None:
        scores = scores.add(attn_mask)
    weights = ops._safe_softmax(scores, -1)
    if dropout_p > 0:
        weights = _dropped(weights, dropout_p, True, False, False, False)
    return matmul(weights, value)


@composite("scaled_dot_product_attention")
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
                                 dropout_p: float = 0.0, is_causal: bool = False, *, scale: float | None = None,
                                 enable_gqa: bool = False) -> Tensor:
    """softmax(Q K^T scale + mask) V.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html"""
    _check_attention(query, key, value, attn_mask, is_causal)
    if not _fused(query, key, value, attn_mask, dropout_p, enable_gqa):
        return _composed_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    mask = _additive(attn_mask, query)
    return ops._scaled_dot_product_flash_attention_for_cpu(
        query, key, value, 0.0, is_causal, attn_mask=mask, scale=scale)[0]


native_batch_norm_function = with_out(native_batch_norm)
FUNCTIONS: dict = {
    "matmul": matmul_function, "bilinear": bilinear, "layer_norm": layer_norm, "group_norm": group_norm,
    "rms_norm": rms_norm, "native_layer_norm": native_layer_norm, "native_batch_norm": native_batch_norm_function,
    "batch_norm": batch_norm, "instance_norm": instance_norm, "dropout": dropout, "dropout_": dropout_,
    "feature_dropout": feature_dropout, "feature_dropout_": feature_dropout_, "alpha_dropout": alpha_dropout,
    "alpha_dropout_": alpha_dropout_, "feature_alpha_dropout": feature_alpha_dropout,
    "feature_alpha_dropout_": feature_alpha_dropout_,
}
METHODS: dict = {"matmul": matmul}
linear_out: Any = with_out(linear)
NN: dict = {"linear": linear, "linear_out": linear_out, "scaled_dot_product_attention": scaled_dot_product_attention}
