"""`torch.nn.attention.flex_attention`: https://pytorch.org/docs/stable/nn.attention.flex_attention.html

Plain attention: the scores are computed, and the functions are given all of them at once, by `torch.vmap`. Nothing is left
out, so a mask saves no time. Gradients work on every device (PyTorch has none of it on the CPU).
"""

from typing import NamedTuple

from torchlike import _api
from torchlike._api.homes import name_below as _name_below
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike.nn.attention._block_mask import _BLOCK
from torchlike.nn.attention._block_mask import BlockMask as BlockMask
from torchlike.nn.attention._block_mask import _vmap_for_bhqkv as _vmap_for_bhqkv
from torchlike.nn.attention._block_mask import and_masks as and_masks
from torchlike.nn.attention._block_mask import create_block_mask as create_block_mask
from torchlike.nn.attention._block_mask import create_mask as create_mask
from torchlike.nn.attention._block_mask import mask_of as _mask_of
from torchlike.nn.attention._block_mask import noop_mask as noop_mask
from torchlike.nn.attention._block_mask import or_masks as or_masks
from torchlike.nn.attention._block_mask import scores_changed as _scores_changed

__all__ = ["AuxOutput", "AuxRequest", "BlockMask", "FlexKernelOptions", "and_masks", "create_block_mask", "create_mask",
           "flex_attention", "noop_mask", "or_masks"]

_DEFAULT_SPARSE_BLOCK_SIZE = _BLOCK  # packages import it
FlexKernelOptions = dict  # sizes of the tiles of PyTorch's kernels, without effect


class AuxRequest(NamedTuple):
    """What `flex_attention` returns beside the result.

    Args:
        lse: whether the logarithms of the sums of exponentials.
        max_scores: whether the greatest scores.
    """

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What `AuxRequest` asks for; None of what was not asked for.

    Args:
        lse: (B, H, L), the logarithm of the sum of the exponentials of each row of scores.
        max_scores: (B, H, L), the greatest score of each row.
    """

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale: float | None = None, enable_gqa: bool = False,
                   return_lse: bool = False, kernel_options=None, *, return_aux: AuxRequest | None = None):
    """softmax(score_mod(Q K^T scale)) V, of the scores that a mask leaves over; zeros where it leaves none.
    https://pytorch.org/docs/stable/nn.attention.flex_attention.html#torch.nn.attention.flex_attention.flex_attention

    Args:
        query: (B, H, L, E).
        key: (B, H', S, E); 1 for B is allowed with a `block_mask` of B batches.
        value: (B, H', S, Ev).
        score_mod: a function of a score and the indices of batch, head, query and key, all tensors without dimensions; it
            gives the score that counts.
        block_mask: a `BlockMask`.
        scale: 1 / sqrt(E) if None.
        enable_gqa: whether H may be a multiple of H'.
        return_lse: the old form of ``return_aux=AuxRequest(lse=True)``.
        kernel_options: without effect.
        return_aux: what else to return.

    Returns:
        (B, H, L, Ev); with `return_lse` or `return_aux` a tuple of this and what was asked for.

    Raises:
        NotImplementedError: not four dimensions.
        ValueError: sizes that do not fit each other or the mask, or `return_lse` and `return_aux`.
    """
    if return_lse and return_aux is not None:
        raise ValueError("Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
                         "return_aux=AuxRequest(lse=True) instead.")
    _check(query, key, value, block_mask, enable_gqa)
    key, value = (x.expand(query.shape[0], -1, -1, -1).repeat_interleave(query.shape[1] // x.shape[1], 1)
                  for x in (key, value))
    working = dt.float64 if query.dtype is dt.float64 else dt.float32
    scores = (query.to(working) @ key.to(working).transpose(-2, -1)) * (query.shape[-1] ** -0.5 if scale is None else scale)
    if score_mod is not None:
        scores = _scores_changed(score_mod, scores).to(working)
    if block_mask is not None:
        left = _mask_of(block_mask.mask_mod, scores.shape, scores.device)
        scores = _api.where(left, scores, -float("inf"))
    out, lse = _weighted(scores, value.to(working))
    out = out.to(query.dtype)
    if return_aux is not None:
        return out, AuxOutput(lse if return_aux.lse else None, scores.amax(-1) if return_aux.max_scores else None)
    return (out, lse) if return_lse else out


def _weighted(scores, value) -> tuple:
    """(softmax(scores) value, logsumexp of the scores); a row of -inf gives zeros, and has no gradient."""
    nothing = _api.isneginf(scores).all(-1, keepdim=True)
    safe = scores.masked_fill(nothing, 0.0)
    weights = safe.softmax(-1).masked_fill(nothing, 0.0)
    return weights @ value, safe.logsumexp(-1).masked_fill(nothing.squeeze(-1), -float("inf"))


def _check(query, key, value, block_mask, enable_gqa) -> None:
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError("Expect query and key/value to have the same embedding dimension but got "
                         f"E={query.shape[-1]} and E={key.shape[-1]}.")
    batches, of_keys = query.shape[0], key.shape[0]
    if batches != of_keys and block_mask is None:
        raise ValueError("Expect query and key/value to have the same batch size, or non-none block_mask, but got "
                         f"block_mask={block_mask}, Bq={batches}, and Bkv={of_keys}.")
    if batches != of_keys and block_mask.shape[0] != batches:
        raise ValueError("Expect query and key/value to have the same batch size, or block_mask and query to have the same "
                         f"batch size, but got Bq={batches}, Bkv={of_keys}, B_block_mask={block_mask.shape[0]}.")
    heads, of_keys = query.shape[1], key.shape[1]
    if not enable_gqa and heads != of_keys:
        raise ValueError(f"Expect query and key/value to have the same number of heads but got Hq={heads} and Hkv={of_keys}."
                         " Try setting enable_gqa=True for GQA.")
    if heads % of_keys:
        raise ValueError("Expect number of query heads to be a multiple of kv heads for GQA but got "
                         f"Hq={heads} and Hkv={of_keys}.")
    if block_mask is not None:
        _check_lengths(block_mask, query.shape[-2], key.shape[-2])


def _check_lengths(block_mask, q_len: int, kv_len: int) -> None:
    q_most, kv_most = block_mask.seq_lengths
    start = (f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={q_len} and kv_len={kv_len}. "
             "As the block mask was created for a ")
    if q_len > q_most or kv_len > kv_most:
        raise ValueError(f"{start}smaller length than you're using it for, you likely need to create a new block mask.")
    if q_len < q_most or kv_len < kv_most:
        raise ValueError(f"{start}larger length than you're using it for, you can either 1. create a new block mask with "
                         "the correct length, or 2. 'adjust' the existing block mask to the correct length by calling "
                         "block_mask._adjust(q_len, kv_len). This essentially 'crops' the block mask to the upper left "
                         "corner, which does not work for all mask_mods!")


_name_below(".nn.attention.flex_attention")
