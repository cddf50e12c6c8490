"""Scaled dot-product attention as one operator, the one PyTorch's CPU path uses.

https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html. Saved are
the operands, the output and the log-sum-exp of each row of scores, so the gradient makes the
probabilities again with one product and one exp, and needs no sum over a row.

In half precision each product takes operands of that precision, the probabilities and their gradients rounded, and is
summed in float32, as in PyTorch's kernels: what a GPU's tensor cores do. Scores and sums over rows are float32.
"""

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._ops.numerics import lean
from torchlike._ops.numerics.lean import Lean
from torchlike._ops.rules import is_half, scalar_name
from torchlike._ops.table import op


def _wide(x):
    return Lean(x).astype(jnp.float32) if is_half(x) else Lean(x)


def _batched(a, b, contract_a, contract_b):
    """The product of (N, i, j) and (N, k, l) over one dimension of each. Of half precision it is summed in float32."""
    wide = jnp.float32 if is_half(a) else None
    dimensions = (((contract_a,), (contract_b,)), ((0,), (0,)))
    return Lean(lax.dot_general(lean.raw(a), lean.raw(b), dimensions, preferred_element_type=wide))


def _folded(query, like):
    """(B, H, L, D) as (B Hkv, H / Hkv L, D): query heads that share a key head become rows of one product."""
    b, heads, length, width = query.shape
    shared = like.shape[1]
    return Lean(query).reshape(b * shared, heads // max(shared, 1) * length, width)


def _flat(x):
    return Lean(x).reshape(x.shape[0] * x.shape[1], *x.shape[2:])


def _scores(query, key, attn_mask, is_causal, scale):
    """(B, H, L, S) scores: the scaled product with masked places at -inf."""
    product = _batched(_folded(query, key), _flat(key), 2, 2)
    scores = product.reshape(*query.shape[:3], key.shape[2]) * scale
    if attn_mask is not None:
        bias = attn_mask
        if attn_mask.dtype == jnp.bool_:
            scores = lean.where(attn_mask, scores, -math.inf)
        else:
            scores = scores + _wide(bias).astype(scores.dtype)
    if is_causal:
        # Full-size iotas fuse into the softmax; a broadcast (L, S) mask costs a third of the forward time.
        rows, keys = (Lean(lax.broadcasted_iota(jnp.int32, scores.shape, d)) for d in (2, 3))
        scores = lean.where(keys <= rows, scores, -math.inf)
    return scores


def _scale(query, scale):
    if scale is None:
        scale = 1 / math.sqrt(query.shape[-1]) if query.shape[-1] else math.inf
    return lean.number(scale, np.float32 if is_half(query) else query.dtype)


def _probabilities(query, key, logsumexp, attn_mask, is_causal, scale):
    scores = _scores(query, key, attn_mask, is_causal, scale)
    return lean.exp(scores - Lean(logsumexp).expand(-1))


def _score_gradient(g0, g1, query, key, value, result0, result1, attn_mask, is_causal, scale):
    """The gradient of the scores, and the probabilities. g1 is that of the log-sum-exp (second derivatives)."""
    p = _probabilities(query, key, result1, attn_mask, is_causal, scale)
    if g0 is None:
        return p * _wide(g1).expand(-1), p
    through = _batched(_folded(g0, value), _flat(value), 2, 2).reshape(p.shape)
    shift = -(_wide(g0) * _wide(result0)).sum(-1, keepdims=True)
    if g1 is not None:
        shift = shift + _wide(g1).expand(-1)
    return p * (through + shift), p


def _gradients(g0, g1, query, key, value, result0, result1, attn_mask, is_causal, scale):
    s = _scale(query, scale)
    d, p = _score_gradient(g0, g1, query, key, value, result0, result1, attn_mask, is_causal, s)
    d, p = _folded(d.astype(query.dtype), key), p.astype(value.dtype)
    of_value = None if g0 is None else _batched(_folded(p, value), _folded(g0, value), 1, 1).reshape(value.shape)
    return {"query": (_batched(d, _flat(key), 2, 1) * s).reshape(query.shape),
            "key": (_batched(d, _folded(query, key), 1, 1) * s).reshape(key.shape), "value": of_value}


def _top(scores, dim):
    """The largest score of each row, 0 where all are masked."""
    top = Lean(lax.stop_gradient(scores.max(dim, keepdims=True).array))
    return lean.where(top == -math.inf, 0, top)


@op("_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, "
    "bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)",
    method=False, function=False,
    grads={"query": _gradients, "key": _gradients, "value": _gradients})
def flash_attention(query, key, value, attn_mask, *, dropout_p, is_causal, scale):
    """(B, H, L, D), (B, Hkv, S, D), (B, Hkv, S, D) give (B, H, L, D) and the log-sum-exp (B, H, L).

    Hkv divides H. `attn_mask` broadcasts to (B, H, L, S): bool (True: attend) or added. No dropout here.
    """
    del dropout_p  # the face sends dropout along the composed path
    scores = _scores(query, key, attn_mask, is_causal, _scale(query, scale))
    top = _top(scores, -1)
    weights = lean.exp(scores - top)
    total = weights.sum(-1, keepdims=True)
    product = _batched(_folded(weights.astype(value.dtype), value), _flat(value), 2, 1).reshape(query.shape)
    none = total == 0
    some = lean.where(none, 1, total)
    out = product * lean.where(none, 0, 1 / some)
    # A row with nothing to attend to has output 0 and, as in PyTorch, log-sum-exp 0.
    lse = lean.where(none, 0, top + lean.log(some)).squeeze(-1)
    return out.astype(query.dtype), lse


def _safe_softmax_gradient(g, result, dim):
    y, g = _wide(result), _wide(g)
    return y * (g - (g * y).sum(dim, keepdims=True))


@op("_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", method=False, function=False,
    grads={"self": _safe_softmax_gradient})
def safe_softmax(x, *, dim, dtype):
    """Softmax in which a row of -inf gives zeros."""
    x = x if dtype is None else x.astype(dtype.np)
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise NotImplementedError(f"\"softmax_lastdim_kernel_impl\" not implemented for '{scalar_name(x)}'")
    wide = _wide(x)
    weights = lean.exp(wide - _top(wide, dim))
    total = weights.sum(dim, keepdims=True)
    return (weights / lean.where(total == 0, 1, total)).astype(x.dtype)
