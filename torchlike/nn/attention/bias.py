"""Causal masks that say where they are aligned: https://pytorch.org/docs/stable/nn.attention.bias.html"""

import enum
import warnings

from torchlike._api import ones
from torchlike._base.device import CPU
from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(enum.IntEnum):
    """The corner of the mask at which its diagonal begins or ends.
    https://pytorch.org/docs/stable/generated/torch.nn.attention.bias.CausalVariant.html"""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A causal mask for `scaled_dot_product_attention`, made when it is needed.
    https://pytorch.org/docs/stable/generated/torch.nn.attention.bias.CausalBias.html

    Args:
        variant: a `CausalVariant`.
        seq_len_q, seq_len_kv: how many queries and keys there are.

    Raises:
        AssertionError: `variant` is none.
    """

    def __init__(self, variant: CausalVariant, seq_len_q: int, seq_len_kv: int):
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        super().__init__()
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant is CausalVariant.LOWER_RIGHT:
            warnings.warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!",
                          stacklevel=2)

    def _materialize(self, device=None) -> Tensor:
        """The mask: True for the keys that a query sees."""
        diagonal = 0 if self.variant is CausalVariant.UPPER_LEFT else self.seq_len_kv - self.seq_len_q
        return ones(self.seq_len_q, self.seq_len_kv, device=device or CPU).bool().tril(diagonal)

    @staticmethod
    def _attention(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False) -> Tensor:
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        square = attn_mask.seq_len_q == attn_mask.seq_len_kv or attn_mask.variant is CausalVariant.UPPER_LEFT
        mask = None if square else attn_mask._materialize(query.device)
        return F.scaled_dot_product_attention(query, key, value, mask, dropout_p, square, scale, enable_gqa)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is F.scaled_dot_product_attention:
            return cls._attention(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs)

    def __repr__(self):
        return repr(self._materialize())


def _bias(name: str, variant: CausalVariant, size: tuple):
    if len(size) != 2:
        raise AssertionError(f"{name} only supports 2D tensors")
    return CausalBias(variant, *size)


def causal_upper_left(*size: int):
    """A mask whose diagonal begins at the first query and key, as ``is_causal=True``.
    https://pytorch.org/docs/stable/generated/torch.nn.attention.bias.causal_upper_left.html

    Args:
        size: how many queries and keys.

    Returns:
        a `CausalBias`.
    """
    return _bias("causal_upper_left", CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size: int):
    """A mask whose diagonal ends at the last query and key.
    https://pytorch.org/docs/stable/generated/torch.nn.attention.bias.causal_lower_right.html

    Args:
        size: how many queries and keys.

    Returns:
        a `CausalBias`.
    """
    return _bias("causal_lower_right", CausalVariant.LOWER_RIGHT, size)
