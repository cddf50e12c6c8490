"""`MultiheadAttention`, in a file of its own because of its size; `activation` is its public home."""

from torchlike._record.tensor import Tensor
from torchlike.nn import functional as F
from torchlike.nn import init
from torchlike.nn.modules._parameters import new_parameter
from torchlike.nn.modules.linear import NonDynamicallyQuantizableLinear
from torchlike.nn.modules.module import Module

_SEPARATE = ("q_proj_weight", "k_proj_weight", "v_proj_weight")


class MultiheadAttention(Module):
    """Attention with several heads, each ``embed_dim / num_heads`` wide.
    https://pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html

    Args:
        embed_dim: E, the width of queries and of the output.
        num_heads: how many heads; divides `embed_dim`.
        dropout: the probability with which weights are dropped in training.
        bias: whether the projections have biases.
        add_bias_kv: whether there are one more learned key and value.
        add_zero_attn: whether to add one more key and value of zeros.
        kdim, vdim: the widths of keys and values; None means E.
        batch_first: whether the batch is dimension 0.
        device, dtype: of the parameters.

    Shape:
        Queries (L, N, E), keys (S, N, kdim) and values (S, N, vdim) to the output (L, N, E) and the weights (N, L, S).
        With `batch_first` N comes first; all may be without N. The weights are None without `need_weights`.

    Raises:
        ValueError: `embed_dim` or `num_heads` is not positive.
        AssertionError: `num_heads` does not divide `embed_dim`.
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
                 add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
                 vdim: int | None = None, batch_first: bool = False, device=None, dtype=None):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError("embed_dim and num_heads must be greater than 0, got "
                             f"embed_dim={embed_dim} and num_heads={num_heads} instead")
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        where = {"device": device, "dtype": dtype}
        self._make_projections(bias, where)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **where)
        if add_bias_kv:
            self.bias_k = new_parameter(1, 1, embed_dim, **where)
            self.bias_v = new_parameter(1, 1, embed_dim, **where)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _make_projections(self, bias, where):
        """One weight (3E, E) where queries, keys and values are equally wide, else three."""
        embed = self.embed_dim
        if self._qkv_same_embed_dim:
            self.in_proj_weight = new_parameter(3 * embed, embed, **where)
            for name in _SEPARATE:
                self.register_parameter(name, None)
        else:
            for name, width in zip(_SEPARATE, (embed, self.kdim, self.vdim), strict=True):
                self.register_parameter(name, new_parameter(embed, width, **where))
            self.register_parameter("in_proj_weight", None)
        made = new_parameter(3 * embed, **where) if bias else None
        self.register_parameter("in_proj_bias", made)

    def _reset_parameters(self):
        names = ("in_proj_weight",) if self._qkv_same_embed_dim else _SEPARATE
        for name in names:
            init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for extra in (self.bias_k, self.bias_v):
            if extra is not None:
                init.xavier_normal_(extra)

    def __setstate__(self, state):
        # Pickles from before kdim and vdim existed.
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def merge_masks(self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor):
        """One mask of the two, and which kind it is.

        Args:
            attn_mask: (L, S) or (N heads, L, S), or None.
            key_padding_mask: (N, S), or None.
            query: (N, L, E).

        Returns:
            (None, None), (the key padding mask, 1), or (their sum (N, heads, L, S), 2).
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length = query.shape[:2]
        mask = attn_mask.view(batch, -1, length, length) if attn_mask.dim() == 3 else \
            attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            mask = mask + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return mask, 2

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
                need_weights: bool = True, attn_mask: Tensor | None = None,
                average_attn_weights: bool = True, is_causal: bool = False):
        """Attention of queries over keys.

        Args:
            query, key, value: shaped as the class says.
            key_padding_mask: (N, S), bool with True for keys to leave out, or floats that are added to the scores.
            need_weights: whether to return the weights. Without them the fused operator runs.
            attn_mask: (L, S) or (N heads, L, S), bool with True where attention is forbidden, or floats that are added.
            average_attn_weights: whether to average the weights over the heads; else they are (N, heads, L, S).
            is_causal: whether `attn_mask` is the causal mask; it must be given all the same.

        Returns:
            (output, weights or None).
        """
        key_padding_mask = F._canonical_mask(key_padding_mask, "key_padding_mask",
                                             F._none_or_dtype(attn_mask), "attn_mask", query.dtype)
        attn_mask = F._canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        swap = self.batch_first and query.dim() == 3
        if swap:
            query, key, value = _transposed(query, key, value)
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias,
            self.bias_k, self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight,
            self.out_proj.bias, training=self.training, key_padding_mask=key_padding_mask,
            need_weights=need_weights, attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim, q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight, v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal)
        return (output.transpose(1, 0) if swap else output), weights


def _transposed(query, key, value):
    """The three with batch and sequence swapped; one tensor stays one tensor, which saves products."""
    if key is not value:
        return tuple(x.transpose(1, 0) for x in (query, key, value))
    if query is key:
        query = key = query.transpose(1, 0)
    else:
        query, key = query.transpose(1, 0), key.transpose(1, 0)
    return query, key, key
