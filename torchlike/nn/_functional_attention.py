"""Multi-head attention, step by step as `torch.nn.functional.multi_head_attention_forward` does it.

The order of operations is kept, so that values, gradients and the graph are PyTorch's.
"""

import math
import warnings

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike.nn._functional_pad import pad


def _none_or_dtype(tensor):
    """The dtype of a tensor, None of None."""
    if tensor is None or isinstance(tensor, Tensor):
        return None if tensor is None else tensor.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    """`mask` as floats that are added to the scores: a bool mask becomes -inf where it is True."""
    if mask is None:
        return None
    if mask.dtype is not dt.bool_ and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type "
                      "for both instead.", stacklevel=3)
    if mask.is_floating_point():
        return mask
    return _api.zeros_like(mask, dtype=target_type).masked_fill_(mask, float("-inf"))


def _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads):
    """True if batched (3-D), False if not (2-D); AssertionError on anything else."""
    if query.dim() not in (2, 3):
        raise AssertionError("query should be unbatched 2D or batched 3D tensor but received "
                             f"{query.dim()}-D query tensor")
    ndim = query.dim()
    start = f"For {'batched (3-D)' if ndim == 3 else 'unbatched (2-D)'} `query`, expected"
    if key.dim() != ndim or value.dim() != ndim:
        raise AssertionError(f"{start} `key` and `value` to be {ndim}-D but found {key.dim()}-D and "
                             f"{value.dim()}-D tensors respectively")
    if key_padding_mask is not None and key_padding_mask.dim() != ndim - 1:
        raise AssertionError(f"{start} `key_padding_mask` to be `None` or {ndim - 1}-D but found "
                             f"{key_padding_mask.dim()}-D tensor instead")
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(f"{start} `attn_mask` to be `None`, 2-D or 3-D but found "
                                 f"{attn_mask.dim()}-D tensor instead")
        expected = (num_heads, query.shape[0], key.shape[0])
        if ndim == 2 and attn_mask.dim() == 3 and attn_mask.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")
    return ndim == 3


def _project_packed(q, k, v, weight, bias):
    """q, k, v through the three thirds of one weight (3E, E); one product where they are one tensor."""
    size = q.size(-1)
    if k is not v:
        ws = weight.chunk(3)
        bs = (None,) * 3 if bias is None else bias.chunk(3)
        return tuple(_api.linear(x, w, b) for x, w, b in zip((q, k, v), ws, bs, strict=True))
    if q is k:
        parts = _split_last(_api.linear(q, weight, bias), 3, size)
        return parts[0], parts[1], parts[2]
    w_q, w_kv = weight.split([size, size * 2])
    b_q, b_kv = (None, None) if bias is None else bias.split([size, size * 2])
    q_out = _api.linear(q, w_q, b_q)
    parts = _split_last(_api.linear(k, w_kv, b_kv), 2, size)
    return q_out, parts[0], parts[1]


def _split_last(x, parts, size):
    """(..., parts * size) as (parts, ..., size), contiguous."""
    return x.unflatten(-1, (parts, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()


def _project_separately(q, k, v, weights, bias):
    embed = q.size(-1)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    named = list(zip(("query", "key", "value"), (q, k, v), weights, biases, strict=True))
    for name, x, weight, _ in named:
        want = (embed, x.size(-1))
        if weight.shape != want:
            raise AssertionError(f"expecting {name} weights shape of {want}, but got {weight.shape}")
    for name, _, _, b in named:
        if b is not None and b.shape != (embed,):
            raise AssertionError(f"expecting {name} bias shape of {(embed,)}, but got {b.shape}")
    return tuple(_api.linear(x, weight, b) for _, x, weight, b in named)


def _check_projections(use_separate, in_proj_weight, q_weight, k_weight, v_weight):
    if not use_separate:
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        return
    for name, weight in (("q", q_weight), ("k", k_weight), ("v", v_weight)):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")


def _check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate):
    embed_dim = query.shape[2]
    if embed_dim != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got "
                             f"{embed_dim}")
    if embed_dim % num_heads:
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    if use_separate:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's "
                                 f"{value.shape[:2]}")
    elif key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def _shaped_mask(attn_mask, heads, tgt_len, src_len):
    """`attn_mask` with three dimensions; `heads` is batch times heads."""
    if attn_mask is None:
        return None
    if attn_mask.dim() not in (2, 3):
        raise RuntimeError(f"attn_mask's dimension {attn_mask.dim()} is not supported")
    want = (tgt_len, src_len) if attn_mask.dim() == 2 else (heads, tgt_len, src_len)
    if attn_mask.shape != want:
        raise RuntimeError(f"The shape of the {attn_mask.dim()}D attn_mask is {attn_mask.shape}, but should "
                           f"be {want}.")
    return attn_mask.unsqueeze(0) if attn_mask.dim() == 2 else attn_mask


