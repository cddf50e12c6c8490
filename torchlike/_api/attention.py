"""Scaled dot product attention, fused where PyTorch's CPU kernel takes it, else in its steps.

https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
"""

from __future__ import annotations

import math

from torchlike._api.creation import zeros
from torchlike._api.dropout import dropped
from torchlike._api.generated import ops
from torchlike._api.linear import matmul
from torchlike._base.dtypes import bfloat16, float16, float32
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor


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
    return zeros(attn_mask.shape, dtype=like.dtype, device=like.device).masked_fill_(
        attn_mask.logical_not(), -math.inf)


def _repeat_heads(query, key, value):
    heads = query.shape[-3]
    if heads % key.shape[-3] or heads % value.shape[-3]:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    return tuple(t if t.shape[-3] == heads else t.repeat_interleave(heads // t.shape[-3], -3) for t in (key, value))


def _of_nothing(query, key, value, shape):
    """Attention without a result, or to nothing: PyTorch looks at no sizes and no mask. What is not finite makes it nan."""
    nothing = query.sum().add(key.sum()).add(value.sum()).mul(0)
    return zeros(shape, dtype=query.dtype, device=query.device).add(nothing)


def _composed_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
    """Attention step by step. The root of the scale goes on both factors, which keeps products small."""
    factor = scale if scale is not None else 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else math.inf
    root, given = math.sqrt(abs(factor)), query.dtype
    if given in (float16, bfloat16):  # scores of half precision overflow
        query, key, value = query.to(float32), key.to(float32), value.to(float32)
    if is_causal:
        ones = zeros(query.shape[-2], key.shape[-2], dtype=query.dtype, device=query.device).add_(1)
        attn_mask = ones.tril().eq(1)
    attn_mask = _additive(attn_mask, query)
    if enable_gqa:
        key, value = _repeat_heads(query, key, value)
    scores = matmul(query * (math.copysign(root, factor)), key.mT * root)
    if attn_mask is not None:
        scores = scores.add(attn_mask)
    weights = ops._safe_softmax(scores, -1)
    if dropout_p > 0:
        weights = dropped(weights, dropout_p, True, False, False, False)
    return matmul(weights, value).to(given)


@composite("scaled_dot_product_attention")
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
                                 dropout_p: float = 0.0, is_causal: bool = False, *, scale: float | None = None,
                                 enable_gqa: bool = False) -> Tensor:
    """softmax(Q K^T scale + mask) V.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html"""
    _check_attention(query, key, value, attn_mask, is_causal)
    shape = (*query.shape[:-1], value.shape[-1])
    if 0 in shape or not value.numel():
        return _of_nothing(query, key, value, shape)
    if not _fused(query, key, value, attn_mask, dropout_p, enable_gqa):
        return _composed_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    mask = _additive(attn_mask, query)
    return ops._scaled_dot_product_flash_attention_for_cpu(
        query, key, value, 0.0, is_causal, attn_mask=mask, scale=scale)[0]


NN: dict = {"scaled_dot_product_attention": scaled_dot_product_attention}