def _widen(mask):
    """One more key, never masked."""
    return None if mask is None else pad(mask, (0, 1))


def _heads_first(x, static, heads, head_dim, name):
    """(L, N, E) as (N * heads, L, E / heads), or `static`, given in that form already."""
    if static is None:
        return x.view(x.shape[0], heads, head_dim).transpose(0, 1)
    if static.size(0) != heads:
        raise AssertionError(f"expecting {name}.size(0) of {heads}, but got {static.size(0)}")
    if static.size(2) != head_dim:
        raise AssertionError(f"expecting {name}.size(2) of {head_dim}, but got {static.size(2)}")
    return static


def _merge_padding(attn_mask, padding, bsz, num_heads, src_len):
    """`attn_mask` plus the padding mask (N, S), spread over the heads."""
    if padding is None:
        return attn_mask
    for axis, want in ((0, bsz), (1, src_len)):
        if padding.shape[axis] != want:
            raise AssertionError(f"Expected key_padded_mask.shape[{axis}] to be {want}, but got "
                                 f"{padding.shape[axis]}")
    padding = padding.view(bsz, 1, 1, src_len).expand(-1, num_heads, -1, -1)
    padding = padding.reshape(bsz * num_heads, 1, src_len)
    return padding if attn_mask is None else attn_mask + padding


def _append_bias(k, v, bias_k, bias_v, static_k, static_v, bsz):
    if static_k is not None:
        raise AssertionError("bias cannot be added to static key.")
    if static_v is not None:
        raise AssertionError("bias cannot be added to static value.")
    return _api.cat([k, bias_k.repeat(1, bsz, 1)]), _api.cat([v, bias_v.repeat(1, bsz, 1)])


def _attend_with_weights(q, k, v, attn_mask, dropout_p):
    """(output, attention weights), both (N * heads, ...)."""
    q = q * math.sqrt(1.0 / float(q.shape[2]))
    if attn_mask is not None:
        weights = _api.baddbmm(attn_mask, q, k.transpose(-2, -1))
    else:
        weights = _api.bmm(q, k.transpose(-2, -1))
    weights = weights.softmax(-1)
    if dropout_p > 0.0:
        weights = _api.dropout(weights, dropout_p, True)
    return _api.bmm(weights, v), weights


def _attend(q, k, v, attn_mask, dropout_p, is_causal, bsz, num_heads):
    """The output (L, N, heads, E / heads) of the fused operator, which gives no weights."""
    if attn_mask is not None:
        if attn_mask.size(0) == 1 and attn_mask.dim() == 3:
            attn_mask = attn_mask.unsqueeze(0)
        else:
            attn_mask = attn_mask.view(bsz, num_heads, -1, k.shape[1])
    q, k, v = (x.view(bsz, num_heads, x.shape[1], x.shape[2]) for x in (q, k, v))
    out = _api.scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
    return out.permute(2, 0, 1, 3)


def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
    in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None,
    bias_v: Tensor | None, add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor,
    out_proj_bias: Tensor | None, training: bool = True, key_padding_mask: Tensor | None = None,
    need_weights: bool = True, attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None,
    average_attn_weights: bool = True, is_causal: bool = False,
):
    """Multi-head attention, with all parameters as arguments; see `torch.nn.MultiheadAttention`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.multi_head_attention_forward.html

    Args:
        query: (L, N, E), or (L, E) without a batch.
        key, value: (S, N, E_k) and (S, N, E_v), or without N.
        embed_dim_to_check: E, which is checked.
        num_heads: how many heads; divides E.
        in_proj_weight: (3 E, E), the projections of query, key and value in one.
        in_proj_bias: (3 E).
        bias_k, bias_v: (1, 1, E), one more key and value for each batch element; both or none.
        add_zero_attn: whether to add one more key and value of zeros.
        dropout_p: the probability with which weights are dropped in training.
        out_proj_weight, out_proj_bias: (E, E) and (E).
        training: whether to drop weights.
        key_padding_mask: (N, S), bool with True for keys to leave out, or floats that are added to the scores.
        need_weights: whether to return the weights. Without them the fused operator runs.
        attn_mask: (L, S) or (N heads, L, S), bool with True where attention is forbidden, or floats that are added.
        use_separate_proj_weight: whether the three weights below are used instead of `in_proj_weight`.
        q_proj_weight, k_proj_weight, v_proj_weight: (E, E), (E, E_k) and (E, E_v).
        static_k, static_v: (N heads, S, E / heads), used instead of the projections.
        average_attn_weights: whether to average the weights over the heads.
        is_causal: whether `attn_mask` is the causal mask; it must be given all the same.

    Returns:
        (L, N, E) and the weights, (N, L, S), or (N, heads, L, S) without `average_attn_weights`, or None; without N where
        `query` has none.

    Raises:
        AssertionError: dimensions, shapes or weights do not fit.
        RuntimeError: `is_causal` without `attn_mask`, or a mask of the wrong shape.
    """
    batched = _check_shapes(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    tgt_len, bsz, embed_dim = query.shape
    key_padding_mask = _canonical_mask(key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask),
                                      "attn_mask", query.dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer "
                           "module method `generate_square_subsequent_mask` to create this mask.")
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None  # the fused operator makes the causal mask itself
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        is_causal = is_causal and key_padding_mask is None
    _check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    _check_projections(use_separate_proj_weight, in_proj_weight, q_proj_weight, k_proj_weight,
                       v_proj_weight)
    if use_separate_proj_weight:
        q, k, v = _project_separately(query, key, value, (q_proj_weight, k_proj_weight, v_proj_weight),
                                      in_proj_bias)
    else:
        q, k, v = _project_packed(query, key, value, in_proj_weight, in_proj_bias)
    heads, head_dim = bsz * num_heads, embed_dim // num_heads
    attn_mask = _shaped_mask(attn_mask, heads, tgt_len, key.shape[0])
    if bias_k is not None and bias_v is not None:
        k, v = _append_bias(k, v, bias_k, bias_v, static_k, static_v, bsz)
        attn_mask, key_padding_mask = _widen(attn_mask), _widen(key_padding_mask)
    elif bias_k is not None or bias_v is not None:
        raise AssertionError("bias_k is set but bias_v is None" if bias_v is None
                             else "bias_v is set but bias_k is None")
    q = _heads_first(q, None, heads, head_dim, "query")
    k = _heads_first(k, static_k, heads, head_dim, "static_k")
    v = _heads_first(v, static_v, heads, head_dim, "static_v")
    if add_zero_attn:
        zero = _api.zeros((heads, 1, head_dim), dtype=k.dtype, device=k.device)
        k, v = _api.cat([k, zero], dim=1), _api.cat([v, zero], dim=1)
        attn_mask, key_padding_mask = _widen(attn_mask), _widen(key_padding_mask)
    attn_mask = _merge_padding(attn_mask, key_padding_mask, bsz, num_heads, k.size(1))
    dropout_p = dropout_p if training else 0.0
    weights = None
    if need_weights:
        out, weights = _attend_with_weights(q, k, v, attn_mask, dropout_p)
        out = out.transpose(0, 1)
        weights = weights.view(bsz, num_heads, tgt_len, k.size(1))
        weights = weights.mean(dim=1) if average_attn_weights else weights
    else:
        out = _attend(q, k, v, attn_mask, dropout_p, is_causal, bsz, num_heads)
    out = _api.linear(out.reshape(tgt_len * bsz, embed_dim), out_proj_weight, out_proj_bias)
    out = out.view(tgt_len, bsz, out.size(1))
    if batched:
        return out, weights
    return out.squeeze(1), None if weights is None else weights.squeeze(0)


def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None,
                                 dropout_p: float = 0.0, is_causal: bool = False,
                                 scale: float | None = None, enable_gqa: bool = False) -> Tensor:
    """softmax(q k^T scale + mask) v.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html

    Args:
        query: (*, L, E).
        key: (*, S, E).
        value: (*, S, V).
        attn_mask: broadcastable to (*, L, S); bool with True where attention is allowed, or floats that are added.
        dropout_p: the probability with which weights are dropped, whatever the mode of any module.
        is_causal: whether position i sees only the keys up to i; not together with `attn_mask`.
        scale: the factor of the scores; None means 1 / sqrt(E).
        enable_gqa: whether `key` and `value` may have fewer heads (dimension -3), each for several heads of the query.

    Returns:
        (*, L, V), of the dtype of `query`.
    """
    return _api.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale=scale,
                                             enable_gqa=enable_gqa)
